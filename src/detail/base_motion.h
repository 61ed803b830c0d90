// The coarse simulation between two stored frames: where base particles and bodies are at any time.
//   particles: cubic in position through both frames' positions and velocities (Hermite), so that
//              ballistic motion is exact; one that is missing from the second frame goes straight
//              on
//   rotation:  of the neighbourhood of a particle, from the motion of its neighbours over the whole
//              interval; exact for a base that turns as a whole
//   bodies:    scripted ones as the scene says, others by the same cubic and a turn at constant
//   rate
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "detail/guides.h"
#include "detail/tile_step.h"
#include "frames/frame.h"
#include "scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace talus::detail {

/// One stored frame. Particles ascending by id.
struct BaseFrame {
  FrameInfo info;
  std::vector<std::uint64_t> id;
  std::vector<Vec3f> position, velocity;
  std::vector<float> radius;
  std::vector<std::uint32_t> material;
};

Result<BaseFrame> read_base_frame(const std::filesystem::path& path, const Executor& executor);

/// The bodies of a scene with their distance fields and boundary particles.
struct DetailBodies {
  Scene scene;
  std::vector<Body> bodies;
  float spacing = 0;  ///< m, of boundary particles

  std::size_t size() const { return bodies.size(); }
  /// State at time t between two frames; the same body of both by name.
  BodyState state_at(std::size_t body, const FrameInfo& a, const FrameInfo& b, double time) const;
};

Result<DetailBodies> make_detail_bodies(const Scene& scene, double base_radius,
                                        const Executor& executor);

class BaseInterval {
 public:
  /// Keeps references to both frames and to the bodies.
  BaseInterval(const BaseFrame& a, const BaseFrame& b, const DetailBodies& bodies,
               double base_radius, int steps, const Executor& executor);

  int steps() const { return steps_; }
  double step_seconds() const { return (b_.info.time - a_.info.time) / steps_; }

  /// Everything for step k of the interval.
  void enter_step(int k, const Executor& executor);
  const GuideSet& base() const { return base_; }
  const GuideSet& walls() const { return walls_; }
  std::span<const StepBody> step_bodies() const { return step_bodies_; }
  /// Displacement over the step of particle i of frame a.
  const Vec3f& displacement(std::size_t i) const { return guides_[i].displacement; }
  /// Index in frame b of particle i of frame a, or -1.
  std::int64_t partner(std::size_t i) const { return partner_[i]; }

 private:
  Vec3d place(std::size_t i, double s) const;
  void find_rotations(const Executor& executor);
  void find_plane_samples(double base_radius);
  void enter_walls(double t0, double t1, const Executor& executor);

  const BaseFrame &a_, &b_;
  const DetailBodies& bodies_;
  int steps_;
  std::vector<std::int64_t> partner_;
  std::vector<float> falling_;
  std::vector<Vec3f> rotation_;                    ///< over the interval, by particle of a
  std::vector<std::vector<Vec3f>> plane_samples_;  ///< by body, body frame; unbounded bodies only
  std::vector<Guide> guides_, wall_guides_;
  GuideSet base_, walls_;
  std::vector<StepBody> step_bodies_;
};

}  // namespace talus::detail
