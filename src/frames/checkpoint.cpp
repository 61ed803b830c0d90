#include "frames/checkpoint.h"

#include "frames/block_codec.h"
#include "frames/container.h"

namespace talus {

namespace {

ColumnInfo column_of(const std::string& name, const State::Entry& entry) {
  ColumnInfo column;
  column.name = name;
  column.unit = "1";
  column.type = "bytes";
  column.dtype = "|u1";
  column.item_bytes = std::max(entry.item_bytes, 1u);
  column.components = column.item_bytes;
  return column;
}

Result<State> read_entries(Result<ContainerReader> reader, const Executor& executor) {
  if (!reader) return reader.error();
  State state;
  try {
    for (std::size_t c = 0; c < reader->column_count(); ++c) {
      State::Entry& entry = state.entries()[reader->column(c).name];
      entry.item_bytes = reader->column(c).item_bytes;
      entry.data.resize(reader->column_bytes(c));
      if (Status status = reader->read(c, entry.data, executor); !status.ok())
        return status.error();
    }
  } catch (const std::exception&) {
    return work_error("not enough memory to read {}", reader->path());
  }
  return state;
}

}  // namespace

Status write_checkpoint(const std::filesystem::path& path, const State& state,
                        const Executor& executor) {
  auto writer = ContainerWriter::create(path, "checkpoint");
  if (!writer) return writer.error();
  for (const auto& [name, entry] : state.entries()) {
    TALUS_CHECK(entry.item_bytes <= max_item_bytes, "state '{}' has items of {} bytes", name,
                entry.item_bytes);
    if (Status status = writer->add_column(column_of(name, entry), entry.data, executor);
        !status.ok())
      return status;
  }
  return writer->finish("{}");
}

Result<State> read_checkpoint(const std::filesystem::path& path, const Executor& executor) {
  return read_entries(ContainerReader::open(path, "checkpoint"), executor);
}

Result<State> read_checkpoint_memory(std::span<const std::byte> bytes, const Executor& executor) {
  return read_entries(ContainerReader::open_memory(bytes, "checkpoint"), executor);
}

}  // namespace talus
