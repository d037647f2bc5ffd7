#include <fmt/format.h>

#include "brim/machine.h"
#include "commands.h"

namespace brim::tool {
namespace {

void show() {
  const auto machine = this_machine();
  fmt::print("cores             {}\n", machine.cores);
  fmt::print("memory            {} in all\n", to_string(machine.memory_total));
  fmt::print("limits on a new run:\n");
  for (const auto& limit : machine.limits)
    fmt::print("  {:>12}  {}{}\n", to_string(limit.amount), limit.source,
               limit.amount == machine.memory_available ? "   <- binds" : "");
  fmt::print("available         {}\n", to_string(machine.memory_available));
  fmt::print("safety share      {} left to everybody else (5%, at least 256 MiB, at most a quarter)\n",
             to_string(machine.safety_share));
  fmt::print("budget            {} = available - safety share; change it with --memory\n", to_string(machine.budget));
  fmt::print("  coordinator     {}\n", to_string(machine.coordinator_mem));
  fmt::print("  reserved_mem    {} for each worker, idle (measured just now)\n", to_string(machine.reserved_mem));
  const auto pages = huge_pages();
  fmt::print("huge pages        private memory: {}, shared memory: {}\n", pages.private_memory, pages.shared_memory);
  if (!pages.advice.empty()) fmt::print("                  {}\n", pages.advice);
}

}  // namespace

void add_info(CLI::App& app) {
  auto* command = app.add_subcommand("info", "Show cores, memory, container limits and the budget brim would take");
  command->callback(show);
}

}  // namespace brim::tool
