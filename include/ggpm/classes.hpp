// Several classes with a latent function each (docs/several-classes.md): the likelihood "softmax",
// which is not in likelihood_table(), since each of those has one latent function.
#pragma once

#include <vector>

#include "ggpm/likelihood.hpp"

namespace ggpm {

LikelihoodInfo softmax_info();
std::vector<LikelihoodInfo> every_likelihood();  // likelihood_table() and softmax
bool has_several_latents(const Likelihood& likelihood);

}  // namespace ggpm
