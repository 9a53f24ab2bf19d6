"""Simulation of cloth, shells, soft and rigid bodies, particles and fluids.

>>> import projdyn
>>> film = projdyn.Scene("bar").run(frames=3)
>>> film.positions.shape
(4, 208, 3)
"""

from ._meshes import edges, grid, mesh_arrays
from ._projdyn import (
    Diverged,
    Film,
    Model,
    ModelBuilder,
    ProjdynError,
    Scene,
    SceneRun,
    Simulation,
    State,
    __version__,
    rollout,
    scenes,
)

__all__ = [
    "Diverged",
    "Film",
    "Model",
    "ModelBuilder",
    "ProjdynError",
    "Scene",
    "SceneRun",
    "Simulation",
    "State",
    "__version__",
    "edges",
    "grid",
    "mesh_arrays",
    "rollout",
    "scenes",
]
