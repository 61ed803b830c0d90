#include "view/recorder.h"

#include "render/film.h"

#include <memory>

namespace talus::view {

Status Recorder::start(const std::filesystem::path& folder, double frames_per_second) {
  work_.wait();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    return work_error("cannot make the folder {}: {}; record into another one", folder.string(),
                      code.message());
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".png")
      return request_error("there are pictures in {} already; record into another folder",
                           folder.string());
  folder_ = folder;
  rate_ = frames_per_second;
  files_.clear();
  on_ = true;
  return {};
}

void Recorder::add(ScreenImage image) {
  if (!on_) return;
  files_.push_back(folder_ / fmt::format("picture_{:06}.png", files_.size()));
  auto shared = std::make_shared<ScreenImage>(std::move(image));
  work_.start([this, shared, path = files_.back()] {
    if (Status s = write_png(*shared, path.string()); !s) messages_.post(s.error().message);
  });
}

void Recorder::finish() {
  if (!on_) return;
  on_ = false;
  work_.start([this, files = files_, film = folder_ / "film.mp4", rate = rate_] {
    const Status s = make_film(files, film, {rate, "ffmpeg"});
    messages_.post(s.ok() ? fmt::format("film of {} pictures: {}", files.size(), film.string())
                          : s.error().message);
  });
}

std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& extension) {
  for (int number = 1;; ++number) {
    auto path = folder / fmt::format("{}_{:04}{}", stem, number, extension);
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace talus::view
