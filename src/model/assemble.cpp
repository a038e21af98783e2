// From a specification and data to the parts of a model.
#include <fmt/format.h>

#include <cmath>

#include "model/state.hpp"

namespace ggpm {
namespace {

bool counts(const ModelParts& parts) {
  return parts.warp.none() && parts.likelihood->domain() == Domain::count;
}

void require_method(const Specification& specification, const Likelihood& likelihood) {
  const InferenceMethod method = specification.inference;
  const bool regression = likelihood.is_exact_regression();
  if (method == InferenceMethod::exact && !regression)
    throw UsageError(fmt::format(
        "exact inference needs the likelihood 'gaussian' with link 'identity', not '{}' with '{}'; "
        "use laplace, ep or kld",
        likelihood.name(),
        likelihood.link()));
  if ((method == InferenceMethod::taylor || method == InferenceMethod::laplace) &&
      !likelihood.differentiable())
    throw UsageError(fmt::format(
        "{} inference does not exist for the likelihood '{}', whose log density has no curvature; "
        "use ep or kld",
        to_string(method),
        likelihood.name()));
  if (!specification.warp.empty() && !regression)
    throw UsageError(
        fmt::format("warp '{}' transforms the outputs of a standard GP: it needs the likelihood "
                    "'gaussian', not "
                    "'{}'",
                    specification.warp,
                    likelihood.name()));
}

}  // namespace

std::string input_name(const std::vector<std::string>& columns, Index column) {
  const auto k = static_cast<std::size_t>(column);
  return k < columns.size() ? columns[k] : "x" + std::to_string(column + 1);
}

ModelParts make_parts(const Specification& specification,
                      Index dimensions,
                      const std::vector<std::string>& columns,
                      std::span<const Row> rows) {
  const std::string& name =
      specification.formula.empty() ? specification.likelihood : specification.formula;
  ModelParts parts{Kernel::parse(specification.kernel).bind(dimensions, columns),
                   Mean::parse(specification.mean).bind(dimensions),
                   make_likelihood(name, specification.link, specification.likelihood_options),
                   Warp::parse(specification.warp)};
  require_method(specification, *parts.likelihood);
  parts.warp = parts.warp.suited_to(rows);
  return parts;
}

InferenceOptions make_inference(const Specification& specification, const ModelParts& parts) {
  InferenceOptions options;
  options.method = parts.warp.none() ? specification.inference : InferenceMethod::exact;
  options.expansion = specification.expansion;
  return options;
}

Observed observe(Matrix X, std::vector<Row> rows, const Vector& offset, const ModelParts& parts) {
  const auto n = static_cast<Index>(rows.size());
  Observed out{std::move(X), std::move(rows), offset};
  const bool shifts = parts.likelihood->exposure_shifts_eta();
  for (Index i = 0; i < n; ++i) {
    Row& row = out.rows[static_cast<std::size_t>(i)];
    if (row.exposure == 1) continue;
    if (!(row.exposure > 0) || std::isinf(row.exposure))
      throw DataError(fmt::format(
          "row {}: exposure = {}; exposures are finite numbers > 0", i + 1, row.exposure));
    if (!counts(parts))
      throw DataError(fmt::format(
          "row {}: exposure = {}; exposures multiply the mean of counts, and {} has none: use an "
          "offset",
          i + 1,
          row.exposure,
          parts.likelihood->name()));
    if (!shifts) continue;
    if (out.offset.size() == 0) out.offset = Vector::Zero(n);
    out.offset[i] += std::log(row.exposure);
    row.exposure = 1;
  }
  return out;
}

}  // namespace ggpm
