// Files that the command reads and writes, names that it shows, memory that it may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "ggpm/model.hpp"
#include "support/sanitizer.hpp"

namespace ggpm::internal {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::file_contents;
using testing_support::run_command;
using testing_support::RunningCommand;
using testing_support::Shell;
using testing_support::write_file;

const std::string kFit = "ggpm fit d.csv --target y --likelihood gaussian --restarts 0 --quiet ";
constexpr const char* kFormula =
    "[likelihood]\ndomain = \"count\"\na = \"1\"\nb = \"exp(theta)\"\nc = \"-lgamma(y+1)\"\n"
    "T = \"y\"\ntheta = \"eta\"\n";

TEST(OutputFile, IsNeverOneThatIsRead) {
  const Shell shell;
  const std::string table = "x,y\n1,2\n2,3\n3,5\n4,7\n5,6\n";
  write_file(shell.file("d.csv"), table);
  write_file(shell.file("f.toml"), kFormula);
  ASSERT_EQ(shell.run("ln -s d.csv link.csv; mkdir sub; " + kFit + "-o m.ggpm").exit_code, 0);
  const std::string model = file_contents(shell.file("m.ggpm"));
  const std::string compare =
      "ggpm compare d.csv --target y --likelihoods gaussian --splits 2 --restarts 0 --quiet ";
  for (const std::string& line : std::vector<std::string>{
           kFit + "-o d.csv",
           kFit + "-o ./sub/../d.csv",
           kFit + "-o link.csv",
           "ggpm fit link.csv --target y --likelihood gaussian -o d.csv",
           "ggpm fit - --target y --likelihood gaussian -o d.csv < d.csv",
           std::string("ggpm fit d.csv --target y --likelihood f.toml -o f.toml"),
           std::string("ggpm predict m.ggpm d.csv -o d.csv"),
           std::string("ggpm predict m.ggpm d.csv -o m.ggpm"),
           std::string("ggpm predict m.ggpm - -o d.csv < d.csv"),
           std::string("ggpm simulate d.csv --inputs x --target z -o d.csv"),
           std::string("ggpm report m.ggpm -o m.ggpm"),
           std::string("ggpm report m.ggpm d.csv -o d.csv"),
           std::string("ggpm report m.ggpm -o fit.svg --figure fit.svg"),
           std::string("ggpm report m.ggpm --figure marginal.svg,fit.svg,fit.svg"),
           compare + "--csv d.csv",
           compare + "--report d.csv",
           compare + "--resume d.csv",
           compare + "--csv new --report ./new",
           compare + "--likelihoods f.toml --csv f.toml"}) {
    const auto result = shell.run(line);
    EXPECT_EQ(result.exit_code, 2) << line << result.error;
    EXPECT_THAT(result.error, HasSubstr("give it another name")) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_EQ(file_contents(shell.file("d.csv")), table) << line;
    EXPECT_EQ(file_contents(shell.file("m.ggpm")), model) << line;
    EXPECT_EQ(file_contents(shell.file("f.toml")), kFormula) << line;
  }
  // Names that are no files, and devices, may well be the same.
  EXPECT_EQ(shell
                .run("touch poisson; ggpm fit d.csv --target y --likelihood poisson --no-optimize "
                     "--quiet -o poisson")
                .exit_code,
            0);
  EXPECT_EQ(shell.run(kFit + "-o /dev/null").exit_code, 0);
  EXPECT_EQ(
      shell.run("cat d.csv | ggpm predict m.ggpm - -o 'a,b.csv' && test -s a,b.csv").exit_code, 0);
}

TEST(OutputFile, MayNotBeReadOnly) {
  const Shell shell;
  write_file(shell.file("d.csv"), "x,y\n1,2\n2,3\n3,5\n");
  const auto result = shell.run("echo kept > m.ggpm; chmod 444 m.ggpm; " + kFit + "-o m.ggpm");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error, HasSubstr("m.ggpm: is read-only"));
  EXPECT_EQ(file_contents(shell.file("m.ggpm")), "kept\n");
}

TEST(EmptyText, IsNotAValueOfAnyOption) {
  const Shell shell;
  write_file(shell.file("d.csv"), "x,y\n1,2\n2,3\n3,5\n");
  ASSERT_EQ(shell.run(kFit + "-o m.ggpm").exit_code, 0);
  for (const std::string& line :
       std::vector<std::string>{std::string("ggpm fit d.csv --target ''"),
                                std::string("ggpm fit '' --target y"),
                                kFit + "-o ''",
                                kFit + "--trials ''",
                                kFit + "--exposure ''",
                                kFit + "--offset ''",
                                kFit + "--link ''",
                                kFit + "--kernel ''",
                                kFit + "--mean ''",
                                kFit + "--warp ''",
                                kFit + "--inputs ''",
                                std::string("ggpm predict m.ggpm d.csv -o ''"),
                                std::string("ggpm score m.ggpm ''"),
                                std::string("ggpm show ''"),
                                std::string("ggpm report m.ggpm -o ''"),
                                std::string("ggpm simulate --target ''"),
                                std::string("ggpm describe d.csv --target ''"),
                                std::string("ggpm compare d.csv --target ''"),
                                std::string("ggpm compare d.csv --target y --resume ''"),
                                std::string("ggpm reproduce links -o ''")}) {
    const auto result = shell.run(line);
    EXPECT_EQ(result.exit_code, 2) << line << result.error;
    EXPECT_THAT(result.error, HasSubstr("empty")) << line;
  }
}

// A model of arrays, from Python, whose target has no name.
TEST(EmptyText, AsTheNameOfATargetIsNotAnInputToo) {
  const Shell shell;
  const Dataset data{.X = Vector::LinSpaced(4, 0, 3),
                     .observed = {.y = Vector{{1.0, 2.0, 2.0, 4.0}}},
                     .columns = {"y"}};
  save_model({.model = GeneralizedGP::fit(data, {.likelihood = "poisson"}, {.optimize = false})},
             shell.file("m.ggpm"));
  write_file(shell.file("d.csv"), "y\n1\n2\n");
  const auto predicted = shell.run("ggpm predict m.ggpm d.csv");
  EXPECT_EQ(predicted.exit_code, 0) << predicted.error;
  EXPECT_THAT(predicted.out, Not(HasSubstr("log_density")));
  EXPECT_EQ(shell.run("ggpm score m.ggpm d.csv").exit_code, 3);
}

bool is_harmless(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return false;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
  }
  return true;
}

// ESC [, its single-byte form in UTF-8, a bell, a line of its own, and letters from right to left.
TEST(Names, AreShownWithoutBeingObeyed) {
  const Shell shell;
  const std::string evil = "\x1b[31mred\u009b1m\x07\u202E";
  write_file(shell.file("d.csv"),
             "\"a" + evil + "\nline 2\",k" + evil + ",y" + evil + "\n1,u" + evil +
                 ",2\n2,v,3\n3,v,5\n4,u" + evil + ",7\n");
  write_file(shell.file("f.toml"), std::string(kFormula) + "name = \"\u009b31mred\"\n");
  const std::string target = " --target $'y" + evil + "' ";
  const std::string fit = "ggpm fit d.csv" + target + "--kernel 'rbf(ard=true)' --restarts 0 ";
  ASSERT_EQ(shell.run(fit + "-o m.ggpm").exit_code, 0);
  for (const std::string& line : std::vector<std::string>{
           fit,
           fit + "--json",
           std::string("ggpm show m.ggpm"),
           std::string("ggpm show m.ggpm --json"),
           std::string("ggpm show m.ggpm m.ggpm"),
           "ggpm describe d.csv" + target,
           std::string("ggpm score m.ggpm d.csv"),
           std::string("ggpm predict m.ggpm d.csv"),
           "ggpm compare d.csv" + target + "--restarts 0 --splits 2 --likelihoods gaussian"}) {
    const auto result = shell.run(line);
    EXPECT_EQ(result.exit_code, 0) << line << result.error;
    EXPECT_TRUE(is_harmless(result.out)) << line << "\n" << result.out;
    EXPECT_TRUE(is_harmless(result.error)) << line << "\n" << result.error;
  }
  EXPECT_THAT(shell.run("ggpm describe d.csv").out, HasSubstr("a\\u001b[31mred\\u009b1m\\u0007"));
  const auto shown = nlohmann::json::parse(shell.run("ggpm show m.ggpm --json").out);
  EXPECT_EQ(shown["columns"]["inputs"][0], "a" + evil + "\nline 2");  // in JSON the name is whole
  for (const std::string& line :
       std::vector<std::string>{"ggpm fit d.csv --target $'" + evil + "'",
                                "ggpm fit $'" + evil + "' --target y",
                                "ggpm fit d.csv --target y --likelihood $'" + evil + "'",
                                "ggpm fit d.csv --target y --kernel $'" + evil + "'",
                                "ggpm $'" + evil + "'",
                                std::string("ggpm fit d.csv --target y --likelihood f.toml")}) {
    const auto result = shell.run(line);
    EXPECT_NE(result.exit_code, 0) << line;
    EXPECT_TRUE(is_harmless(result.error)) << line << "\n" << result.error;
  }
}

TEST(Spreadsheet, FindsNoFormulaInText) {
  const Shell shell;
  write_file(shell.file("d.csv"), "x,y\n1,=cmd|' /C calc'!A0\n2,+b\n3,+b\n-4,=cmd|' /C calc'!A0\n");
  ASSERT_EQ(shell.run("ggpm fit d.csv --target y --restarts 0 --quiet -o m.ggpm").exit_code, 0);
  const std::string predict = "ggpm predict m.ggpm d.csv --columns q0.025,q0.975 ";
  EXPECT_THAT(shell.run(predict).out, HasSubstr("\n+b,=cmd|"));  // as it is, unless asked
  EXPECT_THAT(shell.run(predict + "--spreadsheet").out, HasSubstr("\n'+b,'=cmd|"));
  const std::string table =
      shell.run("ggpm simulate d.csv --inputs x --target z --spreadsheet").out;
  EXPECT_THAT(table, HasSubstr("\n-4,'=cmd|"));  // a number stays one
}

// With two threads OpenBLAS hung before main, with one in the first product.
TEST(ShortMemory, EndsWithAnAnswerOrASentence) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  const Shell shell;
  ASSERT_EQ(shell
                .run("ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 0 "
                     "--quiet -o m.ggpm")
                .exit_code,
            0);
  for (const char* threads : {"1", "2", "8"})
    for (const int kilobytes : {80000, 100000, 150000, 200000, 250000, 300000, 400000, 700000})
      for (const std::string& command :
           {std::string("ggpm fit examples/counts.csv --target n --likelihood poisson "
                        "--restarts 2 --quiet --threads 2"),
            std::string("ggpm predict m.ggpm examples/counts.csv"),
            std::string("ggpm likelihoods")}) {
        const auto result =
            shell.run("export OPENBLAS_NUM_THREADS=" + std::string(threads) + "; ulimit -v " +
                      std::to_string(kilobytes) + "; exec timeout -s KILL 30 " + command);
        const std::string where = command + " " + threads + " " + std::to_string(kilobytes);
        EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3)
            << where << ": " << result.exit_code << result.error;
        if (result.exit_code == 3) {
          EXPECT_THAT(result.error, HasSubstr("memory")) << where;
        }
        if (kilobytes >= 700000 || command == "ggpm likelihoods") {
          EXPECT_EQ(result.exit_code, 0) << where << result.error;
        }
      }
}

// What a file claims is not built to be shown.
TEST(ShortMemory, SufficesToShowAModel) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  const Shell shell;
  ASSERT_EQ(shell
                .run("ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 0 "
                     "--quiet -o m.ggpm")
                .exit_code,
            0);
  EXPECT_EQ(shell.run("ulimit -v 100000; ggpm show m.ggpm").exit_code, 0);
  EXPECT_EQ(shell.run("ulimit -v 100000; ggpm predict m.ggpm examples/counts.csv").exit_code, 3);
}

// Work that waits for something else than us does not look for signals.
TEST(SlowInterrupt, IsObeyedByWorkThatDoesNotLook) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("mkfifo never; ggpm fit examples/counts.csv --target n --likelihood poisson "
                     "--restarts 0 --quiet -o m.ggpm")
                .exit_code,
            0);
  const int writer = open(shell.file("never").c_str(), O_RDWR);
  ASSERT_EQ(write(writer, "x\n", 2), 2);
  RunningCommand predict(
      {"predict", shell.file("m.ggpm"), shell.file("never")}, shell.file("o"), shell.file("e"));
  EXPECT_EQ(predict.wait(1), -1);
  predict.signal(SIGTERM);
  EXPECT_EQ(predict.wait(20), 130);
  EXPECT_THAT(file_contents(shell.file("e")), HasSubstr("did not stop by itself"));
  close(writer);
}

}  // namespace
}  // namespace ggpm::internal
