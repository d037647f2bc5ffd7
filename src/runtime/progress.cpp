#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "brim/executor.h"

namespace brim {
namespace {

using std::chrono::nanoseconds;

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::string duration(double value) {
  const auto whole = static_cast<long>(value);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{:.0f}s", value);
}

/// How full the memory is: [######......].
std::string memory_bar(const RunState& state) {
  constexpr std::int64_t kCells = 12;
  const auto budget = std::max<std::int64_t>(state.budget.count(), 1);
  const auto share = static_cast<double>(state.held.count()) / static_cast<double>(budget);
  const auto filled = std::clamp<std::int64_t>(std::llround(share * kCells), 0, kCells);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(kCells - filled), '.'));
}

std::string state_line(const RunState& state) {
  const double share =
      state.tasks_total == 0 ? 1.0 : static_cast<double>(state.tasks_done) / static_cast<double>(state.tasks_total);
  const double elapsed = seconds(state.elapsed);
  const auto moved = state.bytes_read + state.bytes_written;
  const auto rate = Bytes(static_cast<std::int64_t>(static_cast<double>(moved.count()) / std::max(elapsed, 1e-3)));
  auto line = fmt::format("{}/{} tasks ({:.0f}%)  {} wide on {} workers  memory {} {} of {}", state.tasks_done,
                          state.tasks_total, 100 * share, state.tasks_running, state.workers, memory_bar(state),
                          to_string(state.held), to_string(state.budget));
  if (state.resident > Bytes(0)) line += fmt::format(" ({} resident)", to_string(state.resident));
  if (moved.count() > 0) line += fmt::format("  {}/s", to_string(rate));
  if (share > 0 && share < 1) line += fmt::format("  {} left", duration(elapsed / share * (1 - share)));
  return line;
}

/// A line that wraps cannot be redrawn in place.
std::string cut_to_terminal(std::string line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col)
    line.resize(size.ws_col - 1U);
  return line;
}

class ProgressLine final : public Observer {
 public:
  void on_state(const RunState& state) override {
    if (terminal_) {
      if (state.elapsed < next_) return;
      next_ = state.elapsed + kDrawPeriod;
      fmt::print(stderr, "\r\x1b[K{}", cut_to_terminal(state_line(state)));
      std::fflush(stderr);
      drawn_ = true;
    } else if (state.elapsed >= next_) {
      fmt::print(stderr, "{} {}\n", duration(seconds(state.elapsed)), state_line(state));
      next_ = state.elapsed + kPlainPeriod;
    }
  }
  void on_notice(const std::string& text) override {
    clear();
    fmt::print(stderr, "note: {}\n", text);
  }
  void on_finish(const Report&) override { clear(); }
  ~ProgressLine() override { clear(); }

 private:
  static constexpr nanoseconds kDrawPeriod = std::chrono::milliseconds(100);
  static constexpr nanoseconds kPlainPeriod = std::chrono::seconds(5);

  void clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
  }

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
  nanoseconds next_ = terminal_ ? nanoseconds(0) : nanoseconds(kPlainPeriod);
};

}  // namespace

std::shared_ptr<Observer> progress_line() { return std::make_shared<ProgressLine>(); }

}  // namespace brim
