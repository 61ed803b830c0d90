// A step in steady state asks nobody for memory.
#include "bed.h"
#include "core/array.h"

#include <atomic>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TALUS_COUNTS_MEMORY 0  // sanitizers have their own malloc
#else
#define TALUS_COUNTS_MEMORY 1
#endif

#if TALUS_COUNTS_MEMORY
namespace {
std::atomic<std::size_t> requests{0};
}
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* malloc(std::size_t size) {
  requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  requests.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}

namespace talus::sph {
namespace {

std::size_t requests_of_steps(bool stirred) {
  constexpr float a = 0.02f;
  const Executor executor(1);
  std::vector<Body> bodies{container({12 * a, 12 * a, 2})};
  auto solver = make(empty_scene(a), bodies, executor);
  Block block = lattice(12, 12, 12, a, {-6 * a, -6 * a, 0}, 0.02f);
  if (stirred)
    for (std::size_t i = 0; i < block.velocity.size(); ++i)
      block.velocity[i] = cross(Vec3f{0, 0, 8}, block.position[i]);
  solver->add(block.view());
  advance(*solver, 0.1);
  const std::size_t before = requests.load();
  for (int k = 0; k < 50; ++k) {
    const Result<StepReport> report = solver->step(1e-3);
    if (!report) return std::size_t(-1);
  }
  return requests.load() - before;
}

TEST(Allocation, ARestingStepAsksForNoMemory) { EXPECT_EQ(requests_of_steps(false), 0u); }

TEST(Allocation, NorDoesOneThatListsNeighboursAgain) { EXPECT_EQ(requests_of_steps(true), 0u); }

TEST(Allocation, TheCountSeesWhatScratchArraysTake) {
  const std::size_t before = requests.load();
  ScratchArray<float> array;
  array.resize(1000);
  EXPECT_GT(requests.load(), before);
}

}  // namespace
}  // namespace talus::sph
#endif
