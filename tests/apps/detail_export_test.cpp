// From a scene to grains in another program's file, by the program alone: run, detail, export.
#include "frames/scratch_folder.h"
#include "program_call.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace {

TEST(DetailExport, EveryGrainArrivesOnceWithItsRadius) {
  talus::ScratchFolder folder;
  std::ofstream(folder / "s.toml")
      << "[scene]\nduration = 0.04\nframe_rate = 50\n[sph]\nspacing = 0.05\n"
         "[[fill]]\nshape = { type = \"box\", size = [0.3, 0.3, 0.3], position = [0, 0, 0.2] }\n"
         "[[body]]\nshape = { type = \"plane\" }\n";
  const std::string run = "'" + (folder / "run").string() + "'";
  expect_call("run '" + (folder / "s.toml").string() + "' -o " + run, 0, "");
  expect_call("detail " + run + " --factor 8", 0, "grains");
  expect_call("export " + run + " --detail --to npz", 0, "3 files written");
  std::ofstream(folder / "check.py")
      << "import sys, numpy\nsys.path.insert(0, '" TALUS_SOURCE_DIR "/tests/export')\n"
      << "from talus_frame import read_frame\n"
      << "run = sys.argv[1]\n"
      << "base = read_frame(run + '/frames/frame_000002.tal')[1]\n"
      << "fine = numpy.load(run + '/export_npz_detail/detail.000002.npz')\n"
      << "assert len(fine['id']) == len(numpy.unique(fine['id'])) == 8 * len(base['id'])\n"
      << "assert (fine['radius'] > 0).all() and (fine['radius'] < base['radius'].mean()).all()\n"
      << "reach = 2 * base['radius'].max()\n"
      << "assert (fine['position'].min(0) > base['position'].min(0) - reach).all()\n"
      << "assert (fine['position'].max(0) < base['position'].max(0) + reach).all()\n"
      << "assert fine['colour'].shape == fine['position'].shape\n";
  EXPECT_EQ(std::system(("PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 '" +
                         (folder / "check.py").string() + "' " + run)
                            .c_str()),
            0);
}

}  // namespace
