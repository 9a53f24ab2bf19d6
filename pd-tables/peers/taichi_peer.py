"""MLS-MPM for water in Taichi, after its own mpm88 and mpm128 examples, in three dimensions and single precision on one thread:
the same block of particles as ours. Prints particle-steps a second of processor time."""

import json
import sys
import time

import taichi as ti

resolution = int(sys.argv[1])
seconds = float(sys.argv[2])
ti.init(arch=ti.cpu, cpu_max_num_threads=1, default_fp=ti.f32, log_level=ti.ERROR, offline_cache=False)

# A column 0.5 m wide and 1 m high, four cells thick, eight particles a cell, in a basin four times as long.
dx = 0.5 / resolution
inverse = 1.0 / dx
grid = (4 * resolution + 8, 3 * resolution + 8, 12)
count = resolution * 2 * resolution * 4 * 8
spacing = 0.5 * dx
volume = spacing**3
mass = 1000.0 * volume
sound = 20.0
stiffness = 1000.0 * sound * sound / 7.0
dt = 0.3 * dx / sound

x = ti.Vector.field(3, float, count)
v = ti.Vector.field(3, float, count)
C = ti.Matrix.field(3, 3, float, count)
J = ti.field(float, count)
momentum = ti.Vector.field(3, float, grid)
masses = ti.field(float, grid)


@ti.kernel
def place():
    for p in x:
        k = p % 8
        a = p // (2 * resolution * 8)
        b = p // 8 % (2 * resolution)
        i = a % resolution
        z = a // resolution
        x[p] = (
            ti.Vector([4.0 + i, 4.0 + b, 4.0 + z]) * dx
            + (ti.Vector([k // 4, k // 2 % 2, k % 2]) + 0.5) * spacing
        )
        J[p] = 1.0


@ti.kernel
def substep():
    for i, j, k in masses:
        momentum[i, j, k] = [0.0, 0.0, 0.0]
        masses[i, j, k] = 0.0
    for p in x:
        base = (x[p] * inverse - 0.5).cast(int)
        fx = x[p] * inverse - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        pressure = ti.max(stiffness * (J[p] ** -7 - 1.0), 0.0)
        affine = ti.Matrix.identity(float, 3) * (dt * 4.0 * inverse * inverse * volume * J[p] * pressure) + mass * C[p]
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            offset = ti.Vector([i, j, k])
            weight = w[i][0] * w[j][1] * w[k][2]
            momentum[base + offset] += weight * (mass * v[p] + affine @ ((offset - fx) * dx))
            masses[base + offset] += weight * mass
    for i, j, k in masses:
        if masses[i, j, k] > 0:
            u = momentum[i, j, k] / masses[i, j, k]
            u[1] -= dt * 9.8
            if i < 4 and u[0] < 0 or i > grid[0] - 4 and u[0] > 0:
                u[0] = 0
            if j < 4 and u[1] < 0 or j > grid[1] - 4 and u[1] > 0:
                u[1] = 0
            if k < 4 and u[2] < 0 or k > grid[2] - 5 and u[2] > 0:
                u[2] = 0
            momentum[i, j, k] = u
    for p in x:
        base = (x[p] * inverse - 0.5).cast(int)
        fx = x[p] * inverse - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        new_v = ti.Vector.zero(float, 3)
        new_c = ti.Matrix.zero(float, 3, 3)
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            offset = ti.Vector([i, j, k])
            weight = w[i][0] * w[j][1] * w[k][2]
            u = momentum[base + offset]
            new_v += weight * u
            new_c += 4 * inverse * weight * u.outer_product(offset - fx)
        v[p] = new_v
        C[p] = new_c
        x[p] += dt * new_v
        J[p] *= 1 + dt * new_c.trace()


place()
substep()
ti.sync()
steps, begun, busy = 0, time.perf_counter(), time.process_time()
while time.perf_counter() - begun < seconds:
    for _ in range(5):
        substep()
    ti.sync()
    steps += 5
rate = steps * count / (time.process_time() - busy)
finite = bool((x.to_numpy() == x.to_numpy()).all())
print(json.dumps({"particles": count, "rate": rate, "finite": finite, "version": ".".join(map(str, ti.__version__))}))
