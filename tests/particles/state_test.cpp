#include "particles/state.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace talus {
namespace {

TEST(State, ReturnsWhatWasPut) {
  State state;
  state.put("time", 1.25);
  std::vector<float> values{1, 2, 3};
  state.put("values", std::span<const float>(values));
  double time = 0;
  ASSERT_TRUE(state.get("time", time));
  EXPECT_EQ(time, 1.25);
  std::vector<float> back;
  ASSERT_TRUE(state.get("values", back));
  EXPECT_EQ(back, values);
}

TEST(State, AWritableSpanIsStoredByItsItems) {
  State state;
  std::vector<std::uint32_t> values{7, 8, 9};
  state.put("values", std::span<std::uint32_t>(values));
  std::vector<std::uint32_t> back;
  ASSERT_TRUE(state.get("values", back));
  EXPECT_EQ(back, values);
}

TEST(State, EmptyArraysAreValues) {
  State state;
  state.put("none", std::span<const float>());
  std::vector<float> back{1, 2};
  ASSERT_TRUE(state.get("none", back));
  EXPECT_TRUE(back.empty());
}

TEST(State, RefusesMissingNamesAndOtherTypes) {
  State state;
  state.put("time", 1.25);
  float narrow = 0;
  const Status wrong_type = state.get("time", narrow);
  ASSERT_FALSE(wrong_type);
  EXPECT_NE(wrong_type.error().message.find("'time'"), std::string::npos);
  double missing = 0;
  EXPECT_FALSE(state.get("tiem", missing));
  const std::vector<double> two{1, 2};
  state.put("two", std::span<const double>(two));
  EXPECT_FALSE(state.get("two", missing)) << "two items are not one value";
}

struct Small {
  ParticleStore store;
  Field<float> mass = store.add_field<float>("mass", "kg", FieldUse::state, "");
  Field<Vec3f> position = store.add_field<Vec3f>("position", "m", FieldUse::frame, "");
};

TEST(State, StoresComeBackBitForBit) {
  Small a;
  a.store.resize(100);
  for (std::size_t i = 0; i < 100; ++i) a.store[a.mass][i] = 1.0f / static_cast<float>(i + 1);
  a.store[a.mass][3] = std::numeric_limits<float>::quiet_NaN();
  State state;
  state.put_store("sand", a.store);
  Small b;
  b.store.resize(7);
  ASSERT_TRUE(state.get_store("sand", b.store));
  ASSERT_EQ(b.store.size(), 100u);
  for (std::size_t f = 0; f < 2; ++f)
    EXPECT_TRUE(std::ranges::equal(a.store.bytes(f), b.store.bytes(f)));
}

TEST(State, RefusesAStoreWithOtherFieldsOrUnevenOnes) {
  Small a;
  a.store.resize(5);
  State state;
  state.put_store("sand", a.store);
  Small more;
  more.store.add_field<float>("heat", "K", FieldUse::state, "");
  EXPECT_FALSE(state.get_store("sand", more.store));
  EXPECT_FALSE(state.get_store("snad", a.store));
  state.entries().at("sand/mass").data.resize(4 * sizeof(float));
  const Status uneven = state.get_store("sand", a.store);
  ASSERT_FALSE(uneven);
  EXPECT_NE(uneven.error().message.find("others have"), std::string::npos);
  EXPECT_EQ(a.store.size(), 5u) << "a refused checkpoint leaves the store alone";
}

}  // namespace
}  // namespace talus
