// The laws are evaluated for eight pairs at a time. Pairs that touched when the list was made come
// in the order of the list; those of them that have parted get no force and forget, lane by lane.
// Of the pairs that were apart, a first sweep asks who touches, from sixteen bytes of each sphere,
// and packs the answers, so that the lanes of the second are full.
#include "dem/pair_forces.h"

#include "dem/pair_batch.h"

#include <algorithm>
#include <bit>

namespace talus::dem {

namespace {

constexpr unsigned lanes = wide_width;

/// How to come from a sphere to its grain: it is the grain; by a record of the sphere; by the
/// grain's place, which saves reading and writing those records.
enum class Arms { none, stored, derived };

/// What the code is made for. `plain`: see is_plain; and nobody takes down the contacts.
struct Case {
  NormalLaw normal;
  TangentialLaw tangential;
  Arms arms;
  bool plain;
};

/// Touching pairs of [begin, end), and bridged ones; those that were idle start without a memory.
void find_touching(const StepInput& in, std::uint32_t begin, std::uint32_t end, ChunkList& list,
                   ChunkForces& out) {
  const Row* centre = in.read->centre.data();
  const bool moist = in.laws->moist();
  out.touching.resize(end - begin + 2 * lanes);
  std::uint32_t* next = out.touching.data();
  const WideFloat quantum2(in.quantum * in.quantum);
  for (std::uint32_t e = begin; e < end; e += lanes) {
    const PairBatch batch(in, load_integers(&list.first[e]), load_integers(&list.second[e]),
                          end - e);
    const WideColumns a = load_rows(centre, batch.at_first), b = load_rows(centre, batch.at_second);
    const Offsets d = separation(in, batch, a, b);
    const WideFloat x = to_float(d.x), y = to_float(d.y), z = to_float(d.z);
    const WideFloat d2 = (x * x + y * y + z * z) * quantum2;
    const WideFloat sum = a.d + b.d;
    unsigned now = bits((d2 < sum * sum) & batch.valid);
    const unsigned before = list.active[e / lanes];
    if ((now | before) == 0) continue;
    if (moist && before != 0) {
      const WideFloat apart = sum + WideFloat(in.laws->reach(1)) * (a.d * b.d / sum);
      now |= before & bits((d2 < apart * apart) & batch.valid);
    }
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

/// Where a batch keeps its memory: eight rows one after the other, or anywhere.
struct Consecutive {
  std::uint32_t start;
  Slide<WideFloat> load(const ScratchArray<Row>& rows) const {
    const WideColumns w = load_rows(&rows[start]);
    return {{w.a, w.b, w.c}, w.d};
  }
  void store(ScratchArray<Row>& rows, const Slide<WideFloat>& s) const {
    to_rows({s.displacement.x, s.displacement.y, s.displacement.z, s.stiffness}, &rows[start]);
  }
};
struct Scattered {
  const std::uint32_t* pair;
  std::size_t count;
  Slide<WideFloat> load(const ScratchArray<Row>& rows) const {
    const WideColumns w = load_rows(rows.data(), pair);
    return {{w.a, w.b, w.c}, w.d};
  }
  void store(ScratchArray<Row>& to, const Slide<WideFloat>& s) const {
    Row rows[lanes];
    to_rows({s.displacement.x, s.displacement.y, s.displacement.z, s.stiffness}, rows);
    for (std::size_t k = 0; k < count; ++k) to[pair[k]] = rows[k];
  }
};

/// What the stages below hand on. They take several batches each before the next stage begins:
/// one batch after the other through all of them is a chain of four roots and three divisions, too
/// long for the processor to see the beginning of the next one.
struct Contacts {
  WideInt first, second;
  RowPlaces grain_a, grain_b;
  WideMask valid;
  Touch<WideFloat> touch;
  WideFloat inverse_mass;
  WideFloat length_a, length_b;        ///< of single spheres: centre to contact point
  WideVec3 arm_a, arm_b;               ///< of clumps: grain's centre to contact point
  WideVec3 spin;                       ///< of a relative to b
  WideFloat surface_a, surface_b;      ///< their numbers
  WideVec3 force, moment_a, moment_b;  ///< on a; on each
  WideFloat stiffness;
};
constexpr std::size_t block = 8;

/// First stage: where and how fast the pairs meet.
template <Case c>
[[gnu::always_inline]] inline void approach(const StepInput& in, const PairBatch& batch,
                                            Contacts& out) {
  out.first = batch.first;
  out.second = batch.second;
  out.valid = batch.valid;
  if constexpr (c.arms == Arms::none) {
    out.grain_a = batch.at_first;
    out.grain_b = batch.at_second;
  } else if constexpr (c.arms == Arms::stored) {
    const WideColumns a = load_rows(in.read->arm.data(), batch.at_first);
    const WideColumns b = load_rows(in.read->arm.data(), batch.at_second);
    out.arm_a = {a.a, a.b, a.c};
    out.arm_b = {b.a, b.b, b.c};
    out.grain_a = RowPlaces(as_integers(a.d));
    out.grain_b = RowPlaces(as_integers(b.d));
  } else {
    out.grain_a = RowPlaces(batch.first >> in.shapes->grain_shift);
    out.grain_b = RowPlaces(batch.second >> in.shapes->grain_shift);
  }
  const RowPair* motion = in.read->motion.data();
  const auto [va, wa] = load_rows(motion, out.grain_a);
  const auto [vb, wb] = load_rows(motion, out.grain_b);
  const WideVec3 spin_a{wa.a, wa.b, wa.c}, spin_b{wb.a, wb.b, wb.c};
  out.inverse_mass = va.d + vb.d;
  const PairGeometry g = geometry_of(in, batch, out.inverse_mass);
  // The contact point lies in the middle of the overlap.
  const WideFloat half_overlap = WideFloat(0.5f) * g.overlap;
  const WideFloat length_a = g.radius_a - half_overlap, length_b = g.radius_b - half_overlap;
  WideVec3 velocity{va.a - vb.a, va.b - vb.b, va.c - vb.c};
  if constexpr (c.arms == Arms::derived) {
    out.arm_a = arm_of(in, g.centre_a, out.grain_a);
    out.arm_b = arm_of(in, g.centre_b, out.grain_b);
  }
  if constexpr (c.arms != Arms::none) {
    out.arm_a -= g.normal * length_a;
    out.arm_b += g.normal * length_b;
    velocity += cross(spin_a, out.arm_a) - cross(spin_b, out.arm_b);
  } else {
    out.length_a = length_a;
    out.length_b = length_b;
    velocity += cross(g.normal, spin_a * length_a + spin_b * length_b);
  }
  out.touch = {g.overlap, g.normal, velocity, g.effective_radius, g.effective_mass};
  if constexpr (!c.plain) {
    out.spin = spin_a - spin_b;
    out.surface_a = wa.d;
    out.surface_b = wb.d;
  }
}

/// Takes down the contacts of a batch that belong to the chunk.
[[gnu::noinline]] void record_contacts(const StepInput& in, const Contacts& c, bool clumps,
                                       unsigned mine, const ContactForce<WideFloat>& contact,
                                       std::vector<ContactRecord>& out) {
  std::uint32_t first[lanes], second[lanes], a[lanes], b[lanes];
  store_integers(first, c.first);
  store_integers(second, c.second);
  store_integers(a, c.grain_a.numbers());
  store_integers(b, c.grain_b.numbers());
  const WideVec3& normal = c.touch.normal;
  const WideVec3 arm = clumps ? c.arm_a : normal * -c.length_a;
  for (; mine != 0; mine &= mine - 1) {
    const int k = std::countr_zero(mine);
    out.push_back({a[k],
                   b[k],
                   first[k],
                   b[k] < in.grains->count ? second[k] : Grains::none,
                   {arm.x[k], arm.y[k], arm.z[k]},
                   {normal.x[k], normal.y[k], normal.z[k]},
                   contact.normal[k] - contact.pull[k],
                   {contact.tangential.x[k], contact.tangential.y[k], contact.tangential.z[k]}});
  }
}

struct ChunkSums {
  WideFloat stiffest{0.0f};
  std::uint64_t contacts = 0;
};

/// Second stage: the laws. Returns the lanes that touch or, having been `active`, are bridged.
template <Case c, class Memory>
[[gnu::always_inline]] inline unsigned respond(const StepInput& in, ChunkList& list,
                                               const Memory& memory, unsigned active, Contacts& p,
                                               ChunkForces& out, ChunkSums& sums) {
  constexpr bool stored = c.tangential == TangentialLaw::mindlin;
  const Touch<WideFloat> touch = p.touch;
  const WideFloat dt(in.last_dt), zero(0.0f);
  const PairLaw<WideFloat> law = c.plain || (in.laws->uniform() && in.walls->rough().empty())
                                     ? wide_law((*in.laws)(0, 0))
                                     : gather_law(*in.laws, p.surface_a, p.surface_b);
  const bool moist = !c.plain && in.laws->moist();
  Slide<WideFloat> slide{};
  if constexpr (stored) slide = memory.load(list.slide);
  ContactForce<WideFloat> contact =
      contact_force<c.normal, c.tangential>(law, touch, dt, moist, slide);
  if constexpr (stored) memory.store(list.slide, slide);
  WideMask touching = touch.overlap > zero;
  if (moist) {
    const WideMask near = touch.overlap > -(law.reach * touch.effective_radius);
    touching = touching | (near & mask_of(active));
    contact.pull = select(touching, contact.pull, zero);
  }
  touching = touching & p.valid;
  p.stiffness = contact.stiffness = select(touching, contact.stiffness, zero);
  sums.stiffest = max(sums.stiffest, contact.stiffness * p.inverse_mass);
  const unsigned now = bits(touching);
  const unsigned mine = now & ~bits(p.first < wide_integer(list.first_sphere));
  sums.contacts += static_cast<unsigned>(std::popcount(mine));
  if (!c.plain && out.record != nullptr) [[unlikely]]
    record_contacts(in, p, c.arms != Arms::none, mine, contact, *out.record);
  p.force = contact.on_i(touch.normal);
  if constexpr (c.arms != Arms::none) {
    p.moment_a = cross(p.arm_a, p.force);
    p.moment_b = cross(p.force, p.arm_b);
  } else {
    const WideVec3 moment = cross(p.force, touch.normal);
    p.moment_a = moment * p.length_a;
    p.moment_b = moment * p.length_b;
  }
  if (!c.plain && in.laws->rolls()) {
    WideVec3 rolling;
    if constexpr (stored) {
      Slide<WideFloat> turn = memory.load(list.turn);
      rolling = stored_rolling(law, touch, contact, p.spin, dt, turn);
      memory.store(list.turn, turn);
    } else {
      rolling = rolling_moment(law, touch, contact, p.spin);
    }
    p.moment_a += rolling;
    p.moment_b -= rolling;
  }
  return now;
}

/// Third stage: forces and moments to the grains.
template <Case c>
[[gnu::always_inline]] inline void add_forces(const StepInput& in, const ChunkList& list,
                                              const Contacts& p, ChunkForces& out) {
  const WideFloat zero(0.0f);
  const WideVec3 &f = p.force, &ma = p.moment_a, &mb = p.moment_b;
  const WideRowPairs on_a = to_row_pairs({f.x, f.y, f.z, p.stiffness}, {ma.x, ma.y, ma.z, zero});
  const WideRowPairs on_b = to_row_pairs({-f.x, -f.y, -f.z, p.stiffness}, {mb.x, mb.y, mb.z, zero});
  // Grains of other chunks share the slot behind this one's; first spheres are never a body's.
  const WideInt begin = wide_integer(list.begin);
  const WideInt others = wide_integer(static_cast<std::uint32_t>(out.grains));
  const WideInt grain_b = p.grain_b.numbers();
  WideInt a = least(p.grain_a.numbers() - begin, others), b = least(grain_b - begin, others);
  if (!c.plain && !in.walls->rough().empty()) {
    const WideInt all = wide_integer(static_cast<std::uint32_t>(in.grains->count));
    b = select(grain_b < all, b, grain_b - all + others + wide_integer(1));
  }
  const RowPlaces at_a(select(p.valid, a, others)), at_b(select(p.valid, b, others));
  RowPair* rows = out.rows.data();
  for (unsigned k = 0; k < lanes; ++k) {
    on_a.add_to(at_a.in(rows, k), k);
    on_b.add_to(at_b.in(rows, k), k);
  }
}

/// What the chunk will read, soon to be wanted in the order of its pairs. That order jumps about:
/// there the processor would wait for one grain of another chunk after the other.
template <Arms arms>
void fetch_chunk(const StepInput& in, const ChunkList& list) {
  const Records& r = *in.read;
  const auto first_sphere = [&](std::uint32_t grain) -> std::size_t {
    return arms == Arms::stored ? in.grains->first_sphere[grain] : grain << in.shapes->grain_shift;
  };
  const std::size_t first = first_sphere(list.begin), last = first_sphere(list.end);
  BringIn bring;
  bring.range(r.motion.data() + list.begin, r.motion.data() + list.end);
  bring.range(r.centre.data() + first, r.centre.data() + last);
  if (arms == Arms::stored) bring.range(r.arm.data() + first, r.arm.data() + last);
  if (arms == Arms::derived) bring.range(r.place.data() + list.begin, r.place.data() + list.end);
  // Of grains with more than four spheres the first line alone.
  for (const std::uint32_t guest : list.guests) {
    const std::size_t sphere = first_sphere(guest);
    bring.line_of(&r.motion[guest]);
    bring.line_of(&r.centre[sphere]);
    if (arms == Arms::stored) bring.line_of(&r.arm[sphere]);
    if (arms == Arms::derived) bring.line_of(&r.place[guest]);
  }
}

/// Pairs [0, end) of the list, as they come.
template <Case c>
void evaluate_sure(const StepInput& in, std::uint32_t end, ChunkList& list, ChunkForces& out,
                   ChunkSums& sums) {
  Contacts p[block];
  for (std::uint32_t start = 0; start < end; start += block * lanes) {
    const std::uint32_t n = std::min<std::uint32_t>(block, (end - start) / lanes);
    for (std::uint32_t b = 0; b < n; ++b) {
      const std::uint32_t e = start + b * lanes;
      approach<c>(in,
                  PairBatch(in, load_integers(&list.first[e]), load_integers(&list.second[e]),
                            list.pairs - e),
                  p[b]);
    }
    for (std::uint32_t b = 0; b < n; ++b) {
      const std::uint32_t e = start + b * lanes;
      std::uint8_t& active = list.active[e / lanes];
      active =
          static_cast<std::uint8_t>(respond<c>(in, list, Consecutive{e}, active, p[b], out, sums));
    }
    for (std::uint32_t b = 0; b < n; ++b) add_forces<c>(in, list, p[b], out);
  }
}

/// The pairs that find_touching() has found.
template <Case c>
void evaluate_found(const StepInput& in, ChunkList& list, ChunkForces& out, ChunkSums& sums) {
  const std::size_t n = out.touching.size();
  for (std::size_t start = 0; start < n; start += lanes) {
    const std::size_t count = std::min<std::size_t>(lanes, n - start);
    std::uint32_t pair[lanes], first[lanes], second[lanes];
    for (unsigned k = 0; k < lanes; ++k) {
      pair[k] = out.touching[start + (k < count ? k : 0)];
      first[k] = list.first[pair[k]];
      second[k] = list.second[pair[k]];
    }
    Contacts p;
    approach<c>(in, PairBatch(in, load_integers(first), load_integers(second), count), p);
    respond<c>(in, list, Scattered{pair, count}, ~0u, p, out, sums);
    add_forces<c>(in, list, p, out);
  }
}

template <Case c>
void evaluate_list(const StepInput& in, ChunkList& list, ChunkForces& out, ContactTally& tally) {
  ChunkSums sums;
  fetch_chunk<c.arms>(in, list);
  const std::uint32_t sure = (list.class_starts[1] + lanes - 1) / lanes * lanes;
  evaluate_sure<c>(in, sure, list, out, sums);
  find_touching(in, sure, std::max(sure, list.class_starts[1 + in.classes]), list, out);
  evaluate_found<c>(in, list, out, sums);
  tally.stiffest = std::max(tally.stiffest, max_lane(sums.stiffest));
  tally.contacts += sums.contacts;
}

template <NormalLaw normal, TangentialLaw tangential, Arms arms>
void chunk_forces(const StepInput& in, ChunkList& list, ChunkForces& out, ContactTally& tally) {
  // The default law alone has code of its own for the plain case.
  if constexpr (normal == NormalLaw::hertz) {
    if (in.plain && arms == Arms::stored && !in.stored_arms)
      return evaluate_list<Case{normal, tangential, Arms::derived, true}>(in, list, out, tally);
    if (in.plain) return evaluate_list<Case{normal, tangential, arms, true}>(in, list, out, tally);
  }
  evaluate_list<Case{normal, tangential, arms, false}>(in, list, out, tally);
}

template <NormalLaw normal, TangentialLaw tangential>
PairForces by_shape(bool clumps) {
  return clumps ? chunk_forces<normal, tangential, Arms::stored>
                : chunk_forces<normal, tangential, Arms::none>;
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
