// Arrays as Python and R hand them over: any numbers, any lengths, any roles.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ggpm/choose.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/row_reader.hpp"
#include "predictions.hpp"

using namespace ggpm;

namespace {

// Often a number that outputs have, otherwise any bits.
double number(FuzzedDataProvider& in) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::array kLikely = {
      0.0, 1.0, 2.0, 3.0, 0.5, -1.0, 1e-9, 1e6, 1e15, 1e300, 5e-324, -1e300, kInfinity};
  const auto pick = in.ConsumeIntegral<std::uint8_t>();
  if (pick < 200) return kLikely[pick % 6];
  if (pick < 240) return kLikely[pick % kLikely.size()];
  if (pick < 250) return in.ConsumeFloatingPointInRange<double>(-10, 10);
  std::uint64_t bits = in.ConsumeIntegral<std::uint64_t>();
  double value = 0;
  std::memcpy(&value, &bits, 8);
  return value;
}

Vector numbers(FuzzedDataProvider& in, Index n) {
  const bool wrong = in.ConsumeIntegral<std::uint8_t>() > 250;
  Vector out(wrong ? in.ConsumeIntegralInRange<Index>(0, 9) : n);
  for (double& value : out) value = number(in);
  return out;
}

constexpr std::array kKernels = {"rbf + constant",
                                 "matern32(ard=true)",
                                 "linear + white(0.1)",
                                 "rq * periodic",
                                 "poly(degree=2)",
                                 "constant"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<LikelihoodInfo> table = likelihood_table();
  FuzzedDataProvider in(data, size);
  const bool search = fuzz::one_of_eight(fuzz::text_of(data, size));
  const LikelihoodInfo& family = table[in.ConsumeIntegralInRange<std::size_t>(0, table.size() - 1)];
  Specification specification{
      .likelihood = family.name,
      .link = family.links[in.ConsumeIntegralInRange<std::size_t>(0, family.links.size() - 1)],
      .kernel = kKernels[in.ConsumeIntegralInRange<std::size_t>(0, kKernels.size() - 1)]};
  constexpr std::array kMethods = {InferenceMethod::exact,
                                   InferenceMethod::taylor,
                                   InferenceMethod::laplace,
                                   InferenceMethod::ep,
                                   InferenceMethod::kld,
                                   InferenceMethod::vb};
  if (const auto method = in.ConsumeIntegralInRange<std::size_t>(0, kMethods.size());
      method < kMethods.size())
    specification.inference = kMethods[method];
  const Index n = in.ConsumeIntegralInRange<Index>(0, 5),
              d = in.ConsumeIntegralInRange<Index>(0, 2);
  const std::uint8_t roles = in.ConsumeIntegral<std::uint8_t>();
  Dataset rows{.X = Matrix(n, d)};
  for (Index j = 0; j < d; ++j)
    for (Index i = 0; i < n; ++i) rows.X(i, j) = number(in);
  rows.observed.y = numbers(in, n);
  if (roles & 1U) rows.observed.trials = numbers(in, n);
  if (roles & 2U) rows.observed.exposure = numbers(in, n);
  if (roles & 4U) rows.observed.offset = numbers(in, n);
  if (roles & 8U) rows.observed.weight = numbers(in, n);
  if (roles & 16U) rows.observed.censored = numbers(in, n);
  if (roles & 32U) rows.observed.upper = numbers(in, n);
  const Index asked = in.ConsumeIntegralInRange<Index>(0, std::max(n, Index{1}) - 1);

  FitOptions options{.optimize = false, .threads = 1, .standard_errors = false};
  fuzz::answered([&] {
    // Through a table, as both bindings do, or as C++ users do.
    if (roles & 64U) {
      Table inputs("X");
      for (Index j = 0; j < d; ++j)
        inputs.add_numbers(input_name({}, j),
                           std::vector<double>(rows.X.col(j).begin(), rows.X.col(j).end()));
      ColumnRoles found;
      Observations observed = rows.observed;
      observed.check(n, "fit");
      drop_weightless(inputs, observed);
      const Understood outputs = understand(observed, found, family.domain, false);
      const Design design = learn_design(inputs, {}, {});
      Dataset learned = make_dataset(inputs, design, observed);
      fuzz::require(learned.X.allFinite(), "inputs are finite");
      specification.units = design.units();
      rows = std::move(learned);
    }
    const GeneralizedGP model = GeneralizedGP::fit(rows, specification, options);
    fuzz::require(std::isfinite(model.log_marginal()), "a log marginal is a number");
    // Of one row: what is said of it takes as long as all of a fit.
    const std::array one = {asked % rows.X.rows()};
    fuzz::check_predictions(model, rows.subset(one), search);
    const std::string bytes = to_bytes({.model = model});
    fuzz::require(to_bytes(from_bytes(bytes)) == bytes, "a model that was saved is the model");
  });
  return 0;
}
