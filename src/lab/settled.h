// Simulations that have come to rest, the start of most experiments. They are kept in a folder and
// used again; one that was stopped on the way goes on where it was.
#pragma once

#include "lab/experiment.h"
#include "run/simulation.h"
#include "scene/read_scene.h"

#include <memory>
#include <string>

namespace talus::lab {

/// The scene of a file in lab/, changed, at its start.
Result<std::unique_ptr<Simulation>> started(const LabContext& context, const std::string& file,
                                            const SceneOverrides& changes);

/// Steps to the next frame of the scene.
Status step_frame(Simulation& simulation);

/// To the end of the scene, telling every frame under `name`; then look() at it, if given.
Status run_to_end(const LabContext& context, Simulation& simulation, const std::string& name,
                  const std::function<void()>& look = {});

/// Runs until the mean speed of the particles is below `rest_speed` (m/s), or to the end of the
/// scene.
Result<std::unique_ptr<Simulation>> settled(const LabContext& context, const Scene& scene,
                                            const std::string& name, double rest_speed);

/// What make() ends with, a state of the scene; made once.
Result<std::unique_ptr<Simulation>> kept(
    const LabContext& context, const Scene& scene, const std::string& name,
    const std::function<Result<std::unique_ptr<Simulation>>()>& make);

/// The same state in a scene that differs in what bodies do from now on.
Result<std::unique_ptr<Simulation>> continued(const LabContext& context, const Simulation& from,
                                              Scene scene);

double mean_speed(const Simulation& simulation);
/// sqrt(g d), m/s, of the first material: the scale of speeds in a bed of grains.
double grain_speed(const Scene& scene);

/// What a stopped experiment returns; its settled states are kept.
Error stopped();

}  // namespace talus::lab
