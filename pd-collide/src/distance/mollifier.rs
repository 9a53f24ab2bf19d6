//! The mollifier of nearly parallel edges.
//!
//! Distance between edges is not differentiable where they are parallel: the closest points jump from one end to the
//! other. Li et al., Incremental Potential Contact (2020), equation 24, multiply the barrier of an edge pair by
//!
//!   e(c) = −(c/ε)² + 2 c/ε  for c < ε,  1 otherwise,     c = |u × v|²,  ε = 10⁻³ |U|² |V|²
//!
//! with u, v the edges and U, V the same edges at rest. e is once continuously differentiable and vanishes together
//! with c where the trouble is; what an edge pair then no longer repels, point–triangle pairs do.

use super::Derivatives;
use pd_core::{Mat3, Real, Vec3};

/// Factor of the threshold in the paper: sin² of the angle, for edges of their rest length, below which a pair counts
/// as nearly parallel.
pub const PARALLEL: Real = 1e-3;

/// ε for a pair of edges with rest positions `rest`, m⁴.
pub fn mollifier_threshold(rest: &[Vec3; 4]) -> Real {
    PARALLEL * (rest[1] - rest[0]).norm_squared() * (rest[3] - rest[2]).norm_squared()
}

/// e(c) with its derivatives for the edges from `x[0]` to `x[1]` and from `x[2]` to `x[3]`; `threshold` is ε, m⁴.
pub fn edge_edge_mollifier(x: &[Vec3; 4], threshold: Real) -> Derivatives<4> {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let c = u.cross(&v).norm_squared();
    if c >= threshold {
        return Derivatives::constant(1.0);
    }
    let ratio = c / threshold;
    squared_cross(&u, &v, c).chain([
        ratio * (2.0 - ratio),
        2.0 * (1.0 - ratio) / threshold,
        -2.0 / (threshold * threshold),
    ])
}

/// c = |u × v|² = u² v² − (u·v)² as a function of the four ends.
fn squared_cross(u: &Vec3, v: &Vec3, c: Real) -> Derivatives<4> {
    let (a, e, b) = (u.norm_squared(), v.norm_squared(), u.dot(v));
    let first = [(u * e - v * b) * 2.0, (v * a - u * b) * 2.0];
    let uu = (Mat3::from_diagonal_element(e) - v * v.transpose()) * 2.0;
    let vv = (Mat3::from_diagonal_element(a) - u * u.transpose()) * 2.0;
    let uv = (u * v.transpose() * 2.0 - v * u.transpose() - Mat3::from_diagonal_element(b)) * 2.0;
    let second = [[uu, uv], [uv.transpose(), vv]];
    let mut out = Derivatives::constant(c);
    for j in 0..4 {
        let sign = |j: usize| if j.is_multiple_of(2) { -1.0 } else { 1.0 };
        out.gradient[j] = first[j / 2] * sign(j);
        for k in 0..4 {
            out.hessian[j][k] = second[j / 2][k / 2] * (sign(j) * sign(k));
        }
    }
    out
}
