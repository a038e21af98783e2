#include "ggpm/version.hpp"

namespace ggpm {

std::string_view version() { return GGPM_VERSION; }

}  // namespace ggpm
