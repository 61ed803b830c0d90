#include "dem/motion.h"

#include <algorithm>

namespace talus::dem {

namespace {

constexpr std::size_t lanes = wide_double_width;
using WideVec3d = Vec3<WideDouble>;
using WideQuat = Quat<WideDouble>;

WideVec3d load3(const std::array<ScratchArray<double>, 3>& a, std::size_t i) {
  return {load_wide(&a[0][i]), load_wide(&a[1][i]), load_wide(&a[2][i])};
}
void store3(std::array<ScratchArray<double>, 3>& a, std::size_t i, const WideVec3d& v) {
  store_wide(&a[0][i], v.x);
  store_wide(&a[1][i], v.y);
  store_wide(&a[2][i], v.z);
}
WideDouble widen(const float* p) { return load_widened(p); }
WideDouble norm2(const WideVec3d& a) { return dot(a, a); }

struct Turn {
  WideVec3d row[3];
  WideVec3d to_world(const WideVec3d& b) const {
    return {dot(row[0], b), dot(row[1], b), dot(row[2], b)};
  }
  WideVec3d to_body(const WideVec3d& w) const { return row[0] * w.x + row[1] * w.y + row[2] * w.z; }
};
[[gnu::always_inline]] inline Turn turn_of(const WideQuat& q) {
  const WideDouble one(1.0), two(2.0);
  const WideDouble xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z,
                   yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{one - two * (yy + zz), two * (xy - wz), two * (xz + wy)},
           {two * (xy + wz), one - two * (xx + zz), two * (yz - wx)},
           {two * (xz - wy), two * (yz + wx), one - two * (xx + yy)}}};
}
/// Back to length 1, from which one step leads away by (omega dt / 2)^2 at most: two steps of
/// Newton's, without a root, unless that is much.
WideQuat unit(const WideQuat& q) {
  const WideDouble n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  const WideDouble a(1.5), half_n = WideDouble(0.5) * n;
  WideDouble s = a - half_n;
  s = s * (a - half_n * s * s);
  const WideDouble off = max(n - WideDouble(1.0), WideDouble(1.0) - n);
  if (std::max({off[0], off[1], off[2], off[3]}) > 0.01) s = WideDouble(1.0) / sqrt(n);
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}

/// Turns the body about its principal axis, by Cayley's approximation of `angle`; momentum stays in
/// the world and so turns back in the body.
template <int axis>
void turn_about(WideDouble angle, WideQuat& q, WideVec3d& l) {
  const WideDouble t = angle * WideDouble(0.5), one(1.0);
  const WideDouble s = one / (one + t * t);
  const WideDouble c = (one - t * t) * s, sine = (t + t) * s;
  if constexpr (axis == 0) {
    q = {q.w - q.x * t, q.x + q.w * t, q.y + q.z * t, q.z - q.y * t};
    l = {l.x, c * l.y + sine * l.z, c * l.z - sine * l.y};
  } else if constexpr (axis == 1) {
    q = {q.w - q.y * t, q.x - q.z * t, q.y + q.w * t, q.z + q.x * t};
    l = {c * l.x - sine * l.z, l.y, c * l.z + sine * l.x};
  } else {
    q = {q.w - q.z * t, q.x + q.y * t, q.y - q.x * t, q.z + q.w * t};
    l = {c * l.x + sine * l.y, c * l.y - sine * l.x, l.z};
  }
}

[[gnu::always_inline]] inline WideQuat rotated_freely(const WideQuat& start,
                                                      const WideVec3d& l_world,
                                                      const WideVec3d& inverse, WideDouble dt,
                                                      bool isotropic) {
  WideQuat q = start;
  if (isotropic) {
    const WideVec3d t = l_world * (inverse.x * dt * WideDouble(0.5));
    return unit({q.w - t.x * q.x - t.y * q.y - t.z * q.z, q.x + t.x * q.w + t.y * q.z - t.z * q.y,
                 q.y - t.x * q.z + t.y * q.w + t.z * q.x, q.z + t.x * q.y - t.y * q.x + t.z * q.w});
  }
  WideVec3d l = turn_of(q).to_body(l_world);
  const WideDouble half = dt * WideDouble(0.5);
  turn_about<0>(l.x * inverse.x * half, q, l);
  turn_about<1>(l.y * inverse.y * half, q, l);
  turn_about<2>(l.z * inverse.z * dt, q, l);
  turn_about<1>(l.y * inverse.y * half, q, l);
  turn_about<0>(l.x * inverse.x * half, q, l);
  return unit(q);
}

/// What one group of four writes: spheres' and grains' records.
struct Group {
  std::size_t first = 0, count = 0;
  WideVec3d x, velocity, spin;
  WideQuat q;  ///< of clumps
};

[[gnu::always_inline]] inline void write_grain_rows(const Grains& grains, const Group& g,
                                                    Records& write) {
  Row v[lanes], w[lanes];
  RowFloatBits surface;
  __builtin_memcpy(&surface, &grains.shape[g.first], sizeof surface);
  to_rows(narrowed(g.velocity.x), narrowed(g.velocity.y), narrowed(g.velocity.z),
          load_four(&grains.inverse_mass[g.first]), &v[0], &v[1], &v[2], &v[3]);
  to_rows(narrowed(g.spin.x), narrowed(g.spin.y), narrowed(g.spin.z), surface, &w[0], &w[1], &w[2],
          &w[3]);
  RowPair* out = &write.motion[g.first];
  if (g.count == lanes) {
    for (std::size_t k = 0; k < lanes; ++k) out[k] = {v[k], w[k]};
  } else {
    for (std::size_t k = 0; k < g.count; ++k) out[k] = {v[k], w[k]};
  }
}

/// Four centres, as integers on the circle.
[[gnu::always_inline]] inline void centre_rows(const WideVec3d& at, WideDouble radius,
                                               double per_quantum, Row* out) {
  const WideDouble scale(per_quantum);
  const auto whole = [&](const WideDouble& a) -> Row {
    return {(RowFloatBits)wrapped_integers(a * scale)};
  };
  to_rows(whole(at.x).v, whole(at.y).v, whole(at.z).v, narrowed(radius), &out[0], &out[1], &out[2],
          &out[3]);
}

/// Of four single spheres, whose numbers are their grains'.
[[gnu::always_inline]] inline void write_single_spheres(const Grains& grains, const Group& g,
                                                        double per_quantum, Records& write) {
  const WideDouble radius = WideDouble(0.5) * widen(&grains.size[g.first]);
  Row* out = &write.centre[g.first];
  if (g.count == lanes) return centre_rows(g.x, radius, per_quantum, out);
  Row rows[lanes];
  centre_rows(g.x, radius, per_quantum, rows);
  for (std::size_t k = 0; k < g.count; ++k) out[k] = rows[k];
}

/// Centres of the spheres, and either their arms or the grains' places.
[[gnu::always_inline]] inline void write_sphere_rows(const ShapeTable& shapes, const Grains& grains,
                                                     const Group& g, double per_quantum, bool arms,
                                                     Records& write) {
  const WideDouble size = widen(&grains.size[g.first]);
  if (!arms) {
    Row places[lanes];
    centre_rows(g.x, size, per_quantum, places);
    for (std::size_t k = 0; k < g.count; ++k) write.place[g.first + k] = places[k];
  }
  std::size_t balls[lanes], first[lanes], most = 0;
  bool same = true;
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::uint32_t shape = grains.shape[g.first + k];
    first[k] = shapes.first[shape];
    balls[k] = k < g.count ? shapes.count(shape) : 0;
    most = std::max(most, balls[k]);
    same &= first[k] == first[0];
  }
  const Turn turn = shapes.clumps ? turn_of(g.q) : Turn{};
  for (std::size_t b = 0; b < most; ++b) {
    WideVec3d local;
    WideDouble radius;
    const ShapeBall& one = shapes.balls[first[0] + (same || b < balls[0] ? b : 0)];
    local = {WideDouble(one.x), WideDouble(one.y), WideDouble(one.z)};
    radius = WideDouble(one.radius);
    if (!same) {
      for (int k = 1; k < wide_double_width; ++k) {
        const auto lane = static_cast<std::size_t>(k);
        const ShapeBall& ball = shapes.balls[first[lane] + (b < balls[lane] ? b : 0)];
        local.x.set(k, ball.x);
        local.y.set(k, ball.y);
        local.z.set(k, ball.z);
        radius.set(k, ball.radius);
      }
    }
    WideVec3d arm{WideDouble(0.0), WideDouble(0.0), WideDouble(0.0)};
    if (shapes.clumps) arm = turn.to_world(local * size);
    const WideVec3d at = g.x + arm;
    Row c[lanes], a[lanes];
    centre_rows(at, radius * size, per_quantum, c);
    for (std::size_t k = 0; k < lanes; ++k)
      if (b < balls[k]) write.centre[grains.first_sphere[g.first + k] + b] = c[k];
    if (!arms) continue;
    to_rows(arm.x, arm.y, arm.z, WideDouble(0.0), &a[0], &a[1], &a[2], &a[3]);
    for (std::size_t k = 0; k < lanes; ++k) {
      if (b >= balls[k]) continue;
      a[k].v[3] = bits_as_float(static_cast<std::uint32_t>(g.first + k));
      write.arm[grains.first_sphere[g.first + k] + b] = a[k];
    }
  }
}

struct Forces {
  WideVec3d force, moment;
};
[[gnu::always_inline]] inline Forces load_forces(const ChunkForces& forces, std::size_t local,
                                                 std::size_t count) {
  RowPair last[lanes];
  const RowPair* r = &forces.rows[local];
  if (count < lanes) {
    const RowPair none{make_row(0, 0, 0, 0), make_row(0, 0, 0, 0)};
    for (std::size_t k = 0; k < lanes; ++k) last[k] = k < count ? r[k] : none;
    r = last;
  }
  const WideDoubleColumns a = rows_to_double(r[0].first, r[1].first, r[2].first, r[3].first);
  const WideDoubleColumns b = rows_to_double(r[0].second, r[1].second, r[2].second, r[3].second);
  return {{a.a, a.b, a.c}, {b.a, b.b, b.c}};
}

WideVec3d broadcast(const Vec3d& a) { return {WideDouble(a.x), WideDouble(a.y), WideDouble(a.z)}; }

/// Air resistance: (coefficient/2) rho A |u| u over the mass, u relative to the wind.
WideVec3d drag_acceleration(const MotionInput& in, const WideVec3d& v, WideDouble inverse_mass,
                            WideDouble size) {
  const WideVec3d u = v - broadcast(in.wind);
  return u * -(WideDouble(in.drag) * size * size * inverse_mass * sqrt(norm2(u)));
}

bool all_isotropic(const ShapeTable& shapes, const Grains& grains, std::size_t first) {
  bool yes = true;
  for (std::size_t k = 0; k < lanes; ++k) yes &= shapes.isotropic[grains.shape[first + k]] != 0;
  return yes;
}

/// Turn and angular velocity of single spheres; `l` is half a step ahead, `ahead` a whole one.
[[gnu::always_inline]] inline void turn_spheres(const MotionInput& in, Grains& grains,
                                                const WideVec3d& l, const WideVec3d& ahead,
                                                Group& g) {
  const WideDouble inverse = widen(&grains.inverse_inertia[0][g.first]);
  const WideDouble angle = inverse * WideDouble(in.dt);
  const auto add = [&](std::size_t axis, const WideDouble& part) {
    float* sum = &grains.turned[axis][g.first];
    const RowFloatBits now = load_four(sum) + narrowed(part * angle);
    __builtin_memcpy(sum, &now, sizeof now);
  };
  add(0, l.x);
  add(1, l.y);
  add(2, l.z);
  g.spin = ahead * inverse;
}

[[gnu::always_inline]] inline void turn_clumps(const MotionInput& in, const ShapeTable& shapes,
                                               Grains& grains, const WideVec3d& l,
                                               const WideVec3d& ahead, Group& g) {
  const std::size_t i = g.first;
  const WideVec3d inverse{widen(&grains.inverse_inertia[0][i]),
                          widen(&grains.inverse_inertia[1][i]),
                          widen(&grains.inverse_inertia[2][i])};
  const bool isotropic = all_isotropic(shapes, grains, i);
  const WideQuat q0{load_wide(&grains.q[0][i]), load_wide(&grains.q[1][i]),
                    load_wide(&grains.q[2][i]), load_wide(&grains.q[3][i])};
  g.q = rotated_freely(q0, l, inverse, WideDouble(in.dt), isotropic);
  store_wide(&grains.q[0][i], g.q.w);
  store_wide(&grains.q[1][i], g.q.x);
  store_wide(&grains.q[2][i], g.q.y);
  store_wide(&grains.q[3][i], g.q.z);
  if (isotropic) {
    g.spin = ahead * inverse.x;
  } else {
    const Turn turn = turn_of(g.q);
    const WideVec3d b = turn.to_body(ahead);
    g.spin = turn.to_world({b.x * inverse.x, b.y * inverse.y, b.z * inverse.z});
  }
}

template <bool clumps>
[[gnu::always_inline]] inline void move_group(const MotionInput& in, const ShapeTable& shapes,
                                              Grains& grains, const Forces& f, Group& g) {
  const std::size_t i = g.first;
  const WideDouble dt(in.dt), kick(0.5 * (in.dt + in.last_dt)), half(0.5 * in.dt);
  const WideDouble inverse_mass = widen(&grains.inverse_mass[i]);
  WideVec3d v = load3(grains.v, i);
  WideVec3d a = f.force * inverse_mass + broadcast(in.gravity);
  if (in.drag > 0) a += drag_acceleration(in, v, inverse_mass, widen(&grains.size[i]));
  v += a * kick;
  WideVec3d l = in.forget_spin ? f.moment * dt : load3(grains.l, i) + f.moment * kick;
  if (in.low_speed_damping > 0) {
    const WideDoubleBits keep = WideDouble(1 - std::min(1.0, in.low_speed_damping * in.dt)).v;
    const WideDoubleBits one = WideDouble(1.0).v;
    const WideDouble factor(norm2(v).v < WideDouble(in.low_speed * in.low_speed).v ? keep : one);
    v *= factor;
    l *= factor;
  }
  g.x = load3(grains.x, i) + v * dt;
  g.velocity = v + a * half;
  store3(grains.x, i, g.x);
  store3(grains.v, i, v);
  store3(grains.l, i, l);
  const WideVec3d ahead = in.forget_spin ? l : l + f.moment * half;
  if constexpr (clumps)
    turn_clumps(in, shapes, grains, l, ahead, g);
  else
    turn_spheres(in, grains, l, ahead, g);
}

/// Lanes behind the last grain must not fall for ever.
void still_padding(Grains& grains, Group& g) {
  for (std::size_t k = g.count; k < lanes; ++k) {
    const int lane = static_cast<int>(k);
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<std::size_t>(c);
      grains.x[axis][g.first + k] = grains.v[axis][g.first + k] = 0;
      g.x[c].set(lane, 0);
      g.velocity[c].set(lane, 0);
    }
  }
}

template <bool clumps>
void move_chunk(const MotionInput& in, const ShapeTable& shapes, Grains& grains,
                const ChunkList& list, const ChunkForces& forces, Records& write,
                MotionTally& tally) {
  WideDouble speed2(0.0), spin2(0.0), finite(0.0), speed_wear2(0.0), spin_wear2(0.0);
  for (std::size_t i = list.begin; i < list.end; i += lanes) {
    Group g;
    g.first = i;
    g.count = std::min<std::size_t>(lanes, list.end - i);
    const Forces f = load_forces(forces, i - list.begin, g.count);
    move_group<clumps>(in, shapes, grains, f, g);
    if (g.count < lanes) still_padding(grains, g);
    if constexpr (clumps)
      write_sphere_rows(shapes, grains, g, in.per_quantum, in.arms, write);
    else
      write_single_spheres(grains, g, in.per_quantum, write);
    write_grain_rows(grains, g, write);
    const WideDouble v2 = norm2(g.velocity), w2 = norm2(g.spin);
    speed2 = max(speed2, v2);
    spin2 = max(spin2, w2);
    const WideDouble skin = widen(&grains.skin[i]), per_skin2 = WideDouble(1.0) / (skin * skin);
    speed_wear2 = max(speed_wear2, v2 * per_skin2);
    spin_wear2 = max(spin_wear2, w2 * per_skin2);
    finite += v2 + w2 + g.x.x + g.x.y + g.x.z;
  }
  for (int k = 0; k < wide_double_width; ++k) {
    tally.speed2 = std::max(tally.speed2, speed2[k]);
    tally.spin2 = std::max(tally.spin2, spin2[k]);
    tally.speed_wear2 = std::max(tally.speed_wear2, speed_wear2[k]);
    tally.spin_wear2 = std::max(tally.spin_wear2, spin_wear2[k]);
    tally.finite += finite[k];
  }
}

}  // namespace

void move_grains(const MotionInput& in, const ShapeTable& shapes, Grains& grains,
                 const ChunkList& list, const ChunkForces& forces, Records& write,
                 MotionTally& tally) {
  if (shapes.clumps)
    move_chunk<true>(in, shapes, grains, list, forces, write, tally);
  else
    move_chunk<false>(in, shapes, grains, list, forces, write, tally);
}

void write_records(const ShapeTable& shapes, const Grains& grains, std::size_t begin,
                   std::size_t end, double per_quantum, bool arms, Records& write) {
  for (std::size_t i = begin; i < end; i += lanes) {
    Group g;
    g.first = i;
    g.count = std::min<std::size_t>(lanes, end - i);
    g.x = load3(grains.x, i);
    g.q = {load_wide(&grains.q[0][i]), load_wide(&grains.q[1][i]), load_wide(&grains.q[2][i]),
           load_wide(&grains.q[3][i])};
    write_sphere_rows(shapes, grains, g, per_quantum, arms, write);
  }
}

}  // namespace talus::dem
