// Grains follow the guides: the sums of Eq. 23-25 (upsampling_laws.h), eight grains at a time over
// the guides that reach into their cell. Coordinates are relative to the tile, so that
// 1 - d^2/h^2 = b + c.x - s x.x costs four multiply-adds. A guide out of reach adds exact zeros,
// hence neither the other guides of the list nor the other lanes matter to a grain.
#include "detail/tile_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::detail {

namespace {

void add_guide(const Guide& guide, const Vec3d& centre, float box_half, TileScratch& s) {
  const Vec3f y(Vec3d(guide.position) - centre);
  const float h = reach * guide.radius;
  const float dx = std::abs(y.x) - box_half, dy = std::abs(y.y) - box_half,
              dz = std::abs(y.z) - box_half;
  if (dx >= h || dy >= h || dz >= h) return;
  const std::size_t n = s.terms.size();
  if (n == 0) s.common_move = guide.displacement;
  const float inverse = 1 / (h * h);
  // Displacement of the point of the guide's surroundings that is at the tile's centre.
  const Vec3f move = guide.displacement - s.common_move - turned_by(guide.rotation, y);
  GuideTerm term;
  term.b = 1 - inverse * squared_norm(y);
  term.s = inverse;
  for (int i = 0; i < 3; ++i) {
    term.c[i] = 2 * inverse * y[i];
    term.move[i] = move[i];
    term.turn[i] = guide.rotation[i];
  }
  term.falling = guide.falling;
  const float edge = 2 * guide.radius;
  term.volume = 4 * edge * edge * edge * inverse / std::numbers::pi_v<float>;
  for (int i = 0; i < 3; ++i) s.guide_place[i].push_back(y[i]);
  s.guide_place[3].push_back(h * h);
  s.terms.push_back(term);
}

/// Eight grains, and what the sums make of them.
struct Batch {
  WideVec3 x, u;
  WideFloat support;
};

struct Sums {
  WideFloat weight{0.0f};
  WideVec3 move{0.0f, 0.0f, 0.0f}, turn{0.0f, 0.0f, 0.0f};
};

inline WideFloat closeness(const GuideTerm& g, const WideVec3& x, WideFloat xx) {
  return (WideFloat(g.b) - WideFloat(g.s) * xx) + WideFloat(g.c[0]) * x.x +
         WideFloat(g.c[1]) * x.y + WideFloat(g.c[2]) * x.z;
}

inline void add_weighted(const GuideTerm& g, WideFloat w, Sums& sums) {
  sums.weight += w;
  sums.move.x += w * WideFloat(g.move[0]);
  sums.move.y += w * WideFloat(g.move[1]);
  sums.move.z += w * WideFloat(g.move[2]);
  sums.turn.x += w * WideFloat(g.turn[0]);
  sums.turn.y += w * WideFloat(g.turn[1]);
  sums.turn.z += w * WideFloat(g.turn[2]);
}

/// At the very rim of a guide the inverse of the weight would overflow; such a grain is free
/// anyway.
constexpr float least_weight = 1e-20f;

/// Weighted mean displacement at x, zero where there is no weight.
inline WideVec3 mean_move(const Sums& sums, const WideVec3& x, const Vec3f& common) {
  const WideFloat scale =
      select(sums.weight > WideFloat(least_weight), WideFloat(1.0f) / sums.weight, WideFloat(0.0f));
  const WideVec3 turn = sums.turn * scale;
  const WideVec3 shared{WideFloat(common.x), WideFloat(common.y), WideFloat(common.z)};
  return shared + sums.move * scale + turned_by(turn, x);
}

/// Sum of the weights of guides that fall freely.
[[gnu::noinline]] WideFloat falling_weight(const TileScratch& s, const WideVec3& x, WideFloat xx) {
  WideFloat sum(0.0f);
  for (std::uint32_t k = 0; k < s.base_list; ++k) {
    const GuideTerm& g = s.terms[s.list[k]];
    sum += weight(max(closeness(g, x, xx), WideFloat(0.0f))) * WideFloat(g.falling);
  }
  return sum;
}

// One copy of each: two would be fused into multiply-adds differently, and the last bits of a grain
// would depend on its place in the cell.
[[gnu::noinline]] void blend_batch(const StepInput& in, const TileScratch& s, Batch& b) {
  const WideFloat xx = dot(b.x, b.x), zero(0.0f);
  WideFloat nearest = zero;
  Sums sums;
  const GuideTerm* terms = s.terms.data();
  const std::uint32_t* list = s.list.data();
  for (std::uint32_t k = 0; k < s.base_list; ++k) {
    const GuideTerm& g = terms[list[k]];
    const WideFloat t = max(closeness(g, b.x, xx), zero);
    nearest = max(nearest, t);
    add_weighted(g, weight(t), sums);
  }
  b.support = sums.weight;
  WideFloat largest = weight(nearest), falling = zero;
  if (s.falls) falling = select(b.support > zero, falling_weight(s, b.x, xx) / b.support, zero);
  const auto all = static_cast<std::uint32_t>(s.list.size());
  for (std::uint32_t k = s.base_list; k < all; ++k) {
    const GuideTerm& g = terms[list[k]];
    const WideFloat w = weight(max(closeness(g, b.x, xx), zero));
    if (in.rule == SparseRule::printed) largest = max(largest, w);
    add_weighted(g, w, sums);
  }
  const WideFloat total = in.rule == SparseRule::support ? b.support : sums.weight;
  const WideFloat alpha = free_share(in.rule, largest, total, falling);
  const WideVec3 flow = mean_move(sums, b.x, s.common_move);
  const WideVec3 free{b.u.x + WideFloat(in.fall.x), b.u.y + WideFloat(in.fall.y),
                      b.u.z + WideFloat(in.fall.z)};
  // Written so that alpha = 0 and alpha = 1 give one of them to the last bit.
  const WideFloat rest = WideFloat(1.0f) - alpha;
  b.u = flow * rest + free * alpha;
}

[[gnu::noinline]] void split_batch(const StepInput& in, const TileScratch& s, Batch& b) {
  const WideFloat xx = dot(b.x, b.x), zero(0.0f), one(1.0f);
  Sums sums;
  WideFloat guides(0.0f);
  for (std::uint32_t k = 0; in.interpolate && k < s.base_list; ++k) {
    const GuideTerm& g = s.terms[s.list[k]];
    const WideFloat t = closeness(g, b.x, xx);
    const WideFloat distance = sqrt(max(one - t, zero));  // in reaches
    const WideMask near = t > zero;
    guides += select(near, one, zero);
    add_weighted(g, select(near, WideFloat(0.75f) - WideFloat(0.5f) * distance, zero), sums);
  }
  b.support = select(guides >= WideFloat(2.0f), WideFloat(full_support), zero);
  const WideVec3 flow = mean_move(sums, b.x, s.common_move);
  const WideMask dense = guides >= WideFloat(2.0f);
  b.u.x = select(dense, flow.x, b.u.x + WideFloat(in.fall.x));
  b.u.y = select(dense, flow.y, b.u.y + WideFloat(in.fall.y));
  b.u.z = select(dense, flow.z, b.u.z + WideFloat(in.fall.z));
}

void load(const TileScratch& s, std::uint32_t i, Batch& b) {
  for (int f = 0; f < 3; ++f) {
    b.x[f] = load_wide(&s.grains.field[f][i]);
    b.u[f] = load_wide(&s.grains.field[3 + f][i]);
  }
}

void store(TileScratch& s, std::uint32_t i, std::uint32_t lanes, const Batch& b) {
  const auto put = [&](float* to, WideFloat value) {
    if (lanes == wide_width) return store_wide(to, value);
    float all[wide_width];
    store_wide(all, value);
    std::copy(all, all + lanes, to);
  };
  for (int f = 0; f < 3; ++f) {
    put(&s.grains.field[f][i], b.x[f] + b.u[f]);
    put(&s.grains.field[3 + f][i], b.u[f]);
  }
  put(&s.support[i], b.support);
}

void follow_base(const StepInput& in, std::uint32_t begin, std::uint32_t end, TileScratch& s) {
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3f& u = in.base_moves[s.grains.id[i] / in.factor];
    for (int f = 0; f < 3; ++f) {
      s.grains.field[f][i] += u[f];
      s.grains.field[3 + f][i] = u[f];
    }
    s.support[i] = full_support;
  }
}

}  // namespace

void gather_guides(const StepInput& in, const Vec3d& centre, float tile_size, TileScratch& s) {
  s.terms.clear();
  for (auto& place : s.guide_place) place.clear();
  s.common_move = {};
  const float half = 0.5f * tile_size;
  for (const GuideSet* set : {in.base, in.walls}) {
    const float margin = half + reach * set->largest_radius();
    const Vec3f middle(centre), box{margin, margin, margin};
    set->for_each_near(middle - box, middle + box,
                       [&](const Guide& guide) { add_guide(guide, centre, half, s); });
    if (set == in.base) s.base_terms = static_cast<std::uint32_t>(s.terms.size());
  }
  // Whole groups of eight, the rest out of everybody's reach.
  while (s.guide_place[0].size() % wide_width != 0) {
    for (int i = 0; i < 3; ++i) s.guide_place[i].push_back(1e18f);
    s.guide_place[3].push_back(0);
  }
}

void list_guides(const Vec3f& cell_centre, float cell_size, TileScratch& s) {
  const WideFloat half(0.5f * cell_size), zero(0.0f);
  const auto places = static_cast<std::uint32_t>(s.guide_place[0].size());
  s.list.resize(places + wide_width);
  std::uint32_t n = 0;
  for (std::uint32_t k = 0; k < places; k += wide_width) {
    WideFloat d2 = zero;
    for (int i = 0; i < 3; ++i) {
      const WideFloat away =
          max(abs(load_wide(&s.guide_place[i][k]) - WideFloat(cell_centre[i])) - half, zero);
      d2 += away * away;
    }
    n += static_cast<std::uint32_t>(
        store_set_lanes(bits(d2 < load_wide(&s.guide_place[3][k])), k, &s.list[n]));
  }
  s.list.resize(n);
  s.base_list = static_cast<std::uint32_t>(
      std::lower_bound(s.list.begin(), s.list.end(), s.base_terms) - s.list.begin());
  s.falls = std::any_of(s.list.begin(), s.list.begin() + s.base_list,
                        [&](std::uint32_t k) { return s.terms[k].falling > 0; });
}

void follow_guides(const StepInput& in, std::uint32_t begin, std::uint32_t end, TileScratch& s) {
  if (in.method == DetailMethod::fixed) return follow_base(in, begin, end, s);
  Batch batch;
  for (std::uint32_t i = begin; i < end; i += wide_width) {
    load(s, i, batch);
    if (in.method == DetailMethod::blend)
      blend_batch(in, s, batch);
    else
      split_batch(in, s, batch);
    store(s, i, std::min<std::uint32_t>(wide_width, end - i), batch);
  }
}

namespace {

/// Sum over base particles of volume / area, each spread over a disc across the normal.
[[gnu::noinline]] WideFloat layer_batch(const TileScratch& s, const Vec3f& n, const WideVec3& x) {
  const WideFloat xx = dot(x, x);
  const WideFloat nx = WideFloat(n.x) * x.x + WideFloat(n.y) * x.y + WideFloat(n.z) * x.z;
  WideFloat height(0.0f);
  for (std::uint32_t k = 0; k < s.base_list; ++k) {
    const GuideTerm& g = s.terms[s.list[k]];
    const float ny = (n.x * g.c[0] + n.y * g.c[1] + n.z * g.c[2]) / (2 * g.s);
    const WideFloat along = nx - WideFloat(ny);
    const WideFloat t = max(closeness(g, x, xx) + WideFloat(g.s) * along * along, WideFloat(0.0f));
    height += WideFloat(g.volume) * weight(min(t, WideFloat(1.0f)));
  }
  return height;
}

}  // namespace

void measure_layer(const StepInput& in, const Vec3f& normal, std::uint32_t begin, std::uint32_t end,
                   TileScratch& s) {
  const WideFloat two_radii(2 * in.grain_radius);
  for (std::uint32_t i = begin; i < end; i += wide_width) {
    WideVec3 x;
    for (int f = 0; f < 3; ++f) x[f] = load_wide(&s.grains.field[f][i]);
    const WideFloat room = max(layer_batch(s, normal, x) - two_radii, WideFloat(0.0f));
    float all[wide_width];
    store_wide(all, room);
    const std::uint32_t lanes = std::min<std::uint32_t>(wide_width, end - i);
    std::copy(all, all + lanes, &s.layer[i]);
  }
}

}  // namespace talus::detail
