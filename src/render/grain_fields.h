// Particles of a frame, or of a solver that runs, as spheres to be drawn: rigid grains as the spheres
// they are made of, continuum particles as one sphere or as a cluster of small grains.
#pragma once

#include "dem/grain_shape.h"
#include "render/field_source.h"
#include "render/field_values.h"
#include "render/picture.h"
#include "scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace talus {

/// One item for each sphere; fields that the source lacks are empty.
struct GrainFields {
  std::vector<Vec3f> position, velocity;
  std::vector<float> radius, wetness;
  std::vector<std::uint32_t> material;
  std::vector<std::uint8_t> shade;
  std::vector<std::uint64_t> id;
  std::vector<Quatf> rotation;
  FieldValues shown;  ///< of the field that was asked for
};

struct GrainRequest {
  bool velocities = false;
  std::string field;  ///< to be shown as colour; empty: none
};

/// `shapes` of the grains, one for each material (none for continuum sand): clumps become spheres.
/// Sources without shades get those that frames of the scene would have.
Result<GrainFields> read_grain_fields(const FieldSource& source, const Scene& scene,
                                      const std::vector<GrainShape>& shapes,
                                      const GrainRequest& request, const Executor& executor);

/// Where the small grains are that each item of GrainFields is drawn as.
class GrainPlaces {
 public:
  /// `parts` > 1: each particle is drawn as that many small grains.
  GrainPlaces(const GrainFields& fields, const Scene& scene, int parts);

  std::size_t parts() const { return parts_; }
  std::size_t count() const { return fields_.position.size() * parts_; }
  PictureSphere sphere(std::size_t item, std::uint32_t part) const;
  /// Constant over time for a grain.
  std::uint32_t texture(std::size_t item, std::uint32_t part) const;

 private:
  std::uint64_t id(std::size_t item) const { return fields_.id.empty() ? item : fields_.id[item]; }

  const GrainFields& fields_;
  std::size_t parts_;
  float default_radius_, factor_;
};

/// Colour of a grain in natural light.
PaintedGrain natural_paint(const GrainFields& fields, const std::vector<FrameMaterial>& materials,
                           std::size_t item, std::uint32_t part);

}  // namespace talus
