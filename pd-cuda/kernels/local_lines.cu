// Local step of pins, edge springs and bending: r = D x - nearest admissible vector.

// Pins: r = x_i - target. Columns: target (3).
extern "C" __global__ void local_pin(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 target = v3(columns[e], columns[n + e], columns[2 * n + e]);
  store(r, e, load(x, vertices[e]) - target);
}

// Springs: r = d (1 - l / |d|), d = x_i - x_j. Columns: rest length (1), rest vector (3), which answers for an edge of no
// length.
extern "C" __global__ void local_edge(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 d = load(x, vertices[e]) - load(x, vertices[n + e]);
  // Scaled, so that squares of very short or very long edges neither vanish nor overflow.
  real scale = largest(d);
  vec3 unit = d * (R(1) / scale);
  real length = norm(unit) * scale;
  if (scale > R(0)) store(r, e, d - d * (columns[e] / length));
  else store(r, e, d - v3(columns[n + e], columns[2 * n + e], columns[3 * n + e]));
}

// Part of its rest length below which the Laplacian has lost its direction.
__device__ const real LOST_DIRECTION = R(1e-5);
// Length of a sum of unit normals that is rounding noise.
__device__ const real CANCELLED = sizeof(real) == 4 ? R(1e-6) : R(1e-9);

// Bending: d = sum c_j (x_j - x_i) over the ring; r = d (1 - H / |d|). Columns: H with a sign (1), rest vector (3).
extern "C" __global__ void local_bending(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  int count = counts[e];
  vec3 centre = load(x, vertices[e]);
  vec3 d = v3(R(0), R(0), R(0));
  for (int k = 1; k < count; ++k) d = d + (load(x, vertices[k * n + e]) - centre) * coefficients[k * n + e];
  real height = columns[e];
  real size = fabs(height), length = norm(d);
  vec3 nearest = v3(R(0), R(0), R(0));
  if (size > R(0)) {
    if (length > LOST_DIRECTION * size) {
      nearest = d * (size / length);
    } else {
      // Along the normal of the ring: the mean of the unit normals of its triangles.
      vec3 sum = v3(R(0), R(0), R(0));
      vec3 last = load(x, vertices[(count - 1) * n + e]) - centre;
      for (int k = 1; k < count; ++k) {
        vec3 next = load(x, vertices[k * n + e]) - centre;
        vec3 normal = cross(last, next);
        real area = norm(normal);
        if (area > R(0)) sum = sum + normal * (R(1) / area);
        last = next;
      }
      length = norm(sum);
      if (length > CANCELLED) nearest = sum * (height / length);
      else nearest = v3(columns[n + e], columns[2 * n + e], columns[3 * n + e]);
    }
  }
  store(r, e, d - nearest);
}
