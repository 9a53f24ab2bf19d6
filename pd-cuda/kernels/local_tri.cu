// Local step of triangles: rows are the two columns of the 3x2 deformation gradient. The stencil of an element is two
// rows of three entries, the last of which is minus the sum of the others.

__device__ __forceinline__ void tri_gradient(const real* __restrict__ x, const int* __restrict__ vertices,
                                             const real* __restrict__ c, int n, int e, vec3& f0, vec3& f1) {
  vec3 pivot = load(x, vertices[2 * n + e]);
  vec3 a = load(x, vertices[e]) - pivot;
  vec3 b = load(x, vertices[n + e]) - pivot;
  f0 = a * c[e] + b * c[n + e];
  f1 = a * c[3 * n + e] + b * c[4 * n + e];
}

// Strain: singular values clamped. Uniforms: least values (3), greatest values (3); the first two of each count.
extern "C" __global__ void __launch_bounds__(256, 1) local_triangle_strain(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 f0, f1, p0, p1;
  tri_gradient(x, vertices, coefficients, n, e, f0, f1);
  svd32 d = decompose(f0, f1);
  real s0 = fmin(fmax(d.s0, uniforms[0]), uniforms[3]);
  real s1 = fmin(fmax(d.s1, uniforms[1]), uniforms[4]);
  compose(d, s0, s1, p0, p1);
  store(r, 2 * e, f0 - p0);
  store(r, 2 * e + 1, f1 - p1);
}

// Area: product of singular values clamped. Uniforms: least, greatest.
extern "C" __global__ void __launch_bounds__(256, 1) local_area(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 f0, f1, p0, p1;
  tri_gradient(x, vertices, coefficients, n, e, f0, f1);
  svd32 d = decompose(f0, f1);
  real sigma[2] = {d.s0, d.s1}, s[2];
  clamp_product<2>(sigma, uniforms[0], uniforms[1], s);
  compose(d, s[0], s[1], p0, p1);
  store(r, 2 * e, f0 - p0);
  store(r, 2 * e + 1, f1 - p1);
}
