// Counts, trials and binary y: sums outwards from the mode. Sums of very many terms are integrals by the
// Euler-Maclaurin formula, so that a mean of a million costs no more than one of a hundred.

#include <algorithm>

#include "likelihood/outcome/outcome.hpp"
#include "numeric/constants.hpp"
#include "numeric/integrate.hpp"

namespace ggpm::internal::outcomes {
namespace {

constexpr double kMostTerms = 1500;  // that are added one by one
constexpr double kFirstTerms = 64;   // added one by one near 0, where a term may change quickly
constexpr double kLargest = 0x1p52;  // counts up to twice this are doubles

class Discrete final : public Outcome {
 public:
  Discrete(double largest, const DensityOfY& density)
      : density_(density), largest_(std::min(largest, kLargest)) {
    find_mode();
    low_ = find_end(-1, 0);
    high_ = find_end(1, 0);
    truncated_ = std::isinf(high_);
    high_ = std::min(high_, largest_);
  }

  double total() const override { return probability(low_, high_); }
  double mean() const override {
    const auto m = moments(1);
    return mode_ + m[1] / m[0];
  }
  double variance() const override {
    const auto m = moments(2);
    const double d = m[1] / m[0];
    return m[2] / m[0] - d * d;
  }
  double mode() const override { return std::isfinite(top_) ? mode_ : kNaN; }
  double cdf(double y) const override {
    const double k = std::floor(y);
    if (!std::isfinite(top_)) return kNaN;
    if (k < low_) return 0;
    if (k >= high_) return 1;
    return std::clamp(
        k < mode_ || truncated_ ? probability(low_, k) : 1 - probability(k + 1, high_), 0.0, 1.0);
  }
  double quantile(double p) const override {
    double below = low_ - 1;
    double reached = high_;
    while (reached - below > 1) {
      const double middle = std::floor(below + (reached - below) / 2);
      (cdf(middle) >= p ? reached : below) = middle;
    }
    return reached;
  }
  double average(const std::function<double(double)>& f) const override {
    if (!std::isfinite(top_) || truncated_) return kNaN;
    double sum = 0;
    const double step = std::max(1.0, std::floor((high_ - low_) / kMostTerms));
    for (double k = 0; k <= high_ - low_; k += step) {
      const double y = low_ + k;
      sum += step * std::exp(height(y)) * f(y);
    }
    return sum;
  }

 private:
  double height(double y) const {
    const double value = density_(y);
    return std::isnan(value) ? -kInfinity : value;
  }

  // 0, 1, 2, 3, 4, 6, 8, 12, 16, ... and then between the neighbors of the highest.
  void find_mode() {
    top_ = height(0);
    double left = 0, right = 1;
    double before = top_;
    double previous = 0;
    bool rising = false;  // the last of the sequence was the highest
    for (double y = 1; y <= largest_;) {
      const double here = height(y);
      if (rising) right = y;
      rising = here > top_;
      if (rising) {
        top_ = here;
        mode_ = y;
        left = previous;
        right = y;
      } else if (here < before && here < top_ - kHopeless) {
        break;
      }
      before = here;
      previous = y;
      const double power = std::exp2(std::floor(std::log2(y)));
      y += std::max(1.0, power / 2);
    }
    if (rising) {  // up to the last one
      right = largest_;
      if (height(largest_) > top_) {
        top_ = height(largest_);
        mode_ = largest_;
      }
    }
    while (right - left > 1) {
      const double middle = std::floor(left + (right - left) / 2);
      const double at = height(middle);
      const double next = height(middle + 1);
      if (std::max(at, next) > top_) {
        top_ = std::max(at, next);
        mode_ = at >= next ? middle : middle + 1;
      }
      (next > at ? left : right) = middle;
    }
  }

  // The last count whose term, times |y - mode|^order, matters; infinite if they never die out.
  double find_end(double direction, int order) const {
    if (!std::isfinite(top_)) return mode_;
    const double bound = direction < 0 ? 0 : largest_;
    const auto matters = [&](double step, double most) {
      return height(mode_ + direction * step) + order * std::log1p(step) >= most - kDrop;
    };
    double most = top_;
    double inside = 0;
    double step = 1;
    while (direction * (bound - mode_) > step && matters(step, most)) {
      most = std::max(most, height(mode_ + direction * step) + order * std::log1p(step));
      inside = step;
      step = std::ceil(step * 1.5);
    }
    if (direction * (bound - mode_) <= step) {
      const double last = direction * (bound - mode_);
      if (bound == kLargest && matters(last, most)) return kInfinity;
      step = last;
    }
    while (step - inside > 1 + 0.1 * step) {
      const double middle = std::floor((inside + step) / 2);
      (matters(middle, most) ? inside : step) = middle;
    }
    return mode_ + direction * step;
  }

  // Sums of p, p d, p d^2 over whole numbers, in units of the largest term; d = y - mode.
  std::array<double, 3> terms(double y) const {
    const double w = std::exp(height(y) - top_);
    if (!(w > 0)) return {};
    const double d = y - mode_;
    return {w, w * d, w * d * d};
  }
  std::array<double, 3> sum(double from, double to) const {
    std::array<double, 3> out{};
    const auto add = [&out](const std::array<double, 3>& x, double factor) {
      for (std::size_t k = 0; k < 3; ++k) out[k] += factor * x[k];
    };
    if (!std::isfinite(top_)) return {kNaN, kNaN, kNaN};
    const bool all = to - from < kMostTerms;
    const double exact = all ? to : std::max(from, kFirstTerms) - 1;
    for (double k = 0; k <= exact - from; ++k) add(terms(from + k), 1);
    if (all) return out;
    // sum f(k) = integral of f from half before to half behind - (f'(end) - f'(start))/24 + ...
    const double start = exact + 0.5;
    const double end = to + 0.5;
    add(integral(start, end), 1);
    const auto correct = [&](double edge, double factor) {
      add(terms(edge + 0.5), factor);
      add(terms(edge - 0.5), -factor);
    };
    correct(end, -1.0 / 24);
    correct(start, 1.0 / 24);
    return out;
  }
  std::array<double, 3> integral(double start, double end) const {
    const auto f = [&](std::span<const double> u, numeric::Values<3>& out) {
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double y = std::exp(u[i]);
        out[i] = terms(y);
        for (double& x : out[i]) x *= y;
      }
    };
    std::array<double, 7> points{};
    std::size_t count = 0;
    points[count++] = std::log(start);
    const double width = (high_ - low_) / 16;
    for (const double k : {-4.0, -1.0, 0.0, 1.0, 4.0}) {
      const double point = mode_ + k * width;
      if (point > start && point < end) points[count++] = std::log(point);
    }
    points[count++] = std::log(end);
    return numeric::adaptive<3>(f, std::span<const double>(points.data(), count), kAccuracy).value;
  }

  double probability(double from, double to) const { return std::exp(top_) * sum(from, to)[0]; }
  std::array<double, 3> moments(int order) const {
    const double low = find_end(-1, order);
    const double high = find_end(1, order);
    if (!std::isfinite(high)) return {kNaN, kNaN, kNaN};
    return sum(low, high);
  }

  const DensityOfY& density_;
  double largest_;
  double mode_ = 0, top_ = 0, low_ = 0, high_ = 0;
  bool truncated_ = false;  // there is mass above the largest count
};

}  // namespace

std::unique_ptr<Outcome> make_discrete(double largest, const DensityOfY& density) {
  return std::make_unique<Discrete>(largest, density);
}

std::unique_ptr<Outcome> make_outcome(Domain domain, const DensityOfY& density, double trials) {
  if (!is_discrete(domain)) return make_continuous(domain, density);
  const double largest = domain == Domain::count                ? kLargest
                         : domain == Domain::fraction_of_trials ? trials
                                                                : 1;
  return make_discrete(largest, density);
}

}  // namespace ggpm::internal::outcomes
