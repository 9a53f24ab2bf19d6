"""Constraints, forces, obstacles and solvers in Python: as native ones, and what happens when they fail."""

import numpy as np
import projdyn
import pytest
from models import simulation, springs_in_numpy


def pair(cells, chunk=65536, count=None):
    """The same springs natively and in numpy."""
    vertices, triangles = projdyn.grid(cells, cells)
    edges = projdyn.edges(triangles)
    native = projdyn.ModelBuilder(vertices, mass=0.2).springs(edges, 500.0).pins([0, cells]).build()
    own = (
        projdyn.ModelBuilder(vertices, mass=0.2)
        .constraint(edges, [[1.0, -1.0]], 500.0, springs_in_numpy(vertices, edges, count), chunk=chunk)
        .pins([0, cells])
        .build()
    )
    return [projdyn.Simulation(model, threads=1, solver="cholesky") for model in (native, own)], len(edges)


@pytest.mark.parametrize("chunk", [65536, 32])
def test_a_constraint_agrees_with_the_native_one(chunk):
    (native, own), _ = pair(8, chunk)
    native.configure(measure=True)
    own.configure(measure=True)
    for _ in range(10):
        reports = native.step(), own.step()
    assert np.abs(native.positions - own.positions).max() < 1e-12
    assert reports[0]["elastic"] == pytest.approx(reports[1]["elastic"], rel=1e-9)


def test_calls_are_few():
    count = []
    (_, own), edges = pair(40, count=count)
    count.clear()
    own.step()
    assert len(count) == 10 and set(count) == {edges}, "one call for each iteration"


def test_rows_and_corners_of_a_constraint():
    # A spring to the midpoint of two others, written as one row of three corners; the native twin is a spring to a pin there.
    x = np.array([[-1.0, 0, 0], [1.0, 0, 0], [0, -1.0, 0]])
    model = (
        projdyn.ModelBuilder(x, mass=3.0)
        .constraint([[0, 1, 2]], [[0.5, 0.5, -1.0]], [50.0], lambda z, e: z / np.linalg.norm(z, axis=2, keepdims=True))
        .pins([0, 1], 1e9)
        .build()
    )
    sim = projdyn.Simulation(model, threads=1, solver="cholesky", iterations=50)
    sim.step(400)
    sim.configure(damping=100.0)
    sim.step(400)
    assert sim.positions[2, 1] == pytest.approx(-1 - 9.8 / 50, abs=1e-3)


def test_a_force_and_an_obstacle_agree_with_native_ones():
    def upward(x, v, time, which):
        assert x.shape == v.shape == (81, 3) and which == slice(0, 81, 1)
        return np.tile([0.0, 9.8 * 0.2 / 81, 0.0], (len(x), 1))

    sim = simulation()
    sim.add_force(upward)
    still = sim.positions
    sim.step(5)
    free = np.setdiff1d(np.arange(81), [0, 8])
    np.testing.assert_allclose(sim.positions[free], still[free], atol=1e-9)

    # A floor has a margin of 1 cm.
    def floor(points, time):
        return points[:, 1] + 0.19, np.tile([0.0, 1.0, 0.0], (len(points), 1))

    own, native = simulation(), simulation()
    own.add_collider(floor)
    native.add_floor(-0.2)
    own.step(60)
    native.step(60)
    np.testing.assert_allclose(own.positions, native.positions, atol=1e-9)
    np.testing.assert_array_equal(own.contacts["vertices"], native.contacts["vertices"])


def test_a_solver_of_scipy_agrees_with_the_native_one():
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import splu

    class Solver:
        def factor(self, indptr, indices, data):
            n = len(indptr) - 1
            self.lu = splu(sparse.csr_matrix((data, indices, indptr), (n, n)).tocsc())

        def solve(self, b):
            return self.lu.solve(b)

    own, native = simulation(solver=Solver()), simulation(solver="cholesky")
    own.step(10)
    native.step(10)
    np.testing.assert_allclose(own.positions, native.positions, atol=1e-11)


def failing(*_):
    raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_is_raised_and_the_state_kept(threads):
    vertices, triangles = projdyn.grid(4, 4)
    broken = projdyn.ModelBuilder(vertices).constraint(projdyn.edges(triangles), [[1, -1]], 10.0, failing).build()
    sim = projdyn.Simulation(broken, threads=threads)
    before = sim.hash
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        sim.step()
    assert sim.hash == before
    for add in ("add_force", "add_collider"):
        sim = simulation(threads=threads)
        sim.step(2)
        before, time = sim.hash, sim.time
        getattr(sim, add)(failing)
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            sim.step(3)
        assert (sim.hash, sim.time) == (before, time)
        sim.clear_forces()
        sim.clear_colliders()
        sim.step()

    class Solver:
        factor = solve = failing

    with pytest.raises(ZeroDivisionError):
        simulation(solver=Solver(), threads=threads)


def test_an_exception_after_some_steps_keeps_the_steps_before_it():
    calls = []

    def force(x, v, t, which):
        calls.append(t)
        if len(calls) == 4:
            raise KeyError("fourth")
        return np.zeros_like(x)

    sim = simulation()
    sim.add_force(force)
    with pytest.raises(KeyError, match="fourth"):
        sim.step(10)
    assert sim.time == pytest.approx(3 / 60)
    plain = simulation()
    plain.step(3)
    assert sim.hash == plain.hash
    sim.step(2)
    assert sim.time == pytest.approx(5 / 60)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda *a: np.zeros(3),
        lambda *a: None,
        lambda *a: (np.zeros(1), np.zeros(1)),
        lambda *a: "text",
        lambda *a: np.zeros((81, 3), dtype=complex),
        lambda: np.zeros((81, 3)),
    ],
)
def test_what_a_callback_returns_is_checked(wrong):
    for add in ("add_force", "add_collider"):
        sim = simulation()
        getattr(sim, add)(wrong)
        before = sim.hash
        with pytest.raises((ValueError, TypeError)):
            sim.step()
        assert sim.hash == before


@pytest.mark.parametrize("wrong", [lambda b: b[:-1], lambda b: b * np.nan, lambda b: None])
def test_what_a_solver_returns_is_checked(wrong):
    class Solver:
        def factor(self, indptr, indices, data):
            pass

        def solve(self, b):
            return wrong(b)

    sim = simulation(solver=Solver())
    before = sim.hash
    with pytest.raises((ValueError, TypeError)):
        sim.step()
    assert sim.hash == before


def test_a_callback_cannot_reach_into_a_running_step():
    sim = simulation()
    sim.add_force(lambda x, v, t, which: sim.positions)
    with pytest.raises(RuntimeError, match="stepping"):
        sim.step()
    sim.clear_forces()


def test_divergence_is_an_exception_and_the_state_the_last_good_one():
    for force in (1e308, np.nan, np.inf):
        sim = simulation()
        sim.add_force(lambda x, v, t, which: np.full(x.shape, force))
        before = sim.hash
        with pytest.raises(projdyn.Diverged) as raised:
            sim.step(50)
        assert isinstance(raised.value, projdyn.ProjdynError)
        assert raised.value.vertex is None or raised.value.vertex < 81
        assert np.isfinite(sim.positions).all()
        sim.clear_forces()
        assert force == 1e308 or sim.hash == before
