#include <locale>

#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

std::string canonical(std::string_view text) { return Kernel::parse(text).text(); }

std::string kernel_message(std::string_view text) {
  try {
    Kernel::parse(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelText, FillsInDefaultsNamesAndBlanks) {
  EXPECT_EQ(canonical("rbf"), "rbf(variance=1, lengthscale=1)");
  EXPECT_EQ(canonical(" rbf ( 2 , 0.5 ) "), "rbf(variance=2, lengthscale=0.5)");
  EXPECT_EQ(canonical("rq(lengthscale=3)"), "rq(variance=1, lengthscale=3, alpha=1)");
  EXPECT_EQ(canonical("periodic()"), "periodic(variance=1, lengthscale=1, period=1)");
  EXPECT_EQ(canonical("poly(2, 3, 4)"), "poly(variance=2, offset=3, degree=4)");
  EXPECT_EQ(canonical("rbf(2, lengthscale=[1,2])"), "rbf(variance=2, lengthscale=[1, 2])");
  EXPECT_EQ(canonical("linear([1,2])"), "linear(variance=[1, 2])");
  EXPECT_EQ(canonical("rbf(ard=true)"), "rbf(variance=1, lengthscale=1, ard=true)");
  EXPECT_EQ(canonical("rbf(ard=false)"), "rbf(variance=1, lengthscale=1)");
  EXPECT_EQ(canonical("white(+1e-3)"), "white(variance=0.001)");
}

TEST(KernelText, KeepsPrecedenceWithTheFewestParentheses) {
  EXPECT_EQ(canonical("white+white*white"),
            "white(variance=1) + white(variance=1) * white(variance=1)");
  EXPECT_EQ(canonical("((white+white))*(white)"),
            "(white(variance=1) + white(variance=1)) * white(variance=1)");
  EXPECT_EQ(canonical("white+(white+white)"), canonical("white+white+white"));
  EXPECT_EQ(canonical("white*(white*white)"), canonical("(white*white)*white"));
  EXPECT_NE(canonical("(white+white)*white"), canonical("white+white*white"));
}

TEST(KernelText, KeepsFixedBoundsAndPriors) {
  EXPECT_EQ(canonical("fixed(white + rbf)"),
            "white(variance=fixed(1)) + rbf(variance=fixed(1), lengthscale=fixed(1))");
  EXPECT_EQ(canonical("white(fixed(2))"), "white(variance=fixed(2))");
  EXPECT_EQ(canonical("white(2 in [1,3])"), "white(variance=2 in [1, 3])");
  EXPECT_EQ(canonical("white(fixed(2) in [1,3])"), "white(variance=fixed(2 in [1, 3]))");
  EXPECT_EQ(canonical("linear([1, fixed(2), 3] in [1, 4])"),
            "linear(variance=[1 in [1, 4], fixed(2 in [1, 4]), 3 in [1, 4]])");
  EXPECT_EQ(canonical("linear(fixed([1, 2]))"), "linear(variance=[fixed(1), fixed(2)])");
  EXPECT_EQ(canonical("white(2 in [1,3] ~ gamma(2, 0.5))"),
            "white(variance=2 in [1, 3] ~ gamma(2, 0.5))");
}

TEST(KernelText, HasAKernelForEachClass) {
  EXPECT_EQ(canonical("classes( white )"), "classes(white(variance=1))");
  EXPECT_EQ(canonical("classes(white+white, fixed(white))"),
            "classes(white(variance=1) + white(variance=1), white(variance=fixed(1)))");
  const auto parameters = Kernel::parse("classes(white, constant + white)").parameters();
  ASSERT_EQ(parameters.size(), 3U);
  EXPECT_EQ(parameters[2].name, "white#2.variance");
  EXPECT_EQ(
      kernel_message("white + classes(white)"),
      "kernel 'white + classes(white)': column 9: classes(...) is the whole kernel, not a part of "
      "another");
  EXPECT_EQ(kernel_message("classes(white) + white"),
            "kernel 'classes(white) + white': column 16: unexpected '+'; expected the end");
  EXPECT_EQ(
      kernel_message("classes()"),
      "kernel 'classes()': column 9: expected a kernel, such as rbf(lengthscale=2), found ')'");
  const Kernel each = Kernel::parse("classes(white, constant)").bind(1);
  Matrix K;
  EXPECT_THROW(each.gram(Matrix::Ones(2, 1), K), UsageError);
  EXPECT_THROW(each + each, UsageError);
}

TEST(KernelText, QuotesColumnsThatNeedIt) {
  EXPECT_EQ(canonical("linear(columns=[year, x.1, body-mass, 2])"),
            "linear(variance=1, columns=[year, x.1, body-mass, 2])");
  EXPECT_EQ(canonical("linear(columns=['sepal length', \"it's\", '2', 'a\\\\b'])"),
            "linear(variance=1, columns=['sepal length', 'it\\'s', '2', 'a\\\\b'])");
}

// A random expression as a person might type it.
class RandomText {
 public:
  explicit RandomText(Random& random) : random_(random) {}

  std::string expression(int depth) {
    const Index choice = random_.below(depth > 0 ? 6 : 1);
    if (choice <= 1) return leaf();
    if (choice == 2) return "(" + expression(depth - 1) + blank() + ")";
    if (choice == 3) return "fixed(" + expression(depth - 1) + ")";
    const std::string operation = choice == 4 ? "+" : "*";
    return expression(depth - 1) + blank() + operation + blank() + expression(depth - 1);
  }

 private:
  std::string blank() { return random_.below(2) == 0 ? " " : ""; }

  std::string leaf() {
    const std::vector<KernelInfo> table = kernel_table();
    const KernelInfo& info = table[static_cast<std::size_t>(random_.below(Index(table.size())))];
    if (random_.below(6) == 0) return info.name;
    const bool sees_inputs = info.name != "constant" && info.name != "white";
    const bool columns = sees_inputs && random_.below(2) == 0;
    std::string arguments;
    for (const std::string& parameter : info.parameters) {
      const bool per_input =
          parameter == "lengthscale" || (info.name == "linear" && parameter == "variance");
      std::string value = parameter == "degree" ? std::to_string(1 + random_.below(4))
                          : per_input && random_.below(2) == 0 ? list(columns ? 2 : 3)
                                                               : scalar();
      arguments += (arguments.empty() ? "" : ",") + blank() + parameter + blank() + "=" + value;
    }
    if (columns) arguments += random_.below(2) == 0 ? ", columns=[1, 3]" : ",columns=['b b',a]";
    return info.name + "(" + arguments + ")";
  }

  std::string list(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += (i == 0 ? "[" : ",") + scalar();
    return out + "]";
  }

  std::string scalar() {
    const double value = random_.log_uniform(1e-3, 1e3);
    const std::string number = testing::PrintToString(value);
    switch (random_.below(5)) {
      case 0:
        return "fixed(" + number + ")";
      case 1:
        return number + " in [1e-4, " + testing::PrintToString(value * 2) + "]";
      case 2:
        return "fixed(" + number + "~lognormal(-1, " + testing::PrintToString(value) + "))";
      default:
        return number;
    }
  }

  Random& random_;
};

TEST(KernelText, ReadsBackAsTheSameKernel) {
  const std::vector<std::string> names = {"a", "b b", "c"};
  const Matrix X = Random(99).matrix(5, 3);
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const std::string text = RandomText(random).expression(4);
    SCOPED_TRACE(random.trace() + ": " + text);
    const Kernel first = Kernel::parse(text);
    const Kernel second = Kernel::parse(first.text());
    ASSERT_EQ(second.text(), first.text());
    for (const auto& [a, b] :
         {std::pair(first, second),
          std::pair(first.bind(3, names),
                    Kernel::parse(first.bind(3, names).text()).bind(3, names))}) {
      const std::vector<Parameter> p = a.parameters(), q = b.parameters();
      ASSERT_EQ(p.size(), q.size());
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_EQ(p[i].name, q[i].name);
        ASSERT_EQ(p[i].value, q[i].value);
        ASSERT_EQ(p[i].fixed, q[i].fixed);
        ASSERT_EQ(p[i].lower, q[i].lower);
        ASSERT_EQ(p[i].upper, q[i].upper);
      }
      ASSERT_EQ(a.priors(), b.priors());
    }
    ASSERT_EQ(gram(first.bind(3, names), X), gram(second.bind(3, names), X));
  }
}

TEST(KernelText, ReadsBackNumbersOfEveryMagnitude) {
  Random random(5);
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 1000; ++i) {
    const double value = random.log_uniform(1e-100, 1e100);
    const Kernel kernel = kernels::white(value);
    EXPECT_EQ(Kernel::parse(kernel.text()).parameters()[0].value, value);
  }
}

struct Mistake {
  std::string text, message;
};

TEST(KernelParser, EveryMistakeIsOneSentenceThatPointsAtTheColumn) {
  const std::vector<Mistake> mistakes = {
      {"", "column 1: expected a kernel, such as rbf(lengthscale=2), found the end"},
      {"rbg", "column 1: unknown kernel 'rbg'; did you mean 'rbf'?"},
      {"gauss",
       "column 1: unknown kernel 'gauss'; known are rbf, matern12, matern32, matern52, rq, "
       "periodic, linear, poly, constant, white, group"},
      {"rbf(lenghtscale=2)",
       "column 5: unknown parameter 'lenghtscale'; did you mean 'lengthscale'?"},
      {"rbf(foo=2)",
       "column 5: unknown parameter 'foo'; known are variance, lengthscale, ard, columns, metric"},
      {"rbf(1,2,3)", "column 9: rbf takes at most 2 values: variance, lengthscale"},
      {"white(1,2)", "column 9: white takes at most 1 value: variance"},
      {"rbf(variance=-1)", "column 14: variance = -1 must be positive"},
      {"rbf(0)", "column 5: variance = 0 must be positive"},
      {"rbf(lengthscale=nan)", "column 17: lengthscale = nan must be a finite number"},
      {"rbf(inf)", "column 5: variance = inf must be a finite number"},
      {"rbf(1e999)", "column 5: '1e999' is out of range"},
      {"rbf(1e-320)", "column 5: variance = 1e-320 must be between 1e-100 and 1e100"},
      {"rbf(1e200)", "column 5: variance = 1e+200 must be between 1e-100 and 1e100"},
      {"(rbf", "column 5: expected ')' to close the '(' of column 1, found the end"},
      {"rbf)", "column 4: unexpected ')'; expected '+', '*' or the end"},
      {"rbf(1", "column 6: expected ')' to close the '(' of column 4, found the end"},
      {"rbf(variance=", "column 14: expected a number, found the end"},
      {"rbf rbf", "column 5: unexpected 'rbf'; expected '+', '*' or the end"},
      {"rbf +", "column 6: expected a kernel, such as rbf(lengthscale=2), found the end"},
      {"rbf + * rbf", "column 7: expected a kernel, such as rbf(lengthscale=2), found '*'"},
      {"+ rbf", "column 1: expected a kernel, such as rbf(lengthscale=2), found '+'"},
      {"rbf(1,)", "column 7: expected a number, found ')'"},
      {"rbf(,1)", "column 5: expected a number, found ','"},
      {"rbf(variance 2)", "column 14: expected '=' after variance, found '2'"},
      {"rbf(variance=2, 3)", "column 17: an argument without a name after one with a name"},
      {"rbf(1, variance=2)", "column 8: variance is given twice"},
      {"rbf(variance=1, variance=2)", "column 17: variance is given twice"},
      {"rbf(variance=[1,2])", "column 14: variance of rbf is one number, not a list"},
      {"poly(1,1,2.5)", "column 10: degree = 2.5 must be a whole number from 1 to 100"},
      {"poly(1,1,0)", "column 10: degree = 0 must be a whole number from 1 to 100"},
      {"poly(degree=1000)", "column 13: degree = 1000 must be a whole number from 1 to 100"},
      {"poly(degree=fixed(2))", "column 13: expected a number, found 'fixed'"},
      {"constant(columns=[a])", "column 10: constant does not look at inputs; remove columns"},
      {"white(ard=true)", "column 7: white has no parameter per input; remove ard"},
      {"rbf(ard=yes)", "column 9: ard is true or false, not 'yes'"},
      {"rbf(columns=a)",
       "column 13: expected '[' before the columns, as in columns=[year, 2], found 'a'"},
      {"rbf(columns=[])", "column 14: expected a column, found ']'"},
      {"rbf(columns=[a,a])", "column 16: this column is listed twice"},
      {"rbf(columns=[0])",
       "column 14: columns are names or numbers from 1; quote a name that looks like a number"},
      {"rbf(columns=[a", "column 15: expected ']' to close the '[' of column 13, found the end"},
      {"rbf(columns=['a])", "column 14: this quote is not closed"},
      {"rbf(columns=[a b])", "column 16: expected ']' to close the '[' of column 13, found 'b'"},
      {"rbf(lengthscale=[1,2,3], columns=[a,b])",
       "column 1: lengthscale has 3 values for 2 columns"},
      {"rbf(lengthscale=[1,[2]])", "column 20: a list within a list"},
      {"rbf(lengthscale=[])", "column 18: expected a number, found ']'"},
      {"rbf(fixed(1)", "column 13: expected ')' to close the '(' of column 4, found the end"},
      {"fixed rbf", "column 7: expected '(' after fixed, found 'rbf'"},
      {"fixed(1)", "column 7: expected a kernel, such as rbf(lengthscale=2), found '1'"},
      {"rbf(fixed 1)", "column 11: expected '(' after fixed, found '1'"},
      {"rbf(2 in 3)", "column 10: expected '[' after in, as in 2 in [1, 3], found '3'"},
      {"rbf(2 in [3,4])", "column 10: variance = 2 is outside its bounds [3, 4]"},
      {"rbf(2 in [4,1])", "column 10: the bounds of variance must be in ascending order"},
      {"rbf(2 in [0,4])", "column 10: the bounds of variance must be positive"},
      {"rbf(2 in [1 4])", "column 13: expected ',' between the bounds, found '4'"},
      {"rbf(2 in [1,4)", "column 14: expected ']' to close the '[' of column 10, found ')'"},
      {"rbf(2 ~ beta(1,2))",
       "column 9: unknown prior 'beta'; known are normal, lognormal, gamma, inverse_gamma"},
      {"rbf(2 ~ gama(1,2))", "column 9: unknown prior 'gama'; did you mean 'gamma'?"},
      {"rbf(2 ~ gamma(1))",
       "column 16: expected ',' between the two numbers of a prior, found ')'"},
      {"rbf(2 ~ gamma(0,1))", "column 9: gamma needs two positive numbers"},
      {"rbf(2 ~ normal(0,-1))", "column 9: normal needs a finite mean and a positive sd"},
      {"rbf(2 ~ 3)", "column 9: expected a prior, found '3'"},
      {"rbf(2 ~ gamma)", "column 14: expected '(' after the name of a prior, found ')'"},
      {"rbf(0x10)", "column 5: variance = 0 must be positive"},
      {"rbf(1..2)", "column 7: expected ')' to close the '(' of column 4, found '.2'"},
      {"rbf(\"a\")", "column 5: expected a number, found '\"'"},
      {"RBF", "column 1: unknown kernel 'RBF'; did you mean 'rbf'?"},
      {"rbf - rbf", "column 5: unexpected '-'; expected '+', '*' or the end"},
      {"2 * rbf", "column 1: expected a kernel, such as rbf(lengthscale=2), found '2'"},
      {"rbf(+-1)", "column 5: expected a number, found '+'"},
      {"rbf(--1)", "column 5: expected a number, found '-'"},
      {"größe",
       "column 1: unknown kernel 'größe'; known are rbf, matern12, matern32, matern52, rq, "
       "periodic, linear, poly, constant, white, group"},
      {"rbf(größe=1)",
       "column 5: unknown parameter 'größe'; known are variance, lengthscale, ard, columns, metric"},
  };
  for (const Mistake& mistake : mistakes) {
    EXPECT_EQ(kernel_message(mistake.text), "kernel '" + mistake.text + "': " + mistake.message);
  }
}

TEST(KernelParser, OfALongTextShowsWhatIsAroundTheMistake) {
  EXPECT_EQ(kernel_message("white + white + white + rbf(lenghtscale=2) + white + white"),
            "kernel '…te + white + white + rbf(lenghtscale=2) …': column 29: "
            "unknown parameter 'lenghtscale'; did you mean 'lengthscale'?");
}

TEST(KernelParser, HostileTextsAreRefusedInOneShortLine) {
  const std::string bytes("\x01\xff\xc3\n\0", 5);
  for (const std::string& text : {std::string(100000, '('),
                                  std::string(1 << 20, '('),
                                  std::string((1 << 20) + 1, '('),
                                  std::string(5000, 'a'),
                                  "rbf(" + std::string(5000, 'b') + "=1)",
                                  "rbf(columns=['" + std::string(5000, 'c') + "'",
                                  "rbf(variance=" + std::string(400, '9') + ")",
                                  "rbf(variance=" + std::string(5000, '[') + "1",
                                  "white(" + std::string(5000, '-') + "1)",
                                  bytes,
                                  "rbf(" + bytes + ")",
                                  "rbf(columns=[" + bytes + ", 1",
                                  "rbf * " + bytes}) {
    std::string message = kernel_message(text);
    EXPECT_NE(message, "no error") << text.substr(0, 50);
    const std::string cut = "…";
    for (std::size_t at = 0; (at = message.find(cut)) != std::string::npos;)
      message.replace(at, cut.size(), "~");
    EXPECT_LE(message.size(), 210u) << message;  // the names of all kernels among them
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c < 0x7f) << message;
  }
}

TEST(KernelParser, DepthAndNumberOfKernelsAreBounded) {
  const std::string open(100, '('), close(100, ')');
  EXPECT_EQ(canonical(open + "rbf" + close), canonical("rbf"));
  EXPECT_NE(
      kernel_message("(" + open + "rbf" + close + ")").find("column 101: nested more than 100"),
      std::string::npos);
  std::string many = "rbf";
  for (int i = 1; i < 1000; ++i) many += "+rbf";
  EXPECT_EQ(Kernel::parse(many).parameters().size(), 2000u);
  EXPECT_NE(kernel_message(many + "*rbf").find("more than 1000 kernels"), std::string::npos);
}

TEST(KernelParser, AnyPrefixAndAnyChangedByteIsReadOrRefused) {
  const std::string text =
      "rbf(2 in [1, 3], lengthscale=[1, fixed(2)]) * (linear(columns=['a b', 2]) + "
      "fixed(rq(alpha=3 ~ gamma(2, 1))))";
  for (std::size_t length = 0; length <= text.size(); ++length)
    kernel_message(text.substr(0, length));
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = text;
    changed[static_cast<std::size_t>(random.below(Index(text.size())))] =
        static_cast<char>(random.below(256));
    kernel_message(changed);
  }
}

TEST(KernelParser, DoesNotDependOnTheLocale) {
  const std::locale before = std::locale();
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  std::locale::global(std::locale(before, new Comma));
  const std::string text = canonical("rbf(1.5, 0.25)");
  std::locale::global(before);
  EXPECT_EQ(text, "rbf(variance=1.5, lengthscale=0.25)");
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
