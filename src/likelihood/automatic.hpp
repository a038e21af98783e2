// log p of a family that gives its formulas alone: every derivative by automatic differentiation.
#pragma once

#include "likelihood/coordinate.hpp"
#include "likelihood/read_out.hpp"

namespace ggpm::internal {

template <class Family, class Link>
class Automatic {
  static constexpr std::size_t kCount = families::kDispersions<Family>;

 public:
  explicit Automatic(std::span<const double> phi) {
    for (std::size_t k = 0; k < kCount; ++k) phi_[k] = phi[k];
  }

  class AtRow {
   public:
    AtRow(const Automatic& of, const Row& row) : phi_(of.phi_), row_(row) {}

    // dphi may be null.
    double value(double eta, PhiArray* dphi) const {
      if (dphi != nullptr)
        for (std::size_t k = 0; k < kCount; ++k)
          (*dphi)[k] = numeric::derivative(
              density(numeric::Jet1(eta), varied<numeric::Jet1>(k, variable(phi_[k]))), 1);
      return density(eta, varied<double>(kCount, 0));
    }
    void derivatives(double eta, Derivatives wanted, LogDensity& out) const {
      out = {};
      if constexpr (kCount > PhiArray::kInside)
        for (PhiArray* part : {&out.dphi, &out.d1_dphi, &out.d2_dphi}) part->resize(kCount);
      if (wanted == Derivatives::value) {
        out.value = value(eta, nullptr);
      } else if (wanted == Derivatives::second) {
        in_eta(numeric::Jet2(numeric::ad::make_fvar<double, 2>(eta)), out);
      } else if (wanted == Derivatives::third || kCount == 0) {
        in_eta(numeric::Jet3(numeric::ad::make_fvar<double, 3>(eta)), out);
      } else {
        for (std::size_t k = 0; k < kCount; ++k) {
          using numeric::Jet31;
          const auto [e, p] = numeric::ad::make_ftuple<double, 3, 1>(eta, phi_[k]);
          read_out(density(Jet31(e), varied<Jet31>(k, Jet31(p))), k, out);
        }
      }
    }

   private:
    template <class Real>
    Real density(const Real& eta, const families::Phi<Family, Real>& phi) const {
      return log_density_of<Family, Link, Real>(eta, phi, row_);
    }
    template <class Jet>
    void in_eta(const Jet& eta, LogDensity& out) const {
      read_out(density(eta, varied<Jet>(kCount, Jet(0.0))), out);
    }
    static numeric::Jet1 variable(double x) { return numeric::ad::make_fvar<double, 1>(x); }
    // All parameters as constants, but for number k.
    template <class Real>
    families::Phi<Family, Real> varied(std::size_t k, const Real& variable) const {
      if constexpr (kCount > 1) {
        families::Phi<Family, Real> out;
        for (std::size_t i = 0; i < kCount; ++i) out[i] = i == k ? variable : Real(phi_[i]);
        return out;
      } else {
        return k == 0 && kCount == 1 ? variable : Real(phi_[0]);
      }
    }

    const std::array<double, std::max<std::size_t>(kCount, 1)>& phi_;
    const Row& row_;
  };

 private:
  std::array<double, std::max<std::size_t>(kCount, 1)> phi_{1};
};

}  // namespace ggpm::internal
