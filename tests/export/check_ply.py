# check_ply.py RUN EXPORT FRAMES: a PLY reader of its own, written from the format's description.
import sys

import numpy

from talus_frame import colour_of, read_frame, same

run, folder, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])
types = {"float": "<f4", "double": "<f8", "uchar": "u1", "uint": "<u4", "int": "<i4"}


def read_ply(path):
    data = open(path, "rb").read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    header = data[:end].decode().splitlines()
    assert header[:2] == ["ply", "format binary_little_endian 1.0"]
    count = [int(line.split()[2]) for line in header if line.startswith("element vertex")][0]
    row = numpy.dtype([(line.split()[2], types[line.split()[1]]) for line in header if line.startswith("property")])
    assert len(data) == end + count * row.itemsize
    return numpy.frombuffer(data, row, count, end)


for index in range(frames):
    info, field = read_frame(f"{run}/frames/frame_{index:06}.tal")
    rows = read_ply(f"{folder}/grains.{index:06}.ply")
    same("position", numpy.stack([rows["x"], rows["y"], rows["z"]], 1), field["position"])
    same("velocity", numpy.stack([rows["vx"], rows["vy"], rows["vz"]], 1), field["velocity"])
    for key in ("id", "radius", "pressure", "material", "shade"):
        same(key, rows[key], field[key])
    linear = colour_of(info, field).clip(0, 1)
    srgb = numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    same("colour", numpy.stack([rows["red"], rows["green"], rows["blue"]], 1), srgb * 255, 0.51)
print("ok")
