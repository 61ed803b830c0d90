// The rebound of bodies from continuum sand. Sand as src/sph computes it lets go of the energy that
// an impact stores: what falls on it stays. (Without this file a ball of 50 kg/m^3 that falls with
// 2 m/s comes back with 0.00 m/s at a spacing of 4 cm, 0.01 at 2.7 cm.) Grains do store some: a
// light ball leaves them again.
//
// Poisson's hypothesis with a fading memory: of the speed c that sand has taken from a body within
// the last tau, the body gets back restitution * c once the two hardly approach each other any
// more; the sand that it touches gets the opposite momentum.
//   gained    speed that sand gave the body, fading with tau; its direction n is that of the push
//   mean      velocity of the body, averaged over tau
//   c = min(|gained|, n . (v - mean))
// so that a body that sand pushes but does not slow down (a plunger, a float) has none, and neither
// has one that something else has stopped. tau = r / (4 m/s), r half the smallest side of the
// body. Light bodies stop within that time. Heavy ones dig for longer, and sand has forgotten most
// when they come to rest: what yields is not elastic. "Hardly any more" means slower than a tenth
// of c and slowed by less than a quarter of c / tau; both are choices, as is tau, and none was
// compared with drops on real sand yet.
//
// The other way round, a body that parts from sand faster than restitution * c was thrown by the
// load of this step, for which sand took it for immovable; it gives the rest back.
#pragma once

#include "bodies/body.h"
#include "sph/light_bodies.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace talus::sph {

class Rebound {
 public:
  /// What a body in touch with sand gets back now; all in the course of a step of length dt, with
  /// the load of the step in place and `contacts` the particles that touch it.
  struct Kick {
    Vec3d direction{};  ///< of the body; unit
    double body = 0;    ///< m/s, gain of the body
    double sand = 0;    ///< m/s, gain of each particle that is pushed back, the other way
  };

  /// Remembers the push of this step; the velocity of `sand` and `mass` are those of the contacts.
  template <class VelocityOf>
  static Kick update(Body& body, std::span<const LightBody::Contact> contacts, const Vec3d& gravity,
                     double dt, VelocityOf&& velocity_of) {
    const double tau = memory(body), fade = std::exp(-dt / tau);
    const Vec3d push = body.load.force * (dt / body.mass);
    const Vec3d v = body.state.velocity + gravity * dt + push;
    RecentPush& recent = body.recent;
    recent.gained = (recent.gained + push) * fade;
    recent.mean_velocity += (v - recent.mean_velocity) * (1 - fade);
    const double gained = norm(recent.gained);
    if (!(gained > 0) || contacts.empty()) return {};
    const Vec3d n = recent.gained / gained;
    const double c = std::min(gained, dot(n, v - recent.mean_velocity));
    if (!(c > std::max(dig * norm(gravity) * tau, slowest))) return {};
    // The speed along n with which they part, as all contacts together see it: each only knows the
    // part along its own normal, and sand at the rim splashes up beside the body.
    double mass = 0, sum = 0, weight = 0;
    for (const LightBody::Contact& contact : contacts) {
      if (!pushed_back(contact, n)) continue;
      const double along = dot(contact.normal, n);
      mass += contact.mass;
      sum += contact.mass * along * dot(contact.normal, v - velocity_of(contact.particle));
      weight += contact.mass * along * along;
    }
    if (!(weight > 0)) return {};
    const double parting = sum / weight, wanted = body.restitution * c;
    const double slowing = dot(n, v - body.state.velocity) / dt;
    double gain = 0;
    if (parting > wanted)  // the load of this step, for which sand took it for immovable
      gain = (wanted - parting) * mass / (mass + body.mass);
    else if (parting > -still_closing * c && slowing < still_slowing * c / tau)
      gain = std::min(wanted - parting, c * mass / body.mass);
    if (gain == 0) return {};
    recent = {{}, v + n * gain};
    return {n, gain, gain * body.mass / mass};
  }

  /// Takes part in a kick along n?
  static bool pushed_back(const LightBody::Contact& contact, const Vec3d& n) {
    return dot(contact.normal, n) < 0;
  }

 private:
  static constexpr double wave = 4;              // m/s
  static constexpr double dig = 2;               // times gravity: slower is digging, not an impact
  static constexpr double slowest = 0.05;        // m/s, where there is no gravity
  static constexpr double still_closing = 0.1;   // of c
  static constexpr double still_slowing = 0.25;  // of c / tau

  /// tau, s
  static double memory(const Body& body) {
    const Vec3d size = body.field->bounds().upper - body.field->bounds().lower;
    return 0.5 * std::min({size.x, size.y, size.z}) / wave;
  }
};

}  // namespace talus::sph
