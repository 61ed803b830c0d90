// Channels of Assimp hold keys of position, rotation and scale of a node relative to its parent.
// The pose in the axes of the file is the product over the node and all above it; between keys,
// positions are linear and rotations turn the short way at constant speed.

#include "geometry/node_animation.h"

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace talus {
namespace {

constexpr double usual_ticks = 25;           // per second, where a file does not say
constexpr int steps_between_keys = 8;        // where several nodes of the chain move at once
constexpr double size_tolerance = 1e-3;      // change of size that is taken for rounding
constexpr std::size_t most_poses = 1000000;  // a million frames

const aiNodeAnim* channel_of(const aiAnimation& animation, const aiNode& node) {
  for (unsigned i = 0; i < animation.mNumChannels; ++i)
    if (animation.mChannels[i]->mNodeName == node.mName) return animation.mChannels[i];
  return nullptr;
}

/// Index of the key before `time` and how far on it is to the next one.
template <class Key>
std::pair<unsigned, float> place(const Key* keys, unsigned count, double time) {
  if (count < 2 || time <= keys[0].mTime) return {0, 0.f};
  if (time >= keys[count - 1].mTime) return {count - 1, 0.f};
  const Key* after = std::upper_bound(keys, keys + count, time,
                                      [](double t, const Key& key) { return t < key.mTime; });
  const Key* before = after - 1;
  const double span = after->mTime - before->mTime;
  return {static_cast<unsigned>(before - keys),
          static_cast<float>(span > 0 ? (time - before->mTime) / span : 0)};
}

aiVector3D interpolated(const aiVectorKey* keys, unsigned count, double time) {
  const auto [k, share] = place(keys, count, time);
  if (share == 0) return keys[k].mValue;
  return keys[k].mValue + (keys[k + 1].mValue - keys[k].mValue) * share;
}

aiQuaternion interpolated(const aiQuatKey* keys, unsigned count, double time) {
  const auto [k, share] = place(keys, count, time);
  if (share == 0) return keys[k].mValue;
  aiQuaternion out;
  aiQuaternion::Interpolate(out, keys[k].mValue, keys[k + 1].mValue, share);
  return out.Normalize();
}

/// A node, those above it, and what moves each of them.
struct Chain {
  std::vector<const aiNode*> nodes;  ///< from the node up to the root
  std::vector<const aiNodeAnim*> channels;

  Chain(const aiNode& node, const aiAnimation& animation) {
    for (const aiNode* n = &node; n != nullptr; n = n->mParent) {
      nodes.push_back(n);
      channels.push_back(channel_of(animation, *n));
    }
  }
  std::size_t moving() const {
    return static_cast<std::size_t>(
        std::count_if(channels.begin(), channels.end(), [](auto* c) { return c != nullptr; }));
  }

  aiMatrix4x4 at(double time) const {
    aiMatrix4x4 product;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const aiNodeAnim* c = channels[i];
      if (c == nullptr || c->mNumPositionKeys * c->mNumRotationKeys * c->mNumScalingKeys == 0) {
        product = nodes[i]->mTransformation * product;
        continue;
      }
      product = aiMatrix4x4(interpolated(c->mScalingKeys, c->mNumScalingKeys, time),
                            interpolated(c->mRotationKeys, c->mNumRotationKeys, time),
                            interpolated(c->mPositionKeys, c->mNumPositionKeys, time)) *
                product;
    }
    return product;
  }

  /// The times of all keys, and times between them where motions combine.
  std::vector<double> times() const {
    std::vector<double> all;
    for (const aiNodeAnim* c : channels) {
      if (c == nullptr) continue;
      for (unsigned k = 0; k < c->mNumPositionKeys; ++k) all.push_back(c->mPositionKeys[k].mTime);
      for (unsigned k = 0; k < c->mNumRotationKeys; ++k) all.push_back(c->mRotationKeys[k].mTime);
      for (unsigned k = 0; k < c->mNumScalingKeys; ++k) all.push_back(c->mScalingKeys[k].mTime);
    }
    std::erase_if(all, [](double t) { return !std::isfinite(t); });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (moving() < 2 || all.size() > most_poses / steps_between_keys) return all;
    std::vector<double> fine;
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      for (int k = 0; k < steps_between_keys; ++k)
        fine.push_back(all[i] + (all[i + 1] - all[i]) * k / steps_between_keys);
    fine.push_back(all.back());
    return fine;
  }
};

struct Decomposed {
  Posed pose;
  double size;
};

Decomposed decompose(const aiMatrix4x4& matrix, double scale) {
  aiVector3D size, position;
  aiQuaternion rotation;
  matrix.Decompose(size, rotation, position);
  return {{scale * Vec3d{position.x, position.y, position.z},
           normalized(Quatd{rotation.w, rotation.x, rotation.y, rotation.z})},
          std::cbrt(std::abs(double{size.x} * size.y * size.z))};
}

std::string animated_names(const aiScene& scene) {
  std::string names;
  for (unsigned a = 0; a < scene.mNumAnimations; ++a)
    for (unsigned c = 0; c < scene.mAnimations[a]->mNumChannels; ++c) {
      if (names.size() > 400) return names + ", ...";
      names += (names.empty() ? "'" : ", '") +
               std::string(scene.mAnimations[a]->mChannels[c]->mNodeName.C_Str()) + "'";
    }
  return names;
}

Result<NodeAnimation> follow(const std::string& path, const Chain& chain,
                             const aiAnimation& animation, double scale) {
  NodeAnimation out;
  out.node = chain.nodes.front()->mName.C_Str();
  const double ticks = animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : usual_ticks;
  aiMatrix4x4 rest;
  for (const aiNode* node : chain.nodes) rest = node->mTransformation * rest;
  out.rest = decompose(rest, scale).pose;
  double smallest = INFINITY, largest = 0;
  const std::vector<double> times = chain.times();
  if (times.size() > most_poses)
    return request_error("{}: the animation has {} keys; at most {} are possible", path,
                         times.size(), most_poses);
  for (const double time : times) {
    const Decomposed now = decompose(chain.at(time), scale);
    if (!std::isfinite(norm(now.pose.position)) || !std::isfinite(now.pose.rotation.w))
      return request_error(
          "{}: node '{}' is nowhere at {} s: its animation has numbers that are "
          "no numbers",
          path, out.node, time / ticks);
    smallest = std::min(smallest, now.size);
    largest = std::max(largest, now.size);
    out.poses.push_back({time / ticks, now.pose});
  }
  if (largest > smallest * (1 + size_tolerance))
    return request_error(
        "{}: node '{}' changes its size from {:.4g} to {:.4g} times; a rigid body cannot. Remove "
        "the "
        "scaling in the program that made it",
        path, out.node, smallest, largest);
  return out;
}

}  // namespace

Result<NodeAnimation> read_node_animation(const std::string& path, const std::string& node,
                                          double scale) {
  if (!(std::isfinite(scale) && scale > 0))
    return request_error("{}: the scale must be above 0; it is {}", path, scale);
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    return request_error("{}: no such animation file", path);
  Assimp::Importer importer;
  // Otherwise an FBX node becomes a chain of helpers, each with a part of its motion.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  const aiScene* scene = importer.ReadFile(path, aiProcess_GlobalScale);
  if (scene == nullptr || scene->mRootNode == nullptr)
    return request_error("{}: cannot be read: {}", path, importer.GetErrorString());
  if (scene->mNumAnimations == 0 || scene->mAnimations[0]->mNumChannels == 0)
    return request_error("{}: there is no animation in this file", path);
  const aiString name =
      node.empty() ? scene->mAnimations[0]->mChannels[0]->mNodeName : aiString(node);
  const aiNode* found = scene->mRootNode->FindNode(name);
  if (found == nullptr)
    return request_error("{}: there is no node '{}'; these move: {}", path, name.C_Str(),
                         animated_names(*scene));
  for (unsigned a = 0; a < scene->mNumAnimations; ++a) {
    const Chain chain(*found, *scene->mAnimations[a]);
    if (chain.moving() > 0 && !chain.times().empty())
      return follow(path, chain, *scene->mAnimations[a], scale);
  }
  return request_error("{}: node '{}' does not move; these do: {}", path, name.C_Str(),
                       animated_names(*scene));
}

}  // namespace talus
