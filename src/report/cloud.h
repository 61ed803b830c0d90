// Particles for the player of a report: few enough to be mailed, the same ones in every frame.
//
// Which particles: those whose hashed id is below a threshold, so that a particle is in all frames
// or in none. Places are whole numbers of 16 bits in a box around the action, speeds one byte on a
// logarithmic scale. A frame is the difference to the one before, its bytes ordered by their weight
// (resting sand becomes zeros), packed by zlib. page.html has the reader (cloud.js).
#pragma once

#include "core/error.h"
#include "frames/frame.h"
#include "render/field_source.h"
#include "render/picture.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace talus::report {

struct CloudLimits {
  std::size_t spheres = 40'000;  ///< drawn at the same time
  std::size_t frames = 101;
  std::size_t sphere_frames = 2'000'000;  ///< spheres times frames: bounds the page to about 12 MB
};

/// Indices of at most `limit` of `count` things, evenly spread, the first and the last among them.
std::vector<std::size_t> spread_evenly(std::size_t count, std::size_t limit);

/// Chooses ids: a share of them, by their hash.
class IdFilter {
 public:
  /// `most` at the same time and `total` over the run are how many there are; of those `limit` and
  /// twice `limit` are wanted.
  IdFilter(std::uint64_t most, std::uint64_t total, std::size_t limit);
  bool takes(std::uint64_t id) const;
  double share() const { return share_; }

 private:
  double share_ = 1;
  std::uint64_t threshold_ = 0;  ///< of 32-bit hashes
};

/// Some of the particles of a frame, their radii enlarged so that they fill the same room.
class ThinnedFields final : public FieldSource {
 public:
  static Result<ThinnedFields> open(const FrameFile& frame, const IdFilter& filter,
                                    const Executor& executor);
  std::size_t count() const override { return chosen_.size(); }
  const std::vector<FieldInfo>& fields() const override { return frame_.fields(); }
  Result<std::vector<std::byte>> bytes(std::size_t field, const Executor& executor) const override;

 private:
  ThinnedFields(const FrameFile& frame, float enlarge) : frame_(frame), enlarge_(enlarge) {}

  const FrameFile& frame_;
  float enlarge_;
  std::vector<std::size_t> chosen_;
};

/// Places as three whole numbers of 16 bits.
struct PlaceGrid {
  Vec3d lower{};
  double step = 1;  ///< m; a place is kept to half of it on each axis

  /// Nothing when it lies outside.
  std::optional<std::array<std::uint16_t, 3>> code(const Vec3f& place) const;
  Vec3d place(const std::array<std::uint16_t, 3>& code) const;
};
/// Around nearly all of the points, with as much room again on each side as they take, so that a
/// few that flew off do not make the steps coarse.
PlaceGrid grid_around(std::span<const Vec3f> points, double radius);

/// One byte for a speed: 0 below 0.1 mm/s, then twelve steps to each doubling.
inline constexpr std::uint8_t absent_speed = 255;
std::uint8_t speed_code(float speed);
float speed_of(std::uint8_t code);

struct CloudSphere {
  std::uint64_t id = 0;  ///< of its particle; spheres of one grain stand next to each other
  Vec3f centre{};
  float radius = 0;
  float speed = 0;
  PaintedGrain paint;
};

/// Turns frames into bytes, one after the other.
class CloudEncoder {
 public:
  explicit CloudEncoder(const PlaceGrid& grid) : grid_(grid) {}

  /// Unpacked bytes of the next frame: for n spheres known so far n speeds, then six planes of n
  /// bytes: low and high bytes of x, of y, of z, each the zigzag difference to the frame before.
  std::vector<std::byte> encode(std::span<const CloudSphere> spheres);

  std::size_t spheres() const { return radius_.size(); }
  const std::vector<float>& radii() const { return radius_; }
  /// Red, green, blue for each sphere.
  const std::vector<std::uint8_t>& paint() const { return paint_; }
  /// The speed that all but a hundredth of the spheres stay below, all frames together.
  float high_speed() const;

 private:
  std::size_t slot(const CloudSphere& sphere, std::size_t part);

  struct Slots {
    std::uint32_t first = 0, count = 0;
  };
  PlaceGrid grid_;
  std::unordered_map<std::uint64_t, Slots> slots_;
  std::vector<float> radius_;
  std::vector<std::uint8_t> paint_;
  std::vector<std::uint16_t> before_;  ///< three for each sphere
  std::array<std::uint64_t, 256> speeds_{};
};

/// Packed by zlib, as text.
Result<std::string> packed_text(std::span<const std::byte> bytes);
std::string base64(std::span<const std::byte> bytes);

}  // namespace talus::report
