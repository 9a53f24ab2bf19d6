"""Opens the files of one run with independent readers and compares what they see with the positions of the run.

readers.py DIRECTORY   with one folder per format, DIRECTORY/positions.txt (the last frame) and DIRECTORY/frames.json

Prints one JSON list of rows: format, reader, version, frames seen, worst error of a coordinate in the last frame (m).
A reader that fails is a row with an error, not a crash.
"""
import glob
import importlib.metadata
import json
import os
import struct
import sys

import numpy as np

root = sys.argv[1]
expected = np.loadtxt(os.path.join(root, "positions.txt"))
run = json.load(open(os.path.join(root, "frames.json")))  # times of all frames


def files(kind):
    return sorted(glob.glob(os.path.join(root, kind, "frame_*." + kind)))


def whole(kind, extension=None):
    return os.path.join(root, kind, "frames." + (extension or kind))


def worst(points):
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    assert points.shape == expected.shape, f"{len(points)} vertices, {len(expected)} expected"
    return float(np.abs(points - expected).max())


def one_by_one(kind, read):
    """All files are opened, the last one is compared."""
    meshes = [read(path) for path in files(kind)]
    return len(meshes), worst(meshes[-1])


def trimesh_points(path):
    import trimesh
    return trimesh.load(path, process=False, maintain_order=True, force="mesh").vertices


def meshio_points(path):
    import meshio
    try:
        return meshio.read(path).points
    except SystemExit as error:  # how meshio refuses a file
        raise RuntimeError("refused") from error


def pyvista_points(path):
    import pyvista
    return pyvista.read(path).points


def series():
    listed = json.load(open(os.path.join(root, "vtk", "frames.vtk.series")))["files"]
    assert np.allclose([f["time"] for f in listed], run["times"], atol=1e-12)
    return len(listed), worst(pyvista_points(os.path.join(root, "vtk", listed[-1]["name"])))


def collection():
    import pyvista
    reader = pyvista.get_reader(whole("vtu", "pvd"))
    assert np.allclose(reader.time_values, run["times"], atol=1e-12)
    reader.set_active_time_value(reader.time_values[-1])
    return len(reader.time_values), worst(reader.read()[0].points)


def pygltflib_points():
    import pygltflib
    file = pygltflib.GLTF2().load(whole("gltf", "glb"))
    blob = file.binary_blob()

    def array(index):
        accessor = file.accessors[index]
        view = file.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor.type]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        return np.frombuffer(blob, "<f4", accessor.count * width, start).reshape(accessor.count, width)

    assert all(node.name for node in file.nodes) and all(material.name for material in file.materials)
    points, frames = [], None
    for mesh in file.meshes:
        for primitive in mesh.primitives:
            if not primitive.targets:
                continue  # an obstacle
            assert len(mesh.weights) == len(primitive.targets), "weights of the mesh"
            assert primitive.attributes.NORMAL is not None
            frames = 1 + len(primitive.targets)
            points.append(array(primitive.attributes.POSITION) + array(primitive.targets[-1]["POSITION"]))
    times = array(file.animations[0].samplers[0].input).ravel()
    assert np.allclose(times, run["times"], atol=1e-6)
    assert len(file.nodes) == len(points) + run["obstacles"], "obstacles are nodes"
    return frames, worst(np.concatenate(points))


def vtk_gltf():
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkGLTFReader()
    reader.SetFileName(whole("gltf", "glb"))
    reader.ApplyDeformationsToGeometryOn()
    reader.UpdateInformation()
    reader.EnableAnimation(0)
    seen = []
    for time in run["times"]:
        reader.UpdateTimeStep(time - run["times"][0])
        pieces = []

        def walk(block):
            for k in range(block.GetNumberOfBlocks()):
                inner = block.GetBlock(k)
                if inner is None:
                    continue
                if inner.IsA("vtkMultiBlockDataSet"):
                    walk(inner)
                elif inner.GetNumberOfPoints():
                    pieces.append(vtk_to_numpy(inner.GetPoints().GetData()).copy())

        walk(reader.GetOutput())
        seen.append(np.concatenate(pieces[: run["bodies"]]))
    moving = 1 + sum(not np.array_equal(a, b) for a, b in zip(seen, seen[1:]))
    return moving, worst(seen[-1])


def trimesh_gltf():
    """Reads no animation: frame 0 alone."""
    import trimesh
    scene = trimesh.load(whole("gltf", "glb"), process=False)
    assert set(run["names"]) <= set(scene.graph.nodes), scene.graph.nodes
    return 1, None


def numpy_npz():
    arrays = np.load(whole("npz"))
    frames = len(arrays["times"])
    assert arrays["positions"].shape == arrays["velocities"].shape == (frames, len(expected), 3)
    assert np.allclose(arrays["times"], run["times"], atol=1e-12)
    assert arrays["objects"][-1, 1] == len(expected) and list(arrays["object_names"]) == run["names"]
    assert arrays["triangles"].max() < len(expected)
    return frames, worst(arrays["positions"][-1])


def pc2():
    raw = open(whole("pc2"), "rb").read()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", raw[:32])
    assert (magic, version, start, rate) == (b"POINTCACHE2\0", 1, 0, 1) and len(raw) == 32 + 12 * points * samples
    assert len(trimesh_points(whole("pc2", "obj"))) == points
    return samples, worst(np.frombuffer(raw, "<f4", offset=32).reshape(samples, -1, 3)[-1])


def usd():
    from pxr import Usd, UsdGeom, UsdShade
    stage = Usd.Stage.Open(whole("usd", "usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    points, counts, shapes = [], set(), 0
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Gprim):
            continue
        assert UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0], prim.GetName()
        mesh = UsdGeom.Mesh(prim)
        times = mesh.GetPointsAttr().GetTimeSamples() if prim.IsA(UsdGeom.Mesh) else []
        if not times:
            shapes += 1
            continue
        counts.add(len(times))
        points.append(np.array(mesh.GetPointsAttr().Get(times[-1])))
    assert shapes == run["obstacles"], "obstacles are prims"
    seconds = stage.GetEndTimeCode() / stage.GetTimeCodesPerSecond()
    assert abs(seconds - (run["times"][-1] - run["times"][0])) < 1e-9
    (frames,) = counts
    return frames, worst(np.concatenate(points))


TRIALS = [
    ("obj", "trimesh", lambda: one_by_one("obj", trimesh_points)),
    ("obj", "meshio", lambda: one_by_one("obj", meshio_points)),
    ("obj", "pyvista", lambda: one_by_one("obj", pyvista_points)),
    ("ply", "trimesh", lambda: one_by_one("ply", trimesh_points)),
    ("ply", "meshio", lambda: one_by_one("ply", meshio_points)),
    ("vtk", "meshio", lambda: one_by_one("vtk", meshio_points)),
    ("vtk", "pyvista", series),
    ("vtu", "meshio", lambda: one_by_one("vtu", meshio_points)),
    ("vtu", "pyvista", collection),
    ("gltf", "pygltflib", pygltflib_points),
    ("gltf", "vtk", vtk_gltf),
    ("gltf", "trimesh", trimesh_gltf),
    ("npz", "numpy", numpy_npz),
    ("pc2", "numpy", pc2),
    ("usd", "usd-core", usd),
]

rows = []
for kind, reader, trial in TRIALS:
    row = {"format": kind, "reader": reader}
    try:
        row["version"] = importlib.metadata.version(reader)
        row["frames"], row["error"] = trial()
    except importlib.metadata.PackageNotFoundError:
        row["missing"] = True
    except Exception as error:  # a row, not a crash
        row["failure"] = f"{type(error).__name__}: {error}"
    rows.append(row)
print(json.dumps(rows))
