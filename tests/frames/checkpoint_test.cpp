#include "frames/checkpoint.h"

#include "frames/atomic_file.h"
#include "frames/sample_frame.h"
#include "frames/scratch_folder.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

struct Wide {
  double values[40];
};

State sample_state() {
  State state;
  state.put_store("particles", sample_store(1000).store);
  state.put("time", 1.25);
  state.put("steps", std::uint64_t{77});
  state.put("nothing", std::span<const float>());
  Wide wide{};
  wide.values[39] = 3;
  state.put("wide", wide);
  return state;
}

TEST(Checkpoint, RoundTrip) {
  ScratchFolder folder;
  Executor executor(2);
  const State state = sample_state();
  ASSERT_TRUE(write_checkpoint(folder / "c.tal", state, executor).ok());
  auto read = read_checkpoint(folder / "c.tal", executor);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->entries().size(), state.entries().size());
  for (const auto& [name, entry] : state.entries()) {
    const State::Entry* other = read->find(name);
    ASSERT_NE(other, nullptr) << name;
    EXPECT_EQ(other->item_bytes, entry.item_bytes) << name;
    EXPECT_EQ(other->data, entry.data) << name;
  }
  SampleStore restored = sample_store(0);
  ASSERT_TRUE(read->get_store("particles", restored.store).ok());
  EXPECT_EQ(restored.store.size(), 1000u);
}

TEST(Checkpoint, DamageIsFoundEverywhere) {
  ScratchFolder folder;
  Executor executor(1);
  State state;
  state.put("time", 1.25);
  state.put_store("particles", sample_store(9).store);
  ASSERT_TRUE(write_checkpoint(folder / "c.tal", state, executor).ok());
  const auto bytes = file_bytes(folder / "c.tal");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{0x11};
    if (const auto read = read_checkpoint_memory(damaged, executor); read.ok()) {
      for (const auto& [name, entry] : state.entries()) {
        EXPECT_EQ(read->find(name)->data, entry.data) << "byte " << at;
      }
    }
    damaged = bytes;
    damaged.resize(at);
    EXPECT_FALSE(read_checkpoint_memory(damaged, executor).ok()) << "cut to " << at;
  }
}

TEST(Checkpoint, AFailedWriteKeepsTheOldOne) {
  ScratchFolder folder;
  Executor executor(1);
  State old_state;
  old_state.put("time", 1.0);
  ASSERT_TRUE(write_checkpoint(folder / "c.tal", old_state, executor).ok());
  // A folder in the place of the temporary file makes the write fail, for root too.
  std::filesystem::create_directory(folder / "c.tal.tmp");
  State new_state;
  new_state.put("time", 2.0);
  EXPECT_FALSE(write_checkpoint(folder / "c.tal", new_state, executor).ok());
  auto read = read_checkpoint(folder / "c.tal", executor);
  ASSERT_TRUE(read.ok());
  double time = 0;
  ASSERT_TRUE(read->get("time", time).ok());
  EXPECT_EQ(time, 1.0);
}

TEST(AtomicFile, WithoutCommitNothingHappened) {
  ScratchFolder folder;
  {
    auto file = AtomicFile::create(folder / "a.txt");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->append(std::as_bytes(std::span("text", 4))).ok());
    EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace talus
