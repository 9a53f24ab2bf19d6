//! Matrices with their singular values brought into a range, several side by side.
//!
//! The eigenvectors V of FᵀF by cyclic Jacobi rotations, a fixed number of them: first in single precision on the
//! deviator FᵀF − tr/3, scaled to size 1, so that small differences of singular values are resolved too; then, V being
//! made orthogonal again, one sweep in double precision, which squares the error. Now F V has orthogonal columns b_i of
//! length |σ_i|, and with other singular values s the change is F − T = Σ_i (1 − s_i/σ_i) b_i v_iᵀ: no left
//! vectors are formed. det F < 0 makes the smallest σ negative. FᵀF squares the condition, so lanes
//! with a small singular value are given up, and inverted ones whose two smallest values nearly tie.

use crate::lanes::{Arithmetic, LARGEST_SQUARE, Lanes, Pair, SMALLEST_SQUARE, combine, cross, dot};

/// Sweeps over the three pairs in single precision. Convergence is quadratic; matrices that need more are given up.
const SWEEPS: usize = 3;

/// Cosines left over between columns that should be orthogonal.
const OFF_DIAGONAL: f64 = 1e-13;

/// Least ratio of the eigenvalues of FᵀF. Rounding errors of FᵀF grow with its inverse.
const LEAST_RATIO: f64 = 1e-5;

/// Least distance of the two smallest singular values of an inverted matrix, relative to the largest: near a tie the
/// nearest point jumps from one to the other.
const LEAST_GAP: f64 = 1e-3;

/// F − T for the columns of two F, T having the singular values clamped to [min, max], and 1 in the lanes where it is
/// accurate, else 0. Two at once, since single precision has twice the lanes and waits for its own results.
#[inline(always)]
pub(crate) fn residual<T: Lanes>(f: &[[[T; 3]; 3]; 2], min: f64, max: f64) -> [([[T; 3]; 3], T); 2] {
    let (first, second) = (scaled_deviator(&f[0]), scaled_deviator(&f[1]));
    let mut diagonal = [Pair(first.0[0], second.0[0]); 3];
    let mut off = [Pair(first.1[0], second.1[0]); 3];
    for k in 1..3 {
        diagonal[k] = Pair(first.0[k], second.0[k]);
        off[k] = Pair(first.1[k], second.1[k]);
    }
    let (one, zero) = (off[0].fill(1.0), off[0].fill(0.0));
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        sweep(&mut diagonal, &mut off, &mut v);
    }
    let mut vectors = [[[T::widen(v[0][0].0); 3]; 3]; 2];
    for k in 0..2 {
        for i in 0..3 {
            vectors[0][k][i] = T::widen(v[k][i].0);
            vectors[1][k][i] = T::widen(v[k][i].1);
        }
    }
    [finish(&f[0], vectors[0], min, max), finish(&f[1], vectors[1], min, max)]
}

/// The residual of F from two approximate eigenvectors of FᵀF.
#[inline(always)]
fn finish<T: Lanes>(f: &[[T; 3]; 3], guess: [[T; 3]; 3], min: f64, max: f64) -> ([[T; 3]; 3], T) {
    let one = f[0][0].fill(1.0);
    let zero = one.fill(0.0);
    let mut v = orthonormal(guess);
    let mut b = [combine(f, v[0][0], v[0][1], v[0][2]); 3];
    for k in 1..3 {
        b[k] = combine(f, v[k][0], v[k][1], v[k][2]);
    }
    let (mut diagonal, mut off) = gram(&b);
    sweep(&mut diagonal, &mut off, &mut v);
    // Equal singular values may need another sweep. Lanes that need none keep their bits, whatever the others do.
    let limit = diagonal[0].min(diagonal[1].min(diagonal[2])) * one.fill(OFF_DIAGONAL);
    let left = off[1].abs().max(off[2].abs());
    if (limit - left).any_not_above(0.0) {
        let mut again = v;
        sweep(&mut diagonal, &mut off, &mut again);
        for k in 0..3 {
            off[k] = left.if_less(limit, zero, off[k]);
            for i in 0..3 {
                v[k][i] = left.if_less(limit, v[k][i], again[k][i]);
            }
        }
    }

    let (mut squares, mut values, mut inverses) = (diagonal, diagonal, diagonal);
    for k in 0..3 {
        b[k] = combine(f, v[k][0], v[k][1], v[k][2]);
        squares[k] = dot(&b[k], &b[k]);
        inverses[k] = squares[k].rsqrt();
        values[k] = squares[k] * inverses[k];
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

    // Each comparison fails for NaN.
    let left = off[1].abs().max(off[2].abs());
    let mut sound = left.if_less(least * middle * one.fill(OFF_DIAGONAL), one, zero);
    let limit = most * most * one.fill(LEAST_RATIO);
    for square in squares {
        sound = limit.if_less(square, sound, zero);
        sound = square.if_less(one.fill(LARGEST_SQUARE), sound, zero);
        sound = one.fill(SMALLEST_SQUARE).if_less(square, sound, zero);
    }
    let apart = (most * one.fill(LEAST_GAP)).if_less(middle - least, sound, zero);
    (residual, det.if_less(zero, apart, sound))
}

/// Diagonal and other entries of FᵀF − tr/3, scaled to size 1.
#[inline(always)]
fn scaled_deviator<T: Lanes>(f: &[[T; 3]; 3]) -> ([T::Single; 3], [T::Single; 3]) {
    let (mut diagonal, mut off) = gram(f);
    let third = diagonal[0].fill(1.0 / 3.0);
    let mean = (diagonal[0] + diagonal[1] + diagonal[2]) * third;
    for k in 0..3 {
        diagonal[k] = diagonal[k] - mean;
    }
    // Not less than rounding errors, which have no direction.
    let least = mean * mean * mean.fill(1e-40);
    let scale = (dot(&diagonal, &diagonal) + dot(&off, &off) + least).rsqrt();
    for k in 0..3 {
        diagonal[k] = diagonal[k] * scale;
        off[k] = off[k] * scale;
    }
    (
        [diagonal[0].narrow(), diagonal[1].narrow(), diagonal[2].narrow()],
        [off[0].narrow(), off[1].narrow(), off[2].narrow()],
    )
}

/// A rotation from its first two columns, which are orthogonal to single precision.
#[inline(always)]
fn orthonormal<T: Lanes>([mut a, mut b, _]: [[T; 3]; 3]) -> [[T; 3]; 3] {
    unit(&mut a);
    let along = dot(&a, &b);
    for i in 0..3 {
        b[i] = along.neg_mul_add(a[i], b[i]);
    }
    unit(&mut b);
    [a, b, cross(&a, &b)]
}

/// Makes a vector of almost unit length a unit vector: 1/√(1 + e) = 1 − e/2 + 3e²/8.
#[inline(always)]
fn unit<T: Lanes>(a: &mut [T; 3]) {
    let e = dot(a, a) - a[0].fill(1.0);
    let factor = e.mul_add(e.fill(0.375), e.fill(-0.5)).mul_add(e, e.fill(1.0));
    for i in 0..3 {
        a[i] = a[i] * factor;
    }
}

/// Diagonal of FᵀF, and its other entries: opposite to index r the entry (p, q) of the other two.
#[inline(always)]
fn gram<T: Lanes>(f: &[[T; 3]; 3]) -> ([T; 3], [T; 3]) {
    (
        [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])],
        [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])],
    )
}

/// One rotation of each pair.
#[inline(always)]
fn sweep<T: Arithmetic>(diagonal: &mut [T; 3], off: &mut [T; 3], v: &mut [[T; 3]; 3]) {
    rotate(diagonal, off, v, [0, 1, 2]);
    rotate(diagonal, off, v, [0, 2, 1]);
    rotate(diagonal, off, v, [1, 2, 0]);
}

/// Makes entry (p, q) zero by the smaller of the possible rotations; r is the third index.
///
/// tan 2φ = y/x with x = qq − pp, y = 2pq. Then cos 2φ = |x|/√(x²+y²), c² = (1 + cos 2φ)/2 and s = sin 2φ/(2c): two
/// inverse square roots and no division.
#[inline(always)]
fn rotate<T: Arithmetic>(
    diagonal: &mut [T; 3],
    off: &mut [T; 3],
    v: &mut [[T; 3]; 3],
    [p, q, r]: [usize; 3],
) {
    let x = diagonal[q] - diagonal[p];
    let half = x.fill(0.5);
    // Kept from zero, where two columns are orthogonal and of one length.
    let length = x.abs() + x.fill(T::TINY);
    let pq = off[r].without_tiny();
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
fn turn<T: Arithmetic>(a: T, b: T, c: T, s: T) -> (T, T) {
    (s.neg_mul_add(b, c * a), s.mul_add(a, c * b))
}
