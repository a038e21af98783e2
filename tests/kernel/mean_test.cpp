#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

std::string mean_message(std::string_view text) {
  try {
    Mean::parse(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<double> values_of(const Mean& mean) {
  std::vector<double> out;
  for (const Parameter& parameter : mean.parameters()) out.push_back(parameter.value);
  return out;
}

TEST(Mean, IsZeroByDefault) {
  const Mean mean;
  EXPECT_EQ(mean.text(), "zero");
  EXPECT_EQ(Mean::parse("zero").text(), "zero");
  EXPECT_TRUE(mean.parameters().empty());
  EXPECT_TRUE(mean.bind(2).evaluate(Matrix::Ones(3, 2)).isZero(0));
  EXPECT_EQ(mean.pull_back(Matrix::Ones(3, 2), Vector::Ones(3)).size(), 0);
}

TEST(Mean, EvaluatesItsFormula) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(20, 2);
  EXPECT_CLOSE(Mean::parse("constant(2.5)").evaluate(X), Vector(Vector::Constant(20, 2.5)), 0);
  const Vector expected = 2 * X.col(0) - 0.5 * X.col(1) + Vector::Constant(20, 3);
  EXPECT_CLOSE(Mean::parse("linear([2, -0.5], 3)").bind(2).evaluate(X), expected, 1e-15);
}

TEST(Mean, PullsBackTheDerivative) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(30, 3);
  const Vector mbar = random.matrix(30, 1);
  for (const std::string text :
       {"constant(-0.7)", "linear(0.4, -1)", "constant + linear(2, 1, columns=[3, 1])"}) {
    const Mean mean = Mean::parse(text).bind(3);
    const Vector gradient = mean.pull_back(X, mbar);
    for (std::size_t p = 0; p < mean.parameters().size(); ++p) {
      std::vector<double> up = values_of(mean), down = up;
      up[p] += 0.5;
      down[p] -= 0.5;  // linear in its parameters: any step is exact
      const double expected =
          mbar.dot(mean.with_values(up).evaluate(X) - mean.with_values(down).evaluate(X));
      EXPECT_CLOSE(gradient(static_cast<Index>(p)), expected, 1e-12) << text << " " << p;
    }
  }
}

TEST(Mean, NamesItsParametersAndLeavesThemUnbounded) {
  const std::vector<Parameter> p = Mean::parse("linear").bind(2).parameters();
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[0].name, "mean.weights[1]");
  EXPECT_EQ(p[1].name, "mean.weights[2]");
  EXPECT_EQ(p[2].name, "mean.intercept");
  EXPECT_FALSE(p[0].positive);
  EXPECT_EQ(p[0].lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(p[0].upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(Mean::parse("constant").parameters()[0].name, "mean.value");
}

TEST(Mean, ReadsBackAsTheSameMean) {
  for (const std::string text : {"zero",
                                 "constant(value=0)",
                                 "constant(value=fixed(-3.25))",
                                 "constant(value=1 in [-2, 2] ~ normal(0, 1))",
                                 "linear(weights=0, intercept=0)",
                                 "linear(weights=0, intercept=0, columns=[year, 'a b', 3])",
                                 "constant(value=1) + linear(weights=2, intercept=fixed(0))",
                                 "linear(weights=[1, fixed(-2)], intercept=1e-300)"})
    EXPECT_EQ(Mean::parse(text).text(), text);
  EXPECT_EQ(Mean::parse("fixed(constant(3))").text(), "constant(value=fixed(3))");
  EXPECT_EQ(Mean::parse("linear").bind(2).text(), "linear(weights=[0, 0], intercept=0)");
  EXPECT_EQ(Mean::parse("linear").bind(2).bind(2).text(), "linear(weights=[0, 0], intercept=0)");
  EXPECT_EQ(Mean::parse("constant(1 ~ normal(0, 1))").priors()[0],
            (Prior{Prior::Kind::normal, 0, 1}));
}

const std::vector<std::string> kNames = {"age", "sex=F", "sex=M"};

TEST(Mean, LooksAtItsColumnsOnly) {
  Random random(4);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(20, 3);
  const Mean mean = Mean::parse("linear([2, 3], 1, columns=[sex])").bind(3, kNames);
  EXPECT_CLOSE(mean.evaluate(X), Vector(2 * X.col(1) + 3 * X.col(2) + Vector::Ones(20)), 1e-14);
  EXPECT_EQ(mean.parameters()[1].inputs, std::vector<Index>{2});
  EXPECT_EQ(mean.text(), "linear(weights=[2, 3], intercept=1, columns=['sex=F', 'sex=M'])");
  EXPECT_EQ(Mean::parse(mean.text()).bind(3, kNames).text(), mean.text());
  EXPECT_EQ(mean.bind(3).evaluate(X), mean.evaluate(X));
  EXPECT_THROW(Mean::parse("linear(columns=[height])").bind(3, kNames), UsageError);
  EXPECT_THROW(Mean::parse("linear([1, 2], columns=[age])").bind(3, kNames), UsageError);
}

TEST(Mean, SumsHaveOneLevelUnlessMoreAreGiven) {
  Random random(5);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(20, 3);
  const Mean mean =
      Mean::parse("constant(2) + zero + linear(3, columns=[age]) + linear([1, -1], columns=[sex])")
          .bind(3, kNames);
  EXPECT_CLOSE(mean.evaluate(X),
               Vector(3 * X.col(0) + X.col(1) - X.col(2) + Vector::Constant(20, 2)),
               1e-14);
  std::vector<std::string> learned;
  for (const Parameter& p : mean.parameters())
    if (!p.fixed) learned.push_back(p.name);
  EXPECT_EQ(learned,
            (std::vector<std::string>{
                "mean.value", "mean#2.weights[1]", "mean#3.weights[1]", "mean#3.weights[2]"}));
  EXPECT_FALSE(Mean::parse("constant + linear(intercept=1)").bind(1).parameters().back().fixed);
  EXPECT_EQ(Mean::parse("zero + zero").text(), "zero");
}

TEST(Mean, ChangedCopiesLeaveTheOriginalAlone) {
  const Mean original = Mean::parse("constant(2)"), copy = original;
  const Mean changed = copy.with_values(std::vector<double>{5});
  EXPECT_EQ(original.text(), "constant(value=2)");
  EXPECT_EQ(copy.text(), "constant(value=2)");
  EXPECT_EQ(changed.text(), "constant(value=5)");
}

TEST(Mean, MistakesPointAtTheColumn) {
  EXPECT_EQ(mean_message("constnat"),
            "mean 'constnat': column 1: unknown mean 'constnat'; did you mean 'constant'?");
  EXPECT_EQ(mean_message(""),
            "mean '': column 1: expected zero, constant or linear, found the end");
  EXPECT_EQ(mean_message("zero(1)"),
            "mean 'zero(1)': column 5: unexpected '('; expected + or the end");
  EXPECT_EQ(
      mean_message("constant(valeu=1)"),
      "mean 'constant(valeu=1)': column 10: unknown parameter 'valeu'; did you mean 'value'?");
  EXPECT_EQ(mean_message("constant(1, 2)"),
            "mean 'constant(1, 2)': column 13: constant takes at most 1 value: value");
  EXPECT_EQ(mean_message("constant([1])"),
            "mean 'constant([1])': column 10: value is one number, not a list");
  EXPECT_EQ(mean_message("constant(nan)"),
            "mean 'constant(nan)': column 10: value = nan must be a finite number");
  EXPECT_EQ(mean_message("linear - zero"),
            "mean 'linear - zero': column 8: unexpected '-'; expected + or the end");
  EXPECT_EQ(mean_message("linear +"),
            "mean 'linear +': column 9: expected zero, constant or linear, found the end");
  EXPECT_EQ(mean_message("constant(columns=[a])"),
            "mean 'constant(columns=[a])': column 10: unknown parameter 'columns'; known are "
            "value");
  EXPECT_THROW(Mean::parse("linear([1, 2])").bind(3), UsageError);
  EXPECT_THROW(Mean::parse("linear").evaluate(Matrix::Ones(2, 2)), UsageError);
  EXPECT_THROW(Mean::parse("linear").bind(3).evaluate(Matrix::Ones(2, 2)), UsageError);
  EXPECT_THROW(Mean::parse("constant").with_values(std::vector<double>{1, 2}), UsageError);
  EXPECT_THROW(Mean().with_values(std::vector<double>{1}), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
