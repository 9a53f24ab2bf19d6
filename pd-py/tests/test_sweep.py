"""The same sweep by the command, by Ray and by Dask. Needs the command `pd`, named by the variable PD."""

import os
import stat
from collections import Counter

import numpy as np
import pytest
from projdyn import sweep

PD = os.environ.get("PD")
pytestmark = pytest.mark.skipif(PD is None, reason="PD names no command pd")
# 64 runs, 16 of them refused.
SWEEP = (
    'scene = "bar"\nframes = 2\n[axes]\n"step.damping" = [0.0, 0.5, 1.0, -1.0]\n'
    f'"step.iterations" = {list(range(1, 17))}\n'
)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    place = tmp_path_factory.mktemp("sweep")
    (place / "s.toml").write_text(SWEEP)
    names = sweep.run(place / "s.toml", workers=2, pd=PD)
    table = sweep.gather(place / "s.toml", pd=PD)
    assert list(table["id"]) == names and len(set(names)) == 64
    assert Counter(table["outcome"]) == {"ran": 48, "refused": 16}
    return table


def killed_now_and_then(place):
    """A command `pd` that is killed (SIGKILL) at its 5th and its 20th run."""
    script = place / "pd"
    script.write_text(
        f"#!/bin/sh\nif [ \"$2\" = run ]; then\n  for n in 5 20; do\n"
        f"    if [ $(ls {place}/count 2>/dev/null | wc -l) -ge $n ] && mkdir {place}/killed$n 2>/dev/null; then kill -9 $$; fi\n"
        f"  done\n  mkdir -p {place}/count/$$\nfi\nexec {PD} \"$@\"\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_engines_agree_and_try_lost_workers_again(engine, expected, tmp_path):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine])
    (tmp_path / "s.toml").write_text(SWEEP)
    pd = killed_now_and_then(tmp_path)
    names = sweep.run(tmp_path / "s.toml", engine=engine, workers=2, pd=pd)
    assert (tmp_path / "killed5").exists() and (tmp_path / "killed20").exists(), "two were killed"
    assert len(list((tmp_path / "count").iterdir())) == 64, "and every run was done once"
    table = sweep.gather(tmp_path / "s.toml", pd=PD)
    assert list(table["id"]) == names
    for column in ("id", "outcome", "state_hash"):
        np.testing.assert_array_equal(table[column], expected[column])


def test_bad_sweeps_are_value_errors(tmp_path):
    (tmp_path / "s.toml").write_text('scene = "bars"\n')
    with pytest.raises(ValueError, match="bars"):
        sweep.plan(tmp_path / "s.toml", pd=PD)
    (tmp_path / "s.toml").write_text(SWEEP)
    assert len(sweep.plan(tmp_path / "s.toml", pd=PD)["runs"]) == 64
    with pytest.raises(ValueError, match="engine"):
        sweep.run(tmp_path / "s.toml", engine="slurm", pd=PD)
    with pytest.raises(FileNotFoundError):
        sweep.plan(tmp_path / "s.toml", pd="no-such-command")
