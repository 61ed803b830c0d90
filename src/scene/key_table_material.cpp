// Keys of [[material]].
#include "scene/key_tables.h"
#include "scene/presets.h"

namespace talus {
namespace {

std::vector<Key> identity_keys() {
  Key preset;
  preset.name = "preset";
  preset.type = KeyType::preset;
  preset.default_text = "\"dry sand\"";
  preset.choices = preset_names();
  preset.meaning =
      "Start from the values of a known material (`talus materials` lists them); the other keys "
      "then change what they name. The defaults below are those of dry sand.";
  preset.written = false;
  // First, because it sets all of the material and the other keys then change it.
  return {preset, key<&Material::name>("name", "", "",
                                       "How fills and pours call it. A fill may also name a preset "
                                       "directly.")
                      .if_not_given("the preset's name")};
}

std::vector<Key> continuum_keys() {
  return {
      key<&Material::density>("density", "kg/m^3", "1550",
                              "Bulk density of the settled material, voids included (sph).")
          .in(between(1, 5e4)),
      key<&Material::friction>("friction_coefficient", "", "0.675",
                               "Internal friction: the tangent of the angle at which a slope of it "
                               "starts to flow.")
          .in(between(0, 20))
          .one_of("friction"),
      key<&Material::friction>("friction_angle_deg", "deg", "",
                               "The same as an angle. Above 60 degrees dry grains need cohesion or "
                               "interlocking to stand, and the solver gets noisy.")
          .as(KeyType::tangent_deg)
          .in(between(0, 85))
          .if_not_given("from friction_coefficient")
          .alternative("friction"),
      key<&Material::cohesion>("cohesion", "Pa", "0",
                               "Shear strength without pressure. A free wall of height "
                               "4 c tan(45 + angle/2)/(density g) stands.")
          .in(between(0, 1e6)),
      key<&Material::viscosity>(
          "viscosity", "", "0",
          "Artificial viscosity of the papers; makes wet material sluggish, slows thin flows.")
          .in(between(0, 10)),
      key<&Material::wetness>("wetness", "", "0",
                              "Wetness at the start: 0 dry, 1 soaked. [[wetting]] changes it.")
          .in(between(0, 1)),
      key<&Material::wet_cohesion>("wet_cohesion", "Pa", "1500",
                                   "Cohesion added at wetness 1, in proportion below.")
          .in(between(0, 1e6)),
      key<&Material::wet_viscosity>("wet_viscosity", "", "0.25",
                                    "Viscosity added at wetness 1, in proportion below.")
          .in(between(0, 10)),
      key<&Material::cohesion_intensity>(
          "cohesion_intensity", "m^3/s^2", "0",
          "Attraction kappa of Ihmsen 2013 Eq. 22 (model ihmsen2013); "
          "its strength depends on the spacing.")
          .in(between(0, 100)),
      key<&Material::cohesion_maximum>("cohesion_maximum", "Pa", "0",
                                       "Maximum cohesion C of Alduan 2011 Eq. 13 (model "
                                       "alduan2011).")
          .in(between(0, 1e6)),
  };
}

std::vector<Key> look_keys() {
  return {
      key<&Material::colour>("colour", "", "[0.53, 0.36, 0.19]",
                             "Albedo in linear RGB, 0 to 1 each (not the sRGB of a colour picker).")
          .in(between(0, 1)),
      key<&Material::colour_variation>("colour_variation", "", "0.25",
                                       "Spread of brightness from grain to grain; 0 looks like "
                                       "plastic.")
          .in(between(0, 1)),
  };
}

std::vector<Key> grain_keys() {
  return {
      key<&Material::grain_density>("grain_density", "kg/m^3", "2650",
                                    "Density of the solid grain (dem).")
          .in(between(1, 5e4)),
      key<&Material::young_modulus>(
          "young_modulus", "Pa", "5e7",
          "Stiffness of grains. Real quartz has 7e10; softer grains allow "
          "longer steps (step ~ 1/sqrt) and change little until overlaps "
          "exceed a percent.")
          .in(between(1e3, 1e12)),
      key<&Material::poisson_ratio>("poisson_ratio", "", "0.25", "Poisson's ratio of grains.")
          .in(below(0, 0.5)),
      key<&Material::restitution>("restitution", "", "0.5",
                                  "Rebound speed over impact speed of two grains.")
          .in(between(0.01, 1)),
      key<&Material::rolling_friction>("rolling_friction", "", "0.1",
                                       "Resistance to rolling as a fraction of the radius; stands "
                                       "in for shape when grains are spheres.")
          .in(between(0, 1)),
      key<&Material::capillary_force>("capillary_force", "N", "0",
                                      "Attraction of two touching moist grains; about 2.3e-4 N for "
                                      "1 mm grains and water.")
          .in(between(0, 1e3)),
      key<&Material::grain_shape>("grain_shape", "", "\"clump4\"",
                                  "sphere, or a rigid clump of 2, 4, 6, 8 or 9 spheres (clump4 is "
                                  "the tetrahedron), or a file, relative to the scene file: "
                                  "text (.txt, .csv, .clump) with a line 'x y z radius' for each "
                                  "sphere, in any unit, or a closed mesh. Clumps interlock: static "
                                  "friction for free, at more work.")
          .as(KeyType::grain_shape)
          .choose(grain_shape_names),
      key<&Material::grain_diameter>("grain_diameter", "m", "0.002",
                                     "Diameter of the sphere around a grain. Halving it means 8 "
                                     "times the grains and shorter steps.")
          .in(above(0, 100)),
      key<&Material::grain_size_spread>("grain_size_spread", "", "0.2",
                                        "Relative half width of the size distribution; 0.2 = sizes "
                                        "from 0.8 to 1.2 diameters. 0 may crystallise.")
          .in(below(0, 1)),
      key<&Material::grain_spheres>("grain_spheres", "", "8",
                                    "Spheres of the clump when grain_shape is a mesh file; more "
                                    "follow the mesh better, at more work.")
          .in(between(1, 64)),
      key<&Material::normal_stiffness>(
          "normal_stiffness", "", "0",
          "Coefficient k_n of the contact: N/m for dem.normal_law = \"linear\", N/m^1.5 for "
          "\"alduan2009\" (1e4 to 1e6 there); 0 = from young_modulus.")
          .in(between(0, 1e15)),
      key<&Material::normal_damping>("normal_damping", "N s/m^1.5", "300",
                                     "gamma_n of dem.normal_law = \"alduan2009\"; the other laws "
                                     "take restitution instead.")
          .in(between(0, 1e9)),
      key<&Material::tangential_viscosity>(
          "tangential_viscosity", "N s/m", "0",
          "k_s of dem.tangential_law = \"viscous\"; 0 = half of critical.")
          .in(between(0, 1e9)),
      key<&Material::capillary_reach>("capillary_reach", "", "0.1",
                                      "Gap at which a moist bridge breaks, over the effective "
                                      "radius of the contact.")
          .in(between(0, 1)),
  };
}

}  // namespace

Section material_keys() {
  Section section{"material",
                  "[[material]]",
                  "A granular material, as a continuum (sph) and as grains (dem). Without any, the "
                  "scene has the preset dry sand.",
                  {}};
  for (const auto& keys : {identity_keys(), continuum_keys(), look_keys(), grain_keys()})
    section.keys.insert(section.keys.end(), keys.begin(), keys.end());
  return section;
}

}  // namespace talus
