#include "simulation.h"

#include "body.h"
#include "frames/checkpoint.h"
#include "run/runner.h"
#include "scene.h"
#include "scene/write_scene.h"

#include <optional>

namespace talus::python {

/// As `talus run` does: the scene that runs is the one that a run folder holds, to the last bit.
PySimulation::PySimulation(const py::object& scene, int threads) {
  const PyScene given = scene_of(scene);
  scene_text_ = to_toml(given.scene);
  Scene resolved = take(reread_scene(given.scene, scene_text_));
  const py::gil_scoped_release free;
  executor_ = std::make_unique<Executor>(threads);
  simulation_ = take(Simulation::create(std::move(resolved), *executor_));
}

Simulation& PySimulation::now() {
  if (busy_)
    throw std::runtime_error(
        "another thread is stepping this simulation; wait for it before you look at it");
  return *simulation_;
}

StepReport PySimulation::step() {
  return take(alone([](Simulation& s) { return s.step(); }));
}

/// To the next frame. Ctrl-C is seen between two steps.
void PySimulation::advance() {
  do {
    step();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  } while (!now().at_frame());
}

py::array PySimulation::field(const std::string& name) {
  const SharedField shared = take(now().share_field(name));
  using Held = std::shared_ptr<const std::byte[]>;
  const py::capsule owner(new Held(shared.items), [](void* p) { delete static_cast<Held*>(p); });
  return read_only_array(shared.info.type, shared.count, shared.items.get(), owner);
}

void PySimulation::kick(const Points& change) {
  const auto values = points_of(change, "change");
  Simulation& simulation = now();
  const std::size_t count = simulation.particles().size();
  if (values.size() != count)
    throw py::value_error(
        fmt::format("{} changes of velocity for {} particles", values.size(), count));
  take(simulation.kick(values));
}

void PySimulation::add_body(const py::dict& table) {
  const Scene scene = scene_with(now().scene(), "body", table);
  take(alone([&](Simulation& s) { return s.add_body(scene.bodies.back()); }));
}

std::size_t PySimulation::add_pour(const py::dict& table) {
  return take(now().add_pour(scene_with(now().scene(), "pour", table).pours.back()));
}

void PySimulation::stop_pour(std::size_t pour) {
  if (pour >= now().scene().pours.size())
    throw py::index_error(fmt::format("pour {}: there are {}", pour, now().scene().pours.size()));
  now().stop_pour(pour);
}

void PySimulation::change_material(const py::object& material, const py::dict& changes) {
  const std::uint32_t index = material_index(material);
  Scene scene = scene_with_material(now().scene(), index, changes);
  take(now().change_material(index, scene.materials[index]));
}

void PySimulation::add_sink(const py::dict& table) {
  take(now().add_sink(scene_with(now().scene(), "sink", table).sinks.back()));
}

std::size_t PySimulation::add_fill(const py::dict& table) {
  const Scene scene = scene_with(now().scene(), "fill", table);
  return take(alone([&](Simulation& s) { return s.add_fill(scene.fills.back()); }));
}

std::uint32_t PySimulation::material_index(const py::object& material) {
  const auto& materials = now().scene().materials;
  if (py::isinstance<py::str>(material)) {
    const auto name = material.cast<std::string>();
    for (std::uint32_t m = 0; m < materials.size(); ++m)
      if (materials[m].name == name) return m;
    throw py::value_error("the scene has no material '" + name + "'");
  }
  const auto index = material.cast<std::uint32_t>();
  if (index >= materials.size())
    throw py::value_error(
        fmt::format("material {}: the scene has {} materials", index, materials.size()));
  return index;
}

std::uint64_t PySimulation::add_particles(const Points& position, const py::object& velocity,
                                          const py::object& material) {
  const auto x = points_of(position, "position");
  std::vector<Vec3f> v(x.size());
  if (!velocity.is_none()) {
    const auto given = velocity.cast<Points>();
    const auto values = points_of(given, "velocity");
    if (values.size() != x.size())
      throw py::value_error(fmt::format("{} velocities for {} positions", values.size(), x.size()));
    v.assign(values.begin(), values.end());
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!is_finite(x[i]) || !is_finite(v[i]))
      throw py::value_error(fmt::format("particle {} is not finite", i));
  return now().add_particles(x, v, material_index(material));
}

void PySimulation::save(const std::filesystem::path& path) {
  take(alone([&](Simulation& s) {
    State state;
    s.save(state);
    return write_checkpoint(path, state, *executor_);
  }));
}

void PySimulation::load(const std::filesystem::path& path) {
  take(alone([&](Simulation& s) -> Status {
    const auto state = read_checkpoint(path, *executor_);
    if (!state) return state.error();
    return s.load(*state);
  }));
}

void PySimulation::write_frame(const std::filesystem::path& path) {
  take(alone([&](Simulation& s) {
    s.prepare_frame();
    std::vector<FrameTable> tables;
    if (const ParticleStore* contacts = s.solver().contacts(); contacts != nullptr)
      tables.push_back({"contacts", contacts});
    return talus::write_frame(path, s.frame_info(), s.particles(), s.scene().output.fields,
                              s.scene().seed, *executor_, tables);
  }));
}

namespace {

/// A run folder that a simulation is written to, frame by frame.
class RunWriter {
 public:
  RunWriter(PySimulation& simulation, const std::filesystem::path& folder, std::uint64_t frames,
            bool overwrite)
      : folder_(take(RunFolder::create(
            folder, simulation.scene_text(),
            new_manifest(simulation.now().scene(), run_options(folder, frames)), overwrite))) {
    take(folder_->begin(nullptr));
    for (const std::string& note : simulation.now().notes()) folder_->log("note: " + note);
  }

  void frame(PySimulation& simulation, double seconds) {
    take(simulation.alone(
        [&](Simulation& s) { return open().write_frame(s, seconds, simulation.executor()); }));
  }
  void checkpoint(PySimulation& simulation) {
    take(simulation.alone(
        [&](Simulation& s) { return open().write_checkpoint(s, simulation.executor()); }));
  }
  void end(const std::string& state, const std::string& message) {
    take(open().set_state(state, message));
    folder_.reset();  // and its lock, whoever still holds this object
  }

 private:
  static RunOptions run_options(const std::filesystem::path& folder, std::uint64_t frames) {
    RunOptions options;
    options.folder = folder;
    options.program = "talus " TALUS_VERSION;
    options.frames = frames;
    return options;
  }

  RunFolder& open() {
    if (!folder_) throw std::runtime_error("the run has ended");
    return *folder_;
  }

  std::optional<RunFolder> folder_;
};

py::dict fields_of(PySimulation& p) {
  py::dict out;
  const ParticleStore& store = p.now().particles();
  for (std::size_t f = 0; f < store.field_count(); ++f)
    out[py::str(store.info(f).name)] = py::cast(store.info(f));
  return out;
}

void bind_reports(py::module_& module) {
  py::class_<FieldInfo>(module, "Field", "Name, unit and meaning of an array")
      .def_readonly("name", &FieldInfo::name)
      .def_readonly("unit", &FieldInfo::unit)
      .def_readonly("meaning", &FieldInfo::meaning)
      .def_property_readonly("type",
                             [](const FieldInfo& f) { return std::string(type_name(f.type)); })
      .def("__repr__", [](const FieldInfo& f) {
        return fmt::format("<talus.Field {} [{}], {}>", f.name, f.unit, type_name(f.type));
      });
  py::class_<StepReport>(module, "StepReport", "What one step did")
      .def_readonly("dt", &StepReport::dt)
      .def_property_readonly("dt_reason",
                             [](const StepReport& r) { return std::string(r.dt_reason); })
      .def_readonly("pressure_iterations", &StepReport::pressure_iterations)
      .def_readonly("friction_iterations", &StepReport::friction_iterations)
      .def_readonly("mean_density_error", &StepReport::mean_density_error)
      .def_readonly("max_density_error", &StepReport::max_density_error)
      .def_readonly("max_speed", &StepReport::max_speed)
      .def_readonly("asleep", &StepReport::asleep)
      .def_readonly("contacts", &StepReport::contacts);
  py::class_<PyBody>(module, "Body", "A body at one instant")
      .def_readonly("name", &PyBody::name)
      .def_property_readonly("position",
                             [](const PyBody& b) { return array_of(b.state.pose.position); })
      .def_property_readonly("rotation",
                             [](const PyBody& b) {
                               const Quatd& q = b.state.pose.rotation;
                               const double values[4] = {q.w, q.x, q.y, q.z};
                               return py::array_t<double>(4, values);
                             })
      .def_property_readonly("velocity", [](const PyBody& b) { return array_of(b.state.velocity); })
      .def_property_readonly("angular_velocity",
                             [](const PyBody& b) { return array_of(b.state.angular_velocity); })
      .def_property_readonly("force", [](const PyBody& b) { return array_of(b.load.force); })
      .def_property_readonly("torque", [](const PyBody& b) { return array_of(b.load.torque); })
      .def("__repr__", [](const PyBody& b) { return fmt::format("<talus.Body '{}'>", b.name); });
}

void set_gravity(PySimulation& p, const std::array<double, 3>& g) {
  p.now().set_gravity({g[0], g[1], g[2]});
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_reports(module);
  py::class_<RunWriter>(module, "RunWriter")
      .def(py::init<PySimulation&, const std::filesystem::path&, std::uint64_t, bool>(),
           py::arg("simulation"), py::arg("folder"), py::arg("frames"), py::arg("overwrite"))
      .def("frame", &RunWriter::frame, py::arg("simulation"), py::arg("seconds"))
      .def("checkpoint", &RunWriter::checkpoint, py::arg("simulation"))
      .def("end", &RunWriter::end, py::arg("state"), py::arg("message") = "");
  py::class_<PySimulation>(module, "Simulation")
      .def(py::init<const py::object&, int>(), py::arg("scene"), py::kw_only(),
           py::arg("threads") = 0)
      .def("step", &PySimulation::step)
      .def("advance", &PySimulation::advance)
      .def("field", &PySimulation::field, py::arg("name"))
      .def("__getitem__", &PySimulation::field)
      .def("__len__", [](PySimulation& p) { return p.now().particles().size(); })
      .def("kick", &PySimulation::kick, py::arg("change"))
      .def("add_body", &PySimulation::add_body, py::arg("table"))
      .def("add_pour", &PySimulation::add_pour, py::arg("table"))
      .def("stop_pour", &PySimulation::stop_pour, py::arg("number"))
      .def(
          "push",
          [](PySimulation& p, const std::array<double, 3>& at, double radius,
             const std::array<double, 3>& v) {
            take(p.now().push({at[0], at[1], at[2]}, radius, {v[0], v[1], v[2]}));
          },
          py::arg("point"), py::arg("radius"), py::arg("velocity"))
      .def("change_material", &PySimulation::change_material, py::arg("material"),
           py::arg("changes"))
      .def("add_sink", &PySimulation::add_sink, py::arg("table"))
      .def("add_fill", &PySimulation::add_fill, py::arg("table"))
      .def("add_particles", &PySimulation::add_particles, py::arg("position"),
           py::arg("velocity") = py::none(), py::arg("material") = 0)
      .def("prepare_frame",
           [](PySimulation& p) { p.alone([](Simulation& s) { s.prepare_frame(); }); })
      .def("save", &PySimulation::save, py::arg("path"))
      .def("load", &PySimulation::load, py::arg("path"))
      .def("write_frame", &PySimulation::write_frame, py::arg("path"))
      .def("energy",
           [](PySimulation& p) {
             const Energy e = p.now().energy();
             return py::make_tuple(e.kinetic, e.potential);
           })
      .def_property(
          "gravity", [](PySimulation& p) { return array_of(p.now().scene().gravity); },
          &set_gravity)
      .def_property_readonly("scene",
                             [](PySimulation& p) {
                               return PyScene{p.now().scene(), {}};
                             })
      .def_property_readonly("fields", &fields_of)
      .def_property_readonly("bodies",
                             [](PySimulation& p) { return bodies_of(p.now().frame_info()); })
      .def_property_readonly("notes", [](PySimulation& p) { return p.now().notes(); })
      .def_property_readonly("threads", [](PySimulation& p) { return p.executor().threads(); })
      .def_property_readonly("time", [](PySimulation& p) { return p.now().time(); })
      .def_property_readonly("steps", [](PySimulation& p) { return p.now().steps(); })
      .def_property_readonly("frame", [](PySimulation& p) { return p.now().frame(); })
      .def_property_readonly("at_frame", [](PySimulation& p) { return p.now().at_frame(); })
      .def_property_readonly("frame_count", [](PySimulation& p) { return p.now().frame_count(); });
}

}  // namespace talus::python
