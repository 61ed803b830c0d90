// A frame: all particles and bodies at one instant, one file. Particles are stored by ascending id,
// whatever order the solver keeps them in: then two frames of a run line up, two runs compare byte
// by byte, and the ids compress to almost nothing.
//
//   auto frame = FrameFile::open("out/pile/frames/frame_000012.tal");
//   auto position = frame->read<Vec3f>("position", executor);   // reads that field alone
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "frames/container.h"
#include "particles/store.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

struct FrameBody {
  std::string name;
  BodyState state;
  BodyLoad load;  ///< mean over the frame's interval
};

/// What a grain's colour is made of; see grain_colour().
struct FrameMaterial {
  std::string name;
  std::array<float, 3> colour{};  ///< linear RGB albedo
  float colour_variation = 0;     ///< 0..1
};

struct FrameInfo {
  std::string scene;        ///< name of the scene
  std::uint64_t index = 0;  ///< number of the frame; 0 is the start
  double time = 0;          ///< s
  double interval = 0;      ///< s between frames
  std::uint64_t step = 0;   ///< steps done so far
  std::vector<FrameBody> bodies;
  std::vector<FrameMaterial> materials;
};

/// One field to be written, items in the order of the file.
struct FrameColumn {
  FieldInfo info;
  std::span<const std::byte> items;
};

/// Other things than particles at the same instant, such as contacts: columns "name/field", of a
/// count of their own, behind those of the particles.
struct FrameTable {
  std::string name;
  const ParticleStore* items = nullptr;
};

/// Albedo of a grain: its material's colour, lighter or darker by its `shade` (0..255, in every
/// frame, constant for a grain).
inline std::array<float, 3> grain_colour(const FrameMaterial& material, std::uint8_t shade) {
  const float factor =
      1.0f + material.colour_variation * (static_cast<float>(shade) / 127.5f - 1.0f);
  return {material.colour[0] * factor, material.colour[1] * factor, material.colour[2] * factor};
}

/// The shade of a grain in a run with this seed.
std::uint8_t grain_shade(std::uint64_t seed, std::uint64_t id);

/// Writes columns as they are; all have the same number of items.
Status write_frame(const std::filesystem::path& path, const FrameInfo& info,
                   std::span<const FrameColumn> columns, const Executor& executor);

/// Writes the fields of a solver's store, sorted by id: those for frames, those named in
/// `extra_fields`, and the shade drawn from (seed, id); then the tables, as they are.
Status write_frame(const std::filesystem::path& path, const FrameInfo& info,
                   const ParticleStore& store, std::span<const std::string> extra_fields,
                   std::uint64_t seed, const Executor& executor,
                   std::span<const FrameTable> tables = {});

/// The fields the second form of write_frame writes, in its order.
std::vector<FieldInfo> frame_fields(const ParticleStore& store,
                                    std::span<const std::string> extra_fields);

/// The JSON object that describes a frame in its header, and back; nothing when misshapen.
std::string frame_metadata(const FrameInfo& info);
std::optional<FrameInfo> parse_frame_metadata(std::string_view text);

class FrameFile {
 public:
  static Result<FrameFile> open(const std::filesystem::path& path);
  static Result<FrameFile> open_memory(std::span<const std::byte> bytes);

  const FrameInfo& info() const { return info_; }
  std::uint64_t count() const { return count_; }                    ///< particles
  const std::vector<FieldInfo>& fields() const { return fields_; }  ///< of particles
  const std::vector<FieldInfo>& table_fields() const {
    return table_fields_;
  }  ///< "contacts/point"
  bool has(std::string_view name) const { return container_.find(name) >= 0; }
  std::uint64_t compressed_bytes(std::size_t field) const {
    return container_.compressed_bytes(field);
  }

  /// A field of the particles, or of a table by its full name.
  template <class T>
  Result<std::vector<T>> read(std::string_view name, const Executor& executor) const {
    const auto index = index_of(name, field_type_of<T>());
    if (!index) return index.error();
    auto items = allocate<T>(container_.column(*index).count);
    if (!items) return items.error();
    const Status status =
        container_.read(*index, std::as_writable_bytes(std::span(*items)), executor);
    if (!status.ok()) return status.error();
    return items;
  }
  /// Any type, as bytes: for exporters that copy what is there.
  Result<std::vector<std::byte>> read_bytes(std::size_t field, const Executor& executor) const;

 private:
  explicit FrameFile(ContainerReader container) : container_(std::move(container)) {}
  static Result<FrameFile> from_container(Result<ContainerReader> container);
  Status parse();
  Result<std::size_t> index_of(std::string_view name, FieldType type) const;
  Error too_large() const;

  template <class T>
  Result<std::vector<T>> allocate(std::uint64_t count) const {
    try {
      return std::vector<T>(count);
    } catch (const std::exception&) {
      return too_large();
    }
  }

  ContainerReader container_;
  FrameInfo info_;
  std::vector<FieldInfo> fields_, table_fields_;  ///< in the order of the columns
  std::uint64_t count_ = 0;
};

/// frames/frame_000123.tal below a run folder.
std::filesystem::path frame_path(const std::filesystem::path& run_folder, std::uint64_t index);

}  // namespace talus
