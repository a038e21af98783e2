#include "report/trust.hpp"

#include <fmt/format.h>

#include "ggpm/trust.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

Tone tone_of(Trust trust) {
  return trust == Trust::good ? Tone::good : trust == Trust::fair ? Tone::note : Tone::warning;
}

PageTable method_table(const Diagnosis& diagnosis) {
  PageTable out{.caption = "Approximations beside sampling: the largest difference of any row",
                .header = {"inference",
                           "log marginal, error",
                           "latent mean, in sd",
                           "latent sd, ratio",
                           "mean, in sd",
                           "probability of 95 % intervals",
                           "log density"}};
  for (const MethodError& m : diagnosis.methods)
    out.rows.push_back(
        {std::string(to_string(m.method)),
         fmt::format("{:+.2f}", m.log_marginal_error),
         fmt::format("{:.2f}", m.mean_error.cwiseAbs().maxCoeff()),
         fmt::format("{:.2f} … {:.2f}", m.sd_ratio.minCoeff(), m.sd_ratio.maxCoeff()),
         number(m.mean.largest, 2),
         fmt::format("{:.2g} %", 100 * m.interval.largest),
         number(m.log_density.largest, 2)});
  return out;
}

}  // namespace

void add_trust(Page& page, const GeneralizedGP& model, const ReportOptions& options) {
  page.heading("How far to trust the approximation");
  if (const auto& sampled = model.sampled()) {
    page.box(sampled->r_hat < 1.01 ? Tone::good : Tone::warning,
             fmt::format("Answers are averages of {} draws of {} chains: R-hat {:.3f}, at least "
                         "{:.0f} effective draws. There is no approximation to judge.",
                         sampled->draws.cols(),
                         sampled->chains,
                         sampled->r_hat,
                         sampled->ess));
    return;
  }
  DiagnosisOptions wanted{.all = true};
  wanted.sampling.threads = wanted.annealing.threads = options.threads;
  const Diagnosis diagnosis = diagnose(model, wanted);
  page.box(tone_of(diagnosis.trust), diagnosis.verdict);
  page.paragraph(fmt::format(
      "Judged by sampling: {} draws of {} chains, R-hat at most {:.3f}; the log marginal is {:.2f} ± "
      "{:.2f}. Hyperparameters are those of the model.",
      diagnosis.truth.draws.cols(),
      diagnosis.truth.chains,
      diagnosis.truth.largest_r_hat(),
      diagnosis.marginal.log_marginal,
      diagnosis.marginal.standard_error));
  page.table(method_table(diagnosis));
}

void add_integration(Page& page, const GeneralizedGP& model) {
  const auto integrated = model.integrated();
  if (!integrated) return;
  page.paragraph(fmt::format(
      "Predictions are averages over {} sets of hyperparameters around the optimum, weighted by "
      "their posterior; the table and the contours are of the optimum. The log evidence, with "
      "hyperparameters integrated out under their priors, is {:.2f}.",
      integrated->points.size(),
      integrated->log_evidence));
}

}  // namespace ggpm::internal::report
