#include "machine/worker_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "brim/error.h"
#include "brim/machine.h"

namespace brim {
namespace machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "brim-worker";

std::string executable_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

/// The file that holds this code: libbrim, or the executable itself.
std::string library_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_path), &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const auto path = fs::canonical(info.dli_fname, error);
  return error ? "" : path.string();
}

}  // namespace

std::vector<std::string> worker_program_places(const std::string& executable, const std::string& library) {
  std::vector<std::string> places;
  if (!executable.empty()) {
    const auto folder = fs::path(executable).parent_path();
    places.push_back((folder / kProgram).string());
    places.push_back((folder.parent_path() / "libexec" / "brim" / kProgram).string());
  }
  if (!library.empty()) {
    // Some systems install to lib/<architecture>.
    const auto folder = fs::path(library).parent_path();
    for (const auto& prefix : {folder.parent_path(), folder.parent_path().parent_path()}) {
      places.push_back((prefix / "libexec" / "brim" / kProgram).string());
      places.push_back((prefix / "bin" / kProgram).string());
    }
  }
  return places;
}

}  // namespace machine

std::string worker_program() {
  const char* named = std::getenv("BRIM_WORKER");
  if (named != nullptr && *named != '\0') {
    if (access(named, X_OK) == 0) return named;
    throw WorkerError(fmt::format("BRIM_WORKER names {}, which is not a program that can be started", named),
                      "set it to the brim-worker program of this installation, or unset it");
  }
  const auto places = machine::worker_program_places(machine::executable_path(), machine::library_path());
  for (const auto& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  throw WorkerError(fmt::format("the worker program is at none of: {}", fmt::join(places, ", ")),
                    "install brim whole, or set BRIM_WORKER to the brim-worker program");
}

}  // namespace brim
