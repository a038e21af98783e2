#include "likelihood/families/student_t.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include "likelihood/censored.hpp"
#include "likelihood/families/student_t_noise.hpp"
#include "likelihood/read_out.hpp"

namespace ggpm::internal {

using numeric::Jet1;
using numeric::Jet2;
using numeric::Jet3;
using numeric::Jet31;
using T = boost::math::students_t_distribution<double, families::Quiet>;

constexpr double kFarOut = 1e12;  // in units of the scale: t^2 is df + t^2 to the last digit

StudentT::StudentT(double phi, double df, bool learn_df) {
  dispersions_ = learn_df ? 2 : 1;
  set(phi, df);
}
void StudentT::set(double phi, double df) {
  phi_ = phi;
  df_ = df;
  peak_ = families::log_t_density(0.0, phi_, df_);
}

std::vector<Parameter> StudentT::parameters() const {
  std::vector<Parameter> out = {dispersion_parameter(phi_)};
  if (dispersions_ == 2)
    out.push_back({.name = "df", .value = df_, .lower = 0.5, .upper = 1e4, .role = Role::tail});
  return out;
}

std::string StudentT::settings() const {
  return dispersions_ == 2 ? "" : fmt::format("{} degrees of freedom", df_);
}

void StudentT::set_parameters(std::span<const double> values) {
  set(values[0], dispersions_ == 2 ? values[1] : df_);
}

namespace {

Jet1 variable(double x) { return numeric::ad::make_fvar<double, 1>(x); }

// log p of a row, or of what is known of it; `learns_df`: df is a variable.
template <class Real>
Real log_p(const Real& eta, const Real& phi, const Real& df, const Row& row, bool learns_df) {
  if (!row.is_censored()) return families::log_t_density(Real(eta - row.y), phi, df);
  return log_censored(families::TNoise<Real>(df, learns_df), row, false, phi, [&](double y) {
    return Real((y - eta) / phi);
  });
}

}  // namespace

LogDensity StudentT::point(const Row& row, double eta, Derivatives wanted) const {
  LogDensity out;
  if (wanted == Derivatives::value) {
    out.value = log_p(eta, phi_, df_, row, false);
  } else if (wanted == Derivatives::second) {
    const Jet2 e = numeric::ad::make_fvar<double, 2>(eta);
    read_out(log_p(e, Jet2(phi_), Jet2(df_), row, false), out);
  } else if (wanted == Derivatives::third) {
    const Jet3 e = numeric::ad::make_fvar<double, 3>(eta);
    read_out(log_p(e, Jet3(phi_), Jet3(df_), row, false), out);
  } else {
    for (std::size_t k = 0; k < static_cast<std::size_t>(dispersions_); ++k) {
      const auto [e, p] = numeric::ad::make_ftuple<double, 3, 1>(eta, k == 0 ? phi_ : df_);
      read_out(k == 0 ? log_p(Jet31(e), Jet31(p), Jet31(df_), row, false)
                      : log_p(Jet31(e), Jet31(phi_), Jet31(p), row, true),
               k,
               out);
    }
  }
  return out;
}

void StudentT::plain_at(const Row& row,
                        std::span<const double> eta,
                        Derivatives wanted,
                        std::span<LogDensity> out) const {
  if (wanted == Derivatives::second && !row.is_censored()) {
    const double width = df_ * phi_ * phi_;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const double d = eta[i] - row.y;
      const double total = width + d * d;
      out[i].value = peak_ - (df_ + 1) / 2 * std::log1p(d * d / width);
      out[i].d1 = -(df_ + 1) * d / total;
      out[i].d2 = -(df_ + 1) * (width - d * d) / (total * total);
    }
    return;
  }
  for (std::size_t i = 0; i < eta.size(); ++i) out[i] = point(row, eta[i], wanted);
}

void StudentT::censored_values(const Row& row,
                               std::span<const double> eta,
                               double* value,
                               PhiArray* dphi) const {
  for (std::size_t i = 0; i < eta.size(); ++i) {
    value[i] = log_p(eta[i], phi_, df_, row, false);
    if (dphi == nullptr) continue;
    const Jet1 e(eta[i]);
    dphi[i][0] = numeric::derivative(log_p(e, variable(phi_), Jet1(df_), row, false), 1);
    if (dispersions_ == 2)
      dphi[i][1] = numeric::derivative(log_p(e, Jet1(phi_), variable(df_), row, true), 1);
  }
}

void StudentT::plain_values(const Row& row,
                            std::span<const double> eta,
                            double* value,
                            PhiArray* dphi) const {
  if (row.is_censored()) return censored_values(row, eta, value, dphi);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double z = (eta[i] - row.y) / phi_;
    value[i] = peak_ - (df_ + 1) / 2 * std::log1p(z * z / df_);
    if (dphi == nullptr) continue;
    // d/dphi: (-1 + (df+1) z^2/(df + z^2))/phi
    dphi[i][0] = (-1 + (df_ + 1) * z * z / (df_ + z * z)) / phi_;
    if (dispersions_ == 2) {
      dphi[i][1] =
          numeric::derivative(log_p(Jet1(eta[i]), Jet1(phi_), variable(df_), row, true), 1);
    }
  }
}

double StudentT::fisher_information(const Row&, double) const {
  return (df_ + 1) / ((df_ + 3) * phi_ * phi_);
}
double StudentT::mean(const Row&, double eta) const {
  return df_ > 1 ? eta : std::numeric_limits<double>::quiet_NaN();
}
double StudentT::variance(const Row&, double) const {
  return df_ > 2 ? phi_ * phi_ * df_ / (df_ - 2) : std::numeric_limits<double>::quiet_NaN();
}
double StudentT::cdf(const Row&, double eta, double y) const {
  const double t = (y - eta) / phi_;
  if (!(std::abs(t) > kFarOut * std::max(1.0, std::sqrt(df_)))) return boost::math::cdf(T(df_), t);
  // Boost squares t. So far out the tail is a power: df^((df-1)/2) |t|^-df times the density at 0.
  const double log_tail =
      peak_ + std::log(phi_) + (df_ - 1) / 2 * std::log(df_) - df_ * std::log(std::abs(t));
  return t < 0 ? std::exp(log_tail) : -std::expm1(log_tail);
}
double StudentT::quantile(const Row&, double eta, double p) const {
  return eta + phi_ * boost::math::quantile(T(df_), p);
}

}  // namespace ggpm::internal
