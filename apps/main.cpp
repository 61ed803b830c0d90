// The command line of Talus. Data flows from left to right; each arrow is a verb, each verb a file:
//
//   scene.toml --check--> Scene --run/resume--> base frames --render--> pictures, film
//                                                   |--export--> files of other programs
//                                                   |--info--> what a run contains
//
// keys, materials, new, sample, bench and lab stand beside the flow: they help to write scenes, to
// look at meshes, to measure the program and the sand.

#include "cli.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace talus;

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(VerbArguments);
};

constexpr Verb verbs[] = {
    {"run", "simulate a scene; writes a run folder", verb_run},
    {"resume", "continue a run from its last checkpoint", verb_resume},
    {"info", "tell what a run contains", verb_info},
    {"detail", "fine grains on top of a coarse run", verb_detail},
    {"render", "ray-traced pictures and film of a run", verb_render},
    {"export", "files for ParaView, Houdini, Blender, numpy", verb_export},
    {"new", "write a commented scene to start from", verb_new},
    {"check", "read a scene and report what is wrong or doubtful", verb_check},
    {"keys", "list every scene key with unit, default, range and meaning", verb_keys},
    {"materials", "list the material presets", verb_materials},
    {"sample", "mesh to signed distance field to evenly spaced particles", verb_sample},
    {"bench", "measure the throughput of each phase on this machine", verb_bench},
    {"lab", "experiments: measured numbers beside theory and publications", verb_lab},
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

int dispatch(const std::vector<std::string>& words) {
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
  return verb->run(VerbArguments(words).subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  try {
    return dispatch(words);
  } catch (const std::bad_alloc&) {
    return report_error(
        work_error("out of memory; use fewer particles (a larger spacing) or a larger machine"));
  } catch (const std::exception& e) {
    return report_error(work_error("unexpected failure: {}", e.what()));
  }
}
