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

/// The same for a simulation under way, which is not kept.
Status come_to_rest(const LabContext& context, Simulation& simulation, const std::string& name,
                    double rest_speed);

/// What make() ends with, a state of the scene; made once.
Result<std::unique_ptr<Simulation>> kept(
    const LabContext& context, const Scene& scene, const std::string& name,
    const std::function<Result<std::unique_ptr<Simulation>>()>& make);

/// The same state in a scene that differs in what bodies do from now on.
Result<std::unique_ptr<Simulation>> continued(const LabContext& context, const Simulation& from,
                                              Scene scene);

/// run(context, k) for k < count, side by side, each on one thread of its own: a few thousand
/// grains gain little from a second thread, and results do not depend on their number. The first
/// error, if any. What runs shares nothing but the folder of settled states, where names must
/// differ.
Status side_by_side(const LabContext& context, std::size_t count,
                    FunctionRef<Status(const LabContext&, std::size_t)> run);

double mean_speed(const Simulation& simulation);
/// sqrt(g d), m/s, of the first material: the scale of speeds in a bed of grains.
double grain_speed(const Scene& scene);

/// What a stopped experiment returns; its settled states are kept.
Error stopped();

}  // namespace talus::lab
