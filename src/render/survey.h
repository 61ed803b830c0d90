// A look at a few frames of a run before any picture is made: where the action is, where the floor
// is, between which values a field lies. It does not depend on which frames will be rendered, so
// all slices of a job agree.
#pragma once

#include "core/parallel.h"
#include "render/field_values.h"
#include "render/run_source.h"

#include <optional>
#include <string>
#include <vector>

namespace talus {

struct Survey {
  std::vector<Vec3f> points;   ///< a sample of the particles over time
  std::vector<Vec3f> anchors;  ///< corners of moving bodies over time
  double lowest = 0;           ///< m along up, of particles and bodies
  std::uint64_t most_particles = 0;
  ValueRange range;  ///< of the field; meaningless for categories
  bool categories = false;
};

Result<Survey> survey_run(const RunSource& run, const std::string& field, const Executor& executor);

}  // namespace talus
