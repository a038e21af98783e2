// Kernel as a value: names, bounds, binding, changed copies.
#include <thread>

#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

std::vector<std::string> names_of(const Kernel& kernel) {
  std::vector<std::string> out;
  for (const Parameter& parameter : kernel.parameters()) out.push_back(parameter.name);
  return out;
}

template <class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

using Names = std::vector<std::string>;

TEST(KernelNames, FollowTheExpressionAndCountRepeats) {
  EXPECT_EQ(names_of(Kernel::parse("rbf + linear * rbf + rbf")),
            (Names{"rbf.variance",
                   "rbf.lengthscale",
                   "linear.variance",
                   "rbf#2.variance",
                   "rbf#2.lengthscale",
                   "rbf#3.variance",
                   "rbf#3.lengthscale"}));
  EXPECT_EQ(names_of(Kernel::parse("rq(ard=true) + poly").bind(2)),
            (Names{"rq.variance",
                   "rq.lengthscale[1]",
                   "rq.lengthscale[2]",
                   "rq.alpha",
                   "poly.variance",
                   "poly.offset"}));
}

TEST(KernelParameters, KnowTheirRoleAndTheInputsTheyAreMeasuredIn) {
  const Names columns = {"a", "b", "c"};
  const std::vector<Parameter> p =
      Kernel::parse("rbf(columns=[c, a], ard=true) + rq + periodic(columns=[b]) * linear(ard=true)")
          .bind(3, columns)
          .parameters();
  const std::vector<std::tuple<std::string, Role, std::vector<Index>, std::string>> expected = {
      {"rbf.variance", Role::variance, {}, ""},
      {"rbf.lengthscale[1]", Role::lengthscale, {2}, "rbf.lengthscale"},
      {"rbf.lengthscale[2]", Role::lengthscale, {0}, "rbf.lengthscale"},
      {"rq.variance", Role::variance, {}, ""},
      {"rq.lengthscale", Role::lengthscale, {0, 1, 2}, ""},
      {"rq.alpha", Role::shape, {}, ""},
      {"periodic.variance", Role::variance, {}, ""},
      {"periodic.lengthscale", Role::lengthscale, {1}, ""},
      {"periodic.period", Role::period, {1}, ""},
      {"linear.variance[1]", Role::variance, {0}, "linear.variance"},
      {"linear.variance[2]", Role::variance, {1}, "linear.variance"},
      {"linear.variance[3]", Role::variance, {2}, "linear.variance"}};
  ASSERT_EQ(p.size(), expected.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(std::make_tuple(p[i].name, p[i].role, p[i].inputs, p[i].list), expected[i]) << i;
    EXPECT_EQ(p[i].input(), p[i].inputs.size() == 1 ? p[i].inputs[0] : -1) << i;
  }
  // Not bound: nobody knows the inputs yet.
  EXPECT_TRUE(Kernel::parse("rbf").parameters()[1].inputs.empty());
}

TEST(KernelBounds, AreWideUnlessGiven) {
  const std::vector<Parameter> p =
      Kernel::parse("rbf(1e8, 2) + white(fixed(2) in [1, 3])").parameters();
  EXPECT_TRUE(p[0].positive);
  EXPECT_EQ(p[0].lower, 1e-6);
  EXPECT_EQ(p[0].upper, 1e8);  // the value itself is never outside
  EXPECT_EQ(p[1].lower, 0);    // left to the data
  EXPECT_EQ(p[1].upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(p[2].lower, 1);
  EXPECT_EQ(p[2].upper, 3);
  EXPECT_FALSE(p[0].fixed);
  EXPECT_TRUE(p[2].fixed);
}

TEST(Kernel, ChangedCopiesLeaveTheOriginalAlone) {
  const Kernel original = Kernel::parse("rbf(ard=true) + white");
  const std::string text = original.text();
  const Kernel copy = original;
  original.bind(3);
  original.with_values(std::vector<double>{2, 3, 4});
  original + copy;
  EXPECT_EQ(original.text(), text);
  EXPECT_EQ(copy.text(), text);
}

TEST(Kernel, OtherValuesAreWhatTheTextSays) {
  EXPECT_EQ(Kernel::parse("rbf + white").with_values(std::vector<double>{2, 3, 4}).text(),
            Kernel::parse("rbf(2, 3) + white(4)").text());
}

TEST(Kernel, FunctionsAreTheTextForm) {
  using namespace kernels;
  EXPECT_EQ((rbf(2, {1, 3}) * linear() + white(0.1)).text(),
            Kernel::parse("rbf(2, [1, 3]) * linear + white(0.1)").text());
  EXPECT_EQ(
      (matern12() + matern32() + matern52(2) + rq(1, 2, 3) + periodic(1, 2, 3)).text(),
      Kernel::parse("matern12 + matern32 + matern52(2) + rq(1, 2, 3) + periodic(1, 2, 3)").text());
  EXPECT_EQ(((poly(1, 2, 3) + constant(4)) * linear({1, 2})).text(),
            Kernel::parse("(poly(1, 2, 3) + constant(4)) * linear([1, 2])").text());
  EXPECT_THROW(rbf(-1), UsageError);
  EXPECT_THROW(rbf(1, std::nan("")), UsageError);
  EXPECT_THROW(rbf(1, std::vector<double>{}), UsageError);
  EXPECT_THROW(poly(1, 1, 0), UsageError);
}

TEST(KernelBind, ExpandsArdOnceAndAgainChangesNothing) {
  const Names names = {"a", "b", "c"};
  const Kernel bound =
      Kernel::parse("rbf(2, 3, ard=true, columns=[c, a]) + linear(ard=true)").bind(3, names);
  EXPECT_EQ(bound.text(),
            "rbf(variance=2, lengthscale=[3, 3], columns=[c, a]) + linear(variance=[1, 1, 1])");
  EXPECT_EQ(bound.dimensions(), 3);
  EXPECT_EQ(bound.bind(3, names).text(), bound.text());
  const Matrix X = Random(1).matrix(4, 3);
  EXPECT_EQ(gram(bound.bind(3), X), gram(bound, X));  // names were resolved before
  EXPECT_EQ(Kernel::parse("rbf").dimensions(), 0);
  EXPECT_EQ((bound + Kernel::parse("rbf")).dimensions(), 0);
}

TEST(KernelBind, TakesATextColumnForAllItsLevels) {
  const Names names = {"age", "sex=F", "sex=M", "site=a=1", "sexes"};
  const auto bind = [&](std::string_view text) { return Kernel::parse(text).bind(5, names); };
  const Kernel bound = bind("rbf(ard=true, columns=[age, sex]) + linear(columns=[site])");
  EXPECT_EQ(bound.text(),
            "rbf(variance=1, lengthscale=[1, 1, 1], columns=[age, 'sex=F', 'sex=M']) + "
            "linear(variance=1, columns=['site=a=1'])");
  EXPECT_EQ(Kernel::parse(bound.text()).bind(5, names).text(), bound.text());
  const Matrix X = Random(2).matrix(4, 5);
  EXPECT_EQ(gram(bind("rbf(columns=[sex])"), X), gram(bind("rbf(columns=[2, 3])"), X));
  const auto refused = [&](std::string_view text) { return message_of([&] { bind(text); }); };
  EXPECT_EQ(refused("linear(columns=[sex, 'sex=M'])"),
            "kernel 'linear(variance=1, columns=[sex, 'sex=M…': input 'sex=M' is listed twice");
  EXPECT_EQ(
      refused("linear(columns=[species])"),
      "kernel 'linear(variance=1, columns=[species])': unknown input 'species'; known are age, "
      "sex, site, sexes");
  EXPECT_EQ(refused("linear(columns=['sex=N'])"),
            "kernel 'linear(variance=1, columns=['sex=N'])': unknown input 'sex=N'; did you mean "
            "'sex=F'?");
}

TEST(KernelBind, ExpandsFixedBoundsAndPriors) {
  const Kernel bound = Kernel::parse("rbf(1, fixed(2 in [1, 3] ~ gamma(2, 1)), ard=true)").bind(2);
  EXPECT_EQ(bound.text(),
            "rbf(variance=1, lengthscale=[fixed(2 in [1, 3] ~ gamma(2, 1)), "
            "fixed(2 in [1, 3] ~ gamma(2, 1))])");
  EXPECT_EQ(bound.priors()[2], (Prior{Prior::Kind::gamma, 2, 1}));
}

TEST(KernelBind, SaysWhichInputIsWrong) {
  const Names names = {"year", "month"};
  const auto bind = [&](std::string_view text) {
    return message_of([&] { Kernel::parse(text).bind(2, names); });
  };
  EXPECT_EQ(
      bind("white + linear(columns=[yaer])"),
      "kernel 'linear(variance=1, columns=[yaer])': unknown input 'yaer'; did you mean 'year'?");
  EXPECT_EQ(bind("linear(columns=[3])"),
            "kernel 'linear(variance=1, columns=[3])': there is no input 3; the inputs count from "
            "1 to 2");
  EXPECT_EQ(bind("linear(columns=[2, month])"),
            "kernel 'linear(variance=1, columns=[2, month])': input month is listed twice");
  EXPECT_EQ(bind("linear([1, 2, 3])"),
            "kernel 'linear(variance=[1, 2, 3])': variance has 3 values for 2 inputs");
  EXPECT_EQ(
      message_of([] { Kernel::parse("linear(columns=[a])").bind(2); }),
      "kernel 'linear(variance=1, columns=[a])': unknown input 'a'; these inputs have no names, "
      "use numbers from 1");
  EXPECT_EQ(message_of([&] { Kernel::parse("rbf").bind(3, names); }),
            "kernel: 2 names for 3 inputs");
  EXPECT_EQ(message_of([] { Kernel::parse("rbf").bind(0); }),
            "kernel: there are no inputs to bind to");
}

TEST(Kernel, MustBeBoundToTheInputsItSees) {
  Matrix K;
  const Matrix X = Matrix::Zero(2, 2);
  EXPECT_EQ(message_of([&] { Kernel::parse("rbf").gram(X, K); }),
            "kernel: bind it to inputs before it is evaluated");
  EXPECT_EQ(message_of([&] { Kernel::parse("rbf").bind(3).gram(X, K); }),
            "kernel: bound to 3 inputs, given 2");
}

TEST(KernelValues, AreCheckedAndPutOntoABoundTheyMissByRounding) {
  const Kernel kernel = Kernel::parse("white(2 in [1, 3])");
  const auto with = [&](double value) { return kernel.with_values(std::vector<double>{value}); };
  EXPECT_EQ(with(std::nextafter(3, 4)).parameters()[0].value, 3);
  EXPECT_EQ(with(1 - 1e-12).parameters()[0].value, 1);
  EXPECT_EQ(message_of([&] { with(3.1); }), "white.variance = 3.1: its bounds are [1, 3]");
  EXPECT_EQ(message_of([&] { with(-1); }), "white.variance = -1: it must be positive");
  EXPECT_EQ(message_of([&] { with(std::nan("")); }),
            "white.variance = nan: it must be a finite number");
  EXPECT_EQ(message_of([&] {
              kernel.with_values(std::vector<double>{1, 2});
            }),
            "kernel 'white(variance=2 in [1, 3])': 2 values for 1 parameters");
  EXPECT_EQ(message_of([&] { kernel.with_values(std::vector<double>{}); }),
            "kernel 'white(variance=2 in [1, 3])': 0 values for 1 parameters");
}

TEST(Kernel, NestingAndSizeOfExpressionsAreBounded) {
  const Kernel white = kernels::white();
  EXPECT_NE(message_of([&] {
              Kernel deep = white;
              for (int i = 0; i < 1000; ++i) deep = (deep + white) * white;
            }).find("nested more than 100 deep"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              Kernel wide = white;
              for (int i = 0; i < 20; ++i) wide = wide + wide;
            }).find("more than 1000 kernels"),
            std::string::npos);
}

TEST(Kernel, TheDeepestExpressionReadsBack) {
  Kernel deep = kernels::white();
  for (int i = 0; i < 50; ++i) deep = (deep + kernels::white()) * kernels::white();
  EXPECT_EQ(Kernel::parse(deep.text()).text(), deep.text());
}

TEST(Kernel, MayBeEvaluatedByManyThreads) {
  Random random(2);
  const Matrix X = random.matrix(100, 8), A = random.symmetric(100);
  const Kernel kernel = Kernel::parse("rbf(ard=true) * linear + rq").bind(8);
  const Matrix K = gram(kernel, X);
  const Vector gradient = kernel.pull_back(X, A);
  std::vector<int> differ(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 20; ++repeat)
        if (gram(kernel, X) != K || kernel.pull_back(X, A) != gradient) ++differ[t];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differ, std::vector<int>(4));
}

TEST(KernelTable, ListsEveryKernelWithItsParameters) {
  const std::vector<KernelInfo> table = kernel_table();
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table[0].name, "rbf");
  EXPECT_EQ(table[0].parameters, (Names{"variance", "lengthscale"}));
  for (const KernelInfo& info : table) {
    EXPECT_FALSE(info.formula.empty()) << info.name;
    EXPECT_NO_THROW(Kernel::parse(info.name)) << info.name;
  }
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
