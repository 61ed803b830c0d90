// The command line of Talus. Data flows from left to right; each arrow is a verb, each verb a file:
//
//   scene.toml --check--> Scene --run/resume--> base frames --render--> pictures, film
//                           |                       |--view--> a window on the run
//                           '--view--> a window, live
//                                                   |--export--> files of other programs
//                                                   |--report--> one page: player, plots, figures
//                                                   |--info--> what a run contains
//
// keys, materials, new, sample, bench and lab stand beside the flow: they help to write scenes, to
// look at meshes, to measure the program and the sand.

#include "cli.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace talus;

/// Without a function, the verb is a program of its own, talus-NAME (apps/tools/NAME.cpp).
struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(VerbArguments) = nullptr;
};

constexpr Verb verbs[] = {
    {"run", "simulate a scene; writes a run folder", verb_run},
    {"resume", "continue a run from its last checkpoint", verb_resume},
    {"info", "tell what a run contains", verb_info},
    {"detail", "fine grains on top of a coarse run", verb_detail},
    {"render", "ray-traced pictures and film of a run", verb_render},
    {"report", "a page on a run: player, plots, figures; one file", verb_report},
    {"view", "a window on a run, or on a scene that is simulated live"},
    {"export", "files for ParaView, Houdini, Blender, numpy"},
    {"new", "write a commented scene to start from", verb_new},
    {"check", "read a scene and report what is wrong or doubtful", verb_check},
    {"keys", "list every scene key with unit, default, range and meaning", verb_keys},
    {"materials", "list the material presets", verb_materials},
    {"sample", "mesh to signed distance field to evenly spaced particles", verb_sample},
    {"bench", "measure the throughput of each phase on this machine"},
    {"lab", "experiments: measured numbers beside theory and publications"},
};

void print_help() {
  fmt::print("Talus {}: simulates sand, gravel, rice and other granular material\n\n",
             TALUS_VERSION);
  fmt::print("usage: talus VERB [ARGUMENTS]\n\n");
  for (const Verb& verb : verbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print(
      "\n'talus VERB --help' tells what a verb takes; 'talus --version' which program this is.\n");
}

int unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.emplace_back(verb.name);
  const std::string guess = nearest_word(word, names);
  return report_error(
      request_error("unknown verb '{}'{}\n'talus --help' lists the verbs", word,
                    guess.empty() ? std::string(".") : fmt::format("; did you mean '{}'?", guess)));
}

/// Becomes the program talus-NAME beside this one; returns only when that fails.
int become_tool(std::string_view name, VerbArguments args) {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path tool = self.parent_path() / fmt::format("talus-{}", name);
  std::vector<std::string> words{tool.string()};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv.front(), argv.data());
  return report_error(work_error(
      "the verb '{}' needs the program {}, which is not there or does not start.\n"
      "'./talus {}' in Talus' folder builds it; so does 'cmake --build {} --target talus-{}'",
      name, tool.string(), name, self.parent_path().string(), name));
}

int dispatch(VerbArguments words) {
  if (words.empty()) {
    print_help();
    return static_cast<int>(ErrorKind::request);
  }
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return 0;
  }
  if (name == "--version" || name == "-V") {
    fmt::print("talus {} ({})\n", TALUS_VERSION, TALUS_BUILD_KIND);
    return 0;
  }
  const auto* verb = std::find_if(std::begin(verbs), std::end(verbs),
                                  [&](const Verb& v) { return v.name == name; });
  if (verb == std::end(verbs)) return unknown_verb(name);
  const VerbArguments rest = words.subspan(1);
  return verb->run ? verb->run(rest) : become_tool(verb->name, rest);
}

}  // namespace

int main(int argc, char** argv) { return run_guarded(argc, argv, dispatch); }
