// Sources, rounded to what holds for a kind of material rather than for one sample:
//   bulk and grain densities, angles of repose: Al-Hashemi & Al-Amoudi, Powder Technology 330
//   (2018)
//     397 (review of angles of repose); Carrigy, Sedimentology 14 (1970) 147 (dry sand 31-35 deg);
//     ASABE D241 (rice); Mohsenin, Physical Properties of Plant and Animal Materials (rice, beans).
//   apparent cohesion of moist sand, about 0.5-3 kPa: Richefeu et al., PRE 73 (2006) 051304;
//     Pakpour et al., Scientific Reports 2 (2012) 549 (sand castles).
//   capillary force 2 pi R gamma cos(theta): Rabinovich et al., Langmuir 21 (2005) 10992.
//   glass beads: restitution 0.9 and above, Foerster et al., Physics of Fluids 6 (1994) 1108.
//   snow: density 100-400 kg/m^3, cohesion of fresh snow 0.2-1 kPa: Mellor, J. Glaciology 15
//   (1975). dry and wet viscosity, kappa = 0.7: Ihmsen et al. 2013, section 3.4.
// Young's moduli are those of simulations, two to three orders below the real ones, so that steps
// stay long; overlaps remain under a percent of the grain.
#include "scene/presets.h"

#include <algorithm>

namespace talus {
namespace {

Preset dry_sand() {
  Material m;
  m.name = "dry sand";
  m.density = 1550;
  m.friction = 0.675;  // 34 deg
  m.viscosity = 0;
  m.wet_cohesion = 1500;
  m.wet_viscosity = 0.25;
  m.colour = {0.53f, 0.36f, 0.19f};
  m.colour_variation = 0.25f;
  m.grain_density = 2650;
  m.young_modulus = 5e7;
  m.poisson_ratio = 0.25;
  m.restitution = 0.5;
  m.rolling_friction = 0.1;
  m.grain_shape = "clump4";
  m.grain_diameter = 0.002;
  m.grain_size_spread = 0.2;
  m.grain_spheres = 8;
  m.normal_damping = 300;
  m.capillary_reach = 0.1;
  return {m, "loose quartz sand; flows and piles up at 34 degrees"};
}

Preset wet_sand() {
  Material m = dry_sand().material;
  m.name = "wet sand";
  m.density = 1750;
  m.friction = 0.7;  // 35 deg
  m.wetness = 1;
  m.cohesion_intensity = 0.7;
  m.cohesion_maximum = 1500;
  m.colour = {0.20f, 0.13f, 0.07f};
  m.capillary_force = 4.6e-4;  // R = 1 mm
  return {m, "moist enough to build castles; stands in walls of about 0.7 m"};
}

Preset gravel() {
  Material m = dry_sand().material;
  m.name = "gravel";
  m.density = 1600;
  m.friction = 0.84;  // 40 deg
  m.wet_cohesion = 0;
  m.wet_viscosity = 0;
  m.colour = {0.26f, 0.24f, 0.22f};
  m.colour_variation = 0.45f;
  m.grain_density = 2700;
  m.young_modulus = 1e8;
  m.restitution = 0.4;
  m.rolling_friction = 0.15;
  m.grain_shape = "clump6";
  m.grain_diameter = 0.015;
  m.grain_size_spread = 0.4;
  return {m, "crushed stone of 9 to 21 mm"};
}

Preset glass_beads() {
  Material m = dry_sand().material;
  m.name = "glass beads";
  m.density = 1500;
  m.friction = 0.44;  // 24 deg
  m.viscosity = 0;
  m.wet_cohesion = 300;
  m.colour = {0.62f, 0.74f, 0.78f};
  m.colour_variation = 0.15f;
  m.grain_density = 2500;
  m.young_modulus = 1e8;
  m.poisson_ratio = 0.22;
  m.restitution = 0.92;
  m.rolling_friction = 0.01;
  m.grain_shape = "sphere";
  m.grain_diameter = 0.003;
  m.grain_size_spread = 0.05;
  return {m, "the laboratory's favourite: round, smooth, bouncy"};
}

Preset rice() {
  Material m = dry_sand().material;
  m.name = "rice";
  m.density = 820;
  m.friction = 0.73;  // 36 deg
  m.wet_cohesion = 800;
  m.colour = {0.80f, 0.74f, 0.60f};
  m.colour_variation = 0.12f;
  m.grain_density = 1450;
  m.young_modulus = 2e7;
  m.poisson_ratio = 0.3;
  m.restitution = 0.5;
  m.rolling_friction = 0.03;
  m.grain_shape = "clump2";
  m.grain_diameter = 0.007;
  m.grain_size_spread = 0.08;
  return {m, "milled long-grain rice"};
}

Preset coffee_beans() {
  Material m = dry_sand().material;
  m.name = "coffee beans";
  m.density = 370;
  m.friction = 0.62;  // 32 deg
  m.wet_cohesion = 0;
  m.wet_viscosity = 0;
  m.colour = {0.060f, 0.026f, 0.012f};
  m.colour_variation = 0.3f;
  m.grain_density = 620;
  m.young_modulus = 1e7;
  m.poisson_ratio = 0.3;
  m.restitution = 0.45;
  m.rolling_friction = 0.05;
  m.grain_shape = "clump2";
  m.grain_diameter = 0.011;
  m.grain_size_spread = 0.12;
  return {m, "roasted beans"};
}

Preset popcorn() {
  Material m = dry_sand().material;
  m.name = "popcorn";
  m.density = 40;
  m.friction = 0.87;  // 41 deg: the flakes hook into each other
  m.viscosity = 0.1;
  m.wet_cohesion = 0;
  m.wet_viscosity = 0;
  m.colour = {0.88f, 0.78f, 0.50f};
  m.colour_variation = 0.2f;
  m.grain_density = 80;
  m.young_modulus = 1e6;
  m.poisson_ratio = 0.3;
  m.restitution = 0.25;
  m.rolling_friction = 0.2;
  m.grain_shape = "clump8";
  m.grain_diameter = 0.028;
  m.grain_size_spread = 0.25;
  return {m, "popped; light, rough, interlocking"};
}

Preset snow_like() {
  Material m = dry_sand().material;
  m.name = "snow-like";
  m.density = 300;
  m.friction = 0.78;  // 38 deg
  m.cohesion = 400;
  m.viscosity = 0.2;
  m.wet_cohesion = 2000;
  m.cohesion_intensity = 0.3;
  m.cohesion_maximum = 400;
  m.colour = {0.86f, 0.90f, 0.94f};
  m.colour_variation = 0.05f;
  m.grain_density = 500;
  m.young_modulus = 5e6;
  m.poisson_ratio = 0.3;
  m.restitution = 0.05;
  m.rolling_friction = 0.3;
  m.capillary_force = 2e-3;
  m.grain_shape = "sphere";
  m.grain_diameter = 0.005;
  m.grain_size_spread = 0.3;
  return {m, "cohesive powder that slides like settled snow; it does not melt or sinter"};
}

}  // namespace

std::span<const Preset> material_presets() {
  static const std::vector<Preset> presets{dry_sand(), wet_sand(),     gravel(),  glass_beads(),
                                           rice(),     coffee_beans(), popcorn(), snow_like()};
  return presets;
}

const Preset* find_preset(std::string_view name) {
  const auto presets = material_presets();
  const auto it = std::find_if(presets.begin(), presets.end(),
                               [&](const Preset& p) { return p.material.name == name; });
  return it == presets.end() ? nullptr : &*it;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : material_presets()) names.push_back(preset.material.name);
  return names;
}

}  // namespace talus
