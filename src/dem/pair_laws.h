// The constants of each pair of materials, and of each material against each body.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "dem/grain_shape.h"
#include "dem/laws.h"
#include "scene/scene.h"

#include <span>
#include <vector>

namespace talus::dem {

NormalLaw normal_law_of(const Scene& scene);
TangentialLaw tangential_law_of(const Scene& scene);

class PairLaws {
 public:
  PairLaws() = default;
  /// Refuses moduli and restitutions out of range, with the material's name.
  static Result<PairLaws> create(const Scene& scene, std::span<const GrainShape> shapes,
                                 std::span<const Body> bodies);

  /// Materials come first, then bodies: the index of a grain's or body's surface.
  std::size_t surfaces() const { return surfaces_; }
  std::size_t body_surface(std::size_t body) const { return materials_ + body; }
  const PairLaw<float>& operator()(std::size_t a, std::size_t b) const {
    return table_[a * surfaces_ + b];
  }
  const PairLaw<float>* data() const { return table_.data(); }
  /// One law for all contacts between grains.
  bool uniform() const { return materials_ == 1; }
  bool rolls() const { return rolls_; }
  bool moist() const { return moist_; }
  /// Longest gap over which any bridge pulls, m, for grains of effective radius `r`.
  float reach(float r) const { return reach_ * r; }

 private:
  std::vector<PairLaw<float>> table_;
  std::size_t materials_ = 0, surfaces_ = 0;
  bool rolls_ = false, moist_ = false;
  float reach_ = 0;
};

}  // namespace talus::dem
