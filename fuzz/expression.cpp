// One expression of a likelihood that a user wrote: parsed into a program, evaluated with phi as an
// argument and filled in, and written.
#include "likelihood/formula/expression.hpp"

#include <cmath>
#include <limits>

#include "fuzz.hpp"
#include "likelihood/formula/evaluate.hpp"

using namespace ggpm;
using internal::formula::Expression;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::answered([&] {
    const Expression expression =
        Expression::parse(fuzz::text_of(data, size), {.where = "f", .variable = "y", .phi = true});
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double y : {0.0, -0.0, 1.0, -2.5, 1e-300, 1e300, infinity, std::nan("")})
      for (const double phi : {0.5, 1e-100, 1e100}) {
        const double value = expression.evaluate(y, phi);
        const double fixed = expression.at_phi(phi).evaluate(y, phi);
        fuzz::require(value == fixed || (std::isnan(value) && std::isnan(fixed)),
                      "at_phi is the same function");
      }
    fuzz::require(Expression::parse(expression.text(),
                                    {.where = "f", .variable = "y", .phi = true}) == expression,
                  "its text is the same expression");
  });
  return 0;
}
