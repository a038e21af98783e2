// The library as a Python module; bind_<subject>.cpp each add a part. What users see is written in
// Python on top of it (python/ggpm).
#include "bind.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of ggpm. Use the package above it.";
  ggpm::bind::add_errors(module);
  ggpm::bind::add_registries(module);
  ggpm::bind::add_tables(module);
  ggpm::bind::add_specification(module);
  ggpm::bind::add_results(module);
  ggpm::bind::add_model(module);
  ggpm::bind::add_fit(module);
  ggpm::bind::add_study(module);
  ggpm::bind::add_trust(module);
}
