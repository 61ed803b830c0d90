// From the scene to bodies that can move, with every check that needs geometry.
#include "bodies/body_world.h"
#include "bodies/body_world_impl.h"
#include "bodies/bullet_math.h"
#include "bodies/motion.h"
#include "bodies/thin_part.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_shapes.h"
#include "geometry/node_animation.h"
#include "scene/located.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace talus {
namespace {

constexpr double allowed_overlap = 0.02;  // at the start, of the smaller body's size
constexpr double piece_tolerance = 0.01;  // volume that a convex piece may add, of the whole
constexpr int most_pieces = 32;
constexpr double endless = 1e3;  // m, size given to a plane

template <class... Args>
Error refused(const Scene& scene, const ScenePlace& place, fmt::format_string<Args...> text,
              Args&&... args) {
  return located_error(scene, place, fmt::format(text, std::forward<Args>(args)...));
}

Error inside(const Scene& scene, const SceneBody& body, const Error& cause) {
  return located_error(scene, body.place, fmt::format("body '{}'", body.name), cause);
}

bool is_mesh(const Shape& shape) {
  return shape.kind == ShapeKind::mesh || shape.kind == ShapeKind::height_field;
}

Status check_body(const Scene& scene, const SceneBody& body) {
  if (body.motion == SceneMotion::dynamic) {
    if (!(body.mass > 0) && !(body.density > 0))
      return refused(scene, body.place,
                     "dynamic body '{}' has no mass; give it a density or a mass", body.name);
    if (body.shape.inside_out || body.shape.kind == ShapeKind::plane ||
        body.shape.kind == ShapeKind::height_field)
      return refused(scene, body.place,
                     "body '{}' cannot be dynamic: its solid has no end (plane, height field or "
                     "inside_out); make it fixed or scripted",
                     body.name);
  }
  for (std::size_t k = 1; k < body.keyframes.size(); ++k)
    if (!(body.keyframes[k].time > body.keyframes[k - 1].time))
      return refused(scene, body.place,
                     "body '{}': keyframe {} at {} s does not come after keyframe {} at {} s; "
                     "times must increase",
                     body.name, k + 1, body.keyframes[k].time, k, body.keyframes[k - 1].time);
  return {};
}

/// Turns the animation of a file into keyframes.
Status animate(const Scene& scene, SceneBody& body) {
  if (body.animation_file.empty()) return {};
  Result<NodeAnimation> animation =
      read_node_animation(body.animation_file, body.animation_node, body.animation_scale);
  if (!animation)
    return located_error(scene, body.animation_place, fmt::format("body '{}'", body.name),
                         animation.error());
  const auto compose = [](const Posed& a, const Posed& b) {
    return Posed{a.to_world(b.position), normalized(a.rotation * b.rotation)};
  };
  // Meshes are read with the transforms of their nodes at rest, which must not count twice.
  Posed local;
  if (body.shape.kind == ShapeKind::mesh && body.shape.file == body.animation_file)
    local = {animation->rest.to_body({}), conjugate(animation->rest.rotation)};
  for (const NodePose& key : animation->poses) {
    const Posed world = compose(body.shape.pose, compose(key.pose, local));
    body.keyframes.push_back({key.time, world.position, world.rotation});
  }
  body.interpolation = Interpolation::linear;
  return {};
}

struct Extents {
  double smallest, half_largest;
};

Extents extents(const Shape& shape, const DistanceField& field) {
  if (shape.kind == ShapeKind::plane) return {endless, endless};
  const Box3d box = field.bounds();
  const Vec3d size = box.upper - box.lower;
  double smallest = std::min({size.x, size.y, size.z});
  if (shape.kind == ShapeKind::tube) smallest = std::min(smallest, shape.thickness);
  return {smallest, 0.5 * std::max({size.x, size.y, size.z})};
}

/// Triangles of files, in the shape's frame; empty for primitives.
Result<Surface> surface_of(const Shape& shape) {
  Surface surface;
  if (!is_mesh(shape)) return surface;
  Shape solid = shape;
  solid.inside_out = false;
  Result<Mesh> mesh = tessellate(solid);
  if (!mesh) return mesh.error();
  for (const Vec3f& v : mesh->vertices) surface.points.push_back(Vec3d(v));
  surface.triangles = mesh->triangles;
  return surface;
}

std::unique_ptr<btRigidBody> make_object(BodyMotion motion, double mass, const Vec3d& moments,
                                         btCollisionShape* proxy, int index) {
  btRigidBody::btRigidBodyConstructionInfo info(motion == BodyMotion::dynamic ? mass : 0, nullptr,
                                                proxy, to_bullet(moments));
  auto object = std::make_unique<btRigidBody>(info);
  if (motion == BodyMotion::scripted)
    object->setCollisionFlags(object->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  object->setActivationState(DISABLE_DEACTIVATION);
  object->setWorldArrayIndex(index);
  return object;
}

/// One sentence for all meshes; of the other shapes the scene has told already
/// (scene/validate.cpp).
void warn_of_thin(BodyWorldData& w, const Scene& scene, double spacing) {
  std::string names;
  std::size_t count = 0, first = 0;
  double thinnest = spacing;
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const Shape& shape = w.bodies[i].shape;
    if (shape.kind != ShapeKind::mesh || shape.inside_out) continue;
    const auto thin = thin_part(dynamic_cast<const MeshField&>(*w.bodies[i].field), spacing);
    if (!thin) continue;
    thinnest = std::min(thinnest, *thin);
    if (count == 0) first = i;
    if (++count <= 3) names += fmt::format("{}'{}'", count > 1 ? ", " : "", w.bodies[i].name);
  }
  if (count == 0) return;
  if (count > 3) names += fmt::format(" and {} more", count - 3);
  w.warnings.push_back(located_warning(
      scene, w.scene_bodies[first].place,
      fmt::format("{} {} down to {:.3g} m thin, less than the particle spacing of {:.3g} m: sand "
                  "may pass through; make {} thicker or the spacing smaller",
                  count == 1 ? "body" : "bodies", names + (count == 1 ? " is" : " are"), thinnest,
                  spacing, count == 1 ? "it" : "them")));
}

/// Mass, centre and inertia of a dynamic body; zero mass and the shape's origin for the others.
Result<MassProperties> weigh(const Scene& scene, const SceneBody& body) {
  if (body.motion != SceneMotion::dynamic) return MassProperties{};
  Result<MassProperties> p = mass_properties(body.shape, body.mass > 0 ? 1 : body.density);
  if (!p) return inside(scene, body, p.error());
  if (!(p->volume > 0) || !(p->principal_moments.x > 0))
    return refused(scene, body.place, "body '{}' has no volume, so it cannot have mass", body.name);
  if (body.mass > 0) {
    const double density = body.mass / p->volume;
    p->mass = body.mass;
    p->inertia = p->inertia * density;
    p->principal_moments = p->principal_moments * density;
  }
  return p;
}

Status add_body(BodyWorldData& w, const Scene& scene, const SceneBody& source, double spacing) {
  if (Status s = check_body(scene, source); !s) return s;
  auto field = make_distance_field(source.shape, spacing);
  if (!field) return inside(scene, source, field.error());
  const Result<MassProperties> mass = weigh(scene, source);
  if (!mass) return mass.error();
  const Extents extent = extents(source.shape, **field);
  if (!(extent.smallest > 0))
    return refused(scene, source.place, "body '{}' has no volume: its smallest extent is {} m",
                   source.name, extent.smallest);

  Body body;
  body.name = source.name;
  body.motion = static_cast<BodyMotion>(source.motion);
  body.shape = source.shape;
  body.field = *field;
  body.field_offset = -mass->centre;
  body.friction = source.friction;
  body.restitution = source.restitution;
  body.mass = mass->mass;
  body.inertia = mass->inertia;
  if (source.motion == SceneMotion::scripted) {
    body.state = scripted_state(source, 0);
  } else {
    body.state.pose = {source.shape.pose.to_world(mass->centre), source.shape.pose.rotation};
    if (source.motion == SceneMotion::dynamic) {
      body.state.velocity = source.velocity;
      body.state.angular_velocity = source.angular_velocity;
      body.recent.mean_velocity = source.velocity;
    }
  }

  Rigid rigid;
  rigid.collider.size = extent.smallest;
  rigid.dynamic = rigid.awake = source.motion == SceneMotion::dynamic;
  rigid.field = body.field.get();
  rigid.friction = source.friction;
  rigid.restitution = source.restitution;
  const Quatd axes = mass->principal_axes;
  rigid.shape_to_body = to_bullet(Posed{rotate_inverse(axes, -mass->centre), conjugate(axes)});
  rigid.proxy = std::make_unique<btSphereShape>(extent.smallest);
  rigid.object = make_object(body.motion, body.mass, mass->principal_moments, rigid.proxy.get(),
                             static_cast<int>(w.bodies.size()));
  if (rigid.dynamic)
    w.smallest_size =
        w.smallest_size > 0 ? std::min(w.smallest_size, extent.smallest) : extent.smallest;

  w.bodies.push_back(std::move(body));
  w.rigids.push_back(std::move(rigid));
  w.principal_axes.push_back(axes);
  w.principal_moments.push_back(mass->principal_moments);
  w.radius.push_back(extent.half_largest);
  w.rest.emplace_back();
  return {};
}

/// Shapes are built last, when the size of the smallest dynamic body is known. Those that are there
/// stay.
Status add_colliders(BodyWorldData& w, const Scene& scene) {
  if (!w.any_dynamic()) return {};
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const Shape& shape = w.scene_bodies[i].shape;
    Rigid& rigid = w.rigids[i];
    if (!rigid.collider.parts.empty()) continue;
    const Result<Surface> surface = surface_of(shape);
    if (!surface) return inside(scene, w.scene_bodies[i], surface.error());
    std::vector<ConvexPiece> pieces;
    if (rigid.dynamic && !surface->triangles.empty())
      pieces = make_convex_pieces(*surface, piece_tolerance, most_pieces);
    const ColliderOptions options{rigid.shape_to_body, rigid.collider.size, 0.01 * w.smallest_size};
    rigid.collider = make_collider(shape, *surface, pieces, options);
    w.place(i);
  }
  return {};
}

Status add_joints(BodyWorldData& w, const Scene& scene) {
  std::map<std::string, std::uint32_t> index;
  std::string names;
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    if (!index.try_emplace(scene.bodies[i].name, i).second)
      return refused(scene, scene.bodies[i].place, "two bodies are named '{}'; names must differ",
                     scene.bodies[i].name);
    names += (i > 0 ? ", " : "") + scene.bodies[i].name;
  }
  w.world_anchor =
      make_object(BodyMotion::fixed, 0, {}, nullptr, static_cast<int>(w.bodies.size()));
  for (const Joint& source : scene.joints) {
    auto joint = std::make_unique<RigidJoint>();
    const auto find = [&](const std::string& name, std::uint32_t& out) -> Status {
      const auto it = index.find(name);
      if (it == index.end())
        return refused(scene, {}, "joint '{}' names the unknown body '{}'; there are: {}",
                       source.name, name, names);
      out = it->second;
      return {};
    };
    if (Status s = find(source.body_a, joint->body_a); !s) return s;
    if (!source.body_b.empty())
      if (Status s = find(source.body_b, joint->body_b); !s) return s;
    const bool in_world = joint->body_b == RigidJoint::world;
    if (joint->body_a == joint->body_b)
      return refused(scene, {}, "joint '{}' joins body '{}' to itself", source.name, source.body_a);
    if (!w.rigids[joint->body_a].dynamic && (in_world || !w.rigids[joint->body_b].dynamic))
      return refused(scene, {}, "joint '{}' joins no dynamic body, so it could hold nothing",
                     source.name);
    if ((source.kind == JointKind::hinge || source.kind == JointKind::slider) &&
        !(norm(source.axis) > 0))
      return refused(scene, {}, "joint '{}' needs an axis that is not zero", source.name);
    btRigidBody& b = in_world ? *w.world_anchor : *w.rigids[joint->body_b].object;
    joint->constraint = make_constraint(source, *w.rigids[joint->body_a].object, b);
    joint->constraint->setJointFeedback(&joint->feedback);
    w.joints.push_back(std::move(joint));
  }
  return {};
}

/// Depth of the outermost points of a convex body below the surface of another one; finds bodies
/// that start wholly inside a mesh, whose triangles they do not touch.
double depth_in_field(const Rigid& body, const Rigid& solid) {
  const btTransform to_field = (solid.object->getWorldTransform() * solid.shape_to_body).inverse();
  double deepest = 0;
  for (const ColliderPart& part : body.collider.parts) {
    const btTransform world = to_field * body.object->getWorldTransform() * part.local;
    for (int k = 0; k < 27; ++k) {
      const btVector3 d(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      const btVector3 p =
          world * (d.length2() > 0 ? part.convex->localGetSupportingVertex(d.normalized())
                                   : btVector3(0, 0, 0));
      deepest = std::max(deepest,
                         -static_cast<double>(solid.field->sample(Vec3f(from_bullet(p))).distance));
    }
  }
  return deepest;
}

/// The place of the other body that a message is about, where it has one.
std::string also_at(const SceneBody& other) {
  if (other.place.text.empty()) return {};
  return fmt::format(" ('{}' stands at {})", other.name, other.place.text);
}

/// Bodies from `first` on, against all before them.
Status check_overlaps(BodyWorldData& w, const Scene& scene, std::uint32_t first = 1) {
  constexpr double no_time = 1e-9;
  const auto joined = w.joined();
  Contacts contacts;
  contacts.update(w.rigids, joined, {no_time, 0, {}, 0});
  for (std::uint32_t b = first; b < w.bodies.size(); ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      const Rigid& ra = w.rigids[a];
      const Rigid& rb = w.rigids[b];
      if ((!ra.dynamic && !rb.dynamic) || joined.contains({a, b})) continue;
      double depth = contacts.depth(a, b);
      const auto has_triangles = [](const Rigid& r) {
        return !r.collider.parts.empty() && r.collider.parts.front().triangles != nullptr;
      };
      if (has_triangles(ra)) depth = std::max(depth, depth_in_field(rb, ra));
      if (has_triangles(rb)) depth = std::max(depth, depth_in_field(ra, rb));
      if (depth > allowed_overlap * std::min(ra.collider.size, rb.collider.size))
        return refused(scene, w.scene_bodies[b].place,
                       "bodies '{}' and '{}' start inside each other, {:.3g} m deep; move one "
                       "of them, or connect them by a joint{}",
                       w.bodies[a].name, w.bodies[b].name, depth, also_at(w.scene_bodies[a]));
    }
  return {};
}

/// As if the body had never been added.
void drop_last(BodyWorldData& w) {
  w.scene_bodies.pop_back();
  w.bodies.pop_back();
  w.rigids.pop_back();
  w.principal_axes.pop_back();
  w.principal_moments.pop_back();
  w.radius.pop_back();
  w.rest.pop_back();
}

}  // namespace

Result<BodyWorld> make_body_world(const Scene& scene, const Executor&, double spacing) {
  auto w = std::make_unique<BodyWorldData>();
  w->gravity = scene.gravity;
  w->scene_bodies = scene.bodies;
  w->scene_joints = scene.joints;
  for (SceneBody& body : w->scene_bodies) {
    if (Status s = animate(scene, body); !s) return s.error();
    if (Status s = add_body(*w, scene, body, spacing); !s) return s.error();
  }
  warn_of_thin(*w, scene, spacing);
  if (Status s = add_colliders(*w, scene); !s) return s.error();
  if (Status s = add_joints(*w, scene); !s) return s.error();
  if (w->any_dynamic())
    if (Status s = check_overlaps(*w, scene); !s) return s.error();
  return BodyWorld(std::move(w));
}

Status BodyWorld::add(const SceneBody& source, double spacing) {
  BodyWorldData& w = *data_;
  Scene scene;  // only names it in messages
  scene.name = "live";
  for (const Body& body : w.bodies)
    if (body.name == source.name)
      return request_error("there is a body '{}' already; give the new one another name",
                           source.name);
  SceneBody body = source;
  if (Status s = animate(scene, body); !s) return s;
  const double smallest = w.smallest_size;
  if (Status s = add_body(w, scene, body, spacing); !s) return s;
  w.scene_bodies.push_back(std::move(body));
  const auto last = static_cast<std::uint32_t>(w.bodies.size() - 1);
  w.world_anchor->setWorldArrayIndex(static_cast<int>(w.bodies.size()));
  Status status = add_colliders(w, scene);
  w.place(last);
  if (status.ok() && w.any_dynamic()) status = check_overlaps(w, scene, last);
  if (!status.ok()) {
    drop_last(w);
    w.smallest_size = smallest;
  }
  return status;
}

void BodyWorld::set_velocity(std::size_t body, const Vec3d& velocity,
                             const Vec3d& angular_velocity) {
  BodyState& state = data_->bodies[body].state;
  TALUS_CHECK(data_->rigids[body].dynamic, "body '{}' does not move freely",
              data_->bodies[body].name);
  state.velocity = velocity;
  state.angular_velocity = angular_velocity;
  data_->bodies[body].recent = {{}, velocity};
  data_->wake(body);
  data_->place(body);
}

}  // namespace talus
