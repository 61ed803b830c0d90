#include "lab/bed.h"

#include "dem/grain_shape.h"
#include "lab/statistics.h"
#include "scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace talus::lab {

namespace {

// Widths of what is left out, in grain diameters. Walls spread forces wider: of 61 K tetrahedra
// beta is 1.05 within two diameters of the wall, 1.26 from two to six, 1.30 to 1.38 further in.
constexpr double near_base = 2, near_top = 3, near_wall = 4;

// Mean speeds over sqrt(g d): of a bed whose contacts are made, and of one at rest. Between them it
// sways as a whole with accelerations of a hundredth of gravity, for longer the higher it is.
constexpr double come_down = 2e-3, at_rest = 2e-4;
// Without a wall that rubs it sways for a second more: damping begins earlier.
constexpr double come_down_freely = 2e-2;
// Friction that does not hold leaves a creep of this size for as long as one waits.
constexpr double creeping = 1e-2;
// Damping of slow grains, 1/s: of the bed that sways, and of beds that creep because no friction
// holds them.
constexpr double calming = 300, calming_creep = 60;
// Of gravity: what creeping grains lack to be in balance when their bed counts as one at rest.
constexpr double out_of_balance = 0.01;

void scale_shape(Shape& shape, double factor) {
  shape.radius *= factor;
  shape.radius_top *= factor;
  shape.height *= factor;
  shape.size *= factor;
  shape.pose.position *= factor;
}

Result<Scene> bed_scene(const LabContext& context, const BedKind& kind) {
  auto scene = read_scene(
      context.folder + (kind.walled ? "/forces/cylinder.toml" : "/forces/block.toml"), {});
  if (!scene) return scene;
  for (Material& m : scene->materials) {
    m.friction = kind.friction;
    if (!kind.spheres) continue;
    m.grain_shape = "sphere";
    m.grain_size_spread = 0.1;  // equal ones would order
  }
  for (SceneBody& b : scene->bodies) b.friction = kind.friction;
  if (kind.fading_friction) scene->dem.tangential_law = "viscous";
  scene->seed = kind.seed;
  // Nothing but friction that holds stops the last swaying; without it beds creep for seconds.
  if (!(kind.friction > 0) || kind.fading_friction) scene->dem.low_speed_damping = calming_creep;
  if (context.full) {
    for (Fill& f : scene->fills) scale_shape(f.shape, 2);
    for (SceneBody& b : scene->bodies) scale_shape(b.shape, 2);
  }
  return scene;
}

/// Quantity of the layers of one diameter, by linear interpolation between their middles.
double at_height(const std::vector<double>& layer, double thickness, double height) {
  const double at = std::max(height / thickness - 0.5, 0.0);
  const auto k = std::min(static_cast<std::size_t>(at), layer.size() - 1);
  const std::size_t next = std::min(k + 1, layer.size() - 1);
  return layer[k] + (at - static_cast<double>(k)) * (layer[next] - layer[k]);
}

}  // namespace

Result<std::unique_ptr<Simulation>> settled_bed(const LabContext& context, const BedKind& kind) {
  const auto scene = bed_scene(context, kind);
  if (!scene) return scene.error();
  const std::string name = fmt::format(
      "{}-{}-{}{}{}{}", kind.walled ? "bed" : "block", kind.spheres ? "spheres" : "tetrahedra",
      kind.fading_friction ? "fading-" : "", kind.friction > 0 ? "friction" : "frictionless",
      kind.seed != 1 ? fmt::format("-{}", kind.seed) : "", context.full ? "-full" : "");
  const double scale = grain_speed(*scene);
  if (kind.fading_friction) return settled(context, *scene, name, creeping * scale);
  if (scene->dem.low_speed_damping > 0)
    return settled(context, *scene, name, out_of_balance * norm(scene->gravity) / calming_creep);
  auto fallen =
      settled(context, *scene, name, (kind.walled ? come_down : come_down_freely) * scale);
  if (!fallen) return fallen;
  // The bed as a whole goes on swaying up and down, for longer the higher it is. Damping of slow
  // grains ends that; it moves no force at rest, and leaves with the scene it came with.
  auto calm = kept(context, *scene, name + "-calm", [&]() -> Result<std::unique_ptr<Simulation>> {
    Scene damped = *scene;
    damped.dem.low_speed_damping = calming;
    damped.duration += (*fallen)->time();
    auto bed = continued(context, **fallen, std::move(damped));
    if (!bed) return bed.error();
    if (Status s = come_to_rest(context, **bed, name + "-calm", at_rest * scale); !s)
      return s.error();
    return continued(context, **bed, *scene);
  });
  return calm;
}

namespace {

/// The nearest image of a vector in a world that may repeat.
Vec3d nearest_image(const Scene& scene, Vec3d v) {
  const Vec3d size = scene.domain_upper - scene.domain_lower;
  if (scene.periodic[0]) v.x -= size.x * std::round(v.x / size.x);
  if (scene.periodic[1]) v.y -= size.y * std::round(v.y / size.y);
  return v;
}

Bulk bulk_of(const Simulation& simulation, double grain_diameter) {
  std::vector<double> height;
  for (const Vec3f& x : simulation.particles().values<Vec3f>("position"))
    height.push_back(double{x.z});
  Bulk bulk;
  bulk.bottom = near_base * grain_diameter;
  // Single grains may lie higher than the surface.
  bulk.top = quantile(height, 0.98) - near_top * grain_diameter;
  for (const SceneBody& b : simulation.scene().bodies)
    if (b.name == "wall") bulk.radius = b.shape.radius - near_wall * grain_diameter;
  return bulk;
}

}  // namespace

Bed bed_of(Simulation& simulation) {
  simulation.prepare_frame();
  const ParticleStore& table = *simulation.solver().contacts();
  const auto a = table.values<std::uint64_t>("grain_a"), b = table.values<std::uint64_t>("grain_b");
  const auto sphere_a = table.values<std::uint32_t>("sphere_a"),
             sphere_b = table.values<std::uint32_t>("sphere_b");
  const auto point = table.values<Vec3f>("point"), normal = table.values<Vec3f>("normal"),
             tangential = table.values<Vec3f>("tangential_force");
  const auto force = table.values<float>("normal_force");
  Bed bed;
  const Scene& scene = simulation.scene();
  bed.grain_diameter = scene.materials[0].grain_diameter;
  const auto shape = load_grain_shape(scene.materials[0].grain_shape, 0);
  TALUS_CHECK(shape.ok(), "{}", scene.materials[0].grain_shape);  // the simulation has it
  bed.sphere_diameter = 2 * shape->least * bed.grain_diameter;
  bed.bulk = bulk_of(simulation, bed.grain_diameter);
  std::unordered_map<std::uint64_t, Vec3d> centre;
  const auto position = simulation.particles().values<Vec3f>("position");
  const auto id = simulation.particles().values<std::uint64_t>("id");
  for (std::size_t k = 0; k < position.size(); ++k) centre.emplace(id[k], Vec3d(position[k]));
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (b[k] == ~std::uint64_t{0} || !(force[k] > 0)) continue;
    const Vec3d p(point[k]);
    (bed.bulk.holds(p) ? bed.contacts : bed.outside)
        .push_back({a[k], b[k], sphere_a[k], sphere_b[k], p, Vec3d(normal[k]),
                    nearest_image(scene, centre.at(a[k]) - centre.at(b[k])), Vec3d(tangential[k]),
                    double{force[k]}});
  }
  return bed;
}

std::vector<double> normalised(const Bed& bed, const std::vector<double>& magnitude,
                               const std::vector<double>& height) {
  const double thickness = 2 * bed.grain_diameter;
  std::vector<double> sum, count;
  for (std::size_t k = 0; k < magnitude.size(); ++k) {
    const auto layer = static_cast<std::size_t>(height[k] / thickness);
    if (layer >= sum.size()) {
      sum.resize(layer + 1);
      count.resize(layer + 1);
    }
    sum[layer] += magnitude[k];
    count[layer] += 1;
  }
  for (std::size_t l = 0; l < sum.size(); ++l)
    sum[l] = count[l] > 0 ? sum[l] / count[l] : (l > 0 ? sum[l - 1] : 0);
  // Empty layers at the bottom take the value of the first that has one.
  const auto first = std::find_if(sum.begin(), sum.end(), [](double s) { return s > 0; });
  if (first != sum.end()) std::fill(sum.begin(), first, *first);
  std::vector<double> out;
  double total = 0;
  for (std::size_t k = 0; k < magnitude.size(); ++k) {
    const double scale = at_height(sum, thickness, height[k]);
    out.push_back(scale > 0 ? magnitude[k] / scale : 0);
    total += out.back();
  }
  const double mean = total / static_cast<double>(std::max<std::size_t>(out.size(), 1));
  for (double& f : out) f /= mean > 0 ? mean : 1;
  return out;
}

std::vector<double> normal_forces(const Bed& bed) {
  std::vector<double> size, height;
  for (const BedContact& c : bed.contacts) {
    size.push_back(c.force);
    height.push_back(c.point.z);
  }
  return normalised(bed, size, height);
}

std::vector<double> tangential_forces(const Bed& bed) {
  std::vector<double> size, height;
  for (const BedContact& c : bed.contacts) {
    size.push_back(norm(c.tangential));
    height.push_back(c.point.z);
  }
  return normalised(bed, size, height);
}

namespace {

/// Vector sum of forces, and a place where they act.
struct Resultant {
  Vec3d force{}, at{};

  void add(const Vec3d& f, const Vec3d& place) {
    force += f;
    at = place;
  }
};

using SphereKey = std::pair<std::uint64_t, std::uint32_t>;
using GrainPair = std::pair<std::uint64_t, std::uint64_t>;

/// each(contact) of the bulk and outside it.
template <class Each>
void for_all_contacts(const Bed& bed, Each&& each) {
  for (const BedContact& c : bed.contacts) each(c);
  for (const BedContact& c : bed.outside) each(c);
}

}  // namespace

std::vector<LoadedSphere> loaded_spheres(const Bed& bed) {
  std::map<SphereKey, LoadedSphere> spheres;
  const double radius = 0.5 * bed.sphere_diameter;
  for_all_contacts(bed, [&](const BedContact& c) {
    LoadedSphere& a = spheres[{c.grain_a, c.sphere_a}];
    LoadedSphere& b = spheres[{c.grain_b, c.sphere_b}];
    a = {c.grain_a, c.point + c.normal * radius, a.force + c.force};
    b = {c.grain_b, c.point - c.normal * radius, b.force + c.force};
  });
  std::vector<double> size, height;
  std::vector<LoadedSphere> out;
  for (const auto& [key, sphere] : spheres) {
    if (!bed.bulk.holds(sphere.at)) continue;
    size.push_back(sphere.force);
    height.push_back(sphere.at.z);
    out.push_back(sphere);
  }
  const std::vector<double> force = normalised(bed, size, height);
  for (std::size_t k = 0; k < out.size(); ++k) out[k].force = force[k];
  return out;
}

std::vector<double> sphere_forces(const Bed& bed) {
  std::map<SphereKey, Resultant> spheres;
  const double radius = 0.5 * bed.sphere_diameter;
  for_all_contacts(bed, [&](const BedContact& c) {
    const Vec3d force = c.normal * c.force, arm = c.normal * radius;
    spheres[{c.grain_a, c.sphere_a}].add(force, c.point + arm);
    spheres[{c.grain_b, c.sphere_b}].add(-force, c.point - arm);
  });
  std::vector<double> size, height;
  for (const auto& [key, sphere] : spheres) {
    if (!bed.bulk.holds(sphere.at)) continue;
    size.push_back(norm(sphere.force));
    height.push_back(sphere.at.z);
  }
  return normalised(bed, size, height);
}

std::vector<TouchingGrains> touching_grains(const Bed& bed) {
  std::map<GrainPair, Resultant> pairs;
  std::map<GrainPair, Vec3d> apart;
  for_all_contacts(bed, [&](const BedContact& c) {
    pairs[{c.grain_a, c.grain_b}].add(c.normal * c.force + c.tangential, c.point);
    apart[{c.grain_a, c.grain_b}] = c.apart;
  });
  std::vector<TouchingGrains> out;
  std::vector<double> size, height;
  for (const auto& [key, pair] : pairs) {
    if (!bed.bulk.holds(pair.at)) continue;
    out.push_back({apart.at(key), 0});
    size.push_back(norm(pair.force));
    height.push_back(pair.at.z);
  }
  const std::vector<double> force = normalised(bed, size, height);
  for (std::size_t k = 0; k < out.size(); ++k) out[k].force = force[k];
  return out;
}

std::vector<double> grain_forces(const Bed& bed) {
  std::vector<double> out;
  for (const TouchingGrains& pair : touching_grains(bed)) out.push_back(pair.force);
  return out;
}

}  // namespace talus::lab
