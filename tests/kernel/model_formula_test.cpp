#include "ggpm/model_formula.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ggpm/kernel.hpp"

namespace ggpm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ModelFormula, NamesTargetKernelInputsOffsetAndExposure) {
  const ModelFormula f = parse_model_formula(
      "deaths ~ rbf(lon, lat, ard=true) + linear(smoking) + group(district) * rbf(year) + "
      "offset(log(expected)) + offset(shift)");
  EXPECT_EQ(f.target, "deaths");
  EXPECT_EQ(f.kernel,
            "rbf(ard=true, columns=[lon, lat]) + linear(columns=[smoking]) + "
            "group(columns=[district]) * rbf(columns=[year]) + constant");
  EXPECT_THAT(f.inputs, ElementsAre("lon", "lat", "smoking", "district", "year"));
  EXPECT_EQ(f.exposure, "expected");
  EXPECT_EQ(f.offset, "shift");
  EXPECT_NO_THROW(Kernel::parse(f.kernel));
}

TEST(ModelFormula, WithoutColumnsIsOfAllInputs) {
  const ModelFormula f = parse_model_formula("y ~ 1 + rbf(lengthscale=2) + fixed(linear)");
  EXPECT_EQ(f.kernel, "constant + rbf(lengthscale=2) + fixed(linear)");
  EXPECT_THAT(f.inputs, IsEmpty());
  EXPECT_EQ(parse_model_formula("y ~ exposure(e)").kernel, "constant");
  EXPECT_EQ(parse_model_formula("y ~ 0 + rbf").kernel, "rbf");
  EXPECT_EQ(parse_model_formula("y ~ rbf").kernel, "rbf + constant");
  EXPECT_EQ(parse_model_formula("y ~ constant(2) + rbf").kernel, "constant(2) + rbf");
}

TEST(ModelFormula, TakesQuotedNamesAndBracketsInTheirPlaces) {
  const ModelFormula f =
      parse_model_formula("'deaths + 1' ~ (rbf('the lon', lat) + linear(a.b)) * group(\"s~t\")");
  EXPECT_EQ(f.target, "deaths + 1");
  EXPECT_THAT(f.inputs, ElementsAre("the lon", "lat", "a.b", "s~t"));
  const ModelFormula g = parse_model_formula("y ~ rbf(x, variance=2 ~ gamma(2, 1))");
  EXPECT_THAT(g.inputs, ElementsAre("x"));
}

// It was fitted with an intercept.
std::string refusal_of(const char* formula) {
  try {
    (void)parse_model_formula(formula);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(ModelFormula, SaysWhatToDoWithComputedAndBareColumns) {
  for (const char* text : {"y ~ rbf(log(x))", "y ~ rbf(z, x^2)", "log(y) ~ rbf(x)"})
    EXPECT_THAT(refusal_of(text), HasSubstr("what is computed is added to the table")) << text;
  for (const char* text : {"y ~ x", "y ~ rbf(x) + z", "y ~ ."})
    EXPECT_THAT(refusal_of(text), HasSubstr("a column goes into one, as linear(x)")) << text;
  EXPECT_EQ(refusal_of("y ~ rbf(x, fixed(2)) + poly(x, 2) + linear"), "none");
}

// An empty role is one that was not given: the offset would be left out without a word.
TEST(ModelFormula, RefusesAnEmptyName) {
  EXPECT_THAT(refusal_of("'' ~ rbf"), HasSubstr("the target has an empty name"));
  for (const char* text : {"y ~ offset(\"\")", "y ~ offset(log(''))", "y ~ exposure('')"})
    EXPECT_THAT(refusal_of(text), HasSubstr("has an empty name")) << text;
}

TEST(ModelFormula, RefusesAModelWithoutATerm) {
  EXPECT_THROW(parse_model_formula("y ~ 0"), UsageError);
  EXPECT_THROW(parse_model_formula("y ~ 0 + offset(e)"), UsageError);
  EXPECT_EQ(parse_model_formula("y ~ 1").kernel, "constant");
}

TEST(ModelFormula, SaysWhatIsWrong) {
  for (const char* text : {"y",
                           "y ~ ",
                           "~ rbf(a)",
                           "y ~ rbf(a",
                           "y ~ rbf(a))",
                           "y ~ nonsense(a)",
                           "y ~ rbf(a) + ",
                           "y ~ offset(a + b)",
                           "y ~ offset(a) + offset(b)",
                           "y ~ rbf(columns=[1])",
                           "2 ~ rbf(a)",
                           "y ~ rbf('a)"})
    EXPECT_THROW(parse_model_formula(text), UsageError) << text;
}

}  // namespace
}  // namespace ggpm
