// Sand in a tray that is tilted while it runs, in forty lines: no files, no window.
#include <cmath>
#include <cstdio>
#include <talus/run/simulation.h>
#include <talus/scene/read_scene.h>

int main() {
  const auto scene = talus::parse_scene(R"(
    [scene]
    frame_rate = 30
    [sph]
    spacing = 0.02
    [[fill]]
    shape = { type = "box", size = [0.4, 0.2, 0.1], position = [0, 0, 0.06] }
    [[body]]
    name = "tray"
    shape = { type = "box", size = [0.6, 0.4, 0.4], position = [0, 0, 0.2], inside_out = true })",
                                        "live_sand");
  if (!scene) return std::fprintf(stderr, "%s\n", scene.error().message.c_str()), 1;

  const talus::Executor executor;  // all cores
  auto created = talus::Simulation::create(*scene, executor);
  if (!created) return std::fprintf(stderr, "%s\n", created.error().message.c_str()), 1;
  talus::Simulation& sand = **created;

  while (sand.frame() < 30) {
    const double tilt = 0.6 * std::sin(2 * sand.time());  // a hand that rocks the tray, rad
    sand.set_gravity({9.81 * std::sin(tilt), 0, -9.81 * std::cos(tilt)});
    if (const auto step = sand.step(); !step)
      return std::fprintf(stderr, "%s\n", step.error().message.c_str()), 1;
    if (!sand.at_frame() || sand.frame() % 5 != 0) continue;
    const auto position = sand.share_field("position");
    const auto* at = reinterpret_cast<const talus::Vec3f*>(position->items.get());
    double centre = 0;
    for (std::size_t i = 0; i < position->count; ++i) centre += double{at[i].x};
    std::printf("%.3f s: %zu particles, centre at x = %+.4f m\n", sand.time(), position->count,
                centre / static_cast<double>(position->count));
  }
}
