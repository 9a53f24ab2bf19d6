"""Errors and time of ipctk (PyPI) on the queries of ccd_report: one line "set algorithm asked missed invented micros" each.

A call from Python with eight points costs microseconds by itself: what ACCD takes for points at rest, where it returns
at once, is measured and subtracted.
"""

import io
import lzma
import os
import struct
import sys
import tarfile
import time

import ipctk
import numpy as np


def binary(path):
    data = lzma.open(path).read()
    count, kind = struct.unpack("<II", data[8:16])
    points = np.frombuffer(data, "<f8", count * 24, 16).reshape(count, 8, 3)
    return bool(kind), points, np.frombuffer(data, "u1", count, 16 + 192 * count) == 1


def rational(path):
    rows = {False: [], True: []}
    archive = tarfile.open(fileobj=io.BytesIO(lzma.open(path).read()))
    for member in archive.getmembers():
        if member.name.endswith(".csv"):
            lines = archive.extractfile(member).read().decode().split()
            rows["edge-edge" in member.name] += [[float(f) for f in line.split(",")] for line in lines]
    for edges, name in ((False, "handcrafted_vf"), (True, "handcrafted_ee")):
        table = np.array(rows[edges]).reshape(-1, 8, 7)
        yield name, edges, table[:, :, 0:6:2] / table[:, :, 1:6:2], table[:, 0, 6] != 0


def sets():
    for directory in os.environ["PD_MODELS"].split(os.pathsep):
        directory = os.path.join(directory, "ccd")
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            path = os.path.join(directory, name)
            if name.endswith(".bin.xz"):
                yield name[: -len(".bin.xz")], *binary(path)
            elif name.endswith("csv.tar.xz"):
                yield from rational(path)


def timed(ask, points, budget=2.0):
    """Which were asked, the answers, and seconds a query; in random order, until the budget of seconds is spent."""
    order = np.random.default_rng(0).permutation(len(points))
    answers, spent = [], 0.0
    for chunk in np.array_split(order, max(len(order) // 64, 1)):
        queries = [list(points[k]) for k in chunk]
        start = time.thread_time()
        answers += [ask(*x)[0] for x in queries]
        spent += time.thread_time() - start
        if spent > budget:
            break
    return order[: len(answers)], np.array(answers), spent / len(answers)


def main():
    # Without the safety factor 0.8 that the library's own callers put around it, which asks for a minimum distance.
    plain = ipctk.TightInclusionCCD(conservative_rescaling=1.0)
    algorithms = {"Tight-Inclusion": plain, "ACCD": ipctk.AdditiveCCD()}
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    for name, edges, points, truth in sets():
        at_rest = np.concatenate([points[:, :4], points[:, :4]], axis=1)
        at_rest[:, [0, 4], 0] += 1e3
        resting = algorithms["ACCD"].edge_edge_ccd if edges else algorithms["ACCD"].point_triangle_ccd
        for label, algorithm in algorithms.items():
            ask = algorithm.edge_edge_ccd if edges else algorithm.point_triangle_ccd
            asked, answers, seconds = timed(ask, points)
            _, _, call = timed(resting, at_rest)
            missed, invented = np.sum(truth[asked] & ~answers), np.sum(~truth[asked] & answers)
            print(name, label, len(asked), missed, invented, f"{1e6 * max(seconds - call, 0.0):.3f}")
            sys.stdout.flush()


main()
