// talus new NAME: a commented scene to start from.
#include "cli.h"
#include "scene/starter.h"
#include "verbs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace talus {

int verb_new(VerbArguments args) {
  std::string name;
  Cli cli("new", "write a commented scene to start from: NAME.toml");
  cli.word("NAME", name, "name of the scene; may contain folders that exist");
  if (const auto stop = cli.parse(args)) return *stop;

  std::filesystem::path path(name);
  if (path.extension() != ".toml") path += ".toml";
  if (path.stem().empty() || path.stem() == ".toml" || name.back() == '/')
    return report_error(request_error("'{}' is not the name of a file", name));
  // "x": fails when the file is there already, even when it appears at this very moment.
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr && errno == EEXIST)
    return report_error(request_error(
        "{} is there already and is not overwritten; choose another name", path.string()));
  if (file == nullptr)
    return report_error(
        request_error("{} cannot be written: {}", path.string(), std::strerror(errno)));
  const std::string text = starter_scene(path.stem().string());
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) {
    std::remove(path.c_str());
    return report_error(
        work_error("{} cannot be written: {}", path.string(), std::strerror(errno)));
  }
  fmt::print("wrote {}\nnext: talus check {}, then talus run {}\n", path.string(), path.string(),
             path.string());
  return 0;
}

}  // namespace talus
