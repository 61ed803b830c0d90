// The force network: which rods stand for which contacts, and what they look like.
#include "render/force_chains.h"

#include "frames/scratch_folder.h"
#include "render/frame_picture.h"
#include "render/sequence.h"
#include "scene/defaults.h"
#include "scene/write_scene.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr std::uint64_t body_side = ~std::uint64_t{0};

struct Touch {
  std::uint64_t a, b;
  Vec3f point, normal;
  float force;
};

/// Grains of radius 0.1 m in a row along x, and contacts as wanted.
struct GrainRun {
  std::filesystem::path folder;
  Scene scene;

  explicit GrainRun(std::filesystem::path where) : folder(std::move(where)) {
    scene = default_scene();
    scene.name = "row";
    scene.solver = SolverKind::dem;
    scene.frame_rate = 25;
    scene.render.width = 160;
    scene.render.height = 64;
    scene.render.samples = 16;
    scene.materials = {default_material()};
    scene.materials[0].name = "beads";
    scene.materials[0].grain_diameter = 0.2;
    Fill fill = default_fill();
    fill.name = "row";
    scene.fills = {fill};
    Camera camera = default_camera();
    camera.name = "front";
    camera.position = {0, -10, 0};
    camera.target = {0, 0, 0};
    camera.focal_length_mm = 360;  // 1 m wide at the row
    scene.cameras = {camera};
    std::filesystem::create_directories(folder / "frames");
  }

  static std::vector<Vec3f> row() {
    return {{-0.3f, 0, 0}, {-0.1f, 0, 0}, {0.1f, 0, 0}, {0.3f, 0, 0}};
  }
  /// Weak, strong, weak.
  static std::vector<Touch> three() {
    return {{10, 11, {-0.2f, 0, 0}, {-1, 0, 0}, 1},
            {11, 12, {0, 0, 0}, {-1, 0, 0}, 4},
            {12, 13, {0.2f, 0, 0}, {-1, 0, 0}, 1}};
  }

  void write(const std::vector<Vec3f>& grains, const std::vector<Touch>* touches,
             int index = 0) const {
    std::ofstream(folder / "scene.toml") << to_toml(scene);
    const Executor executor(1);
    const auto use = FieldUse::frame;
    ParticleStore store;
    const auto id = store.add_field<std::uint64_t>("id", "1", use, "identity");
    const auto x = store.add_field<Vec3f>("position", "m", use, "centre");
    const auto r = store.add_field<float>("radius", "m", use, "radius");
    const auto m = store.add_field<std::uint32_t>("material", "1", use, "index");
    store.resize(grains.size());
    for (std::size_t i = 0; i < grains.size(); ++i) {
      store[id][i] = 10 + i;
      store[x][i] = grains[i];
      store[r][i] = 0.1f;
      store[m][i] = 0;
    }
    ParticleStore table;
    const auto a = table.add_field<std::uint64_t>("grain_a", "1", use, "");
    const auto b = table.add_field<std::uint64_t>("grain_b", "1", use, "");
    const auto point = table.add_field<Vec3f>("point", "m", use, "");
    const auto normal = table.add_field<Vec3f>("normal", "1", use, "");
    const auto force = table.add_field<float>("normal_force", "N", use, "");
    table.resize(touches != nullptr ? touches->size() : 0);
    for (std::size_t k = 0; k < table.size(); ++k) {
      table[a][k] = (*touches)[k].a;
      table[b][k] = (*touches)[k].b;
      table[point][k] = (*touches)[k].point;
      table[normal][k] = (*touches)[k].normal;
      table[force][k] = (*touches)[k].force;
    }
    FrameInfo info;
    info.scene = scene.name;
    info.index = static_cast<std::uint64_t>(index);
    info.time = 0.04 * index;
    info.materials = {{"beads", {0.5f, 0.5f, 0.5f}, 0}};
    std::vector<FrameTable> tables;
    if (touches != nullptr) tables.push_back({"contacts", &table});
    const Status s =
        write_frame(frame_path(folder, info.index), info, store, {}, 0, executor, tables);
    ASSERT_TRUE(s.ok()) << s.error().message;
  }

  Result<ForceChains> chains() const {
    const Executor executor(1);
    auto run = open_run_source(folder, false);
    if (!run) return run.error();
    const auto frame = FrameFile::open(run->frames.back().path);
    if (!frame) return frame.error();
    return read_force_chains(*frame, *run, executor);
  }
};

TEST(ForceChains, RodsJoinCentresAndGrowWithTheForce) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  const auto touches = GrainRun::three();
  run.write(GrainRun::row(), &touches);
  const auto chains = run.chains();
  ASSERT_TRUE(chains.ok()) << chains.error().message;
  ASSERT_EQ(chains->rods.size(), 3u);
  const float strength[] = {0.5f, 2, 0.5f};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(chains->rods[k].from.centre, GrainRun::row()[k]);
    EXPECT_EQ(chains->rods[k].to.centre, GrainRun::row()[k + 1]);
    EXPECT_FLOAT_EQ(chains->strength[k], strength[k]);
    EXPECT_EQ(chains->rods[k].from.radius, chains->rods[k].to.radius);
  }
  EXPECT_FLOAT_EQ(chains->rods[1].from.radius / chains->rods[0].from.radius, 4.0f);
  EXPECT_LT(chains->rods[1].from.radius, 0.1f) << "thinner than its grains";
}

TEST(ForceChains, ThicknessHasLimitsAndBridgesPull) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  auto touches = GrainRun::three();
  touches[0].force = 0;
  touches[1].force = 1000;
  touches[2].force = -500;
  run.write(GrainRun::row(), &touches);
  const auto chains = run.chains();
  ASSERT_TRUE(chains.ok()) << chains.error().message;
  EXPECT_EQ(chains->strength[0], 0);
  EXPECT_FLOAT_EQ(chains->strength[1], 2);
  EXPECT_FLOAT_EQ(chains->strength[2], -1);
  EXPECT_GT(chains->rods[0].from.radius, 0);
  EXPECT_FLOAT_EQ(chains->rods[1].from.radius / chains->rods[2].from.radius, 2);
}

TEST(ForceChains, SpheresOfTwoClumpsAreOneLink) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  // 3 N and 4 N at right angles: 5 N. A contact with a body ends at its point.
  const std::vector<Touch> touches{{10, 11, {-0.2f, 0, 0.05f}, {-1, 0, 0}, 3},
                                   {10, 11, {-0.2f, 0, -0.05f}, {0, 0, -1}, 4},
                                   {10, body_side, {-0.4f, 0, 0}, {1, 0, 0}, 2},
                                   {10, body_side, {-0.3f, 0, -0.1f}, {0, 0, 1}, 2}};
  run.write(GrainRun::row(), &touches);
  const auto chains = run.chains();
  ASSERT_TRUE(chains.ok()) << chains.error().message;
  ASSERT_EQ(chains->rods.size(), 3u);
  EXPECT_FLOAT_EQ(chains->strength[0], 5.0f / 3);
  EXPECT_EQ(chains->rods[1].to.centre, (Vec3f{-0.4f, 0, 0}));
  EXPECT_EQ(chains->rods[2].to.centre, (Vec3f{-0.3f, 0, -0.1f}));
}

TEST(ForceChains, LinksAcrossAPeriodicSeamAreHalves) {
  const ScratchFolder scratch;
  GrainRun run(scratch / "run");
  run.scene.periodic = {true, false, false};
  run.scene.domain_lower = {-0.8, 0, 0};
  run.scene.domain_upper = {0.8, 0, 0};
  // They touch across the seam at -0.8, which is also at 0.8.
  const std::vector<Touch> touches{{10, 11, {-0.8f, 0, 0}, {1, 0, 0}, 3}};
  run.write({{-0.7f, 0, 0}, {0.7f, 0, 0}}, &touches);
  const auto chains = run.chains();
  ASSERT_TRUE(chains.ok()) << chains.error().message;
  ASSERT_EQ(chains->rods.size(), 2u);
  EXPECT_NEAR(chains->rods[0].from.centre.x, -0.7f, 1e-6f);
  EXPECT_NEAR(chains->rods[0].to.centre.x, -0.8f, 1e-6f);
  EXPECT_NEAR(chains->rods[1].from.centre.x, 0.7f, 1e-6f);
  EXPECT_NEAR(chains->rods[1].to.centre.x, 0.8f, 1e-6f);
  EXPECT_FLOAT_EQ(chains->strength[0], 1) << "one link, not two";
}

TEST(ForceChains, BadInputIsExplained) {
  const ScratchFolder scratch;
  {
    const GrainRun run(scratch / "plain");
    run.write(GrainRun::row(), nullptr);
    const auto chains = run.chains();
    ASSERT_FALSE(chains.ok());
    EXPECT_EQ(chains.error().kind, ErrorKind::request);
    for (const char* part : {"holds no contacts", "fields = [\"contacts\"]", "talus run",
                             "plain/scene.toml", "--set 'output.fields=[\"contacts\"]'"})
      EXPECT_NE(chains.error().message.find(part), std::string::npos) << chains.error().message;
  }
  {
    const GrainRun run(scratch / "stray");
    auto touches = GrainRun::three();
    touches[1].b = 99;
    run.write(GrainRun::row(), &touches);
    const auto chains = run.chains();
    ASSERT_FALSE(chains.ok());
    EXPECT_NE(chains.error().message.find("grain 99"), std::string::npos);
  }
  GrainRun sand(scratch / "sand");
  sand.scene.solver = SolverKind::sph;
  sand.write(GrainRun::row(), nullptr);
  const auto chains = sand.chains();
  ASSERT_FALSE(chains.ok());
  EXPECT_NE(chains.error().message.find("continuum"), std::string::npos);
}

SequenceOptions chains_options(const GrainRun& run) {
  SequenceOptions o;
  o.run = run.folder;
  o.colour_by = std::string(force_chains_name);
  o.film = false;
  return o;
}

Result<SequenceReport> make(const SequenceOptions& o) {
  const Executor executor(2);
  return render_sequence(
      o, executor, [](const PictureProgress&) {}, [] { return false; });
}

TEST(ForceChains, FramesWithoutAnyContactAreDrawn) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  const std::vector<Touch> none;
  run.write(GrainRun::row(), &none);
  const auto report = make(chains_options(run));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->rendered, 1u);
}

TEST(ForceChains, DetailIsRefused) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  auto o = chains_options(run);
  o.detail = true;
  const auto report = make(o);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("leave --detail out"), std::string::npos);
}

/// Pixels of column x that `is` says yes to.
int count(const Image& image, int x, const std::function<bool(const Vec3f&)>& is) {
  int n = 0;
  for (int y = 0; y < image.height; ++y) n += is(image.at(x, y)) ? 1 : 0;
  return n;
}

TEST(ForceChains, PictureShowsThickAndThinRodsInTheColoursOfTheMap) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  const auto touches = GrainRun::three();
  run.write(GrainRun::row(), &touches);
  const auto source = open_run_source(run.folder, false);
  ASSERT_TRUE(source.ok());
  const Executor executor(2);
  FrameLook look;
  look.colours = FieldColours{std::string(force_chains_name), ColourMap("balance"), {0, 2}};
  auto picture = load_frame_picture(*source, source->frames[0], look, executor);
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  EXPECT_EQ(picture->title, "normal force / mean");
  // Uniform white light, and no mist: radiance is the albedo where rods are, 1 elsewhere.
  PictureScene scene = picture->scene;
  scene.spheres.clear();
  scene.planes.clear();
  scene.light = Lighting{};
  scene.light.uniform = {1, 1, 1};
  PictureCamera camera;
  camera.position = {0, -10, 0};
  camera.focal_length_mm = 360;
  RenderOptions options;
  options.width = 160;
  options.height = 64;
  options.samples = 32;
  const auto image = render(scene, camera, options, executor);
  ASSERT_TRUE(image.ok());
  const auto column = [](double x) { return static_cast<int>(80 + 160 * x); };
  const auto red = [](const Vec3f& c) { return c.x > 1.6f * c.z; };
  const auto pale = [](const Vec3f& c) { return c.x < 1.6f * c.z && c.x + c.z < 1.9f; };
  // Strength 2 is the upper end of the map: red, of radius 0.02 m; 0.5 is on its blue side.
  EXPECT_NEAR(count(*image, column(0), red), 2 * 0.02 * 160, 1.01);
  EXPECT_NEAR(count(*image, column(-0.2), pale), 2 * 0.005 * 160, 1.41);
  EXPECT_EQ(count(*image, column(-0.2), red), 0);
  EXPECT_EQ(count(*image, column(0.4), [](const Vec3f& c) { return c.x < 0.99f; }), 0);
  look.colours->range = {1, 2};
  const auto strong = load_frame_picture(*source, source->frames[0], look, executor);
  ASSERT_TRUE(strong.ok());
  EXPECT_EQ(strong->rods.size(), 1u) << "what is weaker than the range is left out";
  // With the grains there is a mist around the rods, and it lets them through.
  PictureScene misty = scene;
  misty.spheres = picture->scene.spheres;
  const auto veiled = render(misty, camera, options, executor);
  ASSERT_TRUE(veiled.ok());
  EXPECT_GT(count(*veiled, column(0.03), red), 4);
  EXPECT_LT(veiled->at(column(0.1), 22).x, 0.995f);
  EXPECT_GT(veiled->at(column(0.1), 22).x, 0.6f);
}

TEST(ForceChains, ProgramWritesThePictureWithALegend) {
  const ScratchFolder scratch;
  const GrainRun run(scratch / "run");
  const auto touches = GrainRun::three();
  run.write(GrainRun::row(), &touches);
  const auto report = make(chains_options(run));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->folder.filename(), "pictures_force_chains");
  const auto picture = read_png((report->folder / "frame_000000.png").string());
  ASSERT_TRUE(picture.ok());
  // The shaded panel of the legend, lower left.
  EXPECT_LT(picture->at(20, 50).g, 120);
}

}  // namespace
}  // namespace talus
