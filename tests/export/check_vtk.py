# check_vtk.py RUN EXPORT FRAMES: reads what `talus export --to vtk` wrote with VTK's own reader.
import sys
import xml.etree.ElementTree

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

from talus_frame import colour_of, read_frame, same

run, folder, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])


def read(name):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(f"{folder}/{name}")
    reader.Update()
    if reader.GetErrorCode():
        sys.exit(f"{name}: VTK reports error {reader.GetErrorCode()}")
    return reader.GetOutput()


collection = xml.etree.ElementTree.parse(folder + "/run.pvd").getroot().find("Collection")
listed = [(float(d.get("timestep")), d.get("file")) for d in collection]
assert len(listed) == 2 * frames, listed
for index in range(frames):
    info, field = read_frame(f"{run}/frames/frame_{index:06}.tal")
    time, name = [entry for entry in listed if f"grains.{index:06}" in entry[1]][0]
    same("time in the .pvd", time, info["time"], 1e-12)
    cloud = read(name)
    assert cloud.GetNumberOfPoints() == len(field["id"])
    assert cloud.GetNumberOfVerts() == min(1, len(field["id"]))
    assert not len(field["id"]) or cloud.GetCell(0).GetNumberOfPoints() == len(field["id"])
    same("position", vtk_to_numpy(cloud.GetPoints().GetData()), field["position"])
    for key, values in field.items():
        if key == "position":
            continue
        array = cloud.GetPointData().GetArray(key)
        assert array, f"{key} is missing"
        same(key, vtk_to_numpy(array), values)
    same("colour", vtk_to_numpy(cloud.GetPointData().GetArray("colour")), colour_of(info, field), 1e-6)
    assert vtk_to_numpy(cloud.GetPointData().GetArray("id")).dtype == numpy.uint64
    key = cloud.GetPointData().GetArray("velocity").UNITS_LABEL()
    assert cloud.GetPointData().GetArray("velocity").GetInformation().Get(key) == "m/s"
    same("TimeValue", cloud.GetFieldData().GetArray("TimeValue").GetValue(0), info["time"], 1e-12)
    bodies = read(f"bodies.{index:06}.vtp")
    points = vtk_to_numpy(bodies.GetPoints().GetData())
    centre = [b["position"] for b in info["bodies"] if b["name"] == "ball"][0]
    same("radius of the ball", numpy.linalg.norm(points - centre, axis=1), numpy.full(len(points), 0.1), 1e-5)
    assert bodies.GetNumberOfPolys() > 100
print("ok")
