#include "lab/experiment.h"
#include "lab/flow.h"
#include "lab/forces.h"
#include "lab/pile.h"
#include "lab/press.h"
#include "lab/repose.h"
#include "lab/sand.h"
#include "lab/silo.h"

namespace talus {

namespace {

constexpr Experiment experiments[] = {
    {"forces", "normal forces between grains of a bed at rest: their distribution", run_forces},
    {"compression", "normal forces in a bed under a plunger", run_compression},
    {"tangential", "tangential forces in the same bed: a slower tail", run_tangential},
    {"correlation", "how far the forces on two spheres know of each other", run_correlation},
    {"angles", "directions of contacts, with and without friction", run_angles},
    {"network", "how much the stronger half of the contacts carries", run_network},
    {"oedometer", "a bed is pressed and released: what it gives back", run_oedometer},
    {"pile", "the angle of repose of grains against their friction", run_pile},
    {"hourglass", "grains run out of a funnel: at a constant rate, slower with friction",
     run_hourglass},
    {"orifice", "spheres run out of holes of several sizes: Beverloo's law", run_orifice},
    {"repose", "the angle that slopes and heaps of continuum sand take, against the one asked for",
     run_repose},
    {"silo", "pressure of continuum sand in a silo and of a fluid in a tank", run_silo},
    {"splash", "a ball falls into continuum sand that resists stretching, does not, and rubs",
     run_splash},
    {"cohesion", "a block of continuum sand stands from the cohesion of theory on", run_cohesion},
    {"accuracy", "density error of continuum sand against passes and steps", run_accuracy},
};

}  // namespace

std::span<const Experiment> lab_experiments() { return experiments; }

}  // namespace talus
