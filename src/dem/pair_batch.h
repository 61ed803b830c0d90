// Eight pairs at a time: their numbers, and their geometry.
//
// Overlaps are differences of nearly equal numbers. Integer positions make the distance vector
// exact, and xi = (s^2 - d^2)/(s + d), with s the sum of radii and the difference in double, keeps
// nine digits of it.
#pragma once

#include "dem/step_input.h"

namespace talus::dem {

/// Differences of positions, in quanta.
struct Offsets {
  WideInt x, y, z;
};

/// Eight pairs. Lanes behind the last pair repeat another one, and are not valid.
struct PairBatch {
  WideInt first, second;  ///< spheres
  WideInt tagged;         ///< second, and the image of the first that is meant
  WideMask valid;
  RowPlaces at_first, at_second;

  PairBatch(const StepInput& in, WideInt a, WideInt b, std::size_t count)
      : first(a),
        second(in.periodic ? b & wide_integer(sphere_mask) : b),
        tagged(b),
        valid(lane_numbers() < wide_integer(static_cast<std::uint32_t>(count))),
        at_first(first),
        at_second(second) {}
};

[[gnu::noinline]] inline void add_images(const StepInput& in, WideInt tagged, Offsets& d) {
  std::uint32_t second[wide_width];
  store_integers(second, tagged);
  Offsets o;
  for (int k = 0; k < wide_width; ++k) {
    const auto& shift = in.image_shift[second[k] >> image_bit];
    o.x.v[k] = shift[0];
    o.y.v[k] = shift[1];
    o.z.v[k] = shift[2];
  }
  d = {d.x + o.x, d.y + o.y, d.z + o.z};
}

/// first - second, in quanta.
[[gnu::always_inline]] inline Offsets separation(const StepInput& in, const PairBatch& batch,
                                                 const WideColumns& a, const WideColumns& b) {
  Offsets d{as_integers(a.a) - as_integers(b.a), as_integers(a.b) - as_integers(b.b),
            as_integers(a.c) - as_integers(b.c)};
  if (in.periodic && any_bit(batch.tagged & wide_integer(~sphere_mask))) [[unlikely]]
    add_images(in, batch.tagged, d);
  return d;
}

/// The geometry of eight pairs.
struct PairGeometry {
  Offsets centre_a, centre_b;  ///< on the circle
  WideVec3 normal;
  WideFloat overlap, radius_a, radius_b;
  WideFloat effective_radius, effective_mass;
};

[[gnu::always_inline]] inline PairGeometry geometry_of(const StepInput& in, const PairBatch& batch,
                                                       WideFloat inverse_mass) {
  const Row* centre = in.read->centre.data();
  const WideColumns a = load_rows(centre, batch.at_first), b = load_rows(centre, batch.at_second);
  const Offsets d = separation(in, batch, a, b);
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
  return {{as_integers(a.a), as_integers(a.b), as_integers(a.c)},
          {as_integers(b.a), as_integers(b.b), as_integers(b.c)},
          x * (one / distance),
          difference * (per_length * sum),
          a.d,
          b.d,
          a.d * b.d * (per_length * reach),
          inverse * (sum * reach)};
}

/// From the centres of grains to those of their spheres.
[[gnu::always_inline]] inline WideVec3 arm_of(const StepInput& in, const Offsets& centre,
                                              const RowPlaces& grain) {
  const WideColumns p = load_rows(in.read->place.data(), grain);
  const WideFloat q(in.quantum);
  return {to_float(centre.x - as_integers(p.a)) * q, to_float(centre.y - as_integers(p.b)) * q,
          to_float(centre.z - as_integers(p.c)) * q};
}

}  // namespace talus::dem
