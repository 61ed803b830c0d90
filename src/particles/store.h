// Structure-of-arrays particle store. Each array is a registered field with name, unit and type;
// solver, frame writer, exporters and Python all find it here.
#pragma once

#include "math/quat.h"
#include "math/vec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

class Executor;

enum class FieldType : std::uint8_t { f32, f64, u8, u32, u64, vec3f, vec3d, sym3f, quatf };

std::size_t bytes_per_item(FieldType type);
/// Scalars in one item: 3 for vec3f, 6 for sym3f, 1 for u32.
int components(FieldType type);
std::string_view type_name(FieldType type);

template <class T>
constexpr FieldType field_type_of();
template <>
constexpr FieldType field_type_of<float>() {
  return FieldType::f32;
}
template <>
constexpr FieldType field_type_of<double>() {
  return FieldType::f64;
}
template <>
constexpr FieldType field_type_of<std::uint8_t>() {
  return FieldType::u8;
}
template <>
constexpr FieldType field_type_of<std::uint32_t>() {
  return FieldType::u32;
}
template <>
constexpr FieldType field_type_of<std::uint64_t>() {
  return FieldType::u64;
}
template <>
constexpr FieldType field_type_of<Vec3f>() {
  return FieldType::vec3f;
}
template <>
constexpr FieldType field_type_of<Vec3d>() {
  return FieldType::vec3d;
}
template <>
constexpr FieldType field_type_of<Sym3f>() {
  return FieldType::sym3f;
}
template <>
constexpr FieldType field_type_of<Quatf>() {
  return FieldType::quatf;
}

/// Who needs a field outside the solver.
enum class FieldUse : std::uint8_t {
  frame,  ///< written to every frame, and to checkpoints
  state,  ///< written to checkpoints only: the next step depends on it
};

struct FieldInfo {
  std::string name;  ///< "velocity"
  std::string unit;  ///< "m/s"; "1" when dimensionless
  FieldType type = FieldType::f32;
  FieldUse use = FieldUse::frame;
  std::string meaning;  ///< one sentence for docs and exporters
};

/// The values of a field, held by somebody beside the store; see ParticleStore::share().
struct SharedField {
  FieldInfo info;
  std::size_t count = 0;
  std::shared_ptr<const std::byte[]> items;
};

/// Names a field of a store; cheap to copy.
template <class T>
struct Field {
  std::uint32_t index = 0;
};

class ParticleStore {
 public:
  ParticleStore();
  ~ParticleStore();
  ParticleStore(ParticleStore&&) noexcept;
  ParticleStore& operator=(ParticleStore&&) noexcept;

  template <class T>
  Field<T> add_field(std::string name, std::string unit, FieldUse use, std::string meaning) {
    return {
        add_raw({std::move(name), std::move(unit), field_type_of<T>(), use, std::move(meaning)})};
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// New items are zero. Capacity only grows, so a steady count never allocates.
  void resize(std::size_t n);

  template <class T>
  std::span<T> operator[](Field<T> f) {
    return {static_cast<T*>(raw(f.index)), size_};
  }
  template <class T>
  std::span<const T> operator[](Field<T> f) const {
    return {static_cast<const T*>(raw(f.index)), size_};
  }

  /// The field called `name`, which the store must have, as items of its type.
  template <class T>
  std::span<const T> values(std::string_view name) const {
    return (*this)[Field<T>{index_of(name, field_type_of<T>())}];
  }

  std::size_t field_count() const { return infos_.size(); }
  const FieldInfo& info(std::size_t index) const { return infos_[index]; }
  /// Index of the field called `name`, or -1.
  int find(std::string_view name) const;
  std::span<std::byte> bytes(std::size_t index);
  std::span<const std::byte> bytes(std::size_t index) const;
  std::size_t memory_bytes() const;

  /// The memory of a field, without a copy. It lives as long as somebody holds it; it shows what
  /// the store writes until unshare().
  SharedField share(std::size_t index) const;
  /// The store goes on in memory of its own: what was shared stays as it is now. Costs nothing when
  /// nobody holds any of it.
  void unshare();

  /// new[first + i] = old[first + order[i]] for every field; `order` has size() - first entries.
  void reorder(std::span<const std::uint32_t> order, const Executor& executor,
               std::size_t first = 0);
  /// Keeps the items with keep[i] != 0, in their order.
  void compact(std::span<const std::uint8_t> keep);

 private:
  std::uint32_t add_raw(FieldInfo info);
  std::uint32_t index_of(std::string_view name, FieldType type) const;
  void* raw(std::size_t index);
  const void* raw(std::size_t index) const;

  struct Column;
  std::vector<FieldInfo> infos_;
  std::vector<Column> columns_;
  std::vector<std::byte> scratch_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace talus
