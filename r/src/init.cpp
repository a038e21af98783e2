// The functions that R calls, by name and number of arguments.
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

#define GGPM_FUNCTIONS(CALL) \
  CALL(formula, 1)           \
  CALL(fit, 2)               \
  CALL(is_loaded, 1)         \
  CALL(to_bytes, 1)          \
  CALL(from_bytes, 1)        \
  CALL(save, 2)              \
  CALL(load, 1)              \
  CALL(information, 1)       \
  CALL(summary, 1)           \
  CALL(coefficients, 2)      \
  CALL(loo, 2)               \
  CALL(predict, 6)           \
  CALL(terms, 3)             \
  CALL(draw, 6)              \
  CALL(sample, 5)            \
  CALL(report, 3)            \
  CALL(compare, 2)           \
  CALL(diagnose, 3)          \
  CALL(options, 0)           \
  CALL(likelihoods, 0)       \
  CALL(kernels, 0)           \
  CALL(version, 0)

#define GGPM_DECLARE(name, arguments) void ggpm_##name();
#define GGPM_ENTRY(name, arguments) {#name, (DL_FUNC)&ggpm_##name, arguments},

extern "C" {
GGPM_FUNCTIONS(GGPM_DECLARE)

void R_init_ggpm(DllInfo* library) {
  static const R_CallMethodDef functions[] = {GGPM_FUNCTIONS(GGPM_ENTRY){nullptr, nullptr, 0}};
  R_registerRoutines(library, nullptr, functions, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
}
