// How far to trust a fit: sampling, annealing, and the approximation beside them.
#include <optional>
#include <string>

#include "bind.hpp"
#include "ggpm/trust.hpp"

namespace ggpm::bind {
namespace {

// Ctrl-C ends it, and leaves as the exception that it is.
template <class Work>
auto listening(Listener& listener, const Work& work) {
  try {
    const py::gil_scoped_release no_gil;
    return work();
  } catch (...) {
    listener.rethrow();
    throw;
  }
}

PosteriorSample sample(const SavedModel& saved,
                       int draws,
                       int chains,
                       int warmup,
                       int thin,
                       std::uint64_t seed,
                       int threads) {
  Listener listener;
  SamplingOptions options{.chains = chains,
                          .warmup = warmup,
                          .draws = draws,
                          .thin = thin,
                          .seed = seed,
                          .threads = threads};
  options.interrupted = [&listener] { return listener.interrupted(); };
  return listening(listener, [&] { return sample_posterior(saved.model, options); });
}

Diagnosis diagnosis(const SavedModel& saved,
                    bool all,
                    double seconds,
                    int draws,
                    int chains,
                    std::uint64_t seed,
                    int threads) {
  Listener listener;
  DiagnosisOptions options{.all = all, .seconds = seconds};
  options.sampling.draws = draws;
  options.sampling.chains = chains;
  options.sampling.seed = options.annealing.seed = seed;
  options.sampling.threads = options.annealing.threads = threads;
  options.sampling.interrupted =
      options.annealing.interrupted = [&listener] { return listener.interrupted(); };
  return listening(listener, [&] { return diagnose(saved.model, options); });
}

}  // namespace

void add_trust(py::module_& module) {
  py::class_<PosteriorSample>(module, "PosteriorSample")
      .def_readonly("draws", &PosteriorSample::draws)
      .def_readonly("chains", &PosteriorSample::chains)
      .def_readonly("thin", &PosteriorSample::thin)
      .def_readonly("mean", &PosteriorSample::mean)
      .def_readonly("sd", &PosteriorSample::sd)
      .def_readonly("r_hat", &PosteriorSample::r_hat)
      .def_readonly("bulk_ess", &PosteriorSample::bulk_ess)
      .def_readonly("tail_ess", &PosteriorSample::tail_ess)
      .def_readonly("mean_error", &PosteriorSample::mean_error)
      .def_readonly("share", &PosteriorSample::share)
      .def_readonly("evaluations", &PosteriorSample::evaluations)
      .def_readonly("detail", &PosteriorSample::detail)
      .def_property_readonly("converged", &PosteriorSample::converged);

  py::class_<Annealed>(module, "Annealed")
      .def_readonly("log_marginal", &Annealed::log_marginal)
      .def_readonly("standard_error", &Annealed::standard_error)
      .def_readonly("runs", &Annealed::runs)
      .def_readonly("pareto_k", &Annealed::pareto_k);

  py::class_<Effect>(module, "Effect")
      .def_readonly("largest", &Effect::largest)
      .def_readonly("average", &Effect::average)
      .def_readonly("error", &Effect::error)
      .def_readonly("row", &Effect::row);

  py::class_<MethodError>(module, "MethodError")
      .def_property_readonly("inference",
                             [](const MethodError& m) { return std::string(to_string(m.method)); })
      .def_readonly("log_marginal", &MethodError::log_marginal)
      .def_readonly("log_marginal_error", &MethodError::log_marginal_error)
      .def_readonly("mean_error", &MethodError::mean_error)
      .def_readonly("sd_ratio", &MethodError::sd_ratio)
      .def_readonly("pareto_k", &MethodError::pareto_k)
      .def_readonly("mean", &MethodError::mean)
      .def_readonly("interval", &MethodError::interval)
      .def_readonly("log_density", &MethodError::log_density);

  py::class_<Diagnosis>(module, "Diagnosis")
      .def_readonly("truth", &Diagnosis::truth)
      .def_readonly("marginal", &Diagnosis::marginal)
      .def_readonly("methods", &Diagnosis::methods)
      .def_readonly("pit_p_value", &Diagnosis::pit_p_value)
      .def_readonly("seconds", &Diagnosis::seconds)
      .def_property_readonly("trust",
                             [](const Diagnosis& d) { return std::string(to_string(d.trust)); })
      .def_readonly("verdict", &Diagnosis::verdict)
      .def("__repr__", [](const Diagnosis& d) { return "<diagnosis: " + d.verdict + ">"; });

  module.def("sample_posterior",
             &sample,
             py::arg("model"),
             py::arg("draws"),
             py::arg("chains"),
             py::arg("warmup"),
             py::arg("thin"),
             py::arg("seed"),
             py::arg("threads"));
  module.def("diagnose",
             &diagnosis,
             py::arg("model"),
             py::arg("all"),
             py::arg("seconds"),
             py::arg("draws"),
             py::arg("chains"),
             py::arg("seed"),
             py::arg("threads"));
}

}  // namespace ggpm::bind
