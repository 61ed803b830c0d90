#include "view/gl_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>
#include <cctype>
#include <vector>

namespace talus::view {

struct HeadlessContext::Handles {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
};

namespace {

/// Displays that need no window system, the likeliest first.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> out;
  const auto add = [&](EGLDisplay display) {
    if (display != EGL_NO_DISPLAY) out.push_back(display);
  };
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device")) {
    std::array<EGLDeviceEXT, 8> devices;
    EGLint count = 0;
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count))
      for (EGLint i = 0; i < count; ++i)
        add(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT,
                                     devices[static_cast<std::size_t>(i)], nullptr));
  }
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
    add(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  add(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return out;
}

EGLContext make_context(EGLDisplay display) {
  EGLint major = 0, minor = 0;
  if (!eglInitialize(display, &major, &minor)) return EGL_NO_CONTEXT;
  if (!epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context") ||
      !eglBindAPI(EGL_OPENGL_API))
    return EGL_NO_CONTEXT;
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                           EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) config = nullptr;
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_MINOR_VERSION,
                            3,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, version);
}

}  // namespace

Error no_opengl(const std::string& what) {
  return work_error(
      "{}; the viewer needs OpenGL 3.3. Update the graphics driver, or let Mesa draw in software: "
      "install libgl1-mesa-dri and start with LIBGL_ALWAYS_SOFTWARE=1 in front of the command",
      what);
}

Result<std::unique_ptr<HeadlessContext>> HeadlessContext::create() {
  std::unique_ptr<HeadlessContext> out(new HeadlessContext);
  out->handles_ = std::make_unique<Handles>();
  Handles& h = *out->handles_;
  for (EGLDisplay display : displays()) {
    h.context = make_context(display);
    if (h.context == EGL_NO_CONTEXT) continue;
    h.display = display;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, h.context)) break;
    eglDestroyContext(display, h.context);
    h.context = EGL_NO_CONTEXT;
  }
  if (h.context == EGL_NO_CONTEXT)
    return no_opengl("there is no driver that draws without a display (EGL)");
  if (Status s = check_opengl(); !s) return s.error();
  return out;
}

HeadlessContext::~HeadlessContext() {
  if (!handles_ || handles_->context == EGL_NO_CONTEXT) return;
  eglMakeCurrent(handles_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(handles_->display, handles_->context);
}

Status check_opengl() {
  const int version = epoxy_gl_version();
  if (version >= 33) return {};
  return no_opengl(
      fmt::format("the graphics driver ({}) has OpenGL {}.{}", driver_name(), version / 10,
                  version % 10));
}

std::string driver_name() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr ? name : "unknown";
}

bool is_software_driver() {
  std::string name = driver_name();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* word : {"llvmpipe", "softpipe", "swrast", "software"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace talus::view
