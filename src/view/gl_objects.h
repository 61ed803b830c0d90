// OpenGL's objects with an owner: each is freed with the value that holds it, while its context is
// current. Errors of shaders are messages, not aborts.
#pragma once

#include "core/error.h"
#include "math/vec.h"
#include "view/matrix.h"

#include <epoxy/gl.h>

#include <array>
#include <span>
#include <string>
#include <utility>

namespace talus::view {

/// A name that OpenGL gave out. `Release` frees it.
template <void (*Release)(GLuint)>
class GlName {
 public:
  GlName() = default;
  explicit GlName(GLuint name) : name_(name) {}
  GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlName& operator=(GlName&& other) noexcept {
    if (this != &other) {
      free();
      name_ = std::exchange(other.name_, 0);
    }
    return *this;
  }
  ~GlName() { free(); }
  GLuint get() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  void free() {
    if (name_ != 0) Release(name_);
  }
  GLuint name_ = 0;
};

inline void free_buffer(GLuint n) { glDeleteBuffers(1, &n); }
inline void free_array(GLuint n) { glDeleteVertexArrays(1, &n); }
inline void free_texture(GLuint n) { glDeleteTextures(1, &n); }
inline void free_framebuffer(GLuint n) { glDeleteFramebuffers(1, &n); }
inline void free_program(GLuint n) { glDeleteProgram(n); }

using GlBuffer = GlName<free_buffer>;
using GlArray = GlName<free_array>;
using GlTexture = GlName<free_texture>;
using GlFramebuffer = GlName<free_framebuffer>;

GlBuffer make_buffer();
GlArray make_array();
GlFramebuffer make_framebuffer();

struct TextureFormat {
  GLint internal = GL_RGBA8;
  GLenum format = GL_RGBA;
  GLenum type = GL_UNSIGNED_BYTE;
  GLint filter = GL_NEAREST;
  GLint wrap = GL_CLAMP_TO_EDGE;
};
GlTexture make_texture(int width, int height, const TextureFormat& format,
                       const void* pixels = nullptr);

/// A linked pair of shaders.
class GlProgram {
 public:
  GlProgram() = default;
  /// `name` stands in messages. The version line and `defines` come before both texts.
  static Result<GlProgram> make(const std::string& name, const std::string& vertex,
                                const std::string& fragment, const std::string& defines = "");

  void use() const { glUseProgram(program_.get()); }
  // Uniforms of the program in use; those that the compiler removed are ignored.
  void set(const char* name, int value) const { glUniform1i(place(name), value); }
  void set(const char* name, float value) const { glUniform1f(place(name), value); }
  void set(const char* name, float x, float y) const { glUniform2f(place(name), x, y); }
  void set(const char* name, const Vec3f& v) const { glUniform3f(place(name), v.x, v.y, v.z); }
  void set(const char* name, const Vec3f& v, float w) const {
    glUniform4f(place(name), v.x, v.y, v.z, w);
  }
  void set(const char* name, const Mat4& m) const {
    glUniformMatrix4fv(place(name), 1, GL_FALSE, m.m.data());
  }
  void set_matrix3(const char* name, const std::array<float, 9>& m) const {
    glUniformMatrix3fv(place(name), 1, GL_FALSE, m.data());
  }
  void set(const char* name, std::span<const Vec3f> list) const {
    glUniform3fv(place(name), static_cast<GLsizei>(list.size()), &list.front().x);
  }

 private:
  GLint place(const char* name) const { return glGetUniformLocation(program_.get(), name); }
  GlName<free_program> program_;
};

}  // namespace talus::view
