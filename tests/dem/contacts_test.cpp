// Contacts as data: what a frame's table holds must be the very forces that move the grains.
#include "core/random.h"
#include "dem/grain_shape.h"
#include "grain_bench.h"

#include <map>
#include <set>

namespace talus {
namespace {

template <class T>
std::span<const T> contact_field(const Solver& solver, std::string_view name) {
  return solver.contacts()->values<T>(name);
}

struct Sums {
  Vec3d force{}, torque{};
};

/// Forces and torques on each grain, by id, from the table alone.
std::map<std::uint64_t, Sums> sums_of_contacts(Solver& solver, double period = 0) {
  solver.prepare_frame();
  const auto a = contact_field<std::uint64_t>(solver, "grain_a"),
             b = contact_field<std::uint64_t>(solver, "grain_b");
  const auto body = contact_field<std::uint32_t>(solver, "body");
  const auto point = contact_field<Vec3f>(solver, "point"),
             normal = contact_field<Vec3f>(solver, "normal"),
             tangential = contact_field<Vec3f>(solver, "tangential_force");
  const auto push = contact_field<float>(solver, "normal_force");
  std::map<std::uint64_t, Vec3d> centre;
  const auto id = grain_field<std::uint64_t>(solver, "id");
  for (std::size_t i = 0; i < id.size(); ++i)
    centre[id[i]] = Vec3d(grain_field<Vec3f>(solver, "position")[i]);
  std::map<std::uint64_t, Sums> sums;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(norm(normal[k]), 1, 1e-5);
    EXPECT_NEAR(dot(normal[k], tangential[k]), 0, 1e-5 * norm(tangential[k]) + 1e-12);
    const Vec3d f = Vec3d(normal[k]) * double{push[k]} + Vec3d(tangential[k]);
    const auto add = [&](std::uint64_t grain, double sign) {
      Vec3d arm = Vec3d(point[k]) - centre[grain];
      if (period > 0)
        for (int c = 0; c < 2; ++c) arm[c] -= period * std::round(arm[c] / period);
      sums[grain].force += f * sign;
      sums[grain].torque += cross(arm, f) * sign;
    };
    add(a[k], 1);
    const bool is_body = b[k] == ~std::uint64_t{0};
    EXPECT_EQ(is_body, body[k] != ~std::uint32_t{0});
    if (is_body) continue;
    EXPECT_LT(a[k], b[k]);
    add(b[k], -1);
  }
  return sums;
}

Scene bed_scene(const char* shape, const char* law) {
  Scene scene = grain_scene(shape);
  scene.gravity = {0, 0, -9.81};
  scene.dem.tangential_law = law;
  scene.materials[0].friction = 0.5;
  scene.materials[0].restitution = 0.3;
  scene.materials[0].young_modulus = 1e7;
  scene.periodic = {true, true, false};
  scene.domain_upper = {0.08, 0.08, 1};
  scene.output.fields = {"contacts", "coordination", "packing_fraction", "stress"};
  return scene;
}

Batch rain(int layers) {
  Batch batch;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(layers) * 49; ++k) {
    const auto r = random_floats(11, k, Purpose::test);
    const auto at = [](std::uint64_t n) { return (static_cast<float>(n) + 0.5f) * 0.08f / 7; };
    batch.add({at(k % 7), at(k / 7 % 7), at(k / 49)}, {r[0] - 0.5f, r[1] - 0.5f, -0.5f * r[2]}, 0,
              0.95f + 0.1f * r[3]);
  }
  return batch;
}

double mass_of(const Scene& scene, const GrainShape& shape, float radius) {
  return scene.materials[0].grain_density * shape.volume * std::pow(2 * double{radius}, 3);
}

TEST(Contacts, ARestingSphereHasOneThatCarriesItsWeight) {
  const Executor executor(1);
  Scene scene = bed_scene("sphere", "mindlin");
  scene.periodic = {};
  std::vector<Body> bodies{plane_body(0.5)};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0.1f, 0.2f, 0.005f});
  solver->add(batch.view());
  advance(*solver, 0.3);
  solver->prepare_frame();
  ASSERT_EQ(solver->contacts()->size(), 1u);
  const double weight = 9.81 * 2500 * std::numbers::pi / 6 * 1e-6;
  EXPECT_NEAR(contact_field<float>(*solver, "normal_force")[0], weight, 1e-3 * weight);
  EXPECT_LT(norm(contact_field<Vec3f>(*solver, "tangential_force")[0]), 1e-4 * weight);
  EXPECT_NEAR(contact_field<Vec3f>(*solver, "normal")[0].z, 1, 1e-6);
  EXPECT_LT(norm(contact_field<Vec3f>(*solver, "point")[0] - Vec3f{0.1f, 0.2f, 0}), 1e-6f);
  EXPECT_EQ(contact_field<std::uint32_t>(*solver, "body")[0], 0u);
  EXPECT_EQ(grain_field<std::uint32_t>(*solver, "coordination")[0], 1u);
}

class ContactLaws : public testing::TestWithParam<std::pair<const char*, const char*>> {};

/// Leapfrog at a constant step: v(n+1) - v(n) = (3 a(n) - a(n-1)) dt / 2 for the velocities that a
/// solver shows. The accelerations come from the table.
TEST_P(ContactLaws, TheTableHoldsTheForcesThatMoveTheGrains) {
  const Executor executor(2);
  Scene scene = bed_scene(GetParam().first, GetParam().second);
  scene.dem.time_step = 5e-6;
  std::vector<Body> bodies{plane_body(0.5)};
  auto solver = make_grains(scene, bodies, executor);
  solver->add(rain(6).view());
  advance(*solver, 0.06);
  const auto shape = load_grain_shape(GetParam().first, 0);
  const double dt = 5e-6;
  const auto before = sums_of_contacts(*solver);
  ASSERT_TRUE(solver->step(dt).ok());
  std::map<std::uint64_t, Vec3f> old;
  const auto ids = grain_field<std::uint64_t>(*solver, "id");
  for (std::size_t i = 0; i < ids.size(); ++i)
    old[ids[i]] = grain_field<Vec3f>(*solver, "velocity")[i];
  const auto now = sums_of_contacts(*solver);
  ASSERT_TRUE(solver->step(dt).ok());
  const auto of = [](const std::map<std::uint64_t, Sums>& sums, std::uint64_t id) {
    const auto it = sums.find(id);
    return it == sums.end() ? Vec3d{} : it->second.force;
  };
  std::size_t pushed = 0;
  const auto id = grain_field<std::uint64_t>(*solver, "id");
  for (std::size_t i = 0; i < id.size(); ++i) {
    const double m = mass_of(scene, *shape, grain_field<float>(*solver, "radius")[i]);
    const Vec3d a0 = of(before, id[i]) / m + scene.gravity, a1 = of(now, id[i]) / m + scene.gravity;
    const Vec3d change = Vec3d(grain_field<Vec3f>(*solver, "velocity")[i] - old[id[i]]);
    const Vec3d wanted = (a1 * 3.0 - a0) * (0.5 * dt);
    EXPECT_LT(norm(change - wanted), 1e-4 * norm(wanted) + 3e-7) << id[i];
    pushed += norm(wanted) > 10 * 9.81 * dt;
  }
  EXPECT_GT(pushed, 8u);  // there is something to compare
}

TEST_P(ContactLaws, ARestingBedIsInBalance) {
  const Executor executor(2);
  const Scene scene = bed_scene(GetParam().first, GetParam().second);
  std::vector<Body> bodies{plane_body(0.5)};
  auto solver = make_grains(scene, bodies, executor);
  solver->add(rain(8).view());
  advance(*solver, 1.0);
  const auto shape = load_grain_shape(GetParam().first, 0);
  const auto sums = sums_of_contacts(*solver, 0.08);
  const auto id = grain_field<std::uint64_t>(*solver, "id");
  double off = 0, twist = 0, weight = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const double r = grain_field<float>(*solver, "radius")[i], m = mass_of(scene, *shape, float(r));
    const auto it = sums.find(id[i]);
    const Sums s = it == sums.end() ? Sums{} : it->second;
    off += norm(s.force + scene.gravity * m);
    twist += norm(s.torque) / r;
    weight += 9.81 * m;
  }
  EXPECT_LT(off, 0.01 * weight);
  EXPECT_LT(twist, 0.01 * weight);
  // The floor's part of the table, and the load on the body.
  const auto body = contact_field<std::uint32_t>(*solver, "body");
  double floor = 0;
  for (std::size_t k = 0; k < body.size(); ++k)
    if (body[k] == 0) floor += double{contact_field<float>(*solver, "normal_force")[k]};
  EXPECT_NEAR(floor, weight, 0.01 * weight);
  EXPECT_NEAR(-bodies[0].load.force.z, weight, 0.01 * weight);
}

INSTANTIATE_TEST_SUITE_P(Laws, ContactLaws,
                         testing::Values(std::pair{"sphere", "mindlin"},
                                         std::pair{"clump4", "mindlin"},
                                         std::pair{"clump2", "viscous"}),
                         [](const auto& p) {
                           return std::string(p.param.first) + "_" + p.param.second;
                         });

TEST(Contacts, FieldsOfABedAgreeWithWhatIsKnownOtherwise) {
  const Executor executor(2);
  const Scene scene = bed_scene("sphere", "mindlin");
  std::vector<Body> bodies{plane_body(0.5)};
  auto solver = make_grains(scene, bodies, executor);
  solver->add(rain(12).view());
  advance(*solver, 1.0);
  solver->prepare_frame();
  const auto x = grain_field<Vec3f>(*solver, "position");
  const auto radius = grain_field<float>(*solver, "radius"),
             packing = grain_field<float>(*solver, "packing_fraction");
  const auto stress = grain_field<Sym3f>(*solver, "stress");
  const auto coordination = grain_field<std::uint32_t>(*solver, "coordination");
  const auto volume = [&](std::size_t i) {
    return 4.0 / 3.0 * std::numbers::pi * std::pow(double{radius[i]}, 3);
  };
  // A layer in the middle: its solid part, its mean stress, the weight above it.
  const double low = 0.02, high = 0.05, area = 0.08 * 0.08;
  double mean_packing = 0, carried = 0, weight = 0, contacts = 0;
  int inside = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    contacts += coordination[i];
    const double z = x[i].z;
    // Weight above the heights of the layer, averaged over it.
    weight += 9.81 * 2500 * volume(i) * std::clamp((z - low) / (high - low), 0.0, 1.0);
    if (z < low || z > high) continue;
    ++inside;
    mean_packing += double{packing[i]};
    carried -= double{stress[i].zz} * volume(i);
  }
  mean_packing /= inside;
  double solid = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = radius[i];
    const auto below = [&](double z) {
      const double h = std::clamp(z - double{x[i].z}, -r, r);
      return std::numbers::pi * (r * r * h - h * h * h / 3 + 2 * r * r * r / 3);
    };
    solid += below(high) - below(low);
  }
  EXPECT_NEAR(mean_packing, solid / (area * (high - low)), 0.015);
  EXPECT_NEAR(carried / (area * (high - low)), weight / area, 0.05 * weight / area);
  const double mean = contacts / static_cast<double>(x.size());
  EXPECT_GT(mean, 4.0);  // isostatic with friction
  EXPECT_LT(mean, 6.5);
}

/// Spheres that touch, found among all pairs, and those of them that the table of contacts lacks.
struct ComparedContacts {
  std::size_t touching = 0, missed = 0;

  /// `period`: of the world along x and y, m; 0 if it has none.
  void compare(Solver& solver, float period = 0) {
    solver.prepare_frame();
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;
    const auto a = contact_field<std::uint64_t>(solver, "grain_a"),
               b = contact_field<std::uint64_t>(solver, "grain_b");
    for (std::size_t k = 0; k < a.size(); ++k) known.emplace(a[k], b[k]);
    const auto id = grain_field<std::uint64_t>(solver, "id");
    const auto x = grain_field<Vec3f>(solver, "position");
    const auto radius = grain_field<float>(solver, "radius");
    for (std::size_t i = 0; i < id.size(); ++i)
      for (std::size_t j = i + 1; j < id.size(); ++j) {
        Vec3f d = x[i] - x[j];
        if (period > 0)
          for (int c = 0; c < 2; ++c) d[c] -= period * std::round(d[c] / period);
        if (norm(d) > 0.9999f * (radius[i] + radius[j])) continue;
        ++touching;
        missed += known.count(std::minmax(id[i], id[j])) == 0 ? 1 : 0;
      }
  }
};

/// A few fast grains hit a bed at rest: lists with wide skins for the few, narrow ones for the
/// many.
TEST(Contacts, NoneIsMissedWhenSomeFly) {
  const Executor executor(2);
  const Scene scene = bed_scene("sphere", "mindlin");
  std::vector<Body> bodies{plane_body(0.5)};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch = rain(6);
  for (std::uint64_t k = 0; k < 24; ++k) {
    const auto r = random_floats(12, k, Purpose::test);
    batch.add({0.08f * r[0], 0.08f * r[1], 0.12f + 0.012f * static_cast<float>(k)},
              {4 * r[2] - 2, 4 * r[3] - 2, -6}, 0, 1);
  }
  solver->add(batch.view());
  ComparedContacts seen;
  for (int step = 0; step < 1500; ++step) {
    ASSERT_TRUE(solver->step(1).ok());
    if (step % 3 == 0) seen.compare(*solver, 0.08f);
  }
  EXPECT_GT(seen.touching, 20'000u);
  EXPECT_EQ(seen.missed, 0u);
}

/// Cells are as large as the largest grain: with boulders among gravel hundreds share one, and all
/// of them count.
TEST(Contacts, NoneIsMissedAmongVeryDifferentSizes) {
  const Executor executor(2);
  Scene scene = bed_scene("sphere", "mindlin");
  scene.periodic = {};
  scene.materials[0].grain_size_spread = 0.7;
  scene.materials[0].young_modulus = 1e6;
  std::vector<Body> bodies{container_body({0.15, 0.15, 0.6})};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  for (std::uint64_t k = 0; k < 3; ++k)
    batch.add({0.01f * static_cast<float>(k), 0, 0.3f + 0.07f * static_cast<float>(k)}, {0, 0, -3},
              0, 6);
  for (std::uint64_t k = 0; k < 1200; ++k) {
    const auto r = random_floats(13, k, Purpose::test);
    const auto at = [](std::uint64_t n) { return (static_cast<float>(n) - 4.5f) * 0.0125f; };
    batch.add({at(k % 10), at(k / 10 % 10), 0.012f * static_cast<float>(k / 100) + 0.01f},
              {r[0] - 0.5f, r[1] - 0.5f, -r[2]}, 0, 0.3f + 0.7f * r[3]);
  }
  solver->add(batch.view());
  ASSERT_EQ(solver->particles().size(), 1203u);
  ComparedContacts seen;
  for (int step = 0; step < 6000; ++step) {
    ASSERT_TRUE(solver->step(1).ok());
    if (step % 100 == 0) seen.compare(*solver);
  }
  EXPECT_GT(seen.touching, 5'000u);
  EXPECT_EQ(seen.missed, 0u);
}

TEST(Contacts, LookingAtThemChangesNothing) {
  for (const char* law : {"mindlin", "viscous"}) {
    const Executor executor(2), one(1);
    const Scene scene = bed_scene("clump4", law);
    std::vector<Body> bodies{plane_body(0.5)}, other_bodies{plane_body(0.5)};
    auto solver = make_grains(scene, bodies, executor);
    auto other = make_grains(scene, other_bodies, one);
    solver->add(rain(5).view());
    other->add(rain(5).view());
    for (int k = 0; k < 3000; ++k) {
      if (k % 7 == 0) solver->prepare_frame();
      ASSERT_TRUE(solver->step(0.01).ok());
      ASSERT_TRUE(other->step(0.01).ok());
    }
    State a, b;
    solver->save(a);
    other->save(b);
    for (const auto& [name, entry] : a.entries())
      EXPECT_TRUE(b.entries().at(name).data == entry.data) << law << " " << name;
    // And the table is the same for any number of threads.
    solver->prepare_frame();
    other->prepare_frame();
    ASSERT_GT(solver->contacts()->size(), 50u);
    ASSERT_EQ(solver->contacts()->size(), other->contacts()->size());
    for (std::size_t f = 0; f < solver->contacts()->field_count(); ++f) {
      const auto p = solver->contacts()->bytes(f), q = other->contacts()->bytes(f);
      EXPECT_TRUE(std::equal(p.begin(), p.end(), q.begin())) << f;
    }
  }
}

TEST(Contacts, NobodyAsksNobodyGets) {
  const Executor executor(1);
  std::vector<Body> none;
  auto solver = make_grains(grain_scene(), none, executor);
  EXPECT_EQ(solver->contacts(), nullptr);
  EXPECT_LT(solver->particles().find("coordination"), 0);
}

}  // namespace
}  // namespace talus
