"""The broad phases of the IPC toolkit on the meshes of the example `broad_phase`, one thread, ms.

    python3 -m venv target/venv && target/venv/bin/pip install ipctk numpy
    PD_MODELS=... target/venv/bin/python pd-collide/examples/broad_phase_ipctk.py

Candidates of vertices with faces and of edges with edges, without those that share a vertex: the last column of the
example. (Its lists of faces cannot be compared: the toolkit hands them over as Python objects.)
"""
import os
import sys
import time

import ipctk
import numpy as np


def read(path):
    """Positions and triangles of an OBJ file or a binary or text PLY file."""
    if path.endswith(".obj"):
        rows = [line.split() for line in open(path)]
        points = [list(map(float, r[1:4])) for r in rows if r and r[0] == "v"]
        faces = [[int(c.split("/")[0]) - 1 for c in r[1:4]] for r in rows if r and r[0] == "f"]
        return np.array(points), np.array(faces, dtype=np.int32)
    import meshio

    mesh = meshio.read(path)
    return np.asarray(mesh.points, dtype=float), np.asarray(mesh.cells_dict["triangle"], dtype=np.int32)


def folded(n):
    """The cloth of the example: 1 m wide, folded flat once, layers a fifth of an edge apart."""
    x, z = np.meshgrid(np.linspace(-0.5, 0.5, n + 1), np.linspace(-0.5, 0.5, n + 1), indexing="ij")
    x, z = x.ravel(), z.ravel()
    radius = 0.1 / n
    angle = np.clip(x / radius, -np.pi / 2, np.pi / 2)
    along = np.maximum(np.abs(x) - np.pi / 2 * radius, 0)
    points = np.stack([radius * np.cos(angle) - along + 0.003 * z, radius * np.sin(angle), z], axis=1)
    k = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    faces = np.concatenate([np.stack([k, k + 1, k + n + 1], 1), np.stack([k + n + 1, k + 1, k + n + 2], 1)])
    return points, faces.astype(np.int32)


def least(run, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main():
    ipctk.set_num_threads(1)
    meshes = {"fold 140²": folded(140)}
    models = os.environ.get("PD_MODELS")
    for name in ["codim_skirt8K.obj", "codim_kick_body_20.obj", "silk_dress.ply", "cloth_ball92.ply"] if models else []:
        try:
            meshes[name] = read(os.path.join(models, "cloth", name))
        except ImportError as missing:
            print(f"skipped: {name}: {missing}", file=sys.stderr)
    print("| mesh | triangles | candidates | method | build and search |\n|---|---|---|---|---|")
    for name, (points, faces) in meshes.items():
        edges = ipctk.edges(faces)
        length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean()
        mesh = ipctk.CollisionMesh(points, edges, faces)
        for method in [ipctk.LBVH, ipctk.HashGrid, ipctk.SweepAndPrune]:
            phase, candidates = method(), ipctk.Candidates()
            search = least(lambda: candidates.build(mesh, points, 0.1 * length, phase))
            print(f"| {name} | {len(faces)} | {len(candidates)} | {method.__name__} | {search:.2f} |")


if __name__ == "__main__":
    main()
