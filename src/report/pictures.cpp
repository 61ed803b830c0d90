#include "report/pictures.h"

#include "frames/atomic_file.h"
#include "frames/frame.h"
#include "report/cloud.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace talus::report {

namespace {

namespace fs = std::filesystem;

/// Smaller is better. Previews come after real pictures, those coloured by a field after natural
/// ones, and anything after what somebody put into the folder itself.
int rank(const fs::path& run, const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  if (file.parent_path() == run) return file.stem() == "preview" ? 4 : 0;
  if (folder == "still") return 1;
  if (folder == "pictures_detail") return 2;
  if (folder == "pictures") return 3;
  return 5;
}

struct Candidate {
  int rank = 0;
  std::string folder, name;
  fs::path file;
};

void collect(const fs::path& run, const fs::path& folder, const std::string& extension,
             std::uint64_t limit, std::vector<Candidate>& out) {
  std::error_code code;
  const auto begun = fs::last_write_time(frame_path(run, 0), code);
  const bool dated = !code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const fs::path& file = entry.path();
    if (file.extension() != extension || !entry.is_regular_file(code)) continue;
    const auto bytes = entry.file_size(code);
    const auto written = entry.last_write_time(code);
    // Older ones show a run that was overwritten.
    if (code || bytes == 0 || bytes > limit || (dated && written < begun)) continue;
    out.push_back({rank(run, file), folder.string(), file.filename().string(), file});
  }
}

}  // namespace

std::optional<fs::path> find_picture(const fs::path& run, const std::string& extension,
                                     std::uint64_t limit) {
  std::vector<Candidate> found;
  collect(run, run, extension, limit, found);
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(run, code)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(code) && (name == "still" || name.starts_with("pictures")))
      collect(run, entry.path(), extension, limit, found);
  }
  // Of one folder the last picture: there the most has happened.
  const auto better = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.rank, a.folder, b.name) < std::tie(b.rank, b.folder, a.name);
  };
  const auto best = std::min_element(found.begin(), found.end(), better);
  return best == found.end() ? std::nullopt : std::optional(best->file);
}

Result<std::string> data_address(const fs::path& file, const std::string& type) {
  const auto bytes = read_text_file(file, std::max(largest_picture, largest_film));
  if (!bytes) return bytes.error();
  return "data:" + type + ";base64," + base64(std::as_bytes(std::span(*bytes)));
}

}  // namespace talus::report
