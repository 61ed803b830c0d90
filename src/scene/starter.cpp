#include "scene/starter.h"

#include "scene/write_scene.h"

#include <fmt/format.h>

namespace talus {

std::string starter_scene(std::string_view name) {
  constexpr std::string_view body = R"toml(
# A Talus scene. Units are SI: metres, seconds, kilograms, pascals.
#   talus check THIS_FILE     says what is wrong or doubtful
#   talus run THIS_FILE       simulates it
#   talus keys [PREFIX]       explains every key; talus materials lists the presets

[scene]
up = "z"                    # gravity pulls against it
gravity = 9.81              # m/s^2; a vector such as [1.7, 0, -9.66] tilts the world by 10 degrees
duration = 3.0              # s
frame_rate = 25             # frames per simulated second
seed = 1                    # another seed, another random arrangement
solver = "sph"              # "sph": sand as a continuum; "dem": every grain a rigid body

[sph]
spacing = 0.02              # m between particles; half of it means 8 times the particles

[[material]]
name = "sand"
preset = "dry sand"         # start from known values, then change what differs:
friction_angle_deg = 33     # or friction_coefficient = 0.65

# A low heap that is there from the start, around the box.
[[fill]]
shape = { type = "box", size = [0.6, 0.6, 0.08], position = [0.0, 0.0, 0.04] }
material = "sand"

# Sand that is poured beside the box for two seconds.
[[pour]]
material = "sand"
position = [-0.1, 0.0, 0.7]  # centre of the nozzle; it points down unless direction says otherwise
radius = 0.06               # m
speed = 1.0                 # m/s
rate = 8.0                  # kg/s; at most density x area x speed
start = 0.2                 # s
stop = 2.2

[[body]]
name = "floor"
shape = { type = "plane" }  # all below z = 0 is solid
friction_angle_deg = 30
colour = [0.30, 0.29, 0.28]

[[body]]
name = "box"
shape = { type = "box", size = [0.2, 0.2, 0.2], position = [0.18, 0.0, 0.1], rotation_deg = [0, 0, 20] }
friction_coefficient = 0.5
colour = [0.45, 0.10, 0.05]
# motion = "dynamic"        # uncomment both to let the sand push it
# density = 400             # kg/m^3

# What falls far below is forgotten.
[[sink]]
shape = { type = "plane", position = [0.0, 0.0, -1.0] }

[[camera]]
position = [-0.9, -1.3, 0.8]
target = [0.0, 0.0, 0.12]
focal_length_mm = 35

[render]
width = 1280
height = 720

[detail]
factor = 50                 # fine grains for each particle, added by talus detail
)toml";
  std::string text(body.substr(1));
  const std::string_view header = "[scene]\n";
  text.insert(text.find(header) + header.size(), fmt::format("name = {}\n", toml_string(name)));
  return text;
}

}  // namespace talus
