// The only place where threads live. Loops are cut into chunks by the problem size alone, never by
// the number of threads, so every result (also of reductions) has the same bits on any machine
// load.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

namespace talus {

/// A non-owning reference to a callable; no allocation, unlike std::function.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// Runs loops on a fixed number of threads. Passed to whoever needs it; there is no global one.
class Executor {
 public:
  /// threads = 0 takes all cores this process may use.
  explicit Executor(int threads = 0);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int threads() const { return threads_; }

  /// body(begin, end) over chunks of [0, n). A chunk has `grain` items (the last one fewer).
  template <class Body>
  void for_range(std::size_t n, std::size_t grain, Body&& body) const {
    if (n == 0) return;
    const std::size_t chunks = (n + grain - 1) / grain;
    run_chunks(chunks, [&](std::size_t c) { body(c * grain, std::min(n, (c + 1) * grain)); });
  }

  /// body(i) for every i in [0, n).
  template <class Body>
  void for_each(std::size_t n, Body&& body) const {
    for_range(n, default_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  /// Deterministic reduction: part(begin, end) -> T over at most max_parts fixed chunks, combined
  /// in ascending order.
  template <class T, class Part, class Combine>
  T reduce(std::size_t n, T identity, Part&& part, Combine&& combine) const {
    if (n == 0) return identity;
    const std::size_t grain = std::max(default_grain, (n + max_parts - 1) / max_parts);
    const std::size_t chunks = (n + grain - 1) / grain;
    std::array<T, max_parts> parts;
    run_chunks(chunks,
               [&](std::size_t c) { parts[c] = part(c * grain, std::min(n, (c + 1) * grain)); });
    T total = identity;
    for (std::size_t c = 0; c < chunks; ++c) total = combine(total, parts[c]);
    return total;
  }

  /// body(chunk) for every chunk in [0, chunks), in any order, on any thread.
  void run_chunks(std::size_t chunks, FunctionRef<void(std::size_t)> body) const;

  /// body(chunk, worker): worker < threads() tells bodies that run at the same time apart, for
  /// scratch memory. Nothing that lasts may depend on it.
  void run_chunks_with_worker(std::size_t chunks,
                              FunctionRef<void(std::size_t, std::size_t)> body) const;

  static constexpr std::size_t default_grain = 1024;
  static constexpr std::size_t max_parts = 256;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
  int threads_;
};

/// One piece of work at a time beside the caller, for output that must not hold up computation.
class BackgroundWork {
 public:
  BackgroundWork();
  ~BackgroundWork();  ///< waits
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  /// Waits for the work before, then starts this one. It must not throw.
  void start(std::function<void()> work);
  /// Returns when nothing is under way; what the work wrote can be read after it.
  void wait();

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace talus
