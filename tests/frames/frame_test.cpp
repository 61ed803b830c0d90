#include "frames/frame.h"

#include "frames/sample_frame.h"
#include "frames/scratch_folder.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(Frame, RoundTripSortsById) {
  ScratchFolder folder;
  Executor executor(2);
  for (std::uint64_t stride : {1u, 1000u}) {
    const SampleStore sample = sample_store(5000, stride);
    const FrameInfo info = sample_info();
    const std::vector<std::string> extra{"stress"};
    ASSERT_TRUE(write_frame(folder / "f.tal", info, sample.store, extra, 9, executor).ok());
    auto frame = FrameFile::open(folder / "f.tal");
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    EXPECT_EQ(frame->count(), 5000u);
    EXPECT_TRUE(frame->has("stress"));
    EXPECT_FALSE(frame->has("memory")) << "a field for checkpoints only";
    auto id = frame->read<std::uint64_t>("id", executor);
    auto position = frame->read<Vec3f>("position", executor);
    auto stress = frame->read<Sym3f>("stress", executor);
    auto shade = frame->read<std::uint8_t>("shade", executor);
    ASSERT_TRUE(id.ok() && position.ok() && stress.ok() && shade.ok());
    for (std::size_t i = 0; i < 5000; ++i) {
      const std::uint64_t expected = i * stride;
      ASSERT_EQ((*id)[i], expected);
      ASSERT_EQ((*position)[i], sample_vector(expected, 1));
      ASSERT_EQ((*stress)[i].yz, static_cast<float>(expected));
      ASSERT_EQ((*shade)[i], random_words(9, expected, Purpose::colour)[0] >> 24);
    }
  }
}

TEST(Frame, MetadataKeepsEveryBit) {
  ScratchFolder folder;
  Executor executor(1);
  const FrameInfo info = sample_info();
  ASSERT_TRUE(write_frame(folder / "f.tal", info, sample_store(3).store, {}, 0, executor).ok());
  auto frame = FrameFile::open(folder / "f.tal");
  ASSERT_TRUE(frame.ok());
  const FrameInfo& read = frame->info();
  EXPECT_EQ(read.scene, info.scene);
  EXPECT_EQ(read.index, info.index);
  EXPECT_EQ(read.time, info.time);
  EXPECT_EQ(read.interval, info.interval);
  EXPECT_EQ(read.step, info.step);
  ASSERT_EQ(read.bodies.size(), 1u);
  EXPECT_EQ(read.bodies[0].name, info.bodies[0].name);
  EXPECT_EQ(read.bodies[0].state.pose, info.bodies[0].state.pose);
  EXPECT_EQ(read.bodies[0].state.angular_velocity, info.bodies[0].state.angular_velocity);
  EXPECT_EQ(read.bodies[0].load.torque, info.bodies[0].load.torque);
  ASSERT_EQ(read.materials.size(), 2u);
  EXPECT_EQ(read.materials[0].colour, info.materials[0].colour);
  EXPECT_EQ(read.materials[0].colour_variation, 0.2f);
  EXPECT_EQ(frame->fields()[1].unit, "m");
}

TEST(Frame, SameBytesForAnyThreadCount) {
  ScratchFolder folder;
  const SampleStore sample = sample_store(300000);  // several blocks for each field
  std::vector<std::byte> first;
  for (int threads : {1, 2, 3, 8}) {
    Executor executor(threads);
    ASSERT_TRUE(write_frame(folder / "f.tal", sample_info(), sample.store, {}, 1, executor).ok());
    const auto bytes = file_bytes(folder / "f.tal");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads << " threads";
  }
  Executor executor(2);
  auto frame = FrameFile::open(folder / "f.tal");
  auto velocity = frame->read<Vec3f>("velocity", executor);
  ASSERT_TRUE(velocity.ok());
  EXPECT_EQ((*velocity)[299999], sample_vector(299999, 2));
}

TEST(Frame, EmptyAndColumnsAsGiven) {
  ScratchFolder folder;
  Executor executor(1);
  ASSERT_TRUE(
      write_frame(folder / "e.tal", sample_info(), sample_store(0).store, {}, 0, executor).ok());
  auto empty = FrameFile::open(folder / "e.tal");
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_EQ(empty->count(), 0u);
  EXPECT_TRUE(empty->read<Vec3f>("position", executor).ok());

  const std::vector<float> values{3, 1, 2};
  const FrameColumn column{{"mass", "kg", FieldType::f32, FieldUse::frame, ""},
                           std::as_bytes(std::span(values))};
  ASSERT_TRUE(write_frame(folder / "c.tal", {}, std::span(&column, 1), executor).ok());
  auto frame = FrameFile::open(folder / "c.tal");
  EXPECT_EQ(*frame->read<float>("mass", executor), values);
}

TEST(Frame, WrongFieldSaysWhatThereIs) {
  ScratchFolder folder;
  Executor executor(1);
  ASSERT_TRUE(write_frame(folder / "f.tal", {}, sample_store(3).store, {}, 0, executor).ok());
  auto frame = FrameFile::open(folder / "f.tal");
  const auto missing = frame->read<float>("pressure", executor);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("it has id, position"), std::string::npos);
  const auto wrong_type = frame->read<float>("position", executor);
  ASSERT_FALSE(wrong_type.ok());
  EXPECT_NE(wrong_type.error().message.find("vec3f, not f32"), std::string::npos);
}

TEST(Frame, UnwritablePlacesAreNamed) {
  Executor executor(1);
  const auto status = write_frame("/nonexistent/f.tal", {}, sample_store(3).store, {}, 0, executor);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::work);
  EXPECT_NE(status.error().message.find("/nonexistent/f.tal"), std::string::npos);
  EXPECT_FALSE(FrameFile::open("/nonexistent/f.tal").ok());
  EXPECT_FALSE(FrameFile::open("/tmp").ok());
}

TEST(Frame, GrainColourSpreadsAroundTheMaterial) {
  const FrameMaterial material{"sand", {0.5f, 0.4f, 0.2f}, 0.1f};
  EXPECT_FLOAT_EQ(grain_colour(material, 255)[0], 0.55f);
  EXPECT_FLOAT_EQ(grain_colour(material, 0)[2], 0.18f);
}

}  // namespace
}  // namespace talus
