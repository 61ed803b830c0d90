// A share of the fine grains of a run, taken from frame to frame.
#pragma once

#include "core/timer.h"
#include "detail/base_motion.h"
#include "detail/grain_store.h"
#include "detail/tile_step.h"

#include <cstdint>
#include <vector>

namespace talus::detail {

/// Which base particles a process turns into grains: slice k of n (`--slice`), and of that one of
/// several parts that fit into memory one after the other. Blocks of consecutive ids go round, so a
/// share is known without knowing how many particles there will be.
struct Share {
  int slice = 0, slices = 1;  ///< from 0
  int part = 0, parts = 1;    ///< from 0

  static constexpr std::uint64_t block = 2048;
  bool owns(std::uint64_t base_id) const {
    const std::uint64_t b = base_id / block;
    const auto n = static_cast<std::uint64_t>(slices);
    return b % n == static_cast<std::uint64_t>(slice) &&
           b / n % static_cast<std::uint64_t>(parts) == static_cast<std::uint64_t>(part);
  }
};

struct CloudSettings {
  DetailSettings detail;
  std::uint64_t seed = 0;
  double base_radius = 0;  ///< m, mean
  Vec3d gravity{};
  std::uint32_t factor() const { return static_cast<std::uint32_t>(detail.factor); }
  double radius() const { return grain_radius(base_radius, detail.factor); }  ///< of a grain, m
};

/// What the share knows of a base particle that has grains in it.
struct Owner {
  std::uint64_t id = 0;
  float radius = 0;  ///< m
  std::uint32_t material = 0;
};

class GrainCloud {
 public:
  GrainCloud(const CloudSettings& settings, const Share& share);

  /// Grains of particles that are new in the frame appear, those of particles that are gone vanish.
  /// `step_seconds` is the length of the steps that follow.
  void enter_frame(const BaseFrame& frame, const DetailBodies& bodies, double step_seconds,
                   const Executor& executor);
  /// Step k of the interval, which has entered it.
  void step(const BaseFrame& frame, const BaseInterval& interval, const Executor& executor);

  const CloudSettings& settings() const { return settings_; }
  const GrainStore& store() const { return store_; }
  std::span<const Owner> owners() const { return owners_; }
  std::uint64_t steps_done() const { return steps_done_; }
  std::size_t memory_bytes() const;
  std::uint64_t grain_id(std::uint32_t local) const {
    return owners_[local / factor_].id * factor_ + local % factor_;
  }

  // For checkpoints (cloud_file.cpp).
  GrainStore& store() { return store_; }
  void restore(std::vector<Owner> owners, std::vector<std::uint32_t> living, std::uint64_t steps);
  const std::vector<std::uint32_t>& living() const { return living_; }

 private:
  void add_grains(const BaseFrame& frame, std::span<const std::uint32_t> fresh,
                  std::uint32_t first_owner, const DetailBodies& bodies, double step_seconds,
                  const Executor& executor);

  void sow(const BaseFrame& frame, std::size_t i, std::uint32_t owner,
           std::span<const StepBody> bodies, std::span<const Guide> around, const Vec3d& half_fall,
           std::vector<FarGrain>& out) const;

  CloudSettings settings_;
  Share share_;
  std::uint32_t factor_;
  GrainStore store_;
  std::vector<Owner> owners_;  ///< all that ever had grains here
  std::vector<std::uint64_t> owner_ids_;
  std::vector<std::uint32_t> living_;  ///< numbers of owners, ascending by id
  std::vector<Vec3f> moves_;           ///< by owner, method fixed
  std::uint64_t steps_done_ = 0;
  StepScratch scratch_;
};

}  // namespace talus::detail
