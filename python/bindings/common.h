// What the files of the module share: errors as exceptions, arrays of numpy.
#pragma once

#include "core/error.h"
#include "math/vec.h"
#include "particles/store.h"

#include <exception>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <span>
#include <utility>
#include <vector>

namespace talus::python {

namespace py = pybind11;

/// Carries an Error to the translator in module.cpp, which raises talus.RequestError or
/// talus.WorkError with its message.
struct Failure : std::exception {
  explicit Failure(Error e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.message.c_str(); }
  Error error;
};

template <class T>
T take(Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}
inline void take(const Status& status) {
  if (!status) throw Failure(status.error());
}

/// A read-only array over memory that `owner` keeps alive.
py::array read_only_array(FieldType type, std::size_t count, const void* items, py::handle owner);
/// The same over bytes that move into it.
py::array array_of_bytes(FieldType type, std::vector<std::byte> bytes);

template <class T>
py::array array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return read_only_array(field_type_of<T>(), kept->size(), kept->data(), owner);
}

inline py::array_t<double> array_of(const Vec3d& v) {
  const double values[3] = {v.x, v.y, v.z};
  return py::array_t<double>(3, values);
}

/// Floats of shape (n, 3), in C order; anything that numpy can convert to it.
using Points = py::array_t<float, py::array::c_style | py::array::forcecast>;
std::span<const Vec3f> points_of(const Points& array, const char* name);

void bind_scene(py::module_& module);
void bind_simulation(py::module_& module);
void bind_frames(py::module_& module);
void bind_jobs(py::module_& module);

}  // namespace talus::python
