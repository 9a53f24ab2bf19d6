// Nearest values with a product in a range, as product.rs of pd-constraints: x_i (x_i - sigma_i) = mu for all i.
// No logarithms here: Newton's method runs on the product itself.

// The larger solution of x (x - v) = mu, without cancellation for negative v.
__device__ __forceinline__ real larger_root(real v, real mu) {
  real root = sqrt(fmax(v * v + R(4) * mu, R(0)));
  return v >= R(0) ? R(0.5) * (v + root) : R(2) * mu / (root - v);
}

template <int N>
__device__ __forceinline__ real multiply_all(const real (&x)[N]) {
  real product = x[0];
#pragma unroll
  for (int i = 1; i < N; ++i) product *= x[i];
  return product;
}

// A product within a factor of two of its goal: plain Newton steps for mu from 0. False if they do not settle.
template <int N>
__device__ __forceinline__ bool near_product(const real (&sigma)[N], real product, real goal, real (&x)[N]) {
  if (product < R(0.5) * goal || product > R(2) * goal) return false;
  real mu = R(0);
#pragma unroll 1
  for (int step = 0; step < 8; ++step) {
    real slope = R(0);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      x[i] = larger_root(sigma[i], mu);
      slope += R(1) / (x[i] * (R(2) * x[i] - sigma[i]));
    }
    product = multiply_all<N>(x);
    real error = product / goal - R(1);
    if (fabs(error) <= R(4) * EPSILON) return true;
    mu -= error * goal / (product * slope);
    // Past the fold of the smallest value there is no larger root.
    if (mu <= R(-0.25) * sigma[N - 1] * sigma[N - 1]) return false;
  }
  return false;
}

// The product must grow. In m = sqrt(mu) it is convex, rising, and at least m^N, so Newton's method from the right
// comes down to the root without overshooting.
template <int N>
__device__ __forceinline__ void grow_product(const real (&sigma)[N], real goal, real (&x)[N]) {
  real m = fmax(goal, R(1));
#pragma unroll 1
  for (int step = 0; step < 96; ++step) {
    real slope = R(0);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      x[i] = larger_root(sigma[i], m * m);
      slope += R(2) * m / (x[i] * (R(2) * x[i] - sigma[i]));
    }
    real excess = R(1) - goal / multiply_all<N>(x);
    real next = m - excess / slope;
    if (!(next < m) || excess <= R(2) * EPSILON) break;
    m = next;
  }
}

// x(t) with the last value t and the others on their larger roots; returns product / goal - 1 and its slope.
template <int N>
__device__ __forceinline__ real at_last(const real (&sigma)[N], real goal, real t, real (&x)[N], real& slope) {
  real last = sigma[N - 1], mu = t * (t - last);
  real relative = R(1) / t;
#pragma unroll
  for (int i = 0; i < N - 1; ++i) {
    x[i] = larger_root(sigma[i], mu);
    relative += (R(2) * t - last) / (x[i] * (R(2) * x[i] - sigma[i]));
  }
  x[N - 1] = t;
  real quotient = multiply_all<N>(x) / goal;
  slope = quotient * relative;
  return quotient - R(1);
}

// The product must shrink: of the places where it rises through the goal as the last value goes from 0 to sigma_N, the
// one nearest to sigma.
template <int N>
__device__ __forceinline__ void shrink_product(const real (&sigma)[N], real product, real goal, real (&best)[N]) {
  real last = sigma[N - 1], nearest = R(-1), slope;
  real x[N];
#pragma unroll
  for (int i = 0; i < N; ++i) best[i] = sigma[i];
  int pieces = R(2) * goal > product ? 2 : 32;
  real begin = R(0), begin_value = R(-1);
#pragma unroll 1
  for (int piece = 1; piece <= pieces; ++piece) {
    real end = last * (R(piece) / R(pieces));
    real end_value = at_last<N>(sigma, goal, end, x, slope);
    if (begin_value < R(0) && end_value >= R(0)) {
      real low = begin, high = end, t = R(0.5) * (low + high);
#pragma unroll 1
      for (int step = 0; step < 128; ++step) {
        real value = at_last<N>(sigma, goal, t, x, slope);
        if (value < R(0)) low = t;
        else high = t;
        real newton = t - value / slope;
        real next = newton > low && newton < high ? newton : R(0.5) * (low + high);
        if (next == t || value == R(0)) break;
        t = next;
      }
      at_last<N>(sigma, goal, t, x, slope);
      real distance = R(0);
#pragma unroll
      for (int i = 0; i < N; ++i) distance += (x[i] - sigma[i]) * (x[i] - sigma[i]);
      if (nearest < R(0) || distance < nearest) {
        nearest = distance;
#pragma unroll
        for (int i = 0; i < N; ++i) best[i] = x[i];
      }
    }
    begin = end;
    begin_value = end_value;
  }
}

template <int N>
__device__ __forceinline__ void clamp_product(const real (&sigma)[N], real low, real high, real (&x)[N]) {
  real product = multiply_all<N>(sigma);
  bool inverted = sigma[N - 1] <= R(0);
  if (!inverted && product >= low && product <= high) {
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] = sigma[i];
    return;
  }
  real goal = inverted || product < low ? low : high;
  if (!inverted && near_product<N>(sigma, product, goal, x)) return;
  if (goal == low && (inverted || product < low)) grow_product<N>(sigma, goal, x);
  else shrink_product<N>(sigma, product, goal, x);
}
