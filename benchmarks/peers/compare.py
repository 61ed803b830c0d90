#!/usr/bin/python3
"""Talus, LAMMPS, LIGGGHTS and Yade on one packed bed of grains, on the same cores.

Talus settles the bed and writes it; the others read it (LIGGGHTS, whose clumps cannot be placed, settles
its own). Prints grains x steps per second, best of --repeats, and Talus over each.
"""
import argparse, os, pathlib, re, shutil, subprocess, sys, tempfile, time
import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "export"))
from talus_frame import read_frame

DIAMETER, LAYERS = 0.01, 16

SCENE = """[scene]
name = "peers"
solver = "dem"
duration = {duration}
frame_rate = 100
periodic = [true, true, false]
domain_lower = [0, 0, 0]
domain_upper = [{side}, {side}, 1]
[dem]
tangential_law = "{law}"
[[material]]
name = "grains"
grain_shape = "{shape}"
grain_diameter = {diameter}
grain_size_spread = 0
grain_density = 2500
young_modulus = 1e7
poisson_ratio = 0.25
restitution = 0.5
friction_coefficient = 0.5
rolling_friction = 0
[[fill]]
name = "bed"
material = "grains"
arrangement = "lattice"
velocity = [0, 0, -0.3]
shape = {{ type = "box", size = [{side}, {side}, {height}], position = [{middle}, {middle}, {half}] }}
[[body]]
name = "floor"
shape = {{ type = "plane" }}
friction_coefficient = 0.5
"""


def balls(shape):
    """Centres and radius of a shape of bounding diameter 1, as src/dem/grain_shape.cpp has them."""
    if shape == "sphere":
        return numpy.zeros((1, 3)), 0.5
    scale = 0.5 / (3 ** 0.5 + 1.5)
    corners = numpy.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], float)
    return corners * scale, 1.5 * scale


def rotate(q, v):
    w, u = q[:, :1], q[:, 1:]
    t = 2 * numpy.cross(u, v)
    return v + w * t + numpy.cross(u, t)


def run(command, folder, environment=None):
    env = dict(os.environ, OMP_NUM_THREADS="1", **(environment or {}))
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=1500)
    return done.stdout + done.stderr


def talus_bed(arguments, folder, shape):
    across = round((arguments.grains * 1024 / LAYERS) ** 0.5)
    side, height = across * DIAMETER, LAYERS * DIAMETER
    text = SCENE.format(duration=arguments.settle, side=side, height=height, middle=side / 2, half=height / 2,
                        shape=shape, diameter=DIAMETER, law="mindlin" if shape == "sphere" else "viscous")
    (folder / "bed.toml").write_text(text)
    out = folder / "bed"
    if not (out / "manifest.json").exists():
        print(run([arguments.talus, "run", "bed.toml", "-o", str(out), "-j", str(arguments.cores)], folder)[-300:])
    if arguments.prepare:
        return
    _, frame = read_frame(sorted((out / "frames").glob("*.tal"))[-1])
    manifest_line = (out / "log.txt").read_text() if (out / "log.txt").exists() else ""
    steps = re.findall(r"steps of ([0-9.e-]+) ms", manifest_line)
    dt = float(steps[-1]) * 1e-3 if steps else 2e-5
    return frame, side, height, dt, out


def talus_speed(arguments, bed):
    """Goes on from the settled state, frame by frame, and takes the program's own figure."""
    total = len(list((bed / "frames").glob("*.tal"))) - 1
    best = 0
    for repeat in range(arguments.repeats):
        total += 1
        text = run([arguments.talus, "resume", str(bed), "--frames", str(total), "-j",
                    str(arguments.cores)], bed.parent)
        found = re.findall(r"([0-9.e+]+) grains x steps/s", text)
        best = max([best] + [float(f) for f in found])
    return best


def write_lammps(path, frame, shape, side, height):
    centres, radius = balls(shape)
    rows = []
    for centre in centres:
        at = frame["position"] + rotate(frame["rotation"], numpy.tile(centre, (len(frame["id"]), 1))) * DIAMETER
        rows.append(at)
    at = numpy.stack(rows, axis=1).reshape(-1, 3)
    grain = numpy.repeat(numpy.arange(len(frame["id"])) + 1, len(centres))
    image = numpy.floor(at[:, :2] / side).astype(int)
    at[:, :2] -= image * side
    with open(path, "w") as out:
        out.write("grains\n\n%d atoms\n1 atom types\n0 %.9g xlo xhi\n0 %.9g ylo yhi\n-0.02 %.9g zlo zhi\n\nAtoms\n\n"
                  % (len(at), side, side, 2 * height))
        for k, (p, g, i) in enumerate(zip(at, grain, image)):
            out.write("%d 1 %.10g %.10g %.10g %.10g 2500 %d %d %d 0\n"
                      % (k + 1, *p, 2 * radius * DIAMETER, g, *i))
    return at, grain, radius * DIAMETER


def lammps_speed(arguments, folder, clumps, grains, dt, radius):
    text = run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(arguments.cores), "lmp", "-in",
                str(HERE / "lammps.in"), "-var", "data", "bed.data", "-var", "clumps", str(clumps), "-var",
                "steps", str(arguments.steps), "-var", "dt", str(dt), "-var", "radius", str(radius)], folder)
    (folder / "lammps.log").write_text(text)
    times = re.findall(r"Loop time of ([0-9.e+-]+) on", text)
    return grains * arguments.steps / float(times[-1]) if len(times) == 2 else 0


def liggghts_speed(arguments, folder, clumps, grains, dt, radius, side, height):
    centres, _ = balls("clump4")
    with open(folder / "template.txt", "w") as out:
        for c in centres:
            out.write("%g %g %g %g\n" % (*c, radius / DIAMETER))
    variables = dict(clumps=clumps, grains=grains, side=side, height=2.6 * height, diameter=DIAMETER,
                     radius=radius, settle=arguments.liggghts_settle, steps=arguments.steps, dt=dt,
                     template="template.txt")
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(arguments.cores), "liggghts",
               "-in", str(HERE / "liggghts.in")]
    for name, value in variables.items():
        command += ["-var", name, str(value)]
    text = run(command, folder)
    (folder / "liggghts.log").write_text(text)
    times = re.findall(r"Loop time of ([0-9.e+-]+) on", text)
    return grains * arguments.steps / float(times[-1]) if len(times) == 3 else 0


def yade_speed(arguments, folder, clumps, at, grain, dt, radius, side, height):
    numpy.savetxt(folder / "yade.txt", numpy.column_stack([at, numpy.full(len(at), radius), grain]),
                  fmt=["%.10g"] * 4 + ["%d"])
    steps = max(20, arguments.steps // 10)
    text = run(["yade", "-n", "-x", "-j", str(arguments.cores), str(HERE / "yade_bed.py"), "yade.txt",
                str(clumps), str(steps), str(dt), str(side), str(height)], folder)
    (folder / "yade.log").write_text(text)
    found = re.findall(r"GRAIN_STEPS_PER_SECOND ([0-9.e+]+)", text)
    return float(found[-1]) if found else 0


def compare(arguments, shape):
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp(prefix="talus-peers-")) / shape
    folder.mkdir(parents=True, exist_ok=True)
    clumps = 0 if shape == "sphere" else 1
    settled = talus_bed(arguments, folder, shape)
    if arguments.prepare:
        return
    frame, side, height, dt, bed = settled
    grains = len(frame["id"])
    at, grain, radius = write_lammps(folder / "bed.data", frame, shape, side, height)
    print("%s: %d grains, dt %.3g s, %d cores" % (shape, grains, dt, arguments.cores))
    figures = {"talus": talus_speed(arguments, bed)}
    repeat = lambda speed: max(speed() for _ in range(arguments.repeats))
    if shutil.which("lmp"):
        figures["lammps"] = repeat(lambda: lammps_speed(arguments, folder, clumps, grains, dt, radius))
    if shutil.which("liggghts") and not arguments.no_liggghts:
        figures["liggghts"] = liggghts_speed(arguments, folder, clumps, grains, dt, radius, side, height)
    if shutil.which("yade") and not arguments.no_yade:
        figures["yade"] = yade_speed(arguments, folder, clumps, at, grain, dt, radius, side, height)
    for name, figure in figures.items():
        ratio = "" if name == "talus" or figure == 0 else "   talus is %.1f times as fast" % (figures["talus"] / figure)
        print("  %-9s %8.3g M grains x steps/s%s" % (name, figure / 1e6, ratio if figure else "   failed: see %s" % folder))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", default=str(HERE.parents[1] / "build/release/talus"))
    parser.add_argument("--shape", choices=["clumps", "spheres", "both"], default="both")
    parser.add_argument("--grains", type=int, default=16, help="thousands (of 1024) of clumps; spheres: 4 times")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--settle", type=float, default=0.4, help="s of simulated time")
    parser.add_argument("--liggghts-settle", type=int, default=10000, help="steps")
    parser.add_argument("--folder", help="keeps the settled beds, and takes those that are there")
    parser.add_argument("--prepare", action="store_true", help="settle the beds and measure nothing")
    parser.add_argument("--no-liggghts", action="store_true")
    parser.add_argument("--no-yade", action="store_true")
    arguments = parser.parse_args()
    arguments.talus = str(pathlib.Path(arguments.talus).resolve())
    if arguments.shape in ("clumps", "both"):
        compare(arguments, "clump4")
    if arguments.shape in ("spheres", "both"):
        arguments.grains *= 4
        compare(arguments, "sphere")


if __name__ == "__main__":
    main()
