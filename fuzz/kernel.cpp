// The text of a kernel: parsed, bound, evaluated, written and parsed again.
#include "ggpm/kernel.hpp"

#include <string>
#include <vector>

#include "fuzz.hpp"
#include "ggpm/sphere.hpp"

using namespace ggpm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  static const std::vector<std::string> names = {"x", "year", "lat"};
  static const Matrix X = [] {
    Matrix out(4, 3);
    out << 0, 1, 50, 0.5, -2, 51, 0.5, -2, 51, 3, 4, -80;
    return out;
  }();
  fuzz::answered([&] {
    const Kernel kernel = Kernel::parse(text);
    group_columns(text);
    sphere_columns(text);
    const std::string written = kernel.text();
    fuzz::require(Kernel::parse(written).text() == written, "parse(text()) is the same kernel");
    fuzz::answered([&] {
      const Kernel bound = kernel.bind(3, names);
      fuzz::require(bound.parameters().size() == bound.priors().size(), "a prior a parameter");
      std::vector<double> values;
      for (const Parameter& parameter : bound.parameters()) values.push_back(parameter.value);
      fuzz::require(bound.with_values(values).text() == bound.text(), "its values are its values");
      Matrix K;
      bound.gram(X, K);
      fuzz::require(K.rows() == 4 && K.cols() == 4, "K has its shape");
      const Vector gradient = bound.pull_back(X, Matrix::Identity(4, 4));
      fuzz::require(gradient.size() == static_cast<Index>(values.size()), "a slope a parameter");
      bound.terms();
    });
  });
  return 0;
}
