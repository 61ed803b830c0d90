// How much memory and disk a run will take, said before it starts.
#pragma once

#include "core/error.h"
#include "run/simulation.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace talus {

struct Estimate {
  std::uint64_t particles = 0;     ///< at the end, if nothing drains
  std::uint64_t frames = 0;        ///< files still to be written
  std::uint64_t memory_bytes = 0;  ///< of the whole process, at the end
  std::uint64_t frame_bytes = 0;   ///< one frame, on average
  std::uint64_t disk_bytes = 0;    ///< frames and checkpoints
};

struct Room {
  std::uint64_t memory_bytes = 0;  ///< available to this process in all, what it has included
  std::uint64_t disk_bytes = 0;    ///< free to this user in the folder's file system
};

Estimate estimate_run(const Simulation& simulation, std::uint64_t last_frame);
/// Zero for what the system does not tell.
Room room_for(const std::filesystem::path& folder);
/// An error with numbers when the estimate does not fit.
Status check_room(const Estimate& estimate, const Room& room, const std::filesystem::path& folder);

std::uint64_t resident_bytes();                ///< memory this process uses now
std::string human_bytes(std::uint64_t bytes);  ///< "1.5 GB"

}  // namespace talus
