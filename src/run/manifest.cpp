#include "run/manifest.h"

#include "frames/atomic_file.h"
#include "frames/field_columns.h"
#include "frames/frame.h"
#include "frames/json.h"

#include <limits>

namespace talus {

namespace {

using json_read::json;

constexpr std::uint64_t max_manifest_bytes = std::uint64_t{256} << 20;

std::optional<FieldInfo> parse_field(const json& value) {
  const auto name = json_read::text(value, "name"), unit = json_read::text(value, "unit"),
             type = json_read::text(value, "type"), meaning = json_read::text(value, "meaning");
  if (!name || !unit || !type || !meaning) return {};
  for (FieldType t : {FieldType::f32, FieldType::f64, FieldType::u8, FieldType::u32, FieldType::u64,
                      FieldType::vec3f, FieldType::vec3d, FieldType::sym3f, FieldType::quatf})
    if (type_name(t) == *type) return FieldInfo{*name, *unit, t, FieldUse::frame, *meaning};
  return {};
}

std::optional<ManifestFrame> parse_frame(const json& value) {
  const auto index = json_read::u64(value, "frame"), particles = json_read::u64(value, "particles"),
             bytes = json_read::u64(value, "bytes");
  const auto time = json_read::number(value, "time");
  if (!index || !particles || !bytes || !time) return {};
  return ManifestFrame{*index, *time, *particles, *bytes};
}

std::optional<Manifest> parse(const json& data) {
  const auto program = json_read::text(data, "program"), scene = json_read::text(data, "scene"),
             solver = json_read::text(data, "solver"), state = json_read::text(data, "state"),
             message = json_read::text(data, "message");
  const auto seed = json_read::u64(data, "seed"), total = json_read::u64(data, "frames_total"),
             crc = json_read::u64(data, "scene_crc32");
  const auto rate = json_read::number(data, "frame_rate");
  const json* fields = json_read::array(data, "fields");
  const json* frames = json_read::array(data, "frames");
  if (!program || !scene || !solver || !state || !message || !seed || !total || !crc || !rate ||
      !fields || !frames || *crc > std::numeric_limits<std::uint32_t>::max() || !(*rate > 0))
    return {};
  Manifest m{*program, *scene,   *solver,
             *seed,    *rate,    *total,
             *state,   *message, static_cast<std::uint32_t>(*crc),
             {},       {}};
  for (const json& value : *fields) {
    auto field = parse_field(value);
    if (!field) return {};
    m.fields.push_back(std::move(*field));
  }
  for (const json& value : *frames) {
    auto frame = parse_frame(value);
    if (!frame) return {};
    m.frames.push_back(*frame);
  }
  return m;
}

}  // namespace

Status write_manifest(const std::filesystem::path& folder, const Manifest& m) {
  json data{{"format", "talus run folder"},
            {"format_version", run_folder_version},
            {"program", m.program},
            {"scene", m.scene},
            {"solver", m.solver},
            {"seed", m.seed},
            {"frame_rate", m.frame_rate},
            {"frames_total", m.frames_total},
            {"state", m.state},
            {"message", m.message},
            {"scene_crc32", m.scene_crc}};
  json& fields = data["fields"] = json::array();
  for (const FieldInfo& f : m.fields)
    fields.push_back({{"name", f.name},
                      {"unit", f.unit},
                      {"type", std::string(type_name(f.type))},
                      {"meaning", f.meaning}});
  json& frames = data["frames"] = json::array();
  for (const ManifestFrame& f : m.frames)
    frames.push_back({{"frame", f.index},
                      {"time", f.time},
                      {"particles", f.particles},
                      {"bytes", f.bytes},
                      {"file", frame_path("", f.index).string()}});
  return write_text_file(folder / "manifest.json", json_read::dump(data, 1) + "\n");
}

Result<Manifest> read_manifest(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return request_error("there is no folder {}; 'talus run SCENE -o {}' makes one",
                         folder.string(), folder.string());
  const auto path = folder / "manifest.json";
  if (!std::filesystem::exists(path, ignored))
    return request_error("{} is not a run folder: it has no manifest.json", folder.string());
  const auto text = read_text_file(path, max_manifest_bytes);
  if (!text) return text.error();
  const auto data = json_read::parse_object(*text);
  if (!data) return work_error("{} is damaged: it is not JSON", path.string());
  const auto version = json_read::u64(*data, "format_version");
  if (!version || json_read::text(*data, "format") != "talus run folder")
    return work_error("{} is not the manifest of a Talus run", path.string());
  if (*version > run_folder_version)
    return work_error(
        "{} was written by a newer program ({}, run folder version {}); this one reads up to "
        "version {}. Update Talus to use it",
        folder.string(), json_read::text(*data, "program").value_or("talus"), *version,
        run_folder_version);
  auto manifest = parse(*data);
  if (!manifest)
    return work_error("{} is damaged: a member is missing or misshapen", path.string());
  return std::move(*manifest);
}

}  // namespace talus
