// Same bits for any number of threads, and after saving and loading, lists and all.
#include "bed.h"

#include <cstring>
#include <ostream>

namespace talus::sph {
namespace {

constexpr float a = 0.05f;

struct Variant {
  SphModel model;
  bool sleeping = false;
};
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << "model " << static_cast<int>(variant.model);
}

struct Trial {
  Executor executor;
  std::vector<Body> bodies;
  std::unique_ptr<Solver> solver;

  Trial(int threads, const Variant& variant) : executor(threads) {
    bodies.push_back(ground());
    Scene scene = empty_scene(a);
    scene.sph.model = variant.model;
    scene.sph.sleeping = variant.sleeping;
    auto made = make_sph_solver(scene, bodies, executor);
    solver = std::move(*made);
  }
  void fill() { solver->add(lattice(10, 10, 14, a, {0, 0, 0.02f}, 0.2f).view()); }
};

bool same_bits(const Solver& x, const Solver& y) {
  const ParticleStore &p = x.particles(), &q = y.particles();
  if (p.size() != q.size()) return false;
  for (std::size_t f = 0; f < p.field_count(); ++f)
    if (std::memcmp(p.bytes(f).data(), q.bytes(f).data(), p.bytes(f).size()) != 0) return false;
  return x.time() == y.time();
}

class Determinism : public testing::TestWithParam<Variant> {};

TEST_P(Determinism, SameBitsForAnyThreadCount) {
  Trial one(1, GetParam());
  one.fill();
  advance(*one.solver, 0.15);
  for (const int threads : {2, 3, 8}) {
    Trial many(threads, GetParam());
    many.fill();
    advance(*many.solver, 0.15);
    EXPECT_TRUE(same_bits(*one.solver, *many.solver)) << threads << " threads";
  }
}

TEST_P(Determinism, LoadingGoesOnWithTheSameBits) {
  Trial straight(2, GetParam()), first(2, GetParam()), second(3, GetParam());
  straight.fill();
  first.fill();
  for (int k = 0; k < 137; ++k) ASSERT_TRUE(straight.solver->step(1e-3).ok());
  for (int k = 0; k < 61; ++k) ASSERT_TRUE(first.solver->step(1e-3).ok());
  State state;
  first.solver->save(state);
  ASSERT_TRUE(second.solver->load(state).ok());
  for (int k = 61; k < 137; ++k) ASSERT_TRUE(second.solver->step(1e-3).ok());
  EXPECT_TRUE(same_bits(*straight.solver, *second.solver));
}

INSTANTIATE_TEST_SUITE_P(Models, Determinism,
                         testing::Values(Variant{SphModel::talus}, Variant{SphModel::ihmsen2013},
                                         Variant{SphModel::alduan2011}));

/// Long enough for the lower part to rest while the upper one still moves.
TEST(Determinism, RestingSandHasTheSameBitsForAnyThreadCountAndAfterLoading) {
  constexpr Variant resting{SphModel::talus, true};
  const auto step = [](Trial& trial, int steps) {
    StepReport last;
    for (int k = 0; k < steps; ++k) last = *trial.solver->step(1e-3);
    return last.asleep;
  };
  Trial one(1, resting), first(3, resting), second(2, resting);
  one.fill();
  first.fill();
  step(first, 1200);
  State state;
  first.solver->save(state);
  ASSERT_TRUE(second.solver->load(state).ok());
  step(second, 300);
  const std::uint64_t asleep = step(one, 1500);
  EXPECT_TRUE(same_bits(*one.solver, *second.solver));
  EXPECT_GT(asleep, 0u) << "or nothing was tested";
}

/// A block falls onto a bed beside which more is poured in: some lists are worn in every step,
/// others are kept, and the order of the particles changes now and then.
TEST(Determinism, AStreamThatLandsHasTheSameBitsForAnyThreadCountAndAfterLoading) {
  for (const SphModel model : {SphModel::talus, SphModel::ihmsen2013}) {
    const Variant variant{model, model == SphModel::talus};
    constexpr int steps = 240;
    const auto fill = [](Trial& trial) {
      trial.solver->add(lattice(16, 16, 5, a, {}, 0.1f).view());
    };
    const auto step = [](Trial& trial, int from, int to) {
      for (int k = from; k < to; ++k) {
        if (k % 4 == 0) {
          Block layer = lattice(5, 5, 1, a, {0.25f, 0.25f, 0.8f}, 0.2f);
          for (std::uint64_t& id : layer.id) id += static_cast<std::uint64_t>(10000 + 25 * k);
          for (Vec3f& v : layer.velocity) v.z = -4;
          trial.solver->add(layer.view());
        }
        ASSERT_TRUE(trial.solver->step(2e-3).ok());
      }
    };
    Trial straight(1, variant);
    fill(straight);
    for (int k = 0; k < steps; k += 40) {
      State state;
      straight.solver->save(state);
      Trial resumed(3, variant);
      ASSERT_TRUE(resumed.solver->load(state).ok());
      step(straight, k, k + 40);
      step(resumed, k, k + 40);
      ASSERT_TRUE(same_bits(*straight.solver, *resumed.solver)) << "from step " << k;
    }
  }
}

}  // namespace
}  // namespace talus::sph
