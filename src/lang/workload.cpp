#include "brim/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "array/graph.h"
#include "brim/error.h"
#include "core/near_names.h"
#include "lang/evaluate.h"
#include "lang/toml_reader.h"

namespace brim {
namespace {

namespace fs = std::filesystem;

using lang::SourceText;
using lang::SyntaxPtr;
using lang::TomlReader;

/// One line of [compute].
struct Formula {
  const toml::node* node = nullptr;
  SourceText source;
  SyntaxPtr syntax;
  enum class State { kWaiting, kBeingComputed, kDone } state = State::kWaiting;
};

/// The same file under any name: the file itself where it exists (hard links too), else its path without links and
/// dots.
std::string identity(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return fmt::format("{}:{}", status.st_dev, status.st_ino);
  std::error_code error;
  const auto path = fs::weakly_canonical(file, error);
  return error ? file : path.string();
}

/// A data set's file and its path there.
using Place = std::pair<std::string, std::string>;

/// One of the two is the other or lies inside it, so that both cannot be data sets.
bool collide(const Place& a, const Place& b) {
  if (a.first != b.first) return false;
  const auto& [shorter, longer] = std::minmax(a.second, b.second);
  return longer == shorter || longer.starts_with(shorter + "/");
}

/// Words that an expression reads otherwise.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> kWords = {"and", "or", "not", "true", "false", "True", "False", "None", "newaxis"};
  return kWords.contains(name);
}

class Loader {
 public:
  explicit Loader(const std::string& file) : reader_(file), folder_(fs::path(file).parent_path()) {}

  Workload run() {
    reader_.require_known_keys(reader_.root(), {"inputs", "compute", "outputs", "run"}, "a workload");
    if (const auto* table = reader_.find_table(reader_.root(), "run")) read_run(*table);
    if (const auto* table = reader_.find_table(reader_.root(), "inputs")) read_inputs(*table);
    if (const auto* table = reader_.find_table(reader_.root(), "compute")) read_formulas(*table);
    for (const auto& [name, key] : inputs_) known_.push_back(name);
    for (const auto& [name, formula] : formulas_) known_.push_back(name);
    compute_all();
    if (const auto* table = reader_.find_table(reader_.root(), "outputs")) read_outputs(*table);
    finish_without_outputs();
    refuse_unused();
    return std::move(workload_);
  }

 private:
  /// Runs something that may refuse the value of `node`, and puts the place to its error.
  template <typename Compute>
  auto placed(const toml::node& node, Compute compute) const {
    try {
      return compute();
    } catch (const UsageError& error) {
      reader_.refuse(node, error.record().what, error.record().hint);
    } catch (const StorageError& error) {
      throw StorageError(reader_.placed(node, error.record().what), error.record().hint);
    }
  }

  // [run]

  void read_run(const toml::table& table) {
    reader_.require_known_keys(table, {"memory", "task_memory", "workers", "scratch"}, "[run]");
    if (const auto* node = table.get("memory")) workload_.run.memory = bytes(*node, "memory");
    if (const auto* node = table.get("task_memory")) {
      if (workload_.run.memory)
        reader_.refuse(*node, "memory and task_memory exclude each other",
                       "memory is the whole budget, task_memory what tasks may hold of it");
      workload_.run.task_memory = bytes(*node, "task_memory");
    }
    if (const auto* node = table.get("workers")) workload_.run.workers = workers(*node);
    if (const auto* node = table.get("scratch")) workload_.run.scratch = scratch(*node);
  }

  Bytes bytes(const toml::node& node, const std::string& what) const {
    if (node.is_integer()) {
      const auto count = reader_.require_integer(node, what);
      if (count < 0) reader_.refuse(node, fmt::format("{} must not be negative", what));
      return Bytes(count);
    }
    return placed(node, [&] { return parse_bytes(reader_.require_string(node, what)); });
  }

  std::string scratch(const toml::node& node) const {
    const auto& text = reader_.require_string(node, "scratch");
    if (text.empty()) reader_.refuse(node, "scratch names no folder", "leave it out, or write \".\" for this one");
    auto folder = located(text);
    std::error_code error;
    if (!fs::is_directory(folder, error))
      reader_.refuse(node, fmt::format("{} is not a folder", folder), "make it first");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
      reader_.refuse(node, fmt::format("{} cannot be written to: {}", folder, std::strerror(errno)),
                     "choose another folder, or change its permissions");
    return folder;
  }

  std::int64_t workers(const toml::node& node) const {
    if (node.is_string() && reader_.require_string(node, "workers") == "unlimited") return 0;
    if (!node.is_integer()) reader_.refuse(node, "workers must be a whole number or \"unlimited\"");
    const auto count = reader_.require_integer(node, "workers");
    if (count < 1) reader_.refuse(node, "workers must be 1 or more", "write \"unlimited\" for no limit but memory");
    return count;
  }

  /// Relative paths are relative to the workload file.
  std::string located(const std::string& address) const {
    if (folder_.empty() || fs::path(address).is_absolute()) return address;
    return (folder_ / address).string();
  }

  // [inputs]

  void read_inputs(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      require_name(name, key);
      OpenArrayOptions options;
      std::string address;
      if (node.is_string()) {
        address = node.as_string()->get();
      } else if (const auto* details = node.as_table()) {
        reader_.require_known_keys(*details, {"source", "chunks", "decode"}, "an input");
        const auto* source = details->get("source");
        if (source == nullptr)
          reader_.refuse(node, fmt::format("input '{}' has no source", name), "source = \"file.h5:/dataset\"");
        address = reader_.require_string(*source, "source");
        if (const auto* chunks = details->get("chunks")) options.chunks = reader_.require_shape(*chunks, "chunks");
        if (const auto* decode = details->get("decode")) options.decode = reader_.require_bool(*decode, "decode");
      } else {
        reader_.refuse(node, fmt::format("input '{}' must be a string", name), "name = \"file.h5:/dataset\"");
      }
      address = located(address);
      placed(node, [&] {
        add_array(name, open(address, options));
        input_addresses_[name] = parse_address(address);
      });
      inputs_.emplace(name, key);
    }
  }

  void require_name(const std::string& name, const toml::key& key) const {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
        !std::all_of(name.begin(), name.end(), letter))
      reader_.refuse(key, fmt::format("'{}' cannot be a name in expressions", name),
                     "use letters, digits and _, not a digit first");
    if (is_reserved(name))
      reader_.refuse(key, fmt::format("'{}' is a word of the language", name), "choose another name");
  }

  void add_array(const std::string& name, const Array& array) {
    workload_.arrays.insert_or_assign(name, array.node()->name.empty() ? named(array, name) : array);
  }

  // [compute]

  void read_formulas(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      require_name(name, key);
      if (inputs_.contains(name))
        reader_.refuse(key, fmt::format("'{}' is an input already", name), "give one of them another name");
      reader_.require_string(node, fmt::format("'{}'", name));
      auto& formula = formulas_[name];
      formula.node = &node;
      formula.source = reader_.source_of(node);
      formula.syntax = lang::parse(formula.source);
    }
  }

  /// Dependencies first, with a stack of our own: chains may be long.
  void compute_all() {
    for (const auto& [name, formula] : formulas_) {
      std::vector<std::string> stack = {name};
      while (!stack.empty()) {
        const auto next = stack.back();
        auto& current = formulas_.at(next);
        if (current.state == Formula::State::kDone) {
          stack.pop_back();
          continue;
        }
        current.state = Formula::State::kBeingComputed;
        const auto missing = find_missing(current, stack);
        if (missing) {
          stack.push_back(*missing);
          continue;
        }
        compute(next, current);
        stack.pop_back();
      }
    }
  }

  /// A name that `formula` needs and that is not computed yet.
  std::optional<std::string> find_missing(const Formula& formula, const std::vector<std::string>& stack) const {
    for (const auto& name : lang::names_in(*formula.syntax)) {
      const auto other = formulas_.find(name);
      if (other == formulas_.end() || other->second.state == Formula::State::kDone) continue;
      if (other->second.state == Formula::State::kBeingComputed) refuse_cycle(formula, stack, name);
      return name;
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_cycle(const Formula& formula, const std::vector<std::string>& stack,
                                 const std::string& name) const {
    const auto first = std::find(stack.begin(), stack.end(), name);
    std::vector<std::string> cycle(first, stack.end());
    cycle.push_back(name);
    reader_.refuse(*formula.node, fmt::format("'{}' is computed from itself: {}", name, fmt::join(cycle, " -> ")),
                   "one of these must not use the next");
  }

  void compute(const std::string& name, Formula& formula) {
    const auto find = [&](const std::string& wanted) -> std::optional<Array> {
      const auto found = workload_.arrays.find(wanted);
      if (found == workload_.arrays.end()) return std::nullopt;
      used_.insert(wanted);
      return found->second;
    };
    const auto value = lang::evaluate(*formula.syntax, formula.source, find, known_);
    add_array(name, lang::require_result(value, formula.source));
    formula.state = Formula::State::kDone;
  }

  // [outputs]

  void read_outputs(const toml::table& table) {
    std::vector<std::pair<Place, std::string>> taken;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const auto array = workload_.arrays.find(name);
      if (array == workload_.arrays.end())
        reader_.refuse(key, fmt::format("output '{}' is neither computed nor an input", name),
                       did_you_mean(name, known_));
      used_.insert(name);
      auto output = read_output(name, array->second, node);
      const Place place(identity(output.address->file), output.address->path);
      refuse_overwriting(node, name, place);
      for (const auto& [other_place, other] : taken)
        if (collide(place, other_place))
          reader_.refuse(node,
                         place == other_place
                             ? fmt::format("outputs '{}' and '{}' go to the same data set", other, name)
                             : fmt::format("one of the outputs '{}' and '{}' would lie inside the other", other, name),
                         "choose another data set or file for one of them");
      taken.emplace_back(place, name);
      workload_.outputs.push_back(std::move(output));
    }
  }

  Output read_output(const std::string& name, const Array& array, const toml::node& node) const {
    StoreOptions options;
    std::string address;
    if (node.is_string()) {
      address = node.as_string()->get();
    } else if (const auto* details = node.as_table()) {
      reader_.require_known_keys(*details, {"to", "chunks", "dtype", "compression", "level"}, "an output");
      const auto* target = details->get("to");
      if (target == nullptr)
        reader_.refuse(node, fmt::format("output '{}' does not say where to", name), "to = \"file.h5:/dataset\"");
      address = reader_.require_string(*target, "to");
      read_store_options(*details, array, options);
    } else {
      reader_.refuse(node, fmt::format("output '{}' must be a string", name), "name = \"file.h5:/dataset\"");
    }
    return placed(node, [&] { return store(array, located(address), options); });
  }

  void read_store_options(const toml::table& details, const Array& array, StoreOptions& options) const {
    if (const auto* chunks = details.get("chunks")) {
      options.chunks = reader_.require_shape(*chunks, "chunks");
      if (options.chunks->size() != array.shape().size())
        reader_.refuse(
            *chunks,
            fmt::format("chunks {} for an array of shape {}", to_string(*options.chunks), to_string(array.shape())),
            "one extent per axis");
    }
    if (const auto* dtype = details.get("dtype"))
      options.dtype = placed(*dtype, [&] { return lang::require_dtype({reader_.require_string(*dtype, "dtype")}); });
    const auto* compression = details.get("compression");
    const auto* level = details.get("level");
    if (compression != nullptr) {
      const auto& kind = reader_.require_string(*compression, "compression");
      if (kind != "deflate" && kind != "none")
        reader_.refuse(*compression, fmt::format("unknown compression '{}'", kind), "there is: deflate, none");
      options.deflate = kind == "deflate" ? 4 : 0;
    }
    if (level != nullptr) {
      if (options.deflate == 0) reader_.refuse(*level, "a level without compression", "add compression = \"deflate\"");
      const auto value = reader_.require_integer(*level, "level");
      if (value < 1 || value > 9) reader_.refuse(*level, "level must be 1 (fast) to 9 (small)");
      options.deflate = static_cast<int>(value);
    }
  }

  void refuse_overwriting(const toml::node& node, const std::string& name, const Place& place) const {
    for (const auto& [input, address] : input_addresses_)
      if (collide(place, {identity(address.file), address.path}))
        reader_.refuse(node, fmt::format("output '{}' would overwrite the input '{}'", name, input),
                       "choose another data set or file");
  }

  /// Synthetic work that nothing comes after is run for itself.
  void finish_without_outputs() {
    for (const auto& [name, array] : workload_.arrays) {
      if (used_.contains(name) || !std::holds_alternative<SyntheticNode>(array.node()->detail)) continue;
      workload_.outputs.push_back(discard(array));
      used_.insert(name);
    }
    if (workload_.outputs.empty())
      reader_.refuse(reader_.root(), "the workload has no outputs",
                     "add a table [outputs] with lines like: name = \"file.h5:/dataset\"");
  }

  void refuse_unused() const {
    for (const auto& [name, key] : inputs_)
      if (!used_.contains(name))
        reader_.refuse(key, fmt::format("input '{}' is not used", name), "remove it, or use it in [compute]");
    for (const auto& [name, formula] : formulas_)
      if (!used_.contains(name))
        reader_.refuse(*formula.node, fmt::format("'{}' is computed but not used", name),
                       "remove it, or add it to [outputs]");
  }

  TomlReader reader_;
  fs::path folder_;
  Workload workload_;
  std::map<std::string, toml::key> inputs_;
  std::map<std::string, DatasetAddress> input_addresses_;
  std::map<std::string, Formula> formulas_;
  std::vector<std::string> known_;
  std::set<std::string> used_;
};

}  // namespace

Workload load_workload(const std::string& file) { return Loader(file).run(); }

}  // namespace brim
