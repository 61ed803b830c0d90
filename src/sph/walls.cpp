#include "sph/walls.h"

#include "core/error.h"

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
/// any other shape its nearest point.
int faces_of(const Body& body, const Vec3f& local, float reach, Face out[max_faces]) {
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
  const DistanceSample s = body.field->sample(local);
  if (s.distance >= reach) return 0;
  out[0] = {s.distance, s.gradient};
  return 1;
}

/// Where two walls meet, what lies behind both must not count twice: together they fill
/// 1 - (1 - v_1)(1 - v_2)..., and each one's gradient shrinks by the factors of the others. Exact
/// for perpendicular walls and a kernel that is a product over the axes; ours nearly is.
void share_corner(std::span<WallContact> contacts) {
  if (contacts.size() < 2) return;
  float free = 1;
  for (WallContact& w : contacts) {
    const float before = free;
    free *= 1 - min(w.value, 0.99f);
    w.gradient = w.gradient / (1 - min(w.value, 0.99f));
    w.value = before - free;
  }
  for (WallContact& w : contacts) w.gradient = w.gradient * free;
}

Vec3f to_local(const Body& body, const Vec3f& p) {
  return Vec3f(body.state.pose.to_body(Vec3d(p)) - body.field_offset);
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
  return t;
}

template HalfSpaceTable HalfSpaceTable::make<WendlandC2>(const KernelScale&, float);
template HalfSpaceTable HalfSpaceTable::make<CubicSpline>(const KernelScale&, float);
template HalfSpaceTable HalfSpaceTable::make<Spiky>(const KernelScale&, float);

namespace {

/// A sphere around a body in the world; infinite for planes and containers.
struct BodyBall {
  Vec3f centre;
  float radius;
};

BodyBall ball_around(const Body& body) {
  const Box3d box = body.field->bounds();
  const Vec3d half = (box.upper - box.lower) * 0.5;
  const double radius = norm(half);
  if (body.shape.inside_out || !(radius < 1e6)) return {{}, INFINITY};
  const Vec3d local = (box.upper + box.lower) * 0.5 + body.field_offset;
  return {Vec3f(body.state.pose.to_world(local)), static_cast<float>(radius)};
}

}  // namespace

bool WallContacts::stale(std::span<const Body> bodies) const {
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (!(bodies[b].state.pose == poses_[b])) return true;
  return false;
}

void WallContacts::find_candidates(std::span<const Float4> points, std::size_t count,
                                   std::span<const Body> bodies, float margin,
                                   const HalfSpaceTable& table, const Executor& executor) {
  const std::size_t clusters = ClusterPairs::cluster_count(count);
  slot_.resize(clusters);
  near_flag_.resize(clusters);
  std::fill(near_flag_.begin(), near_flag_.end(), std::uint8_t{0});
  const float reach = table.reach() + margin;
  std::size_t faces = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (acts_[b] == 0) continue;
    const Body& body = bodies[b];
    faces += is_container_box(body) ? 3 : 1;
    const BodyBall ball = ball_around(body);
    const float far = ball.radius + reach;
    executor.for_range(clusters, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        for (std::size_t i = c * width; i < std::min(count, (c + 1) * width); ++i) {
          if (near_flag_[c] != 0) break;
          const Vec3f p = xyz(points[i]);
          if (squared_norm(p - ball.centre) > far * far) continue;
          near_flag_[c] = body.field->sample(to_local(body, p)).distance < reach;
        }
      }
    });
  }
  near_.clear();
  for (std::size_t c = 0; c < clusters; ++c) {
    slot_[c] = near_flag_[c] != 0 ? static_cast<std::int32_t>(near_.size()) : -1;
    if (near_flag_[c] != 0) near_.push_back(static_cast<std::uint32_t>(c));
  }
  capacity_ = width * std::min<std::size_t>(faces, 6);
  counts_.resize(near_.size());
  contacts_.resize(near_.size() * capacity_);
  poses_.clear();
  for (const Body& body : bodies) poses_.push_back(body.state.pose);
}

void WallContacts::update(std::span<const Float4> points, std::size_t count,
                          std::span<const Body> bodies, const HalfSpaceTable& table,
                          const float* friction, const Executor& executor) {
  executor.for_range(near_.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot) {
      const std::size_t first = near_[slot] * width;
      std::uint32_t n = 0;
      for (std::size_t i = first; i < std::min(count, first + width); ++i) {
        const Vec3f p = xyz(points[i]);
        const std::uint32_t own = n;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
          if (acts_[b] == 0) continue;
          const Body& body = bodies[b];
          Face faces[max_faces];
          const int found = faces_of(body, to_local(body, p), table.reach(), faces);
          for (int f = 0; f < found && n < capacity_; ++f) {
            const Vec3f normal = Vec3f(rotate(body.state.pose.rotation, Vec3d(faces[f].normal)));
            const Vec3d at = Vec3d(p) - Vec3d(normal) * double{faces[f].distance};
            const float mu = static_cast<float>(body.friction);
            contacts_[slot * capacity_ + n++] = {
                .lane = static_cast<std::uint32_t>(i - first),
                .body = static_cast<std::uint32_t>(b),
                .value = table.value(faces[f].distance),
                .friction = mu,
                .grip = min(1.0f, mu / max(friction[i], 1e-6f)),
                .gradient = normal * table.slope(faces[f].distance),
                .normal = normal,
                .velocity = Vec3f(velocity_at(body.state, at))};
          }
        }
        share_corner({&contacts_[slot * capacity_ + own], n - own});
      }
      counts_[slot] = n;
    }
  });
}

Vec3f direct_forcing(const Body& body, float keep, float dt, Vec3f& x, Vec3f& v) {
  Face faces[max_faces];
  Vec3f given{};
  const int found = faces_of(body, to_local(body, x), keep, faces);
  for (int f = 0; f < found; ++f) {
    const Vec3f normal = Vec3f(rotate(body.state.pose.rotation, Vec3d(faces[f].normal)));
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
