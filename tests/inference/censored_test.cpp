#include <gtest/gtest.h>

#include "ggpm/inference.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

// Times, and a bound or an interval of every third and fourth.
std::vector<Row> times() {
  std::vector<Row> rows;
  for (int i = 0; i < 12; ++i) {
    Row row{.y = std::exp(std::sin(1.3 * i))};
    if (i % 3 == 1) row.censored = i % 2 == 0 ? -1 : 1;
    if (i % 4 == 2) row.upper = 1.8 * row.y;
    rows.push_back(row);
  }
  return rows;
}

Inferred evaluate(const std::vector<Row>& rows, const std::string& name, InferenceMethod method) {
  Matrix X(static_cast<Index>(rows.size()), 1);
  for (Index i = 0; i < X.rows(); ++i) X(i, 0) = 0.3 * static_cast<double>(i);
  Inference inference(X, Observations::of(rows));
  return inference.evaluate(Kernel::parse("rbf(variance=0.8, lengthscale=0.7)").bind(1),
                            Mean(),
                            *make_likelihood(name, "", {.dispersion = 0.2}),
                            {.method = method, .tolerance = 1e-11});
}

TEST(CensoredLogNormal, IsTobitRegressionOfLogarithms) {
  const std::vector<Row> rows = times();
  std::vector<Row> logs = rows;
  double jacobian = 0;
  for (Row& row : logs) {
    if (!row.is_censored()) jacobian -= std::log(row.y);
    row.y = std::log(row.y);
    row.upper = std::log(row.upper);
  }
  for (const InferenceMethod method : {InferenceMethod::taylor,
                                       InferenceMethod::laplace,
                                       InferenceMethod::ep,
                                       InferenceMethod::kld}) {
    SCOPED_TRACE(to_string(method));
    const Inferred a = evaluate(rows, "log-normal", method), b = evaluate(logs, "gaussian", method);
    EXPECT_CLOSE(a.log_marginal, b.log_marginal + jacobian, 1e-10);
    EXPECT_CLOSE(a.posterior.mean, b.posterior.mean, 1e-9);
    EXPECT_CLOSE(a.posterior.variance, b.posterior.variance, 1e-9);
    EXPECT_CLOSE(a.gradient.kernel, b.gradient.kernel, 1e-7);
    EXPECT_CLOSE(a.gradient.dispersion, b.gradient.dispersion, 1e-7);
  }
}

TEST(ExactInference, IsRefusedWhereARowIsCensored) {
  std::vector<Row> rows = times();
  EXPECT_THROW(evaluate(rows, "gaussian", InferenceMethod::exact), UsageError);
  for (Row& row : rows) row = {.y = row.y, .weight = 2};
  EXPECT_NO_THROW(evaluate(rows, "gaussian", InferenceMethod::exact));
}

}  // namespace
}  // namespace ggpm
