"""Wrong shapes, types and numbers are exceptions with the words of the command, and change nothing."""

import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import projdyn
import pytest
from models import cloth, simulation

POINTS = np.eye(3)


def spring(**options):
    return projdyn.ModelBuilder(POINTS, **options)


VALUE_ERRORS = [
    (lambda s: setattr(s, "positions", np.zeros((80, 3))), r"\(81, 3\)"),
    (lambda s: setattr(s, "positions", np.full((81, 3), np.nan)), "finite"),
    (lambda s: setattr(s, "positions", np.full((81, 3), np.inf)), "finite"),
    (lambda s: setattr(s, "positions", [[0, 0, 0], [1, 2]]), None),
    (lambda s: setattr(s, "velocities", np.zeros(81)), "shape"),
    (lambda s: setattr(s, "velocities", np.zeros((81, 3, 1))), "shape"),
    (lambda s: setattr(s, "state", projdyn.State(np.zeros((2, 3)))), "2 vertices"),
    (lambda s: projdyn.State(np.zeros((2, 3)), np.zeros((3, 3))), r"\(2, 3\)"),
    (lambda s: projdyn.State(np.zeros((2, 3)), time=np.nan), "time"),
    (lambda s: s.move_pins(np.zeros((3, 3))), r"\(2, 3\)"),
    (lambda s: s.move_pins(np.zeros((2, 3)), group=1), "1 groups"),
    (lambda s: s.move_collider(0, [0, 0, 0]), "0 colliders"),
    (lambda s: s.configure(dt=-1.0), "dt"),
    (lambda s: s.configure(dt=np.nan), "dt"),
    (lambda s: s.configure(iterations=0), "iterations"),
    (lambda s: s.configure(damping=-1.0), "damping"),
    (lambda s: s.configure(tolerance=1.0), "tolerance"),
    (lambda s: s.configure(gravity=[0, 0]), "three numbers"),
    (lambda s: s.add_sphere([0, 0], 1.0), "three numbers"),
    (lambda s: s.add_sphere([0, 0, 0], -1.0), "radius"),
    (lambda s: s.add_floor(np.nan), None),
    (lambda s: s.add_block([0, 0, 0], [1, -1, 1]), None),
    (lambda s: s.record(3, every=0), "every"),
    (lambda s: projdyn.rollout(s, [projdyn.State(np.zeros((2, 3)))], 1), "2 vertices"),
    (lambda s: projdyn.Simulation(cloth(), solver="choleski"), "choleski"),
    (lambda s: projdyn.Simulation(cloth(), stepper="pdd"), "known are"),
    (lambda s: projdyn.Simulation(cloth(), solver=object()), "factor"),
    (lambda s: projdyn.Simulation(cloth(), threads=0), "threads"),
    (lambda s: projdyn.Simulation(cloth(), threads=100_000), "threads"),
    (lambda s: projdyn.Simulation(cloth(), dt=0.0), "dt"),
    (lambda s: projdyn.Simulation(cloth(), projdyn.State(POINTS)), "3 vertices"),
    (lambda s: projdyn.ModelBuilder(np.zeros((0, 3))).build(), "at least one vertex"),
    (lambda s: projdyn.ModelBuilder(np.zeros((4, 2))), "shape"),
    (lambda s: projdyn.ModelBuilder(POINTS, mass=-1.0).build(), "mass"),
    (lambda s: spring().springs([[0, 3]], 1.0).build(), "vertex 3"),
    (lambda s: spring().springs([[0, -1]], 1.0), "-1"),
    (lambda s: spring().springs([[0, 2**40]], 1.0), str(2**40)),
    (lambda s: spring().springs([0, 1], 1.0), "shape"),
    (lambda s: spring().springs([[0, 1, 2]], 1.0), "shape"),
    (lambda s: spring().springs([[0, 1]], -1.0).build(), "weight"),
    (lambda s: spring().springs([[0, 1]], np.nan), "finite"),
    (lambda s: spring().springs([[0, 1]], [1.0, 2.0]).build(), None),
    (lambda s: spring(masses=[1, 2]), "2 for 3"),
    (lambda s: spring(triangles=[[0, 1, 9]]), "9"),
    (lambda s: spring().bending([[0, 1, 9]], 1.0).build(), "9"),
    (lambda s: spring().bending([[0, 1, 2]], 1.0, laplacian="round"), "round"),
    (lambda s: spring().strain([[0, 1, 2, 9]], 1.0), "9"),
    (lambda s: spring().strain([[0, 1, 2, 2]], 1.0).build(), None),
    (lambda s: spring().triangle_strain([[0, 1, 2]], 1.0, min=2.0, max=1.0).build(), None),
    (lambda s: spring().pins([7]).build(), "7"),
    (lambda s: spring().constraint([[0, 9]], [[1, -1]], 1.0, len).build(), "9"),
    (lambda s: spring().constraint([[0, 1]], [1, -1], 1.0, len), "rows"),
    (lambda s: spring().constraint([[0, 1]], [[1, -1]], [1.0, 2.0], len), "2 for 1"),
    (lambda s: spring().constraint([[0, 1]], [[1, -1]], 1.0, len, chunk=0), "chunk"),
    (lambda s: projdyn.Scene("clothes"), "clothes"),
    (lambda s: projdyn.Scene("cloth", set={"step.dumping": 1}), "dumping"),
    (lambda s: projdyn.Scene("cloth").run(frames=1, dt=-1.0), "dt"),
    (lambda s: projdyn.Scene("cloth").run(frames=1, solver="none"), "none"),
    (lambda s: projdyn.grid(0, 4), "0 × 4"),
]


@pytest.mark.parametrize(("what", "words"), VALUE_ERRORS)
def test_a_value_error_changes_nothing(what, words):
    sim = simulation()
    sim.step(2)
    before = sim.hash
    with pytest.raises(ValueError, match=words):
        what(sim)
    assert sim.hash == before
    sim.step()


@pytest.mark.parametrize(
    "what",
    [
        lambda s: setattr(s, "positions", "text"),
        lambda s: setattr(s, "positions", np.zeros((81, 3), dtype=complex)),
        lambda s: setattr(s, "positions", None),
        lambda s: setattr(s, "state", 3),
        lambda s: s.step("many"),
        lambda s: s.step(1.5),
        lambda s: spring().springs([[0.0, 1.0]], 1.0),
        lambda s: spring().springs([[True, False]], 1.0),
        lambda s: projdyn.Simulation(None),
        lambda s: projdyn.Simulation(cloth(), iterations="ten"),
        lambda s: projdyn.Scene(7),
        lambda s: projdyn.rollout(s, [None], 1),
        lambda s: projdyn.mesh_arrays(3),
    ],
)
def test_a_type_error_changes_nothing(what):
    sim = simulation()
    before = sim.hash
    with pytest.raises(TypeError):
        what(sim)
    assert sim.hash == before


def test_negative_counts_and_sizes_that_do_not_fit():
    sim = simulation()
    for what in (lambda: sim.step(-1), lambda: sim.configure(iterations=-1)):
        with pytest.raises(OverflowError):
            what()
    with pytest.raises(MemoryError):
        projdyn.rollout(sim, [sim.state] * 2, 2**60)


def test_nothing_can_be_made_empty():
    for kind in (projdyn.Model, projdyn.Film, projdyn.SceneRun):
        with pytest.raises(TypeError):
            kind()


def test_a_builder_builds_once_and_may_fail_before():
    builder = projdyn.ModelBuilder(POINTS).springs([[0, 1]], 1.0)
    builder.build()
    for again in (builder.build, lambda: builder.pins([0])):
        with pytest.raises(ValueError, match="already"):
            again()


def test_simulations_outlive_what_they_were_made_of():
    model = cloth()
    sim = projdyn.Simulation(model, state=projdyn.State(model.positions), threads=1)
    sim.add_force(lambda x, v, t, which: np.zeros_like(x))
    del model
    gc.collect()
    sim.step(3)
    x = sim.positions
    del sim
    gc.collect()
    assert np.isfinite(x).all()


def test_an_interrupt_ends_a_long_run_between_steps():
    sim = simulation()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**12)
    timer.join()
    assert sim.time > 0 and np.isfinite(sim.positions).all()
    sim.step()


def test_a_forked_process_has_threads_of_its_own():
    program = """
import os, sys
import projdyn
before = projdyn.Scene("bar").run(frames=2, threads=2).hash
child = os.fork()
if child == 0:
    os._exit(0 if projdyn.Scene("bar").run(frames=2, threads=2).hash == before else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60)
    assert done.returncode == 0
