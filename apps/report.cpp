// talus report DIR: a page on a run, one file: player, plots, figures, pictures.

#include "report/report.h"

#include "cli.h"
#include "run_common.h"
#include "verbs.h"

namespace talus {

int verb_report(VerbArguments args) {
  std::string folder, output;
  int threads = 0;
  Cli cli("report", "a page on a run: player, plots, figures; one file");
  cli.word("DIR", folder, "run folder; it may be still being written");
  cli.option("-o,--output", output, "file; default DIR/report.html");
  cli.option("-j,--threads", threads, 0, 1024, "threads; 0 = all cores");
  cli.footer(
      "'run' and 'resume' leave a report when they end; this makes it again, with the pictures and "
      "films that\n'talus render' has made since, or for a run of an older program. The page needs "
      "no network: keep it, mail it.");
  if (const auto stop = cli.parse(args)) return *stop;
  const Executor executor(threads);
  const auto made = report::write_report({folder, output, {}}, executor);
  if (!made) return report_error(made.error());
  print_report(*made);
  return made->damaged > 0 ? static_cast<int>(ErrorKind::work) : 0;
}

}  // namespace talus
