#include "core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <thread>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace talus {

namespace {
// The distribution's oneTBB is built without the thread sanitizer, which therefore does not see
// that a loop starts after what came before it and ends after all of its chunks. These tell it.
void hand_over([[maybe_unused]] void* token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(token);
#endif
}
void take_over([[maybe_unused]] void* token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(token);
#endif
}
}  // namespace

struct Executor::Arena {
  // Allows more workers than cores, so that "-j 8" on two cores really runs eight threads and the
  // determinism tests mean something.
  tbb::global_control allow;
  tbb::task_arena arena;
  explicit Arena(int threads)
      : allow(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {
    arena.initialize();
  }
};

Executor::Executor(int threads)
    : threads_(threads > 0 ? threads : static_cast<int>(tbb::info::default_concurrency())) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}

Executor::~Executor() = default;

void Executor::run_chunks_with_worker(std::size_t chunks,
                                      FunctionRef<void(std::size_t, std::size_t)> body) const {
  if (!arena_ || chunks == 1) {
    for (std::size_t c = 0; c < chunks; ++c) body(c, 0);
    return;
  }
  char start = 0, end = 0;  // only their addresses count
  hand_over(&start);
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, chunks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const auto worker =
              static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          take_over(&start);
          for (std::size_t c = range.begin(); c != range.end(); ++c) body(c, worker);
          hand_over(&end);
        },
        tbb::auto_partitioner());
  });
  take_over(&end);
}

void Executor::run_chunks(std::size_t chunks, FunctionRef<void(std::size_t)> body) const {
  run_chunks_with_worker(chunks, [&](std::size_t c, std::size_t) { body(c); });
}

struct BackgroundWork::Thread {
  std::thread running;
};

BackgroundWork::BackgroundWork() : thread_(std::make_unique<Thread>()) {}
BackgroundWork::~BackgroundWork() { wait(); }

void BackgroundWork::start(std::function<void()> work) {
  wait();
  thread_->running = std::thread(std::move(work));
}

void BackgroundWork::wait() {
  if (thread_->running.joinable()) thread_->running.join();
}

}  // namespace talus
