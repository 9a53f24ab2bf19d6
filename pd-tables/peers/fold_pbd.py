"""PositionBasedDynamics (package pypbd) on the fold of `fold_report`: XPBD springs. The package detects no collisions of cloth with itself.

fold_pbd.py MESH FRAMES SUBSTEPSxITERATIONS OUT. The first line of MESH has the numbers of vertices, edges and triangles, the mass of a
vertex, kg, and the weight of the springs, N/m; positions, edges and triangles follow. OUT gets the positions of every frame as 64-bit
floats. The floor at y = 0 acts on positions after each frame. Prints the milliseconds of a frame, without the floor.
"""

import sys
import time

import numpy as np
import pypbd as pbd

DT = 1.0 / 60.0


def main():
    path, frames, setting, out = sys.argv[1:5]
    substeps, iterations = (int(word) for word in setting.split("x"))
    with open(path) as lines:
        first = next(lines).split()
        counts, (mass, weight) = [int(word) for word in first[:3]], [float(word) for word in first[3:]]
        rows = [np.array([next(lines).split() for _ in range(count)], dtype=float) for count in counts]
    start, edges, triangles = rows[0], rows[1].astype(int), rows[2].astype(int)
    sim = pbd.Simulation.getCurrent()
    sim.initDefault()
    model, controller = sim.getModel(), sim.getTimeStep()
    controller.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
    controller.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, iterations)
    pbd.TimeManager.getCurrent().setTimeStepSize(DT)
    model.addTriangleModel(list(start), triangles.flatten().tolist())
    for i, j in edges.tolist():
        model.addDistanceConstraint_XPBD(i, j, weight)
    particles = model.getParticles()
    for i in range(len(start)):
        particles.setMass(i, mass)
    x = np.asarray(particles.getVertices())
    spent = 0.0
    with open(out, "wb") as file:
        for _ in range(int(frames)):
            begun = time.thread_time()
            controller.step(model)
            spent += time.thread_time() - begun
            for i in np.nonzero(x[:, 1] < 0.0)[0].tolist():
                particles.setPosition(i, np.array([x[i, 0], 0.0, x[i, 2]]))
                velocity = np.array(particles.getVelocity(i)).reshape(3)
                velocity[1] = max(velocity[1], 0.0)
                particles.setVelocity(i, velocity)
            file.write(np.array(x, dtype=float).tobytes())
    print(spent * 1e3 / int(frames))


main()
