#include "scene/rope.h"

#include "scene/defaults.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// The shortest rotation that takes the z axis to `axis` (unit).
Quatd from_z(const Vec3d& axis) {
  if (axis.z < -1 + 1e-12) return {0, 1, 0, 0};
  return normalized(Quatd{1 + axis.z, -axis.y, axis.x, 0});
}

Joint ball(const Rope& rope, int index, std::string a, std::string b, const Vec3d& anchor) {
  Joint joint = default_joint();
  joint.name = fmt::format("{}/joint{}", rope.name, index);
  joint.kind = JointKind::ball;
  joint.body_a = std::move(a);
  joint.body_b = std::move(b);
  joint.anchor = anchor;
  joint.break_force = rope.break_force;
  return joint;
}

}  // namespace

int rope_links(const Rope& rope) {
  if (rope.links > 0) return rope.links;
  const double count = norm(rope.to - rope.from) / (6 * rope.radius);
  return static_cast<int>(std::clamp(std::round(count), 1.0, 1e6));
}

std::string rope_link_name(const Rope& rope, int link) {
  return fmt::format("{}/{}", rope.name, link);
}

Status add_rope(Scene& scene, const Rope& rope) {
  const double length = norm(rope.to - rope.from);
  if (!(rope.radius > 0) || !(rope.density > 0))
    return request_error("rope '{}': radius and density must be positive", rope.name);
  const int links = rope_links(rope);
  const double link = length / links;
  if (!(link > 2.5 * rope.radius))
    return request_error(
        "rope '{}': {} links of radius {} m do not fit in a length of {} m; use at most {} links "
        "or a smaller radius",
        rope.name, links, rope.radius, length,
        std::max(1, static_cast<int>(std::min(length / (3 * rope.radius), 1e6))));

  const Vec3d axis = (rope.to - rope.from) / length;
  const auto name = [&](int i) { return rope_link_name(rope, i); };
  const auto point = [&](int i) { return rope.from + axis * (link * i); };
  for (int i = 0; i < links; ++i) {
    SceneBody body = default_body();
    body.name = name(i);
    body.shape.kind = ShapeKind::capsule;
    body.shape.radius = rope.radius;
    body.shape.height = link - 2 * rope.radius;
    body.shape.pose = {(point(i) + point(i + 1)) * 0.5, from_z(axis)};
    body.motion = SceneMotion::dynamic;
    body.density = rope.density;
    body.friction = rope.friction;
    body.restitution = rope.restitution;
    body.colour = rope.colour;
    scene.bodies.push_back(body);
    if (i > 0) scene.joints.push_back(ball(rope, i, name(i), name(i - 1), point(i)));
  }
  const auto hold = [&](int index, int link_index, const std::string& holder) {
    if (holder.empty()) return;
    Joint joint =
        ball(rope, index, name(link_index), holder == "world" ? "" : holder, point(index));
    joint.release_time = rope.release_time;
    scene.joints.push_back(joint);
  };
  hold(0, 0, rope.from_body);
  hold(links, links - 1, rope.to_body);
  return {};
}

}  // namespace talus
