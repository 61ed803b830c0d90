// Where the fields of particles come from: a stored frame, or a solver that is running. Pictures, the
// live view and their colours are made from either.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/frame.h"
#include "particles/store.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace talus {

class FieldSource {
 public:
  virtual ~FieldSource() = default;
  virtual std::size_t count() const = 0;  ///< particles
  virtual const std::vector<FieldInfo>& fields() const = 0;
  /// The items of a field as they lie in memory.
  virtual Result<std::vector<std::byte>> bytes(std::size_t field,
                                               const Executor& executor) const = 0;

  /// Index of the field called `name`, or -1.
  int find(std::string_view name) const {
    for (std::size_t f = 0; f < fields().size(); ++f)
      if (fields()[f].name == name) return static_cast<int>(f);
    return -1;
  }
  bool has(std::string_view name) const { return find(name) >= 0; }

  template <class T>
  Result<std::vector<T>> read(std::string_view name, const Executor& executor) const {
    const int index = find(name);
    if (index < 0 || fields()[static_cast<std::size_t>(index)].type != field_type_of<T>())
      return work_error("there is no field '{}' of the type {}", name,
                        type_name(field_type_of<T>()));
    auto raw = bytes(static_cast<std::size_t>(index), executor);
    if (!raw) return raw.error();
    std::vector<T> out(raw->size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), raw->data(), out.size() * sizeof(T));
    return out;
  }
};

class FrameFields final : public FieldSource {
 public:
  explicit FrameFields(const FrameFile& frame) : frame_(frame) {}
  std::size_t count() const override { return frame_.count(); }
  const std::vector<FieldInfo>& fields() const override { return frame_.fields(); }
  Result<std::vector<std::byte>> bytes(std::size_t field, const Executor& executor) const override {
    return frame_.read_bytes(field, executor);
  }

 private:
  const FrameFile& frame_;
};

class StoreFields final : public FieldSource {
 public:
  explicit StoreFields(const ParticleStore& store) : store_(store) {
    for (std::size_t f = 0; f < store.field_count(); ++f) fields_.push_back(store.info(f));
  }
  std::size_t count() const override { return store_.size(); }
  const std::vector<FieldInfo>& fields() const override { return fields_; }
  Result<std::vector<std::byte>> bytes(std::size_t field, const Executor&) const override {
    const auto from = store_.bytes(field);
    return std::vector<std::byte>(from.begin(), from.end());
  }

 private:
  const ParticleStore& store_;
  std::vector<FieldInfo> fields_;
};

}  // namespace talus
