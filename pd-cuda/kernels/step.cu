// The parts of a step that go over vertices, and the sum of what constraints give them.
//
// Numbers of a step are in `params`, not in the arguments, so that a captured graph serves all steps:
// 0: h, 1-3: gravity, 4: 1 / (h (1 + h damping)).

// s = x + h v + h^2 (g + f / m).
extern "C" __global__ void predict(const real* __restrict__ x, const real* __restrict__ v, const real* __restrict__ force,
                                   const real* __restrict__ inverse_mass, const real* __restrict__ params,
                                   real* __restrict__ s, int n) {
  int i = THREAD;
  if (i >= n) return;
  real h = params[0];
  vec3 a = v3(params[1], params[2], params[3]) + load(force, i) * inverse_mass[i];
  store(s, i, load(x, i) + load(v, i) * h + a * (h * h));
}

// Held vertices stay where they were; the iterate starts at s.
extern "C" __global__ void begin_iterate(const int* __restrict__ held, const real* __restrict__ x, real* __restrict__ s,
                                         real* __restrict__ iterate, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 start = held[i] ? load(x, i) : load(s, i);
  store(s, i, start);
  store(iterate, i, start);
}

// b_i = M/h^2 (s - x) - sum over the rows of D that touch vertex i, ascending. `inertia` is M/h^2.
extern "C" __global__ void gather(TABLE_ARGUMENTS, const real* __restrict__ rows, const real* __restrict__ inertia,
                                  const real* __restrict__ s, const real* __restrict__ x, real* __restrict__ b, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 sum = (load(s, i) - load(x, i)) * inertia[i];
  FOR_EACH_IN_ROW(i, at) sum = sum - load(rows, places[at]) * values[at];
  store(b, i, sum);
}

// The atomic variant in two kernels: first the inertia, then every element adds to its vertices in whatever order.
extern "C" __global__ void scatter_begin(const real* __restrict__ inertia, const real* __restrict__ s,
                                         const real* __restrict__ x, real* __restrict__ b, int n) {
  int i = THREAD;
  if (i >= n) return;
  store(b, i, (load(s, i) - load(x, i)) * inertia[i]);
}

extern "C" __global__ void scatter_add(const int* __restrict__ vertices, const real* __restrict__ coefficients,
                                       const int* __restrict__ counts, const real* __restrict__ weights,
                                       const real* __restrict__ rows, real* b, int rows_per_element, int n) {
  int e = THREAD;
  if (e >= n) return;
  int k = 0;
  for (int j = 0; j < rows_per_element; ++j) {
    vec3 force = load(rows, e * rows_per_element + j) * weights[e];
    for (int end = k + counts[j * n + e]; k < end; ++k) {
      int vertex = vertices[k * n + e];
      real c = coefficients[k * n + e];
      atomicAdd(&b[3 * vertex], -c * force.x);
      atomicAdd(&b[3 * vertex + 1], -c * force.y);
      atomicAdd(&b[3 * vertex + 2], -c * force.z);
    }
  }
}

// x += d.
extern "C" __global__ void advance(const real* __restrict__ d, real* __restrict__ x, int n) {
  int i = THREAD;
  if (i >= n) return;
  store(x, i, load(x, i) + load(d, i));
}

// The least index of a vertex that is not finite, if below what is there already.
extern "C" __global__ void find_not_finite(const real* __restrict__ x, int* status, int n) {
  int i = THREAD;
  if (i >= n) return;
  vec3 p = load(x, i);
  // Zero for finite numbers, else not a number.
  real zero = (p.x - p.x) + (p.y - p.y) + (p.z - p.z);
  if (!(zero == R(0))) atomicMin(status, i);
}

// Accepts the iterate: v = (x' - x) / h, damped, and x = x'; nothing if `status` names a bad vertex.
extern "C" __global__ void finish(const real* __restrict__ iterate, const real* __restrict__ params,
                                  const int* __restrict__ status, real* __restrict__ x, real* __restrict__ v, int n) {
  int i = THREAD;
  if (i >= n || status[0] < n) return;
  vec3 next = load(iterate, i);
  store(v, i, (next - load(x, i)) * params[4]);
  store(x, i, next);
}

// Counters of a step: 0: least vertex that is not finite, 1: vertices moved by obstacles in pass 1, 2: in pass 2.
extern "C" __global__ void reset_status(int* __restrict__ status, int n) {
  int i = THREAD;
  if (i >= n) return;
  status[i] = i == 0 ? 0x7fffffff : 0;
}

extern "C" __global__ void fill_zero(real* __restrict__ x, int n) {
  int i = THREAD;
  if (i >= n) return;
  x[i] = R(0);
}
