#include "render/film.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace talus {

namespace {

/// A child process that reads from a pipe and writes its complaints to a file.
struct Child {
  pid_t id = -1;
  int input = -1;
};

Result<Child> start(std::vector<std::string> words, const std::filesystem::path& complaints) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return work_error("cannot make a pipe: {}", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Child child;
  const int code =
      posix_spawnp(&child.id, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  child.input = ends[1];
  if (code == 0) return child;
  close(ends[1]);
  if (code == ENOENT)
    return work_error(
        "no film: the program '{}' was not found. Install it (Debian: apt install "
        "ffmpeg) and repeat the command; the pictures are kept and not rendered again",
        words[0]);
  return work_error("no film: '{}' could not be started: {}", words[0], strerror(code));
}

/// False when the child stopped reading.
bool feed(int pipe_end, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(pipe_end, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A broken pipe must be an error of ours, not the end of the program.
class IgnoreBrokenPipe {
 public:
  IgnoreBrokenPipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoreBrokenPipe() { std::signal(SIGPIPE, before_); }
  IgnoreBrokenPipe(const IgnoreBrokenPipe&) = delete;
  IgnoreBrokenPipe& operator=(const IgnoreBrokenPipe&) = delete;

 private:
  void (*before_)(int);
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

Status make_film(const std::vector<std::filesystem::path>& pictures,
                 const std::filesystem::path& path, const FilmOptions& options) {
  if (pictures.empty()) return request_error("no film: there are no pictures to make it from");
  if (!(options.frames_per_second > 0))
    return request_error("no film: {} frames per second", options.frames_per_second);
  const std::filesystem::path part = path.string() + ".part.mp4";
  const std::filesystem::path complaints = path.string() + ".log";
  const std::string rate = fmt::format("{:.9g}", options.frames_per_second);
  // yuv420p needs even sides: an odd picture loses its last row or column.
  auto child = start({options.ffmpeg,
                      "-y",
                      "-loglevel",
                      "error",
                      "-f",
                      "image2pipe",
                      "-framerate",
                      rate,
                      "-c:v",
                      "png",
                      "-i",
                      "-",
                      "-vf",
                      "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                      "-c:v",
                      "libx264",
                      "-preset",
                      "medium",
                      "-crf",
                      "17",
                      "-pix_fmt",
                      "yuv420p",
                      "-color_primaries",
                      "bt709",
                      "-color_trc",
                      "iec61966-2-1",
                      "-colorspace",
                      "bt709",
                      "-r",
                      rate,
                      "-movflags",
                      "+faststart",
                      part.string()},
                     complaints);
  if (!child) return child.error();
  {
    const IgnoreBrokenPipe guard;
    for (const auto& picture : pictures)
      if (!feed(child->input, read_all(picture))) break;
    close(child->input);
  }
  int state = 0;
  while (waitpid(child->id, &state, 0) < 0 && errno == EINTR) {
  }
  const std::string said = last_line(read_all(complaints));
  std::error_code code;
  std::filesystem::remove(complaints, code);
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
    std::filesystem::remove(part, code);
    return work_error("no film: ffmpeg failed{}{}; the pictures are kept", said.empty() ? "" : ": ",
                      said);
  }
  std::filesystem::rename(part, path, code);
  if (code) return work_error("cannot rename the film to {}: {}", path.string(), code.message());
  return {};
}

}  // namespace talus
