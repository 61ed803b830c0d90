// Keys of [[body]], [[body.keyframe]], [[joint]] and [[rope]].
#include "scene/key_tables.h"

namespace talus {
namespace {

std::vector<Key> motion_keys() {
  return {
      key<&SceneBody::motion>(
          "motion", "", "\"fixed\"",
          "fixed: never moves. scripted: follows [[body.keyframe]], or velocity, "
          "angular_velocity and acceleration, whatever pushes against it. "
          "dynamic: moved by gravity, contacts and sand.")
          .choose({"fixed", "scripted", "dynamic"}),
      key<&SceneBody::velocity>("velocity", "m/s", "[0, 0, 0]",
                                "Dynamic: at the start. Scripted: constant; not with keyframes.")
          .in(any_number(1e5))
          .only_if("motion", {"scripted", "dynamic"}),
      key<&SceneBody::angular_velocity>("angular_velocity", "rad/s", "[0, 0, 0]",
                                        "World axes, about the centre of mass (dynamic: at the "
                                        "start) or the shape's origin (scripted: constant, as for "
                                        "a drum; not with keyframes).")
          .in(any_number(1e5))
          .only_if("motion", {"scripted", "dynamic"}),
      key<&SceneBody::linear_acceleration>("linear_acceleration", "m/s^2", "[0, 0, 0]",
                                           "Constant acceleration between acceleration_start and "
                                           "acceleration_stop; the speed reached then stays. Not "
                                           "with keyframes.")
          .in(any_number(1e4))
          .only_if("motion", {"scripted"}),
      key<&SceneBody::acceleration_start>("acceleration_start", "s", "0",
                                          "When linear_acceleration begins; let the pile settle "
                                          "first.")
          .in(between(0, 1e6))
          .only_if("motion", {"scripted"}),
      key<&SceneBody::acceleration_stop>("acceleration_stop", "s", "inf",
                                         "When linear_acceleration ends.")
          .in(between(0, 1e6))
          .if_not_given("never ends")
          .only_if("motion", {"scripted"}),
      key<&SceneBody::interpolation>("interpolation", "", "\"smooth\"",
                                     "Between keyframes. linear: constant speed, with jolts at the "
                                     "keyframes. smooth: speed without jumps.")
          .choose({"linear", "smooth"})
          .only_if("motion", {"scripted"}),
      key<&SceneBody::keyframes>("keyframe", "", "",
                                 "Poses over time, as [[body.keyframe]] tables below the body.")
          .if_not_given("none")
          .only_if("motion", {"scripted"}),
      key<&SceneBody::animation_file>(
          "animation_file", "", "",
          "A glTF, FBX or other file with an animated node, instead of keyframes. The pose of the "
          "shape places the axes of the file in the world (glTF files have y up: rotation_deg = "
          "[90, 0, 0] turns it to z); the node moves the shape within them. A mesh shape from the "
          "same file moves as there.")
          .as(KeyType::file)
          .if_not_given("none")
          .only_if("motion", {"scripted"}),
      key<&SceneBody::animation_node>("animation_node", "", "",
                                      "Name of the node in animation_file.")
          .if_not_given("the first one that moves")
          .only_if("motion", {"scripted"}),
      key<&SceneBody::animation_scale>("animation_scale", "", "1",
                                       "Metres per unit of animation_file.")
          .in(above(0))
          .only_if("motion", {"scripted"}),
      key<&SceneBody::force>("force", "N", "[0, 0, 0]",
                             "Constant force at the centre of mass, besides gravity: with a slider "
                             "joint a plunger that is pressed instead of driven.")
          .in(any_number(1e12))
          .only_if("motion", {"dynamic"}),
      key<&SceneBody::force_start>("force_start", "s", "0", "When the force begins.")
          .in(between(0, 1e6))
          .only_if("motion", {"dynamic"}),
      key<&SceneBody::force_stop>("force_stop", "s", "inf", "When the force ends.")
          .in(between(0, 1e6))
          .if_not_given("never ends")
          .only_if("motion", {"dynamic"}),
  };
}

std::vector<Key> contact_keys() {
  return {
      key<&SceneBody::density>("density", "kg/m^3", "1000",
                               "Mass = density x volume. Give this or mass.")
          .in(between(0, 1e5))
          .only_if("motion", {"dynamic"}),
      key<&SceneBody::mass>("mass", "kg", "0", "0 = from density.")
          .in(between(0, 1e9))
          .only_if("motion", {"dynamic"}),
      key<&SceneBody::friction>("friction_coefficient", "", "0.5",
                                "Coulomb friction against material and other bodies.")
          .in(between(0, 20))
          .one_of("friction"),
      key<&SceneBody::friction>("friction_angle_deg", "deg", "", "The same as an angle.")
          .as(KeyType::tangent_deg)
          .in(between(0, 85))
          .if_not_given("from friction_coefficient")
          .alternative("friction"),
      key<&SceneBody::restitution>("restitution", "", "0.2",
                                   "Rebound speed over impact speed against bodies, grains and "
                                   "continuum sand.")
          .in(between(0, 1)),
      key<&SceneBody::carve>("carve", "", "true",
                             "Material that starts inside the body is taken away. false: refuse "
                             "such a scene."),
      key<&SceneBody::rough>("rough", "", "false",
                             "dem: collide with particles sampled on the surface instead of the "
                             "smooth surface; grains then hold on by shape."),
      key<&SceneBody::colour>("colour", "", "[0.35, 0.35, 0.36]", "Albedo in linear RGB.")
          .in(between(0, 1)),
  };
}

}  // namespace

Section body_keys() {
  Section section{"body",
                  "[[body]]",
                  "A rigid thing: ground, wall, container, tool, or a loose object.",
                  {
                      key<&SceneBody::name>("name", "", "",
                                            "For joints, messages and the table of forces; unique.")
                          .if_not_given("body1, body2, ..."),
                      key<&SceneBody::shape>("shape", "", "",
                                             "Its geometry and its pose at the start. Thinner than "
                                             "the particle spacing it may let sand through.")
                          .must(),
                  }};
  for (const auto& keys : {motion_keys(), contact_keys()})
    section.keys.insert(section.keys.end(), keys.begin(), keys.end());
  return section;
}

Section keyframe_keys() {
  return {"body.keyframe",
          "[[body.keyframe]]",
          "A pose of a scripted body, replacing the one of its shape. Before the first and after "
          "the last keyframe it stands still. Times must increase.",
          {
              key<&Keyframe::time>("time", "s", "0", "When.").in(between(0, 1e6)).must(),
              key<&Keyframe::position>("position", "m", "[0, 0, 0]",
                                       "Where the shape's origin is then.")
                  .must(),
              key<&Keyframe::rotation>("rotation_quaternion", "", "[1, 0, 0, 0]",
                                       "Orientation then, as w, x, y, z.")
                  .one_of("rotation"),
              key<&Keyframe::rotation>("rotation_deg", "deg", "",
                                       "Orientation as angles about the world's x, then y, then z "
                                       "axis; keep neighbours less than 180 degrees apart.")
                  .as(KeyType::rotation_deg)
                  .if_not_given("not turned")
                  .alternative("rotation"),
          }};
}

Section joint_keys() {
  return {
      "joint",
      "[[joint]]",
      "Holds two bodies together, or a body to the world.",
      {
          key<&Joint::name>("name", "", "", "For messages.").if_not_given("joint1, joint2, ..."),
          key<&Joint::kind>("type", "", "\"ball\"",
                            "fixed: as if glued. ball: turns freely about the anchor. hinge: "
                            "turns about the axis. slider: moves along the axis.")
              .choose({"fixed", "ball", "hinge", "slider"}),
          key<&Joint::body_a>("body_a", "", "", "Name of a body.").must(),
          key<&Joint::body_b>("body_b", "", "\"\"", "Name of the other body; empty: the world."),
          key<&Joint::anchor>("anchor", "m", "[0, 0, 0]", "World position at the start.").must(),
          key<&Joint::axis>("axis", "", "[0, 0, 1]", "World direction at the start.")
              .as(KeyType::direction)
              .only_if("type", {"hinge", "slider"}),
          key<&Joint::lower>("lower", "rad or m", "1",
                             "Lower limit of hinge (rad) or slider (m), from the pose at the "
                             "start. Lower above upper means no limits, which is the default.")
              .only_if("type", {"hinge", "slider"})
              .one_of("lower"),
          key<&Joint::lower>("lower_deg", "deg", "", "The lower limit of a hinge in degrees.")
              .as(KeyType::radians_deg)
              .in(any_number(360))
              .if_not_given("from lower")
              .only_if("type", {"hinge"})
              .alternative("lower"),
          key<&Joint::upper>("upper", "rad or m", "-1", "Upper limit.")
              .only_if("type", {"hinge", "slider"})
              .one_of("upper"),
          key<&Joint::upper>("upper_deg", "deg", "", "The upper limit of a hinge in degrees.")
              .as(KeyType::radians_deg)
              .in(any_number(360))
              .if_not_given("from upper")
              .only_if("type", {"hinge"})
              .alternative("upper"),
          key<&Joint::motor_speed>("motor_speed", "rad/s or m/s", "0",
                                   "Speed that the motor tries to reach.")
              .in(any_number(1e5))
              .only_if("type", {"hinge", "slider"}),
          key<&Joint::motor_limit>("motor_limit", "N m or N", "0",
                                   "Most the motor can exert; 0 = no motor.")
              .in(between(0, 1e12))
              .only_if("type", {"hinge", "slider"}),
          key<&Joint::break_force>("break_force", "N", "0", "Load at which it breaks; 0 = never.")
              .in(between(0, 1e12)),
          key<&Joint::release_time>("release_time", "s", "-1", "When it lets go; negative = never.")
              .in(between(-1, 1e6)),
      }};
}

Section rope_keys() {
  return {
      "rope",
      "[[rope]]",
      "A rope or chain: capsules between two points, joined by ball joints. Its links are bodies "
      "called NAME/0, NAME/1, ..., which joints may name.",
      {
          key<&Rope::name>("name", "", "", "For its links and joints, and messages; unique.")
              .if_not_given("rope1, rope2, ..."),
          key<&Rope::from>("from", "m", "[0, 0, 0]", "One end.").must(),
          key<&Rope::to>("to", "m", "[0, 0, 0]", "The other end.").must(),
          key<&Rope::radius>("radius", "m", "0.01", "Of the links.").in(above(0)),
          key<&Rope::links>("links", "", "0", "Their number; 0: each is six radii long.")
              .in(between(0, 10000)),
          key<&Rope::density>("density", "kg/m^3", "1000", "Of a link.").in(above(0, 1e5)),
          key<&Rope::friction>("friction_coefficient", "", "0.5",
                               "Coulomb friction against material and other bodies.")
              .in(between(0, 20)),
          key<&Rope::restitution>("restitution", "", "0.2",
                                  "Rebound speed over impact speed against bodies, grains and "
                                  "continuum sand.")
              .in(between(0, 1)),
          key<&Rope::from_body>("from_body", "", "\"\"",
                                "Who holds the end `from`: the name of a body, \"world\", or "
                                "empty for a free end."),
          key<&Rope::to_body>("to_body", "", "\"\"", "Who holds the end `to`."),
          key<&Rope::break_force>("break_force", "N", "0",
                                  "Load at which any of its joints breaks; 0 = never.")
              .in(between(0, 1e12)),
          key<&Rope::release_time>("release_time", "s", "-1",
                                   "When both ends are let go; negative = never.")
              .in(between(-1, 1e6)),
          key<&Rope::colour>("colour", "", "[0.35, 0.30, 0.22]", "Albedo in linear RGB.")
              .in(between(0, 1)),
      }};
}

}  // namespace talus
