#include "particles/store.h"

#include "core/parallel.h"
#include "core/random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace talus {
namespace {

/// A store with a field of every item size.
struct Full {
  ParticleStore store;
  Field<std::uint64_t> id = store.add_field<std::uint64_t>("id", "1", FieldUse::frame, "identity");
  Field<Vec3f> position = store.add_field<Vec3f>("position", "m", FieldUse::frame, "centre");
  Field<Vec3d> exact = store.add_field<Vec3d>("exact", "m", FieldUse::state, "in double");
  Field<Sym3f> stress = store.add_field<Sym3f>("stress", "Pa", FieldUse::state, "stress");
  Field<Quatf> rotation = store.add_field<Quatf>("rotation", "1", FieldUse::frame, "orientation");
  Field<float> radius = store.add_field<float>("radius", "m", FieldUse::frame, "radius");
  Field<double> mass = store.add_field<double>("mass", "kg", FieldUse::state, "mass");
  Field<std::uint8_t> asleep =
      store.add_field<std::uint8_t>("asleep", "1", FieldUse::state, "flag");
  Field<std::uint32_t> material =
      store.add_field<std::uint32_t>("material", "1", FieldUse::frame, "index");

  /// Values from which the particle can be recognised in every field.
  void fill() {
    for (std::size_t i = 0; i < store.size(); ++i) set(i, i + 1);
  }
  void set(std::size_t i, std::uint64_t n) {
    const auto f = static_cast<float>(n);
    store[id][i] = n;
    store[position][i] = {f, f + 0.25f, f + 0.5f};
    store[exact][i] = Vec3d(store[position][i]);
    store[stress][i] = {f, f, f, -f, -f, -f};
    store[rotation][i] = {f, 0, 0, f};
    store[radius][i] = f;
    store[mass][i] = 2.0 * f;
    store[asleep][i] = static_cast<std::uint8_t>(n);
    store[material][i] = static_cast<std::uint32_t>(n);
  }
  void expect_particle(std::size_t i, std::uint64_t n) const {
    const ParticleStore& s = store;
    const auto f = static_cast<float>(n);
    ASSERT_EQ(s[id][i], n);
    ASSERT_EQ(s[position][i], (Vec3f{f, f + 0.25f, f + 0.5f}));
    ASSERT_EQ(s[exact][i], Vec3d(s[position][i]));
    ASSERT_EQ(s[stress][i], (Sym3f{f, f, f, -f, -f, -f}));
    ASSERT_EQ(s[rotation][i], (Quatf{f, 0, 0, f}));
    ASSERT_EQ(s[radius][i], f);
    ASSERT_EQ(s[mass][i], 2.0 * static_cast<double>(f));
    ASSERT_EQ(s[asleep][i], static_cast<std::uint8_t>(n));
    ASSERT_EQ(s[material][i], static_cast<std::uint32_t>(n));
  }
};

TEST(Store, FieldsAreRegisteredWithNameUnitAndType) {
  const Full full;
  ASSERT_EQ(full.store.field_count(), 9u);
  const int index = full.store.find("stress");
  ASSERT_GE(index, 0);
  const FieldInfo& info = full.store.info(static_cast<std::size_t>(index));
  EXPECT_EQ(info.unit, "Pa");
  EXPECT_EQ(info.type, FieldType::sym3f);
  EXPECT_EQ(info.use, FieldUse::state);
  EXPECT_EQ(full.store.find("strss"), -1);
}

TEST(Store, TypesKnowTheirSize) {
  EXPECT_EQ(bytes_per_item(FieldType::u8), sizeof(std::uint8_t));
  EXPECT_EQ(bytes_per_item(FieldType::vec3f), sizeof(Vec3f));
  EXPECT_EQ(bytes_per_item(FieldType::vec3d), sizeof(Vec3d));
  EXPECT_EQ(bytes_per_item(FieldType::sym3f), sizeof(Sym3f));
  EXPECT_EQ(bytes_per_item(FieldType::quatf), sizeof(Quatf));
  EXPECT_EQ(components(FieldType::sym3f), 6);
  EXPECT_EQ(type_name(FieldType::u64), "u64");
}

TEST(StoreDeathTest, ANameCannotBeRegisteredTwice) {
  Full full;
  EXPECT_DEATH(full.store.add_field<float>("radius", "m", FieldUse::frame, ""), "registered twice");
}

TEST(Store, GrowthKeepsValuesAndZeroesNewItems) {
  Full full;
  full.store.resize(10);
  full.fill();
  full.store.resize(100'000);
  for (std::size_t i = 0; i < 10; ++i) full.expect_particle(i, i + 1);
  EXPECT_EQ(full.store[full.id][10], 0u);
  EXPECT_EQ(full.store[full.stress][99'999], Sym3f{});
}

TEST(Store, ItemsThatComeBackAfterShrinkingAreZero) {
  Full full;
  full.store.resize(100);
  full.fill();
  full.store.resize(40);
  full.store.resize(100);
  for (std::size_t i = 0; i < 40; ++i) full.expect_particle(i, i + 1);
  for (std::size_t i = 40; i < 100; ++i) {
    ASSERT_EQ(full.store[full.position][i], Vec3f{});
    ASSERT_EQ(full.store[full.asleep][i], 0);
  }
}

TEST(Store, AFieldAddedLateIsZero) {
  Full full;
  full.store.resize(50);
  const auto late = full.store.add_field<float>("late", "1", FieldUse::state, "");
  ASSERT_EQ(full.store[late].size(), 50u);
  for (const float v : full.store[late]) EXPECT_EQ(v, 0.0f);
}

TEST(Store, ReorderMovesEveryFieldForAnyThreadCount) {
  constexpr std::size_t n = 20'000;
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](std::uint32_t a, std::uint32_t b) {
    return random_words(1, a, Purpose::test) < random_words(1, b, Purpose::test);
  });
  for (const int threads : {1, 2, 3, 8}) {
    Full full;
    full.store.resize(n);
    full.fill();
    full.store.reorder(order, Executor(threads));
    for (std::size_t i = 0; i < n; ++i) full.expect_particle(i, order[i] + 1u);
  }
}

TEST(StoreDeathTest, ReorderAndCompactNeedOneEntryPerParticle) {
  Full full;
  full.store.resize(4);
  const std::vector<std::uint32_t> order{0, 1, 2};
  EXPECT_DEATH(full.store.reorder(order, Executor(1)), "order 3 from 0 size 4");
  const std::vector<std::uint8_t> keep{1};
  EXPECT_DEATH(full.store.compact(keep), "keep 1 size 4");
}

TEST(Store, CompactKeepsOrder) {
  Full full;
  full.store.resize(1000);
  full.fill();
  std::vector<std::uint8_t> keep(1000);
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < 1000; ++i) {
    keep[i] = random_words(4, i, Purpose::test)[0] % 3 != 0;
    if (keep[i]) expected.push_back(i + 1);
  }
  full.store.compact(keep);
  ASSERT_EQ(full.store.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) full.expect_particle(i, expected[i]);
}

TEST(Store, CompactToNothingAndOnEmpty) {
  Full full;
  full.store.compact({});
  EXPECT_TRUE(full.store.empty());
  full.store.resize(3);
  full.store.compact(std::vector<std::uint8_t>(3, 0));
  EXPECT_TRUE(full.store.empty());
}

TEST(Store, ASteadyCountAllocatesNothing) {
  Full full;
  const Executor executor(2);
  full.store.resize(5000);
  full.fill();
  std::vector<std::uint32_t> order(5000);
  std::iota(order.rbegin(), order.rend(), 0u);
  full.store.reorder(order, executor);
  const void* data = full.store.bytes(1).data();
  const std::size_t memory = full.store.memory_bytes();
  for (int step = 0; step < 20; ++step) {
    full.store.resize(4000);
    full.store.resize(5000);
    full.store.reorder(order, executor);
  }
  EXPECT_EQ(full.store.bytes(1).data(), data);
  EXPECT_EQ(full.store.memory_bytes(), memory);
}

TEST(Store, PouringParticleByParticleRarelyReallocates) {
  Full full;
  int moves = 0;
  const void* data = nullptr;
  for (std::size_t n = 1; n <= 20'000; ++n) {
    full.store.resize(n);
    moves += full.store.bytes(0).data() != data;
    data = full.store.bytes(0).data();
  }
  EXPECT_LT(moves, 60);
}

TEST(Store, ArraysStartOnACacheLine) {
  Full full;
  full.store.resize(123);
  for (std::size_t f = 0; f < full.store.field_count(); ++f)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(full.store.bytes(f).data()) % 64, 0u);
}

TEST(Store, SharedFieldsKeepTheirValues) {
  Full full;
  full.store.resize(100);
  full.fill();
  const SharedField held = full.store.share(0);
  EXPECT_EQ(held.info.name, "id");
  EXPECT_EQ(held.count, 100u);
  const auto* ids = reinterpret_cast<const std::uint64_t*>(held.items.get());
  EXPECT_EQ(static_cast<const void*>(ids), static_cast<const void*>(full.store.bytes(0).data()));
  const void* other = full.store.bytes(1).data();

  full.store.unshare();
  EXPECT_NE(static_cast<const void*>(ids), static_cast<const void*>(full.store.bytes(0).data()));
  EXPECT_EQ(other, static_cast<const void*>(full.store.bytes(1).data())) << "nobody held this one";
  for (std::size_t i = 0; i < 100; ++i) full.store[full.id][i] = 7;
  full.store.resize(1000);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(ids[i], i + 1);
  EXPECT_EQ(full.store[full.id][99], 7u);
}

TEST(Store, SharedFieldsOutliveTheStoreAndItsGrowth) {
  SharedField held;
  {
    Full full;
    full.store.resize(10);
    full.fill();
    held = full.store.share(0);
    full.store.resize(1'000'000);
  }
  EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(held.items.get())[9], 10u);
}

TEST(Store, MovingTakesTheArraysAlong) {
  Full full;
  full.store.resize(8);
  full.fill();
  const ParticleStore moved = std::move(full.store);
  EXPECT_EQ(moved.size(), 8u);
  EXPECT_EQ(moved[full.id][7], 8u);
}

}  // namespace
}  // namespace talus
