#include "parallel/scalapack.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ggpm/ranks.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kFewRows = 4000;

// Beside the component for MPI, whose MPI it shares.
std::string component() {
  if (const char* given = std::getenv("GGPM_SCALAPACK_LIBRARY")) return given;
  const std::filesystem::path path =
      std::filesystem::path(mpi_component()).replace_filename("libggpm_scalapack.so");
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : "";
}

const ggpm_scalapack* join() {
  const std::string path = component();
  // One that is not on every machine is on none.
  if (least_of_ranks(path.empty() ? 0 : 1) == 0) return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw UsageError("the component for ScaLAPACK cannot be loaded: " + std::string(dlerror()));
  using Join = const ggpm_scalapack* (*)();
  const auto join = reinterpret_cast<Join>(dlsym(library, "ggpm_scalapack_join"));
  if (join == nullptr) throw UsageError(path + ": is not the component for ScaLAPACK of ggpm");
  const ggpm_scalapack* out = join();
  if (out == nullptr || out->interface_number != GGPM_SCALAPACK_INTERFACE)
    throw UsageError(path + ": belongs to another version of ggpm or of MPI; build it again");
  return out;
}

}  // namespace

const ggpm_scalapack* scalapack() {
  static const ggpm_scalapack* const found = join();
  return found;
}

bool shares_dense(Index rows) {
  const char* given = std::getenv("GGPM_SCALAPACK_ROWS");
  const Index least = given == nullptr ? kFewRows : std::atol(given);
  return ranks_in_step() != nullptr && rows > least && scalapack() != nullptr;
}

}  // namespace ggpm::internal
