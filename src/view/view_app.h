// The viewer as a program: with a window, or without a display.
#pragma once

#include "core/error.h"
#include "view/view_model.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace talus::view {

struct ViewOptions {
  ViewSettings settings;
  int width = 1280, height = 720;
  bool headless = false;
  bool panels = false;                 ///< headless: draw the panels too
  std::string script;                  ///< see script.h
  std::optional<std::uint64_t> frame;  ///< to begin with; of a scene: simulate up to it
  std::filesystem::path screenshot;    ///< after that frame
  int repeat = 0;                      ///< headless: draw so often, and report how long it takes
  std::function<void(const std::string&)> say = [](const std::string&) {};  ///< for the terminal
  std::function<bool()> interrupted = [] { return false; };
};

/// Returns when the window is closed, or the script is done.
Status run_view(const ViewOptions& options);

Status run_headless(const ViewOptions& options);
Status run_window(const ViewOptions& options);

/// --frame and --screenshot as commands, before those of --do.
std::string whole_script(const ViewOptions& options, bool live);

}  // namespace talus::view
