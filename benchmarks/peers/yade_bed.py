# Bed of grains on a floor in a periodic cell. Arguments: data file, clumps (0/1), steps, dt, side, height.
import sys, time
from yade import *
data, clumps, steps, dt, side, height = sys.argv[1:7]
clumps, steps, dt, side, height = int(clumps), int(steps), float(dt), float(side), float(height)
sand = O.materials.append(FrictMat(young=1e7, poisson=0.25, density=2500, frictionAngle=0.4636))
O.periodic = True
O.cell.setBox(side, side, 4 * height)
groups = {}
for line in open(data):
    x, y, z, r, grain = line.split()
    groups.setdefault(int(grain), []).append(sphere((float(x), float(y), float(z) + height), float(r),
                                                    material=sand))
for balls in groups.values():
    O.bodies.appendClumped(balls) if clumps else O.bodies.append(balls[0])
O.bodies.append(wall(height, axis=2, material=sand))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=-0.15,
                          allowBiggerThanPeriod=True),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=0.5)], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(gravity=(0, 0, -9.81), damping=0),
]
O.dt = dt
O.run(50, True)
start = time.time()
O.run(steps, True)
print("GRAIN_STEPS_PER_SECOND %g" % (len(groups) * steps / (time.time() - start)))
sys.stdout.flush()
import os
os._exit(0)
