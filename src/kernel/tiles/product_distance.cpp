// Distances by a matrix product: |u - v|^2 = |u|^2 + |v|^2 - 2 u.v, with u, v scaled and centered.
//
// The difference cancels for rows that are close together compared with their distance from the
// center. Such near pairs, among them every pair of identical rows, are recomputed from differences
// of the inputs; they are kept in a list, since the pull-back must spare them too.
#include "kernel/tiles/distance.hpp"
#include "kernel/tiles/multiply.hpp"

namespace ggpm::internal::kern {
namespace {

// Rounding is about 1e-16 (|u|^2 + |v|^2); beyond this fraction of it r2 has 1e-13 relative.
constexpr double kNear = 1e-2;

// Points as columns: one point is contiguous for the near pairs, and the product packs it anyway.
struct Points {
  Matrix raw;      // (d, n)
  Matrix scaled;   // (d, n) s_d (x_id - center_d)
  Vector squares;  // (n) |scaled|^2

  Points() = default;
  Points(const Matrix& X, const Vector& center, const Vector& scale) : raw(X.transpose()) {
    scaled = scale.asDiagonal() * (raw.colwise() - center);
    squares = scaled.colwise().squaredNorm();
  }
};

class ProductDistance final : public Distance {
  struct Pair {
    Index i, j;  // within the block
  };

  const Points& z() const { return shared_ ? x_ : z_; }

  auto squared_differences(Index i, Index j) const {
    return ((x_.raw.col(block_.row + i) - z().raw.col(block_.col + j)).array() * scale_.array())
        .square();
  }

 public:
  ProductDistance(const Inputs& inputs, Vector scale)
      : shared_(&inputs.Z == &inputs.X), scale_(std::move(scale)) {
    const Vector center = inputs.X.rows() > 0 ? Vector(inputs.X.colwise().mean())
                                              : Vector(Vector::Zero(inputs.X.cols()));
    x_ = Points(inputs.X, center, scale_);
    if (!shared_) z_ = Points(inputs.Z, center, scale_);
  }

  void squared(const Block& block, Tile& r2) override {
    block_ = block;
    near_.clear();
    r2.reshape(block);
    const auto u = x_.scaled.middleCols(block.row, block.rows);   // (d, rows)
    const auto v = z().scaled.middleCols(block.col, block.cols);  // (d, cols)
    multiply(-2, u, Op::transposed, v, Op::plain, r2.matrix());
    for (Index j = 0; j < block.cols; ++j) {
      auto column = r2.array().col(j);
      sums_ = x_.squares.segment(block.row, block.rows).array() + z().squares(block.col + j);
      column += sums_;
      if ((column - kNear * sums_).minCoeff() > 0) continue;
      for (Index i = 0; i < block.rows; ++i) {
        if (column(i) > kNear * sums_(i)) continue;
        column(i) = squared_differences(i, j).sum();
        near_.push_back({i, j});
      }
    }
  }

  // sum_ij G_ij (u_id - v_jd)^2 = sum_i g_i u_id^2 + sum_j h_j v_jd^2 - 2 sum_i u_id (G V)_id with
  // the row sums g and column sums h of G, which holds only far pairs by then.
  void pull_back(Tile& G, Vector& S) override {
    for (const Pair& pair : near_) {
      S.array() += G.array()(pair.i, pair.j) * squared_differences(pair.i, pair.j);
      G.array()(pair.i, pair.j) = 0;
    }
    const auto u = x_.scaled.middleCols(block_.row, block_.rows);   // (d, rows)
    const auto v = z().scaled.middleCols(block_.col, block_.cols);  // (d, cols)
    product_.reshape(scale_.size(), block_.rows);
    multiply(1, v, Op::plain, G.matrix(), Op::transposed, product_.matrix());
    S += u.cwiseAbs2() * G.array().rowwise().sum().matrix();
    S += v.cwiseAbs2() * G.array().colwise().sum().matrix().transpose();
    S -= 2 * u.cwiseProduct(product_.matrix()).rowwise().sum();
  }

 private:
  const bool shared_;  // Z is X
  const Vector scale_;
  Points x_, z_;
  Block block_{};
  std::vector<Pair> near_;
  Eigen::ArrayXd sums_;  // (rows) |u|^2 + |v|^2
  Tile product_;         // (d, rows)
};

}  // namespace

std::unique_ptr<Distance> make_product_distance(const Inputs& inputs, const Vector& scale) {
  return std::make_unique<ProductDistance>(inputs, capped_scale(inputs, scale));
}

}  // namespace ggpm::internal::kern
