#include "lab/plot.h"

#include "frames/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

namespace talus::lab {

namespace {

constexpr double width = 720, height = 480;
constexpr double left = 86, right = 24, top = 44, bottom = 64;
constexpr std::array<std::array<double, 3>, 6> colours{{{0.12, 0.35, 0.60},
                                                        {0.80, 0.36, 0.12},
                                                        {0.20, 0.52, 0.28},
                                                        {0.55, 0.27, 0.55},
                                                        {0.62, 0.50, 0.12},
                                                        {0.35, 0.35, 0.38}}};

/// One axis: data to picture.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  double from = 0, to = 1;  ///< in the picture

  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
  double at(double v) const {
    const double a = log ? std::log10(low) : low, b = log ? std::log10(high) : high;
    return from + ((log ? std::log10(v) : v) - a) / (b - a) * (to - from);
  }
};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

double pleasant_step(double range) {
  const double raw = range / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= raw) return m * power;
  return 10 * power;
}

/// Covers what the curves show; whole powers of ten, or pleasant numbers. On logarithmic axes six
/// decades below the top are enough.
Axis make_axis(const Plot& plot, bool vertical) {
  Axis axis;
  axis.log = vertical ? plot.log_y : plot.log_x;
  Range range;
  for (const Curve& c : plot.curves)
    for (const double v : vertical ? c.y : c.x)
      if (axis.shows(v)) range.take(v);
  if (!(range.low <= range.high)) range = {axis.log ? 0.1 : 0.0, 1};
  if (axis.log) {
    axis.high = std::pow(10, std::ceil(std::log10(range.high) - 1e-9));
    axis.low = std::pow(10, std::floor(std::log10(std::max(range.low, 1e-6 * range.high)) + 1e-9));
    if (axis.low >= axis.high) axis.low = axis.high / 10;
  } else {
    if (range.low > 0 && range.low < 0.4 * range.high) range.low = 0;
    if (range.high - range.low < 1e-12 * std::max(1.0, std::abs(range.high))) range.high += 1;
    const double step = pleasant_step(range.high - range.low);
    axis.low = step * std::floor(range.low / step + 1e-9);
    axis.high = step * std::ceil(range.high / step - 1e-9);
  }
  axis.from = vertical ? height - bottom : left;
  axis.to = vertical ? top : width - right;
  return axis;
}

std::vector<double> ticks(const Axis& axis) {
  std::vector<double> out;
  if (axis.log) {
    for (double v = axis.low; v <= axis.high * 1.001; v *= 10) out.push_back(v);
  } else {
    const double step = pleasant_step(axis.high - axis.low);
    for (int k = 0; axis.low + k * step <= axis.high + 1e-9 * step; ++k)
      out.push_back(axis.low + k * step);
  }
  return out;
}

class Drawing {
 public:
  explicit Drawing(cairo_t* c) : c_(c) {
    cairo_select_font_face(c_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }

  void draw(const Plot& plot) {
    cairo_set_source_rgb(c_, 1, 1, 1);
    cairo_paint(c_);
    x_ = make_axis(plot, false);
    y_ = make_axis(plot, true);
    draw_axes();
    text(plot.title, width / 2, top - 18, 15, 0.5);
    text(plot.x_name, (left + width - right) / 2, height - 16, 13, 0.5);
    cairo_save(c_);
    cairo_translate(c_, 22, (top + height - bottom) / 2);
    cairo_rotate(c_, -std::numbers::pi / 2);
    text(plot.y_name, 0, 0, 13, 0.5);
    cairo_restore(c_);
    cairo_save(c_);
    cairo_rectangle(c_, left, top, width - left - right, height - top - bottom);
    cairo_clip(c_);
    for (std::size_t k = 0; k < plot.curves.size(); ++k) draw_curve(plot.curves[k], k);
    cairo_restore(c_);
    draw_legend(plot);
  }

 private:
  void grey(double g) { cairo_set_source_rgb(c_, g, g, g); }
  void colour(std::size_t k) {
    const auto& rgb = colours[k % colours.size()];
    cairo_set_source_rgb(c_, rgb[0], rgb[1], rgb[2]);
  }
  /// `share` of the text lies left of x.
  void text(const std::string& words, double x, double y, double size, double share) {
    cairo_set_font_size(c_, size);
    cairo_text_extents_t extents;
    cairo_text_extents(c_, words.c_str(), &extents);
    grey(0.1);
    cairo_move_to(c_, x - share * extents.x_advance, y);
    cairo_show_text(c_, words.c_str());
  }
  void line(double x0, double y0, double x1, double y1) {
    cairo_move_to(c_, x0, y0);
    cairo_line_to(c_, x1, y1);
    cairo_stroke(c_);
  }

  void draw_axes() {
    cairo_set_line_width(c_, 1);
    for (const double v : ticks(x_)) {
      grey(0.88);
      line(x_.at(v), top, x_.at(v), height - bottom);
      text(fmt::format("{:.4g}", v), x_.at(v), height - bottom + 18, 12, 0.5);
    }
    for (const double v : ticks(y_)) {
      grey(0.88);
      line(left, y_.at(v), width - right, y_.at(v));
      text(fmt::format("{:.4g}", v), left - 7, y_.at(v) + 4, 12, 1);
    }
    grey(0.25);
    cairo_rectangle(c_, left, top, width - left - right, height - top - bottom);
    cairo_stroke(c_);
  }

  void draw_mark(double x, double y) {
    cairo_arc(c_, x, y, 3, 0, 2 * std::numbers::pi);
    cairo_fill(c_);
  }

  void draw_curve(const Curve& curve, std::size_t number) {
    colour(number);
    cairo_set_line_width(c_, curve.kind == CurveKind::points ? 1 : 1.8);
    const double dash[] = {7, 4};
    cairo_set_dash(c_, dash, curve.kind == CurveKind::published ? 2 : 0, 0);
    bool begun = false;
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      if (!x_.shows(curve.x[k]) || !y_.shows(curve.y[k])) {
        begun = false;
        continue;
      }
      const double x = x_.at(curve.x[k]), y = y_.at(curve.y[k]);
      if (curve.kind == CurveKind::points) {
        if (k < curve.error.size()) draw_error(curve, k, x);
        draw_mark(x, y);
        continue;
      }
      begun ? cairo_line_to(c_, x, y) : cairo_move_to(c_, x, y);
      begun = true;
    }
    cairo_stroke(c_);
    cairo_set_dash(c_, nullptr, 0, 0);
  }

  void draw_error(const Curve& curve, std::size_t k, double x) {
    const double low = curve.y[k] - curve.error[k], high = curve.y[k] + curve.error[k];
    if (y_.shows(low) && y_.shows(high)) line(x, y_.at(low), x, y_.at(high));
  }

  void draw_legend(const Plot& plot) {
    double widest = 0;
    cairo_set_font_size(c_, 12);
    for (const Curve& c : plot.curves) {
      cairo_text_extents_t extents;
      cairo_text_extents(c_, c.name.c_str(), &extents);
      widest = std::max(widest, extents.x_advance);
    }
    const double rows = static_cast<double>(plot.curves.size());
    const double x = width - right - widest - 52, y = top + 10;
    cairo_set_source_rgba(c_, 1, 1, 1, 0.85);
    cairo_rectangle(c_, x - 6, y - 4, widest + 52, 18 * rows + 8);
    cairo_fill(c_);
    for (std::size_t k = 0; k < plot.curves.size(); ++k) {
      const double at = y + 18 * static_cast<double>(k) + 8;
      colour(k);
      if (plot.curves[k].kind == CurveKind::points) {
        draw_mark(x + 14, at);
      } else {
        const double dash[] = {7, 4};
        cairo_set_line_width(c_, 1.8);
        cairo_set_dash(c_, dash, plot.curves[k].kind == CurveKind::published ? 2 : 0, 0);
        line(x, at, x + 28, at);
        cairo_set_dash(c_, nullptr, 0, 0);
      }
      text(plot.curves[k].name, x + 36, at + 4, 12, 0);
    }
  }

  cairo_t* c_;
  Axis x_, y_;
};

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

void draw_on(cairo_surface_t* surface, double scale, const Plot& plot) {
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> c(cairo_create(surface), cairo_destroy);
  cairo_scale(c.get(), scale, scale);
  Drawing(c.get()).draw(plot);
}

/// Collects what Cairo writes.
cairo_status_t collect(void* to, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Status write_plot(const std::filesystem::path& base, const Plot& plot) {
  std::string svg, png;
  {
    const Surface surface(cairo_svg_surface_create_for_stream(collect, &svg, width, height),
                          cairo_surface_destroy);
    draw_on(surface.get(), 1, plot);
  }
  constexpr double zoom = 1.5;
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(zoom * width),
                                 static_cast<int>(zoom * height)),
      cairo_surface_destroy);
  draw_on(surface.get(), zoom, plot);
  if (cairo_surface_write_to_png_stream(surface.get(), collect, &png) != CAIRO_STATUS_SUCCESS)
    return work_error("the plot '{}' could not be drawn", plot.name);
  if (Status s = write_text_file(base.string() + ".svg", svg); !s) return s;
  return write_text_file(base.string() + ".png", png);
}

}  // namespace talus::lab
