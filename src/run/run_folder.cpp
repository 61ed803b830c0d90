#include "run/run_folder.h"

#include "core/machine.h"
#include "frames/checkpoint.h"
#include "frames/checksum.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

namespace talus {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view statistics_header =
    "frame,time_s,particles,steps,mean_dt_s,smallest_dt_s,smallest_dt_reason,pressure_iterations,"
    "friction_iterations,mean_density_error,max_density_error,stress_change,max_speed_m_s,"
    "kinetic_energy_J,potential_energy_J,asleep,contacts,poured,drained,blocked";
constexpr std::string_view forces_header =
    "frame,time_s,body,force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm,"
    "peak_force_N";
constexpr std::string_view bodies_header =
    "frame,time_s,body,x_m,y_m,z_m,qw,qx,qy,qz,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s";
constexpr std::string_view timings_header = "frame,phase,calls,seconds";

constexpr std::uint64_t max_scene_bytes = std::uint64_t{64} << 20;

/// A CSV cell for a name that may hold commas or quotes.
std::string cell(std::string_view name) {
  if (name.find_first_of(",\"\n") == std::string_view::npos) return std::string(name);
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string cells(const Vec3d& v) { return fmt::format("{},{},{}", v.x, v.y, v.z); }

std::string statistics_row(const Simulation& simulation) {
  const FrameSummary& summary = simulation.summary();
  const StepSums& s = summary.sums();
  const Energy energy = simulation.energy();
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                     simulation.frame(), simulation.time(), simulation.particles().size(), s.steps,
                     summary.mean_dt(), s.smallest_dt, cell(summary.smallest_reason()),
                     s.pressure_iterations, s.friction_iterations, summary.mean_density_error(),
                     s.max_density_error, s.stress_change, s.max_speed, energy.kinetic,
                     energy.potential, s.asleep, s.contacts, s.poured, s.drained, s.blocked);
}

std::string forces_row(const Simulation& simulation, std::size_t b) {
  const BodyLoad load = simulation.summary().mean_load(b);
  return fmt::format("{},{},{},{},{},{}", simulation.frame(), simulation.time(),
                     cell(simulation.bodies()[b].name), cells(load.force), cells(load.torque),
                     simulation.summary().peak_force(b));
}

std::string bodies_row(const Simulation& simulation, std::size_t b) {
  const BodyState& state = simulation.bodies()[b].state;
  const Quatd& q = state.pose.rotation;
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", simulation.frame(), simulation.time(),
                     cell(simulation.bodies()[b].name), cells(state.pose.position), q.w, q.x, q.y,
                     q.z, cells(state.velocity), cells(state.angular_velocity));
}

/// Temporary files of a run that was killed while it wrote.
void remove_leftovers(const fs::path& path) {
  std::error_code code;
  for (const fs::path& folder : {path, path / "frames"})
    for (const auto& entry : fs::directory_iterator(folder, code))
      if (entry.path().extension() == ".tmp") fs::remove(entry.path(), code);
}

Result<std::string> read_scene_text(const fs::path& folder) {
  return read_text_file(folder / "scene.toml", max_scene_bytes);
}

std::uint32_t text_crc(std::string_view text) { return crc32(std::as_bytes(std::span(text))); }

}  // namespace

bool is_being_written(const fs::path& folder) {
  const int file = ::open((folder / "log.txt").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return held;
}

struct RunFolder::Tables {
  CsvTable statistics, forces, bodies, timings;
};

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      manifest_(std::move(other.manifest_)),
      tables_(std::move(other.tables_)),
      lock_(other.lock_) {
  other.lock_ = -1;
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

/// Two programs in one folder would mix their frames. The lock goes with the process, so a killed
/// run leaves none behind.
Status RunFolder::lock() {
  const fs::path file = path_ / "log.txt";
  lock_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (lock_ < 0) return file_error("create", file, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return work_error(
        "another talus is writing to {}; wait for it, or choose another folder with -o",
        path_.string());
  return {};
}

Status RunFolder::may_create(const fs::path& path, bool overwrite) {
  std::error_code code;
  if (!overwrite && fs::exists(path / "manifest.json", code))
    return request_error(
        "{} already holds a run. 'talus resume {}' continues it; --overwrite replaces it; -o DIR "
        "writes elsewhere",
        path.string(), path.string());
  return {};
}

Result<RunFolder> RunFolder::create(const fs::path& path, std::string_view scene_text,
                                    Manifest manifest, bool overwrite) {
  if (Status status = may_create(path, overwrite); !status.ok()) return status.error();
  std::error_code code;
  fs::create_directories(path / "frames", code);
  if (code) return file_error("create the folder", path / "frames", code.value());
  RunFolder folder(path);
  if (Status status = folder.lock(); !status.ok()) return status.error();
  // Manifest and checkpoint first: a half-removed run must not look like one that can be resumed.
  for (const char* name : {"manifest.json", "checkpoint.tal"}) fs::remove(path / name, code);
  for (const auto& entry : fs::directory_iterator(path / "frames", code))
    if (entry.path().filename().string().starts_with("frame_")) fs::remove(entry.path(), code);
  if (Status status = write_text_file(path / "scene.toml", scene_text); !status.ok())
    return status.error();
  folder.manifest_ = std::move(manifest);
  folder.manifest_.scene_crc = text_crc(scene_text);
  if (Status status = write_manifest(path, folder.manifest_); !status.ok()) return status.error();
  return folder;
}

Result<RunFolder> RunFolder::open(const fs::path& path) {
  auto manifest = read_manifest(path);
  if (!manifest) return manifest.error();
  const auto scene_text = read_scene_text(path);
  if (!scene_text) return scene_text.error();
  if (text_crc(*scene_text) != manifest->scene_crc)
    return work_error(
        "{} was changed after the run began, so the run cannot go on as it was. Start a new one: "
        "talus run {} -o ANOTHER_FOLDER",
        (path / "scene.toml").string(), (path / "scene.toml").string());
  RunFolder folder(path);
  if (Status status = folder.lock(); !status.ok()) return status.error();
  folder.manifest_ = std::move(*manifest);
  return folder;
}

std::uint64_t RunFolder::checkpoint_bytes() const {
  std::error_code code;
  const auto size = fs::file_size(path_ / "checkpoint.tal", code);
  return code ? 0 : size;
}

Result<std::optional<State>> RunFolder::read_checkpoint(const Executor& executor) const {
  std::error_code code;
  if (!fs::exists(path_ / "checkpoint.tal", code)) return std::optional<State>{};
  auto state = talus::read_checkpoint(path_ / "checkpoint.tal", executor);
  if (!state)
    return work_error(
        "{}\nThe run cannot be continued. Its frames are intact; start it again with: "
        "talus run {} -o {} --overwrite",
        state.error().message, (path_ / "scene.toml").string(), path_.string());
  return std::optional<State>(std::move(*state));
}

Status RunFolder::begin(const State* checkpoint) {
  remove_leftovers(path_);
  std::uint64_t keep[4] = {0, 0, 0, 0};
  std::uint64_t frame = 0;
  if (checkpoint != nullptr) {
    std::vector<std::uint64_t> stored;
    if (Status status = checkpoint->get("folder/table_bytes", stored); !status.ok()) return status;
    if (Status status = checkpoint->get("run/frame", frame); !status.ok()) return status;
    if (stored.size() != 4) return work_error("checkpoint has {} tables, not 4", stored.size());
    std::copy(stored.begin(), stored.end(), keep);
    std::erase_if(manifest_.frames, [&](const ManifestFrame& f) { return f.index > frame; });
  } else {
    manifest_.frames.clear();
  }
  auto statistics = CsvTable::open(path_ / "statistics.csv", statistics_header, keep[0]);
  if (!statistics) return statistics.error();
  auto forces = CsvTable::open(path_ / "forces.csv", forces_header, keep[1]);
  if (!forces) return forces.error();
  auto bodies = CsvTable::open(path_ / "bodies.csv", bodies_header, keep[2]);
  if (!bodies) return bodies.error();
  auto timings = CsvTable::open(path_ / "timings.csv", timings_header, keep[3]);
  if (!timings) return timings.error();
  tables_.reset(new Tables{std::move(*statistics), std::move(*forces), std::move(*bodies),
                           std::move(*timings)});
  return set_state("running");
}

Status RunFolder::append_rows(Simulation& simulation, double seconds) {
  if (Status s = tables_->statistics.append(statistics_row(simulation)); !s.ok()) return s;
  for (std::size_t b = 0; b < simulation.bodies().size(); ++b) {
    if (Status s = tables_->forces.append(forces_row(simulation, b)); !s.ok()) return s;
    if (Status s = tables_->bodies.append(bodies_row(simulation, b)); !s.ok()) return s;
  }
  for (const Phase& phase : simulation.timers().phases())
    if (Status s = tables_->timings.append(fmt::format(
            "{},{},{},{:.6f}", simulation.frame(), cell(phase.name), phase.calls, phase.seconds));
        !s.ok())
      return s;
  simulation.timers().reset();
  return tables_->timings.append(fmt::format("{},all,1,{:.6f}", simulation.frame(), seconds));
}

Status RunFolder::write_frame(Simulation& simulation, double seconds, const Executor& executor) {
  const fs::path file = frame_path(path_, simulation.frame());
  const Scene& scene = simulation.scene();
  simulation.prepare_frame();
  std::vector<FrameTable> tables;
  if (const ParticleStore* contacts = simulation.solver().contacts(); contacts != nullptr)
    tables.push_back({"contacts", contacts});
  if (Status status = talus::write_frame(file, simulation.frame_info(), simulation.particles(),
                                         scene.output.fields, scene.seed, executor, tables);
      !status.ok())
    return status;
  if (Status status = append_rows(simulation, seconds); !status.ok()) return status;
  std::error_code code;
  const auto bytes = fs::file_size(file, code);
  manifest_.frames.push_back(
      {simulation.frame(), simulation.time(), simulation.particles().size(), code ? 0 : bytes});
  manifest_.fields = frame_fields(simulation.particles(), scene.output.fields);
  return write_manifest(path_, manifest_);
}

Status RunFolder::write_checkpoint(const Simulation& simulation, const Executor& executor) {
  State state;
  simulation.save(state);
  std::vector<std::uint64_t> bytes;
  for (CsvTable* table :
       {&tables_->statistics, &tables_->forces, &tables_->bodies, &tables_->timings}) {
    if (Status status = table->flush(); !status.ok()) return status;
    bytes.push_back(table->bytes());
  }
  state.put("folder/table_bytes", std::span<const std::uint64_t>(bytes));
  return talus::write_checkpoint(path_ / "checkpoint.tal", state, executor);
}

Status RunFolder::set_state(std::string state, std::string message) {
  manifest_.state = std::move(state);
  manifest_.message = std::move(message);
  return write_manifest(path_, manifest_);
}

void RunFolder::log(std::string_view line) {
  const std::string text = fmt::format("{} {}\n", utc_now(), line);
  if (::write(lock_, text.data(), text.size()) < 0) return;
}

}  // namespace talus
