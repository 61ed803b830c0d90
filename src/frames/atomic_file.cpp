#include "frames/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace talus {

namespace {

std::string_view advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "; free some space there, or choose another folder with -o";
    case EACCES:
    case EPERM:
    case EROFS: return "; choose a folder you may write to with -o, or change its permissions";
    case ENOENT: return "; check the path";
    default: return "";
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Makes a rename survive a power cut.
Status flush_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return file_error("open the folder", folder, errno);
  const int failed = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  // Some network file systems cannot flush a folder; the file itself has been flushed.
  if (failed != 0 && code != EINVAL && code != ENOTSUP)
    return file_error("flush the folder", folder, code);
  return {};
}

}  // namespace

Error file_error(std::string_view action, const std::filesystem::path& path, int code) {
  return work_error("cannot {} {}: {}{}", action, path.string(),
                    std::generic_category().message(code), advice(code));
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor < 0) return file_error("create", temporary, errno);
  return AtomicFile(path, std::move(temporary), descriptor);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(other.descriptor_),
      size_(other.size_) {
  other.descriptor_ = -1;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

Status AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Status AtomicFile::append(std::span<const std::byte> bytes) {
  Status status = write_at(size_, bytes);
  if (status.ok()) size_ += bytes.size();
  return status;
}

Status AtomicFile::rewrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  TALUS_CHECK(offset + bytes.size() <= size_, "offset={} bytes={} size={}", offset, bytes.size(),
              size_);
  return write_at(offset, bytes);
}

Status AtomicFile::commit() {
  TALUS_CHECK(descriptor_ >= 0, "{} committed twice", path_.string());
  if (::fsync(descriptor_) != 0) return file_error("flush", path_, errno);
  const int closed = ::close(descriptor_);
  const int close_code = errno;
  descriptor_ = -1;
  if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int code = closed != 0 ? close_code : errno;
    ::unlink(temporary_.c_str());
    return file_error("write", path_, code);
  }
  return flush_folder(folder_of(path_));
}

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  Status status = file->append(std::as_bytes(std::span(text)));
  return status.ok() ? file->commit() : status;
}

Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error("open", path, errno);
  std::string text;
  char chunk[65536];
  ssize_t got = 0;
  while ((got = ::read(descriptor, chunk, sizeof chunk)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || text.size() > limit) break;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  const int code = errno;
  ::close(descriptor);
  if (got < 0) return file_error("read", path, code);
  if (text.size() > limit) return work_error("{} is larger than {} bytes", path.string(), limit);
  return text;
}

}  // namespace talus
