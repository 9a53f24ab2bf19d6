"""Shared by the peers: the mesh that `pd tables 7.6 --peers` writes, quality figures, lines of JSON as answers."""

import json
import sys
import time

import numpy as np

STARTED = time.perf_counter()
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


def begin(engine, what):
    """Says what follows ("loaded", "finished"), so that a program that is ended before it is done leaves a word."""
    print(json.dumps({"engine": engine, "begun": what}), flush=True)


def say(engine, frames, ms, note="", **figures):
    """The result: frames run, ms a frame, what to know, quality."""
    print(json.dumps({"engine": engine, "frames": frames, "ms": ms, "note": note, **figures}), flush=True)


def run_frames(frames, until, frame, is_lost):
    """Runs `frame` that often, or while another as long as the longest ends before `until`, or until `is_lost`.

    The first frame is not timed: set-up is left to it. Returns the frames run, and ms a frame.
    """
    spent, longest, done = 0.0, 0.0, 0
    while done < frames and (done < 2 or time.perf_counter() + longest < until) and not (done and is_lost()):
        begun = time.perf_counter()
        frame()
        took = time.perf_counter() - begun if done else 0.0
        spent, longest, done = spent + took, max(longest, took), done + 1
    return done, spent * 1e3 / max(done - 1, 1)


def arguments():
    """Task ("cloth" or "solid"), mesh, frames, the time to be done by, the setting."""
    task, path, frames, seconds, setting = sys.argv[1:6]
    # A part of the time is kept for the loading of Python itself and for the last words.
    return task, Mesh(path), int(frames), STARTED + 0.9 * float(seconds), setting
