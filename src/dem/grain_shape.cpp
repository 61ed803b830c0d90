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

// Of the sphere around a grain: the least radius that its spheres may have.
constexpr double least_part = 1e-4;

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

/// Numbers the groups of balls that touch each other, from 0 on.
std::vector<std::size_t> groups_of(std::span<const Ball> balls) {
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
  std::vector<std::size_t> known = group;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (std::size_t& g : group)
    g = static_cast<std::size_t>(std::lower_bound(known.begin(), known.end(), g) - known.begin());
  return group;
}

/// The union of balls that hang together. Columns are at most a 25th of the largest radius wide,
/// as long as that takes no more than 2000 of them across.
UnionProperties connected_union(std::span<const Ball> balls, int columns) {
  Vec3d lower{1e300, 1e300, 1e300}, upper = -lower;
  double largest = 0;
  for (const Ball& b : balls) {
    const Vec3d r{b.radius, b.radius, b.radius};
    lower = min(lower, b.centre - r);
    upper = max(upper, b.centre + r);
    largest = std::max(largest, b.radius);
  }
  const double extent = std::max(upper.x - lower.x, upper.y - lower.y);
  columns = std::max(columns, static_cast<int>(std::min(2000.0, 25 * extent / largest)));
  const double hx = (upper.x - lower.x) / columns, hy = (upper.y - lower.y) / columns;
  double m = 0;
  Vec3d first{};
  Sym3d second{};  // of positions: xx, yy, ..., yz
  std::vector<std::array<double, 2>> intervals;
  std::vector<Ball> near;  // to a row of columns
  for (int i = 0; i < columns; ++i) {
    const double x = lower.x + (i + 0.5) * hx;
    near.clear();
    for (const Ball& b : balls)
      if (std::abs(x - b.centre.x) < b.radius) near.push_back(b);
    for (int j = 0; j < columns; ++j) {
      const double y = lower.y + (j + 0.5) * hy;
      intervals.clear();
      for (const Ball& b : near) {
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
    std::replace(line.begin(), line.end(), ',', ' ');
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
  const std::vector<std::size_t> group = groups_of(balls);
  const std::size_t pieces = balls.empty() ? 0 : 1 + *std::max_element(group.begin(), group.end());
  // Each for itself: a grid over pieces that are far apart would miss them.
  std::vector<UnionProperties> parts;
  std::vector<Ball> piece;
  for (std::size_t g = 0; g < pieces; ++g) {
    piece.clear();
    for (std::size_t i = 0; i < balls.size(); ++i)
      if (group[i] == g) piece.push_back(balls[i]);
    parts.push_back(connected_union(piece, columns));
  }
  if (parts.size() == 1) return parts[0];
  UnionProperties out;
  for (const UnionProperties& p : parts) {
    out.volume += p.volume;
    out.centre += p.centre * p.volume;
  }
  out.centre = out.centre / out.volume;
  for (const UnionProperties& p : parts) {  // parallel axes
    const Vec3d d = p.centre - out.centre;
    const double d2 = dot(d, d);
    const Sym3d moved{d2 - d.x * d.x, d2 - d.y * d.y, d2 - d.z * d.z,
                      -d.x * d.y,     -d.x * d.z,     -d.y * d.z};
    out.inertia = out.inertia + p.inertia + moved * p.volume;
  }
  return out;
}

Result<GrainShape> make_grain_shape(std::string name, std::vector<Ball> balls) {
  if (balls.empty()) return request_error("grain shape '{}' has no spheres", name);
  for (const Ball& b : balls)
    if (!(b.radius > 0))
      return request_error("grain shape '{}': radius {} is not positive", name, b.radius);
  GrainShape shape;
  shape.name = std::move(name);
  const std::vector<std::size_t> group = groups_of(balls);
  shape.pieces = 1 + static_cast<int>(*std::max_element(group.begin(), group.end()));
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
    if (b.radius * s < least_part)
      return request_error(
          "grain shape '{}': a sphere of radius {} in a grain {} across: steps would have to be as "
          "short as that sphere is small. Leave it out, or bring the spheres nearer together",
          shape.name, b.radius, 2 * bound);
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
                   fmt::format("{}material '{}': {}", scene.file.empty() ? "" : scene.file + ": ",
                               m.name, shape.error().message)};
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

}  // namespace talus
