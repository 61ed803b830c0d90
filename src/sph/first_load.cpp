#include "sph/first_load.h"

#include "sph/walls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace talus::sph {

namespace {

struct Place {
  std::array<std::int64_t, 2> column;
  float depth;  ///< m along gravity, from anywhere
  std::uint32_t particle;

  bool operator<(const Place& other) const {
    if (column != other.column) return column < other.column;
    return depth != other.depth ? depth < other.depth : particle < other.particle;
  }
};

std::vector<Place> sorted_into_columns(const Filled& sand) {
  const Vec3d down = sand.gravity / norm(sand.gravity);
  const Vec3d other = std::abs(down.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d u = cross(down, other) / norm(cross(down, other)), w = cross(down, u);
  const double width = 2 * double{sand.spacing};
  std::vector<Place> places;
  places.reserve(sand.position.size());
  for (std::size_t i = 0; i < sand.position.size(); ++i) {
    const Vec3d x(sand.position[i]);
    places.push_back({{static_cast<std::int64_t>(std::floor(dot(x, u) / width)),
                       static_cast<std::int64_t>(std::floor(dot(x, w) / width))},
                      static_cast<float>(dot(x, down)),
                      static_cast<std::uint32_t>(i)});
  }
  std::sort(places.begin(), places.end());
  return places;
}

bool touches_a_body(const Vec3f& x, float reach, std::span<const Body> bodies,
                    std::span<const BodyFrame> frames) {
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (frames[b].near(x, reach) && bodies[b].field->sample(frames[b].to_local(x)).distance < reach)
      return true;
  return false;
}

}  // namespace

std::vector<float> heads_of(const Filled& sand, std::span<const Body> bodies) {
  std::vector<float> heads(sand.position.size(), 0.0f);
  const auto g = static_cast<float>(norm(sand.gravity));
  if (!(g > 0)) return heads;
  std::vector<BodyFrame> frames;
  for (const Body& body : bodies) frames.push_back(BodyFrame::of(body));
  const std::vector<Place> places = sorted_into_columns(sand);
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end].column == places[begin].column &&
           places[end].depth - places[end - 1].depth < 1.6f * sand.spacing)
      ++end;
    const std::uint32_t lowest = places[end - 1].particle;
    if (sand.velocity[lowest] == Vec3f{} &&
        touches_a_body(sand.position[lowest], 1.5f * sand.spacing, bodies, frames))
      for (std::size_t k = begin; k < end; ++k)
        heads[places[k].particle] =
            g * (places[k].depth - places[begin].depth + 0.5f * sand.spacing);
    begin = end;
  }
  return heads;
}

float expected_load(const Filled& sand) {
  const auto mean_of = [&](auto&& value) {
    double sum = 0;
    for (const Vec3f& p : sand.position) sum += value(dot(Vec3d(p), sand.gravity));
    return sum / static_cast<double>(std::max<std::size_t>(sand.position.size(), 1));
  };
  const double middle = mean_of([](double head) { return head; });
  const double away = mean_of([&](double head) { return std::abs(head - middle); });
  return static_cast<float>(std::max(4 * away, 2 * norm(sand.gravity) * double{sand.spacing}));
}

}  // namespace talus::sph
