"""Bullet's deformable world (package pybullet): mass-spring cloth, tetrahedra with a Neo-Hookean energy."""

import os
import tempfile
import time

import numpy as np
import pybullet as bullet

from common import DT, FLOOR, GRAVITY, SPRING, VERTEX_MASS, YOUNG, arguments, quality, say

ENGINE = "Bullet (pybullet)"


def write_obj(path, mesh):
    with open(path, "w") as out:
        for p in mesh.x:
            out.write("v %.9g %.9g %.9g\n" % tuple(p))
        for t in mesh.triangles:
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
    common = dict(mass=VERTEX_MASS * len(mesh.x), useBendingSprings=0, useSelfCollision=0, collisionMargin=0.001)
    if task == "cloth":
        path = os.path.join(directory, "cloth.obj")
        write_obj(path, mesh)
        return bullet.loadSoftBody(
            path, useMassSpring=1, useNeoHookean=0, springElasticStiffness=SPRING, springDampingStiffness=0.0, **common
        )
    path = os.path.join(directory, "solid.vtk")
    write_vtk(path, mesh)
    plane = bullet.createCollisionShape(bullet.GEOM_PLANE, planeNormal=[0, 1, 0])
    bullet.createMultiBody(0, plane, basePosition=[0, FLOOR, 0])
    return bullet.loadSoftBody(
        path,
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


def run(task, mesh, frames, substeps):
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
    spent = 0.0
    for frame in range(frames):
        begun = time.perf_counter()
        for _ in range(substeps):
            bullet.stepSimulation()
        spent += time.perf_counter() - begun
        figures = quality(mesh, positions(body))
        if figures["p99"] is None or figures["p99"] > 100.0:  # hundred times its length: it has exploded
            return spent * 1e3 / (frame + 1), {"p99": None}
    return spent * 1e3 / frames, figures


def main():
    task, mesh, frames = arguments()
    bullet.connect(bullet.DIRECT)
    note, double = "", 1
    if task == "solid" and mesh.bodies == 2:
        # Loading takes time with the square of the vertices; the bodies do not touch, so one is simulated.
        half = len(mesh.x) // 2
        mesh.x, mesh.tets, mesh.edges = mesh.x[:half], mesh.tets[: len(mesh.tets) // 2], mesh.edges[mesh.edges.max(1) < half]
        note, double = "one body simulated, its time doubled", 2
    law = f"springs {SPRING:g} N/m" if task == "cloth" else f"Neo-Hookean, mu = lambda = {YOUNG / 2:g} Pa"
    for substeps in (1, 32):
        ms, figures = run(task, mesh, frames, substeps)
        say(ENGINE, f"{law}, {substeps} substeps", ms * double, note=note, **figures)


main()
