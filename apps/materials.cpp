// talus materials: the presets, as continuum and as grains.
#include "cli.h"
#include "scene/presets.h"
#include "verbs.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {

int verb_materials(VerbArguments args) {
  Cli cli("materials", "list the material presets");
  if (const auto stop = cli.parse(args)) return *stop;

  fmt::print("{:<13}{:>8}{:>9}{:>10}{:>9}  {:<8}{:>9}{:>9}{:>6}\n", "preset", "density", "friction",
             "cohesion", "wetness", "grain", "diameter", "density", "rest.");
  fmt::print("{:<13}{:>8}{:>9}{:>10}{:>9}  {:<8}{:>9}{:>9}{:>6}\n", "", "kg/m^3", "deg", "Pa", "",
             "", "mm", "kg/m^3", "");
  for (const Preset& preset : material_presets()) {
    const Material& m = preset.material;
    fmt::print("{:<13}{:>8}{:>9.1f}{:>10}{:>9}  {:<8}{:>9.1f}{:>9}{:>6}\n", m.name, m.density,
               std::atan(m.friction) * 180 / std::numbers::pi,
               m.cohesion + m.wetness * m.wet_cohesion, m.wetness, m.grain_shape,
               m.grain_diameter * 1000, m.grain_density, m.restitution);
    fmt::print("             {}\n", preset.note);
  }
  fmt::print(
      "\nUse one in a scene:  [[material]]   and change what differs:  density = 1600\n"
      "                     preset = \"dry sand\"\n"
      "'talus keys material' explains every value.\n");
  return 0;
}

}  // namespace talus
