"""Imports a run of Talus into Blender 3.4 or newer.

    talus export RUN --to blender                         # makes RUN/export_blender
    blender --python talus_import.py -- RUN/export_blender

Grains become a point cloud (geometry nodes turn the points of a mesh into spheres) that follows the
timeline; it carries radius, velocity, colour and id as attributes. Bodies are animated, camera, sun,
sky and floors are those of the scene.

After `--`: FOLDER [--samples N] [--size WxH] [--render PICTURE --frame N]. With --render a Cycles
picture is made and Blender quits; without, the scene stays open. Needs nothing but Blender.
"""
import argparse
import glob
import json
import math
import os
import sys

import bpy
import mathutils
import numpy

OLDEST = (3, 4, 0)
CLOUD = "Talus grains"


def fail(message):
    print("talus_import: " + message, file=sys.stderr)
    sys.stderr.flush()
    os._exit(2)  # sys.exit() would leave Blender running with an empty scene


# --- the run --------------------------------------------------------------------------------------


def read_scene(folder):
    try:
        with open(os.path.join(folder, "scene.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as problem:
        fail(f"{folder} is no export for Blender ({problem}); 'talus export RUN --to blender' makes one")


def read_grains(folder, frame):
    """Arrays of one frame, all shares of detail together; None when it was not exported."""
    files = sorted(glob.glob(os.path.join(glob.escape(folder), f"*.{frame:06}.npz")))
    shares = []
    for path in files:
        with numpy.load(path) as arrays:
            shares.append({name: arrays[name] for name in arrays.files if name != "metadata"})
    if not shares:
        return None
    return {name: numpy.concatenate([share[name] for share in shares]) for name in shares[0]}


class Gltf:
    """bodies.gltf as arrays; Blender's own importer would move the timeline and the axes."""

    def __init__(self, folder):
        self.document, self.data = {}, b""
        path = os.path.join(folder, "bodies.gltf")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.document = json.load(file)
            with open(os.path.join(folder, "bodies.bin"), "rb") as file:
                self.data = file.read()

    def array(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        parts = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        array = numpy.frombuffer(self.data, kind, accessor["count"] * parts, view["byteOffset"])
        return array.reshape(-1, parts) if parts > 1 else array

    def bodies(self):
        for index, node in enumerate(self.document.get("nodes", [])):
            if "mesh" not in node:
                continue
            mesh = self.document["meshes"][node["mesh"]]["primitives"][0]
            colour = self.document["materials"][mesh["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
            moves = {}
            for animation in self.document.get("animations", []):
                for channel in animation["channels"]:
                    if channel["target"]["node"] == index:
                        sampler = animation["samplers"][channel["sampler"]]
                        moves[channel["target"]["path"]] = self.array(sampler["output"])
            yield node, self.array(mesh["attributes"]["POSITION"]), self.array(mesh["indices"]), colour, moves


# --- grains ---------------------------------------------------------------------------------------


def set_attribute(mesh, name, kind, values):
    attribute = mesh.attributes.get(name) or mesh.attributes.new(name, kind, "POINT")
    key = {"FLOAT": "value", "INT": "value", "FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}[kind]
    attribute.data.foreach_set(key, numpy.ascontiguousarray(values).ravel())


def fill_cloud(mesh, grains):
    mesh.clear_geometry()
    count = 0 if grains is None else len(grains["id"])
    mesh.vertices.add(count)
    if count == 0:
        return
    mesh.vertices.foreach_set("co", grains["position"].astype("f4").ravel())
    set_attribute(mesh, "radius", "FLOAT", grains["radius"].astype("f4"))
    set_attribute(mesh, "velocity", "FLOAT_VECTOR", grains.get("velocity", 0 * grains["position"]).astype("f4"))
    set_attribute(mesh, "id", "INT", (grains["id"] & 0x7FFFFFFF).astype("i4"))
    colour = numpy.ones((count, 4), "f4")
    if "colour" in grains:
        colour[:, :3] = grains["colour"]
    set_attribute(mesh, "colour", "FLOAT_COLOR", colour)
    mesh.update()


def follow_timeline(scene, *_):
    """Handler: shows the grains of the frame that the timeline is at."""
    cloud = bpy.data.objects.get(CLOUD)
    if cloud is None:
        return
    folder = bpy.path.abspath(cloud["talus_folder"])
    fill_cloud(cloud.data, read_grains(folder, scene.frame_current))


def point_nodes(material):
    """Mesh -> points with the radius of each grain -> material."""
    group = bpy.data.node_groups.new("Talus points", "GeometryNodeTree")
    if hasattr(group, "interface"):  # Blender 4
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    nodes, link = group.nodes, group.links.new
    start, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    radius = nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    points = nodes.new("GeometryNodeMeshToPoints")
    colouring = nodes.new("GeometryNodeSetMaterial")
    colouring.inputs["Material"].default_value = material
    link(start.outputs[0], points.inputs["Mesh"])
    link([s for s in radius.outputs if s.enabled and s.name == "Attribute"][0], points.inputs["Radius"])
    link(points.outputs[0], colouring.inputs["Geometry"])
    link(colouring.outputs[0], end.inputs[0])
    return group


def sand_material():
    """Each grain has its own colour (attribute) and, by its id, its own gloss."""
    material = bpy.data.materials.new("Talus sand")
    material.use_nodes = True
    nodes, link = material.node_tree.nodes, material.node_tree.links.new
    shader = nodes["Principled BSDF"]
    colour = nodes.new("ShaderNodeAttribute")
    colour.attribute_name = "colour"
    identity = nodes.new("ShaderNodeAttribute")
    identity.attribute_name = "id"
    noise = nodes.new("ShaderNodeTexWhiteNoise")
    noise.noise_dimensions = "1D"
    gloss = nodes.new("ShaderNodeMapRange")
    gloss.inputs["To Min"].default_value = 0.55
    gloss.inputs["To Max"].default_value = 1.0
    link(colour.outputs["Color"], shader.inputs["Base Color"])
    link(identity.outputs["Fac"], noise.inputs["W"])
    link(noise.outputs["Value"], gloss.inputs["Value"])
    link(gloss.outputs["Result"], shader.inputs["Roughness"])
    return material


def add_grains(folder, description):
    mesh = bpy.data.meshes.new(CLOUD)
    cloud = bpy.data.objects.new(CLOUD, mesh)
    cloud["talus_folder"] = folder
    bpy.context.scene.collection.objects.link(cloud)
    cloud.modifiers.new("Points", "NODES").node_group = point_nodes(sand_material())
    fill_cloud(mesh, read_grains(folder, description["frames"][0]["frame"]))
    handlers = bpy.app.handlers.frame_change_pre
    for old in [h for h in handlers if h.__name__ == follow_timeline.__name__]:
        handlers.remove(old)
    handlers.append(follow_timeline)
    return cloud


# --- bodies, floors, camera, light ------------------------------------------------------------------


def plain_material(name, colour, roughness):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour[:3], 1)
    shader.inputs["Roughness"].default_value = roughness
    return material


def add_mesh(name, vertices, faces, colour, roughness=0.6):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(v) for v in vertices.tolist()], [], faces)
    mesh.materials.append(plain_material(name, colour, roughness))
    body = bpy.data.objects.new(name, mesh)
    body.rotation_mode = "QUATERNION"
    bpy.context.scene.collection.objects.link(body)
    return body


def add_bodies(folder, description):
    numbers = [entry["frame"] for entry in description["frames"]]
    for node, vertices, corners, colour, moves in Gltf(folder).bodies():
        body = add_mesh(node["name"], vertices, corners.reshape(-1, 3).tolist(), colour)
        body.location = node["translation"]
        x, y, z, w = node["rotation"]
        body.rotation_quaternion = (w, x, y, z)
        for number, place, turn in zip(numbers, moves.get("translation", []), moves.get("rotation", [])):
            body.location = place.tolist()
            x, y, z, w = turn.tolist()
            body.rotation_quaternion = (w, x, y, z)
            body.keyframe_insert("location", frame=number)
            body.keyframe_insert("rotation_quaternion", frame=number)


def add_floors(description):
    corners = numpy.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "f4") * 200
    for floor in description["floors"]:
        plane = add_mesh(floor["name"], corners, [(0, 1, 2, 3)], floor["colour"], 0.9)
        plane.location = floor["position"]
        plane.rotation_quaternion = floor["rotation"]


def up_of(description):
    return mathutils.Vector([1.0 if axis == description["up"] else 0.0 for axis in range(3)])


def aim(thing, position, target, up):
    """Turns -z towards the target, y up."""
    back = (mathutils.Vector(position) - mathutils.Vector(target)).normalized()
    right = up.cross(back).normalized()
    above = back.cross(right)
    thing.matrix_world = mathutils.Matrix.Translation(position) @ mathutils.Matrix(
        (right, above, back)).transposed().to_4x4()


def default_view(folder, description):
    """From the side and a little above, as far away as the grains of all frames demand."""
    up = up_of(description)
    lower, upper = numpy.full(3, 1e30), numpy.full(3, -1e30)
    for entry in (description["frames"][0], description["frames"][-1]):
        grains = read_grains(folder, entry["frame"])
        if grains is not None and len(grains["id"]):
            lower = numpy.minimum(lower, numpy.percentile(grains["position"], 1, axis=0))
            upper = numpy.maximum(upper, numpy.percentile(grains["position"], 99, axis=0))
    if lower[0] > upper[0]:
        lower, upper = numpy.full(3, -1.0), numpy.full(3, 1.0)
    centre = mathutils.Vector(((lower + upper) / 2).tolist())
    side = mathutils.Vector((0.0, -1.0, 0.0)) if description["up"] != 1 else mathutils.Vector((0.0, 0.0, 1.0))
    direction = (side + 0.45 * up + 0.35 * side.cross(up)).normalized()
    distance = 1.6 * float(numpy.linalg.norm(upper - lower))
    return {"position": list(centre + distance * direction), "target": list(centre), "focal_length_mm": 45}


def add_camera(folder, description):
    camera = bpy.data.objects.new("Talus camera", bpy.data.cameras.new("Talus camera"))
    camera.data.sensor_width = 36
    camera.data.clip_end = 1000
    camera.data.clip_start = 0.001
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    up = up_of(description)
    views = [(entry["frame"], entry["camera"]) for entry in description["frames"] if "camera" in entry]
    still = all(view == views[0][1] for _, view in views)
    if not views:
        views, still = [(0, default_view(folder, description))], True
    for frame, view in views[:1] if still else views:
        aim(camera, view["position"], view["target"], up)
        camera.data.lens = view["focal_length_mm"]
        if not still:
            camera.keyframe_insert("location", frame=frame)
            camera.keyframe_insert("rotation_euler", frame=frame)
            camera.data.keyframe_insert("lens", frame=frame)


def add_light(description):
    sun = bpy.data.objects.new("Talus sun", bpy.data.lights.new("Talus sun", "SUN"))
    sun.data.energy = description["sun_strength"]
    sun.data.angle = 0.024
    bpy.context.scene.collection.objects.link(sun)
    towards = mathutils.Vector(description["sun_direction"])
    helper = mathutils.Vector((1.0, 0.0, 0.0)) if abs(towards.normalized().x) < 0.9 else mathutils.Vector((0.0, 1.0, 0.0))
    aim(sun, towards, (0, 0, 0), helper)
    world = bpy.data.worlds.new("Talus sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.62, 0.74, 1.0, 1)
    background.inputs["Strength"].default_value = 0.4 * description["sky_strength"]


# --- all of it --------------------------------------------------------------------------------------


def set_up_scene(description, samples, size):
    scene = bpy.context.scene
    frames = [entry["frame"] for entry in description["frames"]]
    scene.frame_start, scene.frame_end = min(frames), max(frames)
    rate = description["frame_rate"]
    scene.render.fps = max(1, math.ceil(rate))
    scene.render.fps_base = scene.render.fps / rate
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    # Debian builds Blender without the denoiser.
    scene.cycles.use_denoising = bool(getattr(bpy.app.build_options, "openimagedenoise", False))
    scene.render.resolution_x, scene.render.resolution_y = size or (description["width"], description["height"])
    scene.render.resolution_percentage = 100


def import_run(folder, samples=64, size=None):
    folder = os.path.abspath(folder)
    description = read_scene(folder)
    if description.get("talus", 0) > 1:
        fail(f"{folder} was made by a newer Talus; take the script that came with it")
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing, do_unlink=True)
    set_up_scene(description, samples, size)
    add_bodies(folder, description)
    add_floors(description)
    add_camera(folder, description)
    add_light(description)
    cloud = add_grains(folder, description)
    bpy.context.scene.frame_set(description["frames"][0]["frame"])
    return cloud


def main():
    if bpy.app.version < OLDEST:
        fail("Blender {}.{} is too old: {}.{} or newer is needed".format(*bpy.app.version[:2], *OLDEST[:2]))
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(prog="talus_import.py")
    parser.add_argument("folder", help="made by 'talus export RUN --to blender'")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--size", help="WIDTHxHEIGHT in pixels; default as the scene says")
    parser.add_argument("--render", help="make this picture, then quit")
    parser.add_argument("--frame", type=int, help="of the picture; default the last")
    options = parser.parse_args(words)
    size = tuple(int(word) for word in options.size.split("x")) if options.size else None
    import_run(options.folder, options.samples, size)
    if options.render:
        scene = bpy.context.scene
        scene.frame_set(scene.frame_end if options.frame is None else options.frame)
        scene.render.filepath = os.path.abspath(options.render)
        bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
