#include "run/estimate.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace talus {

namespace {

// Part of the raw bytes that is left after compression, for frames in which everything moves
// (docs/run-folder.md); frames of sand at rest take less.
constexpr double compressed_part = 0.8;
// A checkpoint lies beside the one it replaces until it is complete.
constexpr double checkpoints_at_once = 2;
// What the process needs beside the solver: program, sorted copies while a frame is written.
constexpr std::uint64_t base_memory = std::uint64_t{64} << 20;

std::uint64_t bytes_per_particle(const ParticleStore& store, const Scene& scene, bool frame) {
  std::uint64_t bytes = 0;
  if (frame) {
    for (const FieldInfo& info : frame_fields(store, scene.output.fields))
      bytes += bytes_per_item(info.type);
  } else {
    for (std::size_t f = 0; f < store.field_count(); ++f)
      bytes += bytes_per_item(store.info(f).type);
  }
  return bytes;
}

std::uint64_t scaled(double factor, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(factor * static_cast<double>(bytes));
}

/// kB of a line "MemAvailable:  123 kB" of /proc/meminfo, in bytes.
std::uint64_t meminfo(const std::string& key) {
  std::ifstream in("/proc/meminfo");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (in >> word) {
    if (word == key && in >> kilobytes) return kilobytes * 1024;
    in.ignore(4096, '\n');
  }
  return 0;
}

}  // namespace

Estimate estimate_run(const Simulation& simulation, std::uint64_t last_frame) {
  const ParticleStore& store = simulation.particles();
  const Scene& scene = simulation.scene();
  const std::uint64_t first = simulation.frame();
  Estimate e;
  e.particles = simulation.expected_particles(last_frame);
  e.frames = last_frame >= first ? last_frame - first + 1 : 0;
  const double mean = 0.5 * static_cast<double>(store.size() + e.particles);
  e.frame_bytes = scaled(mean * compressed_part, bytes_per_particle(store, scene, true));
  const double growth = static_cast<double>(e.particles) /
                        static_cast<double>(std::max<std::size_t>(store.size(), 1));
  const std::uint64_t state = bytes_per_particle(store, scene, false) * e.particles;
  // Too few particles at the start tell nothing about the solver's need for each.
  const std::uint64_t solver = store.size() >= 1000 ? scaled(growth, simulation.memory_bytes())
                                                    : simulation.memory_bytes() + 4 * state;
  // While a checkpoint is written, its State is a second copy of all fields.
  e.memory_bytes = base_memory + solver + state;
  e.disk_bytes = e.frames * e.frame_bytes + scaled(checkpoints_at_once, state);
  return e;
}

Room room_for(const std::filesystem::path& folder) {
  Room room;
  if (const std::uint64_t available = meminfo("MemAvailable:"))
    room.memory_bytes = available + resident_bytes();
  std::filesystem::path existing = std::filesystem::absolute(folder);
  std::error_code code;
  while (!std::filesystem::exists(existing, code) && existing.has_relative_path())
    existing = existing.parent_path();
  struct statvfs info {};
  if (::statvfs(existing.c_str(), &info) == 0)
    room.disk_bytes = std::uint64_t{info.f_bavail} * info.f_frsize;
  return room;
}

Status check_room(const Estimate& e, const Room& room, const std::filesystem::path& folder) {
  if (room.memory_bytes > 0 && e.memory_bytes > room.memory_bytes)
    return work_error(
        "the run needs about {} of memory for {} particles, this machine has {}. Choose a larger "
        "spacing or less material, or start it all the same with --force",
        human_bytes(e.memory_bytes), e.particles, human_bytes(room.memory_bytes));
  if (room.disk_bytes > 0 && e.disk_bytes > room.disk_bytes)
    return work_error(
        "the run needs about {} of disk ({} frames of {}), {} has {} free. Choose another folder "
        "with -o, fewer frames or a larger spacing, or start it all the same with --force",
        human_bytes(e.disk_bytes), e.frames, human_bytes(e.frame_bytes), folder.string(),
        human_bytes(room.disk_bytes));
  return {};
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace talus
