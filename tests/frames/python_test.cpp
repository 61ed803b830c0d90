// The Python lines of docs/run-folder.md, taken from the page and run: they must read a frame
// without Talus, in fewer than 20 lines.
#include "frames/frame.h"
#include "frames/sample_frame.h"
#include "frames/scratch_folder.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace talus {
namespace {

std::string snippet_from_docs() {
  std::ifstream page(TALUS_SOURCE_DIR "/docs/run-folder.md");
  std::string line, text;
  bool inside = false;
  while (std::getline(page, line)) {
    if (!inside && line == "```python") {
      inside = true;
    } else if (inside && line == "```") {
      return text;
    } else if (inside) {
      text += line + "\n";
    }
  }
  return {};
}

TEST(PythonSnippet, ReadsAFrameWithoutTalus) {
  if (std::system("/usr/bin/python3 -c 'import numpy, zstandard' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-numpy or python3-zstandard is not installed";
  ScratchFolder folder;
  Executor executor(1);
  const std::string snippet = snippet_from_docs();
  ASSERT_FALSE(snippet.empty());
  EXPECT_LT(std::count(snippet.begin(), snippet.end(), '\n'), 20);
  const SampleStore sample = sample_store(200000);
  ASSERT_TRUE(write_frame(folder / "f.tal", sample_info(), sample.store, {}, 5, executor).ok());
  ASSERT_TRUE(write_frame(folder / "e.tal", {}, sample_store(0).store, {}, 5, executor).ok());
  auto frame = FrameFile::open(folder / "f.tal");
  const auto position = *frame->read<Vec3f>("position", executor);
  const auto shade = *frame->read<std::uint8_t>("shade", executor);
  std::ofstream script(folder / "test.py");
  script << snippet << "\n"
         << "assert info['frame'] == 12 and info['bodies'][0]['force'][0] == 9.81\n"
         << "assert (field['id'] == numpy.arange(200000)).all()\n"
         << "assert field['material'][3] == 1 and field['radius'].shape == (200000,)\n"
         << "assert field['position'].shape == (200000, 3)\n"
         << "assert field['position'][123456, 2] == numpy.float32('"
         << fmt::format("{:.9g}", position[123456].z) << "')\n"
         << "assert field['shade'][7] == " << int{shade[7]} << "\n"
         << "empty = read_frame('" << (folder / "e.tal").string() << "')[1]\n"
         << "assert empty['position'].shape == (0, 3)\n";
  script.close();
  const std::string command = "/usr/bin/python3 " + (folder / "test.py").string() + " " +
                              (folder / "f.tal").string() + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace talus
