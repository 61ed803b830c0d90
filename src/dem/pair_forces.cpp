// Two sweeps over a chunk's pairs, eight at a time. The first only asks who touches, from sixteen
// bytes of each sphere, and packs the answers; the second evaluates the laws for those alone, so
// that its lanes are full although most pairs of the list are apart.
//
// Overlaps are differences of nearly equal numbers. Integer positions make the distance vector
// exact, and xi = (s^2 - d^2)/(s + d), with s the sum of radii and the difference in double, keeps
// nine digits of it.
#include "dem/pair_forces.h"

#include <algorithm>
#include <cstring>

namespace talus::dem {

namespace {

constexpr unsigned lanes = wide_width;

struct Offsets {
  WideInt x, y, z;
};

Offsets image_offsets(const StepInput& in, const std::uint32_t* second) {
  Offsets o;
  for (unsigned k = 0; k < lanes; ++k) {
    const auto& shift = in.image_shift[second[k] >> image_bit];
    o.x.v[k] = shift[0];
    o.y.v[k] = shift[1];
    o.z.v[k] = shift[2];
  }
  return o;
}

/// first - second, in quanta.
[[gnu::always_inline]] inline Offsets separation(const StepInput& in, const WideColumns& a,
                                                 const WideColumns& b,
                                                 const std::uint32_t* second) {
  Offsets d{as_integers(a.a) - as_integers(b.a), as_integers(a.b) - as_integers(b.b),
            as_integers(a.c) - as_integers(b.c)};
  if (in.periodic) {
    const Offsets o = image_offsets(in, second);
    d = {d.x + o.x, d.y + o.y, d.z + o.z};
  }
  return d;
}

[[gnu::always_inline]] inline void sphere_numbers(const StepInput& in, const std::uint32_t* second,
                                                  std::uint32_t* out) {
  const std::uint32_t mask = in.periodic ? sphere_mask : ~0u;
  for (unsigned k = 0; k < lanes; ++k) out[k] = second[k] & mask;
}

/// Pairs that touch, or are bridged; those that were idle before start without a memory.
void find_touching(const StepInput& in, ChunkList& list, ChunkForces& out) {
  const Row* centre = in.read->centre.data();
  const bool moist = in.laws->moist();
  out.touching.resize(list.first.size() + lanes);
  std::uint32_t* next = out.touching.data();
  const WideFloat quantum2(in.quantum * in.quantum);
  std::uint32_t second[lanes];
  for (std::uint32_t e = 0; e < list.pairs; e += lanes) {
    sphere_numbers(in, &list.second[e], second);
    const WideColumns a = load_rows(centre, &list.first[e]), b = load_rows(centre, second);
    const Offsets d = separation(in, a, b, &list.second[e]);
    const WideFloat x = to_float(d.x), y = to_float(d.y), z = to_float(d.z);
    const WideFloat d2 = (x * x + y * y + z * z) * quantum2;
    const WideFloat sum = a.d + b.d;
    unsigned now = bits(d2 < sum * sum);
    const unsigned before = list.active[e / lanes];
    if (moist && before != 0) {
      const WideFloat apart = sum + WideFloat(in.laws->reach(1)) * (a.d * b.d / sum);
      now |= before & bits(d2 < apart * apart);
    }
    if (list.pairs - e < lanes) now &= (1u << (list.pairs - e)) - 1;
    if (!list.slide.empty())
      for (unsigned fresh = now & ~before; fresh != 0; fresh &= fresh - 1) {
        const std::uint32_t pair = e + static_cast<unsigned>(std::countr_zero(fresh));
        list.slide[pair] = make_row(0, 0, 0, 0);
        if (!list.turn.empty()) list.turn[pair] = make_row(0, 0, 0, 0);
      }
    list.active[e / lanes] = static_cast<std::uint8_t>(now);
    next += store_set_lanes(now, e, next);
  }
  out.touching.resize(static_cast<std::size_t>(next - out.touching.data()));
}

[[gnu::always_inline]] inline PairLaw<WideFloat> wide_law(const PairLaw<float>& p) {
  return {WideFloat(p.stiffness),  WideFloat(p.damping),         WideFloat(p.shear_ratio),
          WideFloat(p.shear_root), WideFloat(p.shear_viscosity), WideFloat(p.friction),
          WideFloat(p.rolling),    WideFloat(p.capillary),       WideFloat(p.reach)};
}

PairLaw<WideFloat> gather_law(const PairLaws& laws, WideFloat a, WideFloat b) {
  PairLaw<WideFloat> w;
  for (int k = 0; k < wide_width; ++k)
    set_lane(w, k, laws(float_as_bits(a[k]), float_as_bits(b[k])));
  return w;
}

/// Eight pairs' numbers; lanes beyond the last repeat the first and are masked out.
struct Batch {
  std::uint32_t pair[lanes], first[lanes], second[lanes], raw[lanes];
  std::uint32_t grain_a[lanes], grain_b[lanes];
  unsigned count = 0;
};

/// The geometry of eight pairs.
struct Geometry {
  WideVec3 normal;
  WideFloat overlap, radius_a, radius_b;
  WideFloat effective_radius, effective_mass;
};

[[gnu::always_inline]] inline Geometry geometry_of(const StepInput& in, const Batch& batch,
                                                   WideFloat inverse_mass) {
  const Row* centre = in.read->centre.data();
  const WideColumns a = load_rows(centre, batch.first), b = load_rows(centre, batch.second);
  const Offsets d = separation(in, a, b, batch.raw);
  const WideFloat q(in.quantum);
  const WideVec3 x{to_float(d.x) * q, to_float(d.y) * q, to_float(d.z) * q};
  const WideFloat sum = a.d + b.d;
  const WideDoublePair dx = to_double(d.x), dy = to_double(d.y), dz = to_double(d.z);
  const WideDoublePair s = to_double(sum);
  const WideDouble q2(static_cast<double>(in.quantum) * static_cast<double>(in.quantum));
  const auto excess = [&](WideDouble ex, WideDouble ey, WideDouble ez, WideDouble es) {
    return es * es - (ex * ex + ey * ey + ez * ez) * q2;
  };
  const WideFloat difference = to_float(WideDoublePair{excess(dx.low, dy.low, dz.low, s.low),
                                                       excess(dx.high, dy.high, dz.high, s.high)});
  const WideFloat d2 = dot(x, x);
  const WideFloat distance = sqrt(d2 + WideFloat(1e-30f));
  // One division for all of 1/(s + d), 1/s and 1/(1/m_a + 1/m_b).
  const WideFloat reach = sum + distance, one(1.0f);
  const WideFloat inverse = one / (sum * reach * inverse_mass);
  const WideFloat per_length = inverse * inverse_mass;
  return {x * (one / distance),
          difference * (per_length * sum),
          a.d,
          b.d,
          a.d * b.d * (per_length * reach),
          inverse * (sum * reach)};
}

[[gnu::always_inline]] inline void add_forces(const StepInput& in, const ChunkList& list,
                                              const Batch& batch, const WideVec3& force,
                                              WideFloat stiffness, const WideVec3& moment_a,
                                              const WideVec3& moment_b, ChunkForces& out) {
  const WideFloat zero(0.0f);
  const WideRowPairs on_a = to_row_pairs({force.x, force.y, force.z, stiffness},
                                         {moment_a.x, moment_a.y, moment_a.z, zero});
  const WideRowPairs on_b = to_row_pairs({-force.x, -force.y, -force.z, stiffness},
                                         {moment_b.x, moment_b.y, moment_b.z, zero});
  const auto all = static_cast<std::uint32_t>(in.grains->count);
  const auto grains = static_cast<std::uint32_t>(out.grains);
  const bool rough = !in.walls->rough().empty();
  RowPair* rows = out.rows.data();
  for (unsigned k = 0; k < batch.count; ++k) {
    // Grains of other chunks share the slot behind this one's; first spheres are never a body's.
    const std::uint32_t a = std::min(batch.grain_a[k] - list.begin, grains);
    std::uint32_t b = std::min(batch.grain_b[k] - list.begin, grains);
    if (rough && batch.grain_b[k] >= all) b = grains + 1 + (batch.grain_b[k] - all);
    on_a.add_to(rows[a], k);
    on_b.add_to(rows[b], k);
  }
}

[[gnu::always_inline]] inline Slide<WideFloat> load_slides(const ScratchArray<Row>& rows,
                                                           const Batch& batch) {
  const WideColumns w = load_rows(rows.data(), batch.pair);
  return {{w.a, w.b, w.c}, w.d};
}
[[gnu::always_inline]] inline void store_slides(ScratchArray<Row>& to, const Batch& batch,
                                                const Slide<WideFloat>& s) {
  Row rows[lanes];
  to_rows({s.displacement.x, s.displacement.y, s.displacement.z, s.stiffness}, rows);
  for (unsigned k = 0; k < batch.count; ++k) to[batch.pair[k]] = rows[k];
}

/// Takes down the contacts of a batch that belong to the chunk.
[[gnu::noinline]] void record_contacts(const StepInput& in, const ChunkList& list,
                                       const Batch& batch, const WideVec3& arm,
                                       const WideVec3& normal,
                                       const ContactForce<WideFloat>& contact,
                                       std::vector<ContactRecord>& out) {
  for (unsigned lane = 0; lane < batch.count; ++lane) {
    if (batch.pair[lane] >= list.owned) continue;
    const int k = static_cast<int>(lane);
    const bool body = batch.grain_b[lane] >= in.grains->count;
    out.push_back({batch.grain_a[lane],
                   batch.grain_b[lane],
                   batch.first[lane],
                   body ? Grains::none : batch.second[lane],
                   {arm.x[k], arm.y[k], arm.z[k]},
                   {normal.x[k], normal.y[k], normal.z[k]},
                   contact.normal[k] - contact.pull[k],
                   {contact.tangential.x[k], contact.tangential.y[k], contact.tangential.z[k]}});
  }
}

template <NormalLaw normal, TangentialLaw tangential, bool clumps>
[[gnu::always_inline]] inline void evaluate(const StepInput& in, ChunkList& list, Batch& batch,
                                            ChunkForces& out, WideFloat& stiffest) {
  WideVec3 arm_a, arm_b;
  if constexpr (clumps) {
    const WideColumns a = load_rows(in.read->arm.data(), batch.first);
    const WideColumns b = load_rows(in.read->arm.data(), batch.second);
    arm_a = {a.a, a.b, a.c};
    arm_b = {b.a, b.b, b.c};
    std::memcpy(batch.grain_a, &a.d.v, sizeof batch.grain_a);  // numbers, not floats
    std::memcpy(batch.grain_b, &b.d.v, sizeof batch.grain_b);
  } else {
    std::copy_n(batch.first, lanes, batch.grain_a);
    std::copy_n(batch.second, lanes, batch.grain_b);
  }
  const auto [va, wa] = load_rows(in.read->motion.data(), batch.grain_a);
  const auto [vb, wb] = load_rows(in.read->motion.data(), batch.grain_b);
  const WideVec3 spin_a{wa.a, wa.b, wa.c}, spin_b{wb.a, wb.b, wb.c};
  const WideFloat inverse_mass = va.d + vb.d;
  const Geometry g = geometry_of(in, batch, inverse_mass);
  // The contact point lies in the middle of the overlap.
  const WideFloat half_overlap = WideFloat(0.5f) * g.overlap;
  const WideFloat length_a = g.radius_a - half_overlap, length_b = g.radius_b - half_overlap;
  Touch<WideFloat> touch;
  touch.overlap = g.overlap;
  touch.normal = g.normal;
  touch.velocity = {va.a - vb.a, va.b - vb.b, va.c - vb.c};
  if constexpr (clumps) {
    arm_a -= g.normal * length_a;
    arm_b += g.normal * length_b;
    touch.velocity += cross(spin_a, arm_a) - cross(spin_b, arm_b);
  } else {
    arm_a = g.normal * -length_a;
    touch.velocity += cross(g.normal, spin_a * length_a + spin_b * length_b);
  }
  touch.effective_radius = g.effective_radius;
  touch.effective_mass = g.effective_mass;
  const PairLaw<WideFloat> law = in.laws->uniform() && in.walls->rough().empty()
                                     ? wide_law((*in.laws)(0, 0))
                                     : gather_law(*in.laws, wa.d, wb.d);
  Slide<WideFloat> slide{};
  if constexpr (tangential == TangentialLaw::mindlin) slide = load_slides(list.slide, batch);
  const ContactForce<WideFloat> contact =
      contact_force<normal, tangential>(law, touch, WideFloat(in.last_dt), in.laws->moist(), slide);
  if constexpr (tangential == TangentialLaw::mindlin) store_slides(list.slide, batch, slide);
  stiffest = max(stiffest, contact.stiffness * inverse_mass);
  if (out.record != nullptr) [[unlikely]]
    record_contacts(in, list, batch, arm_a, g.normal, contact, *out.record);
  const WideVec3 force = contact.on_i(g.normal);
  WideVec3 moment_a, moment_b;
  if constexpr (clumps) {
    moment_a = cross(arm_a, force);
    moment_b = cross(force, arm_b);
  } else {
    const WideVec3 moment = cross(force, g.normal);
    moment_a = moment * length_a;
    moment_b = moment * length_b;
  }
  if (in.laws->rolls()) {
    WideVec3 rolling;
    if constexpr (tangential == TangentialLaw::mindlin) {
      Slide<WideFloat> turn = load_slides(list.turn, batch);
      rolling = stored_rolling(law, touch, contact, spin_a - spin_b, WideFloat(in.last_dt), turn);
      store_slides(list.turn, batch, turn);
    } else {
      rolling = rolling_moment(law, touch, contact, spin_a - spin_b);
    }
    moment_a += rolling;
    moment_b -= rolling;
  }
  add_forces(in, list, batch, force, contact.stiffness, moment_a, moment_b, out);
}

template <NormalLaw normal, TangentialLaw tangential, bool clumps>
void chunk_forces(const StepInput& in, ChunkList& list, ChunkForces& out, ContactTally& tally) {
  find_touching(in, list, out);
  const std::size_t n = out.touching.size();
  WideFloat stiffest(0.0f);
  Batch batch;
  for (std::size_t start = 0; start < n; start += lanes) {
    batch.count = static_cast<unsigned>(std::min<std::size_t>(lanes, n - start));
    for (unsigned k = 0; k < lanes; ++k) {
      const std::uint32_t pair = out.touching[start + (k < batch.count ? k : 0)];
      batch.pair[k] = pair;
      batch.first[k] = list.first[pair];
      batch.raw[k] = list.second[pair];
    }
    sphere_numbers(in, batch.raw, batch.second);
    evaluate<normal, tangential, clumps>(in, list, batch, out, stiffest);
  }
  tally.stiffest = std::max(tally.stiffest, max_lane(stiffest));
  // Pairs shared with chunks before count there.
  tally.contacts += static_cast<std::uint64_t>(
      std::lower_bound(out.touching.begin(), out.touching.end(), list.owned) -
      out.touching.begin());
}

template <NormalLaw normal, TangentialLaw tangential>
PairForces by_shape(bool clumps) {
  return clumps ? chunk_forces<normal, tangential, true> : chunk_forces<normal, tangential, false>;
}
template <NormalLaw normal>
PairForces by_tangential(TangentialLaw tangential, bool clumps) {
  return tangential == TangentialLaw::mindlin ? by_shape<normal, TangentialLaw::mindlin>(clumps)
                                              : by_shape<normal, TangentialLaw::viscous>(clumps);
}

}  // namespace

PairForces pair_forces(NormalLaw normal, TangentialLaw tangential, bool clumps) {
  switch (normal) {
    case NormalLaw::linear: return by_tangential<NormalLaw::linear>(tangential, clumps);
    case NormalLaw::alduan2009: return by_tangential<NormalLaw::alduan2009>(tangential, clumps);
    case NormalLaw::hertz: break;
  }
  return by_tangential<NormalLaw::hertz>(tangential, clumps);
}

}  // namespace talus::dem
