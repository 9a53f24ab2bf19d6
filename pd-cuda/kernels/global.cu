// Global step: iterations on A d = b for three right-hand sides at once.

// r = b - A x.
extern "C" __global__ void residual(TABLE_ARGUMENTS, const real* __restrict__ b, const real* __restrict__ x,
                                    real* __restrict__ r, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 sum = v3(R(0), R(0), R(0));
  FOR_EACH_IN_ROW(i, at) sum = sum + load(x, places[at]) * values[at];
  store(r, i, load(b, i) - sum);
}

// w (swept - older) + older, exactly `swept` for w = 1 (Golub and Varga 1961; Wang 2015).
__device__ __forceinline__ vec3 blend(real w, vec3 swept, vec3 older) {
  return w == R(1) ? swept : (swept - older) * w + older;
}

// One damped Jacobi sweep and Chebyshev acceleration: older <- blend(w_k, x + gamma D^-1 (b - A x), older).
extern "C" __global__ void jacobi_sweep(TABLE_ARGUMENTS, const real* __restrict__ inverse_diagonal,
                                        const real* __restrict__ b, const real* __restrict__ x, real* __restrict__ older,
                                        const real* __restrict__ omega, int k, real gamma, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 sum = v3(R(0), R(0), R(0));
  FOR_EACH_IN_ROW(i, at) sum = sum + load(x, places[at]) * values[at];
  vec3 swept = load(x, i) + (load(b, i) - sum) * (gamma * inverse_diagonal[i]);
  store(older, i, blend(omega[k], swept, load(older, i)));
}

// beta = gamma D^-1 b.
extern "C" __global__ void a_jacobi_begin(const real* __restrict__ inverse_diagonal, const real* __restrict__ b,
                                          real* __restrict__ beta, real gamma, int n) {
  int i = THREAD;
  if (i >= n) return;
  store(beta, i, load(b, i) * (gamma * inverse_diagonal[i]));
}

// Horner's rule for beta of order l > 1: out = gamma D^-1 b + R beta.
extern "C" __global__ void a_jacobi_beta(TABLE_ARGUMENTS, const real* __restrict__ inverse_diagonal,
                                         const real* __restrict__ b, const real* __restrict__ beta,
                                         real* __restrict__ out, real gamma, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 sum = v3(R(0), R(0), R(0));
  FOR_EACH_IN_ROW(i, at) sum = sum + load(beta, places[at]) * values[at];
  store(out, i, load(b, i) * (gamma * inverse_diagonal[i]) + sum);
}

// One A-Jacobi sweep of any order and Chebyshev acceleration: older <- blend(w_k, beta + R^l x, older).
extern "C" __global__ void a_jacobi_sweep(TABLE_ARGUMENTS, const real* __restrict__ beta, const real* __restrict__ x,
                                          real* __restrict__ older, const real* __restrict__ omega, int k, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 sum = v3(R(0), R(0), R(0));
  FOR_EACH_IN_ROW(i, at) sum = sum + load(x, places[at]) * values[at];
  store(older, i, blend(omega[k], load(beta, i) + sum, load(older, i)));
}

// y = rows of dense blocks times x: a warp a row, lanes over columns, then a fixed tree of shuffles. Row i of a block
// that begins at `first[i]` and is `width[i]` wide has its numbers at matrix[start[i] ...].
extern "C" __global__ void __launch_bounds__(256) block_multiply(const real* __restrict__ matrix,
                                                                 const long long* __restrict__ start,
                                                                 const int* __restrict__ first,
                                                                 const int* __restrict__ width,
                                                                 const real* __restrict__ x, real* __restrict__ y, int n) {
  int thread = THREAD;
  int i = thread >> 5, lane = thread & 31;
  if (i >= n) return;
  const real* row = matrix + start[i];
  int begin = first[i], columns = width[i];
  vec3 sum = v3(R(0), R(0), R(0));
  for (int j = lane; j < columns; j += 32) sum = sum + load(x, begin + j) * row[j];
  for (int half = 16; half > 0; half >>= 1) {
    sum.x += __shfl_down_sync(0xffffffffu, sum.x, half);
    sum.y += __shfl_down_sync(0xffffffffu, sum.y, half);
    sum.z += __shfl_down_sync(0xffffffffu, sum.z, half);
  }
  if (lane == 0) store(y, i, sum);
}

// y_i = x_order(i).
extern "C" __global__ void permute(const int* __restrict__ order, const real* __restrict__ x, real* __restrict__ y,
                                   int n) {
  int i = THREAD;
  if (i >= n) return;
  store(y, i, load(x, order[i]));
}
