#include "view/scene_painter.h"

#include "core/timer.h"
#include "render/colour_map.h"
#include "render/frame_picture.h"
#include "render/noise.h"
#include "render/smooth_normals.h"
#include "view/shaders.h"
#include "view/sky_light.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace talus::view {

namespace {

constexpr int noise_pixels = 256;
constexpr int map_pixels = 512;

float srgb_byte(float linear) { return std::round(srgb_encode(linear) * 255); }

const void* offset_of(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }

/// The attributes of a Sprite; `divisor` 1 for one sprite per instance.
void describe_sprite(GLuint divisor) {
  constexpr auto stride = static_cast<GLsizei>(sizeof(Sprite));
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, stride, offset_of(offsetof(Sprite, centre)));
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride, offset_of(offsetof(Sprite, paint)));
  glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, stride, offset_of(offsetof(Sprite, value)));
  for (GLuint k = 0; k < 3; ++k) {
    glEnableVertexAttribArray(k);
    glVertexAttribDivisor(k, divisor);
  }
}

}  // namespace

Result<std::unique_ptr<ScenePainter>> ScenePainter::create() {
  std::unique_ptr<ScenePainter> painter(new ScenePainter);
  if (Status s = painter->compile(); !s) return s.error();
  painter->sprite_buffer_ = make_buffer();
  painter->screen_ = make_array();
  painter->sprite_points_ = make_array();
  painter->sprite_quads_ = make_array();
  glBindBuffer(GL_ARRAY_BUFFER, painter->sprite_buffer_.get());
  glBindVertexArray(painter->sprite_points_.get());
  describe_sprite(0);
  glBindVertexArray(painter->sprite_quads_.get());
  describe_sprite(1);
  painter->make_noise();
  float sizes[2] = {1, 1};
  glGetFloatv(GL_POINT_SIZE_RANGE, sizes);
  painter->point_limit_ = sizes[1];
  return painter;
}

Status ScenePainter::compile() {
  const auto make = [](GlProgram& out, const char* name, const char* vertex,
                       const std::string& fragment, const char* defines = "") -> Status {
    auto program = GlProgram::make(name, vertex, fragment, defines);
    if (!program) return program.error();
    out = std::move(*program);
    return {};
  };
  namespace s = shaders;
  constexpr const char* kinds[4] = {"", "#define QUADS\n", "#define SHADOW\n",
                                    "#define SHADOW\n#define QUADS\n"};
  for (std::size_t k = 0; k < 4; ++k)
    if (Status status = make(sprite_[k], "sprite", s::sprite_vertex, s::sprite_fragment, kinds[k]);
        !status)
      return status;
  if (Status status = make(mesh_, "mesh", s::mesh_vertex, s::mesh_fragment); !status) return status;
  if (Status status =
          make(mesh_shadow_, "mesh shadow", s::mesh_vertex, s::mesh_fragment, "#define SHADOW\n");
      !status)
    return status;
  if (Status status = make(floor_, "floor", s::screen_vertex, s::floor_fragment); !status)
    return status;
  if (Status status = make(occlusion_, "occlusion", s::screen_vertex,
                           std::string(s::screen_common) + s::occlusion_fragment);
      !status)
    return status;
  return make(light_, "light", s::screen_vertex,
              std::string(s::screen_common) + s::light_fragment);
}

/// Two channels of smooth noise with finer noise on top; mirrored at its edges, so it has no seam.
void ScenePainter::make_noise() {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < noise_pixels; ++y)
    for (int x = 0; x < noise_pixels; ++x)
      for (std::uint32_t channel = 0; channel < 2; ++channel) {
        const Vec3f p{static_cast<float>(x) / 16, static_cast<float>(y) / 16, 0.5f};
        const float v = 0.55f * value_noise(p, 31 + channel).value +
                        0.3f * value_noise(p * 2.7f, 41 + channel).value +
                        0.15f * value_noise(p * 6.1f, 51 + channel).value;
        pixels.push_back(static_cast<std::uint8_t>(std::clamp(v, 0.0f, 1.0f) * 255));
      }
  noise_ = make_texture(noise_pixels, noise_pixels,
                        {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, GL_LINEAR, GL_MIRRORED_REPEAT},
                        pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

template <class Work>
void ScenePainter::timed(double& seconds, Work&& work) {
  const double start = seconds_now();
  work();
  if (measuring_) glFinish();
  seconds = seconds_now() - start;
}

void ScenePainter::set_frame(std::shared_ptr<const ViewFrame> frame) {
  if (frame == frame_) return;
  frame_ = std::move(frame);
  ++frame_number_;
  times_.upload = 0;
  if (!frame_) return;
  timed(times_.upload, [&] { upload_sprites(); });
  if (frame_->world.get() != models_of_) upload_bodies();
}

/// One upload for each frame. The old memory is given back first, so that a driver that still draws
/// from it need not wait.
void ScenePainter::upload_sprites() {
  glBindBuffer(GL_ARRAY_BUFFER, sprite_buffer_.get());
  const auto bytes = static_cast<GLsizeiptr>(frame_->sprites.size() * sizeof(Sprite));
  glBufferData(GL_ARRAY_BUFFER, bytes, nullptr, GL_STREAM_DRAW);
  glBufferData(GL_ARRAY_BUFFER, bytes, frame_->sprites.data(), GL_STREAM_DRAW);
}

void ScenePainter::upload_bodies() {
  models_.clear();
  models_of_ = frame_->world.get();
  light_set_ = false;
  for (const BodyMesh& body : frame_->world->bodies) {
    const auto normals = smooth_normals(body.mesh.vertices, body.mesh.triangles);
    std::vector<Vec3f> data;
    for (std::size_t t = 0; t < body.mesh.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        data.push_back(body.mesh.vertices[body.mesh.triangles[t][k]]);
        data.push_back(normals[3 * t + k]);
      }
    BodyModel model{make_buffer(), make_array(), static_cast<GLsizei>(data.size() / 2)};
    glBindVertexArray(model.array.get());
    glBindBuffer(GL_ARRAY_BUFFER, model.buffer.get());
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data.size() * sizeof(Vec3f)), data.data(),
                 GL_STATIC_DRAW);
    constexpr auto stride = static_cast<GLsizei>(2 * sizeof(Vec3f));
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, nullptr);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, offset_of(sizeof(Vec3f)));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    models_.push_back(std::move(model));
  }
}

void ScenePainter::set_map(const std::string& name) {
  if (name == map_name_) return;
  map_name_ = name;
  const ColourMap map(name);
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < map_pixels; ++i) {
    const Vec3f c = map(static_cast<float>(i) / (map_pixels - 1));
    for (int k = 0; k < 3; ++k) pixels.push_back(static_cast<std::uint8_t>(srgb_byte(c[k])));
  }
  map_ = make_texture(map_pixels, 1, {GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, GL_LINEAR}, pixels.data());
}

void ScenePainter::set_light(const PictureScene& stage) {
  const bool white = !frame_->field.empty();
  if (light_set_ && white == white_light_) return;
  light_set_ = true;
  white_light_ = white;
  const Vec3f ground = stage.planes.empty() ? Vec3f{0.3f, 0.3f, 0.3f} : stage.planes[0].colour;
  lighting_ = scene_lighting(frame_->world->scene, white);
  ambient_ = ambient_of(lighting_, ground);
  const auto pixels = sky_picture(lighting_);
  sky_ = make_texture(sky_columns, sky_rows, {GL_RGB16F, GL_RGB, GL_FLOAT, GL_LINEAR},
                      pixels.data());
}

void ScenePainter::resize(int width, int height) {
  Targets& t = targets_;
  if (t.width == width && t.height == height) return;
  t = Targets{};
  t.width = width;
  t.height = height;
  t.paint = make_texture(width, height, {});
  t.normal = make_texture(width, height, {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV});
  t.depth = make_texture(width, height, {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT});
  t.occlusion = make_texture(width, height, {GL_RG16F, GL_RG, GL_FLOAT});
  t.picture = make_texture(width, height, {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, GL_LINEAR});
  const auto attach = [](GlFramebuffer& target, std::initializer_list<GLuint> colours, GLuint depth) {
    target = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, target.get());
    std::vector<GLenum> buffers;
    for (const GLuint texture : colours) {
      buffers.push_back(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(buffers.size()));
      glFramebufferTexture2D(GL_FRAMEBUFFER, buffers.back(), GL_TEXTURE_2D, texture, 0);
    }
    if (depth != 0)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glDrawBuffers(static_cast<GLsizei>(buffers.size()), buffers.data());
  };
  attach(t.geometry, {t.paint.get(), t.normal.get()}, t.depth.get());
  attach(t.occlusion_target, {t.occlusion.get()}, 0);
  attach(t.picture_target, {t.picture.get()}, 0);
}

void ScenePainter::draw(const OrbitCamera& camera, int width, int height, const Look& look) {
  const int factor = std::clamp(look.supersampling, 1, 4);
  shown_width_ = width;
  shown_height_ = height;
  resize(width * factor, height * factor);
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
  glEnable(GL_PROGRAM_POINT_SIZE);
  if (!frame_) {
    glBindFramebuffer(GL_FRAMEBUFFER, targets_.picture_target.get());
    glClearColor(0.10f, 0.11f, 0.12f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    return;
  }
  FrameLook wanted;
  wanted.size = double{look.size};
  wanted.studio_floor = look.floor ? look.studio_floor : std::nullopt;
  PictureScene stage;
  add_stage(stage, *frame_->world, frame_->info, wanted);
  if (!look.floor) stage.planes.clear();
  if (!look.bodies) stage.meshes.clear();
  set_light(stage);
  set_map(ColourMap::exists(look.map) ? look.map : "dune");
  eye_ = camera_eye(camera, look);
  timed(times_.shadow, [&] { draw_shadow_map(stage, look); });
  timed(times_.geometry, [&] { draw_geometry(stage, eye_, look); });
  times_.occlusion = 0;
  if (look.occlusion) timed(times_.occlusion, [&] { draw_occlusion(eye_); });
  timed(times_.light, [&] { draw_light(eye_, look); });
}

void ScenePainter::draw_screen() {
  glBindVertexArray(screen_.get());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void ScenePainter::show(GLuint framebuffer) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, targets_.picture_target.get());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  glBlitFramebuffer(0, 0, targets_.width, targets_.height, 0, 0, shown_width_, shown_height_,
                    GL_COLOR_BUFFER_BIT, GL_LINEAR);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

ScreenImage ScenePainter::read() const {
  const int factor = targets_.width / std::max(1, shown_width_);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(targets_.width) * targets_.height * 4);
  glBindFramebuffer(GL_FRAMEBUFFER, targets_.picture_target.get());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, targets_.width, targets_.height, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
  ScreenImage image(shown_width_, shown_height_);
  for (int y = 0; y < shown_height_; ++y)
    for (int x = 0; x < shown_width_; ++x) {
      int sum[3] = {0, 0, 0};
      for (int dy = 0; dy < factor; ++dy)
        for (int dx = 0; dx < factor; ++dx) {
          const int row = targets_.height - 1 - (y * factor + dy);
          const std::size_t at =
              4 * (static_cast<std::size_t>(row) * targets_.width + x * factor + dx);
          for (std::size_t k = 0; k < 3; ++k) sum[k] += bytes[at + k];
        }
      const int n = factor * factor;
      const auto mean = [&](int k) { return static_cast<std::uint8_t>((sum[k] + n / 2) / n); };
      image.at(x, y) = {mean(0), mean(1), mean(2)};
    }
  return image;
}

std::optional<Vec3d> ScenePainter::point_at(int x, int y) const {
  if (!frame_ || x < 0 || y < 0 || x >= shown_width_ || y >= shown_height_) return {};
  const int factor = targets_.width / std::max(1, shown_width_);
  float depth = 1;
  glBindFramebuffer(GL_FRAMEBUFFER, targets_.geometry.get());
  glReadPixels(x * factor, targets_.height - 1 - y * factor, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT,
               &depth);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (depth >= 1) return {};
  const Mat4& p = eye_.projection;
  const float t = p.at(2, 3) / (2 * depth - 1 + p.at(2, 2));
  const float ndc_x = 2 * (static_cast<float>(x) + 0.5f) / static_cast<float>(shown_width_) - 1;
  const float ndc_y = 1 - 2 * (static_cast<float>(y) + 0.5f) / static_cast<float>(shown_height_);
  const Vec3f e{ndc_x / p.at(0, 0) * t, ndc_y / p.at(1, 1) * t, -t};
  const auto& m = eye_.to_world;
  return Vec3d(eye_.position + Vec3f{m[0] * e.x + m[3] * e.y + m[6] * e.z,
                                     m[1] * e.x + m[4] * e.y + m[7] * e.z,
                                     m[2] * e.x + m[5] * e.y + m[8] * e.z});
}

}  // namespace talus::view
