#include "frames/block_codec.h"
#include "frames/checksum.h"
#include "frames/container.h"
#include "frames/json.h"
#include "frames/prelude.h"

namespace talus {

namespace {
// Blocks compressed before they are written: enough for all cores, little memory.
constexpr std::size_t batch = 64;
}  // namespace

ContainerWriter::ContainerWriter(AtomicFile file, std::string kind)
    : file_(std::move(file)), kind_(std::move(kind)) {}
ContainerWriter::ContainerWriter(ContainerWriter&&) noexcept = default;
ContainerWriter::~ContainerWriter() = default;

Result<ContainerWriter> ContainerWriter::create(const std::filesystem::path& path,
                                                std::string kind) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  // A zero prelude: even a file that lost its rename cannot be taken for a complete one.
  const std::byte zeros[sizeof(Prelude)] = {};
  if (Status status = file->append(zeros); !status.ok()) return status.error();
  return ContainerWriter(std::move(*file), std::move(kind));
}

Status ContainerWriter::add_column(ColumnInfo info, std::span<const std::byte> items,
                                   const Executor& executor) {
  TALUS_CHECK(info.item_bytes > 0 && info.item_bytes <= max_item_bytes &&
                  items.size() % info.item_bytes == 0,
              "column '{}' item_bytes={} bytes={}", info.name, info.item_bytes, items.size());
  info.count = items.size() / info.item_bytes;
  Column column{std::move(info), {}};
  const std::size_t stride = items_per_block(column.info.item_bytes) * column.info.item_bytes;
  const std::size_t blocks = (items.size() + stride - 1) / stride;
  std::vector<std::vector<std::byte>> packed(std::min(batch, blocks));
  for (std::size_t first = 0; first < blocks; first += batch) {
    const std::size_t n = std::min(batch, blocks - first);
    executor.run_chunks(n, [&](std::size_t b) {
      const std::size_t begin = (first + b) * stride;
      packed[b] = encode_block(items.subspan(begin, std::min(stride, items.size() - begin)),
                               column.info.item_bytes, column.info.delta);
    });
    for (std::size_t b = 0; b < n; ++b) {
      if (packed[b].empty())
        return work_error("not enough memory to compress column '{}'", column.info.name);
      column.blocks.push_back({file_.size(), packed[b].size()});
      if (Status status = file_.append(packed[b]); !status.ok()) return status;
    }
  }
  columns_.push_back(std::move(column));
  return {};
}

Status ContainerWriter::add_packed_column(ColumnInfo info, std::uint64_t count,
                                          std::span<const std::vector<std::byte>> blocks) {
  const std::uint64_t room = items_per_block(info.item_bytes);
  TALUS_CHECK((count + room - 1) / room == blocks.size(), "column '{}' count={} blocks={}",
              info.name, count, blocks.size());
  info.count = count;
  Column column{std::move(info), {}};
  for (const std::vector<std::byte>& block : blocks) {
    if (block.empty())
      return work_error("not enough memory to compress column '{}'", column.info.name);
    column.blocks.push_back({file_.size(), block.size()});
    if (Status status = file_.append(block); !status.ok()) return status;
  }
  columns_.push_back(std::move(column));
  return {};
}

Status ContainerWriter::finish(std::string_view metadata) {
  using json_read::json;
  json header;
  header["kind"] = kind_;
  header["metadata"] = json::parse(metadata.begin(), metadata.end(), nullptr, false);
  TALUS_CHECK(header["metadata"].is_object(), "metadata is no JSON object: {}", metadata);
  json& list = header["columns"] = json::array();
  for (const Column& column : columns_) {
    json blocks = json::array();
    for (const ColumnBlock& block : column.blocks)
      blocks.push_back(json::array({block.offset, block.bytes}));
    const ColumnInfo& info = column.info;
    list.push_back({{"name", info.name},
                    {"unit", info.unit},
                    {"meaning", info.meaning},
                    {"type", info.type},
                    {"dtype", info.dtype},
                    {"item_bytes", info.item_bytes},
                    {"components", info.components},
                    {"delta", info.delta},
                    {"count", info.count},
                    {"blocks", std::move(blocks)}});
  }
  const std::string text = json_read::dump(header);
  const auto bytes = std::as_bytes(std::span(text));
  Prelude prelude;
  prelude.version = container_version;
  prelude.header_crc = crc32(bytes);
  prelude.header_offset = file_.size();
  prelude.header_bytes = bytes.size();
  if (Status status = file_.append(bytes); !status.ok()) return status;
  if (Status status = file_.rewrite(0, std::as_bytes(std::span(&prelude, 1))); !status.ok())
    return status;
  return file_.commit();
}

}  // namespace talus
