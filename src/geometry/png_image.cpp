// The only file of this folder that sees libpng.

#include "geometry/png_image.h"

#include <csetjmp>
#include <cstdio>
#include <memory>
#include <png.h>

namespace talus {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Reader {
  char message[128] = "";
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Reader::fail, &Reader::ignore);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;

  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }

  [[noreturn]] static void fail(png_structp png, png_const_charp text) {
    auto* self = static_cast<Reader*>(png_get_error_ptr(png));
    std::snprintf(self->message, sizeof self->message, "%s", text);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
};

// libpng leaves its functions by longjmp: nothing with a destructor may live in these two.

/// Grey, 16 bits, no alpha. No gamma either: a height is no colour.
bool read_header(Reader& reader, std::FILE* file) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_init_io(reader.png, file);
  png_read_info(reader.png, reader.info);
  png_set_expand_16(reader.png);
  png_set_strip_alpha(reader.png);
  if ((png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_COLOR) != 0)
    png_set_rgb_to_gray(reader.png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT,
                        PNG_RGB_TO_GRAY_DEFAULT);
  png_set_swap(reader.png);  // to little-endian
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  return true;
}

}  // namespace

Result<GreyImage> read_grey_png(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return request_error("{}: no such picture", path);
  Reader reader;
  if (reader.png == nullptr || reader.info == nullptr) return work_error("{}: no memory", path);
  if (!read_header(reader, file.get()))
    return request_error("{}: not a PNG picture: {}", path, reader.message);
  const std::size_t width = png_get_image_width(reader.png, reader.info);
  const std::size_t height = png_get_image_height(reader.png, reader.info);
  if (png_get_rowbytes(reader.png, reader.info) != 2 * width)
    return request_error("{}: neither a grey nor a colour picture", path);
  GreyImage grey{static_cast<int>(width), static_cast<int>(height), {}};
  grey.pixels.resize(width * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t row = 0; row < height; ++row)
    rows[row] = reinterpret_cast<png_bytep>(grey.pixels.data() + width * row);
  if (!read_rows(reader, rows.data()))
    return request_error("{}: the picture is damaged: {}", path, reader.message);
  return grey;
}

Status write_png(const std::string& path, int width, int height,
                 const std::vector<std::uint8_t>& rgb) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) == 0)
    return work_error("{}: the picture cannot be written: {}", path, image.message);
  return {};
}

}  // namespace talus
