// Sand that rests is not swept: it must be as if it were, and wake when it has to.
#include "bed.h"

#include <algorithm>

namespace talus::sph {
namespace {

constexpr float a = 0.05f;
constexpr int side = 12, layers = 12;

/// A bed in a box that may rest, after it has settled for `seconds`.
struct RestingBed {
  Executor executor{2};
  Scene scene = empty_scene(a);
  std::vector<Body> bodies;
  std::unique_ptr<Solver> solver;
  StepReport last;

  explicit RestingBed(double seconds, bool sleeping = true) {
    bodies.push_back(container({side * a, side * a, 2}));
    scene.sph.sleeping = sleeping;
    solver = make(scene, bodies, executor);
    solver->add(lattice(side, side, layers, a, {-side / 2 * a, -side / 2 * a, 0}, 0.02f).view());
    last = advance(*solver, seconds);
  }
  double share_at_rest() const {
    return static_cast<double>(last.asleep) / static_cast<double>(solver->particles().size());
  }
  double weight() const {
    return static_cast<double>(solver->particles().size()) * std::pow(double{a}, 3) * 1600 * 9.81;
  }
  double top() const {
    float z = 0;
    for (const Vec3f& x : field<Vec3f>(*solver, "position")) z = std::max(z, x.z);
    return double{z};
  }
};

TEST(Rest, ASettledBedRestsAndStillCarriesItsWeight) {
  RestingBed bed(3);
  EXPECT_GT(bed.share_at_rest(), 0.9);
  EXPECT_NEAR(bed.bodies[0].load.force.z, -bed.weight(), 0.01 * bed.weight());
  RestingBed awake(3, false);
  EXPECT_EQ(awake.last.asleep, 0u);
  EXPECT_NEAR(bed.top(), awake.top(), 0.05 * double{a});
}

TEST(Rest, WhatFallsOnItWakesItDownToTheFloor) {
  RestingBed bed(3);
  const double before = bed.weight();
  ASSERT_GT(bed.share_at_rest(), 0.9);
  // A second bed of a quarter of the height lands on the first.
  Block more = lattice(side, side, layers / 4, a,
                       {-side / 2 * a, -side / 2 * a, static_cast<float>(bed.top()) + a}, 0.02f);
  for (std::uint64_t& id : more.id) id += bed.solver->particles().size();
  bed.solver->add(more.view());
  bed.last = advance(*bed.solver, 0.1);
  EXPECT_LT(bed.share_at_rest(), 0.5);
  bed.last = advance(*bed.solver, 3);
  EXPECT_NEAR(bed.weight(), 1.25 * before, 1e-3 * before);
  EXPECT_NEAR(bed.bodies[0].load.force.z, -bed.weight(), 0.01 * bed.weight());
}

TEST(Rest, TiltedGravityWakesAllOfIt) {
  RestingBed bed(3), awake(3, false);
  ASSERT_GT(bed.share_at_rest(), 0.9);
  for (RestingBed* tilted : {&bed, &awake}) {
    tilted->solver->set_gravity({9.81 * std::sin(0.9), 0, -9.81 * std::cos(0.9)});
    tilted->last = advance(*tilted->solver, 0.3);
  }
  EXPECT_LT(bed.share_at_rest(), 0.5);
  EXPECT_GT(bed.last.max_speed, 0.05);
  EXPECT_NEAR(bed.last.max_speed, awake.last.max_speed, 0.2 * awake.last.max_speed);
}

TEST(Rest, SandThatLosesItsSupportFalls) {
  RestingBed bed(3);
  ASSERT_GT(bed.share_at_rest(), 0.9);
  const double before = bed.top();
  std::vector<std::uint8_t> keep;
  for (const Vec3f& x : field<Vec3f>(*bed.solver, "position")) keep.push_back(x.z > 4 * a);
  bed.solver->remove(keep);
  bed.last = advance(*bed.solver, 1);
  EXPECT_LT(bed.top(), before - 3 * double{a});
}

}  // namespace
}  // namespace talus::sph
