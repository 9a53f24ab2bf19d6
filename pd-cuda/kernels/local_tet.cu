// Local step of tetrahedra: rows are the columns of the deformation gradient F. The stencil of an element is three rows
// of four entries, the last of which is minus the sum of the others.

__device__ __forceinline__ void tet_gradient(const real* __restrict__ x, const int* __restrict__ vertices,
                                             const real* __restrict__ c, int n, int e, vec3& f0, vec3& f1, vec3& f2) {
  vec3 pivot = load(x, vertices[3 * n + e]);
  vec3 a = load(x, vertices[e]) - pivot;
  vec3 b = load(x, vertices[n + e]) - pivot;
  vec3 d = load(x, vertices[2 * n + e]) - pivot;
  f0 = a * c[e] + b * c[n + e] + d * c[2 * n + e];
  f1 = a * c[4 * n + e] + b * c[5 * n + e] + d * c[6 * n + e];
  f2 = a * c[8 * n + e] + b * c[9 * n + e] + d * c[10 * n + e];
}

__device__ __forceinline__ real clamp(real value, real low, real high) { return fmin(fmax(value, low), high); }

// Strain: singular values clamped. Uniforms: least values (3), greatest values (3).
extern "C" __global__ void __launch_bounds__(256, 1) local_tet_strain(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 f0, f1, f2, p0, p1, p2;
  tet_gradient(x, vertices, coefficients, n, e, f0, f1, f2);
  svd3 d = decompose(f0, f1, f2);
  compose(d, clamp(d.s0, uniforms[0], uniforms[3]), clamp(d.s1, uniforms[1], uniforms[4]),
          clamp(d.s2, uniforms[2], uniforms[5]), p0, p1, p2);
  store(r, 3 * e, f0 - p0);
  store(r, 3 * e + 1, f1 - p1);
  store(r, 3 * e + 2, f2 - p2);
}

// Volume: product of singular values clamped. Uniforms: least, greatest.
extern "C" __global__ void __launch_bounds__(256, 1) local_volume(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 f0, f1, f2, p0, p1, p2;
  tet_gradient(x, vertices, coefficients, n, e, f0, f1, f2);
  svd3 d = decompose(f0, f1, f2);
  real sigma[3] = {d.s0, d.s1, d.s2}, s[3];
  clamp_product<3>(sigma, uniforms[0], uniforms[1], s);
  compose(d, s[0], s[1], s[2], p0, p1, p2);
  store(r, 3 * e, f0 - p0);
  store(r, 3 * e + 1, f1 - p1);
  store(r, 3 * e + 2, f2 - p2);
}
