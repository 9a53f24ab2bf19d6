"""Shared by the peers: the mesh that `pd tables 7.6 --peers` writes, quality figures, one JSON line per result."""

import json
import sys
import time

import numpy as np

DT = 1.0 / 60.0
GRAVITY = 9.8
VERTEX_MASS = 0.001
# Our scenes: springs of the cloth, N/m; weight of the tetrahedra, which with no lateral contraction is Young's modulus, Pa.
SPRING = 1500.0
YOUNG = 1e4
# The floor of the solid, with the margin we keep.
FLOOR = -0.99


class Mesh:
    """Vertices (n, 3), pins, edges, triangles, tets; counts on the first line of the file."""

    def __init__(self, path):
        with open(path) as lines:
            v, p, e, f, t, self.bodies = (int(word) for word in next(lines).split())

            def block(count, width, kind):
                rows = [next(lines).split() for _ in range(count)]
                return np.array(rows, dtype=kind).reshape(count, width)

            self.x = block(v, 3, float)
            self.pins = block(p, 1, int)[:, 0]
            self.edges = block(e, 2, int)
            self.triangles = block(f, 3, int)
            self.tets = block(t, 4, int)
        # Some engines take only tetrahedra of positive volume.
        a, b, c, d = (self.x[self.tets[:, k]] for k in range(4))
        turned = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
        self.tets[turned, :2] = self.tets[turned, 1::-1]


def quality(mesh, x):
    """99th percentile of |length/rest - 1|, volume ratio, inverted tets, as pd_tables::quality has them."""
    if not np.all(np.isfinite(x)) or np.abs(x).max() > 1e6:
        return {"p99": None}

    def lengths(p):
        return np.linalg.norm(p[mesh.edges[:, 0]] - p[mesh.edges[:, 1]], axis=1)

    rest = lengths(mesh.x)
    keep = rest > 1e-5
    strain = np.sort(np.abs(lengths(x)[keep] / rest[keep] - 1.0))
    answer = {"p99": float(strain[max(int(np.ceil(len(strain) * 0.99)) - 1, 0)])}
    if len(mesh.tets):

        def volumes(p):
            a, b, c, d = (p[mesh.tets[:, k]] for k in range(4))
            return np.einsum("ij,ij->i", a - d, np.cross(b - d, c - d)) / 6.0

        before, now = volumes(mesh.x), volumes(x)
        answer["volume"] = float((now * np.sign(before)).sum() / np.abs(before).sum())
        answer["inverted"] = int((now * before <= 0).sum())
    return answer


def say(engine, settings, ms=None, note="", missing="", **figures):
    """One result. Without `ms` it is a reason why there is none."""
    line = {"engine": engine, "settings": settings, "note": note, **figures}
    if ms is None:
        line["missing"] = missing
    else:
        line["ms"] = ms
    print(json.dumps(line), flush=True)


def begin(engine, settings, what):
    """Says what follows ("loaded", "run"), so that a program that is ended before it is done leaves a word."""
    print(json.dumps({"engine": engine, "settings": settings, "begun": what}), flush=True)


def run_frames(frames, until, frame, is_lost):
    """Runs `frame` that often, or to the time `until`, or until `is_lost`. The first frame is not counted: set-up is left to it.

    Returns ms a frame and a note, which is empty if all were run.
    """
    spent, done = 0.0, 0
    while done < frames and (done < 2 or time.perf_counter() < until) and not (done and is_lost()):
        begun = time.perf_counter()
        frame()
        spent += time.perf_counter() - begun if done else 0.0
        done += 1
    note = "" if done == frames else f"after {done} of {frames} frames"
    return spent * 1e3 / max(done - 1, 1), note


def arguments():
    """Task ("cloth" or "solid"), mesh, frames, seconds for all settings."""
    task, path, frames, seconds = sys.argv[1:5]
    return task, Mesh(path), int(frames), float(seconds)
