// A run folder as a page: what is in it, what happens to hostile names, damaged and missing files.
#include "report/report.h"

#include "core/html.h"
#include "frames/scratch_folder.h"
#include "render/synthetic_run.h"
#include "report/decode.h"
#include "report/stage.h"
#include "run/run_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <regex>
#include <sys/file.h>
#include <unistd.h>

namespace talus::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* hostile = "</script><script>alert('1')</script>&\"<!--";

/// A synthetic run with the files that a real one has.
struct TestRun {
  explicit TestRun(const fs::path& folder, int frames = 4, std::size_t particles = 300)
      : run(folder, frames, particles) {
    manifest.program = "talus test";
    manifest.scene = "synthetic";
    manifest.solver = "sph";
    manifest.frame_rate = 25;
    manifest.frames_total = 3;
    manifest.state = "finished";
    for (int i = 0; i < frames; ++i)
      manifest.frames.push_back({static_cast<std::uint64_t>(i), i / 25.0, particles, 1000});
    put("statistics.csv",
        "frame,time_s,particles,steps,mean_dt_s,kinetic_energy_J,potential_energy_J\n"
        "0,0,300,0,0,0,2\n1,0.04,300,3,0.01,1,1\n2,0.08,300,3,0.01,2,0.5\n");
    put("forces.csv",
        "frame,time_s,body,force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm,"
        "peak_force_N\n0,0,ball,0,0,0,0,0,0,0\n1,0.04,ball,1,2,3,0,0,0,9\n");
    put("timings.csv", "frame,phase,calls,seconds\n0,all,1,0\n1,sweep,3,1.5\n1,all,1,2\n");
    put("log.txt", "2026-11-16T08:15:46Z talus test starts 'synthetic'\n");
    save();
  }
  void save() const { ASSERT_TRUE(write_manifest(run.folder, manifest).ok()); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(run.folder / name, std::ios::binary) << text;
  }
  Result<ReportOutcome> report(const CloudLimits& limits = {}, int threads = 1) const {
    return write_report({run.folder, {}, limits}, Executor(threads));
  }
  std::string page() const {
    std::ifstream in(run.folder / "report.html", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::SyntheticRun run;
  Manifest manifest;
};

std::vector<std::string> elements(const std::string& page, const std::string& kind) {
  const std::string open = "<script type=\"application/octet-stream\" class=\"" + kind + "\">";
  std::vector<std::string> out;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    out.push_back(page.substr(begin, page.find("</script>", begin) - begin));
  }
  return out;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string all_notes(const ReportOutcome& outcome) {
  std::string out;
  for (const std::string& note : outcome.notes) out += note + "\n";
  return out;
}

TEST(Report, APageHoldsTheParticlesOfTheFrames) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(all_notes(*made), "");
  EXPECT_EQ(made->frames, 4u);
  EXPECT_EQ(made->spheres, 300u);
  const std::string page = run.page();
  EXPECT_EQ(page.size(), made->bytes);
  const auto frames = elements(page, "frame");
  ASSERT_EQ(frames.size(), 4u);
  // Grid from the page, places against those of the stored frame.
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      page, found,
      std::regex("\"lower\":\\[([-0-9.e]+),([-0-9.e]+),([-0-9.e]+)\\],\"step\":([-0-9.e]+)")));
  const PlaceGrid grid{{std::stod(found[1]), std::stod(found[2]), std::stod(found[3])},
                       std::stod(found[4])};
  test::DecodedCloud decoded;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    decoded.add(test::unpacked(frames[k]));
    const auto stored = FrameFile::open(frame_path(run.run.folder, k));
    ASSERT_TRUE(stored);
    const auto position = stored->read<Vec3f>("position", Executor(1));
    ASSERT_TRUE(position);
    ASSERT_EQ(decoded.places.size(), position->size());
    for (std::size_t i = 0; i < position->size(); ++i)
      EXPECT_LT(norm(grid.place(decoded.places[i]) - Vec3d((*position)[i])), 0.0005);
  }
}

TEST(Report, SaysWhatTheRunWas) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  ASSERT_TRUE(run.report());
  const std::string page = run.page();
  for (const char* text : {"<title>synthetic · Talus</title>", "finished", "2026-11-16 08:15 UTC",
                           "talus test", "continuum sand", "Force on ball", "\"key\":\"energy\"",
                           "sweep", "frame_rate", "All particles, 4 frames"})
    EXPECT_TRUE(holds(page, text)) << text;
  EXPECT_FALSE(holds(page, "{{")) << "a slot was not filled";
  for (const char* loader : {" src=\"http", "href=", "url(", "import(", "fetch(", "XMLHttpRequest"})
    EXPECT_FALSE(holds(page, loader)) << "the page must not load anything: " << loader;
}

TEST(Report, HostileNamesStayText) {
  const ScratchFolder scratch;
  TestRun run(scratch / "run");
  run.manifest.scene = hostile;
  run.manifest.state = "failed";
  run.manifest.message = hostile;
  run.save();
  run.put("forces.csv",
          "frame,time_s,body,force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm,"
          "peak_force_N\n0,0,</script><!--<script>,0,0,0,0,0,0,1\n1,0.04,</"
          "script><!--<script>,1,2,3,0,0,0,9\n");
  run.put("timings.csv", "frame,phase,calls,seconds\n1,</td><script>x,3,1.5\n1,all,1,2\n");
  Scene scene = run.run.scene;
  scene.name = hostile;
  scene.materials[0].name = "a</script><b>";
  scene.bodies[1].name = "b</script><!--";
  run.put("scene.toml", to_toml(scene));
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  const std::string page = run.page();
  EXPECT_TRUE(holds(page, "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)"));
  EXPECT_TRUE(holds(page, "Force on \\u003c/script>\\u003c!--\\u003cscript>"));
  EXPECT_TRUE(holds(page, "b\\u003c/script>\\u003c!--"));
  EXPECT_FALSE(holds(page, "alert('1')"));
  EXPECT_FALSE(holds(page, "<!--"));
  EXPECT_FALSE(holds(page, "<td></td><script>"));
  EXPECT_EQ(html_escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Report, TheSameBytesForAnyNumberOfThreads) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run", 3, 5000);
  ASSERT_TRUE(run.report({}, 1));
  const std::string one = run.page();
  ASSERT_TRUE(run.report({}, 2));
  EXPECT_EQ(run.page(), one);
}

TEST(Report, ThinsToItsLimitsWithTheSameParticlesInEachFrame) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run", 12, 5000);
  const auto made = run.report({500, 6, 3000});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->frames, 6u);
  EXPECT_NEAR(static_cast<double>(made->spheres), 500, 80);
  test::DecodedCloud decoded;
  for (const std::string& frame : elements(run.page(), "frame")) {
    decoded.add(test::unpacked(frame));
    EXPECT_EQ(decoded.places.size(), made->spheres);
    for (std::size_t i = 0; i < decoded.places.size(); ++i) EXPECT_TRUE(decoded.there(i));
  }
  EXPECT_TRUE(holds(run.page(), "One in 10 particles"));
  // Drawn larger by the cube root of ten.
  const auto constants = test::unpacked(elements(run.page(), "spheres").at(0));
  ASSERT_EQ(constants.size(), 7 * made->spheres);
  float radius = 0;
  std::memcpy(&radius, constants.data(), sizeof radius);
  EXPECT_NEAR(radius, 0.02 * 1.12 * std::cbrt(10.0), 1e-4);
}

TEST(Report, ADamagedFrameIsNamedAndLeftOut) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  for (const std::uint64_t frame : {0, 2}) {
    auto bytes = file_bytes(frame_path(run.run.folder, frame));
    // One in its data, which only reading them finds; one cut in half.
    if (frame == 0)
      for (std::size_t i = 40; i < bytes.size() / 2; ++i) bytes[i] ^= std::byte{0x55};
    else
      bytes.resize(bytes.size() / 2);
    put_bytes(frame_path(run.run.folder, frame), bytes);
  }
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->frames, 2u);
  EXPECT_EQ(made->damaged, 2u);
  EXPECT_TRUE(holds(all_notes(*made), "frame_000000.tal")) << all_notes(*made);
  EXPECT_TRUE(holds(all_notes(*made), "frame_000002.tal")) << all_notes(*made);
  EXPECT_TRUE(holds(run.page(), "the player skips this frame"));
}

TEST(Report, ARunWithoutFramesGetsAPage) {
  const ScratchFolder scratch;
  TestRun run(scratch / "run", 0);
  run.manifest.state = "running";
  run.save();
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->frames, 0u);
  EXPECT_TRUE(holds(run.page(), "id=\"run-data\">null</script>"));
  EXPECT_TRUE(holds(run.page(), "none yet"));
}

TEST(Report, AFrameWithoutParticlesIsAFrame) {
  const ScratchFolder scratch;
  TestRun run(scratch / "run", 2, 0);
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->frames, 2u);
  EXPECT_EQ(made->spheres, 0u);
}

TEST(Report, TellsARunThatGoesOnFromOneThatWasKilled) {
  const ScratchFolder scratch;
  TestRun run(scratch / "run");
  run.manifest.state = "running";
  run.manifest.frames_total = 90;
  run.save();
  const int held = ::open((run.run.folder / "log.txt").c_str(), O_WRONLY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  ASSERT_TRUE(run.report());
  EXPECT_TRUE(holds(run.page(), "still running, frame 3 of 90"));
  ::close(held);
  ASSERT_TRUE(run.report());
  EXPECT_TRUE(holds(run.page(), "stopped after frame 3 of 90"));
  EXPECT_TRUE(holds(run.page(), "talus resume"));
}

TEST(Report, AnOldRunWithoutItsSceneStillHasAPlayer) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  run.put("scene.toml", "this is = not a scene [");
  const auto made = run.report();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->frames, 4u);
  EXPECT_TRUE(holds(all_notes(*made), "bodies and parameters are not shown"));
}

TEST(Report, WhatIsNoRunIsRefused) {
  const ScratchFolder scratch;
  const auto made = write_report({scratch / "nothing", {}, {}}, Executor(1));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::request);
}

TEST(Report, APageThatCannotBeWrittenLeavesTheOldOne) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  run.put("report.html", "old");
  fs::create_directory(run.run.folder / "report.html.tmp");  // in the way of the new one
  const auto made = run.report();
  ASSERT_FALSE(made);
  EXPECT_TRUE(holds(made.error().message, "cannot create"));
  EXPECT_EQ(run.page(), "old");
}

TEST(Report, PicturesOfThisRunAreInsideAndThoseOfAnOlderOneAreNot) {
  const ScratchFolder scratch;
  const TestRun run(scratch / "run");
  fs::create_directories(run.run.folder / "pictures");
  run.put("pictures/frame_000001.png", "one");
  run.put("pictures/frame_000003.png", "three");
  run.put("pictures/film.mp4", "film");
  ASSERT_TRUE(run.report());
  EXPECT_TRUE(holds(run.page(), "data:image/png;base64,dGhyZWU="));
  EXPECT_TRUE(holds(run.page(), "data:video/mp4;base64,ZmlsbQ=="));
  run.put("still.png", "best");
  ASSERT_TRUE(run.report());
  EXPECT_TRUE(holds(run.page(), "data:image/png;base64,YmVzdA=="));
  for (const char* file :
       {"still.png", "pictures/frame_000001.png", "pictures/frame_000003.png", "pictures/film.mp4"})
    fs::last_write_time(run.run.folder / file,
                        fs::last_write_time(frame_path(run.run.folder, 0)) - std::chrono::hours(1));
  ASSERT_TRUE(run.report());
  EXPECT_FALSE(holds(run.page(), "data:image/png;base64"));
}

TEST(Report, LargeMeshesAreSimplified) {
  Mesh mesh;
  constexpr std::uint32_t n = 200;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j)
      mesh.vertices.push_back({static_cast<float>(i), static_cast<float>(j), 0});
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t a = i * (n + 1) + j;
      mesh.triangles.push_back({a, a + n + 1, a + 1});
      mesh.triangles.push_back({a + 1, a + n + 1, a + n + 2});
    }
  const Mesh small = simplified(mesh, 5000);
  EXPECT_LE(small.triangles.size(), 5000u);
  EXPECT_GT(small.triangles.size(), 2000u);
  const Box3d box = small.bounds();
  EXPECT_LT(box.lower.x, 3);
  EXPECT_GT(box.upper.y, 197);
  for (const auto& t : small.triangles)
    for (const std::uint32_t corner : t) EXPECT_LT(corner, small.vertices.size());
  EXPECT_EQ(simplified(mesh, 80'000).triangles.size(), mesh.triangles.size());
}

}  // namespace
}  // namespace talus::report
