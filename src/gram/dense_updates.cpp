// One site at a time with the covariance as one matrix: n^2 an update, by vectors, and n^2 of
// memory that no other question needs.
#include <cmath>

#include "gram/dense.hpp"

namespace ggpm::internal {
namespace {

class DenseUpdates final : public SiteUpdates {
 public:
  DenseUpdates(const Gram& gram, Vector mean) : mean_(std::move(mean)) {
    const Index n = mean_.size();
    covariance_.resize(n, n);
    Vector image;
    for (Index i = 0; i < n; ++i) {
      column_ = Vector::Unit(n, i);
      gram.shrink(column_);
      gram.multiply(column_, image);
      covariance_.col(i) = image;
    }
  }

  double mean(Index i) const override { return mean_[i]; }
  double variance(Index i) const override { return covariance_(i, i); }

  bool add(Index i, double precision, double shift) override {
    const double growth = 1 + precision * covariance_(i, i);
    if (!(growth > 0 && std::isfinite(growth) && std::isfinite(shift))) return false;
    column_ = covariance_.col(i);
    mean_ += column_ * ((shift - precision * mean_[i]) / growth);
    covariance_.noalias() -= (precision / growth) * column_ * column_.transpose();
    return true;
  }

 private:
  Vector mean_, column_;
  Matrix covariance_;
};

}  // namespace

std::unique_ptr<SiteUpdates> DenseGram::one_by_one(const Sites&, const Conditioned& q) {
  return std::make_unique<DenseUpdates>(*this, q.mean);
}

}  // namespace ggpm::internal
