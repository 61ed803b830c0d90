#include "view/gl_objects.h"

#include <vector>

namespace talus::view {

namespace {

constexpr const char* version_line = "#version 330 core\n";

Result<GLuint> compile(GLenum kind, const std::string& name, const std::string& text) {
  const GLuint shader = glCreateShader(kind);
  const char* source = text.c_str();
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint ok = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != 0) return shader;
  std::vector<char> log(4096);
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  glDeleteShader(shader);
  return work_error("the graphics driver ({}) refuses the shader '{}': {}",
                    reinterpret_cast<const char*>(glGetString(GL_RENDERER)), name, log.data());
}

}  // namespace

GlBuffer make_buffer() {
  GLuint name = 0;
  glGenBuffers(1, &name);
  return GlBuffer(name);
}

GlArray make_array() {
  GLuint name = 0;
  glGenVertexArrays(1, &name);
  return GlArray(name);
}

GlFramebuffer make_framebuffer() {
  GLuint name = 0;
  glGenFramebuffers(1, &name);
  return GlFramebuffer(name);
}

GlTexture make_texture(int width, int height, const TextureFormat& f, const void* pixels) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, f.internal, width, height, 0, f.format, f.type, pixels);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, f.filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, f.filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, f.wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, f.wrap);
  return GlTexture(name);
}

Result<GlProgram> GlProgram::make(const std::string& name, const std::string& vertex,
                                  const std::string& fragment, const std::string& defines) {
  const auto v = compile(GL_VERTEX_SHADER, name, version_line + defines + vertex);
  if (!v) return v.error();
  const auto f = compile(GL_FRAGMENT_SHADER, name, version_line + defines + fragment);
  if (!f) {
    glDeleteShader(*v);
    return f.error();
  }
  GlProgram out;
  out.program_ = GlName<free_program>(glCreateProgram());
  const GLuint program = out.program_.get();
  glAttachShader(program, *v);
  glAttachShader(program, *f);
  glBindAttribLocation(program, 0, "in_a");
  glBindAttribLocation(program, 1, "in_b");
  glBindAttribLocation(program, 2, "in_c");
  glLinkProgram(program);
  glDeleteShader(*v);
  glDeleteShader(*f);
  GLint ok = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok != 0) return out;
  std::vector<char> log(4096);
  glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), nullptr, log.data());
  return work_error("the graphics driver refuses the shaders '{}': {}", name, log.data());
}

}  // namespace talus::view
