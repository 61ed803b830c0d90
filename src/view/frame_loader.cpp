#include "view/frame_loader.h"

#include "core/timer.h"
#include "run/manifest.h"

#include <algorithm>

namespace talus::view {

FrameLoader::FrameLoader(std::shared_ptr<const RunSource> world, Options options)
    : world_(std::move(world)), options_(options), executor_(options.threads) {
  thread_.start([this] { work(); });
}

FrameLoader::~FrameLoader() {
  Order order;
  order.quit = true;
  orders_.post(order);
  thread_.wait();
}

void FrameLoader::want(std::size_t place, const ViewRequest& request) {
  orders_.post({place, request, false});
}

void FrameLoader::work() {
  while (!quit_) {
    look();
    if (!obey()) return;
    if (!served_) {
      serve();
      continue;
    }
    if (!read_ahead()) orders_.wait(0.5 * options_.look_every);
  }
}

/// Takes the newest order; older ones are no longer wanted. False to quit.
bool FrameLoader::obey() {
  for (Order& order : orders_.take_all()) {
    if (order.quit) return false;
    if (order.request != wanted_.request) cache_.clear();
    wanted_ = std::move(order);
    served_ = false;
  }
  return true;
}

/// Frames appear whole or not at all, so a name in the folder is a frame that can be read.
void FrameLoader::look() {
  const double now = seconds_now();
  if (now - last_look_ < options_.look_every) return;
  last_look_ = now;
  auto entries = list_run_frames(world_->folder, world_->detail);
  const auto manifest = read_manifest(world_->folder);
  const bool running = manifest.ok() && manifest->state == "running";
  const bool same = entries.size() == entries_.size() && running == running_;
  const bool first = entries_.empty() && !entries.empty();
  if (entries.size() < entries_.size()) cache_.clear();  // the run was started anew
  entries_ = std::move(entries);
  running_ = running;
  if (first) served_ = false;
  if (!same && served_) tell();
}

void FrameLoader::serve() {
  served_ = true;
  if (entries_.empty()) {
    tell();
    return;
  }
  wanted_.place = std::min(wanted_.place, entries_.size() - 1);
  problem_.clear();
  if (auto frame = load(entries_[wanted_.place], problem_)) frame_ = std::move(frame);
  place_ = wanted_.place;
  tell();
}

std::shared_ptr<const ViewFrame> FrameLoader::load(const FrameEntry& entry, std::string& problem) {
  if (const auto found = cache_.find(entry.index); found != cache_.end()) return found->second;
  auto frame = load_view_frame(entry, world_, wanted_.request, executor_);
  if (!frame) {
    problem = frame.error().message;
    return nullptr;
  }
  cache_[entry.index] = *frame;
  trim();
  return *frame;
}

/// Forgets the frames that are farthest from the wanted one, those behind it first.
void FrameLoader::trim() {
  const auto bytes_of = [](const auto& item) { return item.second->sprites.size() * sizeof(Sprite); };
  std::size_t bytes = 0;
  for (const auto& item : cache_) bytes += bytes_of(item);
  const std::uint64_t here = entries_[wanted_.place].index;
  while (bytes > options_.cache_bytes && cache_.size() > 1) {
    auto victim = cache_.begin();
    if (victim->first >= here) victim = std::prev(cache_.end());
    bytes -= bytes_of(*victim);
    cache_.erase(victim);
  }
}

/// Reads one of the next frames; false when there is nothing to do.
bool FrameLoader::read_ahead() {
  constexpr std::size_t ahead = 8;
  std::size_t bytes = 0;
  for (const auto& item : cache_) bytes += item.second->sprites.size() * sizeof(Sprite);
  const std::size_t mean = cache_.empty() ? 0 : bytes / cache_.size();
  if (bytes + mean > options_.cache_bytes) return false;
  for (std::size_t k = 1; k <= ahead && wanted_.place + k < entries_.size(); ++k) {
    const FrameEntry& entry = entries_[wanted_.place + k];
    if (cache_.contains(entry.index)) continue;
    std::string problem;  // told when the frame is wanted
    return load(entry, problem) != nullptr;
  }
  return false;
}

void FrameLoader::tell() {
  reports_.put(std::make_shared<LoaderReport>(
      LoaderReport{entries_, running_, frame_, place_, wanted_.request, problem_}));
}

}  // namespace talus::view
