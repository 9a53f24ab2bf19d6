// Conjugate gradients with the diagonal as preconditioner, one recurrence per coordinate (Hestenes and Stiefel 1952).
// All scalars stay on the device: 0-2: (r, z), 3-5: alpha, 6-8: beta.

__device__ __forceinline__ void write_partials(vec3 product, real* __restrict__ partials) {
  vec3 sum;
  sum.x = block_sum(product.x);
  sum.y = block_sum(product.y);
  sum.z = block_sum(product.z);
  if (threadIdx.x == 0) store(partials, blockIdx.x, sum);
}

__device__ __forceinline__ vec3 sum_partials(const real* __restrict__ partials, int n) {
  vec3 sum = v3(R(0), R(0), R(0));
  for (int i = threadIdx.x; i < n; i += REDUCE) sum = sum + load(partials, i);
  sum.x = block_sum(sum.x);
  sum.y = block_sum(sum.y);
  sum.z = block_sum(sum.z);
  return sum;
}

// z = D^-1 r, p = z; partial sums of (r, z).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_begin(const real* __restrict__ inverse_diagonal,
                                                               const real* __restrict__ r, real* __restrict__ p,
                                                               real* __restrict__ partials, int n) {
  int i = THREAD;
  vec3 product = v3(R(0), R(0), R(0));
  if (i < n) {
    vec3 ri = load(r, i), z = ri * inverse_diagonal[i];
    store(p, i, z);
    product = v3(ri.x * z.x, ri.y * z.y, ri.z * z.z);
  }
  write_partials(product, partials);
}

// One block: the first (r, z).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_first(const real* __restrict__ partials,
                                                               real* __restrict__ scalars, int n) {
  vec3 sum = sum_partials(partials, n);
  if (threadIdx.x == 0) store(scalars, 0, sum);
}

// q = A p; partial sums of (p, q).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_product(TABLE_ARGUMENTS, const real* __restrict__ p,
                                                                 real* __restrict__ q, real* __restrict__ partials,
                                                                 int n) {
  int i = THREAD;
  vec3 product = v3(R(0), R(0), R(0));
  if (i < n) {
    vec3 sum = v3(R(0), R(0), R(0));
    FOR_EACH_IN_ROW(i, at) sum = sum + load(p, places[at]) * values[at];
    store(q, i, sum);
    vec3 pi = load(p, i);
    product = v3(pi.x * sum.x, pi.y * sum.y, pi.z * sum.z);
  }
  write_partials(product, partials);
}

// A column that is solved to rounding stands still instead of dividing zero by zero.
__device__ __forceinline__ real quotient(real a, real b) { return a > R(0) && b > R(0) ? a / b : R(0); }

// One block: alpha = (r, z) / (p, A p).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_alpha(const real* __restrict__ partials,
                                                               real* __restrict__ scalars, int n) {
  vec3 sum = sum_partials(partials, n);
  if (threadIdx.x == 0) {
    vec3 rz = load(scalars, 0);
    store(scalars, 1, v3(quotient(rz.x, sum.x), quotient(rz.y, sum.y), quotient(rz.z, sum.z)));
  }
}

// x += alpha p, r -= alpha q, z = D^-1 r; partial sums of (r, z).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_update(const real* __restrict__ scalars,
                                                                const real* __restrict__ inverse_diagonal,
                                                                const real* __restrict__ p, const real* __restrict__ q,
                                                                real* __restrict__ x, real* __restrict__ r,
                                                                real* __restrict__ partials, int n) {
  int i = THREAD;
  vec3 product = v3(R(0), R(0), R(0));
  if (i < n) {
    vec3 a = load(scalars, 1), pi = load(p, i), qi = load(q, i), xi = load(x, i), ri = load(r, i);
    store(x, i, v3(xi.x + a.x * pi.x, xi.y + a.y * pi.y, xi.z + a.z * pi.z));
    ri = v3(ri.x - a.x * qi.x, ri.y - a.y * qi.y, ri.z - a.z * qi.z);
    store(r, i, ri);
    real d = inverse_diagonal[i];
    product = v3(ri.x * ri.x * d, ri.y * ri.y * d, ri.z * ri.z * d);
  }
  write_partials(product, partials);
}

// One block: beta = (r, z)' / (r, z), and the new (r, z).
extern "C" __global__ void __launch_bounds__(REDUCE) pcg_beta(const real* __restrict__ partials,
                                                              real* __restrict__ scalars, int n) {
  vec3 sum = sum_partials(partials, n);
  if (threadIdx.x == 0) {
    vec3 rz = load(scalars, 0);
    store(scalars, 2, v3(quotient(sum.x, rz.x), quotient(sum.y, rz.y), quotient(sum.z, rz.z)));
    store(scalars, 0, sum);
  }
}

// p = z + beta p.
extern "C" __global__ void pcg_direction(const real* __restrict__ scalars, const real* __restrict__ inverse_diagonal,
                                         const real* __restrict__ r, real* __restrict__ p, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 b = load(scalars, 2), z = load(r, i) * inverse_diagonal[i], pi = load(p, i);
  store(p, i, v3(z.x + b.x * pi.x, z.y + b.y * pi.y, z.z + b.z * pi.z));
}
