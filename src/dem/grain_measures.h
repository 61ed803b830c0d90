// What a scientist asks of a packing, from its contacts.
//   coordination      grains and bodies that a grain touches, each once
//   packing fraction  solid volume over the volume within a ball about the grain, of twice the
//                     largest grain's diameter. A grain that the ball cuts counts as a ball of its
//                     volume; what lies inside bodies does not count as room. Near a free surface
//                     the empty room above counts.
//   stress            sigma = (1/V) sum f (x) l, symmetric part: the mean stress inside a grain in
//                     balance (Love-Weber), V its volume, f the forces on it, l from its centre to
//                     the contact; positive in tension, Pa. Times the packing fraction it is the
//                     stress of the bulk.
#pragma once

#include "dem/contact_list.h"
#include "dem/contact_record.h"
#include "particles/store.h"

#include <span>
#include <vector>

namespace talus::dem {

/// Makes a the grain of lower id, and sorts by ids, bodies after grains, then spheres: an order
/// that does not depend on where the grains lie in memory.
void sort_contacts(std::vector<ContactRecord>& contacts, const Grains& grains,
                   const Images& images);

void count_partners(std::span<const ContactRecord> sorted, std::size_t grains,
                    std::span<std::uint32_t> coordination);

void find_stress(std::span<const ContactRecord> contacts, const Grains& grains,
                 const Images& images, std::span<const float> volume, std::span<Sym3f> stress);

/// `volume`: of each grain, m^3. Bodies are where they were last placed.
void find_packing(const Grains& grains, std::span<const float> volume, const Images& images,
                  const WallFaces& walls, const Executor& executor,
                  std::span<float> packing_fraction);

/// Names and fills the columns of a frame's table of contacts.
class ContactTable {
 public:
  ContactTable();
  void fill(std::span<const ContactRecord> sorted, const Grains& grains);
  const ParticleStore& store() const { return store_; }

 private:
  ParticleStore store_;
  Field<std::uint64_t> grain_a_, grain_b_;
  Field<std::uint32_t> body_, sphere_a_, sphere_b_;
  Field<Vec3f> point_, normal_, tangential_force_;
  Field<float> normal_force_;
};

}  // namespace talus::dem
