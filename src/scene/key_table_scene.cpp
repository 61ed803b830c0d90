// Keys of [scene], [[size]], [sph], [dem], [detail] and [output].
#include "scene/key_tables.h"

namespace talus {

Section scene_keys() {
  return {
      "scene",
      "[scene]",
      "What is simulated as a whole. Lengths are metres, times seconds, masses kilograms.",
      {
          key<&Scene::name>("name", "", "", "Name of the run; names its folder.")
              .if_not_given("the file's name"),
          key<&Scene::up>(
              "up", "", "\"z\"",
              "The axis that points away from the ground: x, y or z. Gravity given as a "
              "number pulls against it. Shapes are not turned by it: their own axis is z "
              "whatever up is.")
              .as(KeyType::axis_name)
              .choose({"x", "y", "z"}),
          key<&Scene::gravity>("gravity", "m/s^2", "9.81",
                               "Acceleration of gravity: a number (pulls against up) or a vector. "
                               "Tilt the vector to tilt the whole scene.")
              .as(KeyType::gravity)
              .in(any_number(1e4)),
          key<&Scene::duration>("duration", "s", "4",
                                "Simulated time. Frames = duration x frame_rate.")
              .in(above(0, 1e5)),
          key<&Scene::frame_rate>("frame_rate", "1/s", "25",
                                  "Frames written for each simulated second. Does not set the time "
                                  "step, which is shorter and found by the solver.")
              .in(above(0, 1e5)),
          key<&Scene::seed>("seed", "", "1",
                            "Seed of all randomness (placement, sizes, colours). The same seed "
                            "gives the same bits for any number of threads.")
              .in(between(0, 9.2e18)),
          key<&Scene::solver>("solver", "", "\"sph\"",
                              "sph: sand as a continuum, fast and large. dem: every grain a rigid "
                              "body with contacts, for grains one wants to see or measure.")
              .choose({"sph", "dem"}),
          key<&Scene::periodic>(
              "periodic", "", "[false, false, false]",
              "Axes x, y, z along which the world repeats: what leaves on one side "
              "enters on the other. For slabs, endless slopes and drums.")
              .as(KeyType::flags),
          key<&Scene::domain_lower>("domain_lower", "m", "[0, 0, 0]",
                                    "Lower corner of the repeated box; only its periodic axes "
                                    "matter, the others are unbounded."),
          key<&Scene::domain_upper>("domain_upper", "m", "[0, 0, 0]",
                                    "Upper corner of the repeated box; must exceed domain_lower by "
                                    "several spacings on periodic axes."),
      }};
}

Section size_keys() {
  return {"size",
          "[[size]]",
          "The same scene smaller or larger: changes with a name, for `talus run --size NAME`, "
          "elsewhere --set size=NAME. "
          "`talus check` looks at every one.",
          {
              key<&SceneSize::name>("name", "", "", "What --size calls it, e.g. \"paper\".").must(),
              key<&SceneSize::set>("set", "", "",
                                   "Changes as --set takes them, e.g. [\"sph.spacing=0.01\", "
                                   "\"scene.duration=8\"]; --set comes after them.")
                  .as(KeyType::texts)
                  .must(),
          }};
}

Section sph_keys() {
  return {
      "sph",
      "[sph]",
      "Continuum sand (solver = \"sph\").",
      {
          key<&SphSettings::model>(
              "model", "", "\"talus\"",
              "talus: stored stress, holds the angle it is asked for. "
              "ihmsen2013 and alduan2011: the published methods, for comparison.")
              .choose({"talus", "ihmsen2013", "alduan2011"}),
          key<&SphSettings::boundary>(
              "boundary", "", "\"automatic\"",
              "How bodies act on sand: half_space (from the signed "
              "distance), particles (sampled surface), direct_forcing "
              "(positions corrected, the baseline of 2011); automatic picks "
              "what suits the model.")
              .choose({"automatic", "half_space", "particles", "direct_forcing"}),
          key<&SphSettings::spacing>(
              "spacing", "m", "0.02",
              "Rest distance of particles. Halving it means 8 times the "
              "particles and about 16 times the work. Bodies thinner than it "
              "may let sand through.")
              .in(above(0, 1e3)),
          key<&SphSettings::time_step>("time_step", "s", "0.001",
                                       "Upper limit of the step. With adaptive = true the solver "
                                       "goes below it where speed or depth demand.")
              .in(above(0, 1)),
          key<&SphSettings::adaptive>("adaptive", "", "true",
                                      "false forces time_step; above the stable limit the sand "
                                      "explodes, and the run says so."),
          key<&SphSettings::pressure_iterations>("pressure_iterations", "", "3",
                                                 "Pressure passes of a step; the least number with "
                                                 "the model talus, which takes as many as the load "
                                                 "needs, and with a tolerance.")
              .in(between(1, 1000)),
          key<&SphSettings::friction_iterations>("friction_iterations", "", "3",
                                                 "Friction passes of a step of the model talus, at "
                                                 "least; the papers' models do both at once.")
              .in(between(0, 1000)),
          key<&SphSettings::max_iterations>("max_iterations", "", "50",
                                            "Most passes of a step; reached means that the "
                                            "tolerances were not, or that steps were shortened.")
              .in(between(1, 10000)),
          key<&SphSettings::density_tolerance>("density_tolerance", "", "0",
                                               "Compression to reach, e.g. 0.005: the papers' "
                                               "models take passes until its mean is less, talus "
                                               "as many as it takes to be that stiff under the "
                                               "load; 0: without.")
              .in(between(0, 0.5)),
          key<&SphSettings::stress_tolerance>("stress_tolerance", "", "0",
                                              "Relative change of stress at which the passes of "
                                              "the papers' models stop, e.g. 0.05; 0: without.")
              .in(between(0, 1)),
          key<&SphSettings::bilateral>("bilateral", "", "false",
                                       "Resist stretching as well as compression (Fig. 2 of the "
                                       "2011 paper); makes sand stick together like a liquid.")
              .only_if("model", {"alduan2011"}),
          key<&SphSettings::sleeping>("sleeping", "", "false",
                                      "Particles at rest stop moving and cost less until something "
                                      "wakes them."),
      }};
}

Section dem_keys() {
  return {"dem",
          "[dem]",
          "Grains as rigid bodies (solver = \"dem\").",
          {
              key<&DemSettings::normal_law>("normal_law", "", "\"hertz\"",
                                            "hertz: from Young's modulus. linear: spring and "
                                            "dashpot, one collision time for all speeds. "
                                            "alduan2009: Eq. 1 of the paper, from "
                                            "normal_stiffness and normal_damping.")
                  .as(KeyType::word)
                  .choose({"hertz", "linear", "alduan2009"}),
              key<&DemSettings::tangential_law>("tangential_law", "", "\"mindlin\"",
                                                "mindlin: stored displacement, holds static "
                                                "friction. viscous: Coulomb-capped drag, creeps "
                                                "unless grains interlock.")
                  .as(KeyType::word)
                  .choose({"mindlin", "viscous"}),
              key<&DemSettings::time_step>("time_step", "s", "0",
                                           "0 = automatic from the collision time. Forcing more "
                                           "than that lets grains pass through each other.")
                  .in(between(0, 1)),
              key<&DemSettings::low_speed_damping>("low_speed_damping", "1/s", "0",
                                                   "Extra damping of slow grains, as in Longmore "
                                                   "2009; not physical, off by default.")
                  .in(between(0, 1e4)),
              key<&DemSettings::reference_speed>("reference_speed", "m/s", "1",
                                                 "Impact speed at which the linear spring takes up "
                                                 "as much energy as Hertz's at the same overlap.")
                  .in(above(0, 1e4)),
              key<&DemSettings::inertia>("inertia", "", "\"exact\"",
                                         "exact: of the union of a grain's spheres. scalar: of a "
                                         "solid tetrahedron for all shapes, as in Longmore 2009.")
                  .as(KeyType::word)
                  .choose({"exact", "scalar"}),
              key<&DemSettings::rotation>("rotation", "", "\"rigid\"",
                                          "rigid: torque changes angular momentum. longmore2009: "
                                          "the published Eq. 3.37, where grains forget their spin; "
                                          "for comparison only.")
                  .as(KeyType::word)
                  .choose({"rigid", "longmore2009"}),
              key<&DemSettings::air_density>("air_density", "kg/m^3", "0",
                                             "Drag of the air on each grain (coefficient 0.5, area "
                                             "of the sphere around it); 1.2 for air, 0 = none.")
                  .in(between(0, 2000)),
              key<&DemSettings::wind>("wind", "m/s", "[0, 0, 0]",
                                      "Velocity of the air; acts when air_density is not 0."),
          }};
}

Section contact_pair_keys() {
  return {"contact",
          "[[contact]]",
          "Friction and restitution between two materials (dem). Without an entry, a pair has the "
          "geometric mean of both.",
          {
              key<&ContactPair::material_a>("material_a", "", "", "One material.").must(),
              key<&ContactPair::material_b>("material_b", "", "",
                                            "The other; the same one changes grains of one kind "
                                            "among themselves.")
                  .must(),
              key<&ContactPair::friction>("friction_coefficient", "", "0.5",
                                          "Coulomb coefficient between the two.")
                  .in(between(0, 20)),
              key<&ContactPair::restitution>("restitution", "", "0.5",
                                             "Rebound speed over impact speed.")
                  .in(between(0.01, 1)),
          }};
}

Section detail_section_keys() {
  return {
      "detail",
      "[detail]",
      "Fine grains on top of the simulation (`talus detail`).",
      {
          key<&DetailSettings::factor>("factor", "", "50",
                                       "Fine grains for each simulated particle; a whole number.")
              .in(between(1, 1000)),
          key<&DetailSettings::method>("method", "", "\"blend\"",
                                       "blend: free flight where sand is sparse (Ihmsen 2013). "
                                       "split: two cases (Alduan 2009). fixed: rigidly attached, "
                                       "clumps visibly.")
              .choose({"blend", "split", "fixed"}),
          key<&DetailSettings::sampling>("sampling", "", "\"cubes\"",
                                         "Where grains start about their particle. cubes: seven "
                                         "overlapping cubes, no gaps (Ihmsen 2013). sphere: evenly "
                                         "in the particle's ball (Alduan 2009).")
              .choose({"cubes", "sphere"}),
          key<&DetailSettings::sparse_rule>(
              "sparse_rule", "", "\"support\"",
              "When grains leave the flow for free flight. support: as published, but not inside "
              "dense sand. printed: exactly as published, grains settle inside resting sand. "
              "never: always follow the flow, for comparison.")
              .choose({"support", "printed", "never"}),
          key<&DetailSettings::time_step>("time_step", "s", "0.01",
                                          "Longest step of the fine grains; frames are cut into "
                                          "equal steps of at most this.")
              .in(above(0, 1)),
          key<&DetailSettings::interpolate_every>(
              "interpolate_every", "", "1",
              "Steps between two interpolations of the flow; external forces act in all of them.")
              .in(between(1, 1000))
              .only_if("method", {"split"}),
          key<&DetailSettings::separation>(
              "separation", "", "true",
              "Stack grains above each other where sand lies thin on a body, instead of letting "
              "all of them sink to its surface.")
              .only_if("method", {"blend"}),
          key<&DetailSettings::write_velocity>("write_velocity", "", "false",
                                               "Also write velocities, for motion blur; six more "
                                               "bytes for a grain at most."),
      }};
}

Section output_keys() {
  return {"output",
          "[output]",
          "What a run folder holds besides id, position, velocity, radius and material.",
          {
              key<&OutputSettings::fields>("fields", "", "[]",
                                           "Extra fields in every frame; each adds to its size. "
                                           "Fields that the solver does not have are refused. "
                                           "dem: coordination, packing_fraction, stress of each "
                                           "grain; contacts: the list of all contacts, with "
                                           "their forces.")
                  .choose({"density", "pressure", "stress", "strain_rate", "wetness", "asleep",
                           "rotation", "angular_velocity", "coordination", "packing_fraction",
                           "contacts"}),
              key<&OutputSettings::checkpoint_every>("checkpoint_every", "s", "300",
                                                     "Wall-clock seconds between checkpoints; 0 = "
                                                     "only when stopped. A kill loses at most this "
                                                     "much work.")
                  .in(between(0, 1e6)),
          }};
}

}  // namespace talus
