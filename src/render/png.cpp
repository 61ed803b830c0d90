// PNG through libpng's simplified interface. Files are written under another name and renamed, so a
// picture with its final name is always whole: `talus render` counts on that when it resumes.
#include "render/image.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <png.h>
#include <system_error>

namespace talus {

Status write_png(const ScreenImage& image, const std::string& path) {
  if (image.width <= 0 || image.height <= 0)
    return request_error("cannot write {}: the picture has no pixels", path);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  const std::string part = path + ".part";
  if (png_image_write_to_file(&png, part.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
    const std::string why = png.message;
    std::remove(part.c_str());
    return work_error(
        "cannot write {}: {}; check that the folder exists, may be written to and has "
        "space left",
        path, why);
  }
  std::error_code code;
  std::filesystem::rename(part, path, code);
  if (code) return work_error("cannot rename {} to {}: {}", part, path, code.message());
  return {};
}

Result<ScreenImage> read_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    return work_error("cannot read {}: {}", path, png.message);
  png.format = PNG_FORMAT_RGB;
  ScreenImage image(static_cast<int>(png.width), static_cast<int>(png.height));
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0) {
    const std::string why = png.message;
    png_image_free(&png);
    return work_error("cannot read {}: {}", path, why);
  }
  return image;
}

}  // namespace talus
