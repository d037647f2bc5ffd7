#pragma once

// First: a header of Boost 1.74 uses it without including it.
#include <memory>

#include <boost/process/extend.hpp>
#include <string>
#include <vector>

namespace brim::machine {

/// The environment of worker processes as "NAME=value": this process's, and what glibc and libraries are to know before
/// main().
std::vector<std::string> worker_environment();

/// Makes Boost.Process start a program with exactly this environment. Its own environment class reads past the end of
/// short variables when it looks for one (Boost 1.74).
class UseEnvironment : public boost::process::extend::handler {
 public:
  explicit UseEnvironment(std::vector<std::string> variables) : variables_(std::move(variables)) {}

  template <typename Executor>
  void on_setup(Executor& executor) {
    pointers_.clear();
    for (auto& variable : variables_) pointers_.push_back(variable.data());
    pointers_.push_back(nullptr);
    executor.env = pointers_.data();
  }

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

}  // namespace brim::machine
