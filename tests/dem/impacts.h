// Single impacts of spheres: on a plane, and of two on each other.
#pragma once

#include "grain_bench.h"

namespace talus {

struct Stuff {
  double young, poisson, density;
};
// Of the impacts of Chung & Ooi 2011.
constexpr Stuff glass{4.8e10, 0.20, 2800}, limestone{2.0e10, 0.25, 2500};
constexpr Stuff aluminium{7.0e10, 0.30, 2699}, magnesium{4.0e10, 0.35, 1800};
constexpr Stuff oxide{3.8e11, 0.23, 4000}, cast_iron{1.0e11, 0.25, 7000};
constexpr Stuff steel{2.08e11, 0.30, 7850}, polyethylene{1.0e9, 0.30, 1400};
constexpr Stuff soft_polyethylene{1.0e9, 0.40, 1400};
constexpr Stuff alloy{7.0e10, 0.33, 2700}, copper{1.2e11, 0.35, 8900}, nylon{2.5e9, 0.40, 1000};

inline Scene impact_scene(const Stuff& stuff, double radius, double e, double mu) {
  Scene scene = grain_scene("sphere", 2 * radius);
  Material& m = scene.materials[0];
  m.young_modulus = stuff.young;
  m.poisson_ratio = stuff.poisson;
  m.grain_density = stuff.density;
  m.restitution = e;
  m.friction = mu;
  scene.output.fields = {"contacts"};
  return scene;
}

struct State3 {
  Vec3d v, w;
};
struct Impact {
  State3 a, b;
  double greatest_force = 0, duration = 0;
};

/// Steps until what came together is apart again.
inline Impact collide(Solver& solver, bool two) {
  Impact out;
  bool touched = false;
  for (int k = 0; k < 200000; ++k) {
    const auto report = solver.step(1.0);
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return out;
    }
    if (report->contacts > 0) {
      touched = true;
      out.duration += report->dt;
      solver.prepare_frame();
      for (const float force : solver.contacts()->values<float>("normal_force"))
        out.greatest_force = std::max(out.greatest_force, double{force});
    } else if (touched) {
      break;
    }
  }
  EXPECT_TRUE(touched);
  const auto state = [&](std::uint64_t id) {
    return State3{Vec3d(of_grain<Vec3f>(solver, id, "velocity")),
                  Vec3d(of_grain<Vec3f>(solver, id, "angular_velocity"))};
  };
  out.a = state(0);
  if (two) out.b = state(1);
  return out;
}

/// A sphere comes down on a plane at v_n, along x at v_t, spinning about y.
inline Impact hit_plane(const Scene& scene, double v_n, double v_t, double spin) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(scene.materials[0].friction)};
  auto solver = make_grains(scene, bodies, executor);
  const double r = 0.5 * scene.materials[0].grain_diameter;
  Batch batch;
  batch.add(Vec3f(Vec3d{0, 0, 1.002 * r}), Vec3f(Vec3d{v_t, 0, -v_n}), 0, 1,
            Vec3f(Vec3d{0, spin, 0}));
  solver->add(batch.view());
  return collide(*solver, false);
}

/// Two spheres meet along x, spinning about z.
struct Meeting {
  double v_a, v_b, spin_a, spin_b;
  double size = 1, density = 1;  ///< of the second over those of the first
};
inline Impact hit_each_other(Scene scene, const Meeting& m) {
  const Executor executor(1);
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  scene.materials[1].grain_density *= m.density;
  scene.materials[1].grain_diameter *= m.size;
  std::vector<Body> none;
  auto solver = make_grains(scene, none, executor);
  const double r = 0.5 * scene.materials[0].grain_diameter;
  Batch batch;
  batch.add({0, 0, 0}, Vec3f(Vec3d{m.v_a, 0, 0}), 0, 1, Vec3f(Vec3d{0, 0, m.spin_a}));
  batch.add(Vec3f(Vec3d{1.001 * r * (1 + m.size), 0, 0}), Vec3f(Vec3d{m.v_b, 0, 0}), 1, 1,
            Vec3f(Vec3d{0, 0, m.spin_b}));
  solver->add(batch.view());
  return collide(*solver, true);
}

}  // namespace talus
