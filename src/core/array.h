// A cache-line aligned array that only ever grows: scratch memory of the hot loops.
// resize() to a size seen before never allocates.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace talus {

template <class T>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ScratchArray() = default;

  /// Keeps the first min(old, new) items; new ones are uninitialised.
  void resize(std::size_t n) {
    if (n > capacity_) grow(n + n / 8 + 64);
    size_ = n;
  }
  void clear() { size_ = 0; }
  void push_back(const T& item) {
    if (size_ == capacity_) grow(capacity_ + capacity_ / 2 + 64);
    data_.get()[size_++] = item;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

 private:
  void grow(std::size_t n) {
    const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
    T* fresh = static_cast<T*>(std::aligned_alloc(64, bytes));
    if (fresh == nullptr) throw std::bad_alloc();
    if (size_ > 0) std::memcpy(static_cast<void*>(fresh), data_.get(), size_ * sizeof(T));
    data_.reset(fresh);
    capacity_ = bytes / sizeof(T);
  }

  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace talus
