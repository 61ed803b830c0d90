#include "lab/bed.h"

#include <gtest/gtest.h>

namespace talus::lab {
namespace {

BedContact contact(std::uint64_t above, std::uint64_t below, double height) {
  BedContact c;
  c.grain_a = above;
  c.grain_b = below;
  c.point = {0, 0, height};
  c.normal = {0, 0, 1};
  c.force = 1;
  return c;
}

/// Three spheres on top of each other, the uppermost above the bulk.
Bed column() {
  Bed bed;
  bed.bulk.top = 0.99;
  bed.grain_diameter = 1;
  bed.sphere_diameter = 0.1;
  bed.contacts = {contact(1, 2, 0.9)};
  bed.outside = {contact(3, 1, 1.0)};
  return bed;
}

TEST(Bed, TheForceOnASphereCountsItsContactsOutsideTheBulk) {
  const std::vector<double> force = sphere_forces(column());
  ASSERT_EQ(force.size(), 2u);  // of the grains 1 and 2
  EXPECT_NEAR(force[0], 0, 1e-12) << "pressed from both sides: in balance";
  EXPECT_NEAR(force[1], 2, 1e-12);
}

TEST(Bed, TheLoadOfASphereIsTheSumOfAllItsContacts) {
  const std::vector<LoadedSphere> spheres = loaded_spheres(column());
  ASSERT_EQ(spheres.size(), 2u);
  EXPECT_NEAR(spheres[0].force / spheres[1].force, 2, 1e-12);
}

TEST(Bed, SingleContactsOutsideTheBulkDoNotCount) {
  EXPECT_EQ(normal_forces(column()).size(), 1u);
  EXPECT_EQ(grain_forces(column()).size(), 1u);
}

TEST(Bed, ABulkEndsBeforeTheWall) {
  Bulk bulk{0, 1, 2};
  EXPECT_TRUE(bulk.holds({1.9, 0, 0.5}));
  EXPECT_FALSE(bulk.holds({2.1, 0, 0.5}));
  EXPECT_FALSE(bulk.holds({0, 0, 1.1}));
}

}  // namespace
}  // namespace talus::lab
