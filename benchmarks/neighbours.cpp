// Neighbour search: sorting, listing and one full sweep, against streaming the same arrays once.

#include "cases.h"
#include "core/random.h"
#include "geometry/cell_grid.h"
#include "geometry/cluster_pairs.h"
#include "math/wide.h"
#include "stream.h"

#include <cmath>
#include <memory>

namespace talus {

namespace {

struct Cloud {
  std::vector<Vec3f> points;
  std::vector<Float4> packed;
  CellGrid grid;
  BoxTree boxes, none;
  ClusterPairs pairs;

  explicit Cloud(int side) {
    for (int z = 0; z < side; ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
          const auto r = random_floats(1, points.size(), Purpose::test);
          points.push_back({static_cast<float>(x) + r[0], static_cast<float>(y) + r[1],
                            static_cast<float>(z) + r[2]});
        }
    packed.resize(ClusterPairs::cluster_count(points.size()) * ClusterPairs::width);
  }

  void sort(float radius, const Executor& executor) {
    grid.build(points, radius, executor);
    const auto order = grid.order();
    executor.for_each(packed.size(), [&](std::size_t k) {
      const Vec3f& p = points[order[std::min(k, points.size() - 1)]];
      packed[k] = {p.x, p.y, p.z, 1};
    });
  }

  /// Number of pairs closer than the radius, counted by all lanes of all clusters.
  double sweep(float radius, const Executor& executor) const {
    const WideFloat radius2(radius * radius), one(1.0f), zero(0.0f);
    return executor.reduce(
        pairs.clusters(), 0.0,
        [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t c = begin; c < end; ++c) {
            float lanes[3][wide_width];
            for (int k = 0; k < wide_width; ++k) {
              const Float4& p = packed[c * ClusterPairs::width + static_cast<std::size_t>(k)];
              lanes[0][k] = p.x;
              lanes[1][k] = p.y;
              lanes[2][k] = p.z;
            }
            const WideVec3 x{load_wide(lanes[0]), load_wide(lanes[1]), load_wide(lanes[2])};
            WideFloat count(0.0f);
            for (const std::uint32_t j : pairs.neighbours(c)) {
              const Float4& p = packed[j];
              const WideVec3 d{x.x - WideFloat(p.x), x.y - WideFloat(p.y), x.z - WideFloat(p.z)};
              count += select(squared_norm(d) <= radius2, one, zero);
            }
            total += sum_lanes(count);
          }
          return total;
        },
        [](double a, double b) { return a + b; });
  }
};

Result<BenchRun> prepare_search(const BenchContext& context) {
  auto cloud = std::make_shared<Cloud>(context.quick ? 30 : 100);
  const float radius = 1.93f;  // 30 neighbours at one point per unit volume
  return BenchRun([cloud, radius, &context] {
    BenchSample sample;
    sample.particles = cloud->points.size();
    PhaseTimers timers;
    const auto& executor = context.executor;
    timers.time("sort", [&] { cloud->sort(radius, executor); });
    timers.time("list", [&] {
      const std::size_t count = cloud->points.size();
      ClusterPairs::enclose(cloud->packed, 0, count, cloud->boxes, executor);
      cloud->pairs.build({cloud->packed, count, cloud->packed.size(), cloud->boxes, cloud->none},
                         radius, executor);
    });
    double pairs = 0;
    timers.time("sweep", [&] { pairs = cloud->sweep(radius, executor); });
    std::uint64_t words = 0;
    timers.time("stream once", [&] {
      words = sum_words(std::as_bytes(std::span<const Vec3f>(cloud->points)), executor) +
              sum_words(std::as_bytes(std::span<const Float4>(cloud->packed)), executor);
    });
    sample.phases = timers.phases();
    const auto n = static_cast<double>(sample.particles);
    double stream = 0;
    for (const Phase& p : sample.phases) {
      if (p.name == "stream once")
        stream = p.seconds;
      else
        sample.seconds += p.seconds;
      sample.figures.push_back({std::string(p.name) + " per point", "ns", p.seconds / n * 1e9});
    }
    sample.figures.push_back({"all over streaming", "1", sample.seconds / stream});
    sample.figures.push_back({"neighbours", "1", pairs / n - 1 + (words == 1 ? 1e-9 : 0)});
    sample.bytes_per_particle =
        static_cast<double>(cloud->grid.memory_bytes() + cloud->pairs.memory_bytes()) / n;
    return sample;
  });
}

}  // namespace

void register_neighbour_cases(BenchRegistry& registry) {
  registry.add({"neighbours/search", "sort, list and sweep 1 M points with 30 neighbours each",
                prepare_search});
}

}  // namespace talus
