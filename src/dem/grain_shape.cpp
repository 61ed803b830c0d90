#include "dem/grain_shape.h"

#include "geometry/mass_properties.h"
#include "scene/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

namespace talus {

namespace {

/// Moments of a column's covered part: lengths of the union of intervals, and their z-moments.
struct Column {
  double m0 = 0, m1 = 0, m2 = 0;
};

Column covered(std::vector<std::array<double, 2>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  Column c;
  double reached = -1e300;
  for (const auto& [from, to] : intervals) {
    const double a = std::max(from, reached);
    if (to <= a) continue;
    c.m0 += to - a;
    c.m1 += (to * to - a * a) / 2;
    c.m2 += (to * to * to - a * a * a) / 3;
    reached = to;
  }
  return c;
}

int count_pieces(std::span<const Ball> balls) {
  std::vector<std::size_t> group(balls.size());
  std::iota(group.begin(), group.end(), 0u);
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double reach = balls[i].radius + balls[j].radius;
      if (norm(balls[i].centre - balls[j].centre) > 1.0001 * reach || group[i] == group[j])
        continue;
      const std::size_t old = group[i], kept = group[j];
      std::replace(group.begin(), group.end(), old, kept);
    }
  std::sort(group.begin(), group.end());
  return static_cast<int>(std::unique(group.begin(), group.end()) - group.begin());
}

/// The arrangements of Fig. 3 of 2009: at the corners of a tetrahedron, octahedron and cube, the
/// last one also with a ball in the middle; two balls make corn.
std::vector<Ball> named_balls(const std::string& name) {
  std::vector<Ball> balls;
  const auto corner = [&](double x, double y, double z, double r) {
    balls.push_back({{x, y, z}, r});
  };
  if (name == "sphere") corner(0, 0, 0, 1);
  if (name == "clump2") {
    corner(-0.6, 0, 0, 1);
    corner(0.6, 0, 0, 1);
  }
  if (name == "clump4")
    for (const auto& [x, y, z] : {std::array{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}})
      corner(x, y, z, 1.5);
  if (name == "clump6")
    for (const auto& [x, y, z] :
         {std::array{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}})
      corner(x, y, z, 0.8);
  if (name == "clump8" || name == "clump9")
    for (const double x : {-1.0, 1.0})
      for (const double y : {-1.0, 1.0})
        for (const double z : {-1.0, 1.0}) corner(x, y, z, name == "clump8" ? 1.15 : 0.9);
  if (name == "clump9") corner(0, 0, 0, 1.0);
  return balls;
}

Result<std::vector<Ball>> read_balls(const std::string& file) {
  std::ifstream in(file);
  if (!in) return request_error("{}: cannot be opened", file);
  std::vector<Ball> balls;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    Ball b;
    std::string rest;
    if (!(words >> b.centre.x >> b.centre.y >> b.centre.z >> b.radius) || words >> rest)
      return request_error("{}:{}: expected 'x y z radius', found '{}'", file, number, line);
    if (!(b.radius > 0) || !std::isfinite(b.radius) || !is_finite(Vec3f(b.centre)))
      return request_error("{}:{}: the radius {} must be positive and all numbers finite", file,
                           number, b.radius);
    if (balls.size() == 255) return request_error("{}: a grain has at most 255 spheres", file);
    balls.push_back(b);
  }
  return balls;
}

}  // namespace

UnionProperties union_of_balls(std::span<const Ball> balls, int columns) {
  Vec3d lower{1e300, 1e300, 1e300}, upper = -lower;
  for (const Ball& b : balls) {
    const Vec3d r{b.radius, b.radius, b.radius};
    lower = min(lower, b.centre - r);
    upper = max(upper, b.centre + r);
  }
  const double hx = (upper.x - lower.x) / columns, hy = (upper.y - lower.y) / columns;
  double m = 0;
  Vec3d first{};
  Sym3d second{};  // of positions: xx, yy, ..., yz
  std::vector<std::array<double, 2>> intervals;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < columns; ++j) {
      const double x = lower.x + (i + 0.5) * hx, y = lower.y + (j + 0.5) * hy;
      intervals.clear();
      for (const Ball& b : balls) {
        const double dx = x - b.centre.x, dy = y - b.centre.y;
        const double h2 = b.radius * b.radius - dx * dx - dy * dy;
        if (h2 <= 0) continue;
        const double h = std::sqrt(h2);
        intervals.push_back({b.centre.z - h, b.centre.z + h});
      }
      const Column c = covered(intervals);
      m += c.m0;
      first += Vec3d{x * c.m0, y * c.m0, c.m1};
      second = second + Sym3d{x * x * c.m0, y * y * c.m0, c.m2, x * y * c.m0, x * c.m1, y * c.m1};
    }
  }
  const double area = hx * hy;
  UnionProperties out;
  out.volume = m * area;
  out.centre = first / m;
  const Vec3d c = out.centre;
  second = second * area;
  const auto about = [&](double value, double a, double b) { return value - out.volume * a * b; };
  const double xx = about(second.xx, c.x, c.x), yy = about(second.yy, c.y, c.y),
               zz = about(second.zz, c.z, c.z);
  out.inertia = {yy + zz,
                 xx + zz,
                 xx + yy,
                 -about(second.xy, c.x, c.y),
                 -about(second.xz, c.x, c.z),
                 -about(second.yz, c.y, c.z)};
  return out;
}

Result<GrainShape> make_grain_shape(std::string name, std::vector<Ball> balls) {
  if (balls.empty()) return request_error("grain shape '{}' has no spheres", name);
  for (const Ball& b : balls)
    if (!(b.radius > 0))
      return request_error("grain shape '{}': radius {} is not positive", name, b.radius);
  GrainShape shape;
  shape.name = std::move(name);
  shape.pieces = count_pieces(balls);
  const UnionProperties whole = union_of_balls(balls);
  Vec3d moments;
  Quatd axes;
  diagonalise(whole.inertia, moments, axes);
  shape.isotropic = moments.z - moments.x < 1e-4 * moments.y;
  if (shape.isotropic) axes = {};  // any axes will do, and these leave the arrangement as it was
  double bound = 0;
  for (const Ball& b : balls) bound = std::max(bound, norm(b.centre - whole.centre) + b.radius);
  const double s = 0.5 / bound;
  for (const Ball& b : balls)
    shape.balls.push_back({rotate(conjugate(axes), b.centre - whole.centre) * s, b.radius * s});
  shape.volume = whole.volume * s * s * s;
  shape.inertia = moments * (s * s / whole.volume);
  const double mean = (shape.inertia.x + shape.inertia.y + shape.inertia.z) / 3;
  if (shape.isotropic) shape.inertia = {mean, mean, mean};
  shape.least = 1;
  for (const Ball& b : shape.balls) {
    shape.arm = std::max(shape.arm, norm(b.centre));
    shape.least = std::min(shape.least, b.radius);
    for (const Ball& c : shape.balls) shape.edge = std::max(shape.edge, norm(b.centre - c.centre));
  }
  if (shape.balls.size() == 1) {
    shape.balls[0].centre = {};
    shape.arm = 0;
    shape.inertia = Vec3d{0.1, 0.1, 0.1};  // (2/5) r^2
    shape.volume = 0.52359877559829887;
  }
  return shape;
}

Result<GrainShape> load_grain_shape(const std::string& name_or_file, int spheres) {
  std::vector<Ball> balls = named_balls(name_or_file);
  if (balls.empty()) {
    const auto dot_at = name_or_file.rfind('.');
    const std::string suffix = dot_at == std::string::npos ? "" : name_or_file.substr(dot_at);
    const bool text = suffix == ".txt" || suffix == ".csv" || suffix == ".clump";
    auto read = text ? read_balls(name_or_file) : fit_balls(name_or_file, spheres);
    if (!read) return read.error();
    balls = std::move(*read);
  }
  return make_grain_shape(name_or_file, std::move(balls));
}

Result<std::vector<GrainShape>> grain_shapes(const Scene& scene) {
  std::vector<GrainShape> shapes;
  for (const Material& m : scene.materials) {
    auto shape = load_grain_shape(m.grain_shape, m.grain_spheres);
    if (!shape)
      return Error{shape.error().kind,
                   fmt::format("material '{}': {}", m.name, shape.error().message)};
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

}  // namespace talus
