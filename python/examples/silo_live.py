"""Empties a hopper and plots, while it runs, how much sand is left in it.

    python3 silo_live.py [--spacing 0.012] [--seconds 1.6] [--picture silo.png]

Opens a window when there is a display; else it only leaves the picture.
"""

import argparse
import os

import matplotlib

live = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
if not live:
    matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend is chosen before)

import talus  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--spacing", type=float, default=0.012, help="m between particles")
parser.add_argument("--seconds", type=float, default=1.6)
parser.add_argument("--picture", default="silo.png")
options = parser.parse_args()

density = 1550.0
sim = talus.Simulation({
    "scene": {"name": "hopper", "duration": options.seconds, "frame_rate": 20},
    "sph": {"spacing": options.spacing},
    "material": {"name": "sand", "friction_angle_deg": 30, "density": density},
    "fill": {"material": "sand",
             "shape": {"type": "cylinder", "radius": 0.12, "height": 0.16, "position": [0, 0, 0.46]}},
    "body": [
        {"name": "bin", "shape": {"type": "tube", "radius": 0.14, "height": 0.3, "thickness": 0.04,
                                  "position": [0, 0, 0.5]}},
        {"name": "hopper", "shape": {"type": "tube", "radius": 0.05, "radius_top": 0.14,
                                     "height": 0.25, "thickness": 0.04, "position": [0, 0, 0.225]}},
    ],
    "sink": {"shape": {"type": "box", "size": [2, 2, 0.4], "position": [0, 0, -0.4]}},
})

figure, axes = pyplot.subplots()
line, = axes.plot([], [])
axes.set_xlabel("time, s")
axes.set_ylabel("sand in the hopper, kg")
axes.set_xlim(0, options.seconds)
particle = density * options.spacing**3
times, masses = [], []


@sim.on_frame
def plot(sim):
    inside = (sim["position"][:, 2] > 0.1).sum()
    times.append(sim.time)
    masses.append(inside * particle)
    line.set_data(times, masses)
    axes.set_ylim(0, 1.05 * max(masses))
    if live:
        pyplot.pause(0.001)


sim.run()
figure.savefig(options.picture, dpi=120)
if len(times) > 4:
    half = len(times) // 2
    intercept, slope = talus.lab.fit_line(times[half // 2:half], masses[half // 2:half])
    print(f"flow while it empties: {-slope:.3g} kg/s; left: {masses[-1]:.3g} kg")
print(options.picture)
