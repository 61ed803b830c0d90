// The Python module talus._talus: what python/talus/ is built on. One file for each part of src/
// that it opens; nothing is computed here.
#include "common.h"
#include "frames/field_columns.h"

namespace talus::python {

py::array read_only_array(FieldType type, std::size_t count, const void* items, py::handle owner) {
  const py::dtype dtype{std::string(numpy_type(type))};
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(count)};
  if (components(type) > 1) shape.push_back(components(type));
  py::array out(dtype, std::move(shape), items, owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::array array_of_bytes(FieldType type, std::vector<std::byte> bytes) {
  auto* kept = new std::vector<std::byte>(std::move(bytes));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<std::byte>*>(p); });
  return read_only_array(type, kept->size() / bytes_per_item(type), kept->data(), owner);
}

std::span<const Vec3f> points_of(const Points& array, const char* name) {
  if (array.ndim() != 2 || array.shape(1) != 3)
    throw py::value_error(std::string(name) + " must have the shape (n, 3)");
  return {reinterpret_cast<const Vec3f*>(array.data()), static_cast<std::size_t>(array.shape(0))};
}

namespace {

/// class NAME(base...), with a place in the module and a sentence of documentation.
py::object new_exception(py::module_& module, const char* name, const char* meaning,
                         const py::object& bases) {
  const std::string full = std::string("talus.") + name;
  auto type = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc(full.c_str(), meaning, bases.ptr(), nullptr));
  if (!type) throw py::error_already_set();
  module.add_object(name, type);
  return type;
}

/// Never freed: translators outlive the module's dictionary.
struct ExceptionTypes {
  py::object request, work;
};

void add_exceptions(py::module_& module) {
  const py::object error = new_exception(module, "Error", "Anything that Talus refuses or fails at",
                                         py::reinterpret_borrow<py::object>(PyExc_Exception));
  const auto with = [&](PyObject* other) {
    return py::make_tuple(error, py::reinterpret_borrow<py::object>(other));
  };
  static const auto* types = new ExceptionTypes{
      new_exception(module, "RequestError", "A scene, a path or an argument is wrong",
                    with(PyExc_ValueError)),
      new_exception(module, "WorkError",
                    "The work failed: a full disk, a damaged file, a simulation that diverged",
                    with(PyExc_RuntimeError))};
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Failure& failure) {
      const bool request = failure.error.kind == ErrorKind::request;
      PyErr_SetString((request ? types->request : types->work).ptr(),
                      failure.error.message.c_str());
    }
  });
}

}  // namespace

}  // namespace talus::python

PYBIND11_MODULE(_talus, module) {
  using namespace talus::python;
  module.doc() = "Sand in motion: the compiled part of the package talus";
  module.attr("__version__") = TALUS_VERSION;
  add_exceptions(module);
  bind_scene(module);
  bind_simulation(module);
  bind_frames(module);
  bind_jobs(module);
}
