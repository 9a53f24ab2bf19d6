"""Models of one's own: states, pins, obstacles, solids, rollouts, threads."""

import copy
import pickle
import threading
import time

import numpy as np
import projdyn
import pytest
from models import cloth, simulation


def test_states_repeat_pickle_save_and_compare(tmp_path):
    sim = simulation()
    sim.step(3)
    kept = sim.state
    sim.save(tmp_path / "a.pdc")
    for other in (pickle.loads(pickle.dumps(kept)), copy.deepcopy(kept), projdyn.State.load(tmp_path / "a.pdc")):
        assert other == kept and other.hash == kept.hash and other.time == kept.time
    sim.step(4)
    after = sim.hash
    sim.state = kept
    sim.step(4)
    assert sim.hash == after
    sim.load(tmp_path / "a.pdc")
    sim.step(4)
    assert sim.hash == after


def test_arrays_are_copies_and_settable():
    sim = simulation()
    x = sim.positions
    x[:] = 7.0
    assert sim.positions.max() < 1.0
    assert x.dtype == np.float64 and x.shape == (81, 3) and x.flags.c_contiguous
    sim.positions = sim.positions.astype(np.float32)
    sim.positions = np.asfortranarray(sim.positions)
    sim.velocities = np.ones((81, 3)).tolist()
    assert sim.velocities.min() == 1.0


def test_the_corner_falls_and_the_pins_hold_and_move():
    sim = simulation()
    sim.step(30)
    assert sim.positions[80, 1] < -0.3
    np.testing.assert_allclose(sim.positions[[0, 8]], cloth().positions[[0, 8]], atol=2e-3)
    sim.move_pins(cloth().positions[[0, 8]] + [0, 0.5, 0])
    sim.step(60)
    np.testing.assert_allclose(sim.positions[[0, 8], 1], 0.5, atol=5e-3)


def test_threads_and_batches_of_steps_change_no_bits():
    one, two = simulation(threads=1), simulation(threads=2)
    one.step(20)
    for _ in range(20):
        two.step()
    assert one.hash == two.hash


def test_a_free_fall_is_that_of_implicit_euler():
    sim = projdyn.Simulation(projdyn.ModelBuilder(np.eye(3)).springs([[0, 1]], 1.0).build(), dt=0.01)
    sim.step(10)
    h, n = 0.01, 10
    np.testing.assert_allclose(sim.positions - np.eye(3), [[0, -9.8 * h * h * n * (n + 1) / 2, 0]] * 3, atol=1e-12)
    assert sim.time == pytest.approx(0.1)


def test_obstacles_are_touched_and_moved():
    sim = simulation()
    floor = sim.add_floor(-0.3)
    ball = sim.add_sphere([0, -5, 0], 0.1)
    assert (floor, ball) == (0, 1)
    sim.step(60)
    touching = sim.contacts
    assert len(touching["vertices"]) > 5 and set(touching["colliders"]) == {floor}
    assert (touching["distances"] >= 0).all() and (touching["distances"] <= 1e-3).all()
    np.testing.assert_array_equal(touching["points"], sim.positions[touching["vertices"]])
    np.testing.assert_array_equal(touching["normals"], np.tile([0.0, 1.0, 0.0], (len(touching["vertices"]), 1)))
    low = sim.positions[:, 1].min()
    for k in range(1, 31):
        sim.move_collider(floor, [0, 0.01 * k, 0])
        sim.step()
    assert sim.positions[:, 1].min() == pytest.approx(low + 0.3, abs=1e-9)
    sim.clear_colliders()
    sim.step(30)
    assert sim.positions[:, 1].min() < low
    assert len(sim.contacts["vertices"]) == 0


def test_all_shapes_keep_points_out():
    for shape, arguments, distance in [
        ("add_block", ([0, -1, 0], [0.5, 0.5, 0.5]), lambda x: x[:, 1] + 0.5),
        ("add_torus", ([0, -1, 0], 0.5, 0.2), lambda x: np.hypot(np.hypot(x[:, 0], x[:, 2]) - 0.5, x[:, 1] + 1) - 0.2),
        ("add_capsule", ([-1, -1, 0], [1, -1, 0], 0.3), lambda x: np.hypot(x[:, 1] + 1, x[:, 2]) - 0.3),
        ("add_cylinder", ([0, -2, 0], [0, -0.7, 0], 0.6), lambda x: x[:, 1] + 0.7),
    ]:
        x = np.array([[0.5, 0.0, 0.0], [0.2, 0.0, 0.1], [-0.1, 0.0, -0.3]])
        free = projdyn.Simulation(projdyn.ModelBuilder(x).springs([[0, 1]], 1e-9).build(), threads=1)
        getattr(free, shape)(*arguments)
        before = distance(x).min()
        free.step(26)
        stopped = distance(free.positions)
        assert before > 0 and stopped.min() > -1e-9, shape
        assert len(free.contacts["vertices"]) > 0, shape


def test_parameters_change_between_steps():
    sim = simulation()
    sim.configure(gravity=[0, 0, 0], measure=True)
    report = sim.step()
    assert report["kinetic"] < 1e-20 and report["elastic"] < 1e-20
    sim.configure(dt=0.01, iterations=3, gravity=[0, -9.8, 0])
    report = sim.step()
    assert report["iterations"] == 3 and sim.dt == 0.01 and report["kinetic"] > 1e-6
    sim.configure(damping=1e6)
    sim.step(2)
    assert np.abs(sim.velocities).max() < 1e-3


@pytest.mark.parametrize("stepper", ["pd-anderson", "newton", "xpbd", "vbd", "pd+sub2"])
def test_other_steppers_fall_alike(stepper):
    sims = [simulation(stepper=name) for name in ("pd", stepper)]
    for sim in sims:
        sim.step(10)
    assert abs(sims[0].positions[80, 1] - sims[1].positions[80, 1]) < 0.1


def test_rollouts_share_one_factor_and_leave_the_simulation_alone():
    factored = []

    class Solver:
        def factor(self, indptr, indices, data):
            factored.append(len(indptr) - 1)
            a = np.zeros((len(indptr) - 1,) * 2)
            for i in range(len(a)):
                a[i, indices[indptr[i] : indptr[i + 1]]] = data[indptr[i] : indptr[i + 1]]
            self.inverse = np.linalg.inv(a)

        def solve(self, b):
            return self.inverse @ b

    sim = simulation(solver=Solver())
    sim.step(2)
    before = sim.hash
    states = [projdyn.State(sim.positions + [0, k, 0]) for k in range(3)]
    x = projdyn.rollout(sim, states, 4)
    assert x.shape == (3, 4, 81, 3) and sim.hash == before
    assert factored == [81], "the matrix is factored once"
    sim.state = states[1]
    sim.step(4)
    np.testing.assert_array_equal(x[1, -1], sim.positions)


def test_a_solid_of_tetrahedra_keeps_its_volume():
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    tets = np.array([[0, 1, 2, 3]])
    model = projdyn.ModelBuilder(x).strain(tets, 1e4).volume(tets, 1e4).pins([0]).build()
    assert model.triangles.shape == (4, 3) and model.vertices == 4 and model.constraints == 3
    sim = projdyn.Simulation(model, threads=1)
    sim.step(30)
    y = sim.positions
    assert abs(np.linalg.det(y[1:] - y[0]) - 1) < 0.2


def test_two_simulations_are_inside_their_steps_at_once():
    # Each waits in a callback until the other has come to its own: with one step at a time neither would get on.
    meet, seen = threading.Barrier(2), []

    def force(x, v, t, which):
        meet.wait(timeout=60)
        seen.append(threading.get_ident())
        return np.zeros_like(x)

    sims = [simulation() for _ in range(2)]
    for sim in sims:
        sim.add_force(force)
    threads = [threading.Thread(target=sim.step, args=(5,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not meet.broken and len(seen) == 10 and sims[0].hash == sims[1].hash
    assert sims[0].time == pytest.approx(5 / 60)


def test_python_goes_on_while_simulations_step():
    sims = [projdyn.Simulation(cloth(30), threads=1) for _ in range(2)]
    threads = [threading.Thread(target=sim.step, args=(60,)) for sim in sims]
    for thread in threads:
        thread.start()
    ticks, refused = 0, 0
    while any(thread.is_alive() for thread in threads):
        ticks += 1
        try:
            sims[0].positions
        except RuntimeError:
            refused += 1
        time.sleep(0.0005)
    for thread in threads:
        thread.join()
    assert ticks > 3 and refused > 0, "the interpreter ran while the simulations stepped"
    assert sims[0].hash == sims[1].hash


def sheet_over_ball(**contact):
    vertices, triangles = projdyn.grid(10, 10)
    builder = projdyn.ModelBuilder(vertices, mass=0.1, triangles=triangles).springs(projdyn.edges(triangles), 100.0)
    if contact:
        builder = builder.contact(triangles, **contact)
    sim = projdyn.Simulation(builder.build())
    sim.add_sphere([0.0, -0.27, 0.0], 0.25)
    return sim


def test_contact_keeps_distance_and_carries_the_weight():
    sim = sheet_over_ball(thickness=0.02, friction=0.5)
    report = sim.step(30)
    found = sim.contacts
    assert report["contacts"] > 0 and len(found["points"]) > 0
    assert found["bodies"].shape[1] == 2 and found["vertices"].shape[1] == 4
    assert (found["normal_forces"] >= 0).all() and found["normal_forces"].sum() > 0
    distance = np.linalg.norm(sim.positions - [0.0, -0.27, 0.0], axis=1) - 0.25
    assert distance.min() > 0.01
    # Without contact, `contacts` lists vertices near obstacles.
    plain = sheet_over_ball()
    plain.step(30)
    assert "colliders" in plain.contacts and "normal_forces" not in plain.contacts


def test_contact_of_a_start_that_crosses_is_refused():
    vertices, triangles = projdyn.grid(2, 2)
    other = vertices.copy()[:, [0, 2, 1]]
    both = np.vstack([vertices, other])
    builder = projdyn.ModelBuilder(both, mass=1.0).springs(projdyn.edges(triangles), 10.0)
    model = builder.contact(triangles, 0.01).contact(triangles + len(vertices), 0.01).build()
    sim = projdyn.Simulation(model)
    with pytest.raises(projdyn.ProjdynError, match="intersect"):
        sim.step()


def test_bad_contact_is_refused():
    vertices, triangles = projdyn.grid(2, 2)
    for wrong in (dict(thickness=0.0), dict(thickness=float("nan")), dict(thickness=0.01, friction=-1.0)):
        with pytest.raises(ValueError):
            projdyn.ModelBuilder(vertices).contact(triangles, **wrong)
    model = projdyn.ModelBuilder(vertices).springs(projdyn.edges(triangles), 1.0).contact(triangles, 0.01).build()
    with pytest.raises(ValueError, match="stepper"):
        projdyn.Simulation(model, stepper="xpbd")
