#include "sph/walls.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace talus::sph {

namespace {

constexpr int table_intervals = 1024;
constexpr std::size_t width = ClusterPairs::width;
constexpr float body_push_speed = 1;  // m/s: how fast who is caught inside a body is taken out

/// One flat face, or the whole shape: what a body offers to a particle.
struct Face {
  float distance;
  Vec3f normal;
};
constexpr int max_faces = 6;

bool is_container_box(const Body& body) {
  return body.shape.kind == ShapeKind::box && body.shape.inside_out;
}

/// A container box shows all its faces, so that a corner is as full as two or three walls make it;
/// any other shape its nearest point, which `nearest` is.
int faces_of(const Body& body, const Vec3f& local, const DistanceSample& nearest, float reach,
             Face out[max_faces]) {
  if (is_container_box(body)) {
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float half = static_cast<float>(body.shape.size[axis] / 2);
      for (const float side : {-1.0f, 1.0f}) {
        const float d = half - side * local[axis];
        Vec3f normal{};
        normal[axis] = -side;
        if (d < reach) out[n++] = {d, normal};
      }
    }
    return n;
  }
  if (nearest.distance >= reach) return 0;
  out[0] = {nearest.distance, nearest.gradient};
  return 1;
}

/// How much of what lies behind a wall lies behind another one too. `perpendicular` is the share if
/// the walls are; walls that face each other have nothing in common, nearly parallel ones (a
/// container that stands on the ground) everything: the nearer one counts.
float shared(float perpendicular, float cosine, bool other_is_nearer) {
  if (cosine < 0) return perpendicular * (1 + cosine);
  const float t = max(10 * cosine - 9, 0.0f), parallel = t * t * (3 - 2 * t);
  return other_is_nearer ? perpendicular + (1 - perpendicular) * parallel
                         : perpendicular * (1 - parallel);
}

/// Where walls meet, what lies behind several of them must not count more than once.
void share_corner(std::span<WallContact> contacts, const HalfSpaceTable& table) {
  if (contacts.size() < 2) return;
  std::sort(contacts.begin(), contacts.end(),
            [](const WallContact& a, const WallContact& b) { return a.distance < b.distance; });
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    WallContact& w = contacts[k];
    for (std::size_t m = 0; m < contacts.size(); ++m) {
      if (m == k) continue;
      const WallContact& other = contacts[m];
      const float cosine = dot(w.normal, other.normal);
      const float slope = table.covered_slope(w.distance, other.distance);
      w.gradient = w.gradient * (1 - shared(slope, cosine, m < k));
      if (m < k) w.value *= 1 - shared(table.covered(w.distance, other.distance), cosine, true);
    }
  }
}

}  // namespace

template <class Kernel>
HalfSpaceTable HalfSpaceTable::make(const KernelScale& kernel, float spacing) {
  HalfSpaceTable t;
  t.reach_ = kernel.h - spacing / 2;
  t.last_ = table_intervals;
  t.per_metre_ = table_intervals / (2 * t.reach_);

  // P(z) = 2 pi int_z^h W r dr, by the midpoint rule; P'(z) = -2 pi z W(z).
  const auto plane = [&](double z) {
    z = std::abs(z);
    constexpr int n = 400;
    double sum = 0;
    const double dr = (kernel.h - z) / n;
    for (int i = 0; i < n && dr > 0; ++i) {
      const double r = z + (i + 0.5) * dr;
      sum += r * kernel.value_factor * Kernel::value(static_cast<float>(r * kernel.inverse_h)) * dr;
    }
    return 2 * std::numbers::pi * sum;
  };
  const auto plane_slope = [&](double z) {
    const double r = std::abs(z);
    return -2 * std::numbers::pi * z * kernel.value_factor *
           Kernel::value(static_cast<float>(r * kernel.inverse_h));
  };
  const int layers = static_cast<int>(std::ceil(2 * kernel.h / spacing)) + 1;
  for (int i = 0; i <= table_intervals; ++i) {
    const double d = -t.reach_ + i / double{t.per_metre_};
    double value = 0, slope = 0;
    for (int k = 1; k <= layers; ++k) {
      const double z = d + (k - 0.5) * spacing;
      value += spacing * plane(z);
      slope += spacing * plane_slope(z);
    }
    t.value_.push_back(static_cast<float>(value));
    t.slope_.push_back(static_cast<float>(slope));
  }
  constexpr int fill_intervals = 256;
  const float steepest = -t.slope(0);
  t.per_slope_ = fill_intervals / steepest;
  float d = t.reach_;
  for (int i = 0; i <= fill_intervals; ++i) {
    while (d > 0 && -t.slope(d) < static_cast<float>(i) / t.per_slope_) d -= t.reach_ / 4096;
    t.fill_.push_back(i == 0 ? 0.0f : t.value(d));
  }
  t.fill_.push_back(t.fill_.back());
  t.make_corners<Kernel>(kernel, spacing);
  return t;
}

/// In the corner of two walls lie rows of particles, at (k - 1/2) a behind one and (l - 1/2) a
/// behind the other; each adds a^2 L(r), L the integral of W along a line at distance r.
template <class Kernel>
void HalfSpaceTable::make_corners(const KernelScale& kernel, double spacing) {
  constexpr int lines = 512, parts = 64;
  const double h = kernel.h, dr = h / lines;
  std::vector<double> line(lines + 2, 0.0), line_slope(lines + 2, 0.0);  // L, L'(r)/r
  for (int i = 0; i < lines; ++i) {
    const double r = i * dr, half = std::sqrt(h * h - r * r);
    for (int k = 0; k < parts; ++k) {
      const double z = (k + 0.5) * half / parts, q = std::sqrt(r * r + z * z) / h;
      const double share = 2 * half / parts;
      line[i] += share * kernel.value_factor * Kernel::value(static_cast<float>(q));
      line_slope[i] += share * kernel.slope_factor * Kernel::slope(static_cast<float>(q));
    }
  }
  const auto at = [&](const std::vector<double>& values, double r) {
    const double t = std::min(r / dr, double{lines});
    const int k = static_cast<int>(t);
    return values[k] + (t - k) * (values[k + 1] - values[k]);
  };
  const auto share_of = [](double part, double whole) {
    return whole == 0 ? 1.0f : static_cast<float>(std::clamp(part / whole, 0.0, 1.0));
  };
  const int layers = static_cast<int>(std::ceil(2 * h / spacing)) + 1;
  const double step = 2.0 * reach_ / (corner_side - 1), area = spacing * spacing;
  for (int i = 0; i < corner_side; ++i) {
    // A particle that the wall just does not reach would leave 0/0.
    const double d = std::min(-reach_ + i * step, 0.98 * reach_);
    for (int j = 0; j < corner_side; ++j) {
      const double e = -reach_ + j * step;
      double both = 0, both_slope = 0;
      for (int k = 1; k <= layers; ++k) {
        for (int l = 1; l <= layers; ++l) {
          const double z = d + (k - 0.5) * spacing, y = e + (l - 0.5) * spacing;
          const double r = std::sqrt(z * z + y * y);
          both += area * at(line, r);
          both_slope += area * z * at(line_slope, r);
        }
      }
      const double own = value(static_cast<float>(d)), own_slope = slope(static_cast<float>(d));
      covered_.push_back(share_of(both, own));
      covered_slope_.push_back(share_of(both_slope, own_slope));
    }
  }
}

template HalfSpaceTable HalfSpaceTable::make<WendlandC2>(const KernelScale&, float);
template HalfSpaceTable HalfSpaceTable::make<CubicSpline>(const KernelScale&, float);
template HalfSpaceTable HalfSpaceTable::make<Spiky>(const KernelScale&, float);

BodyFrame BodyFrame::of(const Body& body) {
  BodyFrame frame;
  frame.position = body.state.pose.position;
  const Mat3d rotation = to_matrix(body.state.pose.rotation);
  for (int k = 0; k < 3; ++k) frame.rotation.row[k] = Vec3f(rotation.row[k]);
  frame.offset = Vec3f(body.field_offset);
  const Box3d box = body.field->bounds();
  const double radius = norm((box.upper - box.lower) * 0.5);
  frame.radius = static_cast<float>(radius);
  if (body.shape.inside_out || !(radius < 1e6)) {
    frame.radius = INFINITY;
    return frame;
  }
  const Vec3d local = (box.upper + box.lower) * 0.5 + body.field_offset;
  frame.centre = Vec3f(body.state.pose.to_world(local));
  return frame;
}

void WallContacts::place_frames(std::span<const Body> bodies) {
  frames_.clear();
  for (const Body& body : bodies) frames_.push_back(BodyFrame::of(body));
}

bool WallContacts::stale(std::span<const Body> bodies) const {
  if (poses_.size() != bodies.size()) return true;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Posed &now = bodies[b].state.pose, &then = poses_[b];
    if (now == then) continue;
    const Box3d box = bodies[b].field->bounds();
    const double arm = norm(max(box.upper, box.lower * -1.0)) + norm(bodies[b].field_offset);
    if (!(farthest_move(then, now, arm) < double{slack_})) return true;
  }
  return false;
}

/// Has a particle of a cluster moved too far, or is it new?
bool WallContacts::left(std::span<const Float4> points, std::size_t count,
                        std::size_t cluster) const {
  bool any = false;
  for (std::size_t i = cluster * width; i < std::min(count, (cluster + 1) * width); ++i)
    any = any || !(squared_norm(xyz(points[i]) - found_at_[i]) < slack_ * slack_);
  return any;
}

std::uint64_t WallContacts::bodies_near(std::span<const Vec3f> points, std::span<const Body> bodies,
                                        float reach) const {
  float spread2 = 0;
  for (const Vec3f& p : points) spread2 = max(spread2, squared_norm(p - points[0]));
  const float around = reach + std::sqrt(spread2);
  std::uint64_t mask = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!frames_[b].near(points[0], around)) continue;
    Vec3f local[width];
    DistanceSample samples[width];
    for (std::size_t i = 0; i < points.size(); ++i) local[i] = frames_[b].to_local(points[i]);
    bodies[b].field->sample({local, points.size()}, {samples, points.size()});
    for (std::size_t i = 0; i < points.size(); ++i)
      if (samples[i].distance < reach) mask |= bit_of(b);
  }
  return mask;
}

void WallContacts::find_candidates(std::span<const Float4> points, std::size_t count,
                                   std::span<const Body> bodies, float slack,
                                   const HalfSpaceTable& table, const Executor& executor) {
  slack_ = slack;
  const bool all = stale(bodies);
  if (all) {
    poses_.clear();
    for (const Body& body : bodies) poses_.push_back(body.state.pose);
  }
  const std::size_t clusters = ClusterPairs::cluster_count(count), known = found_at_.size();
  mask_.resize(clusters);
  found_at_.resize(count);
  for (std::size_t i = known; i < count; ++i) found_at_[i] = {INFINITY, INFINITY, INFINITY};
  place_frames(bodies);
  const float reach = table.reach() + 2 * slack;  // of the particle and of the body
  const bool any = executor.reduce(
      clusters, known != count,
      [&](std::size_t begin, std::size_t end) {
        bool looked = false;
        for (std::size_t c = begin; c < end; ++c) {
          if (!all && !left(points, count, c)) continue;
          looked = true;
          const std::size_t first = c * width, n = std::min(count, first + width) - first;
          for (std::size_t i = first; i < first + n; ++i) found_at_[i] = xyz(points[i]);
          mask_[c] = bodies_near({&found_at_[first], n}, bodies, reach);
        }
        return looked;
      },
      [](bool x, bool y) { return x || y; });
  if (any) number_candidates(bodies);
}

/// Room for the contacts of those that may have any.
void WallContacts::number_candidates(std::span<const Body> bodies) {
  ++searches_;
  slot_.resize(mask_.size());
  near_.clear();
  for (std::size_t c = 0; c < mask_.size(); ++c) {
    slot_[c] = mask_[c] != 0 ? static_cast<std::int32_t>(near_.size()) : -1;
    if (mask_[c] != 0) near_.push_back(static_cast<std::uint32_t>(c));
  }
  std::size_t faces = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (acts_[b] != 0) faces += is_container_box(bodies[b]) ? 3 : 1;
  capacity_ = width * std::min<std::size_t>(faces, max_faces);
  within_.resize(near_.size());
  counts_.resize(near_.size());
  contacts_.resize_anew(near_.size() * capacity_);
}

void WallContacts::update(std::span<const Float4> points, std::size_t count,
                          std::span<const Body> bodies, const HalfSpaceTable& table,
                          const float* friction, const Executor& executor) {
  executor.for_range(near_.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot)
      update_cluster(slot, points, count, bodies, table, friction);
  });
}

/// Distances of the points of a cluster from body b; false if none is within reach.
bool WallContacts::sample(std::span<const Float4> points, std::span<const Body> bodies,
                          std::size_t b, float reach, NearBody& out) const {
  bool near = false;
  for (const Float4& p : points) near = near || frames_[b].near(xyz(p), reach);
  if (!near) return false;
  out.body = b;
  for (std::size_t i = 0; i < points.size(); ++i)
    out.local[i] = frames_[b].to_local(xyz(points[i]));
  bodies[b].field->sample({out.local, points.size()}, {out.samples, points.size()});
  return std::any_of(out.samples, out.samples + points.size(),
                     [&](const DistanceSample& s) { return s.distance < reach; });
}

void WallContacts::update_cluster(std::size_t slot, std::span<const Float4> points,
                                  std::size_t count, std::span<const Body> bodies,
                                  const HalfSpaceTable& table, const float* friction) {
  const std::size_t first = near_[slot] * width, n = std::min(count, first + width) - first;
  constexpr std::size_t most = 12;  // of which a particle touches up to max_faces
  NearBody near[most + 1];
  std::size_t found = 0;
  within_[slot] = 0;
  for_bodies_in(mask_[near_[slot]], [&](std::size_t b) {
    if (!sample(points.subspan(first, n), bodies, b, table.reach(), near[found])) return;
    within_[slot] |= bit_of(b);
    if (acts_[b] != 0 && found < most) ++found;
  });
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3f p = xyz(points[first + i]);
    const std::uint32_t before = total;
    for (std::size_t k = 0; k < found; ++k) {
      const std::size_t b = near[k].body;
      Face faces[max_faces];
      const int count_of =
          faces_of(bodies[b], near[k].local[i], near[k].samples[i], table.reach(), faces);
      for (int f = 0; f < count_of && total < capacity_; ++f) {
        const Vec3f normal = frames_[b].to_world_direction(faces[f].normal);
        const Vec3d at = Vec3d(p) - Vec3d(normal) * double{faces[f].distance};
        const float mu = static_cast<float>(bodies[b].friction);
        contacts_[slot * capacity_ + total++] = {
            .lane = static_cast<std::uint32_t>(i),
            .body = static_cast<std::uint32_t>(b),
            .distance = faces[f].distance,
            .value = table.value(faces[f].distance),
            .friction = mu,
            .grip = min(1.0f, mu / max(friction[first + i], 1e-6f)),
            .gradient = normal * table.slope(faces[f].distance),
            .normal = normal,
            .velocity = Vec3f(velocity_at(bodies[b].state, at))};
      }
    }
    share_corner({&contacts_[slot * capacity_ + before], total - before}, table);
  }
  counts_[slot] = total;
}

void WallContacts::leave_gaps(std::span<const Float4> velocity, std::span<const Body> bodies,
                              float touching, float slow, float dt, const Executor& executor) {
  const auto loose = [](const Body& b) { return b.motion == BodyMotion::dynamic && !b.asleep; };
  if (std::none_of(bodies.begin(), bodies.end(), loose)) return;
  executor.for_range(near_.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot) {
      for (std::size_t k = 0; k < counts_[slot]; ++k) {
        WallContact& w = contacts_[slot * capacity_ + k];
        if (!loose(bodies[w.body])) continue;
        const Vec3f v = xyz(velocity[near_[slot] * width + w.lane]);
        const float approach = dot(w.velocity - v, w.normal);
        w.velocity -= w.normal * free_approach(approach, w.distance - touching, slow, dt);
      }
    }
  });
}

Vec3f direct_forcing(const Body& body, const BodyFrame& frame, float keep, float dt, Vec3f& x,
                     Vec3f& v) {
  if (!frame.near(x, keep)) return {};
  Face faces[max_faces];
  Vec3f given{};
  const Vec3f local = frame.to_local(x);
  const int found = faces_of(body, local, body.field->sample(local), keep, faces);
  for (int f = 0; f < found; ++f) {
    const Vec3f normal = frame.to_world_direction(faces[f].normal);
    const float depth = keep - faces[f].distance;
    const Vec3f wall = Vec3f(velocity_at(body.state, Vec3d(x)));
    const Vec3f relative = v - wall;
    const float approach = min(dot(relative, normal), 0.0f);
    const Vec3f slide = relative - dot(relative, normal) * normal;
    const float speed = norm(slide);
    const float lost = min(speed, static_cast<float>(body.friction) * -approach);
    Vec3f impulse = -approach * normal;
    if (speed > 0) impulse -= slide * (lost / speed);
    v += impulse;
    x += normal * min(depth, max(body_push_speed * dt, -approach * dt));
    given += impulse;
  }
  return given;
}

}  // namespace talus::sph
