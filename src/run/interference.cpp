// What a hand can do to a simulation that runs: put bodies in, open and close nozzles, push, change
// the laws of a material.
#include "run/fills.h"
#include "run/grain_scale.h"
#include "run/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

namespace {

/// 1 at the point, 0 at the rim, without a kink at either.
double falloff(double distance, double radius) {
  if (!(distance < radius)) return 0;
  const double t = 1 - distance * distance / (radius * radius);
  return t * t;
}

/// The keys that may change while grains keep their size and mass.
constexpr std::array laws{&Material::friction,         &Material::cohesion,
                          &Material::viscosity,        &Material::wet_cohesion,
                          &Material::wet_viscosity,    &Material::cohesion_intensity,
                          &Material::cohesion_maximum, &Material::young_modulus,
                          &Material::restitution,      &Material::rolling_friction,
                          &Material::capillary_force,  &Material::normal_stiffness,
                          &Material::normal_damping,   &Material::tangential_viscosity};

}  // namespace

/// marks_[i] = 0 for the particles that a body of this shape would stand in; their number.
Result<std::uint64_t> Simulation::mark_inside(const Shape& shape) {
  const auto field = make_distance_field(shape, finest_spacing(scene_));
  if (!field) return field.error();
  const auto position = particles().values<Vec3f>("position");
  const auto radius = particles().values<float>("radius");
  const auto share = static_cast<float>(0.98 * 2 * carve_distance);  // rounding, as in fills
  marks_.assign(position.size(), 1);
  executor_.for_each(position.size(), [&](std::size_t i) {
    const Vec3f local(shape.pose.to_body(Vec3d(position[i])));
    marks_[i] = (*field)->sample(local).distance >= share * radius[i];
  });
  return static_cast<std::uint64_t>(std::count(marks_.begin(), marks_.end(), std::uint8_t{0}));
}

Status Simulation::add_body(const SceneBody& body) {
  let_go();
  const auto inside = mark_inside(body.shape);
  if (!inside) return inside.error();
  if (*inside > 0 && !body.carve)
    return request_error("body '{}': there is material where it should appear ({} particles)",
                         body.name, *inside);
  if (Status s = world_.add(body, finest_spacing(scene_)); !s) return s;
  scene_.bodies.push_back(body);
  summary_.add_body();
  if (*inside > 0) {
    solver_->remove(marks_);
    summary_.add_particles(0, *inside, 0);
  }
  return solver_->adopt(scene_);
}

Result<std::size_t> Simulation::add_pour(Pour pour) {
  if (pour.material >= scene_.materials.size())
    return request_error("pour '{}': there is no material {}", pour.name, pour.material);
  pour.start = time();
  pour.direction = normalized(pour.direction);
  scene_.pours.push_back(std::move(pour));
  auto nozzle = Nozzle::create(scene_, scene_.pours.size() - 1,
                               solver_->particle_mass(scene_.pours.back().material));
  if (!nozzle) {
    scene_.pours.pop_back();
    return nozzle.error();
  }
  nozzles_.push_back(std::move(*nozzle));
  return nozzles_.size() - 1;
}

void Simulation::stop_pour(std::size_t pour) {
  TALUS_CHECK(pour < nozzles_.size(), "pour {} of {}", pour, nozzles_.size());
  nozzles_[pour].stop(time());
  scene_.pours[pour].stop = std::min(scene_.pours[pour].stop, time());
}

Status Simulation::push(const Vec3d& point, double radius, const Vec3d& velocity) {
  if (!(radius > 0) || !std::isfinite(norm(velocity) + norm(point)))
    return request_error("a push needs a radius above 0 and a finite velocity");
  const auto position = particles().values<Vec3f>("position");
  const auto speed = particles().values<Vec3f>("velocity");
  std::vector<Vec3f> change(position.size());
  executor_.for_each(position.size(), [&](std::size_t i) {
    const double share = falloff(norm(Vec3d(position[i]) - point), radius);
    if (share > 0) change[i] = Vec3f((velocity - Vec3d(speed[i])) * share);
  });
  if (Status s = kick(change); !s) return s;
  for (std::size_t b = 0; b < bodies().size(); ++b) {
    const Body& body = bodies()[b];
    if (body.motion != BodyMotion::dynamic) continue;
    const Vec3f local(body.state.pose.to_body(point) - body.field_offset);
    const double away = std::max(0.0, double{body.field->sample(local).distance});
    const double share = falloff(away, radius);
    if (share > 0)
      world_.set_velocity(b, body.state.velocity + (velocity - body.state.velocity) * share,
                          body.state.angular_velocity);
  }
  return {};
}

Status Simulation::change_material(std::size_t index, const Material& material) {
  if (index >= scene_.materials.size())
    return request_error("there is no material {}; the scene has {}", index,
                         scene_.materials.size());
  let_go();
  const Material before = scene_.materials[index];
  for (const auto law : laws) {
    const double value = material.*law;
    if (!std::isfinite(value) || value < 0)
      return request_error("material '{}': {} is not a value it can have", before.name, value);
  }
  for (const auto law : laws) scene_.materials[index].*law = material.*law;
  const Status status = solver_->adopt(scene_);
  if (status.ok()) return status;
  scene_.materials[index] = before;
  if (Status s = solver_->adopt(scene_); !s) return s;
  return status;
}

}  // namespace talus
