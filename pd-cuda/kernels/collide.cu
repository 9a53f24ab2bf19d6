// Obstacles: a point inside goes to the nearest point of the surface, obstacles in order. As pd-collide.
//
// An obstacle is 12 numbers: 0: kind, 1-3: offset, then of a floor 4: height; of a sphere 4-6: centre, 7: radius; of a
// block 4-6: low, 7-9: high; of a torus 4-6: centre, 7: major, 8: minor radius. Margins are inside.
#define COLLIDER 12
#define KIND_FLOOR 0
#define KIND_SPHERE 1
#define KIND_BLOCK 2
#define KIND_TORUS 3

// A length above the rounding error of a distance.
__device__ __forceinline__ real slack(real scale) { return R(16) * EPSILON * scale; }

// Unit vector and length; false for the zero vector.
__device__ __forceinline__ bool direction(vec3 v, vec3& unit, real& length) {
  real scale = largest(v);
  if (scale == R(0)) return false;
  v = v * (R(1) / scale);
  length = norm(v);
  unit = v * (R(1) / length);
  length *= scale;
  return true;
}

__device__ __forceinline__ real sphere_distance(vec3 p, vec3 centre, real radius, vec3& normal) {
  real length = R(0);
  if (!direction(p - centre, normal, length)) normal = v3(R(0), R(1), R(0));
  return length - radius;
}

__device__ __forceinline__ real torus_distance(vec3 p, vec3 centre, real major, real minor, real scale, vec3& normal,
                                               vec3& tube) {
  vec3 v = p - centre, outward;
  real around = R(0), length = R(0);
  if (!direction(v3(v.x, R(0), v.z), outward, around)) outward = v3(R(1), R(0), R(0));
  tube = outward * major;
  vec3 from_tube = outward * (around - major);
  from_tube.y += v.y;
  if (!direction(from_tube, normal, length) || length <= slack(scale)) normal = v3(R(0), R(1), R(0));
  return length - minor;
}

// Moves p out of a block by the face of least exit, ties to x, y, z and to the positive face.
__device__ __forceinline__ bool leave_block(vec3& p, vec3 low, vec3 high) {
  if (!(p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y && p.z > low.z && p.z < high.z)) return false;
  real ways[6] = {high.x - p.x, p.x - low.x, high.y - p.y, p.y - low.y, high.z - p.z, p.z - low.z};
  int best = 0;
  real exit = ways[0];
#pragma unroll
  for (int k = 1; k < 6; ++k)
    if (ways[k] < exit) {
      exit = ways[k];
      best = k;
    }
  if (best == 0) p.x = high.x;
  if (best == 1) p.x = low.x;
  if (best == 2) p.y = high.y;
  if (best == 3) p.y = low.y;
  if (best == 4) p.z = high.z;
  if (best == 5) p.z = low.z;
  return true;
}

__device__ __forceinline__ bool leave(vec3& p, const real* __restrict__ c) {
  int kind = (int)c[0];
  vec3 offset = v3(c[1], c[2], c[3]);
  vec3 q = p - offset, normal, tube;
  if (kind == KIND_FLOOR) {
    if (!(q.y < c[4])) return false;
    q.y = c[4];
    p = q + offset;
    // Rounding of the offset must not leave the point inside.
    if (p.y - offset.y < c[4]) p.y += slack(fabs(c[4]) + fabs(offset.y));
    return true;
  }
  vec3 centre = v3(c[4], c[5], c[6]);
  real shift = largest(offset);
  if (kind == KIND_SPHERE) {
    if (!(sphere_distance(q, centre, c[7], normal) < R(0))) return false;
    q = centre + normal * c[7] + offset;
    vec3 ignored;
    if (sphere_distance(q - offset, centre, c[7], ignored) < R(0))
      q = q + normal * slack(largest(centre) + c[7] + shift);
    p = q;
    return true;
  }
  if (kind == KIND_BLOCK) {
    vec3 high = v3(c[7], c[8], c[9]);
    if (!leave_block(q, centre, high)) return false;
    p = q + offset;
    return true;
  }
  real scale = largest(centre) + c[7] + c[8];
  if (!(torus_distance(q, centre, c[7], c[8], scale, normal, tube) < R(0))) return false;
  q = centre + tube + normal * c[8] + offset;
  vec3 ignored, other;
  if (torus_distance(q - offset, centre, c[7], c[8], scale, ignored, other) < R(0)) q = q + normal * slack(scale + shift);
  p = q;
  return true;
}

// Moves every point out of the obstacles; counts moved points in status[slot]. An integer count does not depend on the
// order of the additions. The number of obstacles is read from the device, so that a captured graph stays valid when
// obstacles come and go.
extern "C" __global__ void collide(const real* __restrict__ colliders, const int* __restrict__ obstacles,
                                   real* __restrict__ points, int* status, int slot, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 p = load(points, i);
  bool moved = false;
  int count = *obstacles;
  for (int k = 0; k < count; ++k)
    if (leave(p, colliders + COLLIDER * k)) moved = true;
  if (moved) {
    store(points, i, p);
    atomicAdd(&status[slot], 1);
  }
}
