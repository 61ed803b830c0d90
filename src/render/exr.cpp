// EXR through OpenEXR, whose headers (and exceptions) stay in this file.
#include "render/image.h"

// OpenEXR's headers are not clean under our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <ImfRgba.h>
#include <ImfRgbaFile.h>
#pragma GCC diagnostic pop

#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace talus {

Status write_exr(const Image& image, const std::string& path) {
  if (image.width <= 0 || image.height <= 0)
    return request_error("cannot write {}: the picture has no pixels", path);
  std::vector<Imf::Rgba> pixels;
  pixels.reserve(image.pixels.size());
  for (const Vec3f& p : image.pixels) pixels.emplace_back(p.x, p.y, p.z, 1.0f);
  const std::string part = path + ".part";
  try {
    {
      Imf::RgbaOutputFile file(part.c_str(), image.width, image.height, Imf::WRITE_RGB);
      file.setFrameBuffer(pixels.data(), 1, static_cast<std::size_t>(image.width));
      file.writePixels(image.height);
    }
    std::filesystem::rename(part, path);
  } catch (const std::exception& e) {
    std::remove(part.c_str());
    return work_error(
        "cannot write {}: {}; check that the folder exists, may be written to and has "
        "space left",
        path, e.what());
  }
  return {};
}

Result<Image> read_exr(const std::string& path) {
  try {
    Imf::RgbaInputFile file(path.c_str());
    const auto window = file.dataWindow();
    Image image(window.max.x - window.min.x + 1, window.max.y - window.min.y + 1);
    std::vector<Imf::Rgba> pixels(image.pixels.size());
    file.setFrameBuffer(pixels.data() - window.min.x - std::ptrdiff_t(window.min.y) * image.width,
                        1, static_cast<std::size_t>(image.width));
    file.readPixels(window.min.y, window.max.y);
    for (std::size_t i = 0; i < pixels.size(); ++i)
      image.pixels[i] = {pixels[i].r, pixels[i].g, pixels[i].b};
    return image;
  } catch (const std::exception& e) {
    return work_error("cannot read {}: {}", path, e.what());
  }
}

}  // namespace talus
