"""Meshes as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def grid(rows: int, columns: int, width: float = 1.0, depth: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a flat cloth of rows × columns cells in the plane y = 0, about the origin."""
    if rows < 1 or columns < 1:
        raise ValueError(f"a grid of {rows} × {columns} cells; at least 1 × 1 was expected")
    z, x = np.meshgrid(
        np.linspace(-depth / 2, depth / 2, rows + 1), np.linspace(-width / 2, width / 2, columns + 1), indexing="ij"
    )
    vertices = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    a, b, c, d = corner, corner + columns + 1, corner + columns + 2, corner + 1
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def edges(elements: Any) -> np.ndarray:
    """Every edge (k, 2) of triangles (m, 3) or tetrahedra (m, 4), once."""
    elements = np.asarray(elements)
    width = elements.shape[1]
    pairs = [(i, j) for i in range(width) for j in range(i + 1, width)]
    both = np.concatenate([elements[:, list(pair)] for pair in pairs])
    return np.unique(np.sort(both, axis=1), axis=0)


def mesh_arrays(mesh: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices (n, 3), triangles (m, 3) and tetrahedra (k, 4) of a mesh of trimesh or meshio."""
    none3, none4 = np.empty((0, 3), dtype=np.int64), np.empty((0, 4), dtype=np.int64)
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):  # trimesh
        return np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces), none4
    if hasattr(mesh, "points") and hasattr(mesh, "cells_dict"):  # meshio
        points = np.asarray(mesh.points, dtype=np.float64)
        if points.ndim == 2 and points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        cells = mesh.cells_dict
        return points, np.asarray(cells.get("triangle", none3)), np.asarray(cells.get("tetra", none4))
    raise TypeError(f"{type(mesh).__name__} is no mesh of trimesh or meshio; give arrays instead")
