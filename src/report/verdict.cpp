#include "report/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ggpm/classes.hpp"
#include "report/html.hpp"
#include "text/text.hpp"

namespace ggpm::internal::report {
namespace {

constexpr double kDoubtful = 0.01;  // p-value of the PIT below which calibration is poor
constexpr Index kFewRows = 20;      // too few to judge a distribution
constexpr double kFarOff = 1e-4;    // a PIT this near 0 or 1 is an outlier

// "a poisson likelihood (log link)", "an ordinal likelihood (probit link)".
std::string model_words(const GeneralizedGP& model) {
  const auto labels = model.likelihood().labels();
  const auto& [what, name] = labels.back();
  const std::string& family = labels.front().second;
  const bool vowel = !family.empty() && std::string_view("aeiou").find(family.front()) < 5;
  return fmt::format("{} {} likelihood ({} {})", vowel ? "an" : "a", family, name, what);
}

// How many standard deviations the variance of the PIT is above that of uniform numbers.
double excess_spread(const PitSummary& pit) {
  const auto n = static_cast<double>(pit.count);
  return (pit.variance - 1.0 / 12) / std::sqrt((1.0 / 80 - 1.0 / 144) / n);
}

// The likelihoods to try instead, and why; empty: no reason.
struct Alternative {
  std::string reason, names;
};

// Of the families of a domain those that `suits` says, but for one that is in use; with its link
// where that is another.
template <class Suits>
std::string families(Domain domain, const Likelihood& used, bool censored, const Suits& suits) {
  std::string out;
  for (const LikelihoodInfo& info : likelihood_table())
    if (info.domain == domain && info.name != used.name() && suits(info) &&
        (!censored || make_likelihood(info.name)->takes_censored()))
      out += (out.empty() ? "" : ",") + likelihood_name(info.name, used.link());
  return out;
}
std::string families(Domain domain, const Likelihood& used, const ScoredRows& scored) {
  return families(domain, used, scored.censored() > 0, [](const LikelihoodInfo&) { return true; });
}

// Counts that scatter more or less than the family can.
Alternative other_scatter(const Likelihood& used, double spread) {
  Scatter own = Scatter::any;
  for (const LikelihoodInfo& info : likelihood_table())
    if (info.name == used.name()) own = info.scatter;
  if (spread > 3 && own == Scatter::of_mean)
    return {"the counts scatter more than it allows",
            families(Domain::count, used, false, [](const LikelihoodInfo& info) {
              return info.scatter != Scatter::of_mean;
            })};
  if (spread < -3 && own != Scatter::any)
    return {"the counts scatter less than it allows",
            families(Domain::count, used, false, [&](const LikelihoodInfo& info) {
              return info.scatter == Scatter::any ||
                     (own == Scatter::more && info.scatter == Scatter::of_mean);
            })};
  return {};
}

// Outputs that look like another domain, which intervals leave; or that lie far out.
Alternative other_than_gaussian(const Likelihood& used, const ScoredRows& scored) {
  const Domain looks = recognize_domain(scored.y).domain;
  const double low = scored.lower.minCoeff(), high = scored.upper.maxCoeff();
  const std::string others = families(looks, used, scored);
  if (looks == Domain::binary) return {"the outputs are two classes", others};
  if (looks == Domain::count && low < -0.5)
    return {"the outputs are counts, and intervals reach below 0", others};
  if (looks == Domain::proportion && (low < 0 || high > 1))
    return {"the outputs lie between 0 and 1, and intervals reach beyond", others};
  if (looks == Domain::positive && low < 0)
    return {"the outputs are positive, and intervals reach below 0", others};
  const auto far = ((scored.pit.array() < kFarOff) || (scored.pit.array() > 1 - kFarOff)).count();
  if (far >= 2 && static_cast<double>(far) > 20 * 2 * kFarOff * static_cast<double>(scored.size()))
    return {fmt::format("{} rows lie far outside what a Gaussian allows", far),
            families(Domain::real, used, scored)};
  return {};
}

Alternative alternative(const Subject& subject, const ScoredRows& scored) {
  const GeneralizedGP& model = subject.model();
  const Likelihood& used = model.likelihood();
  Alternative out;
  if (model.domain() == Domain::count) out = other_scatter(used, excess_spread(scored.summary));
  // A warp is exact regression too, and has another name.
  if (used.is_exact_regression() && used.labels().front().second == used.name())
    out = other_than_gaussian(used, scored);
  if (!out.names.empty() || scored.summary.p_value >= kDoubtful) return out;
  return {"the predictive distributions do not match the data",
          families(model.domain(), used, scored)};
}

// The mean, squared: the median of counts goes by whole numbers, and that of 0, 1 or 2 successes is
// the same wherever their probability is below a quarter.
bool mean_follows(const ScoredRows& scored) {
  const double plain = (scored.y.array() - scored.y.mean()).square().mean();
  return (scored.y - scored.mean).squaredNorm() / static_cast<double>(scored.size()) < plain;
}

// Better than knowing the outputs alone?
bool inputs_help(const Subject& subject, const ScoredRows& scored) {
  const Domain domain = subject.model().domain();
  // Of censored rows no error is known; where the order of two is, the model may have it right.
  if (scored.censored() > 0) return !(scored.concordance() <= 0.5);
  if (domain != Domain::binary) {
    const bool whole = is_discrete(domain);
    return scored.plain_error() == 0 || scored.error() < scored.plain_error() ||
           (whole && mean_follows(scored));
  }
  const double p = scored.y.mean();
  const double plain = p > 0 && p < 1 ? p * std::log(p) + (1 - p) * std::log1p(-p) : 0;
  return scored.log_density.mean() > plain;
}

// Names between commas; one that contains a comma stands in quotes.
std::string name_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const bool quoted = name.find_first_of(", '") != std::string::npos;
    out += (out.empty() ? "" : ",") + (quoted ? '"' + name + '"' : name);
  }
  return out;
}

std::string told(const SavedModel& saved, const char* key) {
  const auto found = saved.provenance.find(key);
  return found == saved.provenance.end() ? "" : found->second;
}

// The command that compares these likelihoods for the same model: it runs as it is printed.
std::string compare_command(const SavedModel& saved, const std::string& likelihoods) {
  const std::string data = told(saved, "data"), fitted = told(saved, "command");
  std::string out =
      "ggpm compare " +
      (data.empty() || data == "standard input" ? std::string("DATA") : shell_word(data));
  const auto add = [&out](const char* option, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--target", saved.roles.target.empty() ? "y" : saved.roles.target);
  // A command without --inputs took all other columns, and so will this one.
  if (saved.design && (fitted.empty() || fitted.find(" --inputs") != std::string::npos))
    add("--inputs", name_list(saved.design->column_names()));
  if (saved.model.domain() == Domain::ordinal) add("--levels", name_list(saved.roles.levels));
  add("--trials", saved.roles.trials);
  add("--exposure", saved.roles.exposure);
  add("--offset", saved.roles.offset);
  add("--weights", saved.roles.weight);
  add("--censored", saved.roles.censored);
  add("--upper", saved.roles.upper);
  const Specification& s = saved.model.specification();
  if (s.kernel != kDefaultKernel) add("--kernels", s.kernel);
  if (s.mean != Specification{}.mean) add("--mean", s.mean);
  add("--likelihoods", likelihoods);
  return out;
}

void add_calibration(std::vector<Remark>& out, const Subject& subject, const ScoredRows& scored) {
  if (scored.size() < kFewRows) {
    out.push_back(
        {Tone::note,
         fmt::format("{} rows are too few to judge whether the predictive distributions are "
                     "right.",
                     scored.size())});
    return;
  }
  const PitSummary& pit = scored.summary;
  if (pit.p_value < kDoubtful) {
    const double spread = excess_spread(pit);
    const double lean = (pit.mean - 0.5) * std::sqrt(12 * static_cast<double>(pit.count));
    const std::string what = spread > 3    ? "intervals are too narrow"
                             : spread < -3 ? "intervals are too wide"
                             : lean > 3    ? "predictions are too low"
                             : lean < -3
                                 ? "predictions are too high"
                                 : "predictive distributions have another shape than the data";
    out.push_back(
        {Tone::warning,
         fmt::format("Poor calibration: {} (were the model right, a PIT as uneven as this "
                     "would have a probability of {:.2g}).",
                     what,
                     pit.p_value)});
  }
  const Alternative other = alternative(subject, scored);
  if (!other.names.empty())
    out.push_back(
        {Tone::warning,
         fmt::format("The {0} likelihood may not suit: {1}. Compare it: {2}",
                     subject.model().likelihood().name(),
                     other.reason,
                     compare_command(subject.saved(),
                                     subject.model().likelihood().name() + "," + other.names))});
}

// What the fit said itself.
void add_warnings(std::vector<Remark>& out, const Subject& subject) {
  for (const Warning& warning : subject.model().warnings()) {
    std::string text = shorten(warning.text, 300);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (!text.ends_with('.')) text += '.';
    out.push_back({Tone::warning, std::move(text)});
  }
}

// Rows of a new table outside of what the model has seen.
void add_extrapolation(std::vector<Remark>& out, const Subject& subject, const Dataset& data) {
  const Matrix& X = data.X;
  std::vector<bool> outside(static_cast<std::size_t>(X.rows()), false);
  std::vector<std::string> names;
  for (const Input& input : subject.inputs()) {
    if (input.is_text()) continue;
    const double slack = 1e-9 * (std::abs(input.range.high) + std::abs(input.range.low));
    bool any = false;
    for (Index i = 0; i < X.rows(); ++i) {
      const double x = input.own(X(i, input.first));
      if (x >= input.range.low - slack && x <= input.range.high + slack) continue;
      outside[static_cast<std::size_t>(i)] = any = true;
    }
    if (any)
      names.push_back(fmt::format(
          "{} ({} … {})", input.name, number(input.range.low), number(input.range.high)));
  }
  const auto count = std::count(outside.begin(), outside.end(), true);
  if (count == 0) return;
  if (names.size() > 4) names.resize(4);
  out.push_back(
      {Tone::warning,
       fmt::format("Extrapolation: {} of the {} rows of {} lie outside of the training data in {}. "
                   "There the prior speaks, not the data.",
                   count,
                   X.rows(),
                   shorten(data.source, 60),
                   fmt::join(names, ", "))});
}

}  // namespace

std::string rows_words(Index rows, Index censored) {
  if (censored == 0) return fmt::format("{}", rows);
  return fmt::format("{}: {} observed, {} censored", rows, rows - censored, censored);
}

std::string fitted_words(const Subject& subject) {
  const GeneralizedGP& model = subject.model();
  std::vector<std::string> names;
  for (const Input& input : subject.inputs()) names.push_back(input.name);
  const std::size_t all = names.size();
  if (all > 4) names.resize(3);
  return fmt::format(
      "A generalized Gaussian process with {} was fitted to {} rows of {} ({}{}), explained by "
      "{}{}.",
      model_words(model),
      model.rows(),
      subject.target(),
      has_several_latents(model.likelihood()) ? "classes" : info_of(model.domain()).words,
      subject.censored() > 0
          ? fmt::format(
                "; {} observed, {} censored", model.rows() - subject.censored(), subject.censored())
          : "",
      fmt::join(names, ", "),
      all > names.size() ? fmt::format(" and {} other inputs", all - names.size()) : "");
}

std::string quality_words(const Subject& subject, const ScoredRows& scored) {
  std::string out;
  if (subject.model().domain() == Domain::binary) {
    double right = 0, ones = 0;
    for (Index i = 0; i < scored.size(); ++i) {
      right += (scored.mean[i] > 0.5) == (scored.y[i] > 0.5) ? 1 : 0;
      ones += scored.y[i];
    }
    const auto n = static_cast<double>(scored.size());
    return fmt::format(
        "Of {}, {:.1f} % are put into the right class; always naming the commoner one would be "
        "right for {:.1f} %.",
        scored.rows_words,
        100 * right / n,
        100 * std::max(ones, n - ones) / n);
  }
  const std::string inside =
      fmt::format("; 95 % intervals hold {:.1f} % of them.", 100 * scored.coverage(0.95));
  if (scored.censored() > 0) {
    const double concordance = scored.concordance();
    out = fmt::format("For {}, ", scored.rows_words);
    out += std::isnan(concordance)
               ? "no two have a known order"
               : fmt::format("{:.0f} % of the pairs whose order is known are put into it (C-index)",
                             100 * concordance);
    return out + inside;
  }
  const double error = scored.error(), plain = scored.plain_error();
  out = fmt::format("For {}, predictions are off by {}{} on average",
                    scored.rows_words,
                    number(error, 3),
                    subject.levels().empty() ? "" : " levels");
  if (plain > 0)
    out += fmt::format(", {} % {} than always predicting the median",
                       number(std::round(100 * std::abs(1 - error / plain)), 3),
                       error < plain ? "less" : "more");
  return out + inside;
}

std::vector<Remark> remarks(const Subject& subject,
                            const std::optional<ScoredRows>& scored,
                            const std::optional<Dataset>& data) {
  std::vector<Remark> out;
  const GeneralizedGP& model = subject.model();
  if (!model.report().converged)
    out.push_back({Tone::warning,
                   "The fit did not converge: its numbers are the best found, not an optimum."});
  if (model.report().interrupted)
    out.push_back({Tone::warning, "The fit was interrupted before it ended."});
  add_warnings(out, subject);
  if (data) add_extrapolation(out, subject, *data);
  if (!scored) {
    out.push_back(
        {Tone::warning, "Leaving rows out has no answer for this fit: calibration is not known."});
    return out;
  }
  if (!scored->improper.empty())
    out.push_back(
        {Tone::note,
         fmt::format("For {} rows leaving out has no proper answer; their own fit stands in.",
                     scored->improper.size())});
  add_calibration(out, subject, *scored);
  if (!inputs_help(subject, *scored))
    out.push_back(
        {Tone::warning,
         scored->censored() > 0
             ? "The inputs do not help: which of two outputs is larger is not predicted better than "
               "by guessing."
             : fmt::format("The inputs do not help: always predicting the {} is as good.",
                           model.domain() == Domain::binary ? "share of the classes" : "median")});
  return out;
}

std::string trust_words(const std::vector<Remark>& remarks) {
  const auto count = std::count_if(
      remarks.begin(), remarks.end(), [](const Remark& r) { return r.tone == Tone::warning; });
  if (count == 0)
    return "Nothing was found that speaks against the model: it converged, and its predictive "
           "distributions match what was observed.";
  constexpr std::array<const char*, 4> words = {
      "One thing needs", "Two things need", "Three things need", "Some things need"};
  return fmt::format("{} attention before the model is trusted.",
                     words[static_cast<std::size_t>(std::min<std::ptrdiff_t>(count, 4) - 1)]);
}

}  // namespace ggpm::internal::report
