//! Squared distance with gradient and Hessian, for all pairs by one formula.
//!
//! With the support fixed, D(x) = min over s of |r(x, s)|², r = Σ β_j(s) x_j, where s are the free parameters of the
//! closest points: one for each vertex of a supported face beyond its first. r is linear in s; with β′_p = ∂β/∂s_p,
//! R_p = ∂r/∂s_p and G_pq = R_p·R_q,
//!
//!   ∂D/∂x_j      = 2 β_j r                                            (s is optimal, so it does not move the value)
//!   ∂²D/∂x_j∂x_k = 2 β_j β_k I − 2 Σ_pq g_pj (G⁻¹)_pq g_qkᵀ,   g_pj = β′_pj r + β_j R_p
//!
//! by differentiating the condition R_p·r = 0 (implicit function theorem).

use super::{Closest, Derivatives};
use pd_core::{Mat3, Real, Vec3};

/// Squared distance of two simplices, m², with its derivatives, by the closest points that a function of this module
/// found for the same positions.
///
/// Where edges are nearly parallel the Hessian grows without bound; see [`super::edge_edge_mollifier`].
pub fn squared_distance<const N: usize>(x: &[Vec3; N], closest: &Closest<N>) -> Derivatives<N> {
    let r = closest.separation(x);
    let weights = &closest.weights;
    let mut out = Derivatives::constant(r.norm_squared());
    for j in 0..N {
        out.gradient[j] = r * (2.0 * weights[j]);
        for k in 0..N {
            out.hessian[j][k] = Mat3::from_diagonal_element(2.0 * weights[j] * weights[k]);
        }
    }
    let (directions, count) = free_directions(closest);
    let directions = &directions[..count];
    let mut along = [Vec3::zeros(); 2];
    for (p, (base, free)) in directions.iter().enumerate() {
        // The second simplex enters r with a minus.
        along[p] = if *free < closest.first_len { x[*free] - x[*base] } else { x[*base] - x[*free] };
    }
    let inverse = inverse_gram(&along, count);
    for j in 0..N {
        for k in 0..N {
            for p in 0..count {
                for q in 0..count {
                    let left = mixed(closest, directions[p], &r, &along[p], j);
                    let right = mixed(closest, directions[q], &r, &along[q], k);
                    out.hessian[j][k] -= left * right.transpose() * (2.0 * inverse[p][q]);
                }
            }
        }
    }
    out
}

/// Pairs (first, other) of supported vertices of one simplex: moving weight from the first to the other is a free
/// parameter. At most two of them, as the pair has at most four vertices.
fn free_directions<const N: usize>(closest: &Closest<N>) -> ([(usize, usize); 2], usize) {
    let mut directions = [(0, 0); 2];
    let mut count = 0;
    for side in [0..closest.first_len, closest.first_len..N] {
        let mut supported = side.filter(|j| closest.supports(*j));
        let Some(base) = supported.next() else { continue };
        for free in supported {
            if count < 2 {
                directions[count] = (base, free);
                count += 1;
            }
        }
    }
    (directions, count)
}

/// g_pj = β′_pj r + β_j R_p.
fn mixed<const N: usize>(
    closest: &Closest<N>,
    (base, free): (usize, usize),
    r: &Vec3,
    along: &Vec3,
    j: usize,
) -> Vec3 {
    let sign = if free < closest.first_len { 1.0 } else { -1.0 };
    let slope = if j == free { sign } else { 0.0 } - if j == base { sign } else { 0.0 };
    r * slope + along * closest.weights[j]
}

/// Inverse of the Gram matrix of the directions; one that is no longer independent of the other is left out.
fn inverse_gram(along: &[Vec3; 2], count: usize) -> [[Real; 2]; 2] {
    let (a, b, c) = (along[0].norm_squared(), along[0].dot(&along[1]), along[1].norm_squared());
    // |R₀ × R₁|² cancels less than a c − b².
    let determinant = along[0].cross(&along[1]).norm_squared();
    match count {
        2 if determinant > 0.0 => [[c / determinant, -b / determinant], [-b / determinant, a / determinant]],
        1 | 2 if a > 0.0 => [[1.0 / a, 0.0], [0.0, 0.0]],
        _ => [[0.0; 2]; 2],
    }
}
