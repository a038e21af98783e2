// The text of a prior mean: parsed, bound, evaluated, written and parsed again.
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "ggpm/kernel.hpp"

using namespace ggpm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> names = {"x", "year"};
  static const Matrix X = Matrix::Constant(2, 2, 0.5);
  fuzz::answered([&] {
    const Mean mean = Mean::parse(fuzz::text_of(data, size));
    const std::string written = mean.text();
    fuzz::require(Mean::parse(written).text() == written, "parse(text()) is the same mean");
    fuzz::answered([&] {
      const Mean bound = mean.bind(2, names);
      std::vector<double> values;
      for (const Parameter& parameter : bound.parameters()) values.push_back(parameter.value);
      fuzz::require(bound.with_values(values).text() == bound.text(), "its values are its values");
      fuzz::require(bound.evaluate(X).size() == 2, "a mean a row");
      fuzz::require(bound.pull_back(X, Vector::Ones(2)).size() == static_cast<Index>(values.size()),
                    "a slope a parameter");
    });
  });
  return 0;
}
