// "deaths ~ rbf(lon, lat) + offset(log(expected))": what it is turned into is what the kernel takes.
#include "ggpm/model_formula.hpp"

#include <string>

#include "fuzz.hpp"
#include "ggpm/kernel.hpp"

using namespace ggpm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::answered([&] {
    const ModelFormula formula = parse_model_formula(fuzz::text_of(data, size));
    fuzz::require(!formula.target.empty(), "a formula has a target");
    fuzz::answered([&] {
      const Kernel kernel = Kernel::parse(formula.kernel);
      if (!formula.inputs.empty())
        kernel.bind(static_cast<Index>(formula.inputs.size()), formula.inputs);
    });
  });
  return 0;
}
