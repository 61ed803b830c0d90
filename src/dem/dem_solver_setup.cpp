// Creating the solver, grains that enter, and grains that leave.
#include "core/random.h"
#include "dem/dem_solver_impl.h"
#include "dem/overlaps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

Status DemSolver::create() {
  auto shapes = grain_shapes(scene_);
  if (!shapes) return shapes.error();
  shapes_ = std::move(*shapes);
  if (scene_.dem.inertia == "scalar") {
    for (GrainShape& s : shapes_) {  // of a solid tetrahedron of edge `edge`: m edge^2 / 20
      if (s.balls.size() == 1) continue;
      const double i = s.edge * s.edge / 20;
      s.inertia = {i, i, i};
      s.isotropic = true;
    }
  }
  table_ = make_shape_table(shapes_);
  images_ = Images::of(scene_);
  if (Status s = set_up_laws(); !s) return s;
  forces_.resize(static_cast<std::size_t>(executor_.threads()));
  skin_ = least_skin * least_radius();
  register_fields();
  write_notes();
  return {};
}

double DemSolver::least_radius() const {
  double least = 1e300;
  for (std::size_t m = 0; m < shapes_.size(); ++m)
    least = std::min(least, shapes_[m].least * scene_.materials[m].grain_diameter);
  return least;
}

/// All that depends on the laws of materials and on which bodies there are.
Status DemSolver::set_up_laws() {
  auto laws = PairLaws::create(scene_, shapes_, bodies_);
  if (!laws) return laws.error();
  laws_ = std::move(*laws);
  auto walls = WallFaces::create(scene_, bodies_, least_radius(), executor_);
  if (!walls) return walls.error();
  walls_ = std::move(*walls);
  time_step_ = TimeStep(scene_, shapes_, laws_);
  stored_ = tangential_law_of(scene_) == TangentialLaw::mindlin;
  const bool records_of_arms = table_.clumps || !walls_.rough().empty();
  pair_forces_ = pair_forces(normal_law_of(scene_), tangential_law_of(scene_), records_of_arms);
  wall_forces_ = wall_forces(normal_law_of(scene_), tangential_law_of(scene_));
  return {};
}

/// Contacts keep their memory: bodies are added behind the others, so numbers stay.
Status DemSolver::adopt(const Scene& scene) {
  take_velocities();
  scene_.materials = scene.materials;
  scene_.bodies = scene.bodies;
  return set_up_laws();
}

Status DemSolver::change_velocities(std::span<const Vec3f> change) {
  TALUS_CHECK(change.size() == grains_.count, "changes {} grains {}", change.size(), grains_.count);
  RowPair* motion = listed_ ? records_[now_].motion.data() : grains_.motion.data();
  for (std::size_t i = 0; i < change.size(); ++i) {
    Row& v = motion[i].first;
    for (int c = 0; c < 3; ++c) {
      grains_.v[static_cast<std::size_t>(c)][i] += double{change[i][c]};
      v.v[c] += change[i][c];
    }
    speed_ = std::max(speed_, double{norm(Vec3f{v.v[0], v.v[1], v.v[2]})});
  }
  published_ = Published::nothing;
  return {};
}

void DemSolver::write_notes() {
  for (std::size_t m = 0; m < shapes_.size(); ++m)
    if (shapes_[m].pieces > 1)
      notes_.push_back(fmt::format(
          "material '{}': the grain shape falls into {} pieces that do not touch; they move as one",
          scene_.materials[m].name, shapes_[m].pieces));
  const StepLimit limit = time_step_.limit(1.0, 0);
  if (!(scene_.dem.time_step > limit.dt)) return;
  forced_step_told_ = true;
  notes_.push_back(fmt::format(
      "dem.time_step = {:.3g} s is above the automatic step of {:.3g} s (limit: {}, at impacts "
      "of 1 m/s): collisions are not resolved, and grains may explode or pass through each other",
      scene_.dem.time_step, limit.dt, limit.reason));
}

/// A step that was short enough for gentle impacts may be too long once grains are fast or pressed.
void DemSolver::note_forced_step(const StepLimit& limit) {
  if (forced_step_told_) return;
  forced_step_told_ = true;
  notes_.push_back(fmt::format(
      "at {:.4g} s dem.time_step = {:.3g} s has come to lie above the automatic step of {:.3g} s "
      "(limit: {}, fastest grain {:.3g} m/s): collisions are resolved worse from here on, and far "
      "above it grains explode or pass through each other",
      time_, scene_.dem.time_step, limit.dt, limit.reason, speed_));
}

void DemSolver::register_fields() {
  using enum FieldUse;
  id_ = store_.add_field<std::uint64_t>("id", "1", frame, "constant and unique");
  x_ = store_.add_field<Vec3f>("position", "m", frame, "centre of mass");
  v_ = store_.add_field<Vec3f>("velocity", "m/s", frame, "of the centre of mass");
  radius_ = store_.add_field<float>("radius", "m", frame, "of the sphere around the grain");
  material_ = store_.add_field<std::uint32_t>("material", "1", frame,
                                              "index into the materials, which tell the shape");
  rotation_ =
      store_.add_field<Quatf>("rotation", "1", frame, "principal axes to world: w, x, y, z");
  w_ = store_.add_field<Vec3f>("angular_velocity", "rad/s", frame, "in the world's axes");
  const auto asked = [&](const char* name) {
    const auto& names = scene_.output.fields;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (asked("coordination"))
    coordination_ = store_.add_field<std::uint32_t>("coordination", "1", frame,
                                                    "grains and bodies that it touches");
  if (asked("packing_fraction"))
    packing_fraction_ = store_.add_field<float>("packing_fraction", "1", frame,
                                                "solid part of the room within two diameters");
  if (asked("stress"))
    stress_ = store_.add_field<Sym3f>("stress", "Pa", frame,
                                      "mean inside the grain, positive in tension");
  if (asked("contacts")) contact_table_.emplace();
}

double DemSolver::particle_mass(std::uint32_t material) const {
  const Material& m = scene_.materials[material];
  const double d = m.grain_diameter;
  return m.grain_density * shapes_[material].volume * d * d * d;
}

void DemSolver::set_up_grain(std::size_t i, std::uint32_t material, float scale) {
  const GrainShape& shape = shapes_[material];
  const double s = double{scale};
  const double d = scene_.materials[material].grain_diameter * s;
  const double mass = particle_mass(material) * s * s * s;
  grains_.size[i] = static_cast<float>(d);
  grains_.inverse_mass[i] = static_cast<float>(1 / mass);
  for (int c = 0; c < 3; ++c)
    grains_.inverse_inertia[static_cast<std::size_t>(c)][i] =
        static_cast<float>(1 / (mass * d * d * shape.inertia[c]));
  grains_.shape[i] = material;
  grains_.listed_index[i] = Grains::none;
  grains_.skin[i] = 0;
  largest_size_ = std::max(largest_size_, grains_.size[i]);
}

/// A uniformly distributed orientation, by the grain's id (Shoemake 1992).
Quatd random_orientation(std::uint64_t seed, std::uint64_t id) {
  const auto u = random_floats(seed, id, Purpose::orientation);
  const double a = std::sqrt(1.0 - double{u[0]}), b = std::sqrt(double{u[0]});
  const double s = 2 * std::numbers::pi * double{u[1]}, t = 2 * std::numbers::pi * double{u[2]};
  return normalized(Quatd{b * std::cos(t), a * std::sin(s), a * std::cos(s), b * std::sin(t)});
}

void DemSolver::set_spin(std::size_t i, const Quatd& q, const Vec3d& angular_velocity) {
  Vec3d l = rotate(conjugate(q), angular_velocity);
  for (int c = 0; c < 3; ++c)
    l[c] /= double{grains_.inverse_inertia[static_cast<std::size_t>(c)][i]};
  l = rotate(q, l);
  for (int c = 0; c < 3; ++c) grains_.l[static_cast<std::size_t>(c)][i] = l[c];
}

void DemSolver::add(const NewParticles& fresh) {
  if (fresh.position.empty()) return;
  take_velocities();
  const std::size_t old = grains_.count;
  grains_.resize(old + fresh.position.size());
  for (std::size_t k = 0; k < fresh.position.size(); ++k) {
    const std::size_t i = old + k;
    const float scale = fresh.size_scale.empty() ? 1.0f : fresh.size_scale[k];
    TALUS_CHECK(scale > 0, "size_scale {}", scale);
    grains_.id[i] = fresh.id[k];
    set_up_grain(i, fresh.material[k], scale);
    Quatd q = table_.clumps ? random_orientation(scene_.seed, fresh.id[k]) : Quatd{};
    if (!fresh.rotation.empty()) {
      const Quatf r = fresh.rotation[k];
      q = normalized(Quatd{double{r.w}, double{r.x}, double{r.y}, double{r.z}});
    }
    const double parts[4] = {q.w, q.x, q.y, q.z};
    for (std::size_t c = 0; c < 4; ++c) grains_.q[c][i] = parts[c];
    for (auto& a : grains_.turned) a[i] = 0;
    const Vec3f v = fresh.velocity[k];
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<std::size_t>(c);
      grains_.x[axis][i] = double{fresh.position[k][c]};
      grains_.v[axis][i] = double{v[c]};
    }
    const Vec3f w = fresh.angular_velocity.empty() ? Vec3f{} : fresh.angular_velocity[k];
    set_spin(i, q, Vec3d(w));
    for (auto& a : grains_.listed) a[i] = 0;
    grains_.motion[i] = {make_row(v.x, v.y, v.z, grains_.inverse_mass[i]),
                         make_row(w.x, w.y, w.z, bits_as_float(fresh.material[k]))};
    spin_ = std::max(spin_, double{norm(w)});
    speed_ = std::max(speed_, double{norm(v)});
  }
  make_room(old);
  published_ = Published::nothing;
}

/// New grains that overlap something are moved; those without room are left out, and said.
void DemSolver::make_room(std::size_t first) {
  walls_.place();
  const Relaxation r = relax_overlaps(grains_, table_, images_, walls_, first, executor_);
  if (r.moved > 0 && steps_ == 0)
    notes_.push_back(fmt::format("{} grains overlapped others or a body and were moved", r.moved));
  if (r.hopeless == 0) return;
  if (steps_ == 0)
    notes_.push_back(fmt::format(
        "{} grains were left out: there is no room where they should start", r.hopeless));
  grains_.compact(r.keep);
}

void DemSolver::remove(std::span<const std::uint8_t> keep) {
  TALUS_CHECK(keep.size() == grains_.count, "keep {} grains {}", keep.size(), grains_.count);
  take_velocities();
  grains_.compact(keep);
  published_ = Published::nothing;
}

/// Lists end their life here: what records know moves back into the grains' own arrays.
void DemSolver::take_velocities() {
  if (!listed_) return;
  const Records& r = records_[now_];
  std::copy_n(r.motion.data(), grains_.count, grains_.motion.data());
  listed_ = false;
}

}  // namespace talus::dem

namespace talus {

Result<std::unique_ptr<Solver>> make_dem_solver(const Scene& scene, std::vector<Body>& bodies,
                                                const Executor& executor) {
  auto solver = std::make_unique<dem::DemSolver>(scene, bodies, executor);
  if (Status s = solver->create(); !s) return s.error();
  return std::unique_ptr<Solver>(std::move(solver));
}

}  // namespace talus
