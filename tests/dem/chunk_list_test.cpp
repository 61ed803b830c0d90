// The lists of single chunks.
#include "dem/contact_list.h"

#include <gtest/gtest.h>

namespace talus::dem {
namespace {

/// Six grains of two spheres; the chunk has grains 2 and 3.
TEST(ChunkList, KnowsTheGrainsOfOtherChunksThatItTouches) {
  const std::vector<std::uint32_t> owner{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  ChunkList list;
  list.begin = 2;
  list.end = 4;
  list.first_sphere = 4;
  constexpr std::uint32_t image = 5u << image_bit, rough = 12;
  const std::vector<std::array<std::uint32_t, 2>> pairs{
      {4, 6},           // inside
      {5, 10 | image},  // across the border of a periodic world
      {7, 11},          // the same grain once more
      {1, 5},           // of a chunk before
      {6, rough},       // with a body
      {4, 8}};          // apart: not looked at in every step
  for (const auto& [a, b] : pairs) {
    list.first.push_back(a);
    list.second.push_back(b);
  }
  list.class_starts.fill(6);
  list.class_starts[0] = 0;
  list.class_starts[1] = 5;
  list.note_guests(owner, 8);
  EXPECT_EQ(std::vector<std::uint32_t>(list.guests.begin(), list.guests.end()),
            (std::vector<std::uint32_t>{0, 5}));
}

}  // namespace
}  // namespace talus::dem
