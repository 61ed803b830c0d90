#include "geometry/distance.h"

#include "geometry/mesh_distance.h"
#include "geometry/mesh_shapes.h"
#include "geometry/primitive_distance.h"

namespace talus {

void DistanceField::project(std::span<Vec3f> points) const {
  for (Vec3f& p : points)
    for (int pass = 0; pass < 3; ++pass) {  // the first is exact up to rounding
      const DistanceSample s = sample(p);
      p -= s.distance * s.gradient;
    }
}

Result<std::shared_ptr<const DistanceField>> make_distance_field(const Shape& shape,
                                                                 double resolution) {
  if (is_primitive(shape.kind)) return make_primitive_field(shape);
  Shape upright = shape;
  upright.inside_out = false;  // the field turns its sign, the mesh stays as it is
  Result<Mesh> mesh = tessellate(upright);
  if (!mesh) return mesh.error();
  Result<MeshFieldOptions> options = choose_voxels(*mesh, resolution);
  if (!options) return request_error("{}: {}", shape.file, options.error().message);
  options->inside_out = shape.inside_out;
  Result<std::shared_ptr<const MeshField>> field = MeshField::create(*std::move(mesh), *options);
  if (!field) return Error{field.error().kind, shape.file + ": " + field.error().message};
  return std::shared_ptr<const DistanceField>(*field);
}

}  // namespace talus
