// The likelihood p(y | theta(eta), phi): what every inference method asks of it.
//
// A likelihood is a family (src/likelihood/families/) combined with a link; both are a few
// formulas, everything in this header is derived from them. All batch calls are vectorised over
// rows and allocate nothing per row.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ggpm/domain.hpp"
#include "ggpm/observations.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// d/dphi of each dispersion parameter: of phi itself, not of its logarithm. There may be any number
// of them (steps of a warp, cut points); two, which is what most have, need no memory of their own.
class PhiArray {
 public:
  static constexpr std::size_t kInside = 2;

  PhiArray() = default;
  explicit PhiArray(std::size_t size) { resize(size); }
  PhiArray(std::initializer_list<double> first) {  // NOLINT(google-explicit-constructor)
    std::copy(first.begin(), first.end(), inside_.begin());
  }
  PhiArray(const PhiArray& other) : inside_(other.inside_) { copy_more(other); }
  PhiArray& operator=(const PhiArray& other) {
    inside_ = other.inside_;
    if (this != &other && (more_ || other.more_)) copy_more(other);
    return *this;
  }
  PhiArray(PhiArray&&) noexcept = default;
  PhiArray& operator=(PhiArray&&) noexcept = default;
  ~PhiArray() = default;

  void resize(std::size_t size) {  // zeros; the first two are always there
    inside_ = {};
    more_size_ = size > kInside ? size - kInside : 0;
    more_ = more_size_ > 0 ? std::make_unique<double[]>(more_size_) : nullptr;
  }
  double& operator[](std::size_t k) { return k < kInside ? inside_[k] : more_[k - kInside]; }
  double operator[](std::size_t k) const { return k < kInside ? inside_[k] : more_[k - kInside]; }
  PhiArray& operator*=(double factor) {
    for (double& value : inside_) value *= factor;
    for (std::size_t k = 0; k < more_size_; ++k) more_[k] *= factor;
    return *this;
  }

 private:
  void copy_more(const PhiArray& other) {
    more_size_ = other.more_size_;
    more_ = more_size_ > 0 ? std::make_unique<double[]>(more_size_) : nullptr;
    std::copy_n(other.more_.get(), more_size_, more_.get());
  }

  std::array<double, kInside> inside_{};
  std::unique_ptr<double[]> more_;
  std::size_t more_size_ = 0;
};

// log p(y | eta), times the weight of the row, and its derivatives in eta and phi. Of a censored row
// it is the logarithm of a probability: of outputs beyond y, or between y and the upper end.
struct LogDensity {
  double value = 0, d1 = 0, d2 = 0, d3 = 0;
  PhiArray dphi{}, d1_dphi{}, d2_dphi{};
};

// EP: the tilted distribution p(y | eta) N(eta | mean, variance).      (errata 1.8)
struct Tilted {
  double log_z = 0;
  double d1 = 0;  // d log_z / d cavity mean
  double d2 = 0;  // d^2 log_z / d cavity mean^2
  double mean = 0, variance = 0;
  PhiArray dphi{};  // tilted expectation of d log p / d phi
};

// KLD: expectations under N(eta | mean, variance).
struct Expected {
  double value = 0, d1 = 0, d2 = 0;  // E l, E l', E l''
  PhiArray dphi{};                   // E dl/dphi
};

// Taylor: the expansion point and everything at it.                    (errata 2.1)
struct Expansion {
  double eta = 0;
  PhiArray deta_dphi{};  // how the point moves with phi
  LogDensity at;
};

enum class ExpansionPoint { automatic, exact, canonical, agnostic };

struct ExpansionOptions {
  ExpansionPoint point = ExpansionPoint::automatic;  // agnostic for binomial/bernoulli, else exact
  double offset = -1;  // c added to counts; negative: 0.5 if any count is 0, otherwise 0
};

// How much of LogDensity is wanted; each level includes the ones before.
enum class Derivatives { value, second, third, dispersion };
// Whether Tilted and Expected are to have their dphi: at twice the cost, for a gradient only.
enum class Dphi { skip, wanted };

// The distribution of a new y under a Gaussian latent N(mean, variance). For one thread: what was asked is remembered.
class Predictive {
 public:
  virtual ~Predictive() = default;
  virtual double mean() const = 0;      // NaN where it does not exist (student-t, df <= 1)
  virtual double variance() const = 0;  // NaN where it does not exist
  virtual double mode() const = 0;  // highest interior maximum; NaN if there is none (errata 2.12)
  virtual double log_density(double y) const = 0;
  virtual double cdf(double y) const = 0;
  virtual double quantile(double p) const = 0;
  virtual double sample(std::mt19937_64& random) const = 0;
};

class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual std::unique_ptr<Likelihood> clone() const = 0;

  virtual std::string name() const = 0;
  virtual std::string link() const = 0;
  virtual Domain domain() const = 0;
  virtual bool log_concave() const = 0;     // in eta, for every y and phi (errata 5)
  virtual bool differentiable() const = 0;  // false for laplace: no Taylor, no Laplace inference
  virtual bool exposure_shifts_eta() const = 0;  // log link: exposure is the offset log(exposure)
  // log p is Gaussian in eta, with variance phi: y, or f(y) of a warp, is eta plus Gaussian noise.
  // The posterior is Gaussian itself, and inference exact.
  virtual bool is_exact_regression() const { return false; }
  // Of ordered levels 1, 2, ...: how many there are; 0 for other outputs.
  virtual int levels() const { return 0; }
  // Rows may be censored.
  virtual bool takes_censored() const { return false; }
  // A log density costs a sum or an integral, so that EP and KLD take many times as long.
  virtual bool costly() const { return false; }
  // What name and link leave open, for a person: "4 degrees of freedom". Empty: nothing.
  virtual std::string settings() const { return {}; }
  // Beyond this dispersion, outputs like this one tell no dispersion from another.
  virtual double largest_dispersion(const Row& /*typical*/) const {
    return std::numeric_limits<double>::infinity();
  }
  // What it is called, for a person: {"likelihood", "gaussian"}, {"link", "identity"}, and the last
  // says what stands between the latent function and y: the link, or {"warp", "log"}.
  virtual std::vector<std::pair<std::string, std::string>> labels() const;

  // Numbers that depend on the outputs and are not learned, e.g. the unit of a warp. They are found
  // once, before a fit, and stored with the model.
  virtual void adapt_to(std::span<const Row> /*rows*/) {}
  virtual std::vector<double> constants() const { return {}; }
  virtual void set_constants(std::span<const double> /*values*/) {}

  // Dispersion parameters in learning order: none, {phi}, {phi, df}, ...; phi comes first.
  virtual std::vector<Parameter> parameters() const = 0;
  virtual void set_parameters(std::span<const double> values) = 0;

  // Throws DataError for the first row that is outside the domain, e.g.
  // "row 17: y = -2; poisson needs whole numbers >= 0", or whose weight or censoring it cannot take.
  // Row numbers count from 1.
  virtual void check(std::span<const Row> rows) const = 0;

  virtual void log_density(std::span<const Row> rows,
                           std::span<const double> eta,
                           Derivatives wanted,
                           std::span<LogDensity> out) const = 0;
  virtual void tilted(std::span<const Row> rows,
                      std::span<const double> mean,
                      std::span<const double> variance,
                      std::span<Tilted> out,
                      Dphi wanted) const = 0;
  virtual void expected(std::span<const Row> rows,
                        std::span<const double> mean,
                        std::span<const double> variance,
                        std::span<Expected> out,
                        Dphi wanted) const = 0;
  virtual void expand(std::span<const Row> rows,
                      const ExpansionOptions& options,
                      std::span<Expansion> out) const = 0;

  // E[-l''] over y given eta: the curvature that is never negative.
  virtual double fisher_information(const Row& row, double eta) const = 0;

  // Of y given eta (the row's own y is not looked at).
  virtual double mean(const Row& row, double eta) const = 0;
  virtual double variance(const Row& row, double eta) const = 0;
  virtual double mode(const Row& row, double eta) const = 0;
  // One y for a picture: the mean, or the median where there is no mean (student-t) or where it is
  // the median that follows the latent (a warp).
  virtual double typical(const Row& row, double eta) const;
  virtual double cdf(const Row& row, double eta, double y) const = 0;
  virtual double quantile(const Row& row, double eta, double p) const = 0;
  virtual double sample(const Row& row, double eta, std::mt19937_64& random) const = 0;

  // The predictive distribution of a new row; the row's y is not looked at. The likelihood must
  // outlive the result.
  virtual std::unique_ptr<Predictive> predictive(const Row& row,
                                                 double latent_mean,
                                                 double latent_variance) const = 0;
};

// The posterior of such rows is Gaussian itself.
bool is_exact_regression(const Likelihood& likelihood, const Observations& observed);

// A dispersion parameter by its name: "dispersion", "zero", "power".
struct NamedValue {
  std::string name;
  double value = 1;
  bool fixed = false;  // held; otherwise learning starts here
};

struct LikelihoodOptions {
  double dispersion = -1;  // negative: the family's default
  double df = 4;           // student-t
  bool learn_df = false;
  std::vector<NamedValue> parameters = {};  // the others, and the first under its own name
};

// "poisson", "linear-poisson" (alias), ...; an empty link is the paper's. Throws UsageError that
// lists what there is.
std::unique_ptr<Likelihood> make_likelihood(std::string_view name,
                                            std::string_view link = {},
                                            const LikelihoodOptions& options = {});

// The GP on f(y) for f = "log" (y > 0), "logit" or "arctanh" (0 < y < 1), "tanh:3" (a sum of three
// learned steps): densities are those of y, with the Jacobian. UsageError unless `gaussian` is an
// exact regression.
std::unique_ptr<Likelihood> make_warped(const Likelihood& gaussian, std::string_view warp);

// How much counts can scatter beside those of a Poisson distribution with the same mean.
enum class Scatter { of_mean, more, any };

struct LikelihoodInfo {
  std::string name;
  std::vector<std::string> links;  // the first is the default
  Domain domain;
  Scatter scatter;         // of counts
  std::string dispersion;  // meaning of phi, empty if none
  std::string formula;     // log p(y | theta) for a person
};
std::vector<LikelihoodInfo> likelihood_table();
// One name for a family with a link, "linear-poisson", where there is one; otherwise the family's.
std::string likelihood_name(std::string_view family, std::string_view link);

// Names that say their link: "linear-poisson" is poisson with the link linear.
struct LikelihoodAlias {
  std::string name, family, link;
};
std::vector<LikelihoodAlias> likelihood_aliases();

// A likelihood for outputs of a kind.
struct LikelihoodChoice {
  std::string name, link;  // for make_likelihood; an empty link is the default of the name
  bool automatic = true;   // tried by `auto` too; the others only where there is time to compare
};
// What there is for such outputs, the simplest first. Every family of the domain is among them.
std::vector<LikelihoodChoice> likelihood_choices(Domain domain);
// The names of those that `auto` tries.
std::vector<std::string> families_of(Domain domain);

}  // namespace ggpm
