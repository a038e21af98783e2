// A likelihood that a user wrote (TOML): loaded with its checks, and asked what a fit asks.
#include <memory>
#include <string>

#include "fuzz.hpp"
#include "ggpm/likelihood.hpp"
#include "likelihood/formula/likelihood.hpp"

using namespace ggpm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  // Other texts are the path of a file.
  if (text.find('\n') == std::string::npos && text.find('=') == std::string::npos) return 0;
  fuzz::answered([&] {
    const std::unique_ptr<Likelihood> likelihood =
        internal::make_formula_likelihood(text, "", LikelihoodOptions{});
    for (const double y : {0.0, 0.5, 1.0, 3.0}) {
      const Row row{.y = y};
      if (!fuzz::answered([&] { likelihood->check({&row, 1}); })) continue;
      const double mean = 0.3, variance = 0.5;
      Tilted tilted;
      fuzz::answered([&] {
        likelihood->tilted({&row, 1}, {&mean, 1}, {&variance, 1}, {&tilted, 1}, Dphi::wanted);
      });
      const std::unique_ptr<Predictive> predictive = likelihood->predictive(row, mean, variance);
      fuzz::answered([&] { predictive->log_density(y); });
      fuzz::answered([&] { predictive->cdf(y); });
    }
  });
  return 0;
}
