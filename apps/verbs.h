// The verbs of the command line. Each is implemented in apps/<name>.cpp, or in
// apps/tools/<name>.cpp when it is a program of its own, and has one row in the table of
// apps/main.cpp. A verb receives the words after its name and returns the exit code:
//   0 done; 1 the work failed; 2 the command or the scene is wrong; 130 interrupted.
#pragma once

#include <span>
#include <string>

namespace talus {

using VerbArguments = std::span<const std::string>;

int verb_run(VerbArguments args);
int verb_resume(VerbArguments args);
int verb_info(VerbArguments args);
int verb_check(VerbArguments args);
int verb_keys(VerbArguments args);
int verb_materials(VerbArguments args);
int verb_new(VerbArguments args);
int verb_detail(VerbArguments args);
int verb_render(VerbArguments args);
int verb_report(VerbArguments args);
int verb_sample(VerbArguments args);

}  // namespace talus
