#include "sph/model.h"

namespace talus::sph {

ModelConstants constants_of(SphModel model) {
  ModelConstants m;
  switch (model) {
    case SphModel::talus: break;
    case SphModel::ihmsen2013:
      m.kernel = KernelShape::cubic_spline;
      m.support = 2;  // section 3.5
      m.elastoplastic = false;
      m.fill_surface = false;
      m.friction_is_sine = true;  // Eq. 4
      m.rate_dependent = false;
      m.separation = 0.7f;
      m.sleeping = true;
      m.boundary = SphBoundary::particles;
      break;
    case SphModel::alduan2011:
      m.kernel = KernelShape::spiky;
      m.support = 2;
      m.elastoplastic = false;
      m.fill_surface = false;
      m.friction_is_sine = true;
      m.rate_dependent = false;
      m.separation = 1;  // half the kernel radius, section 3.3
      m.least_iterations = 5;
      m.cohesive_bonds = true;
      m.boundary = SphBoundary::direct_forcing;
      break;
  }
  return m;
}

}  // namespace talus::sph
