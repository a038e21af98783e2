#include "model/families_of.hpp"

namespace ggpm {

std::vector<std::string> families_of(Domain domain) {
  switch (domain) {
    case Domain::real:
      return {"gaussian", "student-t", "laplace"};
    case Domain::positive:
      return {"gamma-shape", "gamma-scale", "inverse-gaussian"};
    case Domain::count:
      return {"poisson", "linear-poisson", "negative-binomial", "com-poisson"};
    case Domain::fraction_of_trials:
      return {"binomial"};
    case Domain::binary:
      return {"bernoulli"};
    case Domain::proportion:
      return {"beta"};
  }
  return {"gaussian"};
}

}  // namespace ggpm
