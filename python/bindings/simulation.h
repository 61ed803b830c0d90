// A simulation with its threads, as Python holds it. Python's lock is given up while it steps;
// whoever calls it meanwhile is told so instead of reading arrays that are being written.
#pragma once

#include "common.h"
#include "run/run_folder.h"
#include "run/simulation.h"

#include <memory>
#include <string>

namespace talus::python {

class PySimulation {
 public:
  PySimulation(const py::object& scene, int threads);

  /// Throws while another thread steps it.
  Simulation& now();
  const Executor& executor() const { return *executor_; }
  const std::string& scene_text() const { return scene_text_; }

  StepReport step();
  void advance();
  py::array field(const std::string& name);
  void kick(const Points& change);
  void add_body(const py::dict& table);
  std::size_t add_pour(const py::dict& table);
  void stop_pour(std::size_t pour);
  void change_material(const py::object& material, const py::dict& changes);
  void add_sink(const py::dict& table);
  std::size_t add_fill(const py::dict& table);
  std::uint64_t add_particles(const Points& position, const py::object& velocity,
                              const py::object& material);
  void save(const std::filesystem::path& path);
  void load(const std::filesystem::path& path);
  void write_frame(const std::filesystem::path& path);

  /// work(simulation) without Python's lock.
  template <class Work>
  auto alone(Work&& work) {
    Simulation& simulation = now();
    struct Busy {
      explicit Busy(bool& f) : flag(f) { flag = true; }
      ~Busy() { flag = false; }
      bool& flag;
    } busy(busy_);  // before the lock is given up, until after it is taken back
    const py::gil_scoped_release free;
    return work(simulation);
  }

 private:
  std::uint32_t material_index(const py::object& material);

  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Simulation> simulation_;
  std::string scene_text_;
  bool busy_ = false;  ///< only touched by who holds Python's lock
};

}  // namespace talus::python
