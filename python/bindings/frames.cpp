#include "body.h"
#include "common.h"
#include "core/parallel.h"
#include "frames/detail_frame.h"
#include "frames/frame.h"

namespace talus::python {

namespace {

struct PyFrame {
  explicit PyFrame(const std::filesystem::path& p)
      : path(p), file([&] {
          const py::gil_scoped_release free;
          return take(FrameFile::open(p));
        }()) {}
  std::filesystem::path path;
  FrameFile file;

  const FieldInfo& info(std::size_t f) const {
    const std::size_t own = file.fields().size();
    return f < own ? file.fields()[f] : file.table_fields()[f - own];
  }
  std::size_t field_count() const { return file.fields().size() + file.table_fields().size(); }

  py::array read(const std::string& name) const {
    for (std::size_t f = 0; f < field_count(); ++f) {
      if (info(f).name != name) continue;
      std::vector<std::byte> bytes;
      {
        const py::gil_scoped_release free;
        bytes = take(file.read_bytes(f, Executor()));
      }
      return array_of_bytes(info(f).type, std::move(bytes));
    }
    throw py::key_error(path.string() + " has no field '" + name + "'");
  }
  py::dict fields() const {
    py::dict out;
    for (std::size_t f = 0; f < field_count(); ++f) out[py::str(info(f).name)] = py::cast(info(f));
    return out;
  }
};

py::list materials_of(const FrameInfo& info) {
  py::list out;
  for (const FrameMaterial& m : info.materials) {
    py::dict material;
    material["name"] = m.name;
    material["colour"] = py::make_tuple(m.colour[0], m.colour[1], m.colour[2]);
    material["colour_variation"] = m.colour_variation;
    out.append(material);
  }
  return out;
}

struct PyDetailFrame {
  explicit PyDetailFrame(const std::filesystem::path& p)
      : path(p), file(take(DetailFrameFile::open(p))) {}
  std::filesystem::path path;
  DetailFrameFile file;

  template <class T>
  py::array column(Result<std::vector<T>> (DetailFrameFile::*get)(const Executor&) const) const {
    std::vector<T> values;
    {
      const py::gil_scoped_release free;
      values = take((file.*get)(Executor()));
    }
    return array_of(std::move(values));
  }
  py::array read(const std::string& name) const {
    if (name == "position") return column(&DetailFrameFile::positions);
    if (name == "id") return column(&DetailFrameFile::ids);
    if (name == "shade") return column(&DetailFrameFile::shades);
    if (name == "material") return column(&DetailFrameFile::materials);
    if (name == "radius" && file.has("radius")) return column(&DetailFrameFile::radii);
    if (name == "velocity" && file.has("velocity")) return column(&DetailFrameFile::velocities);
    throw py::key_error(path.string() + " has no field '" + name + "'");
  }
};

/// The field type that an array's numbers and shape mean.
FieldType type_of(const std::string& name, const py::array& array) {
  const char kind = array.dtype().kind();
  const auto bytes = array.itemsize();
  const py::ssize_t width = array.ndim() == 2 ? array.shape(1) : array.ndim() == 1 ? 1 : 0;
  if (kind == 'f' && bytes == 4) {
    if (width == 1) return FieldType::f32;
    if (width == 3) return FieldType::vec3f;
    if (width == 4) return FieldType::quatf;
    if (width == 6) return FieldType::sym3f;
  }
  if (kind == 'f' && bytes == 8 && width == 1) return FieldType::f64;
  if (kind == 'f' && bytes == 8 && width == 3) return FieldType::vec3d;
  if (kind == 'u' && width == 1) {
    if (bytes == 1) return FieldType::u8;
    if (bytes == 4) return FieldType::u32;
    if (bytes == 8) return FieldType::u64;
  }
  throw py::type_error(
      "field '" + name +
      "': frames hold float32 of 1, 3, 4 or 6 components, float64 of 1 or 3, and uint8, uint32, "
      "uint64; convert it with astype");
}

FrameInfo frame_info(const py::object& like, const std::string& scene, std::uint64_t index,
                     double time, double interval, std::uint64_t step) {
  FrameInfo info;
  if (!like.is_none()) info = like.cast<const PyFrame&>().file.info();
  if (!scene.empty()) info.scene = scene;
  info.index = index;
  info.time = time;
  if (interval > 0) info.interval = interval;
  info.step = step;
  return info;
}

/// `fields`: name -> (array in C order, unit, meaning), all of one length, sorted by id.
void write_columns(const std::filesystem::path& path, const py::dict& fields,
                   const py::object& like, const std::string& scene, std::uint64_t index,
                   double time, double interval, std::uint64_t step) {
  std::vector<py::array> kept;
  std::vector<FrameColumn> columns;
  for (const auto& [key, value] : fields) {
    const auto name = key.cast<std::string>();
    const auto parts = value.cast<std::tuple<py::array, std::string, std::string>>();
    kept.push_back(std::get<0>(parts));
    const py::array& array = kept.back();
    const FieldType type = type_of(name, array);
    columns.push_back(
        {{name, std::get<1>(parts), type, FieldUse::frame, std::get<2>(parts)},
         {static_cast<const std::byte*>(array.data()), static_cast<std::size_t>(array.nbytes())}});
  }
  const FrameInfo info = frame_info(like, scene, index, time, interval, step);
  const py::gil_scoped_release free;
  take(write_frame(path, info, columns, Executor()));
}

template <class T>
void bind_info(py::class_<T>& type, const FrameInfo& (*info)(const T&)) {
  type.def_property_readonly("scene", [info](const T& f) { return info(f).scene; })
      .def_property_readonly("index", [info](const T& f) { return info(f).index; })
      .def_property_readonly("time", [info](const T& f) { return info(f).time; })
      .def_property_readonly("interval", [info](const T& f) { return info(f).interval; })
      .def_property_readonly("step", [info](const T& f) { return info(f).step; })
      .def_property_readonly("materials", [info](const T& f) { return materials_of(info(f)); })
      .def_property_readonly("bodies", [info](const T& f) { return bodies_of(info(f)); })
      .def_readonly("path", &T::path)
      .def("__getitem__", &T::read)
      .def("__len__", [](const T& f) { return f.file.count(); })
      .def("__contains__", [](const T& f, const std::string& name) { return f.file.has(name); });
}

}  // namespace

void bind_frames(py::module_& module) {
  py::class_<PyFrame> frame(module, "Frame", "A frame of a run; arrays are read when asked for");
  frame.def(py::init<const std::filesystem::path&>(), py::arg("path"))
      .def_property_readonly("fields", &PyFrame::fields);
  bind_info<PyFrame>(frame, [](const PyFrame& f) -> const FrameInfo& { return f.file.info(); });

  py::class_<PyDetailFrame> detail(module, "DetailFrame", "A share of the fine grains of a frame");
  detail.def(py::init<const std::filesystem::path&>(), py::arg("path"))
      .def_property_readonly("factor", [](const PyDetailFrame& f) { return f.file.info().factor; })
      .def_property_readonly("radius", [](const PyDetailFrame& f) { return f.file.info().radius; });
  bind_info<PyDetailFrame>(
      detail, [](const PyDetailFrame& f) -> const FrameInfo& { return f.file.info().frame; });

  module.def("write_columns", &write_columns, py::arg("path"), py::arg("fields"), py::arg("like"),
             py::arg("scene"), py::arg("index"), py::arg("time"), py::arg("interval"),
             py::arg("step"));
  module.def("detail_frame_numbers", &detail_frame_numbers, py::arg("run"));
  module.def("detail_files", &detail_files, py::arg("run"), py::arg("frame"));
}

}  // namespace talus::python
