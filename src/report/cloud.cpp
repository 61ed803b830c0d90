#include "report/cloud.h"

#include "render/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <zlib.h>

namespace talus::report {

namespace {

constexpr double hashes = 4294967296.0;  // of 32 bits
constexpr float slowest = 1e-4f;         // m/s
constexpr float steps_per_doubling = 12;
constexpr std::uint8_t fastest_code = 254;

std::uint32_t hash_of(std::uint64_t id) {
  return PixelSampler::mix(static_cast<std::uint32_t>(id) ^
                           PixelSampler::mix(static_cast<std::uint32_t>(id >> 32)));
}

/// Small differences of either sign become small numbers, also across 0 and 65535.
std::uint16_t zigzag(std::uint16_t now, std::uint16_t before) {
  const auto difference = static_cast<std::int16_t>(static_cast<std::uint16_t>(now - before));
  return static_cast<std::uint16_t>((difference << 1) ^ (difference >> 15));
}

}  // namespace

std::vector<std::size_t> spread_evenly(std::size_t count, std::size_t limit) {
  std::vector<std::size_t> out;
  const std::size_t taken = std::min(count, std::max<std::size_t>(limit, 1));
  for (std::size_t k = 0; k < taken; ++k)
    out.push_back(taken == 1 ? count - 1 : k * (count - 1) / (taken - 1));
  return out;
}

IdFilter::IdFilter(std::uint64_t most, std::uint64_t total, std::size_t limit) {
  const double wanted = static_cast<double>(limit);
  share_ = std::min({1.0, wanted / std::max(1.0, static_cast<double>(most)),
                     2 * wanted / std::max(1.0, static_cast<double>(total))});
  threshold_ = static_cast<std::uint64_t>(share_ * hashes);
}

bool IdFilter::takes(std::uint64_t id) const { return hash_of(id) < threshold_; }

Result<ThinnedFields> ThinnedFields::open(const FrameFile& frame, const IdFilter& filter,
                                          const Executor& executor) {
  ThinnedFields out(frame, static_cast<float>(std::cbrt(1 / std::max(filter.share(), 1e-9))));
  const auto ids = frame.read<std::uint64_t>("id", executor);
  if (!ids) return ids.error();
  for (std::size_t i = 0; i < ids->size(); ++i)
    if (filter.takes((*ids)[i])) out.chosen_.push_back(i);
  return out;
}

Result<std::vector<std::byte>> ThinnedFields::bytes(std::size_t field,
                                                    const Executor& executor) const {
  auto all = frame_.read_bytes(field, executor);
  if (!all || frame_.count() == 0) return all;
  const std::size_t size = all->size() / frame_.count();
  // In place: what is chosen only ever moves towards the front.
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    std::memmove(all->data() + k * size, all->data() + chosen_[k] * size, size);
  all->resize(chosen_.size() * size);
  if (const FieldInfo& info = fields()[field];
      info.name == "radius" && info.type == FieldType::f32) {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      float radius = 0;
      std::memcpy(&radius, all->data() + k * sizeof radius, sizeof radius);
      radius *= enlarge_;
      std::memcpy(all->data() + k * sizeof radius, &radius, sizeof radius);
    }
  }
  return all;
}

std::optional<std::array<std::uint16_t, 3>> PlaceGrid::code(const Vec3f& place) const {
  std::array<std::uint16_t, 3> out{};
  for (int axis = 0; axis < 3; ++axis) {
    const double steps = std::round((double{place[axis]} - lower[axis]) / step);
    if (!(steps >= 0 && steps <= 65535)) return {};
    out[static_cast<std::size_t>(axis)] = static_cast<std::uint16_t>(steps);
  }
  return out;
}

Vec3d PlaceGrid::place(const std::array<std::uint16_t, 3>& code) const {
  return lower + Vec3d{double(code[0]), double(code[1]), double(code[2])} * step;
}

PlaceGrid grid_around(std::span<const Vec3f> points, double radius) {
  Vec3d lower, upper;
  std::vector<float> along;
  for (int axis = 0; axis < 3; ++axis) {
    along.clear();
    for (const Vec3f& p : points)
      if (is_finite(p)) along.push_back(p[axis]);
    if (along.empty()) along.push_back(0);
    std::sort(along.begin(), along.end());
    const std::size_t cut = along.size() / 200;
    const double low = double{along[cut]}, high = double{along[along.size() - 1 - cut]};
    const double room = (high - low) + 4 * radius;
    lower[axis] = low - room;
    upper[axis] = high + room;
  }
  const Vec3d extent = upper - lower;
  const double largest = std::max({extent.x, extent.y, extent.z, 1e-9});
  // Finer than a fiftieth of a radius is not seen, and costs bytes.
  return {lower, std::max(largest / 65535, 0.02 * radius)};
}

std::uint8_t speed_code(float speed) {
  if (!(speed >= slowest)) return 0;
  const float steps = 1 + std::round(steps_per_doubling * std::log2(speed / slowest));
  return static_cast<std::uint8_t>(std::min(steps, float{fastest_code}));
}

float speed_of(std::uint8_t code) {
  return code == 0 ? 0 : slowest * std::exp2(static_cast<float>(code - 1) / steps_per_doubling);
}

/// Where the sphere is kept; a grain that grew another sphere has no place for it.
std::size_t CloudEncoder::slot(const CloudSphere& sphere, std::size_t part) {
  Slots& slots = slots_[sphere.id];
  if (slots.count == 0) slots.first = static_cast<std::uint32_t>(radius_.size());
  if (part < slots.count) return slots.first + part;
  if (slots.first + part != radius_.size()) return radius_.size();
  ++slots.count;
  radius_.push_back(sphere.radius);
  paint_.insert(paint_.end(), {sphere.paint.red, sphere.paint.green, sphere.paint.blue});
  before_.insert(before_.end(), {0, 0, 0});
  return slots.first + part;
}

std::vector<std::byte> CloudEncoder::encode(std::span<const CloudSphere> spheres) {
  std::vector<std::size_t> where(spheres.size());
  std::size_t part = 0;
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    part = i > 0 && spheres[i].id == spheres[i - 1].id ? part + 1 : 0;
    where[i] = slot(spheres[i], part);
  }
  const std::size_t n = radius_.size();
  std::vector<std::byte> out(7 * n);
  std::fill_n(out.begin(), n, std::byte{absent_speed});
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const std::size_t s = where[i];
    const auto code = grid_.code(spheres[i].centre);
    if (s >= n || !code) continue;
    const std::uint8_t speed = speed_code(spheres[i].speed);
    ++speeds_[speed];
    out[s] = std::byte{speed};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint16_t now = (*code)[axis];
      const std::uint16_t change = zigzag(now, before_[3 * s + axis]);
      before_[3 * s + axis] = now;
      out[(1 + 2 * axis) * n + s] = static_cast<std::byte>(change & 255);
      out[(2 + 2 * axis) * n + s] = static_cast<std::byte>(change >> 8);
    }
  }
  return out;
}

float CloudEncoder::high_speed() const {
  std::uint64_t all = 0, below = 0;
  for (const std::uint64_t count : speeds_) all += count;
  for (std::size_t code = 0; code < speeds_.size(); ++code) {
    below += speeds_[code];
    if (below * 100 >= all * 99) return speed_of(static_cast<std::uint8_t>(code));
  }
  return 0;
}

Result<std::string> packed_text(std::span<const std::byte> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::byte> packed(size);
  const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()),
                             static_cast<uLong>(bytes.size()), Z_BEST_SPEED + 3);
  if (code != Z_OK) return work_error("zlib cannot pack {} bytes (code {})", bytes.size(), code);
  packed.resize(size);
  return base64(packed);
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < there ? static_cast<std::uint32_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= there ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace talus::report
