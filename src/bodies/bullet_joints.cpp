#include "bodies/bullet_joints.h"

#include "bodies/bullet_math.h"

#include <algorithm>

namespace talus {
namespace {

/// World frame at the anchor with the given column (0 x, 2 z) along the joint's axis.
btTransform joint_frame(const Joint& joint, int column) {
  const btVector3 axis = to_bullet(normalized(joint.axis));
  btVector3 u, v;
  btPlaneSpace1(axis, u, v);  // u, v, axis are right-handed
  btMatrix3x3 basis;
  if (column == 2)
    basis.setValue(u.x(), v.x(), axis.x(), u.y(), v.y(), axis.y(), u.z(), v.z(), axis.z());
  else
    basis.setValue(axis.x(), u.x(), v.x(), axis.y(), u.y(), v.y(), axis.z(), u.z(), v.z());
  return btTransform(basis, to_bullet(joint.anchor));
}

std::unique_ptr<btTypedConstraint> make_hinge(const Joint& joint, btRigidBody& a, btRigidBody& b) {
  const btTransform frame = joint_frame(joint, 2);
  auto hinge = std::make_unique<btHingeConstraint>(a, b, a.getWorldTransform().inverse() * frame,
                                                   b.getWorldTransform().inverse() * frame);
  // No rebound (relaxation 0) at the limits.
  if (joint.lower <= joint.upper) hinge->setLimit(joint.lower, joint.upper, 0.9, 0.3, 0);
  return hinge;
}

std::unique_ptr<btTypedConstraint> make_slider(const Joint& joint, btRigidBody& a,
                                               btRigidBody& b) {
  // Bullet measures its second body in the frame of its first, ours the other way round.
  const btTransform frame = joint_frame(joint, 0);
  auto slider = std::make_unique<btSliderConstraint>(b, a, b.getWorldTransform().inverse() * frame,
                                                     a.getWorldTransform().inverse() * frame, true);
  slider->setLowerLinLimit(joint.lower <= joint.upper ? joint.lower : 1);
  slider->setUpperLinLimit(joint.lower <= joint.upper ? joint.upper : -1);
  slider->setLowerAngLimit(0);
  slider->setUpperAngLimit(0);
  return slider;
}

}  // namespace

std::unique_ptr<btTypedConstraint> make_constraint(const Joint& joint, btRigidBody& a,
                                                   btRigidBody& b) {
  const btVector3 anchor = to_bullet(joint.anchor);
  switch (joint.kind) {
    case JointKind::hinge: return make_hinge(joint, a, b);
    case JointKind::slider: return make_slider(joint, a, b);
    case JointKind::ball:
      return std::make_unique<btPoint2PointConstraint>(a, b, a.getWorldTransform().inverse() * anchor,
                                                       b.getWorldTransform().inverse() * anchor);
    case JointKind::fixed: break;
  }
  const btTransform frame(btQuaternion::getIdentity(), anchor);
  return std::make_unique<btFixedConstraint>(a, b, a.getWorldTransform().inverse() * frame,
                                             b.getWorldTransform().inverse() * frame);
}

void set_motor(btTypedConstraint& constraint, const Joint& joint, double dt) {
  if (!(joint.motor_limit > 0)) return;
  if (joint.kind == JointKind::hinge) {
    static_cast<btHingeConstraint&>(constraint)
        .enableAngularMotor(true, joint.motor_speed, joint.motor_limit * dt);
  } else if (joint.kind == JointKind::slider) {
    auto& slider = static_cast<btSliderConstraint&>(constraint);
    slider.setPoweredLinMotor(true);
    slider.setTargetLinMotorVelocity(joint.motor_speed);
    slider.setMaxLinMotorForce(joint.motor_limit);
  }
}

void WarmSolver::convertJoints(btTypedConstraint** constraints, int count,
                               const btContactSolverInfo& info) {
  btSequentialImpulseConstraintSolver::convertJoints(constraints, count, info);
  int first = 0;
  for (int j = 0; j < count; ++j) {
    const int rows = m_tmpConstraintSizesPool[j].m_numConstraintRows;
    RigidJoint& joint = *joints_[j];
    for (int r = 0; r < std::min(rows, static_cast<int>(joint.rows)); ++r) {
      btSolverConstraint& row = m_tmpSolverNonContactConstraintPool[first + r];
      row.m_appliedImpulse =
          std::clamp(joint.impulse[r] * impulse_scale_, row.m_lowerLimit, row.m_upperLimit);
      btSolverBody& a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
      btSolverBody& b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
      a.internalApplyImpulse(row.m_contactNormal1 * a.internalGetInvMass(), row.m_angularComponentA,
                             row.m_appliedImpulse);
      b.internalApplyImpulse(row.m_contactNormal2 * b.internalGetInvMass(), row.m_angularComponentB,
                             row.m_appliedImpulse);
    }
    first += rows;
  }
}

btScalar WarmSolver::solveGroupCacheFriendlyFinish(btCollisionObject** bodies, int count,
                                                   const btContactSolverInfo& info) {
  int first = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const int rows = m_tmpConstraintSizesPool[static_cast<int>(j)].m_numConstraintRows;
    RigidJoint& joint = *joints_[j];
    joint.rows = static_cast<std::uint32_t>(std::min(rows, static_cast<int>(joint.impulse.size())));
    joint.impulse = {};
    for (std::uint32_t r = 0; r < joint.rows; ++r)
      joint.impulse[r] = m_tmpSolverNonContactConstraintPool[first + static_cast<int>(r)].m_appliedImpulse;
    first += rows;
  }
  return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count, info);
}

}  // namespace talus
