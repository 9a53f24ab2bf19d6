"""Bullet's deformable world (package pybullet): mass-spring cloth, tetrahedra with a Neo-Hookean energy."""

import os
import tempfile
import time

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


def run(task, mesh, frames, substeps, until):
    """Ms a frame, note, figures, and how long it took to load, s."""
    begun = time.perf_counter()
    bullet.resetSimulation(bullet.RESET_USE_DEFORMABLE_WORLD)
    bullet.setGravity(0, -GRAVITY, 0)
    bullet.setTimeStep(DT / substeps)
    bullet.setPhysicsEngineParameter(sparseSdfVoxelSize=0.25)
    body = load(task, mesh)
    before = positions(body)
    if before.shape != mesh.x.shape or np.abs(before - mesh.x).max() > 1e-4:
        raise SystemExit("the vertices were reordered")
    for pin in mesh.pins:
        bullet.createSoftBodyAnchor(body, int(pin), -1, -1)
    loaded = None

    def frame():
        nonlocal loaded
        for _ in range(substeps):
            bullet.stepSimulation()
            loaded = loaded or time.perf_counter() - begun  # the first step builds search trees

    def is_lost():
        p99 = quality(mesh, positions(body))["p99"]
        return p99 is None or p99 > 100.0  # a hundred times its length: it has exploded

    ms, note = run_frames(frames, until, frame, is_lost)
    figures = {"p99": None} if is_lost() else quality(mesh, positions(body))
    return ms, note, figures, loaded


def main():
    started = time.perf_counter()
    task, mesh, frames, seconds = arguments()
    bullet.connect(bullet.DIRECT)
    law = f"springs {SPRING:g} N/m" if task == "cloth" else f"Neo-Hookean, mu = lambda = {YOUNG / 2:g} Pa"
    # Its springs are explicit: one substep is what it does by itself, 32 are what springs of this stiffness need.
    settings = [f"{law}, {substeps} substeps" for substeps in (32, 1)]
    begin(ENGINE, settings[0], "loaded")
    ms, note, figures, loaded = run(task, mesh, frames, 32, started + 0.55 * seconds)
    say(ENGINE, settings[0], ms, note=note, **figures)
    if time.perf_counter() - started + 1.3 * loaded > seconds:
        say(ENGINE, settings[1], missing=f"no time is left: it takes {loaded:.0f} s to load")
        return
    begin(ENGINE, settings[1], "loaded")
    ms, note, figures, _ = run(task, mesh, frames, 1, started + 0.9 * seconds)
    say(ENGINE, settings[1], ms, note=note, **figures)


main()
