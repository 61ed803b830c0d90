# check_gltf.py RUN EXPORT FRAMES: reads the document and its buffer by the glTF 2.0 specification.
import json
import sys

import numpy

from talus_frame import read_frame, same

run, folder, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])
document = json.load(open(folder + "/bodies.gltf"))
data = open(folder + "/bodies.bin", "rb").read()
assert document["asset"]["version"] == "2.0" and document["buffers"][0]["byteLength"] == len(data)


def accessor(index):
    a = document["accessors"][index]
    view = document["bufferViews"][a["bufferView"]]
    parts = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
    assert view["byteOffset"] % 4 == 0 and view["byteLength"] == a["count"] * parts * 4
    array = numpy.frombuffer(data, kind, a["count"] * parts, view["byteOffset"])
    return array.reshape(-1, parts) if parts > 1 else array


names = [node["name"] for node in document["nodes"]]
ball = names.index("ball")
primitive = document["meshes"][document["nodes"][ball]["mesh"]]["primitives"][0]
points, corners = accessor(primitive["attributes"]["POSITION"]), accessor(primitive["indices"])
same("radius", numpy.linalg.norm(points, axis=1), numpy.full(len(points), 0.1), 1e-5)
assert corners.max() < len(points) and len(corners) % 3 == 0
lower = document["accessors"][primitive["attributes"]["POSITION"]]["min"]
same("min", lower, points.min(axis=0), 1e-7)
animation = document["animations"][0]
for channel in animation["channels"]:
    assert channel["target"]["node"] == ball
    sampler = animation["samplers"][channel["sampler"]]
    times, values = accessor(sampler["input"]), accessor(sampler["output"])
    assert len(times) == len(values) == frames
    for index in range(frames):
        info = read_frame(f"{run}/frames/frame_{index:06}.tal")[0]
        same("time", times[index], info["time"], 1e-6)
        if channel["target"]["path"] == "translation":
            same("translation", values[index], info["bodies"][0]["position"], 1e-6)
        else:
            w, x, y, z = info["bodies"][0]["rotation"]
            same("rotation", values[index], [x, y, z, w], 1e-6)
print("ok")
