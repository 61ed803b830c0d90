// Draws a ViewFrame with OpenGL 3.3: spheres from one point each, bodies, floors, shadows, light.
// Needs a current context; knows neither windows nor files.
#pragma once

#include "core/error.h"
#include "render/image.h"
#include "render/lighting.h"
#include "view/gl_objects.h"
#include "view/look.h"
#include "view/orbit_camera.h"
#include "view/view_frame.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace talus::view {

/// Seconds of the last picture, when they were asked for.
struct PaintTimes {
  double upload = 0, shadow = 0, geometry = 0, occlusion = 0, light = 0;
};

class ScenePainter {
 public:
  static Result<std::unique_ptr<ScenePainter>> create();

  /// Uploads the sprites when the frame is another one than before.
  void set_frame(std::shared_ptr<const ViewFrame> frame);
  const ViewFrame* frame() const { return frame_.get(); }
  /// `width` and `height` in pixels.
  void draw(const OrbitCamera& camera, int width, int height, const Look& look);

  /// Copies the picture to a framebuffer of the same size (0: the window).
  void show(GLuint framebuffer) const;
  ScreenImage read() const;
  /// The surface under a pixel of the last picture, counted from the upper left.
  std::optional<Vec3d> point_at(int x, int y) const;

  /// Waits for the driver after each part, which costs some speed.
  void measure(bool on) { measuring_ = on; }
  const PaintTimes& times() const { return times_; }

 private:
  struct BodyModel {
    GlBuffer buffer;
    GlArray array;
    GLsizei vertices = 0;
  };
  struct Targets {
    int width = 0, height = 0;
    GlTexture paint, normal, depth, occlusion, picture;
    GlFramebuffer geometry, occlusion_target, picture_target;
  };
  /// What a pass looks through.
  struct Eye {
    Mat4 view, projection;
    std::array<float, 9> to_world{};
    Vec3f position{};
    float width = 0, height = 0;  ///< pixels
    Vec3f clip_normal{};          ///< eye frame; zero = no clipping
    float clip_offset = 0;
    float largest_point = 0;  ///< pixels, of any sprite
  };

  ScenePainter() = default;
  Status compile();
  void make_noise();
  void upload_sprites();
  void upload_bodies();
  void resize(int width, int height);
  void set_light(const PictureScene& stage);
  void set_map(const std::string& name);
  Eye camera_eye(const OrbitCamera& camera, const Look& look) const;
  Eye sun_eye(const Look& look) const;
  void draw_shadow_map(const PictureScene& stage, const Look& look);
  void draw_geometry(const PictureScene& stage, const Eye& eye, const Look& look);
  void draw_sprites(const Eye& eye, const Look& look, bool shadow);
  void draw_meshes(const PictureScene& stage, const Eye& eye, bool shadow);
  void draw_floors(const PictureScene& stage, const Eye& eye, const Look& look);
  void draw_occlusion(const Eye& eye);
  void draw_light(const Eye& eye, const Look& look);
  void draw_screen();
  template <class Work>
  void timed(double& seconds, Work&& work);
  std::string shadow_key(const Look& look) const;

  std::array<GlProgram, 4> sprite_;  ///< points, quads, shadow points, shadow quads
  GlProgram mesh_, mesh_shadow_, floor_, occlusion_, light_;
  GlBuffer sprite_buffer_;
  GlArray sprite_points_, sprite_quads_, screen_;
  GlTexture noise_, sky_, map_, shadow_map_;
  GlFramebuffer shadow_target_;
  Targets targets_;
  int shadow_pixels_ = 0;
  std::string map_name_, shadow_key_;
  Lighting lighting_;
  std::array<Vec3f, 9> ambient_{};
  std::vector<BodyModel> models_;
  const RunSource* models_of_ = nullptr;
  bool white_light_ = false, light_set_ = false;
  float point_limit_ = 64;

  std::shared_ptr<const ViewFrame> frame_;
  std::uint64_t frame_number_ = 0;  ///< counts the frames that were set
  Eye eye_, sun_;
  int shown_width_ = 0, shown_height_ = 0;
  bool measuring_ = false;
  PaintTimes times_;
};

}  // namespace talus::view
