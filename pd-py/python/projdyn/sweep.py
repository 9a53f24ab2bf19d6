"""Sweeps on Ray or Dask: the plan of ``pd sweep``, one task per run.

All engines call ``pd sweep run FILE --only ID``, so results are files of the same names and bits whatever ran them. A worker
that is lost is tried again, three times; refused and diverged runs are results, not errors.
"""

from __future__ import annotations

import json
import subprocess
from os import PathLike
from os.path import abspath
from typing import Any, cast

import numpy as np

__all__ = ["gather", "plan", "run"]

RETRIES = 3


class LostWorker(RuntimeError):
    """The process of a run was killed."""


def _pd(pd: str, *arguments: str) -> Any:
    done = subprocess.run([pd, "sweep", *arguments, "--json"], capture_output=True, text=True)
    if done.returncode < 0 or done.returncode >= 128:
        raise LostWorker(f"pd sweep {' '.join(arguments)} was stopped by signal {done.returncode}")
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return json.loads(done.stdout)


def _places(file: str | PathLike[str], out: str | PathLike[str] | None) -> list[str]:
    # Whole paths: workers may be in another directory.
    return [abspath(file)] + ([] if out is None else ["--out", abspath(out)])


def plan(file: str | PathLike[str], *, out: str | PathLike[str] | None = None, pd: str = "pd") -> dict[str, Any]:
    """Scene, frames, directory, and ``runs``: a list of ``id`` and ``set``."""
    return cast("dict[str, Any]", _pd(pd, "plan", *_places(file, out)))


def _one(pd: str, places: list[str], run: str) -> str:
    for attempt in range(RETRIES + 1):
        try:
            _pd(pd, "run", *places, "--only", run, "--workers", "1")
            return run
        except LostWorker:
            if attempt == RETRIES:
                raise
    return run


def run(
    file: str | PathLike[str],
    *,
    engine: str = "local",
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    client: Any = None,
    pd: str = "pd",
) -> list[str]:
    """Executes the runs that are not finished; returns the names of all. ``client`` is a Dask client to use."""
    places = _places(file, out)
    names = [entry["id"] for entry in plan(file, out=out, pd=pd)["runs"]]
    if engine == "local":
        _pd(pd, "run", *places, *([] if workers is None else ["--workers", str(workers)]))
        return names
    if engine == "ray":
        import ray  # type: ignore[import-not-found,unused-ignore]

        if not ray.is_initialized():
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_one)
        return cast("list[str]", ray.get([task.remote(pd, places, name) for name in names]))
    if engine == "dask":
        from distributed import Client  # type: ignore[import-not-found,import-untyped,unused-ignore]

        owned = client is None
        client = client or Client(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        try:
            futures = client.map(lambda name: _one(pd, places, name), names, pure=False, retries=RETRIES)
            return cast("list[str]", client.gather(futures))
        finally:
            if owned:
                client.close()
    raise ValueError(f"engine {engine!r}: one of local, ray, dask was expected")


def gather(
    file: str | PathLike[str], *, out: str | PathLike[str] | None = None, pd: str = "pd"
) -> dict[str, np.ndarray]:
    """All results as columns: ready for pandas, polars or Parquet."""
    told = _pd(pd, "gather", *_places(file, out))
    with np.load(told["npz"]) as table:
        return {name: table[name] for name in table.files}
