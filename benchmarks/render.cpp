// Pictures: the tree over many grains, rays through it, and the time of a preview.

#include "cases.h"
#include "core/random.h"
#include "render/picture.h"

#include <cmath>
#include <memory>

namespace talus {

namespace {

/// A cone of grains on a floor, as a pour leaves it, filled by a jittered lattice.
struct Pile {
  std::vector<PictureSphere> spheres;
  std::vector<PaintedGrain> paint;
  PictureScene scene;

  Pile(std::size_t wanted, const Executor& executor) {
    constexpr float radius = 0.75f, height = 0.42f;
    const float spacing =
        std::cbrt(3.14159265f * radius * radius * height / 3 / static_cast<float>(wanted));
    for (float z = 0.5f * spacing; z < height; z += spacing)
      for (float y = -radius; y < radius; y += spacing)
        for (float x = -radius; x < radius; x += spacing)
          if (std::hypot(x, y) < radius * (1 - z / height))
            spheres.push_back({{x, y, z}, 0.55f * spacing});
    paint.resize(spheres.size());
    executor.for_each(spheres.size(), [&](std::size_t i) {
      const auto u = random_floats(1, i, Purpose::jitter);
      spheres[i].centre += Vec3f{u[0] - 0.5f, u[1] - 0.5f, 0.5f * (u[2] - 0.5f)} * spacing;
      paint[i] = talus::paint(Vec3f{0.53f, 0.36f, 0.19f} * (0.75f + 0.5f * u[3]));
    });
    scene.spheres = {{spheres, paint, {}, {}, GrainLook{}}};
    scene.planes = {PicturePlane{}};
    scene.size = 1.5;
    scene.light = sun_and_sky({-0.85f, -0.4f, 0.42f}, {0, 0, 1}, 1, 1);
  }
};

PictureCamera pile_camera() {
  PictureCamera camera;
  camera.target = {0, 0, 0.12};
  camera.position = {0, -2.6, 1.0};
  return camera;
}

BenchRun render_run(std::shared_ptr<const Pile> pile, const RenderOptions& options,
                    const Executor& executor) {
  return [pile, options, &executor] {
    RenderReport report;
    const double start = seconds_now();
    const auto image = render(pile->scene, pile_camera(), options, executor, &report);
    BenchSample sample;
    sample.seconds = seconds_now() - start;
    TALUS_CHECK(image.ok(), "{}", image.error().message);
    sample.particles = pile->spheres.size();
    sample.phases = {{"tree", report.build_seconds, 1}, {"rays", report.trace_seconds, 1}};
    const double count = static_cast<double>(pile->spheres.size());
    sample.bytes_per_particle = sizeof(PictureSphere) + sizeof(PaintedGrain) +
                                static_cast<double>(report.tracer_bytes) / count;
    const double rays = static_cast<double>(report.rays);
    sample.figures = {
        {"ray_rate", "M/s", rays / report.trace_seconds * 1e-6},
        {"rays_per_sample", "1",
         rays / (static_cast<double>(options.width) * options.height * options.samples)},
        {"tree_rate", "M/s", count / report.build_seconds * 1e-6},
        {"tree_memory", "GiB", static_cast<double>(report.tracer_bytes) / (1u << 30)}};
    return sample;
  };
}

Result<BenchRun> prepare_preview(const BenchContext& context) {
  RenderOptions options;
  options.width = context.quick ? 160 : 640;
  options.height = context.quick ? 90 : 360;
  options.samples = 6;
  options.bounces = 2;
  options.denoise = true;
  return render_run(std::make_shared<Pile>(context.quick ? 20'000 : 1'000'000, context.executor),
                    options, context.executor);
}

Result<BenchRun> prepare_film_frame(const BenchContext& context) {
  RenderOptions options;
  options.width = context.quick ? 192 : 1920;
  options.height = context.quick ? 108 : 1080;
  options.samples = context.quick ? 2 : 16;
  return render_run(std::make_shared<Pile>(context.quick ? 50'000 : 20'000'000, context.executor),
                    options, context.executor);
}

}  // namespace

void register_render_cases(BenchRegistry& registry) {
  registry.add({"render/preview", "a preview picture of a million grains", prepare_preview});
  registry.add(
      {"render/film_frame", "1920 x 1080 at 16 samples, 20 million grains", prepare_film_frame});
}

}  // namespace talus
