// What there is: options of a fit, likelihoods, kernels.
#include <ggpm/classes.hpp>
#include <ggpm/kernel.hpp>
#include <ggpm/likelihood.hpp>
#include <ggpm/version.hpp>

#include "glue.hpp"

using namespace ggpm;
using namespace ggpm::r;
using namespace cpp11::literals;

namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

}  // namespace

extern "C" SEXP ggpm_options() {
  return guarded([]() -> SEXP {
    std::vector<std::string> names, groups, values, fallbacks, helps;
    for (const OptionInfo& option : fit_options()) {
      names.push_back(option.name);
      groups.push_back(option.group);
      values.push_back(option.kind == OptionKind::flag ? "TRUE|FALSE" : option.value);
      fallbacks.push_back(option.fallback);
      helps.push_back(option.help);
    }
    return cpp11::writable::list({"name"_nm = words(names),
                                  "group"_nm = words(groups),
                                  "value"_nm = words(values),
                                  "default"_nm = words(fallbacks),
                                  "help"_nm = words(helps)});
  });
}

extern "C" SEXP ggpm_likelihoods() {
  return guarded([]() -> SEXP {
    std::vector<std::string> names, links, domains, dispersions, formulas;
    for (const LikelihoodInfo& info : every_likelihood()) {
      names.push_back(info.name);
      links.push_back(joined(info.links));
      domains.emplace_back(to_string(info.domain));
      dispersions.push_back(info.dispersion);
      formulas.push_back(info.formula);
    }
    return cpp11::writable::list({"name"_nm = words(names),
                                  "outputs"_nm = words(domains),
                                  "links"_nm = words(links),
                                  "dispersion"_nm = words(dispersions),
                                  "log_density"_nm = words(formulas)});
  });
}

extern "C" SEXP ggpm_kernels() {
  return guarded([]() -> SEXP {
    std::vector<std::string> names, formulas, parameters;
    for (const KernelInfo& info : kernel_table()) {
      names.push_back(info.name);
      formulas.push_back(info.formula);
      parameters.push_back(joined(info.parameters));
    }
    return cpp11::writable::list({"name"_nm = words(names),
                                  "formula"_nm = words(formulas),
                                  "parameters"_nm = words(parameters)});
  });
}

extern "C" SEXP ggpm_version() {
  return guarded([]() -> SEXP { return words({std::string(version())}); });
}
