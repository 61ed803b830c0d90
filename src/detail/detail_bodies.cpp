#include "bodies/body_world.h"
#include "bodies/motion.h"
#include "detail/base_motion.h"

namespace talus::detail {

namespace {

const FrameBody* find(const FrameInfo& info, const std::string& name) {
  for (const FrameBody& body : info.bodies)
    if (body.name == name) return &body;
  return nullptr;
}

}  // namespace

Result<DetailBodies> make_detail_bodies(const Scene& scene, double base_radius,
                                        const Executor& executor) {
  DetailBodies out;
  out.scene = scene;
  out.spacing = static_cast<float>(2 * base_radius);
  auto world = make_body_world(scene, executor, 2 * base_radius);
  if (!world) return world.error();
  out.bodies = std::move(world->bodies());
  if (Status s = sample_body_surfaces(out.bodies, 2 * base_radius, scene.seed, executor); !s)
    return s.error();
  return out;
}

BodyState DetailBodies::state_at(std::size_t index, const FrameInfo& a, const FrameInfo& b,
                                 double time) const {
  const Body& body = bodies[index];
  if (body.motion == BodyMotion::fixed) return body.state;
  if (body.motion == BodyMotion::scripted) return scripted_state(scene.bodies[index], time);
  const FrameBody* first = find(a, body.name);
  const FrameBody* second = find(b, body.name);
  if (first == nullptr) return second != nullptr ? second->state : body.state;
  if (second == nullptr) second = first;
  const double span = b.time - a.time;
  if (!(span > 0)) return first->state;
  const double s = (time - a.time) / span;
  const BodyState &p = first->state, &q = second->state;
  const Vec3d d = q.pose.position - p.pose.position;
  const Vec3d c2 = 3.0 * d - span * (2.0 * p.velocity + q.velocity);
  const Vec3d c3 = span * (p.velocity + q.velocity) - 2.0 * d;
  BodyState out;
  out.pose.position = p.pose.position + (p.velocity * span + (c2 + c3 * s) * s) * s;
  out.velocity = p.velocity + (c2 * 2.0 + c3 * (3.0 * s)) * (s / span);
  out.angular_velocity = turning_rate(p.pose.rotation, q.pose.rotation, span);
  out.pose.rotation = turned(p.pose.rotation, out.angular_velocity, s * span);
  return out;
}

}  // namespace talus::detail
