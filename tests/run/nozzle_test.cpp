#include "run/nozzle.h"

#include "run/bouncing_scene.h"
#include "run/grain_scale.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(Nozzle, KeepsRateTimesAndDistances) {
  const Scene scene = bouncing_scene();
  auto nozzle = Nozzle::create(scene, 0);
  ASSERT_TRUE(nozzle.ok()) << nozzle.error().message;
  const Pour& pour = scene.pours[0];
  std::vector<Nozzle::Emission> all;
  while (nozzle->next_time() < 1e9) all.push_back(nozzle->emit());
  const double mass = static_cast<double>(all.size()) * particle_mass(scene, 0);
  EXPECT_NEAR(mass, pour.rate * (pour.stop - pour.start), 1.1 * particle_mass(scene, 0));
  EXPECT_EQ(all.size(), nozzle->count_until(1e9));
  EXPECT_EQ(all.front().time, pour.start);
  EXPECT_LT(all.back().time, pour.stop);
  double nearest = 1e9;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(std::hypot(all[i].position.x - 1, all[i].position.y), pour.radius);
    EXPECT_EQ(all[i].velocity, (Vec3d{0, 0, -1.5}));
    for (std::size_t j = i > 60 ? i - 60 : 0; j < i; ++j) {
      const Vec3d ahead = all[j].position + all[j].velocity * (all[i].time - all[j].time);
      nearest = std::min(nearest, norm(ahead - all[i].position));
    }
  }
  EXPECT_GT(nearest, 0.6 * scene.sph.spacing);
}

TEST(Nozzle, ContinuesAfterSaveAndLoad) {
  const Scene scene = bouncing_scene();
  auto a = Nozzle::create(scene, 0), b = Nozzle::create(scene, 0);
  for (int i = 0; i < 37; ++i) a->emit();
  State state;
  a->save(state, "n");
  ASSERT_TRUE(b->load(state, "n").ok());
  for (int i = 0; i < 50; ++i) {
    const auto x = a->emit(), y = b->emit();
    EXPECT_EQ(x.position, y.position);
    EXPECT_EQ(x.time, y.time);
  }
}

TEST(Nozzle, RefusesMoreThanFitsThrough) {
  Scene scene = bouncing_scene();
  scene.pours[0].rate = 1000;
  const auto nozzle = Nozzle::create(scene, 0);
  ASSERT_FALSE(nozzle.ok());
  EXPECT_EQ(nozzle.error().kind, ErrorKind::request);
  EXPECT_NE(nozzle.error().message.find("'tap'"), std::string::npos);
  EXPECT_NE(nozzle.error().message.find("at most 159"), std::string::npos)
      << nozzle.error().message;
}

}  // namespace
}  // namespace talus
