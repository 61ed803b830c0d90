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

std::unique_ptr<btTypedConstraint> make_slider(const Joint& joint, btRigidBody& a, btRigidBody& b) {
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
      return std::make_unique<btPoint2PointConstraint>(
          a, b, a.getWorldTransform().inverse() * anchor, b.getWorldTransform().inverse() * anchor);
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

void JointSolver::convertJoints(btTypedConstraint** constraints, int count,
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
  factorize_rows();
}

void JointSolver::factorize_rows() {
  constexpr btScalar unbounded = 1e100;
  const auto& rows = m_tmpSolverNonContactConstraintPool;
  free_rows_.clear();
  for (int r = 0; r < rows.size(); ++r)
    if (rows[r].m_upperLimit > unbounded && rows[r].m_lowerLimit < -unbounded)
      free_rows_.push_back(r);

  // Rows are coupled by the moving bodies they share.
  const auto moves = [&](int body) {
    return m_tmpSolverBodyPool[body].internalGetInvMass().x() > 0;
  };
  std::vector<std::size_t> first_row_of_body(static_cast<std::size_t>(m_tmpSolverBodyPool.size()),
                                             free_rows_.size());
  std::vector<std::size_t> first(free_rows_.size());
  for (std::size_t i = 0; i < free_rows_.size(); ++i) {
    const btSolverConstraint& row = rows[free_rows_[i]];
    first[i] = i;
    for (const int body : {row.m_solverBodyIdA, row.m_solverBodyIdB}) {
      if (!moves(body)) continue;
      std::size_t& seen = first_row_of_body[static_cast<std::size_t>(body)];
      seen = std::min(seen, i);
      first[i] = std::min(first[i], seen);
    }
  }
  matrix_ = Skyline(std::move(first));
  struct Side {
    int body;
    const btVector3 &linear, &angular, &response;
  };
  const auto sides = [](const btSolverConstraint& row) {
    return std::array<Side, 2>{Side{row.m_solverBodyIdA, row.m_contactNormal1,
                                    row.m_relpos1CrossNormal, row.m_angularComponentA},
                               Side{row.m_solverBodyIdB, row.m_contactNormal2,
                                    row.m_relpos2CrossNormal, row.m_angularComponentB}};
  };
  for (std::size_t i = 0; i < free_rows_.size(); ++i)
    for (std::size_t k = matrix_.first(i); k <= i; ++k)
      for (const Side& x : sides(rows[free_rows_[i]]))
        for (const Side& y : sides(rows[free_rows_[k]])) {
          if (x.body != y.body || !moves(x.body)) continue;
          const btScalar inverse_mass = m_tmpSolverBodyPool[x.body].internalGetInvMass().x();
          matrix_.at(i, k) += x.linear.dot(y.linear) * inverse_mass + x.angular.dot(y.response);
        }
  matrix_.factorize(1e-9);
}

void JointSolver::solve_rows() {
  std::vector<double> impulse;
  for (const int r : free_rows_) {
    const btSolverConstraint& row = m_tmpSolverNonContactConstraintPool[r];
    const btSolverBody& a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
    const btSolverBody& b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
    impulse.push_back(row.m_rhs / row.m_jacDiagABInv -
                      row.m_contactNormal1.dot(a.m_deltaLinearVelocity) -
                      row.m_relpos1CrossNormal.dot(a.m_deltaAngularVelocity) -
                      row.m_contactNormal2.dot(b.m_deltaLinearVelocity) -
                      row.m_relpos2CrossNormal.dot(b.m_deltaAngularVelocity));
  }
  matrix_.solve(impulse);
  for (std::size_t i = 0; i < free_rows_.size(); ++i) {
    btSolverConstraint& row = m_tmpSolverNonContactConstraintPool[free_rows_[i]];
    btSolverBody& a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
    btSolverBody& b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
    row.m_appliedImpulse = row.m_appliedImpulse + impulse[i];
    a.internalApplyImpulse(row.m_contactNormal1 * a.internalGetInvMass(), row.m_angularComponentA,
                           impulse[i]);
    b.internalApplyImpulse(row.m_contactNormal2 * b.internalGetInvMass(), row.m_angularComponentB,
                           impulse[i]);
  }
}

btScalar JointSolver::solveSingleIteration(int iteration, btCollisionObject** bodies,
                                           int body_count, btPersistentManifold** manifolds,
                                           int manifold_count, btTypedConstraint** constraints,
                                           int constraint_count, const btContactSolverInfo& info,
                                           btIDebugDraw* drawer) {
  if (!free_rows_.empty()) solve_rows();
  return btSequentialImpulseConstraintSolver::solveSingleIteration(
      iteration, bodies, body_count, manifolds, manifold_count, constraints, constraint_count, info,
      drawer);
}

btScalar JointSolver::solveGroupCacheFriendlyFinish(btCollisionObject** bodies, int count,
                                                    const btContactSolverInfo& info) {
  int first = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const int rows = m_tmpConstraintSizesPool[static_cast<int>(j)].m_numConstraintRows;
    RigidJoint& joint = *joints_[j];
    joint.rows = static_cast<std::uint32_t>(std::min(rows, static_cast<int>(joint.impulse.size())));
    joint.impulse = {};
    for (std::uint32_t r = 0; r < joint.rows; ++r)
      joint.impulse[r] =
          m_tmpSolverNonContactConstraintPool[first + static_cast<int>(r)].m_appliedImpulse;
    first += rows;
  }
  return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count, info);
}

}  // namespace talus
