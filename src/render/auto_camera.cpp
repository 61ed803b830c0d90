#include "render/auto_camera.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace talus {

namespace {

using std::numbers::pi;

PictureCamera to_picture(const Camera& c, const Vec3d& up) {
  PictureCamera out;
  out.position = c.position;
  out.target = c.target;
  out.up = up;
  out.focal_length_mm = c.focal_length_mm;
  out.f_stop = c.f_stop;
  out.focus_distance = c.focus_distance;
  return out;
}

/// Cubic through b and c with the slopes of the neighbours (Catmull-Rom for uneven times).
template <class T>
T smooth(const T& a, const T& b, const T& c, const T& d, double ta, double tb, double tc, double td,
         double t) {
  const double s = (t - tb) / (tc - tb);
  const T slope_b = (c - a) * ((tc - tb) / (tc - ta));
  const T slope_c = (d - b) * ((tc - tb) / (td - tb));
  const double s2 = s * s, s3 = s2 * s;
  return b * (2 * s3 - 3 * s2 + 1) + slope_b * (s3 - 2 * s2 + s) + c * (3 * s2 - 2 * s3) +
         slope_c * (s3 - s2);
}

PictureCamera between(const std::vector<const Camera*>& keys, const Vec3d& up, double t) {
  if (keys.size() == 1 || t <= keys.front()->time) return to_picture(*keys.front(), up);
  if (t >= keys.back()->time) return to_picture(*keys.back(), up);
  std::size_t i = 0;
  while (keys[i + 1]->time < t) ++i;
  const Camera& b = *keys[i];
  const Camera& c = *keys[i + 1];
  const Camera& a = i > 0 ? *keys[i - 1] : b;
  const Camera& d = i + 2 < keys.size() ? *keys[i + 2] : c;
  const auto blend = [&](auto member) {
    return smooth(a.*member, b.*member, c.*member, d.*member, a.time, b.time, c.time, d.time, t);
  };
  PictureCamera out;
  out.up = up;
  out.position = blend(&Camera::position);
  out.target = blend(&Camera::target);
  const double s = (t - b.time) / (c.time - b.time);
  out.focal_length_mm = b.focal_length_mm * (1 - s) + c.focal_length_mm * s;
  out.f_stop = b.f_stop * (1 - s) + c.f_stop * s;
  out.focus_distance = b.focus_distance * (1 - s) + c.focus_distance * s;
  return out;
}

struct Axes {
  Vec3d x, y, up;
};

Axes horizontal_axes(const Vec3f& up) {
  Vec3f x, y;
  tangent_frame(up, x, y);
  return {Vec3d(x), Vec3d(y), Vec3d(up)};
}

/// The points in the given axes without the outermost percent on each side of each axis.
std::vector<Vec3d> middle_points(std::span<const Vec3f> points, const Axes& axes) {
  std::vector<Vec3d> local;
  for (const Vec3f& p : points) {
    if (!is_finite(p)) continue;
    const Vec3d q(p);
    local.push_back({dot(q, axes.x), dot(q, axes.y), dot(q, axes.up)});
  }
  Vec3d low, high;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Vec3d& q : local) values.push_back(q[axis]);
    std::sort(values.begin(), values.end());
    if (values.empty()) continue;
    const std::size_t cut = values.size() / 100;
    low[axis] = values[cut];
    high[axis] = values[values.size() - 1 - cut];
  }
  std::erase_if(local, [&](const Vec3d& q) {
    for (int axis = 0; axis < 3; ++axis)
      if (q[axis] < low[axis] || q[axis] > high[axis]) return true;
    return false;
  });
  return local;
}

/// Adds the anchors that are not farther from the middle than the points are wide.
void add_anchors(std::span<const Vec3f> anchors, const Axes& axes, std::vector<Vec3d>& points,
                 Vec3d& low, Vec3d& high) {
  const Vec3d middle = (low + high) * 0.5;
  const double reach = norm(high - low);
  for (const Vec3f& p : anchors) {
    const Vec3d w(p);
    const Vec3d q{dot(w, axes.x), dot(w, axes.y), dot(w, axes.up)};
    if (!(norm(q - middle) <= reach)) continue;
    points.push_back(q);
    low = min(low, q);
    high = max(high, q);
  }
}

/// Width seen from azimuth a, as a share of the widest.
double spread_across(const std::vector<Vec3d>& points, double azimuth) {
  const double sx = -std::sin(azimuth), sy = std::cos(azimuth);
  double low = 1e300, high = -1e300;
  for (const Vec3d& p : points) {
    const double v = p.x * sx + p.y * sy;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return high - low;
}

/// Azimuth from the target to the camera.
double choose_azimuth(const std::vector<Vec3d>& points, double sun_azimuth) {
  double widest = 1e-12;
  for (int i = 0; i < 36; ++i) widest = std::max(widest, spread_across(points, i * pi / 36));
  double best = -1e300, chosen = 0;
  for (int i = 0; i < 72; ++i) {
    const double azimuth = -pi + i * pi / 36;
    // Best light: the sun about 70 degrees to the side of the camera, so grains cast shadows that
    // are seen, and the lit side is seen too.
    const double from_sun = std::abs(std::remainder(azimuth - sun_azimuth, 2 * pi));
    const double light = std::cos(from_sun - 70 * pi / 180);
    const double across = spread_across(points, azimuth) / widest;
    const double score = light + 3.0 * across;
    if (score > best + 1e-9) {
      best = score;
      chosen = azimuth;
    }
  }
  return chosen;
}

}  // namespace

Result<PictureCamera> scene_camera(const Scene& scene, const std::string& name, double t) {
  std::vector<const Camera*> keys;
  std::set<std::string> names;
  const std::string wanted = name.empty() && !scene.cameras.empty() ? scene.cameras[0].name : name;
  for (const Camera& camera : scene.cameras) {
    names.insert(camera.name);
    if (camera.name == wanted) keys.push_back(&camera);
  }
  if (keys.empty())
    return request_error(
        "the scene has no camera '{}'; it has: {}", wanted,
        names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", ")));
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Camera* a, const Camera* b) { return a->time < b->time; });
  Vec3d up{};
  up[scene.up] = 1;
  return between(keys, up, t);
}

Framing frame_action(const FramingInput& input) {
  const Axes axes = horizontal_axes(normalized(input.up));
  std::vector<Vec3d> points = middle_points(input.points, axes);
  if (points.empty()) points = {{-0.5, -0.5, 0}, {0.5, 0.5, 0.5}};
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) {
    low = min(low, p);
    high = max(high, p);
  }
  add_anchors(input.anchors, axes, points, low, high);
  const Vec3d extent = high - low;
  const double width = std::max(std::hypot(extent.x, extent.y), 1e-6);
  const double size = std::max(width, extent.z);
  const Vec3d sun(input.to_sun);
  const double azimuth = choose_azimuth(points, std::atan2(dot(sun, axes.y), dot(sun, axes.x)));
  // Flat heaps are looked at more from above, columns from the side.
  const double elevation = (15 + 10 * std::clamp(1 - 1.5 * extent.z / width, 0.0, 1.0)) * pi / 180;
  const Vec3d back{std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                   std::sin(elevation)};
  const Vec3d right = normalized(cross(Vec3d{0, 0, 1}, back));
  const Vec3d top = cross(back, right);

  constexpr double margin_x = 0.80, margin_y = 0.70;
  const double half_x = 18 / input.focal_length_mm * margin_x;
  const double half_y = 18 / input.focal_length_mm / input.aspect * margin_y;
  Vec3d target = (low + high) * 0.5;
  double distance = 0;
  for (int pass = 0; pass < 4; ++pass) {
    distance = 0;
    for (const Vec3d& p : points) {
      const Vec3d d = p - target;
      distance = std::max({distance, std::abs(dot(d, right)) / half_x + dot(d, back),
                           std::abs(dot(d, top)) / half_y + dot(d, back)});
    }
    // Centre what is seen, a little below the middle of the picture: sand lies on the ground.
    double left = 1e300, r = -1e300, down = 1e300, u = -1e300;
    for (const Vec3d& p : points) {
      const Vec3d d = p - target;
      const double depth = distance - dot(d, back);
      left = std::min(left, dot(d, right) / depth);
      r = std::max(r, dot(d, right) / depth);
      down = std::min(down, dot(d, top) / depth);
      u = std::max(u, dot(d, top) / depth);
    }
    target += right * (0.5 * (left + r) * distance) + top * (0.5 * (down + u) * distance);
  }
  target += top * (0.06 * half_y * distance);
  distance = std::max(distance, 0.6 * size);
  const auto to_world = [&](const Vec3d& p) { return axes.x * p.x + axes.y * p.y + axes.up * p.z; };
  Framing out;
  out.camera.target = to_world(target);
  out.camera.position = to_world(target + back * distance);
  out.camera.up = axes.up;
  out.camera.focal_length_mm = input.focal_length_mm;
  out.size = size;
  return out;
}

}  // namespace talus
