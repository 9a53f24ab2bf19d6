"""Neighbour search of pd-particles beside SciPy's k-d tree (PyPI), on the same points in one run.

    pip install numpy scipy
    python benches/peers/neighbours.py [N]

Both list all pairs within a distance at which a point has ten neighbours on average; the numbers of pairs must agree.
"""

import json
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
from scipy.spatial import cKDTree


def main() -> None:
    n = sys.argv[1] if len(sys.argv) > 1 else "100000"
    command = ["cargo", "run", "--release", "-q", "-p", "pd-particles", "--example", "neighbours", "--", n]
    with tempfile.NamedTemporaryFile() as file:
        ours = [json.loads(subprocess.check_output([*command, threads, file.name])) for threads in ("1", "2")]
        points = np.fromfile(file.name, dtype="<f8").reshape(-1, 3)
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        pairs = cKDTree(points).query_pairs(ours[0]["reach"], output_type="ndarray")
        best = min(best, time.perf_counter() - started)
    assert all(len(pairs) == run["pairs"] for run in ours), (len(pairs), ours)
    print(f"{len(points)} points, {len(pairs)} pairs")
    for run in ours:
        rate = run["points"] / run["ms"] / 1e3
        print(f"pd-particles, {run['threads']} thread(s): {run['ms']:.1f} ms, {rate:.2f} million points/s")
    print(f"scipy {scipy.__version__} cKDTree, 1 thread: {best * 1e3:.1f} ms, {len(points) / best / 1e6:.2f} million points/s")


if __name__ == "__main__":
    main()
