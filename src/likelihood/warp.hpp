// Monotone transformations of the output: regression happens on z = f(y), densities stay those of
// y.
//   log:     z = log y                      y > 0
//   logit:   z = log(y / (1 - y))           0 < y < 1
//   arctanh: z = arctanh(2 y - 1)           0 < y < 1
//   tanh:k   z = s + sum_i a_i tanh(b_i (s + c_i)),  s = (y - center) / scale, a_i, b_i > 0
// The last is the warped GP of Snelson, Rasmussen and Ghahramani (2004); a, b and c are learned
// together with the hyperparameters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/likelihood.hpp"
#include "ggpm/types.hpp"

namespace ggpm::internal {

class Warp {
 public:
  static constexpr int kMostSteps = 20;

  static Warp parse(std::string_view text);  // "log", "logit", "arctanh", "tanh:3"
  // The same with constants, and for tanh starting values, that suit these outputs.
  Warp suited_to(std::span<const Row> rows) const;
  Warp with_constants(double center, double scale) const;

  Domain domain() const;
  bool contains(double y) const;  // y is inside the domain
  const std::string& text() const { return text_; }
  double center() const { return center_; }
  double scale() const { return scale_; }

  std::vector<Parameter> parameters() const;  // "warp.a[1]", "warp.b[1]", "warp.c[1]", ...
  std::size_t size() const { return values_.size(); }
  Warp with_values(std::span<const double> values) const;

  struct Point {
    double z = 0;
    double log_slope = 0;  // log dz/dy
  };
  Point at(double y) const;
  // d z / d parameter and d log_slope / d parameter (the parameter itself).
  void derivatives(double y, std::span<double> dz, std::span<double> dlog_slope) const;
  double inverse(double z) const;
  // Where it bends, of tanh: before, at and behind each step. Not in order.
  std::vector<double> bends() const;

 private:
  enum class Kind { log, logit, arctanh, tanh };

  Warp() = default;
  Kind kind_ = Kind::log;
  std::string text_;
  double center_ = 0, scale_ = 1;
  std::vector<double> values_;  // a, b, c of each step
};

}  // namespace ggpm::internal
