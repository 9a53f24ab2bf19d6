"""Films as files and in notebooks; meshes of other packages."""

import numpy as np
import projdyn
import pytest
from models import simulation


def test_films_save_and_show_themselves(tmp_path):
    film = simulation().record(6, every=2)
    assert len(film) == 4 and "4 frames" in repr(film)
    for name in ("a.html", "a.glb", "a.usda", "a.npz", "a.pc2"):
        film.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    assert (tmp_path / "a.obj").exists()
    arrays = np.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(arrays["positions"], film.positions)
    shown = film._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "@DATA@" not in film.html()
    with pytest.raises(ValueError, match=".html"):
        film.save(tmp_path / "a.avi")
    with pytest.raises(OSError):
        film.save(tmp_path / "none" / "a.npz")


def test_meshes_of_trimesh(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=2)
    vertices, triangles, tets = projdyn.mesh_arrays(ball)
    assert (len(vertices), len(triangles), len(tets)) == (162, 320, 0)
    model = projdyn.ModelBuilder(vertices, triangles=triangles).springs(projdyn.edges(triangles), 100.0).build()
    sim = projdyn.Simulation(model, threads=1)
    sim.add_floor(-1.5)
    sim.step(30)
    assert sim.positions[:, 1].min() >= -1.5


def test_meshes_of_meshio(tmp_path):
    meshio = pytest.importorskip("meshio")
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    meshio.Mesh(points, [("tetra", [[0, 1, 2, 3]]), ("triangle", [[0, 1, 2]])]).write(tmp_path / "a.vtk")
    vertices, triangles, tets = projdyn.mesh_arrays(meshio.read(tmp_path / "a.vtk"))
    assert (vertices.shape, triangles.shape, tets.shape) == ((4, 3), (1, 3), (1, 4))
    projdyn.Simulation(projdyn.ModelBuilder(vertices).strain(tets, 1e3).build()).step(2)


def test_edges_are_each_there_once():
    _, triangles = projdyn.grid(3, 2)
    edges = projdyn.edges(triangles)
    assert len(edges) == 3 * 3 + 4 * 2 + 3 * 2 and (edges[:, 0] < edges[:, 1]).all()
    assert len(projdyn.edges([[0, 1, 2, 3]])) == 6
