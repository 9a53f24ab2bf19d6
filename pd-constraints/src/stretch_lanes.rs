//! Matrices with their singular values brought into a range, several side by side.
//!
//! The eigenvectors V of FᵀF by cyclic Jacobi rotations, a fixed number of them; then F V has orthogonal columns b_i of
//! length |σ_i|, and with other singular values s the change is F − T = Σ_i (1 − s_i/σ_i) b_i v_iᵀ: no left
//! vectors are formed. det F < 0 makes the smallest σ negative. FᵀF squares the condition, so lanes
//! with a small singular value are given up, and inverted ones whose two smallest values nearly tie.

use crate::lanes::{Lanes, combine, cross, dot};

/// Sweeps over the three pairs. Convergence is quadratic; matrices that need more are given up.
const SWEEPS: usize = 4;

/// Off-diagonal entries left over, relative to the smallest eigenvalue.
const OFF_DIAGONAL: f64 = 1e-14;

/// Least ratio of the eigenvalues of FᵀF. Rounding errors of FᵀF grow with its inverse.
const LEAST_RATIO: f64 = 1e-3;

/// Least distance of the two smallest singular values of an inverted matrix, relative to the largest: near a tie the
/// nearest point jumps from one to the other.
const LEAST_GAP: f64 = 1e-3;

/// Keeps 0/0 away where two columns are orthogonal and of one length.
const TINY: f64 = 1e-150;

/// F − T for the columns of F, T having the singular values clamped to [min, max], and 1 in the lanes where it is
/// accurate, else 0.
#[inline(always)]
pub(crate) fn residual<T: Lanes>(f: &[[T; 3]; 3], min: f64, max: f64) -> ([[T; 3]; 3], T) {
    let one = f[0][0].fill(1.0);
    let zero = one.fill(0.0);
    let mut diagonal = [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])];
    // Opposite to index r: the entry (p, q) of the other two.
    let mut off = [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])];
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        rotate(&mut diagonal, &mut off, &mut v, [0, 1, 2]);
        rotate(&mut diagonal, &mut off, &mut v, [0, 2, 1]);
        rotate(&mut diagonal, &mut off, &mut v, [1, 2, 0]);
    }

    let (mut b, mut values, mut inverses) = (*f, diagonal, diagonal);
    for k in 0..3 {
        b[k] = combine(f, v[k][0], v[k][1], v[k][2]);
        let square = dot(&b[k], &b[k]);
        inverses[k] = square.rsqrt();
        values[k] = square * inverses[k];
    }
    let (low, high) = (values[0].min(values[1]), values[0].max(values[1]));
    let (least, middle, most) = (low.min(values[2]), low.max(high.min(values[2])), high.max(values[2]));

    let det = dot(&f[0], &cross(&f[1], &f[2]));
    let mut residual = [[zero; 3]; 3];
    for k in 0..3 {
        // The smallest value has the sign of det F.
        let sign = least.if_less(values[k], one, one.flip(det));
        let value = values[k].flip(sign);
        let clamped = value.max(one.fill(min)).min(one.fill(max));
        let factor = (value - clamped) * inverses[k].flip(sign);
        for i in 0..3 {
            let scaled = b[k][i] * factor;
            for j in 0..3 {
                residual[j][i] = scaled.mul_add(v[k][j], residual[j][i]);
            }
        }
    }

    let (least_square, most_square) = (least * least, most * most);
    let left = off[1].abs().max(off[2].abs());
    let mut sound = left.if_less(least_square * one.fill(OFF_DIAGONAL), one, zero);
    sound = (most_square * one.fill(LEAST_RATIO)).if_less(least_square, sound, zero);
    sound = most_square.if_less(one.fill(1e60), sound, zero);
    sound = one.fill(1e-60).if_less(most_square, sound, zero);
    let apart = (most * one.fill(LEAST_GAP)).if_less(middle - least, sound, zero);
    (residual, det.if_less(zero, apart, sound))
}

/// Makes entry (p, q) zero by the smaller of the possible rotations; r is the third index.
///
/// tan 2φ = y/x with x = qq − pp, y = 2pq. Then cos 2φ = |x|/√(x²+y²), c² = (1 + cos 2φ)/2 and s = sin 2φ/(2c): two
/// inverse square roots and no division.
#[inline(always)]
fn rotate<T: Lanes>(diagonal: &mut [T; 3], off: &mut [T; 3], v: &mut [[T; 3]; 3], [p, q, r]: [usize; 3]) {
    let x = diagonal[q] - diagonal[p];
    let half = x.fill(0.5);
    let (length, pq) = (x.abs() + x.fill(TINY), off[r]);
    let y = pq + pq;
    let inverse = length.mul_add(length, y * y).rsqrt();
    let cosine_square = (length * inverse).mul_add(half, half);
    let secant = cosine_square.rsqrt();
    let c = cosine_square * secant;
    let s = (pq.flip(x) * inverse) * secant;
    let t = s * secant;
    diagonal[p] = t.neg_mul_add(pq, diagonal[p]);
    diagonal[q] = t.mul_add(pq, diagonal[q]);
    off[r] = x.fill(0.0);
    // Entries (r, p) and (r, q) are stored opposite to q and p.
    (off[q], off[p]) = turn(off[q], off[p], c, s);
    for k in 0..3 {
        (v[p][k], v[q][k]) = turn(v[p][k], v[q][k], c, s);
    }
}

/// (c a − s b, s a + c b).
#[inline(always)]
fn turn<T: Lanes>(a: T, b: T, c: T, s: T) -> (T, T) {
    (s.neg_mul_add(b, c * a), s.mul_add(a, c * b))
}
