// Broad phase by sorting along x, and what the solver has to know about each contact point.
//
// Rules of ours, because Bullet's defaults do not suit:
//   friction    mu = sqrt(mu_a mu_b)    (Bullet: product, so that 0.5 on 0.5 would slide at 14 deg)
//   restitution e = max(e_a, e_b)       (Bullet: product)
//   friction acts along the coming slip: tangential part of the relative velocity plus gravity's
//   push of this step. Together with its normal direction this gives Coulomb's cone while sliding;
//   the remembered friction impulse is turned into the new directions (Bullet reuses its
//   components). A gap that will close within the step with a rebound is treated as closed:
//   otherwise the solver first slows the body to reach the surface and the rebound starts from that
//   slower speed. Overlaps up to the slop count as touching, no more and no less: if the solver
//   drove every contact to one exact overlap, the smallest error of position would become a speed
//   of error / dt.
#include "bodies/bullet_contacts.h"

#include "bodies/bullet_math.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Beyond this fraction of its size in one step, a body could jump through another one; then its
/// contacts are found ahead.
constexpr double jump_fraction = 0.25;

bool overlap(const btVector3& lower_a, const btVector3& upper_a, const btVector3& lower_b,
             const btVector3& upper_b) {
  for (int i = 0; i < 3; ++i)
    if (lower_a[i] > upper_b[i] || lower_b[i] > upper_a[i]) return false;
  return true;
}

double step_length(const Rigid& r, double dt) {
  return (r.object->getLinearVelocity().length() +
          r.object->getAngularVelocity().length() * r.collider.size) *
         dt;
}

/// How far ahead contacts of this pair are looked for.
double look_ahead(const Rigid& a, const Rigid& b, double dt) {
  const double way = step_length(a, dt) + step_length(b, dt);
  const double size = std::min(a.collider.size, b.collider.size);
  return way > jump_fraction * size ? way : 0;
}

bool wants_contacts(const Rigid& a, const Rigid& b) {
  if (!a.dynamic && !b.dynamic) return false;
  return a.awake || b.awake || a.moving || b.moving;
}

void update_bounds(Rigid& r, double dt) {
  constexpr btScalar everywhere = 1e15;
  r.lower.setValue(everywhere, everywhere, everywhere);
  r.upper = -r.lower;
  for (const ColliderPart& part : r.collider.parts) {
    btVector3 lower(-everywhere, -everywhere, -everywhere), upper = -lower;
    const btTransform world = r.object->getWorldTransform() * part.local;
    if (part.convex) part.convex->getAabb(world, lower, upper);
    if (part.triangles) part.triangles->getAabb(world, lower, upper);
    r.lower.setMin(lower);
    r.upper.setMax(upper);
  }
  const double more = step_length(r, dt) + reach_fraction * r.collider.size;
  r.lower -= btVector3(more, more, more);
  r.upper += btVector3(more, more, more);
}

/// Whether a half space reaches into a box.
bool reaches(const Rigid& wall, const ColliderPart& plane, const btVector3& lower,
             const btVector3& upper) {
  const btTransform& world = wall.object->getWorldTransform();
  const btVector3 normal = world.getBasis() * plane.normal;
  const btScalar lowest = normal.dot(lower + upper) / 2 - normal.absolute().dot(upper - lower) / 2;
  return lowest <= plane.offset + normal.dot(world.getOrigin());
}

/// Pairs of parts of two bodies whose bounds meet.
void add_part_pairs(const Rigid& a, const Rigid& b, std::uint32_t index_a, std::uint32_t index_b,
                    double dt, std::set<PairKey>& pairs) {
  struct Bounds {
    btVector3 lower, upper;
  };
  const auto bounds = [&](const Rigid& r) {
    std::vector<Bounds> out;
    const double more = step_length(r, dt) + reach_fraction * r.collider.size;
    const btVector3 grow(more, more, more);
    for (const ColliderPart& part : r.collider.parts) {
      Bounds box{{0, 0, 0}, {0, 0, 0}};
      const btTransform world = r.object->getWorldTransform() * part.local;
      if (part.convex) part.convex->getAabb(world, box.lower, box.upper);
      if (part.triangles) part.triangles->getAabb(world, box.lower, box.upper);
      box.lower -= grow;
      box.upper += grow;
      out.push_back(box);
    }
    return out;
  };
  const std::vector<Bounds> boxes_a = bounds(a), boxes_b = bounds(b);
  for (std::uint32_t i = 0; i < boxes_a.size(); ++i)
    for (std::uint32_t j = 0; j < boxes_b.size(); ++j) {
      const Bounds& x = boxes_a[i];
      const Bounds& y = boxes_b[j];
      if (!a.collider.parts[i].convex && !b.collider.parts[j].convex) continue;
      const ColliderPart& part_a = a.collider.parts[i];
      const ColliderPart& part_b = b.collider.parts[j];
      const bool meet = part_a.half_space   ? reaches(a, part_a, y.lower, y.upper)
                        : part_b.half_space ? reaches(b, part_b, x.lower, x.upper)
                                            : overlap(x.lower, x.upper, y.lower, y.upper);
      if (meet) pairs.insert({index_a, i, index_b, j});
    }
}

btVector3 velocity_at(const btRigidBody& body, const btVector3& point) {
  return body.getVelocityInLocalPoint(point - body.getWorldTransform().getOrigin());
}

/// Friction directions, coefficients and remembered impulses of one point, before the solver.
void prepare_point(btManifoldPoint& point, const Rigid& a, const Rigid& b,
                   const ContactSetting& setting) {
  const double dt = setting.dt;
  const double impulse_scale = setting.previous_dt > 0 ? dt / setting.previous_dt : 0;
  const btVector3 gravity = to_bullet(setting.gravity);
  point.m_combinedFriction = std::sqrt(a.friction * b.friction);
  point.m_combinedRestitution = std::max(a.restitution, b.restitution);
  point.m_combinedRollingFriction = 0;
  point.m_combinedSpinningFriction = 0;

  const btVector3& n = point.m_normalWorldOnB;
  const btVector3 velocity = velocity_at(*a.object, point.m_positionWorldOnA) -
                             velocity_at(*b.object, point.m_positionWorldOnB);
  const btScalar approach = -n.dot(velocity);
  const bool closes = point.m_distance1 < approach * dt;
  if (!closes) point.m_combinedRestitution = 0;
  if (point.m_distance1 <= 0 || (closes && point.m_combinedRestitution > 0))
    point.m_distance1 = std::min(point.m_distance1, -setting.slop);
  else
    point.m_distance1 -= setting.slop;

  const btVector3 remembered = point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1 +
                               point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2;
  const btVector3 pushed = gravity * (dt * ((a.dynamic ? 1 : 0) - (b.dynamic ? 1 : 0)));
  btVector3 slip = velocity + pushed;
  slip -= n * n.dot(slip);
  const bool first = point.m_lateralFrictionDir1.length2() < 0.5;
  if (slip.length() > 1e-9) {
    point.m_lateralFrictionDir1 = slip.normalized();
  } else if (first || std::abs(point.m_lateralFrictionDir1.dot(n)) > 1e-3) {
    btPlaneSpace1(n, point.m_lateralFrictionDir1, point.m_lateralFrictionDir2);
  }
  point.m_lateralFrictionDir2 = point.m_lateralFrictionDir1.cross(n).normalized();
  point.m_contactPointFlags |= BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED;
  point.m_appliedImpulse *= impulse_scale;
  point.m_appliedImpulseLateral1 = impulse_scale * remembered.dot(point.m_lateralFrictionDir1);
  point.m_appliedImpulseLateral2 = impulse_scale * remembered.dot(point.m_lateralFrictionDir2);
}

/// What the next step needs of a point. Plain numbers, no padding.
struct SavedPoint {
  std::array<double, 3> local_a, local_b, world_a, world_b, normal, slip1, slip2;
  double distance, impulse, slip_impulse1, slip_impulse2, friction, restitution;
  std::int64_t flags, life;
};

std::array<double, 3> plain(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btVector3 vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

SavedPoint saved(const btManifoldPoint& p) {
  return {plain(p.m_localPointA),
          plain(p.m_localPointB),
          plain(p.m_positionWorldOnA),
          plain(p.m_positionWorldOnB),
          plain(p.m_normalWorldOnB),
          plain(p.m_lateralFrictionDir1),
          plain(p.m_lateralFrictionDir2),
          p.m_distance1,
          p.m_appliedImpulse,
          p.m_appliedImpulseLateral1,
          p.m_appliedImpulseLateral2,
          p.m_combinedFriction,
          p.m_combinedRestitution,
          p.m_contactPointFlags,
          p.m_lifeTime};
}

btManifoldPoint restored(const SavedPoint& s) {
  btManifoldPoint p(vector(s.local_a), vector(s.local_b), vector(s.normal), s.distance);
  p.m_positionWorldOnA = vector(s.world_a);
  p.m_positionWorldOnB = vector(s.world_b);
  p.m_lateralFrictionDir1 = vector(s.slip1);
  p.m_lateralFrictionDir2 = vector(s.slip2);
  p.m_appliedImpulse = s.impulse;
  p.m_appliedImpulseLateral1 = s.slip_impulse1;
  p.m_appliedImpulseLateral2 = s.slip_impulse2;
  p.m_combinedFriction = s.friction;
  p.m_combinedRestitution = s.restitution;
  p.m_contactPointFlags = static_cast<int>(s.flags);
  p.m_lifeTime = static_cast<int>(s.life);
  return p;
}

Sides sides_of(const std::vector<Rigid>& bodies, const PairKey& key) {
  const Rigid& a = bodies[key.body_a];
  const Rigid& b = bodies[key.body_b];
  const ColliderPart& part_a = a.collider.parts[key.part_a];
  const ColliderPart& part_b = b.collider.parts[key.part_b];
  if (part_a.convex) return {a, b, part_a, part_b};
  return {b, a, part_b, part_a};
}

std::unique_ptr<btPersistentManifold> new_manifold(const Sides& s) {
  return std::make_unique<btPersistentManifold>(s.first.object.get(), s.second.object.get(), 0,
                                                contact_reach(s.first, s.second), BT_LARGE_FLOAT);
}

}  // namespace

void Contacts::update(std::vector<Rigid>& bodies,
                      const std::set<std::array<std::uint32_t, 2>>& joined,
                      const ContactSetting& setting) {
  const double dt = setting.dt;
  for (Rigid& body : bodies) update_bounds(body, dt);
  std::vector<std::uint32_t> order(bodies.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return std::pair(bodies[i].lower.x(), i) < std::pair(bodies[j].lower.x(), j);
  });

  std::set<PairKey> near;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (bodies[order[j]].lower.x() > bodies[order[i]].upper.x()) break;
      const std::uint32_t a = std::min(order[i], order[j]), b = std::max(order[i], order[j]);
      const Rigid& ra = bodies[a];
      const Rigid& rb = bodies[b];
      if (!wants_contacts(ra, rb) || joined.contains({a, b})) continue;
      if (!overlap(ra.lower, ra.upper, rb.lower, rb.upper)) continue;
      add_part_pairs(ra, rb, a, b, dt, near);
    }

  // Pairs that drifted apart are forgotten; pairs at rest keep their memory for when they wake.
  std::erase_if(manifolds_, [&](const auto& item) {
    const PairKey& key = item.first;
    return wants_contacts(bodies[key.body_a], bodies[key.body_b]) && !near.contains(key);
  });
  for (const PairKey& key : near) {
    const Sides sides = sides_of(bodies, key);
    auto& memory = manifolds_[key];
    if (!memory) memory = new_manifold(sides);
    btPersistentManifold& manifold = *memory;
    narrow_->collide(sides, look_ahead(sides.first, sides.second, dt), manifold);
    for (int i = 0; i < manifold.getNumContacts(); ++i)
      prepare_point(manifold.getContactPoint(i), sides.first, sides.second, setting);
  }
}

std::vector<Contacts::Touching> Contacts::touching() const {
  std::vector<Touching> out;
  for (const auto& [key, manifold] : manifolds_)
    if (manifold->getNumContacts() > 0) out.push_back({key, manifold.get()});
  return out;
}

double Contacts::depth(std::uint32_t a, std::uint32_t b) const {
  double deepest = 0;
  for (const auto& [key, manifold] : manifolds_) {
    if (key.body_a != a || key.body_b != b) continue;
    for (int i = 0; i < manifold->getNumContacts(); ++i)
      deepest = std::max(deepest, -manifold->getContactPoint(i).getDistance());
  }
  return deepest;
}

void Contacts::save(State& state) const {
  std::vector<PairKey> keys;
  std::vector<std::int64_t> counts;
  std::vector<SavedPoint> points;
  for (const auto& [key, manifold] : manifolds_) {
    keys.push_back(key);
    counts.push_back(manifold->getNumContacts());
    for (int i = 0; i < manifold->getNumContacts(); ++i)
      points.push_back(saved(manifold->getContactPoint(i)));
  }
  state.put("bodies/contact_pairs", std::span<const PairKey>(keys));
  state.put("bodies/contact_counts", std::span<const std::int64_t>(counts));
  state.put("bodies/contact_points", std::span<const SavedPoint>(points));
}

Status Contacts::load(const State& state, const std::vector<Rigid>& bodies) {
  std::vector<PairKey> keys;
  std::vector<std::int64_t> counts;
  std::vector<SavedPoint> points;
  if (Status s = state.get("bodies/contact_pairs", keys); !s) return s;
  if (Status s = state.get("bodies/contact_counts", counts); !s) return s;
  if (Status s = state.get("bodies/contact_points", points); !s) return s;
  const auto fits = [&](std::uint32_t body, std::uint32_t part) {
    return body < bodies.size() && part < bodies[body].collider.parts.size();
  };
  manifolds_.clear();
  std::size_t next = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const PairKey& key = keys[k];
    if (k >= counts.size() || counts[k] < 0 || counts[k] > MANIFOLD_CACHE_SIZE ||
        next + static_cast<std::size_t>(counts[k]) > points.size() ||
        !fits(key.body_a, key.part_a) || !fits(key.body_b, key.part_b))
      return work_error("the checkpoint's contacts do not belong to the bodies of this scene");
    auto manifold = new_manifold(sides_of(bodies, key));
    for (std::int64_t i = 0; i < counts[k]; ++i)
      manifold->addManifoldPoint(restored(points[next++]));
    manifolds_[key] = std::move(manifold);
  }
  return {};
}

}  // namespace talus
