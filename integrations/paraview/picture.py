"""A picture of an exported run by ParaView 5.11 or newer: pvpython picture.py FOLDER PICTURE [TIME].

    talus export RUN --to vtk
    pvpython integrations/paraview/picture.py RUN/export_vtk picture.png

Opens run.pvd as ParaView's window does: grains as spheres coloured by speed, bodies as surfaces.
"""
import os
import sys

import numpy
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

if simple.GetParaViewVersion() < 5.11:
    sys.exit(f"picture.py: ParaView {simple.GetParaViewVersion()} is too old: 5.11 or newer is needed")
if len(sys.argv) < 3:
    sys.exit("picture.py: usage: pvpython picture.py FOLDER PICTURE [TIME]")
folder, picture = sys.argv[1], sys.argv[2]
if not os.path.exists(os.path.join(folder, "run.pvd")):
    sys.exit(f"picture.py: {folder} has no run.pvd; 'talus export RUN --to vtk' makes one")

run = simple.PVDReader(FileName=os.path.join(folder, "run.pvd"))
time = float(sys.argv[3]) if len(sys.argv) > 3 else run.TimestepValues[-1]
view = simple.CreateRenderView(ViewSize=[960, 540], Background=[1, 1, 1])
view.UseColorPaletteForBackground = 0
view.ViewTime = time
simple.UpdatePipeline(time, run)
grains = simple.ExtractBlock(Input=run, Selectors=["/Root/grains"])
bodies = simple.ExtractBlock(Input=run, Selectors=["/Root/bodies"])
simple.UpdatePipeline(time, grains)
shown = simple.Show(grains, view)
shown.SetRepresentationType("Point Gaussian")
shown.ShaderPreset = "Sphere"
shown.ScaleByArray = 1
shown.SetScaleArray = ["POINTS", "radius"]
shown.GaussianRadius = 1.0
shown.UseScaleFunction = 0
simple.ColorBy(shown, ("POINTS", "velocity", "Magnitude"))
simple.UpdatePipeline(time, grains)
cloud = servermanager.Fetch(grains).GetBlock(0).GetBlock(0)
speed = numpy.linalg.norm(vtk_to_numpy(cloud.GetPointData().GetArray("velocity")), axis=1)
colours = simple.GetColorTransferFunction("velocity")
colours.RescaleTransferFunction(0, max(float(numpy.percentile(speed, 99)), 1e-6))
bar = simple.GetScalarBar(colours, view)
bar.Title, bar.ComponentTitle, bar.TitleColor, bar.LabelColor = "speed (m/s)", "", [0, 0, 0], [0, 0, 0]
shown.SetScalarBarVisibility(view, True)
simple.Show(bodies, view).DiffuseColor = [0.5, 0.45, 0.4]
# As close as the middle 96 % of the grains allow; a few strays may leave the picture.
lower, upper = numpy.percentile(vtk_to_numpy(cloud.GetPoints().GetData()), [2, 98], axis=0)
centre, size = (lower + upper) / 2, float(numpy.linalg.norm(upper - lower))
view.CameraFocalPoint = centre.tolist()
view.CameraPosition = (centre + size * numpy.array([-0.9, -1.4, 0.8])).tolist()
view.CameraViewUp = [0, 0, 1]
view.CameraViewAngle = 30
simple.SaveScreenshot(picture, view, ImageResolution=[960, 540])
count = grains.GetDataInformation().GetNumberOfPoints()
print(f"{count} grains at {time} s of {len(run.TimestepValues)} frames -> {picture}")
