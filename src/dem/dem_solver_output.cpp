// What others see of the grains: fields of all particles, what only frames hold, checkpoints.
#include "dem/dem_solver_impl.h"
#include "dem/saved_state.h"

#include <algorithm>

namespace talus::dem {

std::span<const Vec3f> DemSolver::positions() {
  if (published_ == Published::nothing) {
    published_ = Published::positions;
    store_.resize(grains_.count);
    const auto x = store_[x_];
    executor_.for_range(grains_.count, 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) x[i] = Vec3f(grains_.position(i));
    });
  }
  return store_[x_];
}

/// Brings the store up to date; only when somebody looks.
void DemSolver::publish() {
  if (published_ == Published::all) return;
  positions();
  published_ = Published::all;
  const auto id = store_[id_];
  const auto v = store_[v_], w = store_[w_];
  const auto radius = store_[radius_];
  const auto material = store_[material_];
  const auto rotation = store_[rotation_];
  const RowPair* motion = listed_ ? records_[now_].motion.data() : grains_.motion.data();
  executor_.for_range(grains_.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      id[i] = grains_.id[i];
      const auto& [velocity, spin] = motion[i];
      v[i] = {velocity.v[0], velocity.v[1], velocity.v[2]};
      w[i] = {spin.v[0], spin.v[1], spin.v[2]};
      radius[i] = 0.5f * grains_.size[i];
      material[i] = grains_.shape[i];
      const Quatd q = grains_.orientation(i);
      rotation[i] = {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
                     static_cast<float>(q.z)};
    }
  });
}

/// The forces that the next step begins with; nothing is stored in the lists.
std::vector<ContactRecord> DemSolver::find_contacts() {
  std::vector<ContactRecord> all;
  if (grains_.count == 0) return all;
  if (listed_ && lists_worn()) measure_travel();
  if (!listed_ || lists_worn()) update_lists();
  place_bodies();
  StepInput in = step_input();
  in.plain = false;
  if (!in.stored_arms) {
    in.stored_arms = true;
    Records& r = records_[now_];
    r.arm.resize(grains_.spheres());
    write_records(table_, grains_, 0, grains_.count, 1 / quantum_, true, r);
  }
  const std::vector<ChunkList>& chunks = lists_.chunks();
  std::vector<std::vector<ContactRecord>> found(chunks.size());
  executor_.run_chunks_with_worker(chunks.size(), [&](std::size_t c, std::size_t worker) {
    ChunkList list = copy_of(chunks[c]);
    ChunkForces& forces = forces_[worker];
    ContactTally tally;
    forces.clear(list.end - list.begin, bodies_.size());
    forces.record = &found[c];
    pair_forces_(in, list, forces, tally);
    wall_forces_(in, list, forces, tally);
    forces.record = nullptr;
  });
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  sort_contacts(all, grains_, images_);
  return all;
}

void DemSolver::prepare_frame() {
  if (!coordination_ && !packing_fraction_ && !stress_ && !contact_table_) return;
  std::vector<ContactRecord> contacts;
  if (coordination_ || stress_ || contact_table_) contacts = find_contacts();
  publish();
  if (contact_table_) contact_table_->fill(contacts, grains_);
  if (coordination_) count_partners(contacts, grains_.count, store_[*coordination_]);
  if (!packing_fraction_ && !stress_) return;
  std::vector<float> volume(grains_.count);
  for (std::size_t i = 0; i < grains_.count; ++i) {
    const double d = grains_.size[i];
    volume[i] = static_cast<float>(shapes_[grains_.shape[i]].volume * d * d * d);
  }
  if (stress_) find_stress(contacts, grains_, images_, volume, store_[*stress_]);
  if (!packing_fraction_) return;
  walls_.place();
  find_packing(grains_, volume, images_, walls_, executor_, store_[*packing_fraction_]);
}

void DemSolver::save(State& state) const {
  // Lists that are due anyway are made now; the next step would make the same.
  auto& self = const_cast<DemSolver&>(*this);
  if (!listed_) self.update_lists();
  std::copy_n(records_[now_].motion.data(), grains_.count, self.grains_.motion.data());
  save_grains(state, self.grains_);
  save_contacts(state, lists_.chunks());
  state.put("dem/scalars", scalars());
  state.put("dem/steps", steps_);
  state.put("dem/gravity", scene_.gravity);
  state.put("dem/listed_poses", std::span<const Posed>(listed_poses_));
}

DemSolver::Scalars DemSolver::scalars() const {
  return {time_,
          last_dt_,
          quantum_,
          skin_,
          travel_,
          body_travel_,
          turn_,
          speed_,
          spin_,
          stiffest_,
          double{largest_size_}};
}

Status DemSolver::load(const State& state) {
  Scalars s;
  if (Status status = state.get("dem/scalars", s); !status) return status;
  if (Status status = state.get("dem/steps", steps_); !status) return status;
  if (Status status = state.get("dem/gravity", scene_.gravity); !status) return status;
  if (Status status = state.get("dem/listed_poses", listed_poses_); !status) return status;
  if (Status status = load_grains(state, grains_); !status) return status;
  for (std::size_t i = 0; i < grains_.count; ++i)
    if (grains_.shape[i] >= scene_.materials.size())
      return work_error("checkpoint names material {}, the scene has {}", grains_.shape[i],
                        scene_.materials.size());
  time_ = s.time;
  last_dt_ = s.last_dt;
  quantum_ = s.quantum;
  skin_ = s.skin;
  travel_ = s.travel;
  body_travel_ = s.body_travel;
  turn_ = s.turn;
  speed_ = s.speed;
  spin_ = s.spin;
  stiffest_ = s.stiffest;
  largest_size_ = static_cast<float>(s.largest_size);
  published_ = Published::nothing;
  now_ = 0;
  listed_ = false;
  if (grains_.count == 0) return {};
  if (listed_poses_.size() != bodies_.size())
    return work_error("checkpoint has {} bodies, the scene has {}", listed_poses_.size(),
                      bodies_.size());
  std::vector<Posed> poses = listed_poses_;
  const auto exchange = [&] {
    for (std::size_t b = 0; b < poses.size(); ++b) std::swap(poses[b], bodies_[b].state.pose);
    walls_.place();
    for (std::size_t c = 0; c < 3; ++c) std::swap(grains_.x[c], grains_.listed[c]);
    for (std::size_t c = 0; c < 4; ++c) std::swap(grains_.q[c], grains_.listed[3 + c]);
  };
  exchange();  // the lists as they were made, then back to the present
  lists_.rebuild_sorted(grains_, table_, images_, walls_, limits(), executor_);
  exchange();
  make_records();
  looked_classes_ = gap_classes.size();
  return load_contacts(state, lists_.chunks());
}

std::size_t DemSolver::memory_bytes() const {
  std::size_t bytes = store_.memory_bytes() + grains_.memory_bytes() + lists_.memory_bytes();
  if (contact_table_) bytes += contact_table_->store().memory_bytes();
  for (const Records& r : records_)
    bytes += r.centre.memory_bytes() + r.arm.memory_bytes() + r.place.memory_bytes() +
             r.motion.memory_bytes();
  for (const ChunkForces& f : forces_) bytes += f.rows.memory_bytes() + f.touching.memory_bytes();
  return bytes;
}

}  // namespace talus::dem
