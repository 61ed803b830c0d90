// `talus detail DIR --join`: are the shares of all slices there, whole, and of one kind?
#include "detail/detail_job.h"
#include "detail/share_file.h"
#include "frames/detail_frame.h"
#include "run/manifest.h"

#include <algorithm>
#include <map>

namespace talus::detail {

namespace fs = std::filesystem;

namespace {

struct Found {
  fs::path folder;
  ShareRecord record;
};

Result<std::vector<Found>> find_shares(const fs::path& run) {
  std::vector<Found> out;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(run / "detail", code)) {
    if (!entry.is_directory(code)) continue;
    auto record = read_share(entry.path());
    if (!record) return record.error();
    if (*record) out.push_back({entry.path(), std::move(**record)});
  }
  std::sort(out.begin(), out.end(),
            [](const Found& a, const Found& b) { return a.folder < b.folder; });
  if (out.empty())
    return work_error("{} has no fine grains; 'talus detail {}' makes them", run.string(),
                      run.string());
  return out;
}

Status check_alike(const std::vector<Found>& shares) {
  const Found& first = shares.front();
  for (const Found& f : shares) {
    if (f.record.settings != first.record.settings)
      return work_error(
          "slices were made with different settings:\n  {}: {}\n  {}: {}\nMake one of "
          "them again with --overwrite, or remove its folder",
          first.folder.string(), first.record.settings, f.folder.string(), f.record.settings);
    if (f.record.slices != first.record.slices)
      return work_error("{} is one of {} slices, {} one of {}; remove the folders of one kind",
                        first.folder.string(), first.record.slices, f.folder.string(),
                        f.record.slices);
  }
  return {};
}

Status check_complete(const std::vector<Found>& shares) {
  std::map<std::uint64_t, std::vector<const Found*>> slices;
  for (const Found& f : shares) slices[f.record.slice].push_back(&f);
  for (std::uint64_t k = 1; k <= shares.front().record.slices; ++k) {
    const auto it = slices.find(k);
    if (it == slices.end())
      return work_error("slice {}/{} is missing; make it with: talus detail DIR --slice {}/{}", k,
                        shares.front().record.slices, k, shares.front().record.slices);
    const std::uint64_t parts = it->second.front()->record.parts;
    for (std::uint64_t p = 1; p <= parts; ++p)
      if (std::none_of(it->second.begin(), it->second.end(), [&](const Found* f) {
            return f->record.part == p && f->record.parts == parts;
          }))
        return work_error(
            "part {} of {} of slice {} is missing; the job of that slice was stopped: "
            "start it again and it goes on",
            p, parts, k);
    if (it->second.size() != parts)
      return work_error(
          "slice {} was cut into {} parts and into another number, too; remove the "
          "folders of one kind: {}",
          k, parts, it->second.back()->folder.string());
  }
  return {};
}

}  // namespace

Result<std::string> join_detail(const fs::path& run) {
  const auto manifest = read_manifest(run);
  if (!manifest) return manifest.error();
  const auto shares = find_shares(run);
  if (!shares) return shares.error();
  if (Status s = check_alike(*shares); !s) return s.error();
  if (Status s = check_complete(*shares); !s) return s.error();
  const std::vector<std::uint64_t>& frames = shares->front().record.frames;
  std::uint64_t grains = 0;
  for (const Found& f : *shares) {
    if (!f.record.finished)
      return work_error("{} is not finished; start its job again and it goes on",
                        f.folder.string());
    if (f.record.frames != frames)
      return work_error("{} has {} frames, {} has {}; start the job of the shorter one again",
                        shares->front().folder.string(), frames.size(), f.folder.string(),
                        f.record.frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto file = DetailFrameFile::open(f.folder / fmt::format("frame_{:06}.tal", frames[i]));
      if (!file) return file.error();
      if (file->count() != f.record.grains[i])
        return work_error("frame {} of {} has {} grains, not {}", frames[i], f.folder.string(),
                          file->count(), f.record.grains[i]);
    }
    if (!f.record.grains.empty()) grains += f.record.grains.back();
  }
  return fmt::format("{} slices in {} folders, {} frames, {} grains in the last: all there\n{}",
                     shares->front().record.slices, shares->size(), frames.size(), grains,
                     shares->front().record.settings);
}

}  // namespace talus::detail
