// Damaged files: each must be refused with a message that names the file, and none may crash.
#include "frames/checkpoint.h"
#include "frames/frame.h"
#include "frames/sample_frame.h"
#include "frames/scratch_folder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace talus {
namespace {

using Content = std::vector<std::vector<std::byte>>;

/// All fields of a frame; empty when it or one of them is refused.
Content content_of(const std::vector<std::byte>& bytes, const Executor& executor) {
  auto frame = FrameFile::open_memory(bytes);
  if (!frame.ok()) return {};
  Content content;
  for (std::size_t f = 0; f < frame->fields().size(); ++f) {
    auto field = frame->read_bytes(f, executor);
    if (!field.ok()) return {};
    content.push_back(std::move(*field));
  }
  return content;
}

bool reads(const std::vector<std::byte>& bytes, const Executor& executor) {
  return !content_of(bytes, executor).empty();
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        write_frame(folder / "f.tal", sample_info(), sample_store(40).store, {}, 0, executor).ok());
    bytes = file_bytes(folder / "f.tal");
    ASSERT_TRUE(reads(bytes, executor));
  }
  ScratchFolder folder;
  Executor executor{1};
  std::vector<std::byte> bytes;
};

// A few bits inside a zstd frame mean nothing (unused ends of its tables): flipping one of those is
// no damage. Whatever is read must be what was written.
TEST_F(Damage, NoFlippedBitChangesWhatIsRead) {
  const Content whole = content_of(bytes, executor);
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit : {0, 3, 7}) {
      auto damaged = bytes;
      damaged[at] ^= std::byte{1} << bit;
      const Content content = content_of(damaged, executor);
      if (content.empty()) continue;
      EXPECT_EQ(content, whole) << "byte " << at << " bit " << bit;
      ++harmless;
    }
  }
  EXPECT_LT(harmless, bytes.size() * 3 / 100);
}

TEST_F(Damage, EveryTruncationIsFound) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<long>(size));
    EXPECT_FALSE(reads(cut, executor)) << "cut to " << size;
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(reads(longer, executor));
}

TEST_F(Damage, EveryZeroedPageIsFound) {
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    auto damaged = bytes;
    const std::size_t n = std::min<std::size_t>(64, bytes.size() - at);
    std::memset(&damaged[at], 0, n);
    EXPECT_FALSE(reads(damaged, executor)) << "zeros at " << at;
  }
}

TEST_F(Damage, MessagesNameTheFileAndTheFault) {
  const auto message = [&](std::vector<std::byte> content) {
    put_bytes(folder / "bad.tal", content);
    const auto frame = FrameFile::open(folder / "bad.tal");
    EXPECT_FALSE(frame.ok());
    const std::string text = frame.ok() ? "" : frame.error().message;
    EXPECT_NE(text.find((folder / "bad.tal").string()), std::string::npos) << text;
    return text;
  };
  auto cut = bytes;
  cut.resize(cut.size() - 5);
  EXPECT_NE(message(cut).find("cut short"), std::string::npos);
  EXPECT_NE(message({}).find("0 bytes"), std::string::npos);
  auto newer = bytes;
  newer[8] = std::byte{2};
  EXPECT_NE(message(newer).find("Update Talus"), std::string::npos);
  auto other = bytes;
  std::memcpy(other.data(), "PNG12345", 8);
  EXPECT_NE(message(other).find("not a Talus frame"), std::string::npos);
  State state;
  state.put("time", 1.0);
  ASSERT_TRUE(write_checkpoint(folder / "c.tal", state, executor).ok());
  EXPECT_NE(message(file_bytes(folder / "c.tal")).find("checkpoint, not a frame"),
            std::string::npos);
}

TEST_F(Damage, ABadBlockLeavesTheOtherFieldsReadable) {
  auto damaged = bytes;
  damaged[40] ^= std::byte{0xFF};  // inside the first block: the ids
  put_bytes(folder / "bad.tal", damaged);
  auto frame = FrameFile::open(folder / "bad.tal");
  ASSERT_TRUE(frame.ok());
  const auto id = frame->read<std::uint64_t>("id", executor);
  ASSERT_FALSE(id.ok());
  EXPECT_NE(id.error().message.find("block 0 of column 'id'"), std::string::npos);
  EXPECT_TRUE(frame->read<Vec3f>("position", executor).ok());
}

}  // namespace
}  // namespace talus
