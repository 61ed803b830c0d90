// A field of a solver's store by its name, for those that all solvers have.
#pragma once

#include "core/error.h"
#include "particles/store.h"

#include <span>

namespace talus {

template <class T>
std::span<const T> store_field(const ParticleStore& store, const char* name) {
  const int index = store.find(name);
  TALUS_CHECK(index >= 0 && store.info(static_cast<std::size_t>(index)).type == field_type_of<T>(),
              "the solver has no field '{}' of the agreed type", name);
  const auto bytes = store.bytes(static_cast<std::size_t>(index));
  return {reinterpret_cast<const T*>(bytes.data()), store.size()};
}

}  // namespace talus
