// Motion of the grains of a chunk: leapfrog with the force of the present instant.
//   v(n+1/2) = v(n-1/2) + a(n) (dt(n-1) + dt(n))/2,   x(n+1) = x(n) + v(n+1/2) dt(n)
// and the same for angular momentum, which a torque changes: dL/dt = T (Longmore 2009 Eq. 3.37,
// I omega = T, forgets the spin; kept as an option). Free rotation conserves L exactly; for shapes
// with three different moments it is split into turns about the principal axes (Dullweber,
// Leimkuhler & McLachlan 1997), second order, symplectic, no drift of energy. Damping forces see
// velocities extrapolated to the present instant, so that they are second order too.
#pragma once

#include "dem/step_input.h"

namespace talus::dem {

struct MotionInput {
  Vec3d gravity{};
  double dt = 0, last_dt = 0;    ///< s
  double per_quantum = 0;        ///< 1/m
  double low_speed_damping = 0;  ///< 1/s, of grains slower than low_speed
  double low_speed = 0;          ///< m/s
  double drag = 0;               ///< kg/m^3: coefficient x air density x pi / 8
  Vec3d wind{};                  ///< m/s
  bool forget_spin = false;      ///< Longmore 2009 Eq. 3.49
  bool arms = false;             ///< of clumps: write those (StepInput::stored_arms)
};

struct MotionTally {
  double speed2 = 0;       ///< m^2/s^2, greatest
  double spin2 = 0;        ///< 1/s^2, greatest
  double speed_wear2 = 0;  ///< 1/s^2, greatest speed^2 over skin^2
  double spin_wear2 = 0;   ///< 1/(m s)^2, greatest spin^2 over skin^2
  double finite = 0;       ///< not a finite number when any coordinate is not
};

/// Moves the grains and writes their records for the next step.
void move_grains(const MotionInput& in, const ShapeTable& shapes, Grains& grains,
                 const ChunkList& list, const ChunkForces& forces, Records& write,
                 MotionTally& tally);

/// Records of grains that did not move: after new lists, or a load. Velocities as they are stored.
void write_records(const ShapeTable& shapes, const Grains& grains, std::size_t begin,
                   std::size_t end, double per_quantum, bool arms, Records& write);

}  // namespace talus::dem
