// Kernels of the tests. `kernels.ptx` is what NVRTC 12.0 makes of them for compute_75.
typedef unsigned int u32;
typedef unsigned long long u64;

__constant__ float weights[8] = {1.0f, 0.5f, 0.25f, 0.125f, 2.0f, 4.0f, 8.0f, 16.0f};
__constant__ float weights_set_by_host[4];
__device__ double accumulator;

// One sweep of x' = D^-1 (b - R x) on three columns, rows in CSR.
extern "C" __global__ void jacobi(const int* __restrict__ start, const int* __restrict__ column,
    const float* __restrict__ value, const float* __restrict__ inverse, const float* __restrict__ b,
    const float* __restrict__ x, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s0 = b[3 * i], s1 = b[3 * i + 1], s2 = b[3 * i + 2];
  for (int k = start[i]; k < start[i + 1]; ++k) {
    int j = column[k];
    float v = value[k];
    s0 -= v * x[3 * j]; s1 -= v * x[3 * j + 1]; s2 -= v * x[3 * j + 2];
  }
  out[3 * i] = inverse[i] * s0; out[3 * i + 1] = inverse[i] * s1; out[3 * i + 2] = inverse[i] * s2;
}

// Sum of squares: warp shuffles, then shared memory.
extern "C" __global__ void norm2(const double* __restrict__ x, double* __restrict__ partial, int n) {
  __shared__ double sm[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double acc = i < n ? x[i] * x[i] : 0.0;
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
  if ((threadIdx.x & 31) == 0) sm[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    double t = 0;
    for (u32 k = 0; k < (blockDim.x + 31) / 32; ++k) t += sm[k];
    partial[blockIdx.x] = t;
  }
}

// Reverses each block through dynamic shared memory, in float4.
extern "C" __global__ void reverse4(float4* data) {
  extern __shared__ float4 tile[];
  u32 t = threadIdx.x, base = blockIdx.x * blockDim.x;
  tile[t] = data[base + t];
  __syncthreads();
  data[base + t] = tile[blockDim.x - 1 - t];
}

// A device function that is not inlined, with a structure in and out.
struct Pair { double a; int b; };
__device__ __noinline__ Pair collatz(Pair p) {
  Pair r; r.a = p.a; r.b = 0;
  u32 v = (u32)p.b;
  while (v > 1) { v = (v & 1) ? 3 * v + 1 : v / 2; r.b++; r.a += 0.5; }
  return r;
}
extern "C" __global__ void calls(const int* in, double* out, int* steps) {
  int i = threadIdx.x;
  Pair p; p.a = i; p.b = in[i];
  if (i % 3 != 0) p = collatz(p);
  out[i] = p.a; steps[i] = p.b;
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

// A jump table, and an array indexed at run time (local memory).
extern "C" __global__ void table(const int* op, const float* x, float* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float v[8];
  for (int k = 0; k < 8; ++k) v[k] = x[i] * weights[k];
  float r;
  switch (op[i]) {
    case 0: r = v[(i * 5) & 7]; break;
    case 1: r = sqrtf(fabsf(x[i])); break;
    case 2: r = floorf(x[i]) + ceilf(x[i]); break;
    case 3: r = fminf(x[i], 0.25f) * fmaxf(x[i], -0.5f); break;
    case 4: r = rintf(x[i]) - truncf(x[i]); break;
    case 5: v[i & 7] = 1.0f; r = v[(i + 1) & 7] + v[i & 7]; break;
    case 6: r = copysignf(3.0f, x[i]); break;
    default: r = weights_set_by_host[i & 3]; break;
  }
  out[i] = r;
}

// Library functions in both precisions.
extern "C" __global__ void functions(const double* x, double* out, float* outf, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  double v = x[i]; float f = (float)v;
  out[8*i] = exp(v); out[8*i+1] = log(fabs(v) + 0.1); out[8*i+2] = sin(v); out[8*i+3] = cos(v);
  out[8*i+4] = pow(fabs(v) + 0.5, 1.7); out[8*i+5] = cbrt(v); out[8*i+6] = atan2(v, 0.3); out[8*i+7] = acos(v / 10.0);
  outf[8*i] = expf(f); outf[8*i+1] = logf(fabsf(f) + 0.1f); outf[8*i+2] = sinf(f); outf[8*i+3] = cosf(f);
  outf[8*i+4] = powf(fabsf(f) + 0.5f, 1.7f); outf[8*i+5] = cbrtf(f); outf[8*i+6] = atan2f(f, 0.3f); outf[8*i+7] = rsqrtf(fabsf(f) + 0.1f);
}

// Integers of all widths.
extern "C" __global__ void integers(const u64* a, const u64* b, u64* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  u64 x = a[i], y = b[i];
  u32 p = (u32)x, q = (u32)y;
  out[12*i] = x / (y | 1); out[12*i+1] = x % (y | 1); out[12*i+2] = __umul64hi(x, y);
  out[12*i+3] = (u64)((long long)x / (long long)(y | 1)); out[12*i+4] = (u64)__popcll(x) + 100 * __clz(p) + 10000 * __ffs(q);
  out[12*i+5] = ((u64)__brev(p) << 32) | __byte_perm(p, q, 0x3715);
  out[12*i+6] = ((u64)__funnelshift_l(p, q, p & 63) << 32) | __funnelshift_r(p, q, q & 31);
  out[12*i+7] = (u64)(long long)(short)x + (unsigned char)y; out[12*i+8] = (u64)((long long)x >> (y & 63));
  out[12*i+9] = (u64)(long long)__double2int_rn((double)(int)p / 7.0) + (u64)(short)((short)p * (short)q);
  out[12*i+10] = (u64)max((int)p, (int)q) + (u64)min(x, y); out[12*i+11] = (u64)__mulhi((int)p, (int)q) ^ (u64)(p % (q | 1));
}

// Atomics of several kinds on few words.
extern "C" __global__ void atomics(u32* counts, float* sum, double* dsum, int* extremes, u64* wide, const int* in, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  atomicAdd(&counts[in[i] & 3], 1u);
  atomicAdd(sum, (float)in[i]); atomicAdd(dsum, 0.5 * in[i]); atomicAdd(&accumulator, 1.0);
  atomicMin(&extremes[0], in[i]); atomicMax(&extremes[1], in[i]);
  atomicAdd(wide, (u64)i); atomicCAS(&wide[1], 0ull, (u64)(i + 1)); atomicExch(&counts[4], 7u); atomicOr(&counts[5], 1u << (i & 31));
}

// Votes, ballots, shuffles within segments, a counting barrier.
extern "C" __global__ void warps(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  u32 ballot = __ballot_sync(0xffffffffu, v > 0);
  int all = __all_sync(0xffffffffu, v > -100), any = __any_sync(0xffffffffu, v > 100);
  int up = __shfl_up_sync(0xffffffffu, v, 3, 8), x = __shfl_xor_sync(0xffffffffu, v, 5), idx = __shfl_sync(0xffffffffu, v, t * 7, 16);
  int count = __syncthreads_count(v > 0);
  out[8*t] = (int)ballot; out[8*t+1] = all * 2 + any; out[8*t+2] = up; out[8*t+3] = x;
  out[8*t+4] = idx; out[8*t+5] = count; out[8*t+6] = __syncthreads_or(v > 100); out[8*t+7] = __syncthreads_and(v > -100);
}

// Blocks and threads in three dimensions.
extern "C" __global__ void indices(u32* out) {
  u32 t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  u32 b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
}
