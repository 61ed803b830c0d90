// How a light body and the sand that it runs into find their common motion.
#include "sph/light_bodies.h"

#include "coupling/sand_and_bodies.h"

#include <random>

namespace talus::test {
namespace {

struct Met {
  Body body;
  sph::LightBody light;
};

/// A turned and spinning box of `mass` with a hard push, among 120 particles of 1 kg on its sides.
Met meet(double mass, unsigned seed) {
  Met out;
  out.body.motion = BodyMotion::dynamic;
  out.body.mass = mass;
  out.body.inertia = Sym3d{0.02, 0.03, 0.01, 0.002, 0, 0.001} * mass;
  out.body.state.pose.rotation = normalized(Quatd{0.9, 0.1, -0.3, 0.2});
  out.body.state.angular_velocity = {1, -2, 0.5};
  out.body.load = {{3, 40, -10}, {0.5, -1, 2}};
  out.light.begin(out.body, {0, 0, -g}, 0.001);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  for (std::size_t i = 0; i < 120; ++i) {
    Vec3d n{};
    n[static_cast<int>(i % 3)] = i % 2 == 0 ? 1 : -1;
    const Vec3d beside = Vec3d{any(random), any(random), any(random)} * 0.2;
    out.light.touch(i, n * 0.2 + beside - n * dot(n, beside), n, 1, 0.05 * any(random));
  }
  out.light.meet();
  return out;
}

TEST(LightBodies, NothingIsLeftOverWhenTheyMeet) {
  for (const double mass : {30.0, 1.0, 1e-3}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Met met = meet(mass, seed);
      ASSERT_TRUE(met.light.light());
      // What gravity, load and the impulses of the particles make of the body.
      Vec3d p = Vec3d{0, 0, -g} * (mass * 0.001) + met.body.load.force * 0.001;
      const Quatd& turn = met.body.state.pose.rotation;
      const auto inertia = [&](const Vec3d& w) {
        return rotate(turn, met.body.inertia * rotate_inverse(turn, w));
      };
      Vec3d l = inertia(met.body.state.angular_velocity) + met.body.load.torque * 0.001;
      std::size_t gains = 0;
      for (const auto& c : met.light.contacts()) {
        p -= c.normal * (c.mass * c.gain);
        l -= cross(c.position, c.normal) * (c.mass * c.gain);
        gains += c.gain > 0;
      }
      EXPECT_GT(gains, 0u);
      const Vec3d v = p / mass;
      // The spin follows from l = I w: three columns, Cramer's rule.
      const Vec3d x = inertia({1, 0, 0}), y = inertia({0, 1, 0}), z = inertia({0, 0, 1});
      const double all = dot(x, cross(y, z));
      const Vec3d w = Vec3d{dot(l, cross(y, z)), dot(x, cross(l, z)), dot(x, cross(y, l))} / all;
      const double slow = 8 * g * 0.001 * met.light.share();
      for (const auto& c : met.light.contacts()) {
        const double approach = dot(v + cross(w, c.position), c.normal) - c.speed - slow;
        if (c.gain > 0)
          EXPECT_NEAR(approach, c.gain, 1e-9 / mass) << "common motion, " << mass << " kg";
        else
          EXPECT_LT(approach, 1e-9 / mass) << "nobody is run into, " << mass << " kg";
      }
    }
  }
}

TEST(LightBodies, HeavyOnesAreLeftAlone) {
  EXPECT_FALSE(meet(130, 1).light.light());
  EXPECT_EQ(meet(130, 1).light.share(), 1);
  EXPECT_LT(meet(1, 1).light.share(), 0.01);
}

}  // namespace
}  // namespace talus::test
