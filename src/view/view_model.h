// What the viewer knows and does, without a window: a run that is played or a scene that is
// simulated, the camera, the look, the tools of the hand. Panels, keys and scripts all call this.
#pragma once

#include "view/frame_loader.h"
#include "view/live_session.h"
#include "view/look.h"
#include "view/orbit_camera.h"
#include "view/timeline.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::view {

struct ViewSettings {
  std::filesystem::path path;          ///< run folder or scene
  std::vector<std::string> overrides;  ///< of the scene: "sph.spacing=0.01"
  bool detail = false;
  int threads = 0;
  bool paused = false;                 ///< a scene waits at its start
  std::string camera;                  ///< of the scene; empty: the first, or automatic
  double aspect = 16.0 / 9;
  ViewRequest request;
  Look look;
};

enum class DropShape { ball, box };

/// What the mouse holds.
struct Tools {
  DropShape shape = DropShape::ball;
  double drop_size = 0.1;       ///< m, diameter or edge
  double drop_density = 2500;   ///< kg/m^3
  double drop_height = 0.3;     ///< m above the point
  double push_radius = 0.1;     ///< m
  double push_strength = 1;     ///< of the hand's own speed
  double pour_radius = 0.05;    ///< m
  double pour_share = 0.5;      ///< of the most that fits through
  double tilt_x_deg = 0, tilt_y_deg = 0;  ///< about the two level axes
  double gravity_share = 1;     ///< of the scene's gravity
};

struct Message {
  std::string text;
  double age = 0;  ///< s
};

class ViewModel {
 public:
  static Result<std::unique_ptr<ViewModel>> open(ViewSettings settings);

  /// Takes what loader or simulation have ready, and lets `seconds` pass. True when there is
  /// something new to draw.
  bool update(double seconds);

  bool live() const { return session_ != nullptr; }
  const Scene& scene() const { return world_->scene; }
  std::string name() const;
  const std::shared_ptr<const ViewFrame>& frame() const { return frame_; }
  /// Playback: the frame on the screen is the one that is wanted, or it cannot be read.
  bool ready() const;
  const std::string& problem() const { return problem_; }  ///< of the frame that is wanted
  const std::vector<Message>& messages() const { return messages_; }
  void say(std::string text);

  void set_field(const std::string& field);
  void set_grains_per_particle(int count);
  const ViewRequest& request() const { return settings_.request; }
  /// The scene's camera, or one that sees all.
  void reset_camera();

  // Playback.
  Timeline& timeline() { return timeline_; }
  const std::vector<FrameEntry>& entries() const { return entries_; }
  bool run_is_written() const { return running_; }

  // Live.
  const LiveStatus& status() const { return status_; }
  bool paused() const { return paused_; }
  bool pouring() const { return pouring_; }
  /// All orders were obeyed, as far as is known.
  bool idle() const { return status_.obeyed >= posted_; }
  void set_paused(bool paused);
  void advance(int count, bool frames);
  void reset();
  /// Above the point, or above the middle of the material.
  void drop(std::optional<Vec3d> point);
  void drop_at(const Vec3d& position);
  void pour(std::optional<Vec3d> point);
  void stop_pouring();
  void push(const Vec3d& point, const Vec3d& velocity);
  /// Takes Tools::tilt_* and gravity_share.
  void tilt();
  void change_material(std::size_t index, const Material& material);
  void set_speed(double speed);
  void set_lockstep(bool on);

  OrbitCamera camera;
  Look look;
  Tools tools;

 private:
  explicit ViewModel(ViewSettings settings) : settings_(std::move(settings)) {}
  Status open_run();
  Status open_scene();
  void size_up(const ViewFrame& frame);
  void want();
  bool take_loaded();
  bool take_live();
  Vec3d above(std::optional<Vec3d> point, double height) const;
  Vec3d up() const;
  void post(LiveOrder order);

  ViewSettings settings_;
  std::shared_ptr<const RunSource> world_;
  std::shared_ptr<const ViewFrame> frame_;
  std::vector<Message> messages_;
  bool sized_ = false;

  std::unique_ptr<FrameLoader> loader_;
  Timeline timeline_;
  std::vector<FrameEntry> entries_;
  std::size_t wanted_ = 0, shown_ = 0;
  bool asked_ = false, running_ = false, served_ = false;
  std::string problem_;

  std::unique_ptr<LiveSession> session_;
  LiveStatus status_;
  std::uint64_t posted_ = 0;
  bool paused_ = false, pouring_ = false;
};

}  // namespace talus::view
