// Checkpoints of the rigid bodies.
#include "bodies/body_world.h"
#include "bodies/body_world_impl.h"

namespace talus {
namespace {

struct SavedBody {
  Posed pose;
  Vec3d velocity, angular_velocity;
  Vec3d load_force, load_torque;
  RestMemory rest;
  std::int64_t asleep;
};
static_assert(sizeof(SavedBody) == sizeof(double) * (7 + 6 + 6 + 13) + sizeof(std::int64_t));

struct SavedJoint {
  std::array<double, 6> impulse;
  double force;
  std::int64_t intact, rows;
};

}  // namespace

void BodyWorld::save(State& state) const {
  const BodyWorldData& w = *data_;
  const double times[2] = {w.time, w.previous_dt};
  state.put("bodies/time", std::span<const double>(times));
  state.put("bodies/gravity", w.gravity);
  std::vector<SavedBody> bodies;
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const Body& b = w.bodies[i];
    bodies.push_back({b.state.pose, b.state.velocity, b.state.angular_velocity, b.load.force,
                      b.load.torque, w.rest[i], b.asleep});
  }
  state.put("bodies/states", std::span<const SavedBody>(bodies));
  std::vector<RecentPush> recent;
  for (const Body& b : w.bodies) recent.push_back(b.recent);
  state.put("bodies/recent", std::span<const RecentPush>(recent));
  std::vector<SavedJoint> joints;
  for (const auto& j : w.joints) joints.push_back({j->impulse, j->force, j->intact, j->rows});
  state.put("bodies/joints", std::span<const SavedJoint>(joints));
  w.contacts.save(state);
}

Status BodyWorld::load(const State& state) {
  BodyWorldData& w = *data_;
  std::vector<double> times;
  std::vector<SavedBody> bodies;
  std::vector<SavedJoint> joints;
  if (Status s = state.get("bodies/time", times); !s) return s;
  Vec3d gravity;
  if (Status s = state.get("bodies/gravity", gravity); !s) return s;
  if (Status s = state.get("bodies/states", bodies); !s) return s;
  if (Status s = state.get("bodies/joints", joints); !s) return s;
  std::vector<RecentPush> recent;  // older checkpoints have none
  if (state.find("bodies/recent") != nullptr)
    if (Status s = state.get("bodies/recent", recent); !s) return s;
  if (times.size() != 2 || bodies.size() != w.bodies.size() || joints.size() != w.joints.size())
    return work_error(
        "the checkpoint has {} bodies and {} joints, the scene has {} and {}: the scene was "
        "changed "
        "after the run began; start a new run instead of resuming",
        bodies.size(), joints.size(), w.bodies.size(), w.joints.size());
  if (Status s = w.contacts.load(state, w.rigids); !s) return s;
  w.gravity = gravity;
  w.time = times[0];
  w.previous_dt = times[1];
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Body& b = w.bodies[i];
    b.state = {bodies[i].pose, bodies[i].velocity, bodies[i].angular_velocity};
    b.load = {bodies[i].load_force, bodies[i].load_torque};
    b.recent = i < recent.size() ? recent[i] : RecentPush{{}, bodies[i].velocity};
    b.asleep = bodies[i].asleep != 0;
    w.rest[i] = bodies[i].rest;
    w.rigids[i].awake = w.rigids[i].dynamic && !b.asleep;
    w.place(i);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    RigidJoint& joint = *w.joints[j];
    joint.impulse = joints[j].impulse;
    joint.force = joints[j].force;
    joint.intact = joints[j].intact != 0;
    joint.rows = static_cast<std::uint32_t>(joints[j].rows);
  }
  return {};
}

}  // namespace talus
