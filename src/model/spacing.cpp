#include "model/spacing.hpp"

#include <algorithm>
#include <limits>

namespace ggpm::internal {
namespace {

// In squared length-scales. There rbf has a correlation of e^-1.5, whose square is a twentieth: so
// much of the variance of a row is known from the nearest one. Matérn kernels know a little less.
constexpr double kUnseen = 3;

// X in length-scales, the inputs that they are of.
Matrix scaled_inputs(const Matrix& X, const std::vector<FittedParameter>& length_scales) {
  std::vector<Vector> columns;
  for (const FittedParameter& p : length_scales)
    for (const Index input : p.parameter.inputs)
      columns.emplace_back(X.col(input) * (p.unit / p.parameter.value));
  Matrix Z(X.rows(), std::ssize(columns));
  for (std::size_t k = 0; k < columns.size(); ++k) Z.col(static_cast<Index>(k)) = columns[k];
  return Z;
}

double squared_distance_to_nearest(const Matrix& Z, Index row) {
  Vector square = (Z.rowwise() - Z.row(row)).rowwise().squaredNorm();
  square[row] = std::numeric_limits<double>::infinity();
  return square.minCoeff();
}

}  // namespace

bool is_below_spacing(const Matrix& X, const std::vector<FittedParameter>& length_scales) {
  const Matrix Z = scaled_inputs(X, length_scales);
  if (Z.cols() == 0 || Z.rows() < 3) return false;
  const Index n = Z.rows(), count = std::clamp<Index>(20'000'000 / n, 20, 200);
  std::vector<double> distances;
  for (Index i = 0; i < n; i += std::max<Index>(1, n / count))
    distances.push_back(squared_distance_to_nearest(Z, i));
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle >= kUnseen;
}

}  // namespace ggpm::internal
