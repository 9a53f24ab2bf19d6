// Sums and maxima in a fixed order: each block of REDUCE threads reduces REDUCE items to one number by a tree in shared
// memory; then one block reduces these. The tree depends on the number of items alone.

__device__ __forceinline__ real block_sum(real value) {
  __shared__ real sums[REDUCE];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int half = REDUCE / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  real sum = sums[0];
  __syncthreads();
  return sum;
}

// The larger of two; not a number if either is not, unlike fmax.
__device__ __forceinline__ real larger(real a, real b) { return a >= b || a != a ? a : b; }

__device__ __forceinline__ real block_max(real value) {
  __shared__ real most[REDUCE];
  most[threadIdx.x] = value;
  __syncthreads();
  for (int half = REDUCE / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) most[threadIdx.x] = larger(most[threadIdx.x], most[threadIdx.x + half]);
    __syncthreads();
  }
  real result = most[0];
  __syncthreads();
  return result;
}

// Energy of rows: sum of w/2 |r|^2, with the weight of each row.
extern "C" __global__ void __launch_bounds__(REDUCE) energy_partials(const real* __restrict__ rows,
                                                                     const real* __restrict__ weights,
                                                                     real* __restrict__ partials, int n) {
  int i = THREAD;
  real value = R(0);
  if (i < n) {
    vec3 r = load(rows, i);
    value = R(0.5) * weights[i] * dot(r, r);
  }
  real sum = block_sum(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Inertia: sum of w/2 |x - s|^2.
extern "C" __global__ void __launch_bounds__(REDUCE) inertia_partials(const real* __restrict__ x,
                                                                      const real* __restrict__ s,
                                                                      const real* __restrict__ weights,
                                                                      real* __restrict__ partials, int n) {
  int i = THREAD;
  real value = R(0);
  if (i < n) {
    vec3 d = load(x, i) - load(s, i);
    value = R(0.5) * weights[i] * dot(d, d);
  }
  real sum = block_sum(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Sum of |a|^2.
extern "C" __global__ void __launch_bounds__(REDUCE) square_partials(const real* __restrict__ a,
                                                                     real* __restrict__ partials, int n) {
  int i = THREAD;
  real value = R(0);
  if (i < n) {
    vec3 v = load(a, i);
    value = dot(v, v);
  }
  real sum = block_sum(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Largest |a|.
extern "C" __global__ void __launch_bounds__(REDUCE) largest_partials(const real* __restrict__ a,
                                                                      real* __restrict__ partials, int n) {
  int i = THREAD;
  real most = block_max(i < n ? norm(load(a, i)) : R(0));
  if (threadIdx.x == 0) partials[blockIdx.x] = most;
}

// Second stage, one block: out[slot] is the sum of the partials.
extern "C" __global__ void __launch_bounds__(REDUCE) reduce_sum(const real* __restrict__ partials, real* __restrict__ out,
                                                                int slot, int n) {
  real value = R(0);
  for (int i = threadIdx.x; i < n; i += REDUCE) value += partials[i];
  real sum = block_sum(value);
  if (threadIdx.x == 0) out[slot] = sum;
}

extern "C" __global__ void __launch_bounds__(REDUCE) reduce_max(const real* __restrict__ partials, real* __restrict__ out,
                                                                int slot, int n) {
  real value = R(0);
  for (int i = threadIdx.x; i < n; i += REDUCE) value = larger(value, partials[i]);
  real most = block_max(value);
  if (threadIdx.x == 0) out[slot] = most;
}
