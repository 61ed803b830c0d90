// Frames of a run folder, read beside the window: the frame that is wanted first, then those that
// will be wanted next. Sees frames that a run adds meanwhile.
#pragma once

#include "core/hand_over.h"
#include "core/parallel.h"
#include "view/view_frame.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace talus::view {

/// What the loader has to say. Each report holds all of it, so that none must be seen.
struct LoaderReport {
  std::vector<FrameEntry> entries;          ///< frames of the folder, ascending
  bool running = false;                     ///< the run is still being written
  std::shared_ptr<const ViewFrame> frame;   ///< the last one that was wanted and could be read
  std::size_t place = 0;                    ///< of it, or of the one that failed, in `entries`
  ViewRequest request;                      ///< it was made for
  std::string problem;                      ///< why the wanted frame could not be read; else empty
};

class FrameLoader {
 public:
  struct Options {
    std::size_t cache_bytes = std::size_t{1} << 30;
    double look_every = 0.5;  ///< s between looks for new frames
    int threads = 1;
  };
  FrameLoader(std::shared_ptr<const RunSource> world, Options options);
  ~FrameLoader();  ///< waits for the frame that is being read
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  /// `place` is an index into LoaderReport::entries; frames after it are read ahead.
  void want(std::size_t place, const ViewRequest& request);
  /// A report that was not taken yet, or nothing.
  std::shared_ptr<const LoaderReport> take() { return reports_.take(); }

 private:
  struct Order {
    std::size_t place = 0;
    ViewRequest request;
    bool quit = false;
  };
  using Cache = std::map<std::uint64_t, std::shared_ptr<const ViewFrame>>;  ///< by frame number

  void work();
  void look();
  bool obey();
  void serve();
  bool read_ahead();
  std::shared_ptr<const ViewFrame> load(const FrameEntry& entry, std::string& problem);
  void trim();
  void tell();

  std::shared_ptr<const RunSource> world_;
  Options options_;
  Mailbox<Order> orders_;
  Latest<LoaderReport> reports_;

  // Of the loading thread alone.
  Executor executor_;
  std::vector<FrameEntry> entries_;
  bool running_ = false, served_ = true, quit_ = false;
  Order wanted_;
  Cache cache_;
  std::shared_ptr<const ViewFrame> frame_;
  std::size_t place_ = 0;
  std::string problem_;
  double last_look_ = -1e9;

  BackgroundWork thread_;  // last: ends before what it uses
};

}  // namespace talus::view
