#include "particles/store.h"

#include "core/error.h"
#include "core/parallel.h"

#include <cstdlib>
#include <cstring>

namespace talus {

namespace {

constexpr std::size_t alignment = 64;  // a cache line, and two wide floats

struct FreeAligned {
  void operator()(std::byte* p) const { std::free(p); }
};

struct TypeTraits {
  std::size_t bytes;
  int components;
  std::string_view name;
};

TypeTraits traits(FieldType type) {
  switch (type) {
    case FieldType::f32: return {4, 1, "f32"};
    case FieldType::f64: return {8, 1, "f64"};
    case FieldType::u8: return {1, 1, "u8"};
    case FieldType::u32: return {4, 1, "u32"};
    case FieldType::u64: return {8, 1, "u64"};
    case FieldType::vec3f: return {12, 3, "vec3f"};
    case FieldType::vec3d: return {24, 3, "vec3d"};
    case FieldType::sym3f: return {24, 6, "sym3f"};
    case FieldType::quatf: return {16, 4, "quatf"};
  }
  TALUS_CHECK(false, "field type {}", static_cast<int>(type));
  return {};
}

template <std::size_t Bytes>
void permute(const std::byte* from, std::byte* to, std::span<const std::uint32_t> order,
             const Executor& executor) {
  executor.for_range(order.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(to + i * Bytes, from + std::size_t{order[i]} * Bytes, Bytes);
  });
}

}  // namespace

struct ParticleStore::Column {
  std::shared_ptr<std::byte[]> data;
};

std::size_t bytes_per_item(FieldType type) { return traits(type).bytes; }
int components(FieldType type) { return traits(type).components; }
std::string_view type_name(FieldType type) { return traits(type).name; }

ParticleStore::ParticleStore() = default;
ParticleStore::~ParticleStore() = default;
ParticleStore::ParticleStore(ParticleStore&&) noexcept = default;
ParticleStore& ParticleStore::operator=(ParticleStore&&) noexcept = default;

namespace {
std::byte* allocate_zeroed(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment + alignment;
  auto* p = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (p == nullptr) throw std::bad_alloc();
  std::memset(p, 0, rounded);
  return p;
}
}  // namespace

std::uint32_t ParticleStore::add_raw(FieldInfo info) {
  TALUS_CHECK(find(info.name) < 0, "field '{}' registered twice", info.name);
  Column column;
  column.data.reset(allocate_zeroed(capacity_ * bytes_per_item(info.type)), FreeAligned{});
  infos_.push_back(std::move(info));
  columns_.push_back(std::move(column));
  return static_cast<std::uint32_t>(columns_.size() - 1);
}

void* ParticleStore::raw(std::size_t index) { return columns_[index].data.get(); }
const void* ParticleStore::raw(std::size_t index) const { return columns_[index].data.get(); }

int ParticleStore::find(std::string_view name) const {
  for (std::size_t i = 0; i < infos_.size(); ++i)
    if (infos_[i].name == name) return static_cast<int>(i);
  return -1;
}

std::uint32_t ParticleStore::index_of(std::string_view name, FieldType type) const {
  const int index = find(name);
  TALUS_CHECK(index >= 0 && infos_[static_cast<std::size_t>(index)].type == type, "field '{}'",
              name);
  return static_cast<std::uint32_t>(index);
}

std::span<std::byte> ParticleStore::bytes(std::size_t index) {
  return {columns_[index].data.get(), size_ * bytes_per_item(infos_[index].type)};
}
std::span<const std::byte> ParticleStore::bytes(std::size_t index) const {
  return {columns_[index].data.get(), size_ * bytes_per_item(infos_[index].type)};
}

std::size_t ParticleStore::memory_bytes() const {
  std::size_t total = scratch_.capacity();
  for (const FieldInfo& info : infos_) total += capacity_ * bytes_per_item(info.type);
  return total;
}

SharedField ParticleStore::share(std::size_t index) const {
  return {infos_[index], size_, columns_[index].data};
}

void ParticleStore::unshare() {
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    if (columns_[f].data.use_count() == 1) continue;
    const std::size_t item = bytes_per_item(infos_[f].type);
    std::byte* fresh = allocate_zeroed(capacity_ * item);
    std::memcpy(fresh, columns_[f].data.get(), size_ * item);
    columns_[f].data.reset(fresh, FreeAligned{});
  }
}

void ParticleStore::resize(std::size_t n) {
  if (n > capacity_) {
    const std::size_t grown = std::max(n, capacity_ + capacity_ / 4);
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      const std::size_t item = bytes_per_item(infos_[f].type);
      std::byte* fresh = allocate_zeroed(grown * item);
      std::memcpy(fresh, columns_[f].data.get(), size_ * item);
      columns_[f].data.reset(fresh, FreeAligned{});
    }
    capacity_ = grown;
  } else if (n > size_) {
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      const std::size_t item = bytes_per_item(infos_[f].type);
      std::memset(columns_[f].data.get() + size_ * item, 0, (n - size_) * item);
    }
  }
  size_ = n;
}

void ParticleStore::reorder(std::span<const std::uint32_t> order, const Executor& executor,
                            std::size_t first) {
  TALUS_CHECK(first + order.size() == size_, "order {} from {} size {}", order.size(), first,
              size_);
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    const std::size_t item = bytes_per_item(infos_[f].type);
    if (scratch_.size() < size_ * item) scratch_.resize(std::max(size_ * item, capacity_ * item));
    std::byte* from = columns_[f].data.get() + first * item;
    switch (item) {
      case 1: permute<1>(from, scratch_.data(), order, executor); break;
      case 4: permute<4>(from, scratch_.data(), order, executor); break;
      case 8: permute<8>(from, scratch_.data(), order, executor); break;
      case 12: permute<12>(from, scratch_.data(), order, executor); break;
      case 16: permute<16>(from, scratch_.data(), order, executor); break;
      case 24: permute<24>(from, scratch_.data(), order, executor); break;
      default: TALUS_CHECK(false, "item of {} bytes", item);
    }
    std::memcpy(from, scratch_.data(), order.size() * item);
  }
}

void ParticleStore::compact(std::span<const std::uint8_t> keep) {
  TALUS_CHECK(keep.size() == size_, "keep {} size {}", keep.size(), size_);
  std::size_t kept = 0;
  for (std::uint8_t k : keep) kept += k != 0;
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    const std::size_t item = bytes_per_item(infos_[f].type);
    std::byte* data = columns_[f].data.get();
    std::size_t to = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (keep[i] != 0) std::memmove(data + item * to++, data + item * i, item);
  }
  size_ = kept;
}

}  // namespace talus
