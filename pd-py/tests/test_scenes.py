"""Scenes: the same bits as the command, checkpoints, keys, files."""

import json
import os
import subprocess

import numpy as np
import projdyn
import pytest

PD = os.environ.get("PD")
needs_pd = pytest.mark.skipif(PD is None, reason="PD names no command pd")


def told(*arguments):
    done = subprocess.run([PD, *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_scene_runs_to_the_same_bits_by_hand_and_by_any_threads():
    film = projdyn.Scene("bar").run(frames=6, every=2, threads=1)
    assert film.positions.shape == film.velocities.shape == (4, 208, 3)
    np.testing.assert_allclose(film.times, np.arange(4) / 30, atol=1e-12)
    run = projdyn.Scene("bar").start(threads=2)
    run.advance(6)
    assert run.hash == film.hash
    np.testing.assert_array_equal(run.positions, film.positions[-1])


@needs_pd
@pytest.mark.parametrize("scene", ["bar", "cloth"])
def test_the_hash_is_that_of_the_command(scene):
    assert projdyn.Scene(scene).run(frames=6).hash == told("run", scene, "--frames", "6")["state_hash"]


@needs_pd
def test_keys_are_those_of_the_command():
    keys = {"object.cloth.edge.weight": 300, "step.gravity": np.array([0, -1.6, 0]), "solver.stepper": "pd-anderson"}
    ours = projdyn.Scene("cloth", set=keys).run(frames=3).hash
    theirs = told(
        *("run", "cloth", "--frames", "3", "--set", "object.cloth.edge.weight=300"),
        *("--set", "step.gravity=[0, -1.6, 0]", "--set", "solver.stepper=pd-anderson"),
    )
    assert ours == theirs["state_hash"]


@needs_pd
def test_checkpoints_go_to_and_from_the_command(tmp_path):
    run = projdyn.Scene("bar").start()
    run.advance(3)
    run.save(tmp_path / "ours.pdc")
    whole = told("run", "bar", "--frames", "5")["state_hash"]
    assert told("run", "bar", "--frames", "5", "--resume", str(tmp_path / "ours.pdc"))["state_hash"] == whole
    told("run", "bar", "--frames", "2", "--checkpoint", str(tmp_path / "theirs.pdc"))
    again = projdyn.Scene("bar").start(resume=tmp_path / "theirs.pdc")
    again.advance(3)
    assert again.hash == whole
    assert projdyn.State.load(tmp_path / "theirs.pdc").time == pytest.approx(2 / 60)


def test_a_checkpoint_of_another_scene_is_refused(tmp_path):
    run = projdyn.Scene("bar").start()
    run.save(tmp_path / "a.pdc")
    with pytest.raises(ValueError, match="another scene"):
        projdyn.Scene("cloth").start(resume=tmp_path / "a.pdc")
    (tmp_path / "a.pdc").write_bytes(b"PDSTATE2 and no more")
    with pytest.raises(ValueError, match="damaged"):
        projdyn.Scene("bar").start(resume=tmp_path / "a.pdc")
    with pytest.raises(OSError):
        projdyn.Scene("bar").start(resume=tmp_path / "none.pdc")


def test_keys_can_be_set_while_it_runs():
    run = projdyn.Scene("cloth").start()
    run.advance(5)
    run.set({"step.gravity": [0.0, 3.0, 0.0]})
    before = run.positions[:, 1].max()
    run.advance(60)
    assert run.positions[:, 1].max() > before + 0.05, "it falls upwards"
    for key, value in [("object.cloth.scale", 2.0), ("solver.global", "cholesky")]:
        with pytest.raises(ValueError, match="cannot change while the scene runs"):
            run.set({key: value})
    with pytest.raises(ValueError, match="rigid.substeps: is taken by rigid bodies; the scene has none"):
        run.set({"rigid.substeps": 7})
    with pytest.raises(ValueError, match="iterations .step.iterations.: is taken by deformable bodies"):
        projdyn.Scene("sand").start(iterations=50)
    with pytest.raises(ValueError, match="no-such-key"):
        run.set({"step.no-such-key": 2.0})
    with pytest.raises(TypeError, match="cannot be set"):
        run.set({"step.dt": object()})


def test_every_built_in_scene_can_be_read():
    for name in projdyn.scenes():
        scene = projdyn.Scene(name)
        assert scene.title and scene.frames > 0 and name in repr(scene)


def test_a_scene_of_a_file(tmp_path):
    text = (
        'title = "t"\n[[object]]\nname = "sheet"\nshape = { kind = "grid", rows = 3, columns = 3 }\nedge = { weight = 10 }\n'
    )
    (tmp_path / "s.toml").write_text(text)
    film = projdyn.Scene(str(tmp_path / "s.toml")).run(frames=2)
    assert film.positions.shape == (3, 16, 3) and film.objects == ["sheet"]
    (tmp_path / "s.toml").write_text(text + "[step]\ndumping = 1\n")
    with pytest.raises(ValueError, match="dumping"):
        projdyn.Scene(str(tmp_path / "s.toml"))


def rigid_scene():
    """A built-in scene of rigid bodies."""
    for name in ("dominoes", "stack", "pyramid", "chain"):
        if name in projdyn.scenes():
            return name
    return next(name for name in projdyn.scenes() if projdyn.Scene(name).start().bodies.size)


def test_rigid_bodies_are_arrays_and_their_states_pickle(tmp_path):
    import pickle

    run = projdyn.Scene(rigid_scene()).start()
    film = run.record(4, every=2)
    count = len(run.bodies)
    assert count > 0 and run.body_rotations.shape == (count, 4)
    assert film.body_positions.shape == (3, count, 3) and film.body_rotations.shape == (3, count, 4)
    np.testing.assert_array_equal(film.body_positions[-1], run.bodies)
    np.testing.assert_allclose(np.linalg.norm(film.body_rotations, axis=2), 1, atol=1e-12)
    kept = pickle.loads(pickle.dumps(run.state))
    assert kept == run.state and kept.hash == run.hash
    run.advance(2)
    after = run.hash
    run.state = kept
    run.advance(2)
    assert run.hash == after
    film.save(tmp_path / "a.npz")
    arrays = np.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(arrays["body_positions"], film.body_positions)
    np.testing.assert_array_equal(arrays["body_rotations"], film.body_rotations)
    with pytest.raises(ValueError, match="rigid bodies"):
        run.state = projdyn.State(run.positions.reshape(-1, 3))
