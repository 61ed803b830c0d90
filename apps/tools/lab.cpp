// talus lab: runs experiments, prints measured numbers beside their bands, writes JSON, CSV, plots
// and a page.

#include "cli.h"
#include "core/machine.h"
#include "core/timer.h"
#include "lab/experiment.h"
#include "lab/report.h"
#include "run/interrupt.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

namespace talus {

namespace {

struct LabArguments {
  std::string name, output = "out/lab", folder = TALUS_LAB_FOLDER;
  int threads = 0;
  bool quick = false, full = false;
};

Error no_such_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& e : lab_experiments()) names.emplace_back(e.name);
  const std::string guess = nearest_word(name, names);
  return request_error("no experiment '{}'{}\n'talus lab' without a name lists them", name,
                       guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess));
}

lab::Circumstances circumstances(const LabArguments& arguments, int threads, double seconds) {
  lab::Circumstances how;
  how.date = utc_now();
  how.version = TALUS_VERSION;
  how.machine = cpu_model();
  how.threads = threads;
  how.full = arguments.full;
  how.seconds = seconds;
  return how;
}

/// Exit code: 0 within all bands, 1 out of one.
int run_experiment(const Experiment& experiment, const LabArguments& arguments) {
  const Executor executor(arguments.threads);
  const InterruptWatch watch;
  const LabContext context{executor,
                           arguments.folder,
                           arguments.output + "/cache",
                           arguments.full,
                           [](std::string_view text) { fmt::print(stderr, "{} ...\n", text); },
                           [&] { return watch.interrupted(); }};
  const double start = seconds_now();
  const Result<LabReport> report = experiment.run(context);
  if (!report) {
    const int code = report_error(report.error());
    return watch.interrupted() ? exit_interrupted : code;
  }
  fmt::print("{}", lab::table(experiment.name, *report));
  if (Status s =
          lab::write_report(arguments.output, experiment, *report,
                            circumstances(arguments, executor.threads(), seconds_now() - start));
      !s)
    return report_error(s.error());
  if (Status s = lab::write_page(arguments.output); !s) return report_error(s.error());
  fmt::print("numbers, curves and plots: {0}/{1}.*; all of them: {0}/index.html\n",
             arguments.output, experiment.name);
  return report->passed() ? 0 : 1;
}

int verb_lab(VerbArguments args) {
  LabArguments arguments;
  Cli cli("lab", "experiments: measured numbers beside theory and publications");
  cli.optional_word("NAME", arguments.name, "an experiment, or all; without, they are listed");
  cli.option("-o,--output", arguments.output, "folder for numbers and curves");
  cli.option("--folder", arguments.folder, "folder with the experiments' scenes");
  cli.option("-j,--threads", arguments.threads, 0, 1024, "threads; 0 = all cores");
  cli.flag("--quick", arguments.quick, "small sizes, a few minutes each; the default");
  cli.flag("--full", arguments.full, "all sizes and parameters, hours");
  cli.footer("Exit code 1 when a number is out of its band.");
  if (const auto stop = cli.parse(args)) return *stop;
  if (arguments.quick && arguments.full)
    return report_error(request_error("--quick and --full contradict each other; give one"));
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
    if (code == exit_interrupted) break;
  }
  return found ? code : report_error(no_such_experiment(arguments.name));
}

}  // namespace

}  // namespace talus

int main(int argc, char** argv) { return talus::run_guarded(argc, argv, talus::verb_lab); }
