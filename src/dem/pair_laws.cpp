#include "dem/pair_laws.h"

#include "dem/restitution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace talus::dem {

namespace {

// Below this a collision would take damping without end; bodies may ask for 0.
constexpr double least_restitution = 0.02;

/// One side of a contact. Bodies are rigid: all of the deformation is the grain's.
struct Side {
  double compliance = 0;        ///< (1 - nu^2) / E, 1/Pa
  double shear_compliance = 0;  ///< 2 (2 - nu)(1 + nu) / E, 1/Pa
  double friction = 0, restitution = 0, rolling = 0;
};

Side side_of(const Material& m, const GrainShape& shape) {
  Side s;
  s.compliance = (1 - m.poisson_ratio * m.poisson_ratio) / m.young_modulus;
  s.shear_compliance = 2 * (2 - m.poisson_ratio) * (1 + m.poisson_ratio) / m.young_modulus;
  s.friction = m.friction;
  s.restitution = m.restitution;
  s.rolling = shape.balls.size() == 1 ? m.rolling_friction : 0;  // clumps have their shape
  return s;
}

double typical_mass(const Material& m, const GrainShape& shape) {
  return m.grain_density * shape.volume * std::pow(m.grain_diameter, 3);
}
double typical_radius(const Material& m, const GrainShape& shape) {
  return shape.balls.front().radius * m.grain_diameter;
}

/// The spring that stores, at the greatest overlap of a Hertzian collision at the reference speed,
/// as much energy: k = (16/15) sqrt(R*) E* (15 m* v^2 / (16 sqrt(R*) E*))^(1/5).
double equivalent_spring(double e_star, double r, double m, double v) {
  const double c = 16.0 / 15.0 * std::sqrt(r) * e_star;
  return c * std::pow(m * v * v / c, 0.2);
}

class Builder {
 public:
  Builder(const Scene& scene, std::span<const GrainShape> shapes)
      : scene_(scene), shapes_(shapes), law_(normal_law_of(scene)) {}

  /// `other` is null for bodies.
  PairLaw<float> make(std::size_t a, const Side& sa, const Side& sb, const std::size_t* b,
                      double friction, double restitution) {
    const Material& ma = scene_.materials[a];
    const Material& mb = scene_.materials[b != nullptr ? *b : a];
    const double e_star = 1 / (sa.compliance + sb.compliance);
    const double g_star = 1 / (sa.shear_compliance + sb.shear_compliance);
    PairLaw<float> p{};
    double stiffness = 2 * e_star, damping = 0;
    if (law_ == NormalLaw::alduan2009) {
      stiffness = 0.5 * (ma.normal_stiffness + mb.normal_stiffness);
      damping = 0.5 * (ma.normal_damping + mb.normal_damping);
      if (!(stiffness > 0)) {
        const double r = typical_radius(ma, shapes_[a]) / (b != nullptr ? 2 : 1);
        stiffness = 4.0 / 3.0 * e_star * std::sqrt(r);
      }
    } else {
      damping = damping_of(restitution);
      if (law_ == NormalLaw::linear) stiffness = spring(a, b, ma, mb, e_star);
    }
    p.stiffness = static_cast<float>(stiffness);
    p.damping = static_cast<float>(damping);
    p.shear_ratio = static_cast<float>(4 * g_star / e_star);
    p.shear_root = static_cast<float>(std::sqrt(4 * g_star / e_star));
    p.shear_viscosity =
        static_cast<float>(0.5 * (ma.tangential_viscosity + mb.tangential_viscosity));
    p.friction = static_cast<float>(friction);
    p.rolling = static_cast<float>(b != nullptr ? std::min(sa.rolling, sb.rolling) : sa.rolling);
    const double pull = std::min(ma.capillary_force, mb.capillary_force);
    p.capillary = static_cast<float>(pull * 4 / std::max(ma.grain_diameter, mb.grain_diameter));
    p.reach = static_cast<float>(pull > 0 ? std::min(ma.capillary_reach, mb.capillary_reach) : 0);
    return p;
  }

  double damping_of(double e) {
    const auto it = known_.find(e);
    if (it != known_.end()) return it->second;
    return known_[e] = damping_for(law_, e);
  }

 private:
  double spring(std::size_t a, const std::size_t* b, const Material& ma, const Material& mb,
                double e_star) const {
    const double given = 0.5 * (ma.normal_stiffness + mb.normal_stiffness);
    if (given > 0) return given;
    double m = typical_mass(ma, shapes_[a]), r = typical_radius(ma, shapes_[a]);
    if (b != nullptr) {
      const double m2 = typical_mass(mb, shapes_[*b]), r2 = typical_radius(mb, shapes_[*b]);
      m = m * m2 / (m + m2);
      r = r * r2 / (r + r2);
    }
    return equivalent_spring(e_star, r, m, scene_.dem.reference_speed);
  }

  const Scene& scene_;
  std::span<const GrainShape> shapes_;
  NormalLaw law_;
  std::map<double, double> known_;
};

Status check(const Material& m) {
  if (!(m.young_modulus > 0))
    return request_error("material '{}': young_modulus {} must be positive", m.name,
                         m.young_modulus);
  if (!(m.poisson_ratio >= 0) || !(m.poisson_ratio < 0.5))
    return request_error("material '{}': poisson_ratio {} must be in 0 .. 0.5", m.name,
                         m.poisson_ratio);
  if (!(m.restitution >= 0.01) || !(m.restitution <= 1))
    return request_error("material '{}': restitution {} must be in 0.01 .. 1", m.name,
                         m.restitution);
  if (!(m.grain_diameter > 0) || !(m.grain_density > 0))
    return request_error("material '{}': grain_diameter {} and grain_density {} must be positive",
                         m.name, m.grain_diameter, m.grain_density);
  if (!(m.friction >= 0) || !(m.rolling_friction >= 0) || !(m.capillary_force >= 0))
    return request_error(
        "material '{}': friction, rolling_friction and capillary_force must not "
        "be negative",
        m.name);
  return {};
}

}  // namespace

NormalLaw normal_law_of(const Scene& scene) {
  if (scene.dem.normal_law == "linear") return NormalLaw::linear;
  if (scene.dem.normal_law == "alduan2009") return NormalLaw::alduan2009;
  return NormalLaw::hertz;
}
TangentialLaw tangential_law_of(const Scene& scene) {
  return scene.dem.tangential_law == "viscous" ? TangentialLaw::viscous : TangentialLaw::mindlin;
}

Result<PairLaws> PairLaws::create(const Scene& scene, std::span<const GrainShape> shapes,
                                  std::span<const Body> bodies) {
  PairLaws out;
  out.materials_ = scene.materials.size();
  out.surfaces_ = out.materials_ + bodies.size();
  out.table_.resize(out.surfaces_ * out.surfaces_);
  std::vector<Side> sides;
  for (std::size_t a = 0; a < out.materials_; ++a) {
    if (Status s = check(scene.materials[a]); !s) return s.error();
    sides.push_back(side_of(scene.materials[a], shapes[a]));
  }
  Builder builder(scene, shapes);
  const auto put = [&](std::size_t a, std::size_t b, const PairLaw<float>& law) {
    out.table_[a * out.surfaces_ + b] = out.table_[b * out.surfaces_ + a] = law;
    out.rolls_ |= law.rolling > 0;
    out.moist_ |= law.capillary > 0;
    out.reach_ = std::max(out.reach_, law.reach);
  };
  for (std::size_t a = 0; a < out.materials_; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double friction = std::sqrt(sides[a].friction * sides[b].friction);
      double restitution = std::sqrt(sides[a].restitution * sides[b].restitution);
      for (const ContactPair& c : scene.contacts) {
        if (!(c.material_a == a && c.material_b == b) && !(c.material_a == b && c.material_b == a))
          continue;
        friction = c.friction;
        restitution = c.restitution;
      }
      put(a, b, builder.make(a, sides[a], sides[b], &b, friction, restitution));
    }
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      double restitution = sides[a].restitution;
      if (k < scene.bodies.size())
        restitution =
            std::max(least_restitution, std::sqrt(restitution * scene.bodies[k].restitution));
      put(a, out.body_surface(k),
          builder.make(a, sides[a], Side{}, nullptr, bodies[k].friction, restitution));
    }
  }
  return out;
}

}  // namespace talus::dem
