"""Pours a pile of sand and measures the angle of its flank.

    python3 pile_angle.py [--spacing 0.05] [--seconds 26] [--friction-angle 30] [--picture pile.png]
"""

import argparse

import talus

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--spacing", type=float, default=0.05, help="m between particles")
parser.add_argument("--seconds", type=float, default=26, help="the last two without pouring")
parser.add_argument("--friction-angle", type=float, default=30, help="degrees")
parser.add_argument("--picture", help="file for a plot of the profile")
options = parser.parse_args()

sim = talus.Simulation({
    "scene": {"name": "pile", "duration": options.seconds, "frame_rate": 2},
    "sph": {"spacing": options.spacing},
    "material": {"name": "sand", "friction_angle_deg": options.friction_angle, "density": 1550},
    "pour": {"material": "sand", "position": [0, 0, 0.95], "direction": [0, 0, -1], "radius": 0.11,
             "rate": 56.5, "speed": 1.0, "stop": max(0.5, options.seconds - 2)},
    "body": {"name": "ground", "shape": {"type": "plane"}, "friction_angle_deg": 45},
})


@sim.on_frame
def tell(sim):
    print(f"{sim.time:5.1f} s  {len(sim):6d} particles  height {sim['position'][:, 2].max():.3f} m")


sim.run()
flank = talus.lab.measure_flank(sim["position"], options.spacing, options.spacing**3)
if flank.angle_deg != flank.angle_deg:  # nan
    raise SystemExit(f"{len(sim)} particles, {flank.height:.3f} m high, are too few to measure a flank: "
                     "take a smaller --spacing or more --seconds")
print(f"angle of the flank: {flank.angle_deg:.1f} +- {flank.error_deg:.1f} degrees, "
      f"asked for {options.friction_angle:g}; height {flank.height:.3f} m")

if options.picture:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.plot(flank.radius, flank.profile, ".-")
    pyplot.xlabel("radius, m")
    pyplot.ylabel("height, m")
    pyplot.title(f"{flank.angle_deg:.1f} degrees")
    pyplot.savefig(options.picture, dpi=120)
