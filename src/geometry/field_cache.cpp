#include "geometry/field_cache.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <unistd.h>

namespace talus {
namespace {

constexpr std::uint64_t format_version = 2;  // a new meaning of the bytes is a new version
constexpr char magic[8] = {'T', 'A', 'L', 'U', 'S', 'S', 'D', 'F'};

/// Two 64-bit multiply-and-fold lanes over 8-byte words. Not for secrets.
class Hasher {
 public:
  void add(const void* data, std::size_t bytes) {
    const char* p = static_cast<const char*>(data);
    for (; bytes >= 8; p += 8, bytes -= 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      mix(word);
    }
    std::uint64_t rest = bytes;
    std::memcpy(&rest, p, bytes);
    mix(rest ^ (static_cast<std::uint64_t>(bytes) << 56));
  }
  template <class T>
  void add(const T& value) {
    add(&value, sizeof value);
  }
  std::uint64_t low() const { return finish(a_); }
  std::uint64_t high() const { return finish(b_); }

 private:
  static std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  static std::uint64_t finish(std::uint64_t x) { return fold(x ^ 0x9E3779B97F4A7C15ull, x | 1); }
  void mix(std::uint64_t word) {
    a_ = fold(a_ ^ word, 0xD6E8FEB86659FD93ull) + word;
    b_ = fold(b_ + word, 0xA0761D6478BD642Full) ^ (word << 1);
  }
  std::uint64_t a_ = 0x243F6A8885A308D3ull, b_ = 0x13198A2E03707344ull;
};

struct Header {
  char magic[8];
  std::uint64_t version, key[2];
  double voxel, band, coarse_step;
  Vec3d origin, coarse_origin;
  Vec3i blocks, coarse_size;
  std::uint64_t table, values, coarse, checksum;
};

std::uint64_t checksum(const DistanceBlocks& b) {
  Hasher hash;
  hash.add(b.table.data(), b.table.size() * sizeof(std::int32_t));
  hash.add(b.values.data(), b.values.size() * sizeof(float));
  hash.add(b.coarse.data(), b.coarse.size() * sizeof(float));
  return hash.low();
}

template <class T>
void write_array(std::ofstream& file, const std::vector<T>& v) {
  file.write(reinterpret_cast<const char*>(v.data()),
             static_cast<std::streamsize>(v.size() * sizeof(T)));
}

template <class T>
void read_array(std::ifstream& file, std::vector<T>& v, std::uint64_t count) {
  v.resize(count);
  file.read(reinterpret_cast<char*>(v.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

/// Every index in the table must lead to a block: queries do not check again.
bool consistent(const DistanceBlocks& b) {
  for (std::int32_t i : b.table)
    if (i >= static_cast<std::int32_t>(b.block_count())) return false;
  return true;
}

std::uint64_t volume(const Vec3i& v) {
  if (v.x <= 0 || v.y <= 0 || v.z <= 0) return 0;
  return static_cast<std::uint64_t>(v.x) * static_cast<std::uint64_t>(v.y) *
         static_cast<std::uint64_t>(v.z);
}

}  // namespace

FieldCache::FieldCache(const std::string& folder, const Mesh& mesh, double voxel, double band) {
  if (folder.empty()) return;
  Hasher hash;
  hash.add(format_version);
  hash.add(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3f));
  hash.add(mesh.triangles.data(), mesh.triangles.size() * sizeof(Mesh::Triangle));
  hash.add(voxel);
  hash.add(band);
  key_[0] = hash.low();
  key_[1] = hash.high();
  path_ = fmt::format("{}/fields/{:016x}{:016x}.sdf", folder, key_[1], key_[0]);
}

std::optional<DistanceBlocks> FieldCache::read() const {
  if (path_.empty()) return {};
  std::ifstream file(path_, std::ios::binary);
  Header h{};
  file.read(reinterpret_cast<char*>(&h), sizeof h);
  if (!file || std::memcmp(h.magic, magic, sizeof magic) != 0 || h.version != format_version ||
      h.key[0] != key_[0] || h.key[1] != key_[1])
    return {};
  std::error_code code;
  const std::uint64_t bytes = std::filesystem::file_size(path_, code);
  if (code || h.table != volume(h.blocks) || h.coarse != volume(h.coarse_size) ||
      h.values % DistanceBlocks::block_values != 0 || h.values > bytes ||
      bytes != sizeof h + 4 * (h.table + h.values + h.coarse))
    return {};
  DistanceBlocks b{h.voxel, h.band,        h.origin,        h.blocks,      {},
                   {},      h.coarse_step, h.coarse_origin, h.coarse_size, {}};
  read_array(file, b.table, h.table);
  read_array(file, b.values, h.values);
  read_array(file, b.coarse, h.coarse);
  if (!file || checksum(b) != h.checksum || !consistent(b)) return {};
  return b;
}

void FieldCache::write(const DistanceBlocks& b) const {
  if (path_.empty()) return;
  std::error_code code;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), code);
  Header h{};
  std::memcpy(h.magic, magic, sizeof magic);
  h.version = format_version;
  h.key[0] = key_[0];
  h.key[1] = key_[1];
  h.voxel = b.voxel;
  h.band = b.band;
  h.coarse_step = b.coarse_step;
  h.origin = b.origin;
  h.coarse_origin = b.coarse_origin;
  h.blocks = b.blocks;
  h.coarse_size = b.coarse_size;
  h.table = b.table.size();
  h.values = b.values.size();
  h.coarse = b.coarse.size();
  h.checksum = checksum(b);
  const std::string part = fmt::format("{}.{}.part", path_, ::getpid());
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&h), sizeof h);
  write_array(file, b.table);
  write_array(file, b.values);
  write_array(file, b.coarse);
  file.close();
  if (file) std::filesystem::rename(part, path_, code);
  if (!file || code) std::filesystem::remove(part, code);
}

}  // namespace talus
