#include "sampling/point_file.h"

#include <fstream>

namespace talus {

Status write_points(const std::string& path, std::span<const Vec3f> points,
                    std::span<const Vec3f> normals) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << points.size()
       << "\nproperty float x\nproperty float y\nproperty float z\n"
          "property float nx\nproperty float ny\nproperty float nz\nend_header\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3f row[2] = {points[i], normals[i]};
    file.write(reinterpret_cast<const char*>(row), sizeof row);
  }
  file.close();
  if (!file) return work_error("{}: cannot be written (disk full, or no right to?)", path);
  return {};
}

}  // namespace talus
