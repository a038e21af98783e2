// Several classes, each row predicted from the others.
#pragma once

#include "ggpm/model.hpp"

namespace ggpm::internal {

// (n, C) probabilities of the classes of the training rows, from the cavities of their blocks.
Matrix left_out_probabilities(const GeneralizedGP& model);

}  // namespace ggpm::internal
