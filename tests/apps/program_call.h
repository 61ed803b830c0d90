// Calls the built program as a user's shell does.
#pragma once

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

struct Outcome {
  int code = -1;
  std::string text;  ///< stdout and stderr
};

inline Outcome talus_call(const std::string& arguments) {
  const std::string command = std::string("'") + TALUS_PROGRAM + "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

inline void expect_call(const std::string& arguments, int code, const std::string& text) {
  const Outcome outcome = talus_call(arguments);
  EXPECT_EQ(outcome.code, code) << "talus " << arguments << "\n" << outcome.text;
  EXPECT_NE(outcome.text.find(text), std::string::npos)
      << "talus " << arguments << " does not say '" << text << "' but\n"
      << outcome.text;
}
