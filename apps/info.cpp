// talus info DIR: what a run contains, and whether its files are whole.

#include "cli.h"
#include "frames/checkpoint.h"
#include "frames/frame.h"
#include "run/estimate.h"
#include "run/manifest.h"
#include "verbs.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus {

namespace {

void print_summary(const std::string& folder, const Manifest& m) {
  std::uint64_t bytes = 0;
  for (const ManifestFrame& frame : m.frames) bytes += frame.bytes;
  fmt::print("{}: '{}', solver {}, seed {}, by {}\n", folder, m.scene, m.solver, m.seed, m.program);
  fmt::print("state     {}{}\n", m.state, m.message.empty() ? "" : ": " + m.message);
  fmt::print("frames    {} of {} at {} per second, {}\n", m.frames.size(), m.frames_total + 1,
             m.frame_rate, human_bytes(bytes));
  if (!m.frames.empty())
    fmt::print("particles {} at the start, {} at {:.4g} s\n", m.frames.front().particles,
               m.frames.back().particles, m.frames.back().time);
}

Status print_last_frame(const std::string& folder, const Manifest& m) {
  if (m.frames.empty()) return {};
  const auto frame = FrameFile::open(frame_path(folder, m.frames.back().index));
  if (!frame) return frame.error();
  fmt::print("fields of frame {} (bytes for a particle on disk):\n", m.frames.back().index);
  const double count = static_cast<double>(std::max<std::uint64_t>(frame->count(), 1));
  for (std::size_t f = 0; f < frame->fields().size(); ++f) {
    const FieldInfo& field = frame->fields()[f];
    fmt::print("  {:<12} {:<6} {:<7} {:5.2f}  {}\n", field.name, type_name(field.type), field.unit,
               static_cast<double>(frame->compressed_bytes(f)) / count, field.meaning);
  }
  for (const FrameBody& body : frame->info().bodies) {
    const Vec3d& p = body.state.pose.position;
    fmt::print("body '{}' at ({:.4g}, {:.4g}, {:.4g}) m\n", body.name, p.x, p.y, p.z);
  }
  return {};
}

/// Reads every byte of every frame and of the checkpoint.
int verify(const std::string& folder, const Manifest& m, const Executor& executor) {
  int worst = 0;
  for (const ManifestFrame& listed : m.frames) {
    const auto frame = FrameFile::open(frame_path(folder, listed.index));
    if (!frame) {
      worst = report_error(frame.error());
      continue;
    }
    for (std::size_t f = 0; f < frame->fields().size(); ++f)
      if (const auto bytes = frame->read_bytes(f, executor); !bytes)
        worst = report_error(bytes.error());
  }
  const auto checkpoint = std::filesystem::path(folder) / "checkpoint.tal";
  if (std::filesystem::exists(checkpoint))
    if (const auto state = read_checkpoint(checkpoint, executor); !state)
      worst = report_error(state.error());
  if (worst == 0) fmt::print("all {} frames and the checkpoint are whole\n", m.frames.size());
  return worst;
}

}  // namespace

int verb_info(VerbArguments args) {
  std::string folder;
  bool check = false;
  Cli cli("info", "tell what a run contains");
  cli.word("DIR", folder, "run folder");
  cli.flag("--verify", check, "read all frames and the checkpoint and report damage");
  if (const auto stop = cli.parse(args)) return *stop;
  const auto manifest = read_manifest(folder);
  if (!manifest) return report_error(manifest.error());
  print_summary(folder, *manifest);
  if (Status status = print_last_frame(folder, *manifest); !status.ok())
    return report_error(status.error());
  if (manifest->state != "finished") fmt::print("continue with: talus resume {}\n", folder);
  const Executor executor;
  return check ? verify(folder, *manifest, executor) : 0;
}

}  // namespace talus
