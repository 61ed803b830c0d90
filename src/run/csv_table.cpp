#include "run/csv_table.h"

#include "frames/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace talus {

Result<CsvTable> CsvTable::open(const std::filesystem::path& path, std::string_view header,
                                std::uint64_t keep_bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return file_error("create", path, errno);
  CsvTable table(path, descriptor, keep_bytes);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return file_error("look at", path, errno);
  if (static_cast<std::uint64_t>(info.st_size) < keep_bytes)
    return work_error(
        "{} has {} bytes, but the checkpoint was taken when it had {}; it has been "
        "cut or replaced",
        path.string(), info.st_size, keep_bytes);
  if (::ftruncate(descriptor, static_cast<off_t>(keep_bytes)) != 0)
    return file_error("cut", path, errno);
  if (keep_bytes == 0)
    if (Status status = table.append(header); !status.ok()) return status.error();
  return table;
}

CsvTable::CsvTable(CsvTable&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(other.descriptor_), bytes_(other.bytes_) {
  other.descriptor_ = -1;
}

CsvTable::~CsvTable() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status CsvTable::append(std::string_view row) {
  std::string line(row);
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::pwrite(descriptor_, line.data() + done, line.size() - done,
                                     static_cast<off_t>(bytes_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", path_, errno);
    done += static_cast<std::size_t>(written);
  }
  bytes_ += line.size();
  return {};
}

Status CsvTable::flush() {
  if (::fsync(descriptor_) != 0) return file_error("flush", path_, errno);
  return {};
}

}  // namespace talus
