// A bag of named arrays: the content of a checkpoint. Solvers, bodies and emitters put what they
// need to go on; frames/ writes it to disk and reads it back.
#pragma once

#include "core/error.h"
#include "particles/store.h"

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace talus {

class State {
 public:
  struct Entry {
    std::uint32_t item_bytes = 0;
    std::vector<std::byte> data;
  };

  template <class T>
  void put(const std::string& name, std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    Entry& entry = entries_[name];
    entry.item_bytes = sizeof(T);
    entry.data.resize(items.size_bytes());
    if (!items.empty()) std::memcpy(entry.data.data(), items.data(), items.size_bytes());
  }
  template <class T>
  requires(!std::is_const_v<T>) void put(
      const std::string& name, std::span<T> items) {  // else the next one would store the span
    put(name, std::span<const T>(items));
  }
  template <class T>
  void put(const std::string& name, const T& value) {
    put(name, std::span<const T>(&value, 1));
  }

  template <class T>
  Status get(const std::string& name, std::vector<T>& items) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Entry* entry = find(name);
    if (entry == nullptr || entry->item_bytes != sizeof(T))
      return work_error("checkpoint lacks '{}' or has it in another type", name);
    items.resize(entry->data.size() / sizeof(T));
    if (!items.empty()) std::memcpy(items.data(), entry->data.data(), items.size() * sizeof(T));
    return {};
  }
  template <class T>
  Status get(const std::string& name, T& value) const {
    const Entry* entry = find(name);
    if (entry == nullptr || entry->item_bytes != sizeof(T) || entry->data.size() != sizeof(T))
      return work_error("checkpoint lacks '{}' or has it in another type", name);
    std::memcpy(&value, entry->data.data(), sizeof(T));
    return {};
  }

  /// All fields of a store, in its present order, under "prefix/field".
  void put_store(const std::string& prefix, const ParticleStore& store);
  /// Restores into a store that has the same fields registered.
  Status get_store(const std::string& prefix, ParticleStore& store) const;

  const Entry* find(const std::string& name) const {
    const auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  std::map<std::string, Entry>& entries() { return entries_; }

 private:
  std::map<std::string, Entry> entries_;  // ordered, so that files are reproducible
};

}  // namespace talus
