"""How far a column of sand runs out, for several friction angles, one process for each.

    python3 sweep.py [--angles 20 25 30 35 40] [--processes 2] [--spacing 0.02]

Each process steps with one thread; results do not depend on the number of processes.
"""

import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

RADIUS, HEIGHT = 0.1, 0.2


def run_out(angle, spacing, seconds):
    """Radius within which 99 % of the sand comes to rest, over the radius of the column."""
    import talus  # in the worker: nothing of the simulation passes between processes
    sim = talus.Simulation({
        "scene": {"name": "column", "duration": seconds, "frame_rate": 10},
        "sph": {"spacing": spacing},
        "material": {"name": "sand", "friction_angle_deg": angle},
        "fill": {"material": "sand", "shape": {"type": "cylinder", "radius": RADIUS,
                                               "height": HEIGHT, "position": [0, 0, HEIGHT / 2]}},
        "body": {"name": "ground", "shape": {"type": "plane"}, "friction_angle_deg": angle},
    }, threads=1)
    sim.run()
    x = sim["position"]
    return float(np.quantile(np.hypot(x[:, 0], x[:, 1]), 0.99)) / RADIUS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--angles", type=float, nargs="+", default=[20, 25, 30, 35, 40])
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--spacing", type=float, default=0.02)
    parser.add_argument("--seconds", type=float, default=1.2)
    options = parser.parse_args()
    # Processes of their own, not forks: a fork does not copy the threads of a simulation.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        jobs = [pool.submit(run_out, angle, options.spacing, options.seconds)
                for angle in options.angles]
        print("friction angle, degrees   run-out / radius")
        for angle, job in zip(options.angles, jobs):
            print(f"{angle:23g}   {job.result():16.3f}")


if __name__ == "__main__":
    main()
