#include "render/sequence.h"

#include "core/timer.h"
#include "render/auto_camera.h"
#include "render/film.h"
#include "render/force_chains.h"
#include "render/frame_picture.h"
#include "render/legend.h"
#include "render/survey.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

namespace talus {

namespace {

namespace fs = std::filesystem;

/// One run and how it is drawn.
struct Side {
  RunSource run;
  FrameLook look;
};

struct Job {
  const SequenceOptions& options;
  std::vector<Side> sides;  ///< one, or two beside each other
  Survey survey;
  Framing framing;  ///< used when the scene has no camera
  RenderOptions picture;
  ToneSettings tone;
  fs::path folder;
  std::string stamp;               ///< of everything that changes pictures
  std::vector<FrameEntry> frames;  ///< of all slices
};

int automatic_grains(const SequenceOptions& o, const Scene& scene, std::uint64_t particles) {
  if (o.grains_per_particle > 0) return o.grains_per_particle;
  if (scene.solver != SolverKind::sph || !o.colour_by.empty() || o.detail || particles == 0)
    return 1;
  const double wanted = o.preview ? 4e5 : 2e6;
  const int grains = static_cast<int>(std::min(200.0, wanted / static_cast<double>(particles)));
  return grains < 4 ? 1 : grains;
}

Status check_names(const Side& side, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto& bodies = side.run.scene.bodies;
    if (std::any_of(bodies.begin(), bodies.end(), [&](const auto& b) { return b.name == name; }))
      continue;
    std::vector<std::string> known;
    for (const auto& body : bodies) known.push_back(body.name);
    return request_error(
        "the scene has no body '{}'; it has: {}", name,
        known.empty() ? std::string("none") : fmt::format("{}", fmt::join(known, ", ")));
  }
  return {};
}

RenderOptions picture_options(const SequenceOptions& o, const Scene& scene) {
  const RenderSettings& settings = scene.render;
  RenderOptions out;
  out.width = o.width > 0 ? o.width : o.preview ? 640 : settings.width;
  out.height = o.height > 0 ? o.height
               : o.preview  ? std::max(1, 640 * settings.height / std::max(1, settings.width))
                            : settings.height;
  out.samples = o.samples > 0 ? o.samples : o.preview ? 6 : settings.samples;
  out.bounces = o.preview ? std::min(2, o.bounces) : o.bounces;
  out.denoise = o.denoise.value_or(o.preview || out.samples < 128);
  if (o.motion_blur.value_or(settings.motion_blur && !o.preview))
    out.shutter = 0.5 / scene.frame_rate;
  out.seed = scene.seed;
  return out;
}

fs::path picture_folder(const SequenceOptions& o) {
  if (!o.output.empty()) return o.output;
  if (o.preview && !o.frames_given) return o.run;
  std::string name = "pictures";
  if (o.detail) name += "_detail";
  if (!o.colour_by.empty()) name += "_" + o.colour_by;
  if (!o.beside.empty())
    name += "_beside_" + fs::absolute(o.beside).lexically_normal().filename().string();
  if (o.preview) name += "_preview";
  return o.run / name;
}

std::string settings_stamp(const Job& job) {
  const SequenceOptions& o = job.options;
  const RenderOptions& p = job.picture;
  return fmt::format(
      "size {}x{}\nsamples {}\nbounces {}\nshutter {}\ndenoise {}\nexposure {}\nf-stop {}\ncamera "
      "'{}'\ncolour by '{}' map {} range {}..{}\ngrains per particle {}\nhidden {}\nglass "
      "{}\nbeside '{}'\ndetail {}\n",
      p.width, p.height, p.samples, p.bounces, p.shutter, p.denoise, job.tone.exposure, o.f_stop,
      o.camera, o.colour_by, o.colour_map, job.survey.range.lower, job.survey.range.upper,
      job.sides[0].look.grains_per_particle, fmt::join(o.hidden, ","), fmt::join(o.glass, ","),
      o.beside.string(), o.detail);
}

Result<Side> open_side(const fs::path& folder, const SequenceOptions& o) {
  auto run = open_run_source(folder, o.detail);
  if (!run) return run.error();
  Side side{std::move(*run), {}};
  if (Status s = check_names(side, o.hidden); !s) return s.error();
  if (Status s = check_names(side, o.glass); !s) return s.error();
  return side;
}

/// Base frames tell where the action is; there are fewer particles in them than grains in detail.
Result<Survey> survey_side(const Side& side, const SequenceOptions& o, const Executor& executor) {
  if (!o.detail) return survey_run(side.run, o.colour_by, executor);
  const auto base = open_run_source(side.run.folder, false);
  if (!base) return base.error();
  return survey_run(*base, o.colour_by, executor);
}

Vec3f up_of(const Scene& scene) {
  Vec3f up{};
  up[scene.up] = 1;
  return up;
}

void prepare_looks(Job& job) {
  const SequenceOptions& o = job.options;
  const Scene& scene = job.sides[0].run.scene;
  FramingInput input;
  input.points = job.survey.points;
  input.anchors = job.survey.anchors;
  input.up = up_of(scene);
  input.to_sun = Vec3f(scene.render.sun_direction);
  input.aspect = static_cast<double>(job.picture.width) / job.picture.height;
  job.framing = frame_action(input);
  if (o.range) job.survey.range = *o.range;
  for (Side& side : job.sides) {
    FrameLook& look = side.look;
    look.grains_per_particle = automatic_grains(o, side.run.scene, job.survey.most_particles);
    look.hidden = o.hidden;
    look.glass = o.glass;
    look.size = job.framing.size;
    look.studio_floor = job.survey.lowest;
    look.velocities = job.picture.shutter > 0;
    if (!o.colour_by.empty())
      look.colours = FieldColours{o.colour_by, ColourMap(o.colour_map), job.survey.range};
  }
}

Status check_request(const SequenceOptions& o) {
  if (o.slices < 1 || o.slice < 1 || o.slice > o.slices)
    return request_error("slice {}/{} does not exist; --slice takes k/n with k from 1 to n",
                         o.slice, o.slices);
  if (o.width < 0 || o.height < 0 || (o.width > 0) != (o.height > 0))
    return request_error("the picture size is {} x {} pixels; both must be at least 1", o.width,
                         o.height);
  if (!ColourMap::exists(o.colour_map))
    return request_error("there is no colour map '{}'; there are: {}", o.colour_map,
                         fmt::join(ColourMap::names(), ", "));
  if (o.detail && o.colour_by == force_chains_name)
    return request_error("fine grains have no contacts; leave --detail out to see force chains");
  if (o.range && !(o.range->upper > o.range->lower))
    return request_error("the range {}:{} is empty", o.range->lower, o.range->upper);
  return {};
}

std::vector<FrameEntry> choose_frames(const RunSource& run, const SequenceOptions& o) {
  if (o.preview && !o.frames_given) return {run.frames.back()};
  std::vector<FrameEntry> out;
  for (const FrameEntry& entry : run.frames) {
    const auto index = static_cast<std::int64_t>(entry.index);
    if (index >= o.first && index <= o.last && (index - o.first) % o.stride == 0)
      out.push_back(entry);
  }
  return out;
}

Result<Job> prepare(const SequenceOptions& o, const Executor& executor) {
  if (Status s = check_request(o); !s) return s.error();
  Job job{o, {}, {}, {}, {}, {}, {}, {}, {}};
  for (const fs::path& folder : {o.run, o.beside}) {
    if (folder.empty()) continue;
    auto side = open_side(folder, o);
    if (!side) return side.error();
    job.sides.push_back(std::move(*side));
  }
  const RunSource& run = job.sides[0].run;
  job.frames = choose_frames(run, o);
  if (job.frames.empty())
    return request_error("no frame of {} is in {}:{}; it has frames {} to {}", o.run.string(),
                         o.first, o.last, run.frames.front().index, run.frames.back().index);
  if (!o.camera.empty())
    if (auto camera = scene_camera(run.scene, o.camera, 0); !camera) return camera.error();
  auto survey = survey_side(job.sides[0], o, executor);
  if (!survey) return survey.error();
  job.survey = std::move(*survey);
  job.picture = picture_options(o, run.scene);
  job.tone.exposure = static_cast<float>(o.exposure.value_or(run.scene.render.exposure));
  prepare_looks(job);
  job.folder = picture_folder(o);
  job.stamp = settings_stamp(job);
  return job;
}

fs::path picture_file(const Job& job, const FrameEntry& entry, const char* extension) {
  if (job.options.preview && !job.options.frames_given)
    return job.folder / (std::string("preview") + extension);
  return job.folder / fmt::format("frame_{:06}{}", entry.index, extension);
}

/// Is the picture there, whole, and newer than its frame?
bool is_done(const Job& job, const FrameEntry& entry) {
  if (job.options.preview && !job.options.frames_given) return false;
  std::error_code code;
  for (const char* extension : {".png", ".exr"}) {
    if (extension[1] == 'e' && !job.options.exr) continue;
    const auto written = fs::last_write_time(picture_file(job, entry, extension), code);
    if (code) return false;
    const auto simulated = fs::last_write_time(entry.path, code);
    if (code || written < simulated) return false;
  }
  return true;
}

/// Makes the folder and notes the settings; pictures made with other settings are removed from the
/// selection by deleting them, so that a film never mixes two looks.
Status open_folder(const Job& job) {
  std::error_code code;
  fs::create_directories(job.folder, code);
  if (code)
    return work_error("cannot make the folder {}: {}; choose another one with -o",
                      job.folder.string(), code.message());
  if (job.options.preview && !job.options.frames_given) return {};
  const fs::path note = job.folder / "settings.txt";
  std::ifstream before(note, std::ios::binary);
  const std::string old{std::istreambuf_iterator<char>(before), std::istreambuf_iterator<char>()};
  if (old == job.stamp) return {};
  if (!old.empty())
    for (const auto& entry : fs::directory_iterator(job.folder, code)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("frame_") && (name.ends_with(".png") || name.ends_with(".exr")))
        fs::remove(entry.path(), code);
    }
  std::ofstream out(note, std::ios::binary);
  out << job.stamp;
  out.close();
  if (!out)
    return work_error("cannot write to the folder {}; choose another one with -o",
                      job.folder.string());
  return {};
}

/// The frame of the second run that is nearest in time.
const FrameEntry& matching_frame(const RunSource& run, double time) {
  const double index = time * run.scene.frame_rate;
  const FrameEntry* best = &run.frames.front();
  for (const FrameEntry& entry : run.frames)
    if (std::abs(static_cast<double>(entry.index) - index) <
        std::abs(static_cast<double>(best->index) - index))
      best = &entry;
  return *best;
}

Result<PictureCamera> camera_at(const Job& job, double time) {
  const Scene& scene = job.sides[0].run.scene;
  PictureCamera camera = job.framing.camera;
  if (!scene.cameras.empty()) {
    auto chosen = scene_camera(scene, job.options.camera, time);
    if (!chosen) return chosen.error();
    camera = *chosen;
  }
  if (job.options.f_stop > 0) camera.f_stop = job.options.f_stop;
  return camera;
}

struct SidePicture {
  Image light;
  ScreenImage screen;
  double time = 0;
  std::uint64_t grains = 0;
};

Result<SidePicture> render_side(const Job& job, const Side& side, const FrameEntry& entry,
                                const Executor& executor) {
  auto picture = load_frame_picture(side.run, entry, side.look, executor);
  if (!picture) return picture.error();
  const auto camera = camera_at(job, picture->time);
  if (!camera) return camera.error();
  auto image = render(picture->scene, *camera, job.picture, executor);
  if (!image) return image.error();
  SidePicture out;
  out.time = picture->time;
  out.grains = picture->spheres.size();
  out.screen = to_screen(*image, job.tone);
  out.light = std::move(*image);
  if (side.look.colours && !job.survey.categories)
    draw_legend(out.screen, {picture->title, job.survey.range.lower, job.survey.range.upper},
                side.look.colours->map);
  if (job.sides.size() > 1)
    draw_caption(out.screen, fs::absolute(side.run.folder).lexically_normal().filename().string());
  return out;
}

/// Returns the number of grains drawn.
Result<std::uint64_t> make_picture(const Job& job, const FrameEntry& entry,
                                   const Executor& executor) {
  auto left = render_side(job, job.sides[0], entry, executor);
  if (!left) return left.error();
  ScreenImage screen = std::move(left->screen);
  if (job.sides.size() > 1) {
    const Side& other = job.sides[1];
    auto right = render_side(job, other, matching_frame(other.run, left->time), executor);
    if (!right) return right.error();
    screen = beside(screen, right->screen);
  }
  if (job.options.exr)
    if (Status s = write_exr(left->light, picture_file(job, entry, ".exr").string()); !s)
      return s.error();
  if (Status s = write_png(screen, picture_file(job, entry, ".png").string()); !s) return s.error();
  return left->grains;
}

void add_film(const Job& job, SequenceReport& report) {
  const SequenceOptions& o = job.options;
  if (!o.film || (o.preview && !o.frames_given) || job.frames.size() < 2) return;
  std::vector<fs::path> pictures;
  for (const FrameEntry& entry : job.frames) {
    if (!is_done(job, entry)) {
      report.film_note = "no film yet: other slices have pictures to make";
      return;
    }
    pictures.push_back(picture_file(job, entry, ".png"));
  }
  const double rate = o.frames_per_second > 0
                          ? o.frames_per_second
                          : job.sides[0].run.scene.frame_rate / static_cast<double>(o.stride);
  const fs::path film = job.folder / "film.mp4";
  if (Status s = make_film(pictures, film, {rate, o.ffmpeg}); !s) {
    report.film_note = s.error().message;
    report.film_failed = true;
    return;
  }
  report.film = film;
}

}  // namespace

Result<SequenceReport> render_sequence(const SequenceOptions& options, const Executor& executor,
                                       const ProgressCall& progress, const StopQuestion& stop) {
  auto job = prepare(options, executor);
  if (!job) return job.error();
  if (Status s = open_folder(*job); !s) return s.error();
  SequenceReport report;
  report.folder = job->folder;
  std::vector<FrameEntry> mine;
  for (std::size_t i = 0; i < job->frames.size(); ++i)
    if (static_cast<int>(i % options.slices) == options.slice - 1) mine.push_back(job->frames[i]);
  const auto missing = static_cast<std::size_t>(std::count_if(
      mine.begin(), mine.end(), [&](const FrameEntry& entry) { return !is_done(*job, entry); }));
  double spent = 0;
  PictureProgress p;
  p.total = mine.size();
  for (const FrameEntry& entry : mine) {
    if (stop()) {
      report.interrupted = true;
      return report;
    }
    p.frame = entry.index;
    p.file = picture_file(*job, entry, ".png");
    p.kept = is_done(*job, entry);
    const double start = seconds_now();
    if (!p.kept) {
      const auto grains = make_picture(*job, entry, executor);
      if (!grains) return grains.error();
      p.grains = *grains;
      ++report.rendered;
    } else {
      ++report.kept;
    }
    p.seconds = seconds_now() - start;
    spent += p.kept ? 0 : p.seconds;
    p.remaining = report.rendered > 0 ? spent / static_cast<double>(report.rendered) *
                                            static_cast<double>(missing - report.rendered)
                                      : -1;
    ++p.done;
    progress(p);
  }
  add_film(*job, report);
  return report;
}

}  // namespace talus
