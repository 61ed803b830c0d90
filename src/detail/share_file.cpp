#include "detail/share_file.h"

#include "frames/atomic_file.h"
#include "frames/json.h"

namespace talus::detail {

using json_read::json;

Status write_share(const std::filesystem::path& folder, const ShareRecord& r) {
  const json data{{"format", "talus detail share"},
                  {"format_version", 1},
                  {"settings", r.settings},
                  {"slice", r.slice},
                  {"slices", r.slices},
                  {"part", r.part},
                  {"parts", r.parts},
                  {"finished", r.finished},
                  {"frames", r.frames},
                  {"grains", r.grains}};
  return write_text_file(folder / "share.json", json_read::dump(data, 1) + "\n");
}

namespace {

std::optional<std::vector<std::uint64_t>> numbers(const json& data, const char* key) {
  const json* list = json_read::array(data, key);
  if (list == nullptr) return {};
  std::vector<std::uint64_t> out;
  for (const json& value : *list) {
    const auto n = json_read::u64(value);
    if (!n) return {};
    out.push_back(*n);
  }
  return out;
}

}  // namespace

Result<std::optional<ShareRecord>> read_share(const std::filesystem::path& folder) {
  const auto path = folder / "share.json";
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::optional<ShareRecord>{};
  const auto text = read_text_file(path, std::uint64_t{64} << 20);
  if (!text) return text.error();
  const auto data = json_read::parse_object(*text);
  const auto damaged =
      work_error("{} is damaged; remove its folder and run 'talus detail' again", path.string());
  if (!data) return damaged;
  const auto settings = json_read::text(*data, "settings");
  const auto slice = json_read::u64(*data, "slice"), slices = json_read::u64(*data, "slices"),
             part = json_read::u64(*data, "part"), parts = json_read::u64(*data, "parts");
  const auto finished = json_read::boolean(*data, "finished");
  auto frames = numbers(*data, "frames"), grains = numbers(*data, "grains");
  if (!settings || !slice || !slices || !part || !parts || !finished || !frames || !grains ||
      frames->size() != grains->size())
    return damaged;
  return std::optional<ShareRecord>({*settings, *slices, *slice, *parts, *part, *finished,
                                     std::move(*frames), std::move(*grains)});
}

}  // namespace talus::detail
