// Pictures whose light is known: Lambert's law, shadows, the white furnace, motion blur.
#include "render/camera_rays.h"
#include "render/picture.h"
#include "render/simple_scenes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

constexpr float pi = std::numbers::pi_v<float>;

Image must(Result<Image> image) {
  EXPECT_TRUE(image.ok()) << image.error().message;
  return std::move(image).value();
}

TEST(Light, SphereFollowsLambertsLaw) {
  test::OneSphere one;
  one.paint[0] = paint({0.5f, 0.5f, 0.5f});
  one.refresh();
  Lighting& light = one.scene.light;
  light.sun_direction = normalized(Vec3f{0.5f, -1, 0.4f});
  light.sun_irradiance = {3, 2, 1};
  light.sun_radius = 0;
  const Executor executor(2);
  RenderOptions options = test::small_picture(64);
  options.bounces = 0;
  const Image image = must(render(one.scene, test::front_camera(), options, executor));
  const float albedo = srgb_decode(static_cast<float>(one.paint[0].red) / 255);
  int compared = 0;
  for (int y = 0; y < 64; y += 3) {
    for (int x = 0; x < 64; x += 3) {
      const float px = (static_cast<float>(x) + 0.5f - 32) / 64 * 2.5f;
      const float pz = (32 - static_cast<float>(y) - 0.5f) / 64 * 2.5f;
      const float rest = 1 - px * px - pz * pz;
      if (rest < 0.15f) continue;  // the rim turns within a pixel
      const Vec3f normal{px, -std::sqrt(rest), pz};
      const float cosine = std::max(0.0f, dot(normal, light.sun_direction));
      EXPECT_NEAR(image.at(x, y).x, albedo / pi * 3 * cosine, 0.03f) << x << ' ' << y;
      EXPECT_NEAR(image.at(x, y).z * 3, image.at(x, y).x, 1e-5f);
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

/// The floor from above, a sphere floating over it, the sun at the zenith.
struct FloorWithSphere {
  test::OneSphere one;
  PictureCamera camera;
  RenderOptions options = test::small_picture(256);

  FloorWithSphere(float height, float sun_radius) {
    one.spheres[0] = {{0, 0, height}, 0.5f};
    one.refresh();
    PicturePlane floor;
    floor.colour = {0.6f, 0.6f, 0.6f};
    floor.texture = 0;
    one.scene.planes = {floor};
    one.scene.size = 100;
    one.scene.light.sun_direction = {0, 0, 1};
    one.scene.light.sun_irradiance = {pi, pi, pi};
    one.scene.light.sun_radius = sun_radius;
    // From below the sphere's height, so that it does not hide its own shadow: a slanted look.
    camera.position = {0, -20, 0.9 * height};
    camera.target = {0, 0, 0};
    camera.focal_length_mm = 36 * 20 / 3.0;
    options.bounces = 0;
    options.width = 128;
    options.height = 32;
  }
  /// Floor radiance at (x, 0, 0).
  float at(const Image& image, float x) const {
    const auto p = CameraRays(camera, options.width, options.height).project({x, 0, 0});
    return image.at(static_cast<int>(p[0]), static_cast<int>(p[1])).x;
  }
};

TEST(Light, ShadowHasTheSizeOfTheSphere) {
  const FloorWithSphere f(4, 0);
  const Executor executor(2);
  const Image image = must(render(f.one.scene, f.camera, f.options, executor));
  // Rough floor (Oren-Nayar) seen at a slant: compare with the lit value instead of albedo.
  const float lit = f.at(image, 0.9f);
  EXPECT_NEAR(lit, 0.6f, 0.12f);
  for (const float x : {-0.44f, -0.2f, 0.0f, 0.2f, 0.44f}) EXPECT_EQ(f.at(image, x), 0.0f) << x;
  for (const float x : {-0.9f, -0.56f, 0.56f, 0.7f}) EXPECT_NEAR(f.at(image, x), lit, 0.02f) << x;
}

TEST(Light, PenumbraIsAsWideAsTheSunAndHalfLitAtTheEdge) {
  // Centre of the sphere 4 m above the floor: the penumbra reaches 4 tan(0.05) = 0.2 m both ways.
  const FloorWithSphere f(4, 0.05f);
  const Executor executor(2);
  const Image image = must(render(f.one.scene, f.camera, f.options, executor));
  const float lit = f.at(image, 1.2f);
  EXPECT_EQ(f.at(image, 0.25f), 0.0f);
  EXPECT_NEAR(f.at(image, 0.76f), lit, 0.02f);
  // The edge of a disc that covers a smaller disc: a little less than half is covered.
  const float edge = f.at(image, 0.5f) / lit;
  EXPECT_GT(edge, 0.40f);
  EXPECT_LT(edge, 0.62f);
  EXPECT_GT(f.at(image, 0.6f), f.at(image, 0.5f));
  EXPECT_LT(f.at(image, 0.4f), f.at(image, 0.5f));
}

double mean_of(const Image& image) {
  double sum = 0;
  for (const Vec3f& p : image.pixels) sum += p.x + p.y + p.z;
  return sum / (3.0 * static_cast<double>(image.pixels.size()));
}

TEST(Furnace, WhiteSphereInWhiteLightIsInvisible) {
  test::OneSphere one;
  one.scene.light.uniform = {1, 1, 1};
  const Executor executor(2);
  const Image image =
      must(render(one.scene, test::front_camera(), test::small_picture(4), executor));
  for (const Vec3f& p : image.pixels) ASSERT_NEAR(p.x, 1.0f, 1e-4f);
}

TEST(Furnace, RoughWhiteSphereNeitherGainsNorLosesLight) {
  test::OneSphere one;
  one.scene.light.uniform = {1, 1, 1};
  const Executor executor(2);
  for (const float roughness : {0.3f, 1.0f}) {
    one.scene.spheres[0].look.roughness = roughness;
    const Image image =
        must(render(one.scene, test::front_camera(), test::small_picture(64), executor));
    EXPECT_NEAR(mean_of(image), 1.0, 0.004) << roughness;
  }
}

TEST(Furnace, ManyBouncesBetweenWhiteThingsKeepAllLight) {
  test::OneSphere one;
  one.spheres = {{{0, 0, 0.3f}, 0.3f}, {{0.5f, 0, 0.3f}, 0.3f}, {{-0.5f, 0.1f, 0.3f}, 0.3f}};
  one.paint.assign(3, PaintedGrain{255, 255, 255, 0});
  one.refresh();
  PicturePlane floor;
  floor.colour = {1, 1, 1};
  floor.texture = 0;
  one.scene.planes = {floor};
  one.scene.light.uniform = {0.5f, 0.5f, 0.5f};
  PictureCamera camera = test::front_camera();
  camera.position = {0, -20, 8};
  RenderOptions options = test::small_picture(64);
  options.bounces = 200;
  const Executor executor(2);
  EXPECT_NEAR(mean_of(must(render(one.scene, camera, options, executor))), 0.5, 0.01);
}

TEST(Furnace, GlossyBumpyWetGrainsNeverCreateLight) {
  test::OneSphere one;
  one.scene.light.uniform = {1, 1, 1};
  const Executor executor(2);
  for (const int wetness : {0, 255}) {
    one.paint[0].wetness = static_cast<std::uint8_t>(wetness);
    one.refresh();
    one.scene.spheres[0].look = GrainLook{};
    one.scene.spheres[0].look.bumps = 0;
    const Image image =
        must(render(one.scene, test::front_camera(), test::small_picture(64), executor));
    EXPECT_LT(mean_of(image), 1.005) << wetness;
    EXPECT_GT(mean_of(image), wetness == 0 ? 0.93 : 0.6) << wetness;
  }
}

TEST(Light, WetGrainsAreDarker) {
  test::OneSphere one;
  one.scene.light.uniform = {1, 1, 1};
  const Executor executor(2);
  double before = 2;
  for (const float wetness : {0.0f, 0.5f, 1.0f}) {
    one.paint[0] = paint({0.5f, 0.36f, 0.2f}, wetness);
    one.refresh();
    const Image image =
        must(render(one.scene, test::front_camera(), test::small_picture(16), executor));
    EXPECT_LT(image.at(32, 32).x, before - 0.05);
    before = image.at(32, 32).x;
  }
}

TEST(MotionBlur, SpansTheWayOfTheSphere) {
  test::OneSphere one;
  one.spheres[0].radius = 0.2f;
  one.velocity = {{10, 0, 0}};
  one.refresh();
  one.scene.light.uniform = {};
  one.scene.light.sun_direction = {0, -1, 0};
  one.scene.light.sun_irradiance = {pi, pi, pi};
  RenderOptions options = test::small_picture(512);
  options.bounces = 0;
  options.shutter = 0.1;  // 1 m of way: the centre goes from -0.5 to 0.5
  const Executor executor(2);
  const Image image = must(render(one.scene, test::front_camera(), options, executor));
  const auto column = [](float x) { return static_cast<int>(32 + x / 2.5f * 64); };
  const auto seen = [&](float x) { return image.at(column(x), 31).x; };
  EXPECT_GT(seen(-0.64f), 0.0f);
  EXPECT_GT(seen(0.64f), 0.0f);
  EXPECT_EQ(seen(-0.80f), 0.0f);
  EXPECT_EQ(seen(0.80f), 0.0f);
  // In the middle the sphere is there for 0.4 m of 1 m; its mean brightness along a chord is pi/4.
  EXPECT_NEAR(seen(0), 0.4f * pi / 4, 0.03f);
  // At the end of the way, half as long.
  EXPECT_NEAR(seen(0.5f), 0.2f * pi / 4, 0.03f);

  options.shutter = 0;
  const Image still = must(render(one.scene, test::front_camera(), options, executor));
  EXPECT_EQ(still.at(column(0.4f), 31).x, 0.0f);
  EXPECT_NEAR(still.at(32, 31).x, 1.0f, 0.03f);
}

TEST(MotionBlur, MovesMeshesToo) {
  const std::vector<Vec3f> vertices{
      {-0.2f, 0, -0.2f}, {0.2f, 0, -0.2f}, {0.2f, 0, 0.2f}, {-0.2f, 0, 0.2f}};
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 1, 2}, {0, 2, 3}};
  PictureScene scene;
  PictureMesh mesh;
  mesh.vertices = vertices;
  mesh.triangles = triangles;
  mesh.velocity = {10, 0, 0};
  mesh.surface = MeshSurface::matte;
  mesh.colour = {1, 1, 1};
  scene.meshes = {mesh};
  scene.light.sun_direction = {0, -1, 0};
  scene.light.sun_irradiance = {pi, pi, pi};
  RenderOptions options = test::small_picture(512);
  options.bounces = 0;
  options.shutter = 0.1;
  const Executor executor(2);
  const Image image = must(render(scene, test::front_camera(), options, executor));
  const auto seen = [&](float x) { return image.at(static_cast<int>(32 + x / 2.5f * 64), 31).x; };
  EXPECT_EQ(seen(-0.80f), 0.0f);
  EXPECT_EQ(seen(0.80f), 0.0f);
  EXPECT_NEAR(seen(0.5f) / seen(0), 0.5f, 0.07f);
}

TEST(DepthOfField, BlursWhatIsOutOfFocusOnly) {
  test::OneSphere one;
  one.spheres[0].radius = 0.5f;
  one.scene.light.uniform = {};
  one.scene.light.sun_direction = {0, -1, 0};
  one.scene.light.sun_irradiance = {pi, pi, pi};
  PictureCamera camera = test::front_camera();
  camera.f_stop = 0.36;  // an opening of 0.8 m
  RenderOptions options = test::small_picture(128);
  options.bounces = 0;
  const Executor executor(2);
  const auto outside = [&](double focus) {
    camera.focus_distance = focus;
    return must(render(one.scene, camera, options, executor)).at(32 + 18, 31).x;
  };
  EXPECT_EQ(outside(20), 0.0f);
  EXPECT_GT(outside(10), 0.01f);
}

TEST(OneSided, NearWallsOfAContainerVanish) {
  // Two squares that both face +y: the camera at -y sees the back of both, from +y the front.
  const std::vector<Vec3f> vertices{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 2, 1}, {0, 3, 2}};
  PictureScene scene;
  PictureMesh mesh;
  mesh.vertices = vertices;
  mesh.triangles = triangles;
  mesh.one_sided = true;
  mesh.colour = {0, 0, 0};
  mesh.surface = MeshSurface::matte;
  scene.meshes = {mesh};
  scene.light.uniform = {1, 1, 1};
  const Executor executor(2);
  PictureCamera camera = test::front_camera();
  const RenderOptions options = test::small_picture(1);
  EXPECT_EQ(must(render(scene, camera, options, executor)).at(32, 32).x, 1.0f);
  camera.position = {0, 20, 0};
  EXPECT_EQ(must(render(scene, camera, options, executor)).at(32, 32).x, 0.0f);
}

TEST(Glass, LetsMostLightThroughAndCastsNoShadow) {
  const std::vector<Vec3f> vertices{{-2, -5, -2}, {2, -5, -2}, {2, -5, 2}, {-2, -5, 2}};
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 1, 2}, {0, 2, 3}};
  test::OneSphere one;
  one.scene.light.sun_direction = {0, -1, 0};
  one.scene.light.sun_irradiance = {pi, pi, pi};
  PictureMesh pane;
  pane.vertices = vertices;
  pane.triangles = triangles;
  pane.surface = MeshSurface::glass;
  one.scene.meshes = {pane};
  const Executor executor(2);
  const Image image =
      must(render(one.scene, test::front_camera(), test::small_picture(256), executor));
  EXPECT_GT(image.at(32, 32).x, 0.85f);
  EXPECT_LT(image.at(32, 32).x, 0.99f);
}

}  // namespace
}  // namespace talus
