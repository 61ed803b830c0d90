// Pictures drawn without a display, compared pixel by pixel with what rays would hit.
#include "scene/defaults.h"
#include "view/gl_context.h"
#include "view/scene_painter.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace talus::view {
namespace {

constexpr int width = 320, height = 240;
constexpr double aspect = static_cast<double>(width) / height;

class Painter : public ::testing::Test {
 protected:
  void SetUp() override {
    auto context = HeadlessContext::create();
    ASSERT_TRUE(context.ok()) << context.error().message;
    context_ = std::move(*context);
    auto painter = ScenePainter::create();
    ASSERT_TRUE(painter.ok()) << painter.error().message;
    painter_ = std::move(*painter);
    look_.occlusion = false;
    look_.floor = false;
  }
  void TearDown() override {
    painter_.reset();
    context_.reset();
  }

  static OrbitCamera camera_at(const Vec3d& position, const Vec3d& target, double lens = 40) {
    PictureCamera camera;
    camera.position = position;
    camera.target = target;
    camera.focal_length_mm = lens;
    return OrbitCamera(camera);
  }

  /// A frame with these spheres, in a scene with these bodies.
  static std::shared_ptr<ViewFrame> frame_of(std::vector<Sprite> sprites,
                                             std::vector<SceneBody> bodies = {}) {
    Scene scene = default_scene();
    scene.solver = SolverKind::sph;
    scene.bodies = std::move(bodies);
    scene.render.sun_direction = {0.3, -0.2, 0.9};
    auto world = make_scene_source(scene);
    EXPECT_TRUE(world.ok());
    auto frame = std::make_shared<ViewFrame>();
    frame->world = std::make_shared<RunSource>(std::move(*world));
    for (const Sprite& s : sprites) {
      frame->bounds.include(Vec3d(s.centre) - Vec3d{1, 1, 1} * double{s.radius});
      frame->bounds.include(Vec3d(s.centre) + Vec3d{1, 1, 1} * double{s.radius});
      frame->largest = std::max(frame->largest, s.radius);
    }
    frame->particles = sprites.size();
    frame->sprites = std::move(sprites);
    return frame;
  }

  ScreenImage picture(const std::shared_ptr<ViewFrame>& frame, const OrbitCamera& camera) {
    painter_->set_frame(frame);
    painter_->draw(camera, width, height, look_);
    return painter_->read();
  }

  static SceneBody floor() {
    SceneBody body = default_body();
    body.name = "floor";
    body.shape = default_shape();
    body.shape.kind = ShapeKind::plane;
    body.colour = {0.4f, 0.4f, 0.4f};
    return body;
  }

  std::unique_ptr<HeadlessContext> context_;
  std::unique_ptr<ScenePainter> painter_;
  Look look_;
};

constexpr PaintedGrain red{230, 20, 20, 0}, blue{20, 20, 230, 0}, grey{150, 150, 150, 0};

bool is_red(const Rgb8& c) { return c.r > 1.6 * c.b && c.r > 1.6 * c.g; }
double light(const Rgb8& c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; }

/// Nearest distance along a ray to a sphere; negative when it misses.
double hit(const ViewRay& ray, const Sprite& s) {
  const Vec3d d = Vec3d(s.centre) - ray.origin;
  const double b = dot(d, ray.direction);
  const double rest = b * b - squared_norm(d) + double{s.radius} * double{s.radius};
  return rest < 0 ? -1 : b - std::sqrt(rest);
}

ViewRay pixel_ray(const OrbitCamera& camera, int x, int y) {
  return camera.ray((x + 0.5) / width, (y + 0.5) / height, aspect);
}

/// Pixels where the picture and the rays disagree about what is `inside`.
int disagreements(const ScreenImage& image, const OrbitCamera& camera,
                  const std::function<bool(const ViewRay&)>& expected,
                  const std::function<bool(const Rgb8&)>& shown) {
  int count = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      count += expected(pixel_ray(camera, x, y)) != shown(image.at(x, y));
  return count;
}

TEST_F(Painter, ASphereCoversThePixelsWhoseRaysHitIt) {
  const Sprite ball{{0, 0, 0}, 0.5f, red, 0};
  // On the axis, then far off it with a wide lens, where its picture is an ellipse.
  for (const Vec3d& target : {Vec3d{0, 0, 0}, Vec3d{0, 1.3, -0.7}}) {
    const OrbitCamera camera = camera_at({3, 0, 1}, target, 18);
    const ScreenImage image = picture(frame_of({ball}), camera);
    const int wrong = disagreements(
        image, camera, [&](const ViewRay& r) { return hit(r, ball) > 0; }, is_red);
    EXPECT_LT(wrong, 25) << "of some 3000 pixels; only at the rim may rounding decide";
  }
}

TEST_F(Painter, SpheresLargerThanTheLargestPointAreWhole) {
  const Sprite ball{{0, 0, 0}, 0.5f, red, 0};
  look_.supersampling = 4;  // 900 pixels across; drivers often stop at 255
  const OrbitCamera camera = camera_at({1.45, 0, 0}, {});
  const ScreenImage image = picture(frame_of({ball}), camera);
  const int wrong = disagreements(
      image, camera, [&](const ViewRay& r) { return hit(r, ball) > 0; }, is_red);
  EXPECT_LT(wrong, 120);
}

TEST_F(Painter, OverlappingSpheresMeetWhereTheyShould) {
  // The blue one's centre is nearer, but each pixel shows the nearer surface.
  const Sprite left{{0, -0.25f, 0}, 0.5f, red, 0}, right{{0.1f, 0.25f, 0}, 0.5f, blue, 0};
  const OrbitCamera camera = camera_at({4, 0, 0.3}, {});
  for (const bool swapped : {false, true}) {
    const ScreenImage image =
        picture(frame_of(swapped ? std::vector{right, left} : std::vector{left, right}), camera);
    const int wrong = disagreements(
        image, camera,
        [&](const ViewRay& r) {
          const double a = hit(r, left), b = hit(r, right);
          return a > 0 && (b < 0 || a < b);
        },
        is_red);
    EXPECT_LT(wrong, 40) << "the order in memory does not matter";
  }
}

TEST_F(Painter, TheSunSideIsBrighter) {
  const Sprite ball{{0, 0, 0}, 0.5f, grey, 0};
  const OrbitCamera camera = camera_at({0, -3, 0.2}, {});
  const ScreenImage image = picture(frame_of({ball}), camera);
  EXPECT_GT(light(image.at(width / 2, height / 2 - 25)),
            1.5 * light(image.at(width / 2, height / 2 + 30)));
}

TEST_F(Painter, TheFloorIsDarkerInTheShadow) {
  look_.floor = true;
  const Sprite ball{{0, 0, 1.0f}, 0.3f, grey, 0};
  const OrbitCamera camera = camera_at({0.5, -5, 3}, {0, 0, 0});
  const auto frame = frame_of({ball}, {floor()});
  const Vec3d sun = normalized(Vec3d{0.3, -0.2, 0.9});
  const Vec3d dark = Vec3d(ball.centre) - sun * (1.0 / sun.z), lit = dark + Vec3d{1.2, 0, 0};
  const auto at = [&](const ScreenImage& image, const Vec3d& p) {
    const Vec3d d = p - camera.position();
    const double z = dot(d, camera.forward());
    const double x = dot(d, camera.right()) / z / camera.half_width();
    const double y = dot(d, camera.up()) / z / camera.half_height(aspect);
    return light(
        image.at(static_cast<int>((x + 1) / 2 * width), static_cast<int>((1 - y) / 2 * height)));
  };
  const ScreenImage with = picture(frame, camera);
  EXPECT_LT(at(with, dark), 0.7 * at(with, lit));
  EXPECT_GT(at(with, lit + Vec3d{2, 3, 0}), 0.85 * at(with, lit)) << "no shadow far away";
  look_.shadows = false;
  const ScreenImage without = picture(frame, camera);
  EXPECT_GT(at(without, dark), 0.95 * at(without, lit));
}

TEST_F(Painter, GrainsShadowEachOtherAndBodies) {
  SceneBody table = default_body();
  table.name = "table";
  table.shape = default_shape();
  table.shape.size = {2, 2, 0.2};
  table.shape.pose.position = {0, 0, -0.1};
  table.colour = {0.5f, 0.5f, 0.5f};
  // The sun stands over the table's middle: the upper ball shadows the lower one and the table.
  const Vec3f sun = normalized(Vec3f{0.3f, -0.2f, 0.9f});
  const Sprite lower{{0, 0, 0.15f}, 0.15f, grey, 0};
  const Sprite upper{lower.centre + sun * 0.6f, 0.2f, grey, 0};
  const OrbitCamera camera = camera_at({0.3, -4, 2}, {0, 0, 0.2});
  const auto brightness_of_lower = [&](std::vector<Sprite> sprites) {
    const ScreenImage image = picture(frame_of(std::move(sprites), {table}), camera);
    double sum = 0;
    int count = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const ViewRay ray = pixel_ray(camera, x, y);
        if (hit(ray, lower) < 0 || hit(ray, upper) > 0) continue;
        sum += light(image.at(x, y));
        ++count;
      }
    EXPECT_GT(count, 50);
    return sum / count;
  };
  EXPECT_LT(brightness_of_lower({lower, upper}), 0.75 * brightness_of_lower({lower}));
}

TEST_F(Painter, TheClippingPlaneCutsAndClosesTheCut) {
  const Sprite ball{{0, 0, 0}, 0.5f, red, 0};
  look_.clip.on = true;
  look_.clip.normal = {0, -1, 0};  // keeps y < 0.1
  look_.clip.offset = -0.1;
  const OrbitCamera from_side = camera_at({4, 0.5, 0.4}, {});
  const ScreenImage side = picture(frame_of({ball}), from_side);
  const int wrong = disagreements(
      side, from_side,
      [&](const ViewRay& r) {
        const double t = hit(r, ball);
        if (t < 0) return false;
        if ((r.origin + r.direction * t).y < 0.1) return true;
        const double plane = (0.1 - r.origin.y) / r.direction.y;  // through the cut face
        return norm(r.origin + r.direction * plane) < 0.5 && plane > t;
      },
      is_red);
  EXPECT_LT(wrong, 30);
  // Seen from the front the face is flat: one normal, one brightness.
  const ScreenImage front = picture(frame_of({ball}), camera_at({0, 4, 0}, {}));
  const double middle = light(front.at(width / 2, height / 2));
  EXPECT_TRUE(is_red(front.at(width / 2, height / 2)));
  EXPECT_NEAR(light(front.at(width / 2 + 20, height / 2 + 15)), middle, 0.06 * middle);
}

TEST_F(Painter, ValuesBecomeColoursOfTheMap) {
  const Sprite low{{0, -0.6f, 0}, 0.5f, grey, 2}, high{{0, 0.6f, 0}, 0.5f, grey, 6};
  auto frame = frame_of({low, high});
  frame->field = frame->title = "speed";
  frame->range = {2, 6};
  const OrbitCamera camera = camera_at({4, 0, 0}, {});
  const auto colours = [&] {
    const ScreenImage image = picture(frame, camera);
    const auto middle = [&](const Sprite& ball) {
      std::vector<int> across;
      for (int x = 0; x < width; ++x)
        if (hit(pixel_ray(camera, x, height / 2), ball) > 0) across.push_back(x);
      return image.at(across.at(across.size() / 2), height / 2);
    };
    return std::pair(middle(low), middle(high));
  };
  const auto [violet, yellow] = colours();
  EXPECT_GT(violet.b, violet.g);
  EXPECT_GT(yellow.g, yellow.b);
  look_.range = ValueRange{-100, 2};  // both at the upper end, without another upload
  const auto [first, second] = colours();
  EXPECT_NEAR(light(first), light(second), 12);
}

TEST_F(Painter, PointsUnderPixelsAreOnTheSurface) {
  const Sprite ball{{0.2f, 0.1f, 0.4f}, 0.5f, red, 0};
  const OrbitCamera camera = camera_at({3, -1, 1}, {});
  picture(frame_of({ball}), camera);
  int tested = 0;
  for (int y = 20; y < height; y += 31)
    for (int x = 20; x < width; x += 29) {
      const ViewRay ray = pixel_ray(camera, x, y);
      const double t = hit(ray, ball);
      const auto point = painter_->point_at(x, y);
      ASSERT_EQ(point.has_value(), t > 0);
      if (!point) continue;
      EXPECT_LT(norm(*point - (ray.origin + ray.direction * t)), 2e-3);
      ++tested;
    }
  EXPECT_GT(tested, 3);
  EXPECT_FALSE(painter_->point_at(-1, 5).has_value());
  EXPECT_FALSE(painter_->point_at(5, height).has_value());
}

TEST_F(Painter, NothingToShowIsAPlainPicture) {
  painter_->draw(OrbitCamera(), width, height, look_);
  const ScreenImage image = painter_->read();
  EXPECT_EQ(image.at(0, 0), image.at(width - 1, height - 1));
  look_.supersampling = 3;
  const auto empty = frame_of({}, {floor()});
  look_.floor = true;
  EXPECT_EQ(picture(empty, camera_at({3, 0, 1}, {})).width, width);
}

}  // namespace
}  // namespace talus::view
