"""blender --background --python check_import.py -- FOLDER PICTURE: imports the export, compares what
Blender holds with the files, frame by frame, and renders the last frame with Cycles."""
import os
import sys

import bpy
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import talus_import  # noqa: E402

folder, picture = sys.argv[sys.argv.index("--") + 1:]
cloud = talus_import.import_run(folder, samples=16, size=(640, 360))
scene = bpy.context.scene
description = talus_import.read_scene(folder)


def same(name, got, wanted):
    if not numpy.array_equal(numpy.asarray(got, "f4").ravel(), numpy.asarray(wanted, "f4").ravel()):
        raise SystemExit(f"{name} differs from the file")


def check_points(points, grains, frame):
    for name, key, parts in (("position", "vector", 3), ("radius", "value", 1), ("velocity", "vector", 3)):
        values = numpy.empty(len(grains["id"]) * parts, "f4")
        points.attributes[name].data.foreach_get(key, values)
        same(f"{name} in frame {frame}", values, grains[name])
    ids = numpy.empty(len(grains["id"]), "i4")
    points.attributes["id"].data.foreach_get("value", ids)
    same(f"id in frame {frame}", ids, grains["id"])


for entry in description["frames"]:
    scene.frame_set(entry["frame"])
    grains = talus_import.read_grains(folder, entry["frame"])
    clouds = 0
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type == "POINTCLOUD":
            check_points(instance.object.data, grains, entry["frame"])
            clouds += 1
    assert clouds == 1, f"{clouds} point clouds in frame {entry['frame']}"
for node, vertices, corners, colour, moves in talus_import.Gltf(folder).bodies():
    if "translation" in moves:
        last = numpy.array(bpy.data.objects[node["name"]].matrix_world.translation)
        assert numpy.abs(last - moves["translation"][-1]).max() < 1e-5, (node["name"], last)
scene.render.filepath = os.path.abspath(picture)
bpy.ops.render.render(write_still=True)
print(f"{len(description['frames'])} frames of up to {len(grains['id'])} grains are as in the files")
