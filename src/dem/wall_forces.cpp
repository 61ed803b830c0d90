// A face acts like a sphere of infinite radius: R* is the sphere's own, m* the grain's (reduced by
// a dynamic body's mass). The contact point is the foot of the sphere's centre on the surface.
#include "dem/wall_forces.h"

#include <algorithm>
#include <array>

namespace talus::dem {

namespace {

constexpr std::size_t lanes = wide_width;
constexpr std::size_t batch = 64;

/// Eight contacts with one face, collected one by one.
struct Lanes {
  std::array<std::array<float, lanes>, 3> normal, velocity, arm, spin;
  std::array<float, lanes> overlap, radius, inverse_mass, surface;
  std::array<std::uint32_t, lanes> entry, grain;
  std::array<Vec3d, lanes> point;
  std::size_t count = 0;
};

WideVec3 wide(const std::array<std::array<float, lanes>, 3>& a) {
  return {load_wide(a[0].data()), load_wide(a[1].data()), load_wide(a[2].data())};
}
void put(std::array<std::array<float, lanes>, 3>& a, std::size_t k, const Vec3f& v) {
  a[0][k] = v.x;
  a[1][k] = v.y;
  a[2][k] = v.z;
}
Vec3f xyz(const Row& r) { return {r.v[0], r.v[1], r.v[2]}; }

/// From the grain's centre to that of its sphere.
Vec3f arm_of(const StepInput& in, std::uint32_t sphere, std::uint32_t grain) {
  if (!in.shapes->clumps) return {};
  if (in.stored_arms) return xyz(in.read->arm[sphere]);
  const Row &c = in.read->centre[sphere], &p = in.read->place[grain];
  const auto part = [&](int axis) {
    const std::uint32_t steps = float_as_bits(c.v[axis]) - float_as_bits(p.v[axis]);
    return static_cast<float>(static_cast<std::int32_t>(steps)) * in.quantum;
  };
  return {part(0), part(1), part(2)};
}

struct Candidate {
  std::uint32_t sphere, grain;
  Vec3d point;
};

void add_lane(const StepInput& in, const Body& body, const Candidate& c, const WallDistance& d,
              double radius, std::uint32_t entry, std::uint32_t begin, Lanes& out) {
  const std::size_t k = out.count++;
  const Vec3d foot = c.point - Vec3d(d.normal) * d.distance;
  const auto& [v, w] = in.read->motion[c.grain];
  const Vec3f arm(foot - in.grains->position(c.grain));
  const Vec3f spin = xyz(w) - Vec3f(body.state.angular_velocity);
  put(out.normal, k, d.normal);
  put(out.velocity, k, xyz(v) + cross(xyz(w), arm) - Vec3f(velocity_at(body.state, foot)));
  put(out.arm, k, arm);
  put(out.spin, k, spin);
  out.overlap[k] = static_cast<float>(radius - d.distance);
  out.radius[k] = static_cast<float>(radius);
  const bool dynamic = body.motion == BodyMotion::dynamic && body.mass > 0;
  out.inverse_mass[k] = v.v[3] + (dynamic ? static_cast<float>(1 / body.mass) : 0.0f);
  out.surface[k] = w.v[3];
  out.entry[k] = entry;
  out.grain[k] = c.grain - begin;
  out.point[k] = foot;
}

PairLaw<WideFloat> law_of(const StepInput& in, const Lanes& l, std::size_t body) {
  PairLaw<WideFloat> w;
  for (int k = 0; k < wide_width; ++k)
    set_lane(w, k,
             (*in.laws)(float_as_bits(l.surface[static_cast<std::size_t>(k)]),
                        in.laws->body_surface(body)));
  return w;
}

Slide<WideFloat> load_slides(const ScratchArray<Row>& rows, const Lanes& l) {
  const WideColumns w = load_rows(rows.data(), l.entry.data());
  return {{w.a, w.b, w.c}, w.d};
}
void store_slides(ScratchArray<Row>& to, const Lanes& l, const Slide<WideFloat>& s) {
  Row rows[lanes];
  to_rows({s.displacement.x, s.displacement.y, s.displacement.z, s.stiffness}, rows);
  for (std::size_t k = 0; k < l.count; ++k) to[l.entry[k]] = rows[k];
}

template <NormalLaw normal, TangentialLaw tangential>
void evaluate(const StepInput& in, ChunkList& list, std::uint32_t body_index, Lanes& l,
              ChunkForces& out, ContactTally& tally) {
  if (l.count == 0) return;
  for (std::size_t k = l.count; k < lanes; ++k) {  // repeat the first, and never use it
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<std::size_t>(c);
      l.normal[axis][k] = l.normal[axis][0];
      l.velocity[axis][k] = l.velocity[axis][0];
      l.arm[axis][k] = l.arm[axis][0];
      l.spin[axis][k] = l.spin[axis][0];
    }
    l.overlap[k] = l.overlap[0];
    l.radius[k] = l.radius[0];
    l.inverse_mass[k] = l.inverse_mass[0];
    l.surface[k] = l.surface[0];
    l.entry[k] = l.entry[0];
  }
  const WideFloat inverse_mass = load_wide(l.inverse_mass.data());
  const Touch<WideFloat> touch{load_wide(l.overlap.data()), wide(l.normal), wide(l.velocity),
                               load_wide(l.radius.data()), WideFloat(1.0f) / inverse_mass};
  const PairLaw<WideFloat> law = law_of(in, l, body_index);
  Slide<WideFloat> slide{};
  if constexpr (tangential == TangentialLaw::mindlin) slide = load_slides(list.wall_slide, l);
  const ContactForce<WideFloat> contact =
      contact_force<normal, tangential>(law, touch, WideFloat(in.last_dt), in.laws->moist(), slide);
  if constexpr (tangential == TangentialLaw::mindlin) store_slides(list.wall_slide, l, slide);
  const WideVec3 force = contact.on_i(touch.normal);
  WideVec3 rolling{};
  if (in.laws->rolls()) {
    if constexpr (tangential == TangentialLaw::mindlin) {
      Slide<WideFloat> turn = load_slides(list.wall_turn, l);
      rolling = stored_rolling(law, touch, contact, wide(l.spin), WideFloat(in.last_dt), turn);
      store_slides(list.wall_turn, l, turn);
    } else {
      rolling = rolling_moment(law, touch, contact, wide(l.spin));
    }
  }
  const WideVec3 moment = cross(wide(l.arm), force) + rolling;
  tally.stiffest = std::max(tally.stiffest, max_lane(contact.stiffness * inverse_mass));
  tally.contacts += l.count;
  const Body& body = in.walls->bodies()[body_index];
  const std::size_t body_slot = out.grains + 1 + body_index;
  for (std::size_t lane = 0; lane < l.count; ++lane) {
    const int k = static_cast<int>(lane);
    const Vec3f f{force.x[k], force.y[k], force.z[k]};
    const Row row = make_row(f.x, f.y, f.z, 0);
    out.add(l.grain[lane], row, make_row(moment.x[k], moment.y[k], moment.z[k], 0));
    const Vec3f arm(l.point[lane] - body.state.pose.position);
    const Vec3f m = cross(arm, -f) - Vec3f{rolling.x[k], rolling.y[k], rolling.z[k]};
    out.add(body_slot, make_row(-f.x, -f.y, -f.z, contact.stiffness[k]),
            make_row(m.x, m.y, m.z, 0));
    if (out.record != nullptr)
      out.record->push_back(
          {list.begin + l.grain[lane],
           static_cast<std::uint32_t>(in.grains->count) + body_index,
           list.wall_sphere[l.entry[lane]],
           Grains::none,
           {l.arm[0][lane], l.arm[1][lane], l.arm[2][lane]},
           {l.normal[0][lane], l.normal[1][lane], l.normal[2][lane]},
           contact.normal[k] - contact.pull[k],
           {contact.tangential.x[k], contact.tangential.y[k], contact.tangential.z[k]}});
  }
  l.count = 0;
}

/// A contact that begins has no memory.
void forget(ChunkList& list, std::uint32_t entry) {
  list.wall_slide[entry] = make_row(0, 0, 0, 0);
  if (!list.wall_turn.empty()) list.wall_turn[entry] = make_row(0, 0, 0, 0);
}

template <NormalLaw normal, TangentialLaw tangential>
void face_forces(const StepInput& in, const WallFace& face, std::uint32_t from, std::uint32_t to,
                 ChunkList& list, ChunkForces& out, ContactTally& tally) {
  std::array<Candidate, batch> candidates;
  std::array<Vec3d, batch> points;
  std::array<WallDistance, batch> distance;
  Lanes l;
  const Body& body = in.walls->bodies()[face.body];
  for (std::uint32_t start = from; start < to; start += batch) {
    const std::size_t n = std::min<std::size_t>(batch, to - start);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t s = list.wall_sphere[start + k];
      const std::uint32_t grain = in.owner[s];
      points[k] = in.grains->position(grain) + Vec3d(arm_of(in, s, grain));
      candidates[k] = {s, grain, points[k]};
    }
    in.walls->distances(face, {points.data(), n}, {distance.data(), n});
    for (std::size_t k = 0; k < n; ++k) {
      const auto entry = static_cast<std::uint32_t>(start + k);
      const double radius = in.read->centre[candidates[k].sphere].v[3];
      const double reach = list.wall_active[entry] != 0 ? in.laws->reach(1) * radius : 0;
      const bool touches = distance[k].distance < radius + reach;
      if (touches && list.wall_active[entry] == 0 && !list.wall_slide.empty()) forget(list, entry);
      list.wall_active[entry] = touches ? 1 : 0;
      if (!touches) continue;
      add_lane(in, body, candidates[k], distance[k], radius, entry, list.begin, l);
      if (l.count == lanes) evaluate<normal, tangential>(in, list, face.body, l, out, tally);
    }
  }
  evaluate<normal, tangential>(in, list, face.body, l, out, tally);
}

template <NormalLaw normal, TangentialLaw tangential>
void all_faces(const StepInput& in, ChunkList& list, ChunkForces& out, ContactTally& tally) {
  const auto& faces = in.walls->faces();
  for (std::size_t f = 0; f < faces.size(); ++f)
    face_forces<normal, tangential>(in, faces[f], list.wall_starts[f], list.wall_starts[f + 1],
                                    list, out, tally);
}

template <NormalLaw normal>
WallForces by_tangential(TangentialLaw tangential) {
  return tangential == TangentialLaw::mindlin ? all_faces<normal, TangentialLaw::mindlin>
                                              : all_faces<normal, TangentialLaw::viscous>;
}

}  // namespace

WallForces wall_forces(NormalLaw normal, TangentialLaw tangential) {
  switch (normal) {
    case NormalLaw::linear: return by_tangential<NormalLaw::linear>(tangential);
    case NormalLaw::alduan2009: return by_tangential<NormalLaw::alduan2009>(tangential);
    case NormalLaw::hertz: break;
  }
  return by_tangential<NormalLaw::hertz>(tangential);
}

}  // namespace talus::dem
