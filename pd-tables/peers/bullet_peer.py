"""Bullet's deformable world (package pybullet): mass-spring cloth, tetrahedra with a Neo-Hookean energy.

The setting is the number of substeps. Its springs are explicit: one substep is what it does by itself, 32 are what springs
of our stiffness need.
"""

import os
import tempfile

import numpy as np
import pybullet as bullet

from common import DT, FLOOR, GRAVITY, SPRING, VERTEX_MASS, YOUNG, arguments, begin, quality, run_frames, say

ENGINE = "Bullet (pybullet)"


def write_obj(path, x, triangles):
    with open(path, "w") as out:
        for p in x:
            out.write("v %.9g %.9g %.9g\n" % tuple(p))
        for t in triangles:
            out.write("f %d %d %d\n" % tuple(t + 1))


def write_vtk(path, mesh):
    with open(path, "w") as out:
        out.write("# vtk DataFile Version 2.0\nsolid\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        out.write("POINTS %d double\n" % len(mesh.x))
        for p in mesh.x:
            out.write("%.9g %.9g %.9g\n" % tuple(p))
        out.write("\nCELLS %d %d\n" % (len(mesh.tets), 5 * len(mesh.tets)))
        for t in mesh.tets:
            out.write("4 %d %d %d %d\n" % tuple(t))
        out.write("\nCELL_TYPES %d\n" % len(mesh.tets) + "10\n" * len(mesh.tets))


def load(task, mesh):
    directory = tempfile.mkdtemp()
    # What is drawn is bound to what is simulated by trying every drawn vertex on every triangle, which for these meshes takes
    # an hour. Nothing is drawn here, so one triangle is enough.
    drawn = os.path.join(directory, "drawn.obj")
    write_obj(drawn, mesh.x[mesh.triangles[0]], np.array([[0, 1, 2]]))
    common = dict(mass=VERTEX_MASS * len(mesh.x), useBendingSprings=0, useSelfCollision=0, collisionMargin=0.001)
    if task == "cloth":
        path = os.path.join(directory, "cloth.obj")
        write_obj(path, mesh.x, mesh.triangles)
        return bullet.loadSoftBody(
            drawn, simFileName=path, useMassSpring=1, useNeoHookean=0, springElasticStiffness=SPRING, springDampingStiffness=0.0, **common
        )
    path = os.path.join(directory, "solid.vtk")
    write_vtk(path, mesh)
    plane = bullet.createCollisionShape(bullet.GEOM_PLANE, planeNormal=[0, 1, 0])
    bullet.createMultiBody(0, plane, basePosition=[0, FLOOR, 0])
    return bullet.loadSoftBody(
        drawn,
        simFileName=path,
        useMassSpring=0,
        useNeoHookean=1,
        NeoHookeanMu=YOUNG / 2,
        NeoHookeanLambda=YOUNG / 2,  # it divides by this, so not zero as ours
        NeoHookeanDamping=0.0,
        frictionCoeff=0.0,
        **common,
    )


def positions(body):
    count, x = bullet.getMeshData(body, -1, flags=bullet.MESH_DATA_SIMULATION_MESH)[:2]
    return np.array(x).reshape(count, 3)


def main():
    task, mesh, frames, until, setting = arguments()
    substeps = int(setting)
    begin(ENGINE, "loaded")
    bullet.connect(bullet.DIRECT)
    bullet.resetSimulation(bullet.RESET_USE_DEFORMABLE_WORLD)
    bullet.setGravity(0, -GRAVITY, 0)
    bullet.setPhysicsEngineParameter(sparseSdfVoxelSize=0.25)
    body = load(task, mesh)
    before = positions(body)
    if before.shape != mesh.x.shape or np.abs(before - mesh.x).max() > 1e-4:
        raise SystemExit("the vertices were reordered")
    for pin in mesh.pins:
        bullet.createSoftBodyAnchor(body, int(pin), -1, -1)
    # The first step builds search trees, which is most of the loading; nothing moves in it.
    bullet.setTimeStep(1e-6)
    bullet.stepSimulation()
    bullet.setTimeStep(DT / substeps)
    begin(ENGINE, "finished")

    def frame():
        for _ in range(substeps):
            bullet.stepSimulation()

    def is_lost():
        p99 = quality(mesh, positions(body))["p99"]
        return p99 is None or p99 > 100.0  # a hundred times its length: it has exploded

    done, ms = run_frames(frames, until, frame, is_lost)
    say(ENGINE, done, ms, **({"p99": None} if is_lost() else quality(mesh, positions(body))))


main()
