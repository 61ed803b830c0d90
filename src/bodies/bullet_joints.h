// Joints between bodies, and the solver that remembers their impulses. Private to src/bodies.
#pragma once

#include "bodies/skyline.h"
#include "scene/scene.h"

#include <array>
#include <btBulletDynamicsCommon.h>
#include <cstdint>
#include <memory>
#include <vector>

namespace talus {

/// A joint while it runs.
struct RigidJoint {
  static constexpr std::uint32_t world = 0xffffffffu;

  std::uint32_t body_a = world, body_b = world;
  std::unique_ptr<btTypedConstraint> constraint;
  btJointFeedback feedback{};
  bool intact = true;
  double force = 0;                 ///< N, of the last step
  std::array<double, 6> impulse{};  ///< of each row in the last step: where the next one starts
  std::uint32_t rows = 0;
};

/// Hinge angle, slider position and motor speed count the motion of `a` against `b` about or along
/// the axis. Both bodies must be where the scene puts them at the start.
std::unique_ptr<btTypedConstraint> make_constraint(const Joint& joint, btRigidBody& a,
                                                   btRigidBody& b);

/// Bullet limits motors by impulse (hinge) or force (slider); steps differ in length.
void set_motor(btTypedConstraint& constraint, const Joint& joint, double dt);

/// Bullet's solver starts the impulses of joints from zero in every step and improves them one by
/// one: a chain with a heavy load becomes a rubber band. This one starts them where the last step
/// ended, and before each of Bullet's iterations solves all rows without bounds at once,
///   (J M^-1 J^T) dl = b - J dv,
/// so that limits, motors and contacts are all that is left to iterate on.
class JointSolver : public btSequentialImpulseConstraintSolver {
 public:
  /// The joints that the next solveGroup() gets, in the same order.
  void start_from(std::vector<RigidJoint*> joints, double impulse_scale) {
    joints_ = std::move(joints);
    impulse_scale_ = impulse_scale;
  }

 protected:
  void convertJoints(btTypedConstraint** constraints, int count,
                     const btContactSolverInfo& info) override;
  btScalar solveSingleIteration(int iteration, btCollisionObject** bodies, int body_count,
                                btPersistentManifold** manifolds, int manifold_count,
                                btTypedConstraint** constraints, int constraint_count,
                                const btContactSolverInfo& info, btIDebugDraw* drawer) override;
  btScalar solveGroupCacheFriendlyFinish(btCollisionObject** bodies, int count,
                                         const btContactSolverInfo& info) override;

 private:
  void factorize_rows();
  void solve_rows();

  std::vector<int> free_rows_;  ///< rows without bounds
  Skyline matrix_{{}};
  std::vector<RigidJoint*> joints_;
  double impulse_scale_ = 1;
};

}  // namespace talus
