#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>

#include "cli/process.hpp"
#include "ggpm/data.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::file_contents;
using testing_support::run_command;
using testing_support::Shell;
using testing_support::TemporaryFolder;
using testing_support::write_file;

using Words = std::vector<std::string>;

// A small model of counts with an exposure, and the table it came from.
class Predict : public testing::Test {
 protected:
  void SetUp() override {
    std::string table = "x,e,n\n";
    for (int i = 0; i < 20; ++i)
      table += std::to_string(i) + "," + std::to_string(1 + i % 3) + "," +
               std::to_string((1 + i % 3) * (i / 4)) + "\n";
    write_file(data_, table);
    const auto fitted = run_command({"fit",
                                     data_,
                                     "--target",
                                     "n",
                                     "--exposure",
                                     "e",
                                     "--likelihood",
                                     "poisson",
                                     "--restarts",
                                     "2",
                                     "--quiet",
                                     "-o",
                                     model_});
    ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  }
  TemporaryFolder folder_;
  std::string data_ = folder_.file("data.csv"), model_ = folder_.file("m.ggpm");
};

TEST_F(Predict, WritesTheColumnsOfTheContract) {
  const auto result = run_command({"predict", model_, data_, "--latent"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, "");
  const Table table = parse_csv(result.out, "out");
  EXPECT_THAT(table.names(),
              ElementsAre("mean",
                          "sd",
                          "mode",
                          "q0.025",
                          "q0.5",
                          "q0.975",
                          "latent_mean",
                          "latent_sd",
                          "log_density"));
  EXPECT_EQ(table.rows(), 20);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_LE(numeric_column(table, "q0.025")(i), numeric_column(table, "q0.5")(i));
    EXPECT_LE(numeric_column(table, "q0.5")(i), numeric_column(table, "q0.975")(i));
    EXPECT_GT(numeric_column(table, "sd")(i), 0);
    EXPECT_LT(numeric_column(table, "log_density")(i), 0);
  }
}

TEST_F(Predict, NeedsNoTargetButTheExposure) {
  const auto result = run_command({"predict", model_, "-"}, "e,x,other\n2,3.5,a\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(parse_csv(result.out, "out").names(),
              ElementsAre("mean", "sd", "mode", "q0.025", "q0.5", "q0.975"));
  const auto doubled = run_command({"predict", model_, "-"}, "x,e\n3.5,4\n");
  EXPECT_CLOSE(numeric_column(parse_csv(doubled.out, "out"), "mean")(0),
               2 * numeric_column(parse_csv(result.out, "out"), "mean")(0),
               1e-9);
  const auto missing = run_command({"predict", model_, "-"}, "x\n3.5\n");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.error, HasSubstr("standard input: column 'e' is missing"));
  EXPECT_THAT(missing.error, HasSubstr("exposure"));
}

TEST_F(Predict, AnswersMissingTargetsWithoutADensity) {
  const auto result = run_command({"predict", model_, "-"}, "x,e,n\n1,1,NA\n2,1,3\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const Table table = parse_csv(result.out, "out");
  EXPECT_TRUE(table.column("log_density").missing(0));
  EXPECT_FALSE(table.column("log_density").missing(1));
}

TEST_F(Predict, SelectsColumnsAndQuantiles) {
  const auto result =
      run_command({"predict", model_, data_, "--quantiles", "0.1,0.9", "--columns", "q0.9,mean"});
  EXPECT_THAT(parse_csv(result.out, "out").names(), ElementsAre("q0.9", "mean"));
  EXPECT_EQ(run_command({"predict", model_, data_, "--columns", "q0.9"}).exit_code, 2);
  EXPECT_EQ(run_command({"predict", model_, data_, "--quantiles", "0,1"}).exit_code, 2);
}

TEST_F(Predict, DrawsReproducibleSamples) {
  const Words words = {"predict", model_, data_, "--samples", "3", "--columns", "mean"};
  const auto result = run_command(words);
  EXPECT_THAT(parse_csv(result.out, "out").names(),
              ElementsAre("mean", "sample1", "sample2", "sample3"));
  EXPECT_EQ(run_command(words).out, result.out);
}

Vector column_of(const std::string& csv, const std::string& name) {
  return numeric_column(parse_csv(csv, "out"), name);
}

TEST_F(Predict, TellsHowSureItIsOfTheMean) {
  const auto result = run_command({"predict",
                                   model_,
                                   data_,
                                   "--mean-quantiles",
                                   "0.1,0.9",
                                   "--exceed",
                                   "3",
                                   "--columns",
                                   "mean_q0.1,mean_q0.9,p_mean_above,q0.025,q0.975"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const Vector low = column_of(result.out, "mean_q0.1"), high = column_of(result.out, "mean_q0.9"),
               above = column_of(result.out, "p_mean_above");
  for (Index i = 0; i < 20; ++i) {
    EXPECT_LT(low(i), high(i));
    EXPECT_LE(high(i), column_of(result.out, "q0.975")(i) + 1);
    EXPECT_EQ(above(i) > 0.9, low(i) > 3);
    EXPECT_EQ(above(i) < 0.1, high(i) < 3);
  }
  EXPECT_EQ(run_command({"predict", model_, data_, "--mean-quantiles", "95"}).exit_code, 2);
  EXPECT_EQ(run_command({"predict", model_, data_, "--exceed", "1,2"}).exit_code, 2);
}

TEST_F(Predict, LatentMeansAreWithoutExposure) {
  const auto of = [&](const char* rows) {
    return column_of(run_command({"predict", model_, "-", "--latent"}, rows).out, "latent_mean")(0);
  };
  EXPECT_EQ(of("x,e\n3.5,1\n"), of("x,e\n3.5,100\n"));
}

TEST_F(Predict, SplitsTheLatentIntoTerms) {
  const std::string model = folder_.file("terms.ggpm");
  ASSERT_EQ(run_command({"fit",
                         data_,
                         "--target",
                         "n",
                         "--exposure",
                         "e",
                         "--likelihood",
                         "poisson",
                         "--kernel",
                         "rbf + linear",
                         "--mean",
                         "constant(0.5)",
                         "--no-optimize",
                         "--quiet",
                         "-o",
                         model})
                .exit_code,
            0);
  const auto result = run_command({"predict",
                                   model,
                                   data_,
                                   "--terms",
                                   "--latent",
                                   "--columns",
                                   "prior.mean,rbf.mean,rbf.sd,linear.mean,linear.sd,latent_mean"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_CLOSE(Vector(column_of(result.out, "prior.mean") + column_of(result.out, "rbf.mean") +
                      column_of(result.out, "linear.mean")),
               column_of(result.out, "latent_mean"),
               1e-9);
}

TEST_F(Predict, DrawsFunctionsAtAllRowsAtOnce) {
  std::string table = "x,e\n";
  for (int i = 0; i < 1500; ++i) table += format_number(i * 0.01) + ",1\n";
  table += "0,1\n";  // the first place again, in another block of the reader
  const Words words = {"predict", model_, "-", "--draws", "2", "--columns", "mean", "--seed", "3"};
  const auto result = run_command(words, table);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(parse_csv(result.out, "out").names(), ElementsAre("mean", "draw1", "draw2"));
  const Vector draw = column_of(result.out, "draw1");
  EXPECT_CLOSE(draw(1500), draw(0), 1e-4);
  EXPECT_EQ(run_command(words, table).out, result.out);
  Words outcomes = words;
  outcomes.insert(outcomes.end(), {"--draws-of", "outcome"});
  const Vector y = column_of(run_command(outcomes, "x,e\n1,50\n2,50\n").out, "draw2");
  EXPECT_EQ(y, Vector(y.array().floor()));
}

TEST_F(Predict, KeepsColumnsAsTheyAreWritten) {
  const auto result = run_command({"predict", model_, "-", "--keep", "id,x", "--columns", "mean"},
                                  "x,id,e\n1.50,007,1\n2,\"a,b\",1\n3,,1\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const Table table = parse_csv(result.out, "out", {.text_columns = {"id"}});
  EXPECT_THAT(table.names(), ElementsAre("id", "x", "mean"));
  EXPECT_EQ(table.column("id").cell(0), "007");
  EXPECT_EQ(table.column("id").cell(1), "a,b");
  EXPECT_TRUE(table.column("id").missing(2));
  EXPECT_EQ(numeric_column(table, "x")(0), 1.5);
  const auto unknown = run_command({"predict", model_, data_, "--keep", "idd"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.error, HasSubstr("column 'idd' is missing; it is to be kept"));
}

TEST_F(Predict, IsTheSameInOneBlockOrMany) {
  // More rows than a block, each row also alone.
  std::string table = "x,e\n";
  for (int i = 0; i < 2500; ++i) table += format_number(i * 0.01) + ",1\n";
  const auto all = run_command({"predict", model_, "-"}, table);
  const auto alone = run_command({"predict", model_, "-"}, "x,e\n24.5,1\n");
  ASSERT_EQ(all.exit_code, 0) << all.error;
  const Table many = parse_csv(all.out, "many"), one = parse_csv(alone.out, "one");
  EXPECT_EQ(many.rows(), 2500);
  for (const std::string& name : one.names())
    EXPECT_CLOSE(numeric_column(many, name)(2450), numeric_column(one, name)(0), 1e-11) << name;
}

TEST_F(Predict, NamesTheRowThatIsWrong) {
  std::string table = "x,e,n\n";
  for (int i = 0; i < 1500; ++i) table += "1,1,1\n";
  const auto bad = [&](const std::string& row) {
    return run_command({"predict", model_, "-", "--columns", "mean"}, table + row).error;
  };
  EXPECT_THAT(bad("1e999,1,1\n"), HasSubstr("row 1501, column 'x'"));
  EXPECT_THAT(bad("NA,1,1\n"), HasSubstr("row 1501, column 'x'"));
  EXPECT_THAT(bad("1,-1,1\n"), HasSubstr("row 1501, column 'e': -1"));
  EXPECT_THAT(bad("1,1,2.5\n"), HasSubstr("row 1501, column 'n': 2.5"));
}

TEST_F(Predict, LeavesNoHalfFile) {
  const std::string out = folder_.file("out.csv");
  write_file(out, "old");
  EXPECT_EQ(run_command({"predict", model_, "-", "-o", out}, "x,e\n1,1\n2,NA\n").exit_code, 3);
  EXPECT_EQ(file_contents(out), "old");
  EXPECT_EQ(run_command({"predict", model_, data_, "-o", out}).exit_code, 0);
  EXPECT_EQ(read_csv(out).rows(), 20);
}

TEST(PredictClasses, AnswersInTheWordsOfTheTarget) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  const auto fitted = run_command({"fit", "-", "--target", "y", "--no-optimize", "-o", model},
                                  "x,y\n1,no\n2,no\n3,no\n7,yes\n8,yes\n9,yes\n");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  const auto result = run_command({"predict", model, "-", "--columns", "mean,mode,log_density"},
                                  "x,y\n1,no\n9,yes\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const Table table = parse_csv(result.out, "out");
  EXPECT_EQ(table.column("mode").cell(0), "no");
  EXPECT_EQ(table.column("mode").cell(1), "yes");
  EXPECT_CLOSE(
      numeric_column(table, "log_density")(1), std::log(numeric_column(table, "mean")(1)), 1e-9);
  EXPECT_EQ(run_command({"predict", model, "-"}, "x,y\n1,maybe\n").exit_code, 3);
}

// Tables are read in blocks of rows; a person counts from the beginning of the file.
TEST_F(Predict, NamesTheRowOfTheFileThatHasNoAnswer) {
  std::string table = "x,e,n\nNA,1,3\n";
  for (int i = 2; i < 1300; ++i) table += "19,1,4\n";
  const std::string far = folder_.file("far.csv");
  write_file(far, table + "19,1.7e308,4\n");
  const auto scored = run_command({"score", model_, far, "--missing", "drop"});
  EXPECT_EQ(scored.exit_code, 4);
  EXPECT_THAT(scored.error, HasSubstr(far + ": row 1300: the "));
  write_file(far, table.replace(6, 2, "19") + "19,1.7e308,4\n");
  const auto predicted = run_command({"predict", model_, far, "--columns", "q0.975"});
  EXPECT_EQ(predicted.exit_code, 4);
  EXPECT_THAT(predicted.error, HasSubstr(far + ": row 1300: the 0.025 quantile is beyond "));
}

TEST(PredictTrials, AnswersInCountsAndRequiresTrials) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  const auto fitted =
      run_command({"fit", "-", "--target", "y", "--trials", "N", "--no-optimize", "-o", model},
                  "x,N,y\n1,4,0.25\n2,8,1\n3,5,0\n4,4,0.75\n");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  const auto result = run_command({"predict", model, "-"}, "x,N,y\n2,1000,0.75\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_GT(numeric_column(parse_csv(result.out, "out"), "mean")(0), 100);
  EXPECT_THAT(run_command({"predict", model, "-"}, "x\n2\n").error, HasSubstr("'N' is missing"));
}

TEST(PredictStream, EndsQuietlyWhenTheReaderHasSeenEnough) {
  const Shell shell;
  shell.run("ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 0 -o m.ggpm");
  const auto result = shell.run(
      "(echo x; seq 1 200000) | ggpm predict m.ggpm - --columns mean 2>quiet | head -n 3; "
      "cat quiet >&2");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(parse_csv(result.out, "out").rows(), 2);
}

}  // namespace
}  // namespace ggpm::internal
