// The simulation beside the window: orders, pictures, and a window that never waits.
#include "core/timer.h"
#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"
#include "view/live_session.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace talus::view {
namespace {

/// What a window would know of a session.
struct Window {
  LiveSession& session;
  LiveStatus status;
  std::shared_ptr<const ViewFrame> frame;
  std::vector<std::string> messages;

  void look() {
    if (const auto s = session.take_status()) status = *s;
    if (auto f = session.take_frame()) frame = std::move(f);
    for (std::string& m : session.take_messages()) messages.push_back(std::move(m));
  }
  template <class Done>
  bool wait(Done done) {
    for (const double start = seconds_now(); seconds_now() - start < 150;) {
      look();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
};

LiveSession::Options paused_options(SolverFactory factory = make_solver) {
  LiveSession::Options options;
  options.threads = 2;
  options.paused = true;
  options.speed = 0;
  options.factory = std::move(factory);
  return options;
}

Scene small_bed() {
  Scene scene = default_scene();
  scene.name = "bed";
  scene.gravity = {0, 0, -9.81};
  scene.frame_rate = 50;
  scene.sph.spacing = 0.06;
  Material sand = default_material();
  sand.name = "sand";
  scene.materials = {sand};
  scene.fills = {box_fill("bed", {0.6, 0.6, 0.18}, {0, 0, 0.09})};
  SceneBody box = default_body();
  box.name = "box";
  box.shape = box_shape({0.6, 0.6, 2}, {0, 0, 1});
  box.shape.inside_out = true;
  scene.bodies = {box};
  return scene;
}

DropBody ball_at(const Vec3d& place) {
  DropBody order;
  order.body = default_body();
  order.body.name = "ball";
  order.body.shape = default_shape();
  order.body.shape.kind = ShapeKind::sphere;
  order.body.shape.radius = 0.1;
  order.body.shape.pose.position = place;
  order.body.motion = SceneMotion::dynamic;
  order.body.density = 2000;
  return order;
}

TEST(LiveSession, StepsExactlyAsOftenAsItIsTold) {
  LiveSession session(bouncing_scene(), paused_options(bouncing_factory()));
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  EXPECT_EQ(window.status.phase, LivePhase::paused);
  EXPECT_EQ(window.frame->sprites.size(), 1000u);
  EXPECT_EQ(window.frame->info.step, 0u);
  session.post(Advance{3, false});
  ASSERT_TRUE(window.wait([&] { return window.frame->info.step == 3; }));
  session.post(Advance{2, true});
  ASSERT_TRUE(window.wait([&] { return window.frame->info.index == 2; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  window.look();
  EXPECT_EQ(window.status.frame, 2u) << "and stays paused";
}

TEST(LiveSession, RunsPausesAndStartsOver) {
  LiveSession session(bouncing_scene(), paused_options(bouncing_factory()));
  Window window{session, {}, nullptr, {}};
  session.post(SetPaused{false});
  ASSERT_TRUE(window.wait([&] { return window.status.frame >= 3; }));
  session.post(SetPaused{true});
  ASSERT_TRUE(window.wait([&] { return window.status.phase == LivePhase::paused; }));
  session.post(SetGravity{{1, 2, 3}});
  ASSERT_TRUE(window.wait([&] { return window.status.gravity == Vec3d{1, 2, 3}; }));
  session.post(Reset{});
  ASSERT_TRUE(window.wait([&] { return window.status.steps == 0 && window.status.obeyed == 4; }));
  EXPECT_EQ(window.status.gravity, bouncing_scene().gravity);
  EXPECT_EQ(window.status.time, 0);
}

TEST(LiveSession, TheWindowNeverWaitsForASlowStep) {
  LiveSession session(bouncing_scene(), paused_options(bouncing_factory(0.4)));
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  session.post(SetPaused{false});
  ASSERT_TRUE(window.wait([&] { return window.status.busy_since > 0; }));
  double longest = 0;
  int looks = 0;
  for (const double start = seconds_now(); seconds_now() - start < 0.6; ++looks) {
    const double before = seconds_now();
    session.post(PushMaterial{{0, 0, 0}, 0.1, {0, 0, 1}});
    window.look();
    longest = std::max(longest, seconds_now() - before);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GT(looks, 20);
  EXPECT_LT(longest, 0.15) << "a step takes 0.4 s";
}

TEST(LiveSession, KeepsToTheSpeedItIsGiven) {
  auto options = paused_options(bouncing_factory());
  options.paused = false;
  options.speed = 0.5;
  LiveSession session(bouncing_scene(), options);
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.status.steps > 0; }));
  const double wall = seconds_now(), time = window.status.time;
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  window.look();
  const double rate = (window.status.time - time) / (seconds_now() - wall);
  EXPECT_LT(rate, 0.6);
  EXPECT_GT(rate, 0.1);
}

TEST(LiveSession, ABallIsDroppedShownAndCarriedByTheSand) {
  LiveSession session(small_bed(), paused_options());
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  EXPECT_EQ(window.frame->world->bodies.size(), 1u);
  session.post(ball_at({0, 0, 0.4}));
  ASSERT_TRUE(window.wait([&] { return window.frame->info.bodies.size() == 2; }));
  EXPECT_EQ(window.frame->world->bodies.size(), 2u);
  EXPECT_EQ(window.frame->info.bodies[1].name, "ball 1");
  session.post(Advance{40, true});
  ASSERT_TRUE(window.wait([&] { return window.frame->info.index == 40; }));
  const double height = window.frame->info.bodies[1].state.pose.position.z;
  EXPECT_LT(height, 0.35);
  EXPECT_GT(height, 0.12);
  session.post(Reset{});
  ASSERT_TRUE(window.wait([&] { return window.frame->info.bodies.size() == 1; }));
}

TEST(LiveSession, PoursAndTakesAnotherMaterial) {
  LiveSession session(small_bed(), paused_options());
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  const std::size_t before = window.frame->particles;
  StartPour order;
  order.pour = default_pour();
  order.pour.name = "tap";
  order.pour.position = {0, 0, 0.6};
  order.pour.direction = {0, 0, -1};
  order.pour.radius = 0.1;
  order.pour.speed = 1;
  order.pour.rate = 15;
  session.post(order);
  session.post(Advance{10, true});
  ASSERT_TRUE(window.wait([&] { return window.frame->info.index == 10; }));
  EXPECT_GT(window.frame->particles, before + 3);
  EXPECT_EQ(window.status.pours, 1u);
  session.post(StopPours{});
  Material changed = window.status.materials[0];
  changed.friction = 0.123;
  session.post(ChangeMaterial{0, changed});
  ASSERT_TRUE(window.wait(
      [&] { return window.status.pours == 0 && window.status.materials[0].friction == 0.123; }));
}

TEST(LiveSession, RefusedOrdersAreMessages) {
  LiveSession session(small_bed(), paused_options());
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  session.post(ball_at({0, 0, 0.5}));
  session.post(ball_at({0, 0, 0.5}));
  session.post(PushMaterial{{0, 0, 0}, -1, {}});
  session.post(ChangeMaterial{7, {}});
  ASSERT_TRUE(window.wait([&] { return window.messages.size() >= 3; }));
  EXPECT_NE(window.messages[0].find("inside each other"), std::string::npos) << window.messages[0];
  EXPECT_EQ(window.status.bodies, 2u);
}

TEST(LiveSession, FieldsCanBeChosenWhilePaused) {
  LiveSession session(small_bed(), paused_options());
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  session.post(Show{{"pressure", 1}});
  ASSERT_TRUE(window.wait([&] { return window.frame->field == "pressure"; }));
  session.post(Show{{"", 8}});
  const std::size_t particles = window.frame->particles;
  ASSERT_TRUE(window.wait([&] { return window.frame->sprites.size() == 8 * particles; }));
}

TEST(LiveSession, LockstepShowsEveryFrame) {
  LiveSession session(bouncing_scene(), paused_options(bouncing_factory()));
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  session.post(SetLockstep{true});
  session.post(SetPaused{false});
  std::uint64_t expected = 1;
  for (const double start = seconds_now(); expected < 12 && seconds_now() - start < 100;) {
    if (const auto frame = session.take_frame()) {
      if (frame->info.index == 0) continue;
      ASSERT_EQ(frame->info.index, expected++);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // slower than the solver
  }
  EXPECT_EQ(expected, 12u);
}

TEST(LiveSession, AFailureIsToldAndResetTriesAgain) {
  int calls = 0;
  const SolverFactory failing_once = [&calls](const Scene& scene, std::vector<Body>& bodies,
                                              const Executor& executor) {
    if (++calls == 1) return Result<std::unique_ptr<Solver>>(work_error("no sand today"));
    return bouncing_factory()(scene, bodies, executor);
  };
  LiveSession session(bouncing_scene(), paused_options(failing_once));
  Window window{session, {}, nullptr, {}};
  ASSERT_TRUE(window.wait([&] { return window.status.phase == LivePhase::failed; }));
  EXPECT_EQ(window.status.error, "no sand today");
  session.post(ball_at({0, 0, 1}));  // and orders do no harm meanwhile
  session.post(StopPours{});
  session.post(Reset{});
  ASSERT_TRUE(window.wait([&] { return window.frame != nullptr; }));
  EXPECT_EQ(window.status.phase, LivePhase::paused);
}

}  // namespace
}  // namespace talus::view
