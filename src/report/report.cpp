#include "report/report.h"

#include "core/html.h"
#include "frames/atomic_file.h"
#include "report/embedded.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/player_data.h"
#include "run/run_folder.h"

#include <fmt/format.h>

#include <fstream>

namespace talus::report {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_scene_text = 4u << 20;

/// When the run began, from the first word of its log, a time such as 2026-11-16T08:15:46Z.
std::string start_of(const fs::path& folder) {
  std::ifstream log(folder / "log.txt");
  std::string word;
  log >> word;
  if (word.size() != 20 || word[10] != 'T' || word.back() != 'Z') return "";
  return " · started " + word.substr(0, 10) + " " + word.substr(11, 5) + " UTC";
}

/// Its last part alone: where a run lies on somebody's disk is nobody else's business.
std::string folder_name(const fs::path& folder) {
  std::error_code code;
  const fs::path whole = fs::absolute(folder, code).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// page.html with its slots {{name}} filled in order, written as it grows.
class Page {
 public:
  Page(const ReportOptions& options, const Manifest& manifest, const Executor& executor);
  Status write(AtomicFile& file);
  ReportOutcome outcome();

 private:
  Status fill(std::string_view slot);
  Status put(std::string_view text) { return file_->append(std::as_bytes(std::span(text))); }
  Status put_player_data();
  std::string pictures();
  std::string scene_text();
  std::string player_note() const;
  PageFacts facts() const;

  fs::path folder_;
  const Manifest& manifest_;
  const Executor& executor_;
  std::vector<std::string> notes_;
  bool scene_known_ = false;
  bool being_written_ = false;
  PlayerData player_;
  RunTables tables_;
  AtomicFile* file_ = nullptr;
};

/// What an old run lacks by now (a mesh, a key of its scene) leaves only bodies and parameters out.
RunSource stage_of(const fs::path& folder, std::vector<std::string>& notes, bool& known) {
  auto stage = open_run_stage(folder, false);
  known = static_cast<bool>(stage);
  if (stage) return std::move(*stage);
  notes.push_back("bodies and parameters are not shown: " + stage.error().message);
  RunSource bare;
  bare.folder = folder;
  return bare;
}

Page::Page(const ReportOptions& options, const Manifest& manifest, const Executor& executor)
    : folder_(options.folder),
      manifest_(manifest),
      executor_(executor),
      being_written_(manifest.state == "running" && is_being_written(options.folder)),
      player_(stage_of(options.folder, notes_, scene_known_), manifest, options.limits),
      tables_(
          read_tables(options.folder, manifest.frames.empty() ? 0 : manifest.frames.back().index)) {
  notes_.insert(notes_.end(), tables_.notes.begin(), tables_.notes.end());
}

PageFacts Page::facts() const {
  return {manifest_, scene_known_ ? &player_.run() : nullptr, tables_, folder_name(folder_),
          being_written_};
}

std::string Page::pictures() {
  std::string sources[2];
  const auto picture = find_picture(folder_, ".png", largest_picture);
  const auto film = find_picture(folder_, ".mp4", largest_film);
  for (const auto& [file, type, source] : {std::tuple(picture, "image/png", &sources[0]),
                                           std::tuple(film, "video/mp4", &sources[1])}) {
    if (!file) continue;
    auto address = data_address(*file, type);
    if (address)
      *source = std::move(*address);
    else
      notes_.push_back(address.error().message);
  }
  return picture_html(sources[0], sources[1]);
}

std::string Page::scene_text() {
  const auto text = read_text_file(folder_ / "scene.toml", largest_scene_text);
  if (text) return html_escaped(*text);
  notes_.push_back(text.error().message);
  return "";
}

std::string Page::player_note() const {
  if (player_.frames() == 0) return "";
  const std::string frames =
      player_.frames() < manifest_.frames.size()
          ? fmt::format("{} of {} frames", player_.frames(), grouped(manifest_.frames.size()))
          : fmt::format("{} frames", player_.frames());
  if (player_.share() >= 1) return fmt::format("All particles, {}.", frames);
  return fmt::format(
      "One in {:.3g} particles, drawn larger to fill the same room; {}. The run folder has all.",
      1 / player_.share(), frames);
}

Status Page::put_player_data() {
  if (Status s = player_.write_frames(*file_, notes_, executor_); !s) return s;
  auto json = player_.json();
  if (!json) {
    notes_.push_back("no player: " + json.error().message);
    json = std::string("null");
  }
  return put("<script type=\"application/json\" id=\"run-data\">" + *json +
             "</script>\n<script type=\"application/json\" id=\"plot-data\">" +
             plots_json(tables_.plots) + "</script>\n");
}

Status Page::fill(std::string_view slot) {
  if (slot == "title") return put(html_escaped(manifest_.scene));
  if (slot == "style") return put(page_css);
  if (slot == "state") return put(state_html(facts()));
  if (slot == "started") return put(html_escaped(start_of(folder_)));
  if (slot == "figures") return put(figures_html(facts()));
  if (slot == "picture") return put(pictures());
  if (slot == "timings") return put(timings_html(tables_));
  if (slot == "materials")
    return put(scene_known_ ? materials_html(player_.run().scene) : std::string());
  if (slot == "scene") return put(scene_text());
  if (slot == "program") return put(html_escaped(manifest_.program));
  if (slot == "data") return put_player_data();
  if (slot == "player_note") return put(html_escaped(player_note()));
  if (slot == "notes") return put(notes_html(notes_));
  if (slot == "scripts") {
    for (const std::string_view script :
         {cloud_js, gl_js, shaders_js, stage_js, plots_js, player_js})
      if (Status s = put(script); !s) return s;
    return {};
  }
  return work_error("page.html has an unknown slot '{}'", slot);
}

Status Page::write(AtomicFile& file) {
  file_ = &file;
  std::string_view rest = page_html;
  for (std::size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    const std::size_t end = rest.find("}}", at);
    TALUS_CHECK(end != std::string_view::npos, "page.html: a slot without end");
    if (Status s = put(rest.substr(0, at)); !s) return s;
    if (Status s = fill(rest.substr(at + 2, end - at - 2)); !s) return s;
    rest = rest.substr(end + 2);
  }
  return put(rest);
}

ReportOutcome Page::outcome() {
  return {{}, 0, player_.frames(), player_.spheres(), player_.damaged(), std::move(notes_)};
}

}  // namespace

Result<ReportOutcome> write_report(const ReportOptions& options, const Executor& executor) {
  const auto manifest = read_manifest(options.folder);
  if (!manifest) return manifest.error();
  const fs::path path = options.file.empty() ? options.folder / "report.html" : options.file;
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  Page page(options, *manifest, executor);
  if (Status s = page.write(*file); !s) return s.error();
  ReportOutcome outcome = page.outcome();
  outcome.file = path;
  outcome.bytes = file->size();
  if (Status s = file->commit(); !s) return s.error();
  return outcome;
}

}  // namespace talus::report
