// Types and small functions of all kernels. Compiled twice: PD_REAL is float or double.
//
// Rules of every kernel here:
// - one thread, one output; no two threads write one place, except in scatter_* which is the atomic variant;
// - sums run in a fixed order, so results do not depend on the size of a block;
// - literals go through R(), so that no double sneaks into a float kernel;
// - only reductions synchronise, and they run with blocks of REDUCE threads.
#ifndef PD_REAL
#define PD_REAL float
#endif
typedef PD_REAL real;

#define R(literal) ((real)(literal))
#define REDUCE 256
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Distance from 1 to the next number.
#define EPSILON (sizeof(real) == 4 ? R(1.1920929e-07) : R(2.220446049250313e-16))

struct vec3 { real x, y, z; };

__device__ __forceinline__ vec3 v3(real x, real y, real z) { vec3 v; v.x = x; v.y = y; v.z = z; return v; }
__device__ __forceinline__ vec3 operator+(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ __forceinline__ vec3 operator-(vec3 a, vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ __forceinline__ vec3 operator-(vec3 a) { return v3(-a.x, -a.y, -a.z); }
__device__ __forceinline__ vec3 operator*(vec3 a, real s) { return v3(a.x * s, a.y * s, a.z * s); }
__device__ __forceinline__ real dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ real norm(vec3 a) { return sqrt(dot(a, a)); }
__device__ __forceinline__ vec3 cross(vec3 a, vec3 b) {
  return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ __forceinline__ real largest(vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

__device__ __forceinline__ vec3 load(const real* __restrict__ p, int i) {
  return v3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
}
__device__ __forceinline__ void store(real* p, int i, vec3 v) {
  p[3 * i] = v.x;
  p[3 * i + 1] = v.y;
  p[3 * i + 2] = v.z;
}

// What every kernel of a local step takes. Element e of n has its k-th stencil entry at [k * n + e], rows one after
// another, `counts` entries in its j-th row at [j * n + e], and its c-th number of all columns at [c * n + e]. It
// writes the rows r = D x - project(D x) from row e * rows_per_element on.
#define LOCAL_ARGUMENTS                                                                              \
  const real* __restrict__ x, const int* __restrict__ vertices, const real* __restrict__ coefficients, \
      const int* __restrict__ counts, const real* __restrict__ columns, const real* __restrict__ uniforms, \
      real* __restrict__ r, int n

// A sparse matrix in slices of 32 rows (sliced ELLPACK, Monakov et al. 2010): entry k of row i is at
// (slices[i / 32] + k) * 32 + i % 32, so that neighbouring threads read neighbouring numbers. Short rows are filled
// with zeros.
#define TABLE_ARGUMENTS \
  const int* __restrict__ slices, const int* __restrict__ places, const real* __restrict__ values

#define FOR_EACH_IN_ROW(i, at)                                                     \
  for (int at = slices[(i) >> 5] * 32 + ((i) & 31), end = slices[((i) >> 5) + 1] * 32; at < end; at += 32)
