// Errors of the library as conditions of R, and Ctrl-C.
#include "glue.hpp"

namespace ggpm::r {
namespace {

// Which argument helps, beyond what the library says.
const char* argument_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::squeeze:
      return " (squeeze = TRUE)";
    case Remedy::trials:
      return " (trials =)";
    case Remedy::offset:
      return " (offset =)";
    case Remedy::drop_missing:
      return " (na.action = na.omit)";
    default:
      return "";
  }
}

void check_interrupt(void* /*unused*/) { R_CheckUserInterrupt(); }

}  // namespace

void raise(const char* kind, const Error& error) {
  using namespace cpp11::literals;
  const auto* data = dynamic_cast<const DataError*>(&error);
  const Place place = data != nullptr ? data->place() : Place{};
  const cpp11::function signal = cpp11::package("ggpm")["signal_error"];
  signal(kind,
         std::string(error.what()) + argument_of(error.remedy()),
         place.source,
         static_cast<double>(place.row),
         place.column.empty() ? place.argument : place.column);
  throw error;  // signal does not return
}

bool Listener::interrupted() {
  // R jumps out of R_CheckUserInterrupt when there is one; this way it lands here.
  stopped_ = stopped_ || R_ToplevelExec(check_interrupt, nullptr) == FALSE;
  return stopped_ || failure_.has_value();
}

void Listener::rethrow() const {
  if (failure_) throw cpp11::unwind_exception(*failure_);
  if (stopped_) throw Interrupted("interrupted");
}

}  // namespace ggpm::r
