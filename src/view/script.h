// Words that drive the viewer in place of a hand: for tests, and for pictures of live scenes
// without a window. "frames 20; drop ball; frames 30; screenshot after.png; quit"
#pragma once

#include "core/error.h"
#include "view/view_model.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace talus::view {

/// What every command looks like, one on a line: for help and messages.
std::string script_help();

class Script {
 public:
  Script() = default;
  /// Commands, separated by ';' or lines. Unknown ones and wrong numbers are errors.
  static Result<Script> parse(const std::string& text);

  bool finished() const { return next_ >= steps_.size(); }
  /// Goes on until a command has to wait for loader, simulation, painter or time.
  Status tick(ViewModel& model, double now);

  /// A picture that the painter owes; the script waits until it is taken.
  std::optional<std::filesystem::path> take_screenshot();
  /// A recording that should begin here, or, when empty, end.
  std::optional<std::filesystem::path> take_recording();
  bool quit() const { return quit_; }

 private:
  struct Step {
    std::string verb;
    std::vector<std::string> words;
    std::vector<double> numbers;  ///< the words that are numbers, in order
  };
  enum class Progress { done, begun, not_yet };

  Result<Progress> carry_out(const Step& step, ViewModel& model, double now);
  Result<Progress> carry_out_live(const Step& step, ViewModel& model);
  Progress wait_until(bool done) const { return done ? Progress::done : Progress::begun; }

  std::vector<Step> steps_;
  std::size_t next_ = 0;
  bool started_ = false, quit_ = false;
  double start_ = 0;
  std::uint64_t target_ = 0;
  std::optional<std::filesystem::path> screenshot_, recording_;
};

}  // namespace talus::view
