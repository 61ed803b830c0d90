// Runs the built program as a user would.
#pragma once

#include "frames/scratch_folder.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace talus {

/// Starts `talus WORDS...`; stdout and stderr go to the file `output`.
inline pid_t start_program(std::vector<std::string> words, const std::filesystem::path& output) {
  words.insert(words.begin(), TALUS_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::execv(TALUS_PROGRAM, arguments.data());
  std::_Exit(99);
}

/// The exit code, or minus the signal that ended it.
inline int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline int run_program(const std::vector<std::string>& words, const std::filesystem::path& output) {
  return end_of(start_program(words, output));
}

inline std::string text_of(const std::filesystem::path& path) {
  const auto bytes = file_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace talus
