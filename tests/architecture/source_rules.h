// The rules of the house that a compiler does not check, as functions on the text of a source file.
// docs/architecture.md tells why they are so.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace talus::architecture {

/// The folders of src/ in their order: a folder includes itself and those above it, nothing else.
inline const std::vector<std::string> folder_order = {
    "core", "math",   "geometry", "particles", "scene",  "sampling", "bodies", "solver", "sph",
    "dem",  "frames", "run",      "detail",    "render", "report",   "view",   "export", "lab"};

/// Something that may stand only in a few files.
struct Confined {
  std::string what;
  std::regex pattern;  ///< looked for in each line, comments and literals removed
  std::regex allowed;  ///< paths, relative to the root, where it may stand
};

/// Exceptions are listed with their reason; to add one is a decision, not a formality.
inline std::vector<Confined> confined_things() {
  const auto rule = [](const char* what, const char* pattern, const char* allowed) {
    return Confined{what, std::regex(pattern), std::regex(allowed)};
  };
  return {
      rule("vector instructions",
           R"((immintrin|xmmintrin|arm_neon)\.h|\b_mm\d*_|\b__m\d+|vector_size)",
           R"(src/math/wide(_\w+)?\.h)"),
      // render/tracer.cpp: Embree's builder is kept on one thread and counts its memory in a
      // callback that it calls from its own threads. run/interrupt.cpp: the flag a signal sets.
      // core/hand_over.h: what a simulation and the window that shows it hand to each other.
      rule(
          "threads",
          R"(\bstd::(jthread|thread|async|mutex|shared_mutex|recursive_mutex|atomic|condition_variable|call_once|future|promise|barrier|latch|counting_semaphore|execution)\b|\btbb\b|\bpthread_|#\s*pragma\s+omp|\bthread_local\b|\bvolatile\b)",
          R"(src/core/(parallel\.(h|cpp)|hand_over\.h)|src/render/tracer\.cpp|src/run/interrupt\.cpp)"),
      // Headers that cost seconds, or OpenVDB a minute, in each file that includes them.
      rule("OpenVDB", R"(#\s*include\s*<(openvdb|nanovdb)/)", R"(src/(geometry|export)/\w+\.cpp)"),
      rule("Embree", R"(#\s*include\s*<embree)", R"(src/render/tracer\.cpp)"),
      // The bullet_*.h and *_impl.h of bodies/ hide Bullet from everybody else, so only their own
      // kind sees them.
      rule("Bullet", R"(#\s*include\s*<(bt|Bullet|LinearMath/|BulletCollision/|BulletDynamics/))",
           R"(src/bodies/(\w+\.cpp|bullet_\w+\.h|\w+_impl\.h))"),
      rule("headers around Bullet", R"(#\s*include\s*"bodies/(bullet_|\w+_impl\.h))",
           R"(src/bodies/(\w+\.cpp|bullet_\w+\.h|\w+_impl\.h))"),
      rule("Assimp", R"(#\s*include\s*<assimp/)", R"(src/geometry/\w+\.cpp)"),
      rule("toml++", R"(#\s*include\s*<toml)", R"(src/scene/toml_tree\.cpp)"),
      // Only `talus view` needs their packages.
      rule("OpenGL and windows", R"(#\s*include\s*<(epoxy/|GLFW/|GL/|EGL/|imgui|backends/imgui))",
           R"(src/view/\w+\.(h|cpp)|apps/tools/view\.cpp)"),
      rule("CLI11", R"(#\s*include\s*<CLI)", R"(apps/cli\.cpp)"),
  };
}

/// The text without comments and without the content of string and character literals; lines stay.
inline std::string code_only(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    std::size_t length = 1;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      length = end == std::string_view::npos ? rest.size() : end + 2;
    } else if (rest.starts_with("R\"")) {
      const std::size_t open = rest.find('(');
      const std::string close = ")" + std::string(rest.substr(2, open - 2)) + "\"";
      const std::size_t end = rest.find(close);
      length = end == std::string_view::npos ? rest.size() : end + close.size();
    } else if (rest[0] == '"' || (rest[0] == '\'' && (i == 0 || !std::isalnum(text[i - 1])))) {
      while (length < rest.size() && rest[length] != rest[0] && rest[length] != '\n')
        length += rest[length] == '\\' ? 2 : 1;
      length = std::min(length + 1, rest.size());
      // What is included stays readable: #include "core/error.h".
      const std::size_t line = text.rfind('\n', i) + 1;
      if (text.substr(line, i - line).find("#include") != std::string_view::npos) {
        out += rest.substr(0, length);
        i += length;
        continue;
      }
    } else {
      out += rest[0];
      ++i;
      continue;
    }
    out += std::string(static_cast<std::size_t>(std::count(
                           rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length), '\n')),
                       '\n');
    i += length;
  }
  return out;
}

/// Place of a folder in the order, or -1.
inline int rank(const std::string& folder) {
  const auto it = std::find(folder_order.begin(), folder_order.end(), folder);
  return it == folder_order.end() ? -1 : static_cast<int>(it - folder_order.begin());
}

/// "src/sph/step.cpp" -> "sph"; empty outside src/.
inline std::string folder_of(const std::string& path) {
  std::smatch match;
  static const std::regex pattern(R"(src/(\w+)/.*)");
  return std::regex_match(path, match, pattern) ? match[1].str() : std::string();
}

inline void check_include(const std::string& path, const std::string& line,
                          std::vector<std::string>& found) {
  static const std::regex pattern(R"(^\s*#\s*include\s*"([^"/]+)/[^"]*")");
  std::smatch match;
  const std::string folder = folder_of(path);
  if (folder.empty() || !std::regex_search(line, match, pattern)) return;
  const int target = rank(match[1]);
  if (target < 0)
    found.push_back("includes \"" + match[1].str() + "/\", which is no folder of src/");
  else if (target > rank(folder))
    found.push_back("includes " + match[1].str() + "/, which stands below " + folder + "/");
}

/// What the file at `path` (relative to the root) does against the rules, one line each.
inline std::vector<std::string> violations(const std::string& path, std::string_view text) {
  static const std::vector<Confined> rules = confined_things();
  std::vector<std::string> result;
  if (!folder_of(path).empty() && rank(folder_of(path)) < 0)
    result.push_back(path + ": its folder is not in the order of folders");
  if (path.ends_with(".h") && text.find("#pragma once") == std::string_view::npos)
    result.push_back(path + ": header without #pragma once");
  const std::string code = code_only(text);
  int number = 0;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string line = code.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    std::vector<std::string> found;
    check_include(path, line, found);
    for (const Confined& rule : rules)
      if (std::regex_search(line, rule.pattern) && !std::regex_match(path, rule.allowed))
        found.push_back(rule.what + " do not belong here");
    for (const std::string& what : found)
      result.push_back(path + ":" + std::to_string(number) + ": " + what);
  }
  return result;
}

}  // namespace talus::architecture
