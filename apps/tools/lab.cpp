// talus lab: runs experiments, prints measured numbers beside their bands, writes JSON and CSV.

#include "cli.h"
#include "frames/atomic_file.h"
#include "lab/experiment.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus {

namespace {

struct LabArguments {
  std::string name, output = "out/lab", folder = TALUS_LAB_FOLDER;
  int threads = 0;
  bool full = false;
};

Error no_such_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& e : lab_experiments()) names.emplace_back(e.name);
  const std::string guess = nearest_word(name, names);
  return request_error("no experiment '{}'{}\n'talus lab' without a name lists them", name,
                       guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess));
}

Status write_results(const std::string& folder, std::string_view name, const LabReport& report) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return file_error("create folder", folder, code.value());
  const std::filesystem::path base = std::filesystem::path(folder) / name;
  if (Status s = write_text_file(base.string() + ".json", lab_json(name, report)); !s) return s;
  return write_text_file(base.string() + ".csv", lab_csv(report));
}

/// Exit code: 0 within all bands, 1 out of one.
int run_experiment(const Experiment& experiment, const LabArguments& arguments) {
  const Executor executor(arguments.threads);
  const LabContext context{executor, arguments.folder, arguments.full,
                           [](std::string_view text) { fmt::print(stderr, "{} ...\n", text); }};
  const Result<LabReport> report = experiment.run(context);
  if (!report) return report_error(report.error());
  fmt::print("{}", lab_table(experiment.name, *report));
  if (Status s = write_results(arguments.output, experiment.name, *report); !s)
    return report_error(s.error());
  fmt::print("numbers and curves: {}/{}.json, .csv\n", arguments.output, experiment.name);
  return report->passed() ? 0 : 1;
}

int verb_lab(VerbArguments args) {
  LabArguments arguments;
  Cli cli("lab", "experiments: measured numbers beside theory and publications");
  cli.optional_word("NAME", arguments.name, "an experiment, or all; without, they are listed");
  cli.option("-o,--output", arguments.output, "folder for numbers and curves");
  cli.option("--folder", arguments.folder, "folder with the experiments' scenes");
  cli.option("-j,--threads", arguments.threads, 0, 1024, "threads; 0 = all cores");
  cli.flag("--full", arguments.full, "all sizes and parameters; default a few minutes' worth");
  cli.footer("Exit code 1 when a number is out of its band.");
  if (const auto stop = cli.parse(args)) return *stop;
  if (arguments.name.empty()) {
    for (const Experiment& e : lab_experiments()) fmt::print("{:<12} {}\n", e.name, e.summary);
    return 0;
  }
  int code = 0;
  bool found = false;
  for (const Experiment& e : lab_experiments()) {
    if (arguments.name != "all" && arguments.name != e.name) continue;
    found = true;
    code = std::max(code, run_experiment(e, arguments));
  }
  return found ? code : report_error(no_such_experiment(arguments.name));
}

}  // namespace

}  // namespace talus

int main(int argc, char** argv) { return talus::run_guarded(argc, argv, talus::verb_lab); }
