// What comes into a simulation that runs besides bodies and nozzles, and fields that go out of it
// to somebody who holds them for as long as he likes.
#include "run/fills.h"
#include "run/grain_scale.h"
#include "run/simulation.h"

namespace talus {

Status Simulation::add_sink(const Sink& sink) {
  auto region = Region::create(scene_, sink);
  if (!region) return region.error();
  scene_.sinks.push_back(sink);
  sinks_.push_back(std::move(*region));
  return {};
}

Result<std::size_t> Simulation::add_fill(const Fill& fill) {
  Scene alone = scene_;
  alone.fills = {fill};
  auto filled =
      sample_fills(alone, world_.bodies(), executor_, particles().values<Vec3f>("position"));
  if (!filled) return filled.error();
  const ParticleBatch& batch = filled->particles;
  notes_.insert(notes_.end(), filled->notes.begin(), filled->notes.end());
  add_particles(batch.position, batch.velocity, fill.material);
  return batch.size();
}

std::uint64_t Simulation::add_particles(std::span<const Vec3f> position,
                                        std::span<const Vec3f> velocity, std::uint32_t material) {
  TALUS_CHECK(position.size() == velocity.size(), "{} positions, {} velocities", position.size(),
              velocity.size());
  TALUS_CHECK(material < scene_.materials.size(), "material {}", material);
  let_go();
  const std::uint64_t first = next_id_;
  ParticleBatch batch;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const std::uint64_t id = next_id_++;
    batch.add(position[i], velocity[i], id, material, grain_size_scale(scene_, material, id));
  }
  solver_->add(batch.view());
  summary_.add_particles(batch.size(), 0, 0);
  return first;
}

Status Simulation::kick(std::span<const Vec3f> change) {
  let_go();
  return solver_->change_velocities(change);
}

Result<SharedField> Simulation::share_field(std::string_view name) const {
  const int index = particles().find(name);
  if (index >= 0) {
    shared_ = true;
    return particles().share(static_cast<std::size_t>(index));
  }
  std::vector<std::string> names;
  for (std::size_t f = 0; f < particles().field_count(); ++f)
    names.push_back(particles().info(f).name);
  return request_error("the particles have no field '{}'; they have {}", name,
                       fmt::join(names, ", "));
}

/// Before anything that changes particles, or the order in which a solver shows them.
void Simulation::let_go() const {
  if (!shared_) return;  // looking at the particles makes some solvers work
  shared_ = false;
  solver_->particles().unshare();
}

}  // namespace talus
