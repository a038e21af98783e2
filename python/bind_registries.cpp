// Kernels, likelihoods, domains, and kernels as functions.
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/model_formula.hpp"
#include "ggpm/version.hpp"

namespace ggpm::bind {
namespace {

Kernel bound_kernel(const std::string& text, Index dimensions) {
  return Kernel::parse(text).bind(dimensions);
}

}  // namespace

void add_registries(py::module_& module) {
  py::enum_<Domain> domains(module, "Domain");
  for (const DomainInfo& info : kDomains)
    domains.value(std::string(info.name).c_str(), info.domain);

  py::class_<LikelihoodInfo>(module, "LikelihoodInfo")
      .def_readonly("name", &LikelihoodInfo::name)
      .def_readonly("links", &LikelihoodInfo::links)
      .def_readonly("domain", &LikelihoodInfo::domain)
      .def_readonly("dispersion", &LikelihoodInfo::dispersion)
      .def_readonly("formula", &LikelihoodInfo::formula);
  module.def("likelihoods", &every_likelihood);

  py::class_<InferenceInfo>(module, "InferenceInfo")
      .def_readonly("name", &InferenceInfo::name)
      .def_readonly("title", &InferenceInfo::title)
      .def_readonly("needs", &InferenceInfo::needs);
  module.def("inferences", &inference_table);
  module.def("families_of", &families_of, py::arg("domain"));

  py::class_<KernelInfo>(module, "KernelInfo")
      .def_readonly("name", &KernelInfo::name)
      .def_readonly("formula", &KernelInfo::formula)
      .def_readonly("parameters", &KernelInfo::parameters);
  module.def("kernels", &kernel_table);

  module.def(
      "recognize_domain",
      [](const VectorIn& y, bool has_trials) {
        const DomainGuess guess = recognize_domain(y, has_trials);
        return std::pair(guess.domain, guess.reason);
      },
      py::arg("y"),
      py::arg("has_trials"));

  py::class_<ModelFormula>(module, "ModelFormula")
      .def_readonly("target", &ModelFormula::target)
      .def_readonly("kernel", &ModelFormula::kernel)
      .def_readonly("inputs", &ModelFormula::inputs)
      .def_readonly("offset", &ModelFormula::offset)
      .def_readonly("exposure", &ModelFormula::exposure);
  module.def("parse_model_formula", &parse_model_formula, py::arg("text"));

  module.def(
      "kernel_text",
      [](const std::string& text) { return Kernel::parse(text).text(); },
      py::arg("text"));
  module.def(
      "kernel_parameters",
      [](const std::string& text) {
        std::vector<std::pair<std::string, double>> out;
        for (const Parameter& p : Kernel::parse(text).parameters())
          out.emplace_back(p.name, p.value);
        return out;
      },
      py::arg("text"));
  module.def(
      "kernel_gram",
      [](const std::string& text, const MatrixIn& X) {
        Matrix K;
        bound_kernel(text, X.cols()).gram(X, K);
        return K;
      },
      py::arg("text"),
      py::arg("X"),
      NoGil());
  module.def(
      "kernel_cross",
      [](const std::string& text, const MatrixIn& X, const MatrixIn& Z) {
        Matrix K;
        bound_kernel(text, X.cols()).cross(X, Z, K);
        return K;
      },
      py::arg("text"),
      py::arg("X"),
      py::arg("Z"),
      NoGil());
  module.def(
      "kernel_diagonal",
      [](const std::string& text, const MatrixIn& X) {
        return bound_kernel(text, X.cols()).diagonal(X);
      },
      py::arg("text"),
      py::arg("X"),
      NoGil());
  module.def("mean_text", [](const std::string& text) { return Mean::parse(text).text(); });
  module.def("version", [] { return std::string(version()); });
}

}  // namespace ggpm::bind
