#include "ggpm/model.hpp"

namespace ggpm {
namespace {

bool is_warped(const Specification& s) { return !s.warp.empty() && s.warp != "none"; }

}  // namespace

Specification spelled_out(Specification s) {
  if (!is_warped(s)) return s;
  if (s.likelihood == "auto") s.likelihood = "gaussian";
  s.inference = InferenceMethod::exact;
  return s;
}

std::unique_ptr<Likelihood> make_likelihood(const Specification& s) {
  const std::string& name = s.formula.empty() ? s.likelihood : s.formula;
  std::unique_ptr<Likelihood> plain = make_likelihood(name, s.link, s.likelihood_options);
  return is_warped(s) ? make_warped(*plain, s.warp) : std::move(plain);
}

InferenceMethod inference_of(const Specification& s) { return spelled_out(s).inference.value(); }

std::string likelihood_name(const Specification& s) {
  return is_warped(s) ? s.warp + "-" + s.likelihood : s.likelihood;
}

}  // namespace ggpm
