// Hand-over between two threads, neither of which waits for the other's work: the newest of a
// sequence of values, and a box of orders. The locks are held for the length of a swap.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace talus {

/// A producer puts values, a consumer takes the newest; older ones are forgotten unseen.
template <class T>
class Latest {
 public:
  void put(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
    fresh_ = true;
  }  // what was there before ends with the argument, after the lock

  /// The newest value when there is one that was not taken yet, else nothing.
  std::shared_ptr<const T> take() {
    const std::lock_guard lock(mutex_);
    if (!fresh_) return nullptr;
    fresh_ = false;
    taken_.notify_all();
    return value_;
  }

  /// Nobody has taken the newest yet.
  bool pending() const {
    const std::lock_guard lock(mutex_);
    return fresh_;
  }
  /// Until the newest was taken, or the time is over; tells whether it was.
  bool wait_taken(double seconds) const {
    std::unique_lock lock(mutex_);
    return taken_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !fresh_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable taken_;
  std::shared_ptr<const T> value_;
  bool fresh_ = false;
};

/// Orders in the sequence in which they were posted.
template <class T>
class Mailbox {
 public:
  void post(T order) {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
    posted_.notify_all();
  }
  /// All that were posted since the last call.
  std::vector<T> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(orders_, {});
  }
  /// Until there is an order, or the time is over; tells whether there is one.
  bool wait(double seconds) const {
    std::unique_lock lock(mutex_);
    return posted_.wait_for(lock, std::chrono::duration<double>(seconds),
                            [&] { return !orders_.empty(); });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable posted_;
  std::vector<T> orders_;
};

}  // namespace talus
