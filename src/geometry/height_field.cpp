#include "geometry/height_field.h"

#include "geometry/png_image.h"

namespace talus {
namespace {

constexpr int largest_side = 4096;

/// Two sheets of vertices, terrain and base, joined around the rim.
Mesh make_block(const GreyImage& image, const Vec3d& size) {
  const int w = image.width, h = image.height;
  const double base = -0.1 * std::max(size.x, size.y);
  Mesh m;
  for (int sheet = 0; sheet < 2; ++sheet)
    for (int row = 0; row < h; ++row)
      for (int column = 0; column < w; ++column) {
        const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(w) +
                                  static_cast<std::size_t>(column);
        m.vertices.push_back(
            Vec3f(Vec3d{size.x * (static_cast<double>(column) / (w - 1) - 0.5),
                        size.y * (0.5 - static_cast<double>(row) / (h - 1)),
                        sheet == 0 ? size.z * image.pixels[pixel] / 65535.0 : base}));
      }
  const auto index = [&](int sheet, int row, int column) {
    return static_cast<std::uint32_t>((sheet * h + row) * w + column);
  };
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    m.triangles.push_back({a, b, c});
    m.triangles.push_back({a, c, d});
  };
  for (int row = 0; row + 1 < h; ++row)
    for (int column = 0; column + 1 < w; ++column) {
      quad(index(0, row + 1, column), index(0, row + 1, column + 1), index(0, row, column + 1),
           index(0, row, column));
      quad(index(1, row, column), index(1, row, column + 1), index(1, row + 1, column + 1),
           index(1, row + 1, column));
    }
  for (int column = 0; column + 1 < w; ++column) {
    quad(index(1, h - 1, column), index(1, h - 1, column + 1), index(0, h - 1, column + 1),
         index(0, h - 1, column));
    quad(index(1, 0, column + 1), index(1, 0, column), index(0, 0, column),
         index(0, 0, column + 1));
  }
  for (int row = 0; row + 1 < h; ++row) {
    quad(index(1, row, 0), index(1, row + 1, 0), index(0, row + 1, 0), index(0, row, 0));
    quad(index(1, row + 1, w - 1), index(1, row, w - 1), index(0, row, w - 1),
         index(0, row + 1, w - 1));
  }
  return m;
}

}  // namespace

Result<Mesh> height_field_mesh(const Shape& shape) {
  const Result<GreyImage> image = read_grey_png(shape.file);
  if (!image) return image.error();
  if (image->width < 2 || image->height < 2)
    return request_error("{}: a height field needs at least 2 x 2 pixels; it has {} x {}",
                         shape.file, image->width, image->height);
  if (image->width > largest_side || image->height > largest_side)
    return request_error(
        "{}: a height field may have at most {} x {} pixels; it has {} x {}: "
        "shrink the picture",
        shape.file, largest_side, largest_side, image->width, image->height);
  return make_block(*image, shape.size);
}

}  // namespace talus
