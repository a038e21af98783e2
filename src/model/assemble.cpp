// From a specification and data to the parts of a model.
#include <fmt/format.h>

#include <cmath>

#include "ggpm/choose.hpp"
#include "ggpm/classes.hpp"
#include "inference/method.hpp"
#include "kernel/expression/classes.hpp"
#include "model/state.hpp"

namespace ggpm::internal {
namespace {

void require_method(const Specification& specification,
                    const Likelihood& likelihood,
                    const Observations& observed) {
  const InferenceMethod method = inference_of(specification);
  if (has_several_latents(likelihood) && method != InferenceMethod::laplace &&
      method != InferenceMethod::kld)
    throw UsageError(
        fmt::format("{} inference is for one latent function, and softmax has one for each class; "
                    "use laplace or kld",
                    to_string(method)));
  if (specification.engine.name == "variational" && method != InferenceMethod::kld)
    throw UsageError(fmt::format(
        "the engine variational is a bound for kld, not for {}; use the inference kld, or the engine "
        "tree",
        to_string(method)));
  if (const auto check = find_method(method).check; check != nullptr)
    check(likelihood, observed.rows());
}

}  // namespace

ModelParts make_parts(const Specification& specification, const Dataset& data) {
  std::shared_ptr<Likelihood> likelihood = make_likelihood(specification);
  likelihood->adapt_to(data.observed.rows());  // first: methods may ask it for densities
  require_method(specification, *likelihood, data.observed);
  const Kernel kernel = Kernel::parse(specification.kernel);
  if (has_classes(kernel) && !has_several_latents(*likelihood))
    throw UsageError(fmt::format(
        "kernel '{}': classes(...) is for the likelihood softmax, which has a latent function a "
        "class; {} has one",
        specification.kernel,
        likelihood->name()));
  return {copied_for_classes(kernel, likelihood->levels())
              .bind(data.X.cols(), data.columns, specification.units),
          Mean::parse(specification.mean).bind(data.X.cols(), data.columns),
          std::move(likelihood)};
}

InferenceOptions make_inference(const Specification& specification, const Dataset& data) {
  InferenceOptions options;
  options.method = learning_method(specification, data);
  options.expansion = specification.expansion;
  return options;
}

Observations fold_exposure(Observations observed, const Likelihood& likelihood) {
  const Index n = observed.exposure.size();
  for (Index i = 0; i < n; ++i) {
    const double exposure = observed.exposure[i];
    if (exposure == 1) continue;
    if (!(exposure > 0) || std::isinf(exposure))
      throw DataError({.row = i + 1, .argument = "exposure"},
                      fmt::format("{}; exposures are finite numbers > 0", exposure));
    if (likelihood.domain() != Domain::count)
      throw DataError({.row = i + 1, .argument = "exposure"},
                      fmt::format("{}; exposures multiply the mean of counts, and {} has none: use "
                                  "an offset",
                                  exposure,
                                  likelihood.name()));
  }
  if (n == 0 || !likelihood.exposure_shifts_eta()) return observed;
  if (observed.offset.size() == 0) observed.offset = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) observed.offset[i] += std::log(observed.exposure[i]);
  observed.exposure.resize(0);
  return observed;
}

}  // namespace ggpm::internal
