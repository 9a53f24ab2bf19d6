"""PositionBasedDynamics (package pypbd): XPBD, springs for the cloth, its XPBD finite elements for the solid."""

import time

import numpy as np
import pypbd as pbd

from common import DT, FLOOR, SPRING, VERTEX_MASS, YOUNG, arguments, begin, quality, run_frames, say

ENGINE = "PositionBasedDynamics (pypbd)"
# Its solids ignore tetrahedra below a fixed volume, so lengths are multiplied by this and times by its root: gravity, which
# the package does not let us set, stays what it is (9.81), and the motion is the same.
SCALE = 100.0
# Method of addSolidConstraints: XPBD with a finite-element energy.
XPBD_FEM = 3


def start(scale, substeps, iterations):
    """A fresh simulation."""
    if pbd.Simulation.hasCurrent():
        pbd.Simulation.getCurrent().reset()
    sim = pbd.Simulation.getCurrent()
    sim.initDefault()
    controller = sim.getTimeStep()
    controller.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
    controller.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, iterations)
    pbd.TimeManager.getCurrent().setTimeStepSize(DT * scale**0.5)
    return sim.getModel(), controller


def cloth(model, mesh):
    model.addTriangleModel(list(mesh.x), mesh.triangles.flatten().tolist())
    for i, j in mesh.edges.tolist():
        model.addDistanceConstraint_XPBD(i, j, SPRING)


def solid(model, mesh):
    body = model.addTetModel(list(mesh.x * SCALE), mesh.tets.flatten().tolist())
    # Forces stay, areas grow by the square.
    model.addSolidConstraints(body, XPBD_FEM, YOUNG / SCALE**2, 0.0, 0.0, False, False)


def run(task, mesh, frames, substeps, iterations, until):
    scale = 1.0 if task == "cloth" else SCALE
    model, controller = start(scale, substeps, iterations)
    (cloth if task == "cloth" else solid)(model, mesh)
    particles = model.getParticles()
    for i in range(len(mesh.x)):
        particles.setMass(i, VERTEX_MASS)
    for i in mesh.pins:
        particles.setMass(int(i), 0.0)
    x = np.asarray(particles.getVertices())

    def frame():
        controller.step(model)
        if task == "solid":  # the floor, by position after the frame, without friction
            for i in np.nonzero(x[:, 1] < FLOOR * scale)[0].tolist():
                particles.setPosition(i, np.array([x[i, 0], FLOOR * scale, x[i, 2]]))
                velocity = np.array(particles.getVelocity(i)).reshape(3)
                velocity[1] = max(velocity[1], 0.0)
                particles.setVelocity(i, velocity)

    ms, note = run_frames(frames, until, frame, lambda: False)  # the first colours the constraints
    return ms, note, quality(mesh, np.array(x) / scale)


def main():
    started = time.perf_counter()
    task, mesh, frames, seconds = arguments()
    law = f"{SPRING:g} N/m" if task == "cloth" else f"E = {YOUNG:g} Pa"
    settings = [(1, 10), (20, 1), (60, 1)] if task == "cloth" else [(1, 10), (10, 1)]
    for k, (substeps, iterations) in enumerate(settings):
        words = f"XPBD, {substeps} substeps x {iterations} iterations, {law}"
        begin(ENGINE, words, "run")
        until = started + 0.9 * seconds * (k + 1) / len(settings)
        ms, cut, figures = run(task, mesh, frames, substeps, iterations, until)
        floor = "" if task == "cloth" else "floor by position after each frame"
        say(ENGINE, words, ms, note=", ".join(filter(None, [cut, floor])), **figures)


main()
