#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "ggpm/study.hpp"
#include "ggpm/trial_file.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;
using testing_support::TemporaryFolder;

Dataset counts(Index n = 24) {
  std::mt19937_64 random(5);
  Dataset data{.X = Matrix(n, 1), .observed = {.y = Vector(n)}};
  for (Index i = 0; i < n; ++i) {
    data.X(i, 0) = static_cast<double>(i) / 4;
    std::poisson_distribution<int> poisson(1 + data.X(i, 0));
    data.observed.y[i] = static_cast<double>(poisson(random));
  }
  return data;
}

Comparison small_study(Index n) {
  Comparison study{.splits = random_splits(n, n / 2, 3)};
  for (const char* name : {"poisson", "gamma-shape", "linear-poisson"})
    study.candidates.push_back(
        {.specification = {.likelihood = name, .inference = InferenceMethod::laplace}});
  study.fit.restarts = 1;
  study.threads = 2;
  return study;
}

TEST(ShortNames, LeaveOutWhatAllCandidatesShare) {
  const auto shown = [](std::vector<std::string> names) {
    std::vector<CandidateSummary> candidates;
    for (std::string& name : names) candidates.push_back({.name = std::move(name)});
    return short_names(candidates);
  };
  const ShortNames one_kernel =
      shown({"poisson, laplace, rbf(1, 2) + linear", "gaussian, exact, rbf(1, 2) + linear"});
  EXPECT_EQ(one_kernel.of.at("poisson, laplace, rbf(1, 2) + linear"), "poisson");
  EXPECT_EQ(one_kernel.of.at("gaussian, exact, rbf(1, 2) + linear"), "gaussian");
  EXPECT_EQ(one_kernel.shared, "all with laplace, rbf(1, 2) + linear");
  const ShortNames two =
      shown({"poisson, ep, rbf", "poisson, laplace, rbf", "poisson, ep, linear"});
  EXPECT_EQ(two.of.at("poisson, ep, linear"), "poisson, ep, linear");
  EXPECT_EQ(two.shared, "");
  const ShortNames given = shown({"mine, of course", "theirs"});
  EXPECT_EQ(given.of.at("mine, of course"), "mine, of course");
}

TEST(Compare, KeepsACandidateThatFailsAsARowWithTheReason) {
  const Dataset data = counts();  // has a 0, which gamma-shape refuses
  Comparison study = small_study(24);
  const std::vector<Trial> trials = compare(data, study);
  ASSERT_EQ(trials.size(), 9U);
  const Summary summary = summarize(study.candidates, trials);
  EXPECT_EQ(summary.candidates.back().name, "gamma-shape, laplace, rbf + constant");
  EXPECT_GT(summary.candidates.back().failures, 0);
  EXPECT_THAT(summary.candidates.back().failure, HasSubstr("gamma-shape"));
  EXPECT_EQ(summary.ranked.size(), 2U);
  EXPECT_EQ(summary.blocks, 3);
  EXPECT_THAT(summary.recommendation, HasSubstr("poisson"));
}

TEST(Compare, GivesTheSameNumbersForAnyNumberOfThreads) {
  const Dataset data = counts();
  Comparison study = small_study(24);
  const std::vector<Trial> two = compare(data, study);
  study.threads = 1;
  const std::vector<Trial> one = compare(data, study);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].candidate, two[i].candidate);
    EXPECT_EQ(one[i].scores.nlp, two[i].scores.nlp);
  }
}

TEST(Compare, GoesOnFromFinishedTrials) {
  const Dataset data = counts();
  Comparison study = small_study(24);
  const std::vector<Trial> all = compare(data, study);
  study.done.assign(all.begin(), all.begin() + 4);
  study.done[0].scores.nlp = 123;  // not computed again
  int calls = 0;
  study.on_trial = [&](const Trial&) { ++calls; };
  const std::vector<Trial> again = compare(data, study);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(again[0].scores.nlp, 123);
  EXPECT_EQ(again[8].scores.nlp, all[8].scores.nlp);
}

TEST(Compare, StopsWhenInterrupted) {
  const Dataset data = counts();
  Comparison study = small_study(24);
  study.threads = 1;
  // Far more than is done between two looks of the watcher.
  const std::vector<Split> splits = study.splits;
  for (int i = 1; i < 300; ++i)
    study.splits.insert(study.splits.end(), splits.begin(), splits.end());
  bool stop = false;
  study.on_trial = [&](const Trial&) { stop = true; };
  study.interrupted = [&] { return stop; };
  EXPECT_LT(compare(data, study).size(), study.splits.size() * study.candidates.size());
}

TEST(Compare, PassesOnWhatACallbackThrows) {
  Comparison study = small_study(24);
  study.on_trial = [](const Trial&) { throw DataError("disk full"); };
  EXPECT_THROW(compare(counts(), study), DataError);
}

TEST(Summary, RanksByNlpAndNamesTheBest) {
  const std::vector<Candidate> candidates = {
      {.specification = {.likelihood = "poisson", .inference = InferenceMethod::laplace}},
      {.specification = {.likelihood = "com-poisson", .inference = InferenceMethod::laplace}}};
  std::vector<Trial> trials;
  for (Index split = 0; split < 10; ++split)
    for (const Candidate& c : candidates) {
      Trial trial{.candidate = c.name(), .split = split};
      trial.scores.nlp = c.specification.likelihood == "poisson" ? 2 : 1;
      trial.scores.mae = 1;
      trials.push_back(trial);
    }
  const Summary summary = summarize(candidates, trials);
  EXPECT_EQ(summary.best, "com-poisson, laplace, rbf + constant");
  EXPECT_NEAR(summary.by_nlp.p, 0.0016, 5e-5);
  EXPECT_EQ(summary.by_mae.p, 1);
  EXPECT_THAT(summary.recommendation, HasSubstr("better than each other one"));
}

TEST(Candidates, ExistForEveryDomainAndFitIt) {
  for (const Domain domain : {Domain::real,
                              Domain::positive,
                              Domain::count,
                              Domain::fraction_of_trials,
                              Domain::binary,
                              Domain::proportion}) {
    const std::vector<Specification> list = likelihoods_for(domain);
    EXPECT_GE(list.size(), 2U);
    for (const Specification& s : list) EXPECT_NO_THROW(make_likelihood(s.likelihood, s.link));
  }
}

TEST(Candidates, TakeAnExposureUnlessTheyAreNamed) {
  const auto has_gaussian = [](const std::vector<Candidate>& candidates) {
    return std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
      return c.specification.likelihood == "gaussian";
    });
  };
  const Vector one = Vector::Ones(3), two = Vector::Constant(3, 2);
  EXPECT_TRUE(has_gaussian(make_candidates({}, Domain::count)));
  EXPECT_TRUE(has_gaussian(make_candidates({}, Domain::count, {.exposure = one})));
  EXPECT_FALSE(has_gaussian(make_candidates({}, Domain::count, {.exposure = two})));
  EXPECT_FALSE(make_candidates({}, Domain::count, {.exposure = two}).empty());
  EXPECT_TRUE(has_gaussian(
      make_candidates({.likelihoods = {"gaussian"}}, Domain::count, {.exposure = two})));
}

TEST(TrialFile, GivesBackWhatWasAppended) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trials.jsonl");
  Trial good{.candidate = "a, laplace, rbf", .split = 3};
  good.scores = {.mae = 1.0 / 3, .mse = 2, .nlp = -1e-17, .coverage = 0.95, .width = 3};
  good.loo = std::nan("");
  Trial bad{.candidate = "b", .split = 0};
  bad.failure = "row 3: \"zero\"";
  {
    TrialFile file(path, "study");
    file.append(good);
    file.append(bad);
  }
  const TrialFile file(path, "study");
  ASSERT_EQ(file.done().size(), 2U);
  EXPECT_EQ(file.done()[0].split, 3);
  EXPECT_EQ(file.done()[0].scores.mae, 1.0 / 3);
  EXPECT_EQ(file.done()[0].scores.nlp, -1e-17);
  EXPECT_TRUE(std::isnan(file.done()[0].loo));
  EXPECT_EQ(file.done()[1].failure, bad.failure);
}

TEST(TrialFile, SurvivesAnyTruncationAndRefusesOtherStudies) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trials.jsonl");
  TrialFile(path, "study").append({.candidate = "a", .split = 1});
  EXPECT_THROW(TrialFile(path, "other"), DataError);
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  for (std::size_t size = 0; size < text.size(); ++size) {
    std::ofstream(path, std::ios::trunc) << text.substr(0, size);
    TrialFile(path, "study").append({.candidate = "b", .split = 2});
    const TrialFile file(path, "study");
    ASSERT_EQ(file.done().size(), 1U) << size;
    EXPECT_EQ(file.done()[0].candidate, "b");
  }
}

TEST(TrialFile, LeavesFilesOfOthersAsTheyAre) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trials.jsonl");
  TrialFile(path, "another").append({.candidate = "a", .split = 1});
  const auto contents = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string of_another = contents();
  const std::string header = of_another.substr(0, of_another.find('\n') + 1);
  for (const std::string& text : {std::string("my notes, without a line end"),
                                  std::string("x,y\n1,2\n3,4"),
                                  std::string("\x89PNG\r\n\x1a\n\0\0", 10),
                                  std::string("{\"ggpm\": \"trials\"}\n{\"a\": 1"),
                                  std::string("[]\n"),
                                  of_another,
                                  of_another + "{\"cut",
                                  header.substr(0, header.size() - 5),
                                  header}) {
    std::ofstream(path, std::ios::trunc | std::ios::binary) << text;
    EXPECT_THROW(TrialFile(path, "study"), DataError) << text;
    EXPECT_EQ(contents(), text);
  }
  // A line of ours that is damaged in the middle: the last one is not cut off before that is known.
  const std::string damaged = header + "{}\n{\"cut";
  std::ofstream(path, std::ios::trunc) << damaged;
  EXPECT_THROW(TrialFile(path, "another"), DataError);
  EXPECT_EQ(contents(), damaged);
  EXPECT_THROW(TrialFile(folder.path().string(), "study"), DataError);
  EXPECT_THROW(TrialFile("/dev/null", "study"), DataError);
}

TEST(TrialFile, IsWrittenByOneProcessAtATime) {
  const TemporaryFolder folder;
  const TrialFile file(folder.file("trials.jsonl"), "study");
  EXPECT_THROW(TrialFile(folder.file("trials.jsonl"), "study"), DataError);
}

TEST(TrialFile, DoesNotTakeTrialsOfACandidateThatWasAnother) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trials.jsonl"), formula = folder.file("f.toml");
  std::ofstream(formula) << "a = 1\n";
  Candidate candidate{.specification = {.likelihood = formula}};
  const auto done = [&](const Candidate& now) {
    return TrialFile(path, "study", {&now, 1}).done().size();
  };
  TrialFile(path, "study", {&candidate, 1}).append({.candidate = candidate.name(), .split = 1});
  EXPECT_EQ(done(candidate), 1U);
  for (const auto& change : std::vector<std::function<void(Candidate&)>>{
           [](Candidate& c) { c.point = PointEstimate::mode; },
           [](Candidate& c) { c.specification.formula = "a = 2\n"; },
           [](Candidate& c) { c.specification.likelihood_options.df = 5; },
           [](Candidate& c) { c.specification.likelihood_options.dispersion = 5; },
           [](Candidate& c) { c.specification.likelihood_options.learn_df = true; },
           [](Candidate& c) { c.specification.expansion.offset = 1; },
           [](Candidate& c) { c.specification.expansion.point = ExpansionPoint::agnostic; },
           [](Candidate& c) { c.specification.engine.name = "dense"; },
           [](Candidate& c) { c.specification.engine.inducing = 7; },
           [](Candidate& c) { c.specification.engine.accuracy = EngineAccuracy::high; },
           [](Candidate& c) {
             c.specification.likelihood_options.parameters = {{"q", 0.3}};
           },
           [](Candidate& c) { c.specification.kernel = "linear"; },
           [](Candidate& c) { c.specification.link = "probit"; },
           [](Candidate& c) { c.specification.mean = "constant"; },
           [](Candidate& c) { c.specification.inference = InferenceMethod::ep; }}) {
    Candidate other = candidate;
    change(other);
    EXPECT_NE(candidate_fingerprint(other), candidate_fingerprint(candidate));
    EXPECT_EQ(done(other), 0U);
  }
  std::ofstream(formula) << "a = 2\n";  // the same name, another text
  EXPECT_EQ(done(candidate), 0U);
}

TEST(TrialFile, BelongsToEverythingThatChangesItsNumbers) {
  Dataset data{
      .X = Matrix::Random(6, 2), .observed = {.y = Vector::Zero(6)}, .columns = {"a", "b"}};
  std::vector<Split> splits = {{.train = {0, 1, 2}, .test = {3, 4, 5}}};
  FitOptions fit;
  std::set<std::string> seen = {study_fingerprint(data, splits, fit)};
  const auto differs = [&](const Dataset& d, const FitOptions& f) {
    return seen.insert(study_fingerprint(d, splits, f)).second;
  };
  for (const auto& change : std::vector<std::function<void(FitOptions&)>>{
           [](FitOptions& f) { f.seed = 2; },
           [](FitOptions& f) { f.restarts = 3; },
           [](FitOptions& f) { f.keep = 1; },
           [](FitOptions& f) { f.optimize = false; },
           [](FitOptions& f) { f.taylor_starts = false; },
           [](FitOptions& f) { f.max_evaluations = 7; },
           [](FitOptions& f) { f.tolerance = 1e-3; },
           [](FitOptions& f) { f.inference_tolerance = 1e-3; },
           [](FitOptions& f) { f.inference_iterations = 3; },
           [](FitOptions& f) { f.fixed = {"dispersion"}; },
           [](FitOptions& f) { f.hyperparameters = HyperparameterUse::integrate; },
           [](FitOptions& f) {
             f.priors["dispersion"] = {Prior::Kind::gamma, 2, 1};
           }}) {
    FitOptions other;
    change(other);
    EXPECT_TRUE(differs(data, other));
  }
  Dataset renamed = data, offset = data, moved = data, exposed = data;
  renamed.columns = {"b", "a"};
  offset.observed.offset = Vector::Ones(6);
  moved.X(5, 1) += 1e-12;
  exposed.observed.exposure = Vector::Constant(6, 2);
  for (const Dataset& other : {renamed, offset, moved, exposed}) EXPECT_TRUE(differs(other, fit));
  splits[0].train.pop_back();
  EXPECT_TRUE(differs(data, fit));
}

}  // namespace
}  // namespace ggpm
