"""PositionBasedDynamics (package pypbd): XPBD, springs for the cloth, its XPBD finite elements for the solid.

The setting is substeps x iterations.
"""

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
    """A simulation without anything in it."""
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


def main():
    task, mesh, frames, until, setting = arguments()
    substeps, iterations = (int(word) for word in setting.split("x"))
    begin(ENGINE, "loaded")
    scale = 1.0 if task == "cloth" else SCALE
    model, controller = start(scale, substeps, iterations)
    (cloth if task == "cloth" else solid)(model, mesh)
    particles = model.getParticles()
    for i in range(len(mesh.x)):
        particles.setMass(i, VERTEX_MASS)
    for i in mesh.pins:
        particles.setMass(int(i), 0.0)
    x = np.asarray(particles.getVertices())
    begin(ENGINE, "finished")

    def frame():
        controller.step(model)
        if task == "solid":  # the floor, by position after the frame, without friction
            for i in np.nonzero(x[:, 1] < FLOOR * scale)[0].tolist():
                particles.setPosition(i, np.array([x[i, 0], FLOOR * scale, x[i, 2]]))
                velocity = np.array(particles.getVelocity(i)).reshape(3)
                velocity[1] = max(velocity[1], 0.0)
                particles.setVelocity(i, velocity)

    done, ms = run_frames(frames, until, frame, lambda: False)  # the first colours the constraints
    note = "" if task == "cloth" else "floor by position after each frame"
    say(ENGINE, done, ms, note, **quality(mesh, np.array(x) / scale))


main()
