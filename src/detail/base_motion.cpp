#include "detail/base_motion.h"

#include "bodies/motion.h"
#include "detail/upsampling_laws.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::detail {

namespace {

/// Cubic through x0, x1 with slopes v0, v1; s in 0..1, span in s.
Vec3d hermite(const Vec3d& x0, const Vec3d& v0, const Vec3d& x1, const Vec3d& v1, double span,
              double s) {
  const Vec3d d = x1 - x0;
  const Vec3d c2 = 3.0 * d - span * (2.0 * v0 + v1);
  const Vec3d c3 = span * (v0 + v1) - 2.0 * d;
  return x0 + (v0 * span + (c2 + c3 * s) * s) * s;
}

/// Solves K a = l for a symmetric K; nothing when K is (nearly) singular.
Vec3d solve(const Sym3d& k, const Vec3d& l) {
  const Vec3d r0{k.xx, k.xy, k.xz}, r1{k.xy, k.yy, k.yz}, r2{k.xz, k.yz, k.zz};
  const Vec3d c12 = cross(r1, r2), c20 = cross(r2, r0), c01 = cross(r0, r1);
  const double det = dot(r0, c12), size = trace(k) / 3;
  if (!(det > 1e-3 * size * size * size)) return {};
  return (c12 * l.x + c20 * l.y + c01 * l.z) / det;
}

}  // namespace

Result<BaseFrame> read_base_frame(const std::filesystem::path& path, const Executor& executor) {
  const auto file = FrameFile::open(path);
  if (!file) return file.error();
  BaseFrame frame;
  frame.info = file->info();
  const auto read = [&](const char* name, auto& out) -> Status {
    auto items =
        file->read<typename std::remove_reference_t<decltype(out)>::value_type>(name, executor);
    if (!items) return items.error();
    out = std::move(*items);
    return {};
  };
  if (Status s = read("id", frame.id); !s) return s.error();
  if (Status s = read("position", frame.position); !s) return s.error();
  if (Status s = read("velocity", frame.velocity); !s) return s.error();
  if (Status s = read("radius", frame.radius); !s) return s.error();
  if (Status s = read("material", frame.material); !s) return s.error();
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    if (i > 0 && frame.id[i] <= frame.id[i - 1])
      return work_error("{} is damaged: its ids do not ascend", path.string());
    if (!is_finite(frame.position[i]) || !is_finite(frame.velocity[i]) || !(frame.radius[i] > 0))
      return work_error(
          "{}: particle {} has no finite position, velocity or radius; run 'talus "
          "info --verify' on its folder",
          path.string(), frame.id[i]);
  }
  return frame;
}

BaseInterval::BaseInterval(const BaseFrame& a, const BaseFrame& b, const DetailBodies& bodies,
                           double base_radius, int steps, const Executor& executor)
    : a_(a), b_(b), bodies_(bodies), steps_(steps) {
  partner_.resize(a.id.size());
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.id.size(); ++i) {
    while (j < b.id.size() && b.id[j] < a.id[i]) ++j;
    partner_[i] = j < b.id.size() && b.id[j] == a.id[i] ? static_cast<std::int64_t>(j) : -1;
  }
  guides_.resize(a.id.size());
  falling_.assign(a.id.size(), 0.0f);
  const double span = b.info.time - a.info.time;
  executor.for_each(a.id.size(), [&](std::size_t i) {
    if (partner_[i] < 0) return;
    const Vec3d change(b.velocity[static_cast<std::size_t>(partner_[i])] - a.velocity[i]);
    falling_[i] = falling_share(change / span, bodies_.scene.gravity);
  });
  find_rotations(executor);
  find_plane_samples(base_radius);
}

Vec3d BaseInterval::place(std::size_t i, double s) const {
  const double span = b_.info.time - a_.info.time;
  const Vec3d x0(a_.position[i]), v0(a_.velocity[i]);
  if (partner_[i] < 0) return x0 + v0 * (span * s);
  const auto j = static_cast<std::size_t>(partner_[i]);
  return hermite(x0, v0, Vec3d(b_.position[j]), Vec3d(b_.velocity[j]), span, s);
}

/// The rotation vector c = 2 tan(angle/2) axis that fits dx' - dx = c x (dx + dx')/2 best, dx being
/// the vectors to the neighbours before and dx' after; exact when all turn alike.
void BaseInterval::find_rotations(const Executor& executor) {
  const std::size_t n = a_.id.size();
  rotation_.assign(n, {});
  if (n == 0) return;
  std::vector<Guide> here(n);
  std::vector<Vec3f> after(n);
  executor.for_each(n, [&](std::size_t i) {
    after[i] = Vec3f(place(i, 1) - Vec3d(a_.position[i]));
    here[i] = {a_.position[i], a_.radius[i], after[i], {}, 0};
  });
  GuideSet set;
  set.build(here, executor);
  executor.for_each(n, [&](std::size_t i) {
    const Vec3f x = a_.position[i];
    const float h = reach * a_.radius[i];
    Sym3d m;
    Vec3d l{};
    set.for_each_near(x - Vec3f{h, h, h}, x + Vec3f{h, h, h}, [&](const Guide& g) {
      const Vec3f d = g.position - x;
      const float t = 1 - squared_norm(d) / (h * h);
      if (t <= 0) return;
      const Vec3d change(g.displacement - after[i]);
      const Vec3d mid = Vec3d(d) + 0.5 * change;
      const double w = weight(t);
      m = m + Sym3d{mid.x * mid.x, mid.y * mid.y, mid.z * mid.z,
                    mid.x * mid.y, mid.x * mid.z, mid.y * mid.z} *
                  w;
      l += cross(mid, change) * w;
    });
    const double tr = trace(m);
    const Vec3d c = solve({tr - m.xx, tr - m.yy, tr - m.zz, -m.xy, -m.xz, -m.yz}, l);
    const double size = norm(c);
    rotation_[i] = Vec3f(size > 0 ? c * (2 * std::atan(0.5 * size) / size) : c);
  });
}

void BaseInterval::enter_step(int k, const Executor& executor) {
  const double s0 = static_cast<double>(k) / steps_, s1 = static_cast<double>(k + 1) / steps_;
  const float share = 1.0f / static_cast<float>(steps_);
  executor.for_each(guides_.size(), [&](std::size_t i) {
    const Vec3d from = place(i, s0);
    guides_[i] = {Vec3f(from), a_.radius[i], Vec3f(place(i, s1) - from), rotation_[i] * share,
                  falling_[i]};
  });
  base_.build(guides_, executor);
  const double span = b_.info.time - a_.info.time;
  enter_walls(a_.info.time + s0 * span, a_.info.time + s1 * span, executor);
}

void BaseInterval::enter_walls(double t0, double t1, const Executor& executor) {
  step_bodies_.clear();
  wall_guides_.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_.bodies[b];
    const Posed from = bodies_.state_at(b, a_.info, b_.info, t0).pose;
    const Posed to = bodies_.state_at(b, a_.info, b_.info, t1).pose;
    step_bodies_.push_back({body.field.get(),
                            {from.to_world(body.field_offset), from.rotation},
                            {to.to_world(body.field_offset), to.rotation},
                            static_cast<float>(body.friction)});
    const Vec3f turn(turning_rate(from.rotation, to.rotation, 1));
    for (const std::vector<Vec3f>* samples :
         {&body.surface, std::as_const(plane_samples_).data() + b})
      for (const Vec3f& p : *samples) {
        const Vec3d at = from.to_world(Vec3d(p));
        wall_guides_.push_back(
            {Vec3f(at), 0.5f * bodies_.spacing, Vec3f(to.to_world(Vec3d(p)) - at), turn, 0});
      }
  }
  walls_.build(wall_guides_, executor);
}

/// Boundary particles of planes: a square lattice in the plane, only where base particles are near.
void BaseInterval::find_plane_samples(double base_radius) {
  plane_samples_.assign(bodies_.size(), {});
  const double spacing = 2 * base_radius, h = reach * base_radius;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_.bodies[b];
    if (body.shape.kind != ShapeKind::plane) continue;
    std::vector<std::pair<std::int64_t, std::int64_t>> nodes;
    for (const BaseFrame* frame : {&a_, &b_}) {
      const Posed pose = bodies_.state_at(b, a_.info, b_.info, frame->info.time).pose;
      for (const Vec3f& x : frame->position) {
        const Vec3d p = pose.to_body(Vec3d(x)) - body.field_offset;
        if (std::abs(p.z) > h) continue;
        const auto i = std::llround(p.x / spacing), j = std::llround(p.y / spacing);
        for (int di = -2; di <= 2; ++di)
          for (int dj = -2; dj <= 2; ++dj) nodes.emplace_back(j + dj, i + di);
      }
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const auto& [j, i] : nodes)
      plane_samples_[b].push_back(
          Vec3f(body.field_offset +
                Vec3d{static_cast<double>(i) * spacing, static_cast<double>(j) * spacing, 0}));
  }
}

}  // namespace talus::detail
