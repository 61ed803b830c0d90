// A validated scene: plain values in SI units, nothing to look up, nothing to parse.
// Defaults, units, ranges and meanings of all keys are declared once, in scene/key_table_*.cpp;
// make scenes in code from default_scene(), default_material(), ... of scene/defaults.h, because
// the zeros below are not the defaults.
#pragma once

#include "geometry/shape.h"
#include "math/vec.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace talus {

enum class SolverKind { sph, dem };
enum class SphModel { talus, ihmsen2013, alduan2011 };
enum class SphBoundary { automatic, half_space, particles, direct_forcing };

/// Where something stands, "scene.toml:12:9", for messages of those who look at it later. Empty in
/// scenes made in code. No part of what a scene means: two of them are equal whatever they say.
struct ScenePlace {
  std::string text;

  friend bool operator==(const ScenePlace&, const ScenePlace&) { return true; }
};

struct Material {
  std::string name;
  double density = 0;             ///< kg/m^3 bulk rest density (sph); grain density for dem below
  double friction = 0;            ///< coefficient = tan(angle); scene gives either
  double cohesion = 0;            ///< Pa, dry
  double viscosity = 0;           ///< dimensionless artificial viscosity of the papers
  double wetness = 0;             ///< 0 dry .. 1 soaked, initial
  double wet_cohesion = 0;        ///< Pa added at wetness 1
  double wet_viscosity = 0;       ///< added at wetness 1
  double cohesion_intensity = 0;  ///< kappa of Ihmsen 2013 Eq. 22, m^3/s^2
  double cohesion_maximum = 0;    ///< C of Alduan 2011 Eq. 13, Pa
  std::array<float, 3> colour{};  ///< linear RGB albedo
  float colour_variation = 0;     ///< 0..1, per-grain spread
  // Grains (dem).
  double grain_density = 0;  ///< kg/m^3 of the solid grain
  double young_modulus = 0;  ///< Pa
  double poisson_ratio = 0;
  double restitution = 0;
  double rolling_friction = 0;
  double capillary_force = 0;       ///< N between moist grains
  std::string grain_shape;          ///< template name or file
  double grain_diameter = 0;        ///< m, of the bounding sphere
  double grain_size_spread = 0;     ///< relative half width of a uniform distribution
  int grain_spheres = 0;            ///< spheres of a clump fitted to a mesh
  double normal_stiffness = 0;      ///< linear: N/m, alduan2009: N/m^3/2; 0 = from young_modulus
  double normal_damping = 0;        ///< alduan2009: N s/m^3/2
  double tangential_viscosity = 0;  ///< N s/m of the viscous law; 0 = automatic
  double capillary_reach = 0;       ///< rupture distance of a bridge over the effective radius

  friend bool operator==(const Material&, const Material&) = default;
};

/// What two materials are to each other, where the mean of their own values does not do.
struct ContactPair {
  std::uint32_t material_a = 0, material_b = 0;
  double friction = 0, restitution = 0;

  friend bool operator==(const ContactPair&, const ContactPair&) = default;
};

/// Fills a shape at the start. Where two fills overlap, the later one gives way: it places nothing
/// too close to what the earlier ones placed.
struct Fill {
  std::string name;
  Shape shape;
  std::uint32_t material = 0;
  Vec3d velocity{};
  Vec3d angular_velocity{};  ///< about the shape's origin
  double jitter = 0;         ///< fraction of the spacing
  std::string arrangement;   ///< "lattice", "jittered", "relaxed"
  ScenePlace place;          ///< of its shape

  friend bool operator==(const Fill&, const Fill&) = default;
};

/// Pours from a disc-shaped nozzle.
struct Pour {
  std::string name;
  Vec3d position{};
  Vec3d direction{};           ///< unit
  double radius = 0;           ///< m
  double rate = 0;             ///< kg/s
  double speed = 0;            ///< m/s at the nozzle
  double start = 0, stop = 0;  ///< s; stop is infinite when the scene does not say
  std::uint32_t material = 0;

  friend bool operator==(const Pour&, const Pour&) = default;
};

/// Removes what enters a shape, within a time span.
struct Sink {
  std::string name;
  Shape shape;
  double start = 0, stop = 0;
  ScenePlace place;  ///< of its shape

  friend bool operator==(const Sink&, const Sink&) = default;
};

/// Wets or dries what is inside a shape.
struct Wetting {
  std::string name;
  Shape shape;
  double rate = 0;  ///< change of wetness per second; negative dries
  double start = 0, stop = 0;
  ScenePlace place;  ///< of its shape

  friend bool operator==(const Wetting&, const Wetting&) = default;
};

struct Keyframe {
  double time = 0;
  Vec3d position{};
  Quatd rotation{};

  friend bool operator==(const Keyframe&, const Keyframe&) = default;
};

/// A scripted body follows its keyframes, or, without any, from the shape's pose at time 0:
/// constant velocity, constant angular velocity about the shape's origin, and a constant
/// linear_acceleration from acceleration_start to acceleration_stop (the speed reached stays).
enum class SceneMotion { fixed, scripted, dynamic };
enum class Interpolation { linear, smooth };

struct SceneBody {
  std::string name;
  Shape shape;
  SceneMotion motion = SceneMotion::fixed;
  std::vector<Keyframe> keyframes;
  Interpolation interpolation = Interpolation::smooth;
  Vec3d velocity{}, angular_velocity{};  ///< dynamic: initial; scripted: constant; fixed: none
  Vec3d linear_acceleration{};           ///< m/s^2, scripted
  double acceleration_start = 0, acceleration_stop = 0;  ///< s; stop may be infinite
  double density = 0, mass = 0;                          ///< one of them for dynamic bodies
  double friction = 0, restitution = 0;
  Vec3d force{};                           ///< N, constant, at the centre of mass of a dynamic body
  double force_start = 0, force_stop = 0;  ///< s; stop may be infinite
  std::string animation_file;              ///< its node moves a scripted body; empty = none
  std::string animation_node;              ///< empty: the first animated one
  double animation_scale = 0;              ///< metres per unit of the file
  bool carve = true;   ///< material that starts inside gives way; else the scene is refused
  bool rough = false;  ///< dem: collide with surface particles instead of the smooth surface
  std::array<float, 3> colour{};
  ScenePlace place, animation_place;  ///< of its shape (its mesh file); of animation_file

  friend bool operator==(const SceneBody&, const SceneBody&) = default;
};

enum class JointKind { fixed, ball, hinge, slider };
struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  std::string body_a, body_b;  ///< body_b empty: the world
  Vec3d anchor{}, axis{};
  double lower = 0, upper = 0;  ///< limits: rad or m; lower > upper = free
  double motor_speed = 0, motor_limit = 0;
  double break_force = 0;    ///< N, 0 = never
  double release_time = -1;  ///< s, negative = never

  friend bool operator==(const Joint&, const Joint&) = default;
};

/// A chain of capsules between two points, joined by ball joints. Reading a scene turns it into
/// bodies NAME/0, NAME/1, ... and joints NAME/joint0, ... (scene/rope.h).
struct Rope {
  std::string name;
  Vec3d from{}, to{};  ///< m
  double radius = 0;   ///< m
  int links = 0;       ///< 0: as many as make each link six radii long
  double density = 0;  ///< kg/m^3 of a link
  double friction = 0, restitution = 0;
  double break_force = 0;    ///< N at any joint, 0 = never
  double release_time = -1;  ///< s, of both end joints; negative = never
  /// Who holds an end: the name of a body, "world", or empty for a free end.
  std::string from_body, to_body;
  std::array<float, 3> colour{};

  friend bool operator==(const Rope&, const Rope&) = default;
};

/// Changes with a name, chosen by --size; a scene that has been read no longer holds them.
struct SceneSize {
  std::string name;
  std::vector<std::string> set;  ///< "sph.spacing=0.01"
};

struct SphSettings {
  SphModel model = SphModel::talus;
  SphBoundary boundary = SphBoundary::automatic;
  double spacing = 0;    ///< m, rest distance a of particles
  double time_step = 0;  ///< s, upper limit of the adaptive step
  bool adaptive = true;
  int pressure_iterations = 0,
      friction_iterations = 0;  ///< fixed count, or minimum with tolerances
  int max_iterations = 0;
  double density_tolerance = 0;  ///< mean relative compression; 0 = fixed count
  double stress_tolerance = 0;   ///< relative change of stress; 0 = fixed count
  bool bilateral = false;        ///< alduan2011: incompressible both ways
  bool sleeping = false;

  friend bool operator==(const SphSettings&, const SphSettings&) = default;
};

struct DemSettings {
  std::string normal_law,
      tangential_law;    ///< "hertz", "linear", "alduan2009"; "mindlin", "viscous"
  double time_step = 0;  ///< s, 0 = automatic
  double low_speed_damping = 0;
  double reference_speed = 0;  ///< m/s at which the linear spring is as stiff as Hertz
  std::string inertia;         ///< "exact", "scalar"
  std::string rotation;        ///< "rigid", "longmore2009"
  double air_density = 0;      ///< kg/m^3, 0 = vacuum
  Vec3d wind{};                ///< m/s

  friend bool operator==(const DemSettings&, const DemSettings&) = default;
};

struct Camera {
  std::string name;
  double time = 0;  ///< several cameras with times are keyframes of one
  Vec3d position{}, target{};
  double focal_length_mm = 0;
  double f_stop = 0;  ///< 0 = pinhole
  double focus_distance = 0;

  friend bool operator==(const Camera&, const Camera&) = default;
};

struct RenderSettings {
  int width = 0, height = 0, samples = 0;
  bool motion_blur = false;
  Vec3d sun_direction{};
  double sun_strength = 0, sky_strength = 0, exposure = 0;

  friend bool operator==(const RenderSettings&, const RenderSettings&) = default;
};

enum class DetailMethod { blend, split, fixed };
enum class DetailSampling { cubes, sphere };
enum class SparseRule { support, printed, never };
struct DetailSettings {
  double factor = 0;  ///< fine grains for each particle; whole
  DetailMethod method = DetailMethod::blend;
  DetailSampling sampling = DetailSampling::cubes;
  SparseRule sparse_rule = SparseRule::support;
  double time_step = 0;         ///< s
  int interpolate_every = 0;    ///< split: steps between two interpolations
  bool separation = false;      ///< blend: stack grains where sand is thin
  bool write_velocity = false;  ///< frames hold velocities

  friend bool operator==(const DetailSettings&, const DetailSettings&) = default;
};

struct OutputSettings {
  std::vector<std::string> fields;  ///< extra fields in frames: density, pressure, stress, ...
  double checkpoint_every = 0;      ///< wall-clock seconds

  friend bool operator==(const OutputSettings&, const OutputSettings&) = default;
};

struct Scene {
  std::string name;
  std::string file;                     ///< path it was read from
  int up = 2;                           ///< axis: 0 x, 1 y, 2 z
  Vec3d gravity{};                      ///< m/s^2, already along -up
  double duration = 0, frame_rate = 0;  ///< s, 1/s
  std::uint64_t seed = 0;
  std::array<bool, 3> periodic{};        ///< per axis: what leaves on one side enters on the other
  Vec3d domain_lower{}, domain_upper{};  ///< m, of the periodic axes; other axes are unbounded
  SolverKind solver = SolverKind::sph;
  SphSettings sph;
  DemSettings dem;
  std::vector<Material> materials;
  std::vector<ContactPair> contacts;
  std::vector<Fill> fills;
  std::vector<Pour> pours;
  std::vector<Sink> sinks;
  std::vector<Wetting> wettings;
  std::vector<SceneBody> bodies;
  std::vector<Joint> joints;
  std::vector<Camera> cameras;
  RenderSettings render;
  DetailSettings detail;
  OutputSettings output;

  friend bool operator==(const Scene&, const Scene&) = default;
};

}  // namespace talus
