#include "kernel/tiles/distance.hpp"

#include "kernel/tiles/simd.hpp"

namespace ggpm::internal::kern {
namespace {

// The differences of a block: rows in registers, columns one by one.
struct Differences {
  const double* x;      // the first row of the block; inputs are `stride` apart
  const double* z;      // (inputs, columns)
  const double* scale;  // (inputs)
  Index stride, rows, cols, inputs;

  template <bool kWhole, class Real>
  [[gnu::always_inline]] void load_rows(Index i, Index d, Real& out) const {
    simd::load<kWhole>(out, x + d * stride + i, rows - i);
  }
  // Differences first, then the scale: inputs with a large common offset lose nothing.
  template <class Real>
  [[gnu::always_inline]] void scaled(const Real& xd, Index j, Index d, Real& out) const {
    out = (xd - z[j * inputs + d]) * scale[d];
  }
};

constexpr int kTogether = 4;  // columns at once, to hide the latency of sums

struct Squares {
  Differences of;
  double* r2;  // (rows, cols)

  template <int kBytes, bool kWhole, int kColumns>
  [[gnu::always_inline]] void columns(Index i, Index j) const {
    using Real = simd::Reals<kBytes>;
    Real sum[kColumns] = {}, x, difference;
    for (Index d = 0; d < of.inputs; ++d) {
      of.load_rows<kWhole>(i, d, x);
#pragma GCC unroll kTogether
      for (int c = 0; c < kColumns; ++c) {
        of.scaled(x, j + c, d, difference);
        sum[c] += difference * difference;
      }
    }
#pragma GCC unroll kTogether
    for (int c = 0; c < kColumns; ++c)
      simd::store<kWhole>(sum[c], r2 + (j + c) * of.rows + i, of.rows - i);
  }

  template <int kBytes, bool kWhole>
  [[gnu::always_inline]] void rows(Index i) const {
    Index j = 0;
    for (; j + kTogether <= of.cols; j += kTogether) columns<kBytes, kWhole, kTogether>(i, j);
    for (; j < of.cols; ++j) columns<kBytes, kWhole, 1>(i, j);
  }

  template <int kBytes>
  [[gnu::always_inline]] void run() const {
    Index i = 0;
    for (; i + simd::kLanes<kBytes> <= of.rows; i += simd::kLanes<kBytes>) rows<kBytes, true>(i);
    if (i < of.rows) rows<kBytes, false>(i);
  }
};

struct WeightedSquares {
  Differences of;
  const double* G;  // (rows, cols)
  double* S;        // (inputs)

  template <bool kWhole, class Real>
  [[gnu::always_inline]] void rows(Index i, Index d, Real* sums) const {
    Real x, g, difference;
    of.load_rows<kWhole>(i, d, x);
    const auto add = [&](Index j, Real & sum) __attribute__((always_inline)) {
      simd::load<kWhole>(g, G + j * of.rows + i, of.rows - i);
      of.scaled(x, j, d, difference);
      sum += g * difference * difference;
    };
    Index j = 0;
    for (; j + kTogether <= of.cols; j += kTogether)
#pragma GCC unroll kTogether
      for (int c = 0; c < kTogether; ++c) add(j + c, sums[c]);
    for (; j < of.cols; ++j) add(j, sums[0]);
  }

  template <int kBytes>
  [[gnu::always_inline]] void run() const {
    for (Index d = 0; d < of.inputs; ++d) {
      simd::Reals<kBytes> sums[kTogether] = {};
      Index i = 0;
      for (; i + simd::kLanes<kBytes> <= of.rows; i += simd::kLanes<kBytes>) rows<true>(i, d, sums);
      if (i < of.rows) rows<false>(i, d, sums);
      for (const auto& sum : sums)
        for (Index lane = 0; lane < simd::kLanes<kBytes>; ++lane) S[d] += sum[lane];
    }
  }
};

class DirectDistance final : public Distance {
 public:
  DirectDistance(const Inputs& inputs, Vector scale)
      : X_(inputs.X), Z_(inputs.Z.transpose()), scale_(std::move(scale)) {}

  void squared(const Block& block, Tile& r2) override {
    block_ = block;
    r2.reshape(block);
    simd::run(Squares{differences(), r2.data()});
  }

  void pull_back(Tile& G, Vector& S) override {
    simd::run(WeightedSquares{differences(), G.data(), S.data()});
  }

 private:
  Differences differences() const {
    return {.x = X_.data() + block_.row,
            .z = Z_.data() + block_.col * Z_.rows(),
            .scale = scale_.data(),
            .stride = X_.rows(),
            .rows = block_.rows,
            .cols = block_.cols,
            .inputs = X_.cols()};
  }

  const Matrix X_, Z_;  // (n, d), (d, m)
  const Vector scale_;  // (d)
  Block block_{};
};

}  // namespace

Vector capped_scale(const Inputs& inputs, const Vector& scale) {
  constexpr double kLargestScaled = 1e100;
  Vector out = scale.size() == 1 ? Vector::Constant(inputs.X.cols(), scale(0)) : scale;
  for (Index d = 0; d < out.size(); ++d) {
    double largest = 0;
    if (inputs.X.rows() > 0) largest = inputs.X.col(d).cwiseAbs().maxCoeff();
    if (inputs.Z.rows() > 0) largest = std::max(largest, inputs.Z.col(d).cwiseAbs().maxCoeff());
    if (largest * out(d) > kLargestScaled) out(d) = kLargestScaled / largest;
  }
  return out;
}

// Up to so many inputs, differences one by one are as fast as a matrix product, and their bits do
// not depend on how rows are grouped into tiles.
std::unique_ptr<Distance> make_distance(const Inputs& inputs, const Vector& scale) {
  constexpr Index kFewInputs = 12;
  return inputs.X.cols() <= kFewInputs ? make_direct_distance(inputs, scale)
                                       : make_product_distance(inputs, scale);
}

std::unique_ptr<Distance> make_direct_distance(const Inputs& inputs, const Vector& scale) {
  return std::make_unique<DirectDistance>(inputs, capped_scale(inputs, scale));
}

}  // namespace ggpm::internal::kern
