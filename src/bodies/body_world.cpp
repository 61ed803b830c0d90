// One step of the rigid bodies: forces -> contacts -> impulses -> poses (semi-implicit Euler), with
// exactly the step given, one solve. Contacts and joints by sequential impulses (Catto 2005, as in
// Bullet), position errors of contacts by separate pseudo-velocities (split impulse), so that no
// energy comes from them.
//
// Nothing is hidden: the next step depends on poses, velocities, contact memory, joint impulses and
// rest times only, all of which save() writes. Bullet's world, broad phase and islands are not
// used, because their order depends on history.
//
// Deviations from Bullet: friction and restitution rules (bullet_contacts.cpp), joints solved
// directly and from the impulses of the last step (bullet_joints.h), remembered impulses are scaled
// when the step changes, bodies in free flight fall exactly (x += v dt + a dt^2/2), and sleep needs
// speeds far below what one can see: v < 0.004 sqrt(g r) for 0.5 s, a tenth of it under a load of
// material.
#include "bodies/body_world.h"

#include "bodies/body_world_impl.h"
#include "bodies/bullet_math.h"
#include "bodies/motion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
namespace {

constexpr double sleep_speed = 0.004;    // of sqrt(g r)
constexpr double sleep_after = 0.5;      // s
constexpr double load_smoothing = 0.02;  // s
constexpr double load_wakes = 0.05;      // change of load, of the weight
constexpr int most_iterations = 60;
constexpr double solved = 1e-7;  // change of speed in the last iteration, of sqrt(g size)

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

void BodyWorldData::place(std::size_t i) {
  const BodyState& s = bodies[i].state;
  const btTransform world(to_bullet(s.pose.rotation * principal_axes[i]),
                          to_bullet(s.pose.position));
  btRigidBody& object = *rigids[i].object;
  object.setWorldTransform(world);
  object.setLinearVelocity(to_bullet(s.velocity));
  object.setAngularVelocity(to_bullet(s.angular_velocity));
  object.updateInertiaTensor();
}

void BodyWorldData::wake(std::size_t i) {
  if (!rigids[i].dynamic) return;
  rigids[i].awake = true;
  bodies[i].asleep = false;
  rest[i].slow_time = 0;
}

/// All that acts on a dynamic body apart from contacts and joints, N.
Vec3d BodyWorldData::force_on(std::size_t i) const {
  Vec3d force = gravity * bodies[i].mass + bodies[i].load.force;
  const SceneBody& source = scene_bodies[i];
  if (time >= source.force_start && time < source.force_stop) force += source.force;
  return force;
}

/// A force that begins or ends wakes the body it acts on.
void BodyWorldData::switch_forces() {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const SceneBody& source = scene_bodies[i];
    if (source.force == Vec3d{}) continue;
    for (const double when : {source.force_start, source.force_stop})
      if (time >= when && time - previous_dt < when) wake(i);
  }
}

/// Scripted bodies push with the mean velocity of this step, so that they arrive exactly.
void BodyWorldData::aim_scripted(double dt) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].motion != BodyMotion::scripted) continue;
    const Posed next = scripted_pose(scene_bodies[i], time + dt);
    BodyState& s = bodies[i].state;
    s.velocity = (next.position - s.pose.position) / dt;
    s.angular_velocity = turning_rate(s.pose.rotation, next.rotation, dt);
    rigids[i].moving = s.velocity != Vec3d{} || s.angular_velocity != Vec3d{};
    place(i);
  }
}

/// A sleeping body wakes when the material presses differently than when it fell asleep. The load
/// of that step is only weighed: the solver, which took the body for immovable, would throw a light
/// one with it.
void BodyWorldData::weigh_loads(double dt) {
  const double share = std::min(1.0, dt / load_smoothing);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!rigids[i].dynamic) continue;
    RestMemory& r = rest[i];
    r.mean_force += (bodies[i].load.force - r.mean_force) * share;
    r.mean_torque += (bodies[i].load.torque - r.mean_torque) * share;
    if (rigids[i].awake) continue;
    bodies[i].load = {};
    const double weight = bodies[i].mass * norm(gravity);
    if (norm(r.mean_force - r.sleep_force) > load_wakes * weight ||
        norm(r.mean_torque - r.sleep_torque) > load_wakes * weight * radius[i])
      wake(i);
  }
}

void BodyWorldData::release_joints() {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const double when = scene_joints[j].release_time;
    if (!joints[j]->intact || when < 0 || time < when - 1e-9) continue;
    joints[j]->intact = false;
    for (const std::uint32_t i : {joints[j]->body_a, joints[j]->body_b})
      if (i != RigidJoint::world) wake(i);
  }
}

std::set<std::array<std::uint32_t, 2>> BodyWorldData::joined() const {
  std::set<std::array<std::uint32_t, 2>> pairs;
  for (const auto& joint : joints)
    if (joint->intact && joint->body_b != RigidJoint::world)
      pairs.insert(
          {std::min(joint->body_a, joint->body_b), std::max(joint->body_a, joint->body_b)});
  return pairs;
}

void BodyWorldData::find_contacts(double dt) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (rigids[i].awake) place(i);
  contacts.update(rigids, joined(), {dt, previous_dt, gravity, slop()});
}

/// Groups of dynamic bodies that touch or hang together; a group with one awake body wakes whole.
std::vector<std::uint32_t> BodyWorldData::wake_islands() {
  std::vector<std::uint32_t> parent(bodies.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (rigids[a].moving && rigids[b].dynamic && !rigids[b].awake) wake(b);
    if (rigids[b].moving && rigids[a].dynamic && !rigids[a].awake) wake(a);
    if (!rigids[a].dynamic || !rigids[b].dynamic) return;
    const std::uint32_t x = root_of(parent, a), y = root_of(parent, b);
    parent[std::max(x, y)] = std::min(x, y);
  };
  for (const auto& touching : contacts.touching())
    connect(touching.key.body_a, touching.key.body_b);
  for (const auto& joint : joints)
    if (joint->intact && joint->body_b != RigidJoint::world) connect(joint->body_a, joint->body_b);

  std::vector<std::uint32_t> island(bodies.size());
  std::vector<bool> awake(bodies.size(), false);
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    island[i] = root_of(parent, i);
    if (rigids[i].awake) awake[island[i]] = true;
  }
  for (std::uint32_t i = 0; i < bodies.size(); ++i)
    if (rigids[i].dynamic && !rigids[i].awake && awake[island[i]]) {
      rigids[i].awake = true;
      bodies[i].asleep = false;
      place(i);
    }
  return island;
}

void BodyWorldData::solve(double dt) {
  std::vector<bool> held(bodies.size(), false);
  btAlignedObjectArray<btCollisionObject*> objects;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (rigids[i].awake || bodies[i].motion == BodyMotion::scripted)
      objects.push_back(rigids[i].object.get());
    if (!rigids[i].awake) continue;
    btRigidBody& object = *rigids[i].object;
    object.clearForces();
    object.applyCentralForce(to_bullet(force_on(i)));
    object.applyTorque(to_bullet(bodies[i].load.torque));
  }
  const auto awake = [&](std::uint32_t i) { return i != RigidJoint::world && rigids[i].awake; };
  btAlignedObjectArray<btPersistentManifold*> manifolds;
  contact_points = 0;
  for (const auto& touching : contacts.touching()) {
    contact_points += static_cast<std::size_t>(touching.manifold->getNumContacts());
    if (!awake(touching.key.body_a) && !awake(touching.key.body_b)) continue;
    manifolds.push_back(touching.manifold);
    held[touching.key.body_a] = held[touching.key.body_b] = true;
  }
  btAlignedObjectArray<btTypedConstraint*> constraints;
  std::vector<RigidJoint*> whole;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    RigidJoint& joint = *joints[j];
    joint.force = 0;
    if (!joint.intact || (!awake(joint.body_a) && !awake(joint.body_b))) continue;
    set_motor(*joint.constraint, scene_joints[j], dt);
    constraints.push_back(joint.constraint.get());
    whole.push_back(&joint);
    for (const std::uint32_t i : {joint.body_a, joint.body_b})
      if (i != RigidJoint::world) held[i] = true;
  }
  btContactSolverInfo info;
  const double g = norm(gravity);
  info.m_timeStep = dt;
  info.m_numIterations = most_iterations;
  info.m_leastSquaresResidualThreshold = solved * solved * g * smallest_size;
  info.m_solverMode = SOLVER_USE_WARMSTARTING | SOLVER_USE_2_FRICTION_DIRECTIONS |
                      SOLVER_ENABLE_FRICTION_DIRECTION_CACHING;
  info.m_splitImpulse = 1;
  info.m_splitImpulsePenetrationThreshold = 0;
  info.m_linearSlop = slop();
  info.m_warmstartingFactor = 1;
  info.m_restitutionVelocityThreshold = std::max(4 * g * dt, 0.02 * std::sqrt(g * smallest_size));
  solver.start_from(whole, previous_dt > 0 ? dt / previous_dt : 0);
  if (objects.size() > 0)
    solver.solveGroup(&objects[0], objects.size(), manifolds.size() ? &manifolds[0] : nullptr,
                      manifolds.size(), constraints.size() ? &constraints[0] : nullptr,
                      constraints.size(), info, nullptr, nullptr);
  integrate(dt, held);
}

void BodyWorldData::integrate(double dt, const std::vector<bool>& held) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!rigids[i].awake) continue;
    BodyState& s = bodies[i].state;
    btRigidBody& object = *rigids[i].object;
    const btTransform& pushed = object.getWorldTransform();
    const btTransform before(to_bullet(s.pose.rotation * principal_axes[i]));
    if (!(pushed.getBasis() == before.getBasis()))
      s.pose.rotation =
          normalized(from_bullet(pushed.getRotation()) * conjugate(principal_axes[i]));
    s.pose.position = from_bullet(pushed.getOrigin());
    s.velocity = from_bullet(object.getLinearVelocity());
    s.angular_velocity = from_bullet(object.getAngularVelocity());
    s.pose.position += s.velocity * dt;
    if (!held[i]) {
      const Vec3d acceleration = force_on(i) / bodies[i].mass;
      s.pose.position -= acceleration * (0.5 * dt * dt);
    }
    s.pose.rotation = turned(s.pose.rotation, s.angular_velocity, dt);
  }
}

void BodyWorldData::break_joints() {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    RigidJoint& joint = *joints[j];
    if (!joint.intact || joint.rows == 0) continue;
    joint.force = joint.feedback.m_appliedForceBodyA.length();
    if (!(scene_joints[j].break_force > 0) || joint.force <= scene_joints[j].break_force) continue;
    joint.intact = false;
    for (const std::uint32_t i : {joint.body_a, joint.body_b})
      if (i != RigidJoint::world) wake(i);
  }
}

void BodyWorldData::rest_islands(double dt, const std::vector<std::uint32_t>& island) {
  const double g = norm(gravity);
  std::vector<bool> may_sleep(bodies.size(), true);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!rigids[i].awake) continue;
    const BodyState& s = bodies[i].state;
    const bool loaded = bodies[i].load.force != Vec3d{};
    const double limit = sleep_speed * std::sqrt(g * radius[i]) * (loaded ? 0.1 : 1);
    const double speed = norm(s.velocity) + norm(s.angular_velocity) * radius[i];
    rest[i].slow_time = speed < limit ? rest[i].slow_time + dt : 0;
    if (rest[i].slow_time < sleep_after) may_sleep[island[i]] = false;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const RigidJoint& joint = *joints[j];
    if (!joint.intact) continue;
    const bool driven = scene_joints[j].motor_limit > 0 && scene_joints[j].motor_speed != 0;
    for (const std::uint32_t i : {joint.body_a, joint.body_b})
      if (i != RigidJoint::world && driven) may_sleep[island[i]] = false;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!rigids[i].awake || !may_sleep[island[i]]) continue;
    rigids[i].awake = false;
    bodies[i].asleep = true;
    bodies[i].state.velocity = bodies[i].state.angular_velocity = {};
    rest[i].sleep_force = rest[i].mean_force;
    rest[i].sleep_torque = rest[i].mean_torque;
    place(i);
  }
}

void BodyWorldData::place_scripted() {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].motion == BodyMotion::scripted)
      bodies[i].state = scripted_state(scene_bodies[i], time);
}

void BodyWorld::step(double dt) {
  TALUS_CHECK(dt > 0 && std::isfinite(dt), "dt={}", dt);
  BodyWorldData& w = *data_;
  w.aim_scripted(dt);
  if (w.any_dynamic()) {
    w.switch_forces();
    w.weigh_loads(dt);
    w.release_joints();
    w.find_contacts(dt);
    const std::vector<std::uint32_t> island = w.wake_islands();
    w.solve(dt);
    w.break_joints();
    w.rest_islands(dt, island);
  }
  w.time += dt;
  w.previous_dt = dt;
  w.place_scripted();
  for (Body& body : w.bodies) body.load = {};
}

BodyWorld::BodyWorld(std::unique_ptr<BodyWorldData> data) : data_(std::move(data)) {}
BodyWorld::BodyWorld(BodyWorld&&) noexcept = default;
BodyWorld& BodyWorld::operator=(BodyWorld&&) noexcept = default;
BodyWorld::~BodyWorld() = default;

std::vector<Body>& BodyWorld::bodies() { return data_->bodies; }
const std::vector<Body>& BodyWorld::bodies() const { return data_->bodies; }
void BodyWorld::set_gravity(const Vec3d& gravity) {
  if (gravity == data_->gravity) return;
  data_->gravity = gravity;
  for (std::size_t i = 0; i < data_->bodies.size(); ++i) data_->wake(i);
}
double BodyWorld::time() const { return data_->time; }
std::size_t BodyWorld::contact_points() const { return data_->contact_points; }
Vec3d BodyWorld::principal_moments(std::size_t body) const {
  return data_->principal_moments[body];
}
const std::vector<std::string>& BodyWorld::warnings() const { return data_->warnings; }

std::vector<JointStatus> BodyWorld::joints() const {
  std::vector<JointStatus> out;
  for (std::size_t j = 0; j < data_->joints.size(); ++j)
    out.push_back({data_->scene_joints[j].name, data_->joints[j]->intact, data_->joints[j]->force});
  return out;
}

}  // namespace talus
