// Singular values of 3x3 and 3x2 matrices by one-sided Jacobi rotations (Hestenes 1958), as svd3.rs of pd-constraints:
// rotations V make the columns of F V orthogonal; sorted, they give U and sigma. U and V are rotations for every input,
// and the sign of det F is the sign of the third value.

// Columns count as orthogonal below this cosine, squared.
__device__ const real ORTHOGONAL_SQUARED = sizeof(real) == 4 ? R(3e-14) : R(1e-31);
// Below this length, with the largest entry near 1, a column has no direction.
__device__ const real NO_DIRECTION = sizeof(real) == 4 ? R(1e-15) : R(1e-120);
// Largest entries within these need no scaling before they are raised to the fourth power.
__device__ const real SMALL_ENTRY = sizeof(real) == 4 ? R(1e-6) : R(1e-30);
__device__ const real LARGE_ENTRY = sizeof(real) == 4 ? R(1e6) : R(1e30);

// Makes the columns p and q orthogonal; says whether it had to.
__device__ __forceinline__ bool make_orthogonal(vec3& bp, vec3& bq, vec3& vp, vec3& vq) {
  real pp = dot(bp, bp), qq = dot(bq, bq), pq = dot(bp, bq);
  if (pq * pq <= ORTHOGONAL_SQUARED * pp * qq) return false;
  // tan 2phi = 2 pq / (qq - pp) = y / x, and of the two solutions the one with |tan phi| <= 1.
  real x = qq - pp, y = R(2) * pq;
  real t = copysign(y, x * y) / (fabs(x) + sqrt(x * x + y * y));
  real c = R(1) / sqrt(R(1) + t * t), s = c * t;
  vec3 b = bp * c - bq * s;
  bq = bp * s + bq * c;
  bp = b;
  vec3 v = vp * c - vq * s;
  vq = vp * s + vq * c;
  vp = v;
  return true;
}

// Puts the longer column first by a quarter turn.
__device__ __forceinline__ void sort_columns(vec3& bp, vec3& bq, vec3& vp, vec3& vq) {
  if (dot(bp, bp) < dot(bq, bq)) {
    vec3 b = bp, v = vp;
    bp = bq;
    bq = -b;
    vp = vq;
    vq = -v;
  }
}

// Unit vectors along a and, as far as it has a direction beside a, along b; |a| >= |b|.
__device__ __forceinline__ void make_frame(vec3 a, vec3 b, vec3& u, vec3& w) {
  real length = norm(a);
  if (!(length > NO_DIRECTION)) {
    u = v3(R(1), R(0), R(0));
    w = v3(R(0), R(1), R(0));
    return;
  }
  u = a * (R(1) / length);
  length = norm(b);
  if (length > NO_DIRECTION) {
    vec3 unit = b * (R(1) / length);
    w = unit - u * dot(u, unit);
    length = norm(w);
    if (length > R(0.5)) {
      w = w * (R(1) / length);
      return;
    }
  }
  // Any direction will do: the axis farthest from u, made orthogonal.
  real ax = fabs(u.x), ay = fabs(u.y), az = fabs(u.z);
  if (ax <= ay && ax <= az) w = v3(R(1), R(0), R(0)) - u * u.x;
  else if (ay <= az) w = v3(R(0), R(1), R(0)) - u * u.y;
  else w = v3(R(0), R(0), R(1)) - u * u.z;
  w = w * (R(1) / norm(w));
}

struct svd3 { vec3 u0, u1, u2, v0, v1, v2; real s0, s1, s2; };

__device__ __forceinline__ svd3 decompose(vec3 b0, vec3 b1, vec3 b2) {
  real scale = fmax(largest(b0), fmax(largest(b1), largest(b2)));
  if ((scale >= SMALL_ENTRY && scale <= LARGE_ENTRY) || !(scale > R(0))) scale = R(1);
  real inverse = R(1) / scale;
  b0 = b0 * inverse;
  b1 = b1 * inverse;
  b2 = b2 * inverse;
  vec3 v0 = v3(R(1), R(0), R(0)), v1 = v3(R(0), R(1), R(0)), v2 = v3(R(0), R(0), R(1));
#pragma unroll 1
  for (int sweep = 0; sweep < 24; ++sweep) {
    bool first = make_orthogonal(b0, b1, v0, v1);
    bool second = make_orthogonal(b0, b2, v0, v2);
    bool third = make_orthogonal(b1, b2, v1, v2);
    if (!(first || second || third)) break;
  }
  sort_columns(b0, b1, v0, v1);
  sort_columns(b0, b2, v0, v2);
  sort_columns(b1, b2, v1, v2);
  svd3 d;
  make_frame(b0, b1, d.u0, d.u1);
  d.u2 = cross(d.u0, d.u1);
  d.s2 = dot(d.u2, b2);
  d.s1 = fmax(dot(d.u1, b1), fabs(d.s2));
  d.s0 = fmax(dot(d.u0, b0), d.s1);
  d.s0 *= scale;
  d.s1 *= scale;
  d.s2 *= scale;
  d.v0 = v0;
  d.v1 = v1;
  d.v2 = v2;
  return d;
}

// Columns of U diag(s) V^T.
__device__ __forceinline__ void compose(const svd3& d, real s0, real s1, real s2, vec3& c0, vec3& c1, vec3& c2) {
  vec3 a = d.u0 * s0, b = d.u1 * s1, c = d.u2 * s2;
  c0 = a * d.v0.x + b * d.v1.x + c * d.v2.x;
  c1 = a * d.v0.y + b * d.v1.y + c * d.v2.y;
  c2 = a * d.v0.z + b * d.v1.z + c * d.v2.z;
}

// 3x2: V is the rotation by (cosine, sine).
struct svd32 { vec3 u0, u1; real s0, s1, cosine, sine; };

__device__ __forceinline__ svd32 decompose(vec3 b0, vec3 b1) {
  real scale = fmax(largest(b0), largest(b1));
  if ((scale >= SMALL_ENTRY && scale <= LARGE_ENTRY) || !(scale > R(0))) scale = R(1);
  b0 = b0 * (R(1) / scale);
  b1 = b1 * (R(1) / scale);
  vec3 v0 = v3(R(1), R(0), R(0)), v1 = v3(R(0), R(1), R(0));
#pragma unroll 1
  for (int sweep = 0; sweep < 24; ++sweep)
    if (!make_orthogonal(b0, b1, v0, v1)) break;
  sort_columns(b0, b1, v0, v1);
  svd32 d;
  make_frame(b0, b1, d.u0, d.u1);
  d.s1 = fmax(dot(d.u1, b1), R(0));
  d.s0 = fmax(dot(d.u0, b0), d.s1);
  d.s0 *= scale;
  d.s1 *= scale;
  d.cosine = v0.x;
  d.sine = v0.y;
  return d;
}

__device__ __forceinline__ void compose(const svd32& d, real s0, real s1, vec3& c0, vec3& c1) {
  vec3 a = d.u0 * s0, b = d.u1 * s1;
  c0 = a * d.cosine - b * d.sine;
  c1 = a * d.sine + b * d.cosine;
}
