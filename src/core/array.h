// A cache-line aligned array that only ever grows: scratch memory of the hot loops.
// resize() to a size seen before never allocates.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <sys/mman.h>
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
  /// What was in it is lost. Growing, it gives the old memory back before it asks for more.
  void resize_anew(std::size_t n) {
    size_ = 0;
    if (n > capacity_) {
      data_.reset();
      capacity_ = 0;
    }
    resize(n);
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
    const std::size_t wanted = n * sizeof(T);
    const std::size_t alignment = wanted < large ? line : huge_page;
    const std::size_t room = wanted + (wanted < offset_from ? 0 : page);
    const std::size_t bytes = (room + alignment - 1) / alignment * alignment;
    auto* block = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
    if (block == nullptr) throw std::bad_alloc();
    // Best effort: sweeps over large arrays lose time at the borders of small pages.
    if (wanted >= large) madvise(block, bytes, MADV_HUGEPAGE);
    const std::size_t offset = wanted < offset_from ? 0 : offset_in_page(block);
    T* fresh = reinterpret_cast<T*>(block + offset);
    if (size_ > 0) std::memcpy(static_cast<void*>(fresh), data_.get(), size_ * sizeof(T));
    data_ = std::unique_ptr<T, Free>(fresh, Free{offset});
    capacity_ = (bytes - offset) / sizeof(T);
  }

  /// Large blocks all begin at the same place of a page. A loop that goes through a dozen arrays at
  /// once would then find them in the same eight lines of the cache; so each begins elsewhere.
  static std::size_t offset_in_page(const std::byte* block) {
    return reinterpret_cast<std::uintptr_t>(block) / page * 29 % (page / line) * line;
  }

  static constexpr std::size_t line = 64, page = 4096;
  static constexpr std::size_t offset_from = 16 * page;  ///< there are many smaller ones
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t large = 2 * huge_page;

  struct Free {
    std::size_t offset = 0;  ///< bytes from the beginning of the block
    void operator()(T* p) const { std::free(reinterpret_cast<std::byte*>(p) - offset); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace talus
