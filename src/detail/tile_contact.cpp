// Contact of fine grains with bodies through their signed distance.
//
// In the frame of a body a grain goes from p0 to p1 while the body stands still, whatever it does
// in the world; so a fast body cannot jump over a grain. Where the distance at p0 exceeds the way,
// nothing can happen. Else the way is followed in steps of the distance (sphere tracing) until the
// grain touches; what is left of the way slides along the surface, shortened by friction: Coulomb
// on the part that was stopped. Last, a grain that is nearer to the surface than it may be is moved
// out.
//
// Separation. Grains do not meet each other, so all that falls at the thin edge of a pile would
// come to lie in one layer on the ground (both papers admit it). Where the base is sparse, the sand
// that lies on a surface has the thickness H = sum over base particles of their volume spread over
// a disc of radius h (tile_flow.cpp). A grain has a place of its own in the stack, a number q in
// [0, 1) drawn from its id, and may not sink below q (H - 2 radii) above the surface. That keeps
// the thickness the base says, needs no neighbours, and so no other share of the grains.
#include "detail/grain_samples.h"
#include "detail/tile_step.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

constexpr int trace_limit = 48;     ///< samples along a way
constexpr int push_limit = 4;       ///< corrections at the end of a way
constexpr float lift_share = 0.1f;  ///< of a base particle's diameter that a stack grows in a step

Posef to_float(const Posed& p) {
  const Quatd& q = p.rotation;
  return {Vec3f(p.position),
          {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
           static_cast<float>(q.z)}};
}

/// A body as seen from a tile: poses relative to the tile's centre.
struct TileBody {
  const DistanceField* field;
  Posef from, to;
  float friction;
};

/// How far points of the body within `radius` of the tile's centre can move in the step.
float largest_move(const TileBody& b, float radius) {
  const Vec3f move = b.to.position - b.from.position;
  const Quatf turn = b.to.rotation * conjugate(b.from.rotation);
  const float sine = norm(Vec3f{turn.x, turn.y, turn.z});
  return norm(move) + 2 * sine * (norm(b.from.position) + radius);
}

float largest_step(const TileScratch& s) {
  WideFloat most(0.0f);
  std::uint32_t i = 0;
  for (; i + wide_width <= s.count; i += wide_width) {
    const WideVec3 u{load_wide(&s.grains.field[3][i]), load_wide(&s.grains.field[4][i]),
                     load_wide(&s.grains.field[5][i])};
    most = max(most, dot(u, u));
  }
  float all = max_lane(most);
  for (; i < s.count; ++i)
    all = max(
        all, squared_norm(Vec3f{s.grains.field[3][i], s.grains.field[4][i], s.grains.field[5][i]}));
  return std::sqrt(all);
}

/// A grain's way through one step.
struct Way {
  Vec3f from, to;  ///< relative to the tile
  Vec3f step;      ///< displacement it carries on
};

class Collision {
 public:
  Collision(const StepInput& in, const TileBody& body) : in_(in), body_(body) {}

  /// Returns whether the body changed the way. `distance` is that at the start of the way.
  bool apply(const DistanceSample& start, float layer, Way& way) const {
    const Vec3f p0 = body_.from.to_body(way.from), p1 = body_.to.to_body(way.to);
    const Vec3f path = p1 - p0;
    const float length = norm(path), touch = in_.grain_radius;
    if (start.distance - length > touch + layer) return false;
    Vec3f p = p1;
    bool touched = follow(start, p0, path, length, p);
    Vec3f normal = start.gradient;
    for (int k = 0; k < push_limit; ++k) {
      const DistanceSample end = body_.field->sample(p);
      if (end.distance < touch + layer) normal = end.gradient;
      float push = touch - end.distance;
      if (push <= 0) {
        // Room enough for the grain, perhaps not for those below it in the stack.
        push = min(0.8f * (touch + layer - end.distance), lift_share * 2 * in_.base_radius);
        if (k > 0 || push <= 0) break;
      }
      if (!touched) p = slid(p - p0, end.gradient, push) + p0;
      p += end.gradient * push;
      touched = true;
      if (end.distance >= touch) break;
    }
    if (!touched) return false;
    finish(p0, path, p, normal, way);
    return true;
  }

 private:
  /// Goes along the path until it touches, then slides; true when it touched.
  bool follow(const DistanceSample& start, const Vec3f& p0, const Vec3f& path, float length,
              Vec3f& p) const {
    const float touch = in_.grain_radius;
    if (!(length > 0) || start.distance < -touch) return false;
    const Vec3f along = path / length;
    DistanceSample here = start;
    float done = 0;
    for (int k = 0; k < trace_limit; ++k) {
      if (here.distance <= 1.01f * touch) break;
      done += here.distance - touch;
      if (done >= length) return false;
      here = body_.field->sample(p0 + along * done);
    }
    const Vec3f left = path * (1 - done / length);
    const float into = -dot(left, here.gradient);
    if (into <= 0) return false;
    const Vec3f slide = slid(left + here.gradient * into, here.gradient, into);
    p = p0 + along * done + slide;
    return true;
  }

  /// Shortens the part of a displacement that is along the surface by friction.
  Vec3f slid(const Vec3f& displacement, const Vec3f& normal, float stopped) const {
    const Vec3f upward = normal * dot(displacement, normal);
    const Vec3f sliding = displacement - upward;
    const float size = norm(sliding), limit = body_.friction * stopped;
    return size <= limit ? upward : upward + sliding * (1 - limit / size);
  }

  /// Writes the end back. The carried displacement is that of the body, what slides along it, and
  /// what leaves it; moving a grain out of the body gives it no speed.
  void finish(const Vec3f& p0, const Vec3f& path, const Vec3f& p, const Vec3f& normal,
              Way& way) const {
    const Vec3f moved = p - p0;
    const Vec3f kept = moved - normal * dot(moved, normal) + normal * max(dot(path, normal), 0.0f);
    const Vec3f carried = body_.to.to_world(p0) - way.from;
    way.to = body_.to.to_world(p);
    way.step = carried + rotate(body_.to.rotation, kept);
  }

  const StepInput& in_;
  const TileBody& body_;
};

class TileContacts {
 public:
  TileContacts(const StepInput& in, const Vec3d& centre, float tile_size, TileScratch& s)
      : in_(in), cell_(tile_size / tile_cells), s_(s) {
    const float half_diagonal = 0.87f * tile_size;
    margin_ = 1.2f * (in.grain_radius + 2 * in.base_radius + largest_step(s));
    for (const StepBody& body : in.bodies) {
      TileBody b{body.field, to_float({body.from.position - centre, body.from.rotation}),
                 to_float({body.to.position - centre, body.to.rotation}), body.friction};
      const float room = half_diagonal + margin_ + largest_move(b, half_diagonal);
      // A field knows distances up to its band only; a band narrower than the room says nothing.
      if (b.field->sample(b.from.to_body({})).distance < room) bodies_.push_back(b);
    }
  }

  void run() {
    if (bodies_.empty()) return;
    for (std::uint32_t c = 0; c < cells_in_tile; ++c)
      if (s_.begin[c] < s_.begin[c + 1]) collide_cell(c);
  }

 private:
  Vec3f cell_centre(std::uint32_t c) const {
    const auto at = [&](std::uint32_t k) {
      return (static_cast<float>(k) - 0.5f * (tile_cells - 1)) * cell_;
    };
    return {at(c % tile_cells), at(c / tile_cells % tile_cells), at(c / tile_cells / tile_cells)};
  }

  void collide_cell(std::uint32_t c) {
    const std::uint32_t begin = s_.begin[c], end = s_.begin[c + 1];
    const Vec3f middle = cell_centre(c);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const TileBody& body = bodies_[b];
      const DistanceSample here = body.field->sample(body.from.to_body(middle));
      const float move = largest_move(body, norm(middle) + cell_);
      if (here.distance > 0.87f * cell_ + margin_ + move) continue;
      find_layers(c, rotate(body.from.rotation, here.gradient), here.distance);
      collide_grains(body, move, begin, end);
    }
  }

  /// Thickness of the sand on the surface, where somebody in the cell may need it.
  void find_layers(std::uint32_t c, const Vec3f& normal, float distance) {
    const std::uint32_t begin = s_.begin[c], end = s_.begin[c + 1];
    std::fill(&s_.layer[begin], &s_.layer[begin] + (end - begin), 0.0f);
    if (!in_.separation || in_.method != DetailMethod::blend) return;
    if (distance > 0.87f * cell_ + 2 * in_.base_radius) return;
    if (std::none_of(&s_.support[begin], &s_.support[begin] + (end - begin),
                     [](float w) { return w < sparse_support; }))
      return;
    list_guides(cell_centre(c), cell_, s_);
    measure_layer(in_, normal, begin, end, s_);
    for (std::uint32_t i = begin; i < end; ++i) {
      if (s_.support[i] >= sparse_support) {
        s_.layer[i] = 0;
        continue;
      }
      const std::uint32_t id = s_.grains.id[i];
      const std::uint64_t grain = in_.base_ids[id / in_.factor] * in_.factor + id % in_.factor;
      const float place = to_unit_float(grain_bits(in_.seed ^ 0x51AC4, grain));
      // Fades in: the support depends on the height, and a jump would make grains hop for ever.
      const float sparse = min((1 - s_.support[i] / sparse_support) * 6, 1.0f);
      s_.layer[i] = sparse * place * min(s_.layer[i], 2 * in_.base_radius);
    }
  }

  /// `move` bounds how far the body comes towards a grain of the cell.
  void collide_grains(const TileBody& body, float move, std::uint32_t begin, std::uint32_t end) {
    const auto& g = s_.grains.field;
    s_.points.resize(end - begin);
    for (std::uint32_t i = begin; i < end; ++i)
      s_.points[i - begin] =
          body.from.to_body({g[0][i] - g[3][i], g[1][i] - g[4][i], g[2][i] - g[5][i]});
    s_.samples.resize(s_.points.size());
    body.field->sample(s_.points, s_.samples);
    const Collision collision(in_, body);
    const float nearest = in_.grain_radius + 1.001f * move;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Vec3f step{g[3][i], g[4][i], g[5][i]};
      const float room = 0.999f * (s_.samples[i - begin].distance - nearest - s_.layer[i]);
      if (room > 0 && room * room > squared_norm(step)) continue;
      const Vec3f to{g[0][i], g[1][i], g[2][i]};
      Way way{to - step, to, step};
      if (collision.apply(s_.samples[i - begin], s_.layer[i], way)) put(i, way);
    }
  }

  void put(std::uint32_t i, const Way& way) {
    auto& g = s_.grains.field;
    for (int f = 0; f < 3; ++f) {
      g[f][i] = way.to[f];
      g[3 + f][i] = way.step[f];
    }
  }

  const StepInput& in_;
  float cell_;
  TileScratch& s_;
  std::vector<TileBody> bodies_;
  float margin_ = 0;
};

}  // namespace

void collide_tile(const StepInput& in, const Vec3d& centre, float tile_size, TileScratch& s) {
  if (in.bodies.empty() || in.method == DetailMethod::fixed) return;
  TileContacts(in, centre, tile_size, s).run();
}

}  // namespace talus::detail
