// From the contacts of a frame (docs/run-folder.md) to rods.
//
//   F = sum over the contacts of two grains of f n       f normal force (N), n normal (unit)
//   strength = F / <F>,  <F> the mean of |F| over all links of the frame
//   radius of the rod = thickness * strength * <R>, between two limits    <R> mean grain radius (m)
//
// Two clumps may touch with several of their spheres: they are one link, with the resultant of
// their normal forces. Links join centres of mass; a link to a body ends where they touch.
#include "render/force_chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {

namespace {

constexpr float thickness = 0.1f;                   ///< radii of a grain for the mean force
constexpr float thinnest = 0.02f, thickest = 0.5f;  ///< radii of a grain
constexpr std::uint64_t no_grain = ~std::uint64_t{0};

struct Contacts {
  std::vector<std::uint64_t> a, b;
  std::vector<Vec3f> point, normal;
  std::vector<float> force;
};

struct GrainTable {
  std::vector<std::uint64_t> id;  ///< ascending
  std::vector<Vec3f> position;
  float mean_radius = 0;

  const Vec3f* find(std::uint64_t wanted) const {
    const auto at = std::lower_bound(id.begin(), id.end(), wanted);
    if (at == id.end() || *at != wanted) return nullptr;
    return &position[static_cast<std::size_t>(at - id.begin())];
  }
};

template <class T>
Status read_into(const FrameFile& frame, std::string_view name, std::vector<T>& out,
                 const Executor& executor) {
  auto items = frame.read<T>(name, executor);
  if (!items) return items.error();
  out = std::move(*items);
  return {};
}

Status read_contacts(const FrameFile& frame, Contacts& c, const Executor& executor) {
  for (const Status& s : {read_into(frame, "contacts/grain_a", c.a, executor),
                          read_into(frame, "contacts/grain_b", c.b, executor),
                          read_into(frame, "contacts/point", c.point, executor),
                          read_into(frame, "contacts/normal", c.normal, executor),
                          read_into(frame, "contacts/normal_force", c.force, executor)})
    if (!s) return s;
  return {};
}

Status read_grains(const FrameFile& frame, GrainTable& g, const Executor& executor) {
  std::vector<float> radius;
  for (const Status& s :
       {read_into(frame, "id", g.id, executor), read_into(frame, "position", g.position, executor),
        read_into(frame, "radius", radius, executor)})
    if (!s) return s;
  if (!radius.empty())
    g.mean_radius = static_cast<float>(std::accumulate(radius.begin(), radius.end(), 0.0) /
                                       static_cast<double>(radius.size()));
  return {};
}

/// Displacement of the image of b that is beside a; zero in a world that does not repeat.
Vec3f image_shift(const Scene& scene, const Vec3f& a, const Vec3f& b) {
  Vec3f shift{};
  for (int axis = 0; axis < 3; ++axis) {
    if (!scene.periodic[static_cast<std::size_t>(axis)]) continue;
    const double period = scene.domain_upper[axis] - scene.domain_lower[axis];
    const double way = static_cast<double>(a[axis]) - static_cast<double>(b[axis]);
    shift[axis] = static_cast<float>(period * std::round(way / period));
  }
  return shift;
}

class Network {
 public:
  Network(const Scene& scene, const GrainTable& grains, const Contacts& contacts)
      : scene_(scene), grains_(grains), contacts_(contacts) {}

  Status build(ForceChains& out);

 private:
  /// The contacts from `first` on that join the same two grains.
  std::size_t end_of_link(std::size_t first) const {
    std::size_t end = first + 1;
    if (contacts_.b[first] == no_grain) return end;
    while (end < contacts_.a.size() && contacts_.a[end] == contacts_.a[first] &&
           contacts_.b[end] == contacts_.b[first])
      ++end;
    return end;
  }
  float resultant(std::size_t first, std::size_t end) const;
  void add(const Vec3f& from, const Vec3f& to, float force, ForceChains& out) const {
    out.rods.push_back({{from, 0}, {to, 0}});
    out.strength.push_back(force);
  }
  void scale(ForceChains& out) const;

  const Scene& scene_;
  const GrainTable& grains_;
  const Contacts& contacts_;
  double sum_ = 0;  ///< N, of the sizes of all forces
  std::size_t links_ = 0;
};

float Network::resultant(std::size_t first, std::size_t end) const {
  if (end == first + 1) return contacts_.force[first];
  Vec3f sum{};
  float along = 0;
  for (std::size_t k = first; k < end; ++k) {
    sum += contacts_.normal[k] * contacts_.force[k];
    along += contacts_.force[k];
  }
  return std::copysign(norm(sum), along);
}

Status Network::build(ForceChains& out) {
  for (std::size_t first = 0, end = 0; first < contacts_.a.size(); first = end) {
    end = end_of_link(first);
    const Vec3f* a = grains_.find(contacts_.a[first]);
    const bool body = contacts_.b[first] == no_grain;
    const Vec3f* b = body ? nullptr : grains_.find(contacts_.b[first]);
    if (a == nullptr || (!body && b == nullptr))
      return work_error("contact {} of the frame names the grain {}, which is not in it", first,
                        a == nullptr ? contacts_.a[first] : contacts_.b[first]);
    const float force = resultant(first, end);
    sum_ += std::abs(double{force});
    ++links_;
    if (body) {
      add(*a, contacts_.point[first], force, out);
      continue;
    }
    const Vec3f shift = image_shift(scene_, *a, *b);
    if (squared_norm(shift) == 0) {
      add(*a, *b, force, out);
    } else {  // across the seam of a periodic world: each grain has its half
      add(*a, contacts_.point[first], force, out);
      add(*b, contacts_.point[first] - shift, force, out);
    }
  }
  scale(out);
  return {};
}

void Network::scale(ForceChains& out) const {
  const double mean = links_ > 0 ? sum_ / static_cast<double>(links_) : 0;
  for (std::size_t i = 0; i < out.rods.size(); ++i) {
    float& strength = out.strength[i];
    strength = mean > 0 ? static_cast<float>(strength / mean) : 0;
    const float radius =
        grains_.mean_radius * std::clamp(thickness * std::abs(strength), thinnest, thickest);
    out.rods[i].from.radius = out.rods[i].to.radius = radius;
  }
}

}  // namespace

Result<ForceChains> read_force_chains(const FrameFile& frame, const RunSource& run,
                                      const Executor& executor) {
  if (run.scene.solver != SolverKind::dem)
    return request_error(
        "there are no force chains in {}: its sand is a continuum without contacts. Scenes with "
        "solver = \"dem\" have them",
        run.folder.string());
  if (!frame.has("contacts/normal_force"))
    return request_error(
        "there are no force chains in {}: frame {} holds no contacts. Set fields = [\"contacts\"] "
        "in [output] of the scene and run it again: talus run {} -o {} --set "
        "'output.fields=[\"contacts\"]'",
        run.folder.string(), frame.info().index, (run.folder / "scene.toml").string(),
        run.folder.string() + "_contacts");
  Contacts contacts;
  GrainTable grains;
  if (Status s = read_contacts(frame, contacts, executor); !s) return s.error();
  if (Status s = read_grains(frame, grains, executor); !s) return s.error();
  ForceChains out;
  if (Status s = Network(run.scene, grains, contacts).build(out); !s) return s.error();
  return out;
}

}  // namespace talus
