// The distribution of y = f^-1(z) for z Gaussian: predictions of a GP on transformed outputs.
#pragma once

#include <memory>

#include "ggpm/likelihood.hpp"
#include "learn/warp.hpp"

namespace ggpm {

// `warp` must outlive the result; variance is that of z, noise included.
std::unique_ptr<Predictive> make_warped_predictive(const Warp& warp, double mean, double variance);

}  // namespace ggpm
