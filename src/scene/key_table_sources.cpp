// Keys of shapes and of what brings, removes and wets material.
#include "scene/key_tables.h"

namespace talus {
namespace {

Vec3d& shape_position(Shape& shape) { return shape.pose.position; }
Quatd& shape_rotation(Shape& shape) { return shape.pose.rotation; }

template <class Source>
std::vector<Key> time_span(const char* start, const char* stop) {
  return {
      key<&Source::start>("start", "s", "0", start).in(between(0, 1e6)),
      key<&Source::stop>("stop", "s", "inf", stop).in(between(0, 1e6)).if_not_given("never ends")};
}

template <class Source>
Key shape_key(const char* meaning) {
  return key<&Source::shape>("shape", "", "", meaning).must();
}

Section with_span(Section section, const std::vector<Key>& span) {
  section.keys.insert(section.keys.end(), span.begin(), span.end());
  return section;
}

std::vector<Key> extent_keys() {
  return {
      key<&Shape::kind>("type", "", "\"box\"",
                        "box, sphere, cylinder, cone, capsule: solids, centred on their position, "
                        "their axis along z. tube: a cone without lids, for pipes and funnels. "
                        "plane: all below z = 0 of its own frame. height_field: a grey PNG as "
                        "ground. mesh: a closed surface from a file.")
          .choose({"box", "sphere", "cylinder", "cone", "capsule", "tube", "plane", "height_field",
                   "mesh"})
          .must(),
      key<&Shape::size>("size", "m", "[1, 1, 1]",
                        "Full edge lengths; of a height field: extent in x, in y, height of white.")
          .in(above(0))
          .only_if("type", {"box", "height_field"})
          .must(),
      key<&Shape::radius>("radius", "m", "0.5", "Radius; of cone and tube: at the bottom.")
          .in(above(0))
          .only_if("type", {"sphere", "cylinder", "cone", "capsule", "tube"})
          .must(),
      key<&Shape::radius_top>(
          "radius_top", "m", "0",
          "Radius at the top. A tube whose radius_top is not given is straight.")
          .in(between(0, 1e6))
          .only_if("type", {"cone", "tube"}),
      key<&Shape::height>("height", "m", "1", "Length along z; of a capsule: of its straight part.")
          .in(above(0))
          .only_if("type", {"cylinder", "cone", "capsule", "tube"})
          .must(),
      key<&Shape::thickness>("thickness", "m", "0.05",
                             "Of the wall, outside the radius. Below the particle spacing sand may "
                             "pass.")
          .in(above(0))
          .only_if("type", {"tube"}),
      key<&Shape::file>("file", "", "",
                        "Mesh (OBJ, STL, PLY, glTF, FBX, ...) or grey PNG, relative to the scene "
                        "file.")
          .as(KeyType::file)
          .only_if("type", {"height_field", "mesh"})
          .must(),
      key<&Shape::scale>("scale", "m per file unit", "1",
                         "Metres per unit of the file: 0.001 for millimetres.")
          .in(above(0))
          .only_if("type", {"mesh"}),
      key<&Shape::force_mesh>("force_mesh", "", "false",
                              "Take a mesh that is no proper solid (holes, crossing faces) all the "
                              "same: inside and outside may be wrong near those places.")
          .only_if("type", {"mesh"}),
  };
}

}  // namespace

Section shape_keys() {
  Section section{"shape", "shape = { ... }",
                  "Geometry, inside fill, sink, wetting and body. Sizes in metres.", extent_keys()};
  const std::vector<Key> placement{
      key<&shape_position>("position", "m", "[0, 0, 0]", "Where the shape's origin is."),
      key<&shape_rotation>("rotation_quaternion", "", "[1, 0, 0, 0]",
                           "Orientation as w, x, y, z; scaled to unit length.")
          .one_of("rotation"),
      key<&shape_rotation>("rotation_deg", "deg", "",
                           "Orientation as angles about the world's x, then y, then z axis.")
          .as(KeyType::rotation_deg)
          .if_not_given("not turned")
          .alternative("rotation"),
      key<&shape_rotation>("axis", "", "",
                           "Orientation as the direction the shape's z axis points to, e.g. the "
                           "normal of a plane: [0, 1, 0] for a floor when up is y.")
          .as(KeyType::rotation_axis)
          .if_not_given("[0, 0, 1]")
          .alternative("rotation"),
      key<&Shape::inside_out>("inside_out", "", "false",
                              "Solid outside, free inside: a closed container.")
          .only_if("type", {"box", "sphere", "cylinder", "cone", "capsule", "mesh"}),
  };
  section.keys.insert(section.keys.end(), placement.begin(), placement.end());
  return section;
}

Section fill_keys() {
  return {
      "fill",
      "[[fill]]",
      "Material that is there at the start. Where fills overlap, the later one gives way; where "
      "bodies are, nothing is placed.",
      {
          key<&Fill::name>("name", "", "", "For messages.").if_not_given("fill1, fill2, ..."),
          shape_key<Fill>("What is filled; a shape with an inside (no plane, tube or height "
                          "field). Each extent must be at least one spacing."),
          key<&Fill::material>("material", "", "", "Name of a material or of a preset.")
              .if_not_given("the first material"),
          key<&Fill::velocity>("velocity", "m/s", "[0, 0, 0]", "Velocity at the start.")
              .in(any_number(1e5)),
          key<&Fill::angular_velocity>("angular_velocity", "rad/s", "[0, 0, 0]",
                                       "Rotation at the start, about the shape's origin.")
              .in(any_number(1e5)),
          key<&Fill::arrangement>("arrangement", "", "\"jittered\"",
                                  "lattice: regular rows, which show. jittered: a lattice "
                                  "moved at random. relaxed: evenly spaced without order, "
                                  "slower to make.")
              .as(KeyType::word)
              .choose({"lattice", "jittered", "relaxed"}),
          key<&Fill::jitter>("jitter", "spacings", "0.1",
                             "How far jittered particles are moved; large values make the "
                             "sand jump when it starts.")
              .in(between(0, 0.5)),
      }};
}

Section pour_keys() {
  return with_span(
      {"pour",
       "[[pour]]",
       "Material that comes out of a round nozzle during a time span.",
       {
           key<&Pour::name>("name", "", "", "For messages.").if_not_given("pour1, pour2, ..."),
           key<&Pour::position>("position", "m", "[0, 0, 0]", "Centre of the nozzle.").must(),
           key<&Pour::direction>("direction", "", "[0, 0, -1]",
                                 "Where it points; scaled to unit length.")
               .as(KeyType::direction)
               .if_not_given("against up"),
           key<&Pour::radius>("radius", "m", "0.1",
                              "Of the nozzle. Below one spacing hardly anything fits through.")
               .in(above(0))
               .must(),
           key<&Pour::rate>("rate", "kg/s", "1",
                            "Mass per second. At most density x area x speed fits through the "
                            "nozzle.")
               .in(above(0, 1e9))
               .must(),
           key<&Pour::speed>("speed", "m/s", "1", "Speed at the nozzle.").in(above(0, 1e4)),
           key<&Pour::material>("material", "", "", "Name of a material or of a preset.")
               .if_not_given("the first material"),
       }},
      time_span<Pour>("When it starts.", "When it stops."));
}

Section sink_keys() {
  return with_span(
      {"sink",
       "[[sink]]",
       "Removes the material that enters a shape.",
       {
           key<&Sink::name>("name", "", "", "For messages.").if_not_given("sink1, sink2, ..."),
           shape_key<Sink>("Where material is removed; any shape, a plane too."),
       }},
      time_span<Sink>("When it starts to remove.", "When it stops."));
}

Section wetting_keys() {
  return with_span({"wetting",
                    "[[wetting]]",
                    "Wets or dries the material inside a shape.",
                    {
                        key<&Wetting::name>("name", "", "", "For messages.")
                            .if_not_given("wetting1, wetting2, ..."),
                        shape_key<Wetting>("Where it acts; any shape."),
                        key<&Wetting::rate>("rate", "1/s", "0.5",
                                            "Change of wetness per second; negative dries. "
                                            "Wetness stays within 0 and 1.")
                            .in(any_number(1e3)),
                    }},
                   time_span<Wetting>("When it starts.", "When it stops."));
}

}  // namespace talus
