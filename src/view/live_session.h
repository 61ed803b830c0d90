// A simulation that runs beside the window. The window posts orders and takes what is newest; it
// never waits for a step, however long one takes. Orders are obeyed between steps.
#pragma once

#include "core/hand_over.h"
#include "core/parallel.h"
#include "run/simulation.h"
#include "view/view_frame.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace talus::view {

struct SetPaused {
  bool paused = true;
};
/// Steps, or whole frames, of a simulation that is paused.
struct Advance {
  int count = 1;
  bool frames = false;
};
struct Reset {};
struct SetGravity {
  Vec3d gravity{};
};
/// Its name is completed by a number, so that every body has its own.
struct DropBody {
  SceneBody body;
};
struct StartPour {
  Pour pour;
  double share = 0;  ///< of what passes through the nozzle; 0: the pour's own rate
};
struct StopPours {};
struct PushMaterial {
  Vec3d point{};
  double radius = 0;
  Vec3d velocity{};
};
struct ChangeMaterial {
  std::size_t index = 0;
  Material material;
};
struct Show {
  ViewRequest request;
};
/// Simulated seconds for each second of the wall at most; 0 = as fast as it goes.
struct SetSpeed {
  double speed = 1;
};
/// Every frame is shown, none is skipped: for recordings.
struct SetLockstep {
  bool on = false;
};
struct Quit {};
using LiveOrder =
    std::variant<SetPaused, Advance, Reset, SetGravity, DropBody, StartPour, StopPours,
                 PushMaterial, ChangeMaterial, Show, SetSpeed, SetLockstep, Quit>;

enum class LivePhase { preparing, running, paused, failed };

struct LiveStatus {
  LivePhase phase = LivePhase::preparing;
  std::string error;  ///< why it failed
  double time = 0;    ///< s
  std::uint64_t steps = 0, frame = 0, particles = 0;
  double dt = 0;  ///< s
  std::string dt_reason;
  double max_speed = 0;     ///< m/s
  double step_seconds = 0;  ///< of the wall, the last step
  double busy_since = 0;    ///< seconds_now() when the present step began; 0 = idle
  Vec3d gravity{};
  std::size_t bodies = 0;
  std::size_t pours = 0;  ///< that were opened by hand and are open
  std::vector<Material> materials;
  std::uint64_t obeyed = 0;  ///< orders so far
};

class LiveSession {
 public:
  struct Options {
    int threads = 0;  ///< 0 = all cores
    bool paused = false;
    double speed = 1;
    double shown_every = 1.0 / 60;  ///< s between two frames for the window
    ViewRequest request;
    SolverFactory factory = make_solver;
  };
  /// The scene is filled by the session's own thread.
  LiveSession(Scene scene, Options options);
  ~LiveSession();  ///< waits for the step that is under way
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  void post(LiveOrder order) { orders_.post(std::move(order)); }
  std::shared_ptr<const ViewFrame> take_frame() { return frames_.take(); }
  std::shared_ptr<const LiveStatus> take_status() { return statuses_.take(); }
  /// What the user should read: notes of the scene, refused orders.
  std::vector<std::string> take_messages() { return messages_.take_all(); }

 private:
  void work();
  void create();
  bool obey_all();
  bool wait_for_turn();
  void step();
  void publish();
  void tell(double busy_since);
  void fail(const std::string& message);
  void restart_clock();

  void obey(const SetPaused& order);
  void obey(const Advance& order);
  void obey(const Reset&);
  void obey(const SetGravity& order);
  void obey(const DropBody& order);
  void obey(const StartPour& order);
  void obey(const StopPours&);
  void obey(const PushMaterial& order);
  void obey(const ChangeMaterial& order);
  void obey(const Show& order);
  void obey(const SetSpeed& order);
  void obey(const SetLockstep& order);
  void obey(const Quit&) { quit_ = true; }

  const Scene scene_;
  Options options_;
  Mailbox<LiveOrder> orders_;
  Mailbox<std::string> messages_;
  Latest<ViewFrame> frames_;
  Latest<LiveStatus> statuses_;

  // Of the session's thread alone.
  Executor executor_;
  std::unique_ptr<Simulation> simulation_;
  std::shared_ptr<const RunSource> world_;
  LiveStatus status_;
  bool quit_ = false, paused_ = false, lockstep_ = false;
  bool dirty_ = false;  ///< what the window has is not what there is
  int steps_left_ = 0, frames_left_ = 0;
  std::vector<std::size_t> pours_;
  int dropped_ = 0;
  double clock_wall_ = 0, clock_time_ = 0, last_shown_ = 0;

  BackgroundWork thread_;  // last: ends before what it uses
};

}  // namespace talus::view
