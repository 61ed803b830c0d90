#include "view/view_model.h"

#include "render/auto_camera.h"
#include "scene/defaults.h"
#include "scene/estimate.h"
#include "scene/read_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::view {

namespace {

constexpr double message_life = 12;  // s

}  // namespace

Result<std::unique_ptr<ViewModel>> ViewModel::open(ViewSettings settings) {
  std::unique_ptr<ViewModel> model(new ViewModel(std::move(settings)));
  model->look = model->settings_.look;
  std::error_code code;
  const auto& path = model->settings_.path;
  if (!std::filesystem::exists(path, code))
    return request_error("there is no {}; give a run folder or a scene file", path.string());
  const bool folder = std::filesystem::is_directory(path, code);
  if (Status s = folder ? model->open_run() : model->open_scene(); !s) return s.error();
  const Scene& scene = model->scene();
  if (!model->settings_.camera.empty())
    if (auto camera = scene_camera(scene, model->settings_.camera, 0); !camera)
      return camera.error();
  return model;
}

Status ViewModel::open_run() {
  if (!settings_.overrides.empty())
    return request_error("--set changes a scene, not a run that is there; give the scene file");
  auto world = open_run_stage(settings_.path, settings_.detail);
  if (!world) return world.error();
  world_ = std::make_shared<RunSource>(std::move(*world));
  timeline_ = Timeline(world_->scene.frame_rate);
  FrameLoader::Options options;
  options.threads = settings_.threads;
  loader_ = std::make_unique<FrameLoader>(world_, options);
  want();
  return {};
}

Status ViewModel::open_scene() {
  if (settings_.detail)
    return request_error("--detail shows the fine grains of a run folder; {} is a scene",
                         settings_.path.string());
  auto scene = read_scene(settings_.path.string(), settings_.overrides);
  if (!scene) return scene.error();
  auto world = make_scene_source(*scene);
  if (!world) return world.error();
  world_ = std::make_shared<RunSource>(std::move(*world));
  LiveSession::Options options;
  options.threads = settings_.threads;
  options.paused = paused_ = settings_.paused;
  options.request = settings_.request;
  session_ = std::make_unique<LiveSession>(std::move(*scene), std::move(options));
  return {};
}

std::string ViewModel::name() const {
  auto name = std::filesystem::absolute(settings_.path).lexically_normal();
  return name.has_filename() ? name.filename().string() : name.parent_path().filename().string();
}

Vec3d ViewModel::up() const {
  Vec3d up{};
  up[scene().up] = 1;
  return up;
}

void ViewModel::say(std::string text) {
  messages_.push_back({std::move(text), 0});
  if (messages_.size() > 8) messages_.erase(messages_.begin());
}

bool ViewModel::update(double seconds) {
  for (Message& m : messages_) m.age += seconds;
  std::erase_if(messages_, [](const Message& m) { return m.age > message_life; });
  const bool fresh = live() ? take_live() : take_loaded();
  if (!live()) {
    timeline_.advance(seconds, ready());
    if (!asked_ || timeline_.current() != wanted_) want();
  }
  return fresh;
}

bool ViewModel::ready() const {
  if (live()) return frame_ != nullptr;
  return served_ && shown_ == timeline_.current() && (frame_ != nullptr || !problem_.empty());
}

void ViewModel::want() {
  wanted_ = timeline_.current();
  asked_ = true;
  served_ = false;
  loader_->want(wanted_, settings_.request);
}

bool ViewModel::take_loaded() {
  const auto report = loader_->take();
  if (!report) return false;
  entries_ = report->entries;
  running_ = report->running;
  timeline_.set_count(entries_.size());
  if (report->request != settings_.request || entries_.empty()) return false;
  if (report->place == wanted_) {
    served_ = true;
    shown_ = report->place;
    problem_ = report->problem;
  }
  if (!report->frame || report->frame == frame_) return false;
  frame_ = report->frame;
  if (!sized_) size_up(*frame_);
  return true;
}

bool ViewModel::take_live() {
  if (const auto status = session_->take_status()) status_ = *status;
  for (std::string& text : session_->take_messages()) say(std::move(text));
  problem_ = status_.phase == LivePhase::failed ? status_.error : "";
  auto frame = session_->take_frame();
  if (!frame) return false;
  frame_ = std::move(frame);
  if (!sized_) size_up(*frame_);
  return true;
}

/// Camera, floor and tools that suit the size of what is shown.
void ViewModel::size_up(const ViewFrame&) {
  sized_ = true;
  reset_camera();
  const double size = double{look.size};
  tools.drop_size = 0.16 * size;
  tools.drop_height = 0.2 * size;
  tools.push_radius = 0.12 * size;
  double finest = 0;
  for (std::uint32_t m = 0; m < scene().materials.size(); ++m)
    finest = std::max(finest, particle_size(scene(), m));
  tools.drop_size = std::max(tools.drop_size, 4 * finest);
  tools.push_radius = std::max(tools.push_radius, 3 * finest);
  tools.pour_radius = std::max(0.06 * size, 2.5 * finest);
}

void ViewModel::reset_camera() {
  if (!frame_) return;
  FramingInput input;
  std::vector<Vec3f> points, anchors;
  const std::size_t stride = frame_->sprites.size() / 20'000 + 1;
  for (std::size_t i = 0; i < frame_->sprites.size(); i += stride)
    points.push_back(frame_->sprites[i].centre);
  double lowest = 1e300;
  for (const Vec3f& p : points)
    if (is_finite(p)) lowest = std::min(lowest, double{p[scene().up]});
  for (const BodyMesh& body : frame_->world->bodies) {
    Box3d box;
    for (const Vec3f& v : body.mesh.vertices) box.include(body.pose.to_world(Vec3d(v)));
    lowest = std::min(lowest, box.lower[scene().up]);
    if (body.one_sided) continue;
    anchors.push_back(Vec3f(box.lower));
    anchors.push_back(Vec3f(box.upper));
  }
  if (points.empty())  // nothing yet: what the bodies span
    points = anchors;
  input.points = points;
  input.anchors = anchors;
  input.up = Vec3f(up());
  input.to_sun = Vec3f(scene().render.sun_direction);
  input.aspect = settings_.aspect;
  const Framing framing = frame_action(input);
  look.size = static_cast<float>(framing.size);
  if (lowest < 1e299) look.studio_floor = lowest;
  PictureCamera start = framing.camera;
  if (!scene().cameras.empty())
    if (const auto chosen = scene_camera(scene(), settings_.camera, frame_->info.time); chosen)
      start = *chosen;
  camera = OrbitCamera(start);
}

void ViewModel::set_field(const std::string& field) {
  if (field == settings_.request.field) return;
  settings_.request.field = field;
  look.range.reset();
  if (live())
    post(Show{settings_.request});
  else
    want();
}

void ViewModel::set_grains_per_particle(int count) {
  if (count == settings_.request.grains_per_particle) return;
  settings_.request.grains_per_particle = count;
  if (live())
    post(Show{settings_.request});
  else
    want();
}

void ViewModel::post(LiveOrder order) {
  ++posted_;
  session_->post(std::move(order));
}

void ViewModel::set_paused(bool paused) {
  paused_ = paused;
  post(SetPaused{paused});
}

void ViewModel::advance(int count, bool frames) {
  paused_ = true;
  post(Advance{count, frames});
}

void ViewModel::reset() {
  pouring_ = false;
  tools.tilt_x_deg = tools.tilt_y_deg = 0;
  tools.gravity_share = 1;
  post(Reset{});
}

Vec3d ViewModel::above(std::optional<Vec3d> point, double height) const {
  if (!point && frame_ && frame_->bounds.lower.x <= frame_->bounds.upper.x) {
    point = (frame_->bounds.lower + frame_->bounds.upper) * 0.5;
    (*point)[scene().up] = frame_->bounds.upper[scene().up];
  }
  return point.value_or(Vec3d{}) + up() * height;
}

void ViewModel::drop(std::optional<Vec3d> point) {
  drop_at(above(point, tools.drop_height + 0.5 * tools.drop_size));
}

void ViewModel::drop_at(const Vec3d& position) {
  SceneBody body = default_body();
  body.name = tools.shape == DropShape::ball ? "ball" : "box";
  body.shape = default_shape();
  body.shape.kind = tools.shape == DropShape::ball ? ShapeKind::sphere : ShapeKind::box;
  body.shape.radius = 0.5 * tools.drop_size;
  body.shape.size = {tools.drop_size, tools.drop_size, tools.drop_size};
  body.shape.pose.position = position;
  // A box that lands on an edge shows more.
  if (tools.shape == DropShape::box)
    body.shape.pose.rotation = Quatd::from_axis_angle(normalized(Vec3d{1, 2, 3}), 0.5);
  body.motion = SceneMotion::dynamic;
  body.density = tools.drop_density;
  const bool ball = tools.shape == DropShape::ball;
  body.colour =
      ball ? std::array<float, 3>{0.10f, 0.24f, 0.34f} : std::array<float, 3>{0.42f, 0.11f, 0.05f};
  post(DropBody{std::move(body)});
}

void ViewModel::pour(std::optional<Vec3d> point) {
  if (scene().materials.empty()) return;
  Pour pour = default_pour();
  pour.name = "by hand";
  pour.position = above(point, tools.drop_height);
  pour.direction = -up();
  pour.radius = tools.pour_radius;
  pour.speed = std::sqrt(norm(scene().gravity) * tools.pour_radius) + 0.1;
  pouring_ = true;
  post(StartPour{std::move(pour), std::clamp(tools.pour_share, 0.01, 1.0)});
}

void ViewModel::stop_pouring() {
  pouring_ = false;
  post(StopPours{});
}

void ViewModel::push(const Vec3d& point, const Vec3d& velocity) {
  post(PushMaterial{point, tools.push_radius, velocity * tools.push_strength});
}

void ViewModel::tilt() {
  const int u = scene().up;
  Vec3d x{}, y{};
  x[(u + 1) % 3] = 1;
  y[(u + 2) % 3] = 1;
  const double degree = std::numbers::pi / 180;
  const Quatd turn = Quatd::from_axis_angle(x, tools.tilt_x_deg * degree) *
                     Quatd::from_axis_angle(y, tools.tilt_y_deg * degree);
  post(SetGravity{rotate(turn, scene().gravity) * tools.gravity_share});
}

void ViewModel::change_material(std::size_t index, const Material& material) {
  post(ChangeMaterial{index, material});
}

void ViewModel::set_speed(double speed) { post(SetSpeed{speed}); }
void ViewModel::set_lockstep(bool on) { post(SetLockstep{on}); }

}  // namespace talus::view
