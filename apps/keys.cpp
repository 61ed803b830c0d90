// talus keys [PREFIX]: every scene key with unit, default, range and meaning.
#include "scene/keys.h"

#include "cli.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

namespace talus {

int verb_keys(VerbArguments args) {
  std::string prefix;
  bool markdown = false;
  Cli cli("keys", "list every scene key with its unit, default, range and meaning");
  cli.optional_word("PREFIX", prefix, "only keys that start so, e.g. sph or body.friction");
  cli.flag("--markdown", markdown, "the whole list as docs/scene-reference.md has it");
  if (const auto stop = cli.parse(args)) return *stop;

  if (markdown) {
    fmt::print("{}", keys_markdown());
    return 0;
  }
  const std::string text = keys_text(prefix);
  if (text.empty()) {
    const std::string guess = nearest_word(prefix, key_paths());
    return report_error(request_error(
        "no key starts with '{}'{}", prefix,
        guess.empty() ? "; 'talus keys' lists all" : fmt::format("; did you mean '{}'?", guess)));
  }
  fmt::print("{}", text);
  return 0;
}

}  // namespace talus
