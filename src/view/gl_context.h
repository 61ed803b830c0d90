// A context of OpenGL without any display: EGL, on a graphics card or by Mesa's software driver.
#pragma once

#include "core/error.h"

#include <memory>
#include <string>

namespace talus::view {

class HeadlessContext {
 public:
  /// Makes it current.
  static Result<std::unique_ptr<HeadlessContext>> create();
  ~HeadlessContext();
  HeadlessContext(const HeadlessContext&) = delete;
  HeadlessContext& operator=(const HeadlessContext&) = delete;

 private:
  HeadlessContext() = default;
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// Of the current context: an error that says what to do when it is older than OpenGL 3.3.
Status check_opengl();
Error no_opengl(const std::string& what);
/// "llvmpipe (LLVM 15.0.6, 256 bits)"
std::string driver_name();
/// The processor draws, not a graphics card.
bool is_software_driver();

}  // namespace talus::view
