// The passes of a picture: what the sun sees, what the camera sees, how open the sky is, light.
#include "render/frame_picture.h"
#include "view/scene_painter.h"
#include "view/sky_light.h"

#include <algorithm>
#include <cmath>

namespace talus::view {

namespace {

void bind(const GlProgram& program, const char* name, int unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
  program.set(name, unit);
}

Vec3f encoded(const Vec3f& linear) {
  const auto one = [](float v) { return std::pow(std::clamp(v, 0.0f, 1.0f), 1 / 2.2f); };
  return {one(linear.x), one(linear.y), one(linear.z)};
}

/// Middle and radius of a ball around the sprites and the bodies that are not much larger.
struct Ball {
  Vec3d centre{};
  double radius = 1;
};
Ball casters(const ViewFrame& frame) {
  Box3d box = frame.bounds;
  const bool any = box.lower.x <= box.upper.x;
  const double limit = any ? 3 * norm(box.upper - box.lower) : 1e300;
  for (const BodyMesh& body : frame.world->bodies) {
    if (body.one_sided) continue;
    Posed pose = body.pose;
    for (const FrameBody& state : frame.info.bodies)
      if (state.name == body.name && body.moves) pose = state.state.pose;
    Box3d own;
    for (const Vec3f& v : body.mesh.vertices) own.include(pose.to_world(Vec3d(v)));
    if (norm(own.upper - own.lower) > limit) continue;
    box.include(own.lower);
    box.include(own.upper);
  }
  if (!(box.lower.x <= box.upper.x)) return {};
  return {(box.lower + box.upper) * 0.5, std::max(0.5 * norm(box.upper - box.lower), 1e-6)};
}

void set_clip(ClipPlane clip, const Mat4& view, Vec3f& normal, float& offset) {
  if (!clip.on) return;
  const Vec3f n(normalized(clip.normal));
  const Vec3f on_plane = transform(view, Vec3f(normalized(clip.normal) * clip.offset));
  const Vec3f origin = transform(view, {});
  normal = transform(view, n) - origin;
  offset = -dot(normal, on_plane);
}

}  // namespace

ScenePainter::Eye ScenePainter::camera_eye(const OrbitCamera& camera, const Look& look) const {
  Eye eye;
  eye.width = static_cast<float>(targets_.width);
  eye.height = static_cast<float>(targets_.height);
  eye.view = camera.view();
  eye.position = Vec3f(camera.position());
  const Vec3d axes[3] = {camera.right(), camera.up(), -camera.forward()};
  for (std::size_t column = 0; column < 3; ++column)
    for (std::size_t row = 0; row < 3; ++row)
      eye.to_world[3 * column + row] = static_cast<float>(axes[column][static_cast<int>(row)]);
  const Ball ball = casters(*frame_);
  const double ahead = dot(ball.centre - camera.position(), camera.forward());
  const double size = std::max(double{look.size}, ball.radius);
  const double near = std::max({ahead - 1.5 * ball.radius, 0.02 * camera.distance(), 1e-3 * size});
  const double far = std::max(ahead, 0.0) + 60 * size;
  const double aspect = double{eye.width} / double{eye.height};
  const double half_height = camera.half_height(aspect);
  eye.projection =
      perspective(static_cast<float>(camera.half_width()), static_cast<float>(half_height),
                  static_cast<float>(std::min(near, 0.25 * camera.distance())),
                  static_cast<float>(far));
  set_clip(look.clip, eye.view, eye.clip_normal, eye.clip_offset);
  const double nearest = std::max(norm(ball.centre - camera.position()) - ball.radius, 0.0);
  const double largest = double{frame_->largest};
  eye.largest_point =
      nearest > 2 * largest
          ? static_cast<float>(1.3 * largest / (nearest * half_height) * double{eye.height})
          : 1e9f;
  return eye;
}

/// The sun's eye covers a ball around all that casts shadows. Its size and place move in steps, so
/// that shadows do not swim while the sand moves.
ScenePainter::Eye ScenePainter::sun_eye(const Look& look) const {
  Eye eye;
  const Ball ball = casters(*frame_);
  const double radius = std::exp2(std::ceil(4 * std::log2(1.02 * ball.radius)) / 4);
  Vec3f x, y;
  tangent_frame(lighting_.sun_direction, x, y);
  const Vec3d right(x), up(y), sun(lighting_.sun_direction);
  const double pixel = 2 * radius / look.shadow_pixels;
  const auto snapped = [&](const Vec3d& axis) {
    return axis * (std::floor(dot(ball.centre, axis) / pixel) * pixel);
  };
  const Vec3d at = snapped(right) + snapped(up) + sun * (dot(ball.centre, sun) + 2 * radius);
  eye.view = look_along(at, right, up, -sun);
  eye.projection = orthographic(static_cast<float>(radius), static_cast<float>(0.9 * radius),
                                static_cast<float>(3.1 * radius));
  eye.width = eye.height = static_cast<float>(look.shadow_pixels);
  eye.largest_point = static_cast<float>(double{frame_->largest} / radius * look.shadow_pixels + 1);
  set_clip(look.clip, eye.view, eye.clip_normal, eye.clip_offset);
  return eye;
}

/// Of all that changes the shadow map, as text.
std::string ScenePainter::shadow_key(const Look& look) const {
  const ClipPlane& c = look.clip;
  return fmt::format("{} {} {} {} {} {} {} {}", frame_number_, look.shadow_pixels, look.bodies,
                     c.on, c.normal.x, c.normal.y, c.normal.z, c.offset);
}

/// Drawn again only when something moved: turning the camera costs nothing here.
void ScenePainter::draw_shadow_map(const PictureScene& stage, const Look& look) {
  if (!look.shadows) return;
  const std::string key = shadow_key(look);
  if (key == shadow_key_) return;
  shadow_key_ = key;
  sun_ = sun_eye(look);
  if (shadow_pixels_ != look.shadow_pixels) {
    shadow_pixels_ = look.shadow_pixels;
    shadow_map_ = make_texture(
        shadow_pixels_, shadow_pixels_,
        {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, GL_LINEAR, GL_CLAMP_TO_BORDER});
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    const float lit[4] = {1, 1, 1, 1};
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, lit);
    shadow_target_ = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_map_.get(),
                           0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_.get());
  glViewport(0, 0, shadow_pixels_, shadow_pixels_);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glClear(GL_DEPTH_BUFFER_BIT);
  draw_sprites(sun_, look, true);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5f, 2);
  draw_meshes(stage, sun_, true);
  glDisable(GL_POLYGON_OFFSET_FILL);
}

void ScenePainter::draw_geometry(const PictureScene& stage, const Eye& eye, const Look& look) {
  glBindFramebuffer(GL_FRAMEBUFFER, targets_.geometry.get());
  glViewport(0, 0, targets_.width, targets_.height);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  draw_meshes(stage, eye, false);
  draw_sprites(eye, look, false);
  draw_floors(stage, eye, look);
}

/// All spheres in one call.
void ScenePainter::draw_sprites(const Eye& eye, const Look& look, bool shadow) {
  const bool quads = eye.largest_point > point_limit_;
  const GlProgram& program = sprite_[(shadow ? 2 : 0) + (quads ? 1 : 0)];
  program.use();
  program.set("view", eye.view);
  program.set("projection", eye.projection);
  program.set("size", eye.width, eye.height);
  program.set("clip", eye.clip_normal, eye.clip_offset);
  program.set_matrix3("eye_to_world", eye.to_world);
  const bool coloured = !frame_->field.empty() && !frame_->categories;
  const ValueRange range = look.range.value_or(frame_->range);
  const auto low = static_cast<float>(range.lower), high = static_cast<float>(range.upper);
  program.set("range", coloured ? low : 0.0f, coloured ? (high > low ? high : low + 1) : 0.0f);
  bind(program, "map", 0, map_.get());
  const auto count = static_cast<GLsizei>(frame_->sprites.size());
  glBindVertexArray(quads ? sprite_quads_.get() : sprite_points_.get());
  if (quads)
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
  else
    glDrawArrays(GL_POINTS, 0, count);
}

void ScenePainter::draw_meshes(const PictureScene& stage, const Eye& eye, bool shadow) {
  const GlProgram& program = shadow ? mesh_shadow_ : mesh_;
  program.use();
  program.set("view", eye.view);
  program.set("projection", eye.projection);
  program.set("clip", eye.clip_normal, eye.clip_offset);
  program.set_matrix3("eye_to_world", eye.to_world);
  for (std::size_t i = 0; i < stage.meshes.size() && i < models_.size(); ++i) {
    const PictureMesh& mesh = stage.meshes[i];
    program.set("model", placement(mesh.pose));
    program.set("colour", encoded(mesh.colour));
    if (mesh.one_sided) glEnable(GL_CULL_FACE);
    glBindVertexArray(models_[i].array.get());
    glDrawArrays(GL_TRIANGLES, 0, models_[i].vertices);
    glDisable(GL_CULL_FACE);
  }
}

void ScenePainter::draw_floors(const PictureScene& stage, const Eye& eye, const Look& look) {
  floor_.use();
  floor_.set("projection", eye.projection);
  floor_.set_matrix3("eye_to_world", eye.to_world);
  floor_.set("camera", eye.position);
  floor_.set("scene_size", look.size);
  bind(floor_, "noise", 0, noise_.get());
  for (const PicturePlane& plane : stage.planes) {
    floor_.set("point", plane.point);
    floor_.set("normal", normalized(plane.normal));
    floor_.set("colour", plane.colour);
    draw_screen();
  }
}

void ScenePainter::draw_occlusion(const Eye& eye) {
  glBindFramebuffer(GL_FRAMEBUFFER, targets_.occlusion_target.get());
  glDisable(GL_DEPTH_TEST);
  occlusion_.use();
  occlusion_.set("projection", eye.projection);
  occlusion_.set_matrix3("eye_to_world", eye.to_world);
  occlusion_.set("size", eye.width, eye.height);
  const double radius = std::max(6 * double{frame_->largest}, 0.04 * casters(*frame_).radius);
  occlusion_.set("radius", static_cast<float>(radius));
  bind(occlusion_, "depths", 0, targets_.depth.get());
  bind(occlusion_, "normals", 1, targets_.normal.get());
  draw_screen();
}

void ScenePainter::draw_light(const Eye& eye, const Look& look) {
  glBindFramebuffer(GL_FRAMEBUFFER, targets_.picture_target.get());
  glDisable(GL_DEPTH_TEST);
  light_.use();
  light_.set("projection", eye.projection);
  light_.set_matrix3("eye_to_world", eye.to_world);
  bind(light_, "depths", 0, targets_.depth.get());
  bind(light_, "normals", 1, targets_.normal.get());
  bind(light_, "paints", 2, targets_.paint.get());
  bind(light_, "occlusion", 3, targets_.occlusion.get());
  bind(light_, "sky", 4, sky_.get());
  bind(light_, "noise", 5, noise_.get());
  bind(light_, "shadow", 6, shadow_map_.get());
  Mat4 to_unit = Mat4::identity();
  for (int i = 0; i < 3; ++i) to_unit.at(i, i) = to_unit.at(i, 3) = 0.5f;
  light_.set("to_shadow", to_unit * sun_.projection * sun_.view);
  const float texel = 2 / (sun_.projection.at(0, 0) * static_cast<float>(shadow_pixels_));
  light_.set("texel", look.shadows ? texel : 0.0f);
  light_.set("softness", 2.2f);
  light_.set("occluded", look.occlusion ? 1 : 0);
  light_.set("camera", eye.position);
  light_.set("up", lighting_.up);
  light_.set("sun", lighting_.sun_direction);
  light_.set("sun_light", lighting_.sun_irradiance);
  light_.set("ambient", std::span<const Vec3f>(ambient_));
  light_.set("scene_size", look.size);
  light_.set("gain", 1.5f * std::exp2(look.exposure));
  light_.set("bumps", frame_->field.empty() ? 0.9f : 0.0f);
  draw_screen();
}

}  // namespace talus::view
