#include "frames/block_codec.h"
#include "frames/checksum.h"
#include "frames/container.h"
#include "frames/json.h"
#include "frames/prelude.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace talus {

class ByteSource {
 public:
  explicit ByteSource(std::span<const std::byte> memory) : memory_(memory), size_(memory.size()) {}
  ByteSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  ~ByteSource() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  std::uint64_t size() const { return size_; }

  /// 0, or an errno value. The range lies within size().
  int read(std::uint64_t offset, std::span<std::byte> out) const {
    if (descriptor_ < 0) {
      std::memcpy(out.data(), memory_.data() + offset, out.size());
      return 0;
    }
    while (!out.empty()) {
      const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno;
      if (got == 0) return EIO;  // the file shrank while it was open
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return 0;
  }

 private:
  std::span<const std::byte> memory_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

namespace {

constexpr std::uint64_t max_header_bytes = std::uint64_t{256} << 20;

/// A column without its blocks, or empty when a member is missing or senseless.
std::optional<ColumnInfo> parse_column(const json_read::json& value) {
  namespace jr = json_read;
  const auto name = jr::text(value, "name"), unit = jr::text(value, "unit"),
             meaning = jr::text(value, "meaning"), type = jr::text(value, "type"),
             dtype = jr::text(value, "dtype");
  const auto item = jr::u64(value, "item_bytes"), components = jr::u64(value, "components"),
             count = jr::u64(value, "count");
  const auto delta = jr::boolean(value, "delta");
  if (!name || !unit || !meaning || !type || !dtype || !item || !components || !count || !delta)
    return {};
  if (*item == 0 || *item > max_item_bytes || *components == 0 || *components > *item ||
      *item % *components != 0)
    return {};
  if (*delta && (*components != 1 || (*item != 1 && *item != 4 && *item != 8))) return {};
  return ColumnInfo{*name,
                    *unit,
                    *meaning,
                    *type,
                    *dtype,
                    static_cast<std::uint32_t>(*item),
                    static_cast<std::uint32_t>(*components),
                    *delta,
                    *count};
}

/// Blocks must follow each other without a gap from `next` on, so that no byte goes unchecked.
std::optional<std::vector<ColumnBlock>> parse_blocks(const json_read::json& value,
                                                     const ColumnInfo& info, std::uint64_t& next,
                                                     std::uint64_t end) {
  const json_read::json* list = json_read::array(value, "blocks");
  if (!list) return {};
  const std::uint64_t per_block = items_per_block(info.item_bytes);
  const std::uint64_t expected = info.count / per_block + (info.count % per_block != 0);
  if (list->size() != expected) return {};
  std::vector<ColumnBlock> blocks;
  blocks.reserve(list->size());
  for (const json_read::json& pair : *list) {
    if (!pair.is_array() || pair.size() != 2) return {};
    const auto offset = json_read::u64(pair[0]), bytes = json_read::u64(pair[1]);
    if (!offset || !bytes || *offset != next || *bytes == 0 || *bytes > end - next) return {};
    blocks.push_back({*offset, *bytes});
    next += *bytes;
  }
  return blocks;
}

}  // namespace

ContainerReader::ContainerReader(std::unique_ptr<ByteSource> source, std::string path)
    : source_(std::move(source)), path_(std::move(path)) {}
ContainerReader::ContainerReader(ContainerReader&&) noexcept = default;
ContainerReader::~ContainerReader() = default;

Error ContainerReader::damaged(std::string_view what) const {
  return work_error("{} is damaged: {}", path_, what);
}

Result<ContainerReader> ContainerReader::open(const std::filesystem::path& path,
                                              std::string_view kind) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error("open", path, errno);
  struct stat info {};
  const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  auto source = std::make_unique<ByteSource>(
      descriptor, regular ? static_cast<std::uint64_t>(info.st_size) : 0);
  if (!regular) return work_error("{} is not a file", path.string());
  return open_source(std::move(source), path.string(), kind);
}

Result<ContainerReader> ContainerReader::open_memory(std::span<const std::byte> bytes,
                                                     std::string_view kind) {
  return open_source(std::make_unique<ByteSource>(bytes), "memory", kind);
}

Result<ContainerReader> ContainerReader::open_source(std::unique_ptr<ByteSource> source,
                                                     std::string path, std::string_view kind) {
  ContainerReader reader(std::move(source), std::move(path));
  const std::uint64_t size = reader.source_->size();
  Prelude prelude;
  if (size < sizeof prelude)
    return reader.damaged(fmt::format("it has only {} bytes, cut short", size));
  if (int code = reader.source_->read(0, std::as_writable_bytes(std::span(&prelude, 1))))
    return file_error("read", reader.path_, code);
  if (std::memcmp(prelude.magic, Prelude{}.magic, sizeof prelude.magic) != 0)
    return work_error("{} is not a Talus {} file: its first bytes are not 'TALUSDAT'", reader.path_,
                      kind);
  if (prelude.version > container_version)
    return work_error(
        "{} has format version {}; this program reads up to {}. Update Talus to read it",
        reader.path_, prelude.version, container_version);
  if (prelude.version == 0) return reader.damaged("it has format version 0");
  if (prelude.header_offset < sizeof prelude || prelude.header_bytes > max_header_bytes ||
      prelude.header_offset > size || prelude.header_bytes != size - prelude.header_offset)
    return reader.damaged(
        fmt::format("its header should end at byte {} but the file has {} bytes, cut short or "
                    "overwritten",
                    prelude.header_offset + prelude.header_bytes, size));
  std::string header(prelude.header_bytes, '\0');
  const auto bytes = std::as_writable_bytes(std::span(header));
  if (int code = reader.source_->read(prelude.header_offset, bytes))
    return file_error("read", reader.path_, code);
  if (crc32(bytes) != prelude.header_crc)
    return reader.damaged("the checksum of its header is wrong");
  if (Status status = reader.parse_header(header, kind); !status.ok()) return status.error();
  return reader;
}

Status ContainerReader::parse_header(std::string_view text, std::string_view kind) {
  const auto header = json_read::parse_object(text);
  if (!header) return damaged("its header is not JSON");
  const auto stored_kind = json_read::text(*header, "kind");
  if (!stored_kind) return damaged("its header has no 'kind'");
  if (*stored_kind != kind) return work_error("{} is a {}, not a {}", path_, *stored_kind, kind);
  const json_read::json* metadata = json_read::member(*header, "metadata");
  const json_read::json* list = json_read::array(*header, "columns");
  if (!metadata || !metadata->is_object() || !list)
    return damaged("its header lacks 'metadata' or 'columns'");
  metadata_ = json_read::dump(*metadata);
  std::uint64_t next = sizeof(Prelude);
  const std::uint64_t end = source_->size() - text.size();
  for (const json_read::json& value : *list) {
    auto info = parse_column(value);
    if (!info) return damaged(fmt::format("column {} of its header is misshapen", columns_.size()));
    if (find(info->name) >= 0)
      return damaged(fmt::format("column '{}' is there twice", info->name));
    auto blocks = parse_blocks(value, *info, next, end);
    if (!blocks)
      return damaged(fmt::format("the blocks of column '{}' do not fit its size", info->name));
    columns_.push_back({std::move(*info), std::move(*blocks)});
  }
  if (next != end) return damaged("bytes lie between its last block and its header");
  return {};
}

int ContainerReader::find(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].info.name == name) return static_cast<int>(i);
  return -1;
}

std::uint64_t ContainerReader::column_bytes(std::size_t index) const {
  return columns_[index].info.count * columns_[index].info.item_bytes;
}

std::uint64_t ContainerReader::compressed_bytes(std::size_t index) const {
  std::uint64_t total = 0;
  for (const ColumnBlock& block : columns_[index].blocks) total += block.bytes;
  return total;
}

Status ContainerReader::read(std::size_t index, std::span<std::byte> out,
                             const Executor& executor) const {
  const Column& column = columns_[index];
  TALUS_CHECK(out.size() == column_bytes(index), "out={} column={}", out.size(),
              column_bytes(index));
  const std::size_t stride = items_per_block(column.info.item_bytes) * column.info.item_bytes;
  std::vector<std::string> wrong(column.blocks.size());
  executor.run_chunks(column.blocks.size(), [&](std::size_t b) {
    const ColumnBlock& block = column.blocks[b];
    std::vector<std::byte> packed(block.bytes);
    if (int code = source_->read(block.offset, packed)) {
      wrong[b] = fmt::format("cannot be read ({})", std::generic_category().message(code));
      return;
    }
    const std::size_t begin = b * stride;
    wrong[b] = decode_block(packed, column.info.item_bytes, column.info.delta,
                            out.subspan(begin, std::min(stride, out.size() - begin)));
  });
  for (std::size_t b = 0; b < wrong.size(); ++b)
    if (!wrong[b].empty())
      return damaged(fmt::format("block {} of column '{}' at byte {}: {}", b, column.info.name,
                                 column.blocks[b].offset, wrong[b]));
  return {};
}

}  // namespace talus
