//! The strain of triangles, several side by side.
//!
//! With C = FᵀF (2×2) and its eigenvalues λ₁ ≥ λ₂, σ = √λ, the matrix nearest to F with the singular values s is
//! T = F g(C), g(λ) = s/√λ: no vectors are needed, since a function of a 2×2 matrix is the line through its two values,
//! F − T = F (h₁ + (h₁ − h₂)/(λ₁ − λ₂) (C − λ₁)),   h = 1 − s/σ.
//! The quotient is not ill-conditioned where λ₁ = λ₂: C − λ₁ is as small as its denominator. λ₂ = |a × b|²/λ₁ keeps its
//! digits for thin triangles.

use crate::lanes::{
    Arithmetic, BLOCK, Instructions, Kernel, LARGEST_SQUARE, Lanes, Level, SMALLEST_SQUARE, cross, dot,
};
use pd_core::Real;

/// Least λ₂/λ₁; thinner triangles are done the plain way.
const LEAST_RATIO: Real = 1e-4;

/// Keeps 0/0 away where both eigenvalues are equal.
const TINY: Real = 1e-150;

/// A block of 3×2 deformation gradients, lanes side by side.
pub(crate) struct Block {
    /// The two present edges: component c of edge k is `[3 k + c]`.
    pub(crate) edges: [[Real; BLOCK]; 6],
    /// D_m⁻¹: the entries (0,0), (0,1), (1,1); (1,0) is zero.
    pub(crate) inverse: [[Real; BLOCK]; 3],
    /// Out: F, column after column.
    pub(crate) f: [[Real; BLOCK]; 6],
    /// Out: F − T, column after column.
    pub(crate) r: [[Real; BLOCK]; 6],
    /// Out: 1 where r is accurate, else 0.
    pub(crate) sound: [Real; BLOCK],
}

impl Block {
    /// A block whose unused lanes are harmless.
    pub(crate) fn new() -> Self {
        let (zeros, ones) = ([0.0; BLOCK], [1.0; BLOCK]);
        Self {
            edges: [ones, zeros, zeros, zeros, ones, zeros],
            inverse: [ones, zeros, ones],
            f: [zeros; 6],
            r: [zeros; 6],
            sound: ones,
        }
    }

    /// F and F − T with the larger singular value in `[min[0], max[0]]` and the smaller in `[min[1], max[1]]`. Whether
    /// some lane is not sound.
    pub(crate) fn residual(&mut self, level: Level, min: [Real; 2], max: [Real; 2]) -> bool {
        let mut any = false;
        level.run(Work { block: self, min, max, any: &mut any });
        any
    }
}

struct Work<'a> {
    block: &'a mut Block,
    min: [Real; 2],
    max: [Real; 2],
    any: &'a mut bool,
}

impl Kernel for Work<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { block, min, max, any } = self;
        let mut at = 0;
        while at < BLOCK {
            let mut edges = [[instructions.load(&block.edges[0][at..]); 3]; 2];
            for entry in 1..6 {
                edges[entry / 3][entry % 3] = instructions.load(&block.edges[entry][at..]);
            }
            let i00 = instructions.load(&block.inverse[0][at..]);
            let i01 = instructions.load(&block.inverse[1][at..]);
            let i11 = instructions.load(&block.inverse[2][at..]);
            let mut f = edges;
            for c in 0..3 {
                f[0][c] = edges[0][c] * i00;
                f[1][c] = edges[1][c].mul_add(i11, edges[0][c] * i01);
            }
            let (r, sound) = residual(&f, min, max);
            *any |= sound.any_not_above(0.0);
            for entry in 0..6 {
                f[entry / 3][entry % 3].store(&mut block.f[entry][at..]);
                r[entry / 3][entry % 3].store(&mut block.r[entry][at..]);
            }
            sound.store(&mut block.sound[at..]);
            at += I::Lanes::COUNT;
        }
    }
}

/// F − T for the columns of F, and 1 in the lanes where it is accurate, else 0.
#[inline(always)]
fn residual<T: Lanes>(f: &[[T; 3]; 2], min: [Real; 2], max: [Real; 2]) -> ([[T; 3]; 2], T) {
    let one = f[0][0].fill(1.0);
    let (zero, half) = (one.fill(0.0), one.fill(0.5));
    let (g00, g11, g01) = (dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[0], &f[1]));
    let normal = cross(&f[0], &f[1]);
    let (mean, half_difference) = ((g00 + g11) * half, (g00 - g11) * half);
    let square = half_difference.mul_add(half_difference, g01 * g01) + one.fill(TINY);
    let gap = square * square.rsqrt();
    let first = mean + gap;
    let second = dot(&normal, &normal) * first.recip();
    let inverse = [first.rsqrt(), second.rsqrt()];
    let mut h = inverse;
    for k in 0..2 {
        let value = if k == 0 { first * inverse[0] } else { second * inverse[1] };
        let clamped = value.max(one.fill(min[k])).min(one.fill(max[k]));
        h[k] = (value - clamped) * inverse[k];
    }
    let slope = (h[0] - h[1]) * (gap + gap).recip();
    let diagonal = [slope.mul_add(g00 - first, h[0]), slope.mul_add(g11 - first, h[0])];
    let other = slope * g01;
    let mut r = *f;
    for c in 0..3 {
        r[0][c] = f[0][c].mul_add(diagonal[0], f[1][c] * other);
        r[1][c] = f[1][c].mul_add(diagonal[1], f[0][c] * other);
    }
    let mut sound = (first * one.fill(LEAST_RATIO)).if_less(second, one, zero);
    sound = first.if_less(one.fill(LARGEST_SQUARE), sound, zero);
    sound = one.fill(SMALLEST_SQUARE).if_less(second, sound, zero);
    (r, sound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svd3::svd32;
    use pd_core::Vec3;
    use proptest::prelude::*;

    /// Columns of U diag(s) Vᵀ with s of all kinds: ordinary, equal, nearly equal, thin, of no area, tiny, huge.
    fn matrix() -> impl Strategy<Value = [Vec3; 2]> {
        let axis = [-3.1..3.1, -3.1..3.1, -3.1..3.1];
        (axis, 0.0..6.3, 0.01..2.0, 0.0..2.0, 0..6, -200..200i32).prop_map(
            |(axis, angle, a, b, kind, exponent)| {
                let turn = nalgebra::Rotation3::new(Vec3::from(axis));
                let s: [Real; 2] = match kind {
                    0 => [a, a],
                    1 => [a, a * (1.0 + 1e-9 * b)],
                    2 => [a, 1e-3 * b],
                    3 => [a, 0.0],
                    4 => [a * 10.0_f64.powi(exponent), b * 10.0_f64.powi(exponent)],
                    _ => [a, b],
                };
                let (sin, cos) = Real::sin_cos(angle);
                [
                    turn * Vec3::new(s[0] * cos, s[1] * sin, 0.0),
                    turn * Vec3::new(-s[0] * sin, s[1] * cos, 0.0),
                ]
            },
        )
    }

    proptest! {
        #[test]
        fn lanes_agree_with_the_plain_way(
            f in proptest::collection::vec(matrix(), BLOCK), low in 0.5..1.0, high in 1.0..1.5, rigid in any::<bool>()
        ) {
            let (min, max) = if rigid { ([1.0; 2], [1.0; 2]) } else { ([low; 2], [high + 0.1, high]) };
            for level in Level::all() {
                let mut block = Block::new();
                for (lane, f) in f.iter().enumerate() {
                    for entry in 0..6 {
                        block.edges[entry][lane] = f[entry / 3][entry % 3];
                    }
                }
                block.residual(level, min, max);
                for (lane, f) in f.iter().enumerate().filter(|&(lane, _)| block.sound[lane] == 1.0) {
                    let svd = svd32(f);
                    let clamp = |k: usize| svd.sigma[k].max(min[k]).min(max[k]);
                    // Ranges that differ by axis pull equal values apart: any direction is as near as another.
                    if !rigid && svd.sigma[0] - svd.sigma[1] < 1e-3 * svd.sigma[0] && svd.sigma[0] > high {
                        continue;
                    }
                    let nearest = svd.with([clamp(0), clamp(1)]);
                    let size = f[0].amax().max(f[1].amax()).max(1.0);
                    for entry in 0..6 {
                        let plain = f[entry / 3][entry % 3] - nearest[entry / 3][entry % 3];
                        prop_assert!((block.r[entry][lane] - plain).abs() < 1e-12 * size, "{level:?} {f:?} {plain}");
                    }
                }
            }
        }
    }

    /// Ordinary elements must not need the slow way.
    #[test]
    fn ordinary_elements_are_done_in_lanes() {
        for s in [[1.0, 1.0], [1.2, 0.8], [3.0, 0.1], [1.0, 1.0 + 1e-15]] {
            let mut block = Block::new();
            block.edges =
                [[s[0]; BLOCK], [0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK], [s[1]; BLOCK], [0.0; BLOCK]];
            assert!(!block.residual(Level::Portable, [0.9; 2], [1.1; 2]), "{s:?}");
        }
    }
}
