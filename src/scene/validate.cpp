#include "scene/validate.h"

#include "scene/estimate.h"
#include "scene/shape_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace talus {
namespace {

constexpr double max_particles = 1e9;
constexpr double max_frames = 1e7;
constexpr int max_overlap_tests = 20000;

class Validator {
 public:
  Validator(const Scene& scene, const TomlNode* root, Diagnostics& diagnostics)
      : scene_(scene), root_(root), diagnostics_(diagnostics) {}

  void references() {
    unique_names("material", scene_.materials);
    unique_names("fill", scene_.fills);
    unique_names("pour", scene_.pours);
    unique_names("sink", scene_.sinks);
    unique_names("wetting", scene_.wettings);
    unique_names("body", scene_.bodies);
    unique_names("joint", scene_.joints);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) script(i);
    joints();
    cameras();
  }

  void measures() {
    world();
    for (std::size_t i = 0; i < scene_.materials.size(); ++i) material(i);
    for (std::size_t i = 0; i < scene_.fills.size(); ++i) fill(i);
    for (std::size_t i = 0; i < scene_.pours.size(); ++i) pour(i);
    for (std::size_t i = 0; i < scene_.sinks.size(); ++i) span("sink", i, scene_.sinks[i]);
    for (std::size_t i = 0; i < scene_.wettings.size(); ++i) span("wetting", i, scene_.wettings[i]);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) body(i);
    if (diagnostics_.ok()) {
      particle_count();
      overlapping_fills();
      overlapping_pours();
    }
  }

 private:
  template <class... Args>
  void error(const std::string& path, fmt::format_string<Args...> text, Args&&... args) {
    diagnostics_.error(locate(root_, path), fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(const std::string& path, fmt::format_string<Args...> text, Args&&... args) {
    diagnostics_.warning(locate(root_, path), fmt::format(text, std::forward<Args>(args)...));
  }
  static std::string at(const char* table, std::size_t i, const char* key = "") {
    return fmt::format("{}.{}{}{}", table, i, *key == '\0' ? "" : ".", key);
  }

  template <class T>
  void unique_names(const char* table, const std::vector<T>& items) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto [it, fresh] = seen.emplace(items[i].name, i);
      if (!fresh)
        error(at(table, i, "name"),
              "two of [[{}]] are called {} (numbers {} and {}); give each its "
              "own name",
              table, in_quotes(items[i].name), it->second, i);
    }
  }

  void script(std::size_t i) {
    const SceneBody& body = scene_.bodies[i];
    for (std::size_t k = 1; k < body.keyframes.size(); ++k)
      if (!(body.keyframes[k].time > body.keyframes[k - 1].time))
        error(fmt::format("body.{}.keyframe.{}.time", i, k),
              "keyframes of {} are out of order: {} s comes after {} s", in_quotes(body.name),
              body.keyframes[k].time, body.keyframes[k - 1].time);
    if (body.motion != SceneMotion::scripted) return;
    const bool moves = body.velocity != Vec3d{} || body.angular_velocity != Vec3d{} ||
                       body.linear_acceleration != Vec3d{};
    // A file that was not found leaves no name, and has been complained about.
    const bool animated = !body.animation_file.empty() ||
                          (root_ != nullptr && scene_has(at("body", i, "animation_file")));
    if (animated && (moves || !body.keyframes.empty()))
      error(at("body", i, "animation_file"),
            "{} has an animation and also keyframes, a velocity, angular_velocity or "
            "linear_acceleration; keep one",
            in_quotes(body.name));
    if (!animated && !body.animation_node.empty())
      error(at("body", i, "animation_node"), "{} names a node but no animation_file",
            in_quotes(body.name));
    if (moves && !body.keyframes.empty())
      error(
          at("body", i, "keyframe"),
          "{} has keyframes and also a velocity, angular_velocity or linear_acceleration; keep one",
          in_quotes(body.name));
    if (!moves && !animated && body.keyframes.empty())
      warning(at("body", i, "motion"),
              "{} is scripted but has no keyframes and no velocity: it stands still",
              in_quotes(body.name));
    if (!(body.acceleration_stop > body.acceleration_start))
      error(at("body", i, "acceleration_stop"),
            "acceleration_stop must come after "
            "acceleration_start ({} s)",
            body.acceleration_start);
  }

  const SceneBody* joint_body(const std::string& path, const std::string& name) {
    if (bodies_by_name_.empty())
      for (const SceneBody& body : scene_.bodies) bodies_by_name_.emplace(body.name, &body);
    const auto it = bodies_by_name_.find(name);
    if (it != bodies_by_name_.end()) return it->second;
    std::vector<std::string> names;
    for (const SceneBody& body : scene_.bodies) names.push_back(body.name);
    const std::string guess = nearest_word(name, names);
    error(path, "no body is called {}{}", in_quotes(name),
          guess.empty() ? "" : "; did you mean " + in_quotes(guess) + "?");
    return nullptr;
  }

  void joints() {
    for (std::size_t i = 0; i < scene_.joints.size() && !diagnostics_.full(); ++i) {
      const Joint& joint = scene_.joints[i];
      const SceneBody* a = joint_body(at("joint", i, "body_a"), joint.body_a);
      const SceneBody* b =
          joint.body_b.empty() ? nullptr : joint_body(at("joint", i, "body_b"), joint.body_b);
      if (a != nullptr && a == b)
        error(at("joint", i, "body_b"), "a joint cannot hold {} to itself", in_quotes(a->name));
      const auto moves = [](const SceneBody* body) {
        return body != nullptr && body->motion == SceneMotion::dynamic;
      };
      if (a != nullptr && (b != nullptr || joint.body_b.empty()) && !moves(a) && !moves(b))
        error(at("joint", i, "body_a"),
              "neither side of the joint is dynamic, so it holds nothing");
      one_limit_only(i);
    }
  }

  /// A limit that is not given is far outside the other, which would silently free the joint.
  void one_limit_only(std::size_t i) {
    if (root_ == nullptr) return;
    const auto given = [&](const char* key) {
      return locate(root_, at("joint", i, key)).column != locate(root_, at("joint", i)).column ||
             locate(root_, at("joint", i, key)).line != locate(root_, at("joint", i)).line;
    };
    const bool lower = given("lower") || given("lower_deg");
    const bool upper = given("upper") || given("upper_deg");
    if (lower != upper)
      error(at("joint", i, lower ? "lower" : "upper"),
            "a joint has both limits or none; {} is "
            "missing",
            lower ? "upper" : "lower");
  }

  void cameras() {
    std::map<std::string, double> last;
    for (std::size_t i = 0; i < scene_.cameras.size(); ++i) {
      const Camera& camera = scene_.cameras[i];
      if (norm(camera.target - camera.position) < 1e-6)
        error(at("camera", i, "target"), "the camera looks at the point where it stands");
      const auto [it, fresh] = last.emplace(camera.name, camera.time);
      if (!fresh && !(camera.time > it->second))
        error(at("camera", i, "time"),
              "cameras called {} are keyframes of one and out of order: "
              "{} s comes after {} s",
              in_quotes(camera.name), camera.time, it->second);
      it->second = camera.time;
    }
  }

  void world() {
    if (scene_.fills.empty() && scene_.pours.empty() && scene_.bodies.empty())
      error("scene",
            "nothing is in the scene: add a [[fill]], a [[pour]] or a [[body]], or start "
            "from the scene that 'talus new NAME' writes");
    const double frames = scene_.duration * scene_.frame_rate;
    if (frames < 0.5 || frames > max_frames)
      error("scene.duration", "duration x frame_rate = {:.3g} frames; must be 1 to {}", frames,
            max_frames);
    const bool any_periodic = scene_.periodic[0] || scene_.periodic[1] || scene_.periodic[2];
    double size = scene_.materials.empty() ? 0 : particle_size(scene_, 0);
    for (const Fill& fill : scene_.fills)
      size = std::max(size, particle_size(scene_, fill.material));
    for (const Pour& pour : scene_.pours)
      size = std::max(size, particle_size(scene_, pour.material));
    for (int i = 0; i < 3; ++i) {
      const double length = scene_.domain_upper[i] - scene_.domain_lower[i];
      if (scene_.periodic[static_cast<std::size_t>(i)] && !(length >= 5.999 * size))
        error("scene.domain_upper",
              "the domain is {} m long on the periodic axis {}; must be at "
              "least 6 particle sizes = {:.6g} m",
              length, "xyz"[i], 6 * size);
    }
    const bool sand = !scene_.fills.empty() || !scene_.pours.empty();
    if (sand && scene_.bodies.empty() && !any_periodic && norm(scene_.gravity) > 0)
      warning("scene", "there is no [[body]] to land on: the material falls for ever");
    if (scene_.gravity[scene_.up] > 0)
      warning("scene.gravity", "gravity pulls along up instead of against it");
  }

  void material(std::size_t i) {
    const Material& m = scene_.materials[i];
    const double cohesion = m.cohesion + m.wetness * m.wet_cohesion;
    const double degrees = std::atan(m.friction) * 180 / std::numbers::pi;
    if (degrees <= 60.0001 || cohesion > 0) return;
    const bool as_angle = root_ != nullptr && scene_has(at("material", i, "friction_angle_deg"));
    warning(
        at("material", i, as_angle ? "friction_angle_deg" : "friction_coefficient"),
        "{} has a friction angle of {:.1f} degrees and no cohesion. Dry grains stand at 20 to 45 "
        "degrees; steeper slopes need grains that stick or hook, and friction alone then asks "
        "for tension, which makes particles jump. Add cohesion (100 Pa is little)",
        in_quotes(m.name), degrees);
  }

  bool scene_has(const std::string& path) const {
    const Location here = locate(root_, path);
    const Location table = locate(root_, path.substr(0, path.rfind('.')));
    return here.line != table.line || here.column != table.column;
  }

  void fill(std::size_t i) {
    const Fill& fill = scene_.fills[i];
    const ShapeKind kind = fill.shape.kind;
    if (kind == ShapeKind::plane || kind == ShapeKind::tube || kind == ShapeKind::height_field ||
        fill.shape.inside_out)
      return error(at("fill", i, "shape"),
                   "{} has no finite inside to fill; use a box, sphere, "
                   "cylinder, cone, capsule or mesh that is not inside_out",
                   in_quotes(fill.name));
    const double size = particle_size(scene_, fill.material);
    const auto thickness = shape_thickness(fill.shape);
    if (thickness && *thickness < size)
      error(at("fill", i, "shape"),
            "{} is only {:.4g} m thick but its particles are {:.4g} m apart: "
            "nothing fits. Make it larger or {} smaller",
            in_quotes(fill.name), *thickness, size,
            scene_.solver == SolverKind::sph ? "sph.spacing" : "material.grain_diameter");
  }

  template <class T>
  void span(const char* table, std::size_t i, const T& item) {
    if (!(item.stop > item.start))
      error(at(table, i, "stop"), "{} stops at {} s, not after its start at {} s",
            in_quotes(item.name), item.stop, item.start);
    else if (item.start >= scene_.duration)
      warning(at(table, i, "start"), "{} starts at {} s, after the end of the scene at {} s",
              in_quotes(item.name), item.start, scene_.duration);
  }

  void pour(std::size_t i) {
    const Pour& pour = scene_.pours[i];
    span("pour", i, pour);
    const double size = particle_size(scene_, pour.material);
    if (2 * pour.radius < size)
      return error(at("pour", i, "radius"),
                   "the nozzle of {} is {:.4g} m wide but particles are "
                   "{:.4g} m apart: nothing fits through",
                   in_quotes(pour.name), 2 * pour.radius, size);
    const double area = std::numbers::pi * pour.radius * pour.radius;
    const double most = scene_.materials[pour.material].density * area * pour.speed;
    if (pour.rate > most * 1.001)
      error(at("pour", i, "rate"),
            "{} kg/s do not fit through the nozzle of {}: density x area x "
            "speed = {:.4g} kg/s. Raise radius or speed, or lower rate",
            pour.rate, in_quotes(pour.name), most);
  }

  void body(std::size_t i) {
    const SceneBody& body = scene_.bodies[i];
    const bool endless = body.shape.kind == ShapeKind::plane ||
                         body.shape.kind == ShapeKind::height_field || body.shape.inside_out;
    if (body.motion == SceneMotion::dynamic) {
      if (endless)
        error(at("body", i, "shape"),
              "{} has no finite mass and cannot be dynamic; make it fixed "
              "or scripted",
              in_quotes(body.name));
      if (body.mass > 0 && body.density > 0)
        error(at("body", i, "mass"), "{} has a mass and a density; keep one", in_quotes(body.name));
      if (body.force != Vec3d{} && !(body.force_stop > body.force_start))
        error(at("body", i, "force_stop"), "force_stop must come after force_start ({} s)",
              body.force_start);
      if (!(body.mass > 0 || body.density > 0))
        error(at("body", i, "density"), "{} is dynamic and needs a mass or a density above 0",
              in_quotes(body.name));
    }
    thin_body(i);
    const Vec3d normal = rotate(body.shape.pose.rotation, Vec3d{0, 0, 1});
    const bool turned = body.shape.pose.rotation != Quatd{};
    if (body.shape.kind == ShapeKind::plane && !turned && scene_.up != 2)
      warning(at("body", i, "shape"),
              "the plane {} faces +z but up is {}: it is a wall. For a floor "
              "give its shape axis = [{}, {}, 0]",
              in_quotes(body.name), "xyz"[scene_.up], scene_.up == 0 ? 1 : 0,
              scene_.up == 1 ? 1 : 0);
    else if (body.shape.kind == ShapeKind::plane && normal[scene_.up] < -0.5)
      warning(at("body", i, "shape"), "the plane {} is solid above and free below: a ceiling",
              in_quotes(body.name));
  }

  void thin_body(std::size_t i) {
    const SceneBody& body = scene_.bodies[i];
    // Of all links of ropes, which come after the bodies of the file, the first speaks.
    const TomlMember* declared = root_ != nullptr ? root_->find("body") : nullptr;
    const std::size_t own = declared != nullptr ? declared->value.items.size() : 0;
    const bool rope = root_ != nullptr && i >= own;
    if (rope && i > own) return;
    const auto thickness = shape_thickness(body.shape);
    if (!thickness || (scene_.fills.empty() && scene_.pours.empty())) return;
    double size = 0;
    for (std::uint32_t m = 0; m < scene_.materials.size(); ++m)
      size = std::max(size, particle_size(scene_, m));
    if (*thickness < size)
      warning(rope ? "rope.0" : at("body", i, "shape"),
              "{} is {:.4g} m thin, less than a particle ({:.4g} m): sand "
              "may pass through it",
              in_quotes(body.name), *thickness, size);
  }

  void too_many(const std::string& path, const std::string& what, std::uint32_t material,
                double count) {
    const double size = particle_size(scene_, material);
    error(path,
          "{} needs about {:.2g} particles; at most {:.0e} are possible. {} is {:.3g} m: {:.3g} m "
          "would just fit, {:.3g} m gives a million",
          what, count, max_particles,
          scene_.solver == SolverKind::sph ? "sph.spacing" : "material.grain_diameter", size,
          size * std::cbrt(count / max_particles), size * std::cbrt(count / 1e6));
  }

  void particle_count() {
    double total = 0;
    for (std::size_t i = 0; i < scene_.fills.size(); ++i) {
      const Fill& fill = scene_.fills[i];
      const auto volume = shape_volume(fill.shape);
      const double count = volume ? particles_in_volume(scene_, fill.material, *volume) : 0;
      if (count > max_particles)
        too_many(at("fill", i, "shape"),
                 fmt::format("{} ({:.3g} m^3)", in_quotes(fill.name), *volume), fill.material,
                 count);
      total += count;
    }
    for (std::size_t i = 0; i < scene_.pours.size(); ++i) {
      const double count = particles_poured(scene_, scene_.pours[i]);
      if (count > max_particles)
        too_many(at("pour", i, "rate"), in_quotes(scene_.pours[i].name), scene_.pours[i].material,
                 count);
      total += count;
    }
    if (diagnostics_.ok() && total > max_particles) too_many("fill", "the whole scene", 0, total);
  }

  void overlapping_fills() {
    int tests = 0;
    for (std::size_t j = 1; j < scene_.fills.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (++tests > max_overlap_tests) return;
        const Fill& a = scene_.fills[i];
        const Fill& b = scene_.fills[j];
        const double size = particle_size(scene_, b.material);
        const double shared = shared_volume(a.shape, b.shape);
        if (shared <= size * size * size) continue;
        warning(at("fill", j, "shape"), "{} and {} overlap by about {:.3g} m^3; there {} gives way",
                in_quotes(a.name), in_quotes(b.name), shared, in_quotes(b.name));
      }
    }
  }

  void overlapping_pours() {
    int tests = 0;
    for (std::size_t j = 1; j < scene_.pours.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (++tests > max_overlap_tests) return;
        const Pour& a = scene_.pours[i];
        const Pour& b = scene_.pours[j];
        const bool together = a.start < b.stop && b.start < a.stop;
        if (together && norm(a.position - b.position) < a.radius + b.radius)
          error(at("pour", j, "position"),
                "the nozzles of {} and {} overlap while both pour; move "
                "one or let it start later",
                in_quotes(a.name), in_quotes(b.name));
      }
    }
  }

  const Scene& scene_;
  const TomlNode* root_;
  Diagnostics& diagnostics_;
  std::map<std::string, const SceneBody*> bodies_by_name_;
};

}  // namespace

Location locate(const TomlNode* root, std::string_view path) {
  Location at;
  const TomlNode* node = root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    const TomlNode* next = nullptr;
    if (node->kind == TomlKind::array) {
      std::size_t index = 0;
      const auto result = std::from_chars(part.data(), part.data() + part.size(), index);
      if (result.ec == std::errc() && index < node->items.size()) next = &node->items[index];
    } else if (const TomlMember* member = node->find(part)) {
      next = &member->value;
    }
    if (next != nullptr) at = next->at;
    node = next;
  }
  return at;
}

void validate(const Scene& scene, const TomlNode* root, Diagnostics& diagnostics) {
  Validator validator(scene, root, diagnostics);
  const bool values_known = diagnostics.ok();
  validator.references();
  if (values_known) validator.measures();
}

}  // namespace talus
