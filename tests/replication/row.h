// A row of docs/replication.md under test.
#pragma once

#include "run/grain_scale.h"
#include "run/simulation.h"
#include "scene/read_scene.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace talus {

/// A scene of scenes/, at its small size if not told otherwise, without files.
class Row {
 public:
  /// `edit` makes a control of it that no key can make: leaves out a body or what was filled.
  explicit Row(
      const std::string& name, const SceneOverrides& changes = {"size=small"},
      const std::function<void(Scene&)>& edit = [](Scene&) {})
      : executor_(2) {
    auto scene = read_scene(TALUS_SOURCE_DIR "/scenes/" + name + ".toml", changes);
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().message);
    if (!scene.ok()) return;
    edit(*scene);
    auto created = Simulation::create(std::move(*scene), executor_);
    EXPECT_TRUE(created.ok()) << (created.ok() ? "" : created.error().message);
    if (created.ok()) simulation_ = std::move(*created);
  }

  Simulation* operator->() { return simulation_.get(); }
  explicit operator bool() const { return simulation_ != nullptr; }

  /// False, and a failure, when a step fails.
  bool run_until(double time) {
    while (simulation_->time() < time - 1e-9) {
      const auto step = simulation_->step();
      if (!step.ok()) {
        ADD_FAILURE() << step.error().message;
        return false;
      }
    }
    return true;
  }
  bool run_to_end() { return run_until(simulation_->scene().duration); }

  std::span<const Vec3f> positions() const {
    return simulation_->particles().values<Vec3f>("position");
  }
  /// Below it lies `share` of a material's particles, m.
  double height(double share, std::uint32_t material = 0) const {
    return quantile(share, material, 2);
  }
  double quantile(double share, std::uint32_t material, int axis) const {
    const auto of = simulation_->particles().values<std::uint32_t>("material");
    std::vector<float> values;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] == material) values.push_back(positions()[i][axis]);
    std::sort(values.begin(), values.end());
    return values.empty() ? 0
                          : double{values[static_cast<std::size_t>(
                                share * static_cast<double>(values.size() - 1))]};
  }
  const BodyState& body(const std::string& name) const {
    const auto bodies = simulation_->bodies();
    const auto found =
        std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
    EXPECT_NE(found, bodies.end()) << name;
    return found->state;
  }

  /// How far the particle that is deepest in a body is inside it, m; negative when none is.
  double deepest_in_solids() const {
    double deepest = -1e300;
    for (const Body& b : simulation_->bodies())
      for (const Vec3f& x : positions()) {
        const Vec3f local(b.state.pose.to_body(Vec3d(x)) - b.field_offset);
        deepest = std::max(deepest, -double{b.field->sample(local).distance});
      }
    return deepest;
  }
  /// After the run: all there, finite, calm and outside of all bodies.
  void expect_sane(double calm) const {
    const double spacing = finest_spacing(simulation_->scene());
    double fastest = 0;
    for (const Vec3f& x : positions())
      ASSERT_TRUE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z));
    double mean = 0;
    const auto velocity = simulation_->particles().values<Vec3f>("velocity");
    for (const Vec3f& v : velocity) {
      mean += double{norm(v)} / static_cast<double>(velocity.size());
      fastest = std::max(fastest, double{norm(v)});
    }
    EXPECT_LT(deepest_in_solids(), 0.5 * spacing);
    EXPECT_LT(mean, calm);
    EXPECT_LT(fastest, 15);
  }

 private:
  Executor executor_;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace talus
