"""Small models that the tests share."""

import numpy as np
import projdyn


def cloth(cells=8, stiffness=500.0):
    vertices, triangles = projdyn.grid(cells, cells)
    return (
        projdyn.ModelBuilder(vertices, mass=0.2, triangles=triangles)
        .springs(projdyn.edges(triangles), stiffness)
        .bending(triangles, 1e-5)
        .pins([0, cells])
        .build()
    )


def simulation(**options):
    options.setdefault("threads", 1)
    return projdyn.Simulation(cloth(), **options)


def springs_in_numpy(vertices, edges, count=None):
    """The projection of springs, and how often it is called if `count` is a list."""
    rest = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)[:, None, None]

    def project(z, elements):
        if count is not None:
            count.append(len(z))
        return z / np.linalg.norm(z, axis=2, keepdims=True) * rest[elements]

    return project
