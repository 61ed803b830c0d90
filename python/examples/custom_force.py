"""A force that Talus does not have: a vortex that lifts sand off a heap and spins it.

    python3 custom_force.py [--spacing 0.02] [--seconds 2] [--solver sph] [--folder out/vortex]

With --folder the run is stored, and `talus render` makes a film of it.
"""

import argparse

import numpy as np

import talus

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--spacing", type=float, default=0.02, help="m between particles")
parser.add_argument("--seconds", type=float, default=2)
parser.add_argument("--solver", choices=["sph", "dem"], default="sph")
parser.add_argument("--folder", help="run folder")
options = parser.parse_args()

sim = talus.Simulation({
    "scene": {"name": "vortex", "duration": options.seconds, "frame_rate": 25,
              "solver": options.solver},
    options.solver: {"spacing": options.spacing} if options.solver == "sph" else {},
    "material": {"name": "sand", "friction_angle_deg": 30, "grain_diameter": options.spacing,
                 "density" if options.solver == "sph" else "grain_density": 1600},
    "fill": {"material": "sand", "shape": {"type": "box", "size": [0.4, 0.4, 0.1],
                                           "position": [0, 0, 0.06]}},
    "body": {"name": "ground", "shape": {"type": "plane"}, "friction_angle_deg": 35},
})


@sim.add_force
def vortex(sim):
    """Accelerations, m/s^2: round the axis, upwards near it, inwards far from it."""
    x = sim["position"]
    radius = np.hypot(x[:, 0], x[:, 1]) + 1e-6
    near = np.exp(-(radius / 0.15) ** 2)
    out = np.empty_like(x)
    out[:, 0] = 20 * near * -x[:, 1] / radius - 5 * x[:, 0]
    out[:, 1] = 20 * near * x[:, 0] / radius - 5 * x[:, 1]
    out[:, 2] = 25 * near * (x[:, 2] < 0.5)
    return out


@sim.on_frame
def tell(sim):
    x, v = sim["position"], sim["velocity"]
    spin = (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]).mean()
    print(f"{sim.time:5.2f} s  highest {x[:, 2].max():.3f} m  angular momentum {spin:.4f} m^2/s")


sim.run(folder=options.folder, overwrite=True)
