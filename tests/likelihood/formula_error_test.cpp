// What is wrong with a formula is said in one sentence: file, field, column, what is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "likelihood/formula/likelihood.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

// Poisson, with some of its fields replaced.
std::string poisson(const std::string& field = "", const std::string& value = "") {
  std::string out = "[likelihood]\n";
  const std::pair<std::string, std::string> fields[] = {{"domain", "\"count\""},
                                                        {"a", "\"1\""},
                                                        {"b", "\"exp(theta)\""},
                                                        {"c", "\"-lgamma(y+1)\""},
                                                        {"T", "\"y\""},
                                                        {"theta", "\"eta\""}};
  bool replaced = field.empty();
  for (const auto& [name, text] : fields) {
    out += name + " = " + (name == field ? value : text) + "\n";
    replaced = replaced || name == field;
  }
  return replaced ? out : out + field + " = " + value + "\n";
}
std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }
std::string wrong(const std::string& field, const std::string& value) {
  return message([&] { make_likelihood(poisson(field, value)); });
}

double value_of(const std::string& text, double y = 0, double phi = 1) {
  return formula::Expression::parse(text, {"formula: field 'c'", "y", true}).evaluate(y, phi);
}

TEST(FormulaExpression, FollowsTheUsualRules) {
  EXPECT_EQ(value_of("1 + 2*3"), 7);
  EXPECT_EQ(value_of("-3^2"), -9);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of("8/4/2"), 1);
  EXPECT_EQ(value_of("8 - 4 - 2"), 2);
  EXPECT_EQ(value_of("--y", 3), 3);
  EXPECT_EQ(value_of("(1 - y)*(2/y) - y/4 + 1/y", 4), -2.25);
  EXPECT_EQ(value_of(" 1.5e1\t*\n y ", 2), 30);
  EXPECT_EQ(value_of("2^y + y^2 + y^phi", 3, 3), 8 + 9 + 27);
  EXPECT_EQ(value_of("0^phi*y", 3, 3), 0);
  EXPECT_CLOSE(value_of("log(e) + pi"), 1 + M_PI, 1e-15);
}

TEST(FormulaExpression, HasTheFunctionsOfTheLibrary) {
  for (const double x : {0.3, 1.0, 2.5, 40.0}) {
    EXPECT_CLOSE(value_of("exp(y)", x), std::exp(x), 1e-15);
    EXPECT_CLOSE(value_of("log(y)", x), std::log(x), 1e-15);
    EXPECT_CLOSE(value_of("log1p(y)", x), std::log1p(x), 1e-15);
    EXPECT_CLOSE(value_of("expm1(y)", x), std::expm1(x), 1e-15);
    EXPECT_CLOSE(value_of("sqrt(y)", x), std::sqrt(x), 1e-15);
    EXPECT_CLOSE(value_of("tanh(y)", x), std::tanh(x), 1e-15);
    EXPECT_CLOSE(value_of("lgamma(y)", x), std::lgamma(x), 1e-14);
    EXPECT_CLOSE(value_of("softplus(-y)", x), std::log1p(std::exp(-x)), 1e-15);
    EXPECT_CLOSE(value_of("log_softplus(y)", x), std::log(std::log1p(std::exp(x))), 1e-14);
    EXPECT_CLOSE(value_of("log_ndtr(y)", x), std::log(std::erfc(-x / std::sqrt(2)) / 2), 1e-14);
    EXPECT_CLOSE(value_of("log1mexp(-y)", x), std::log1p(-std::exp(-x)), 1e-14);
    EXPECT_CLOSE(value_of("logistic(-y)", x), 1 / (1 + std::exp(x)), 1e-15);
    EXPECT_CLOSE(value_of("y^0.7", x), std::pow(x, 0.7), 1e-14);
  }
  for (const char* text : {"log(-y)", "lgamma(-y)", "sqrt(-y)", "(-y)^0.5", "log1mexp(y)"}) {
    EXPECT_TRUE(std::isnan(value_of(text, 1))) << text;
  }
}

TEST(FormulaExpression, DerivativesMatchFiniteDifferences) {
  const std::vector<std::string> texts = {"exp(y)*phi",
                                          "log(y)/phi",
                                          "log1p(y*phi)",
                                          "expm1(y)",
                                          "sqrt(y + phi)",
                                          "tanh(y - phi)",
                                          "lgamma(y/phi)",
                                          "softplus(y)^2",
                                          "log_softplus(y)*phi",
                                          "log_ndtr(-y)",
                                          "log1mexp(-y*phi)",
                                          "logistic(y/phi)",
                                          "y^2.5",
                                          "y^-3",
                                          "y^phi",
                                          "2^(y*phi)",
                                          "3 - 1/y",
                                          "phi/(y + 1)"};
  const double y = 0.8, phi = 1.3, h = 1e-5;
  for (const std::string& text : texts) {
    const auto f = formula::Expression::parse(text, {"f", "y", true});
    const auto jet = [&](double at, double p) {
      const auto [e, q] = numeric::ad::make_ftuple<double, 3, 1>(at, p);
      return f.evaluate(numeric::Jet31(e), numeric::Jet31(q));
    };
    const auto here = jet(y, phi), right = jet(y + h, phi), left = jet(y - h, phi);
    const auto up = jet(y, phi + h), down = jet(y, phi - h);
    EXPECT_EQ(here.derivative(0, 0), f.evaluate(y, phi)) << text;
    EXPECT_CLOSE(f.at_phi(phi).evaluate(y, 99.0), f.evaluate(y, phi), 1e-14) << text;
    for (std::size_t k = 0; k < 3; ++k) {
      const double slope = (right.derivative(k, 0) - left.derivative(k, 0)) / (2 * h);
      EXPECT_CLOSE(here.derivative(k + 1, 0), slope, 1e-7) << text << " order " << k + 1;
      const double dphi = (up.derivative(k, 0) - down.derivative(k, 0)) / (2 * h);
      EXPECT_CLOSE(here.derivative(k, 1), dphi, 1e-7) << text << " d phi, order " << k;
    }
  }
}

// An exponent that becomes a number is one that was a number: to the last bit, where exp(e log x) is NaN too.
TEST(FormulaExpression, APowerWithPhiIsThePowerWithANumber) {
  for (const char* text : {"softplus(-exp(y)^4^phi)",
                           "y^phi",
                           "y^(6*phi) - y^3",
                           "sqrt(y^(6*phi) - y^3)",
                           "1/y^(2*phi)"}) {
    const auto f = formula::Expression::parse(text, {"f", "y", true});
    for (const double y : {0.0, -0.0, 1.0, -2.5, 0.7, 1e300, double(INFINITY)})
      for (const double phi : {0.5, 2.0, 3.0, 1e-100, 1e100}) {
        const double filled = f.at_phi(phi).evaluate(y, 99.0), argument = f.evaluate(y, phi);
        EXPECT_TRUE(filled == argument || (std::isnan(filled) && std::isnan(argument)))
            << text << " y " << y << " phi " << phi << ": " << filled << ", " << argument;
      }
  }
  const auto f = formula::Expression::parse("softplus(-exp(y)^4^phi)", {"f", "y", true});
  EXPECT_EQ(f.evaluate(0.0, 1e100), std::log1p(std::exp(-1.0)));  // 1^infinity is 1
  const auto square = formula::Expression::parse("y^phi", {"f", "y", true});
  EXPECT_EQ(square.evaluate(-3.0, 2.0), 9);
}

TEST(FormulaError, SaysWhereAndWhatIsKnown) {
  EXPECT_EQ(
      wrong("b", in_quotes("exp(thta)")),
      "formula: field 'b', column 5: unknown name 'thta'; known are theta, phi, pi, e, and the "
      "functions exp, log, log1p, expm1, sqrt, tanh, lgamma, softplus, log_softplus, "
      "log_ndtr, log1mexp, logistic");
  EXPECT_THAT(wrong("a", in_quotes("y")),
              HasSubstr("field 'a', column 1: this formula does not depend on 'y'"));
  EXPECT_THAT(wrong("T", in_quotes("y*phi")),
              HasSubstr("column 3: this formula does not depend on 'phi'"));
  EXPECT_THAT(wrong("b", in_quotes("exp(theta, 2)")),
              HasSubstr("column 10: 'exp' has 1 argument, found a second"));
  EXPECT_THAT(wrong("b", in_quotes("exp()")),
              HasSubstr("column 1: 'exp' needs 1 argument, found none"));
  EXPECT_THAT(wrong("b", in_quotes("exp theta")),
              HasSubstr("column 1: 'exp' is a function; write exp(...)"));
  EXPECT_THAT(wrong("b", in_quotes("theta(2)")), HasSubstr("column 6: 'theta' is not a function"));
  EXPECT_THAT(wrong("b", in_quotes("2 theta")),
              HasSubstr("column 3: 'theta' is not expected here"));
  EXPECT_THAT(wrong("b", in_quotes("(theta")),
              HasSubstr("column 7: expected ')' to close the '(' of column 1"));
  EXPECT_THAT(wrong("b", in_quotes("theta)")), HasSubstr("column 6: ')' is not expected"));
  EXPECT_THAT(wrong("b", in_quotes("theta +")),
              HasSubstr("column 8: a number or a name is missing"));
  EXPECT_THAT(wrong("b", in_quotes("theta ** 2")),
              HasSubstr("column 8: expected a number, a name or '('"));
  EXPECT_THAT(wrong("b", in_quotes("1e999")), HasSubstr("column 1: '1e999' is out of range"));
  EXPECT_THAT(wrong("b", in_quotes("theta/0")), HasSubstr("column 6: division by zero"));
  EXPECT_THAT(wrong("b", in_quotes("theta/(1-1)")), HasSubstr("column 6: division by zero"));
  EXPECT_THAT(wrong("b", in_quotes("log(0)*theta")), HasSubstr("column 1: log(0) is -inf"));
  EXPECT_THAT(wrong("b", in_quotes("")), HasSubstr("column 1: a number or a name is missing"));
  EXPECT_THAT(wrong("b", in_quotes("theta $ 2")), HasSubstr("column 7: '$' is not expected"));
  EXPECT_THAT(wrong("b", in_quotes("system('ls')")), HasSubstr("unknown name 'system'"));
}

TEST(FormulaError, RefusesDepthAndLengthQuickly) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(wrong("b", in_quotes(std::string(200, '(') + "theta" + std::string(200, ')'))),
              HasSubstr("column 101: nested more than 100 deep"));
  EXPECT_THAT(wrong("b", in_quotes(std::string(30'000, '-') + "theta")),
              HasSubstr("the limit is 2000"));
  EXPECT_THAT(wrong("b", in_quotes(std::string(1000, '-') + "theta")), HasSubstr("more than 100"));
  std::string long_text = "theta";
  for (int i = 0; i < 500'000; ++i) long_text += "+1";
  EXPECT_THAT(wrong("b", in_quotes(long_text)), HasSubstr("a formula has at most 65536"));
  EXPECT_THAT(message([&] {
                formula::Expression::parse(long_text, {"x", "theta", true});
              }),
              HasSubstr("the formula has 1000001 names, numbers and signs; the limit is 2000"));
  EXPECT_THAT(message([] { make_likelihood("x = " + std::string(60'000, '[') + "\n"); }),
              HasSubstr("formula: line 1"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(FormulaError, NamesWhatIsMissingOrUnknownInTheFile) {
  EXPECT_THAT(
      message([] { make_likelihood("[likelihood]\ndomain = \"count\"\n"); }),
      HasSubstr("formula: field 'a' is missing; [likelihood] needs domain, a, b, c, T and theta"));
  EXPECT_THAT(message([] { make_likelihood("\n"); }),
              HasSubstr("the table [likelihood] is missing"));
  EXPECT_THAT(message([] { make_likelihood("likelihood = 3\n"); }),
              HasSubstr("[likelihood] is missing"));
  EXPECT_THAT(message([] { make_likelihood("[liklihood]\na = 1\n"); }),
              HasSubstr("unknown entry 'liklihood'"));
  EXPECT_THAT(message([] { make_likelihood("[likelihood\n"); }),
              HasSubstr("formula: line 1, column"));
  for (const char* text : {"[[[likelihood]]]\n", "[[=\n", "[[[]]\n"}) {  // toml++ asserts there
    EXPECT_THAT(message([&] { make_likelihood(text); }), HasSubstr("formula: ")) << text;
  }
  EXPECT_THAT(wrong("link", "\"log\""), HasSubstr("unknown field 'link'; there are domain, a,"));
  EXPECT_THAT(wrong("domain", "\"integer\""),
              HasSubstr("unknown domain 'integer'; there are real, positive"));
  EXPECT_THAT(wrong("b", "[1]"), HasSubstr("field 'b' is not a text in quotes"));
  EXPECT_THAT(wrong("b", "nan"), HasSubstr("field 'b' is nan"));
  EXPECT_THAT(wrong("T", "\"2\""), HasSubstr("field 'T' does not depend on y"));
  EXPECT_THAT(wrong("theta", "\"phi\""), HasSubstr("field 'theta' does not depend on eta"));
  EXPECT_THAT(wrong("name", "\"\""), HasSubstr("'name' is not one line"));
  EXPECT_THAT(wrong("dispersion", "0.5"), HasSubstr("no formula mentions phi"));
  EXPECT_THAT(wrong("dispersion", "\"1\""), HasSubstr("'dispersion' is not a number"));
  EXPECT_THAT(wrong("dispersion", "-1"), HasSubstr("dispersion -1 is not a finite number > 0"));
  EXPECT_THAT(message([] { make_likelihood(poisson(), "log"); }),
              HasSubstr("a formula has its link in theta"));
}

// Undefined behavior of toml++ 3.3 for U+00A0 to U+0499: it must not see them.
TEST(FormulaError, RefusesLettersOutsideOfQuotesBeforeTheyAreParsed) {
  for (const char* text : {"\u00fc = 1\n",
                           "[likelihood]\n\u0499 = 1\n",
                           "a = \u00a01\n",
                           "a = 'x'\u00aa\n",
                           "a = \"\"\u00aa\n",
                           "a = \"\\\"\"\u00aa\n",
                           "a = '\\'\u00aa\n",
                           "a = '''x''\n''''\u00aa\n",
                           "a = \"\"\"x\"\"\"\"\"\u00aa\n",
                           "a = \"x\n\u00aa\n",
                           "a = 1\"\u013d\"\n",
                           "a ==\"\u013d\"\n",
                           "a = -[\"\u013d\"]\n",
                           "a = [\nb=\"\u013d\"]\n",
                           "a = [\"]\",\nb=\"\u013d\"]\n",
                           "a = [\"#\", \u013d]\n",
                           "# c\n\u00aa\n"})
    EXPECT_THAT(message([&] { make_likelihood(text); }), HasSubstr("stands outside of quotes"))
        << text;
  EXPECT_EQ(message([] { make_likelihood("[likelihood]\na = \"1\"\n\u00fc = 1\n"); }),
            "formula: line 3: '\u00fc' stands outside of quotes; there TOML has plain ASCII");
}

// It asks there, too, whether they are spaces: at once, and where a line goes on.
TEST(FormulaError, RefusesLettersBehindABackslashBeforeTheyAreParsed) {
  for (const char* text : {"a = \"\"\"x\\\u00aa\"\"\"\n",
                           "a = \"\"\"x\\\\\\\ufefd\"\"\"\n",
                           "a = \"\"\"x\\\n \t\n \ufefd\"\"\"\n",
                           "a = \"\"\"x\\ \ufefd\"\"\"\n",
                           "a = \"x\\\u00aa\"\n"})
    EXPECT_THAT(message([&] { make_likelihood(text); }), HasSubstr("follows a backslash")) << text;
}

TEST(FormulaFile, HasLettersInQuotesAndComments) {
  EXPECT_EQ(make_likelihood("# \u00fcber\n[likelihood]\ndomain='binary'\na='1' # \u00e4\n"
                            "b='softplus(theta)'\nc='0'\nT='y'\ntheta=\"eta\"\n"
                            "name=\"\"\"gr\u00f6\u00dfe\"\"\"\n")
                ->name(),
            "gr\u00f6\u00dfe");
  EXPECT_EQ(
      make_likelihood("[likelihood]\ndomain='binary'\na='1'\nb='softplus(theta)'\nc='0'\nT='y'\n"
                      "theta=\"\"\"\\\n  eta\"\"\"\nname=\"\\\"\u00e4\\\\\u00df\"\n")
          ->name(),
      "\"\u00e4\\\u00df");
}

TEST(FormulaFile, MayBeOneLine) {
  EXPECT_EQ(make_likelihood("likelihood = {domain='binary', a='1', b='softplus(theta)', c='0', "
                            "T='y', theta='eta', name='one-line'}")
                ->name(),
            "one-line");
}

TEST(FormulaError, SaysByHowMuchADensityDoesNotNormalize) {
  EXPECT_EQ(
      wrong("c", in_quotes("-lgamma(y+1) + 1")),
      "formula: the density does not normalize: at eta = -1 it sums to 2.7182818, off by 1.72; "
      "check b and c");
  EXPECT_THAT(wrong("c", "0"), HasSubstr("does not normalize"));
  EXPECT_THAT(wrong("b", in_quotes("sqrt(theta)")),
              HasSubstr("field 'b' is not a number at eta = -1"));
  EXPECT_THAT(wrong("theta", in_quotes("log(eta)")),
              HasSubstr("field 'theta' is not a number at eta = -1"));
  EXPECT_THAT(wrong("c", in_quotes("log(-y)")),
              HasSubstr("field 'c' is not a number at eta = -1, y = 1"));
  EXPECT_THAT(wrong("c", in_quotes("lgamma(y)-lgamma(y)")),
              HasSubstr("not a number at eta = -1, y = 0"));
  EXPECT_THAT(wrong("theta", in_quotes("exp(exp(exp(eta+9)))")),
              HasSubstr("infinite at eta = -1, 0, 0.6 and 1"));
  // Right at -1, 0 and 1, but only there.
  EXPECT_THAT(message([&] {
                make_likelihood(
                    "[likelihood]\ndomain = \"real\"\na = 1\nb = \"theta^4/2\"\n"
                    "c = \"-y^2/2 - log(2*pi)/2\"\nT = \"y\"\ntheta = \"eta\"\n");
              }),
              HasSubstr("does not normalize: at eta = 0.6 it integrates to 1.12"));
  // Right where phi starts, but only there.
  const std::string gaussian =
      "[likelihood]\ndomain = \"real\"\na = \"phi\"\nb = \"theta^2/2\"\n"
      "c = \"-y^2/(2*phi) - log(2*pi)/2\"\nT = \"y\"\ntheta = \"eta\"\n";
  EXPECT_THAT(message([&] { make_likelihood(gaussian); }),
              AllOf(HasSubstr("phi = 0.8 it integrates to 0.89442719"), HasSubstr("off by 0.106")));
}

TEST(FormulaError, RefusesExposureThatIsNoShiftOfEta) {
  const auto geometric = make_likelihood(
      "[likelihood]\ndomain = \"count\"\na = 1\nb = \"-log1mexp(theta)\"\nc = 0\nT = \"y\"\n"
      "theta = \"-softplus(-eta)\"\n");
  EXPECT_FALSE(geometric->exposure_shifts_eta());
  EXPECT_FALSE(geometric->log_concave());
  const std::vector<Row> rows = {{.y = 1}, {.y = 2, .exposure = 3}};
  try {
    geometric->check(rows);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("row 2: exposure = 3"), HasSubstr("use an offset")));
  }
}

// Single bytes replaced, inserted, removed and swapped: a likelihood or one sentence, nothing else.
TEST(FormulaError, AnyTextIsALikelihoodOrOneSentence) {
  std::mt19937_64 random(7);
  const std::string alphabet = "()+-*/^.,0123456789eylogxpthaTbc_\"'= \n\t#[]{}\\\x01\xc3\xff";
  int accepted = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = poisson(trial % 2 == 0 ? "" : "theta", in_quotes("log_softplus(eta)*1 + 0"));
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char byte = alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, 1);
          break;
        default:
          std::swap(text[at], text[random() % text.size()]);
      }
    }
    SCOPED_TRACE(text);
    const std::string said = message([&] { make_likelihood(text); });
    if (said == "no error") ++accepted;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  EXPECT_GT(accepted, 20);
}

TEST(FormulaFile, IsReadFromAPathThatEndsInToml) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("ggpm-formula-" + std::to_string(getpid()) + ".toml"))
                               .string();
  std::ofstream(path) << poisson("name", "\"my-poisson\"");
  const auto likelihood = make_likelihood(path);
  EXPECT_EQ(likelihood->name(), "my-poisson");
  EXPECT_EQ(formula::formula_text(path), poisson("name", "\"my-poisson\""));
  std::ofstream(path) << poisson("b", in_quotes("exp(thta)"));
  EXPECT_THAT(message([&] { make_likelihood(path); }),
              AllOf(HasSubstr(path + ": field 'b', column 5"), Not(HasSubstr("\n"))));
  std::ofstream(path) << std::string(1'000'000, '#');
  EXPECT_THAT(message([&] { make_likelihood(path); }), HasSubstr("longer than 65536 bytes"));
  std::filesystem::remove(path);
  EXPECT_THAT(message([&] { make_likelihood(path); }), HasSubstr(": cannot be read: No such file"));
  EXPECT_THAT(message([] { make_likelihood("unheard-of"); }),
              HasSubstr("path of a formula (*.toml)"));
}

}  // namespace
}  // namespace ggpm::internal
