//! B-splines that carry particles to nodes and back.
//!
//! The weight of a node at x_i for a particle at x is the tensor product w = Π_a N((x_a − x_ia)/Δx) of
//!
//! - quadratic: N(r) = 3/4 − r² for r < 1/2, ½ (3/2 − r)² for r < 3/2; three nodes an axis, D = Δx²/4 I;
//! - cubic: N(r) = ½ r³ − r² + 2/3 for r < 1, (2 − r)³/6 for r < 2; four nodes an axis, D = Δx²/3 I;
//!
//! with D = Σ w (x_i − x)(x_i − x)ᵀ, the second moment, the same wherever the particle is (Jiang et al. 2015). Weights
//! sum to one and have no first moment: Σ w (x_i − x) = 0.

use pd_core::Real;

/// Which B-spline a model uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spline {
    /// Three nodes an axis. The usual choice.
    #[default]
    Quadratic,
    /// Four nodes an axis: smoother forces, 2.4 times the nodes.
    Cubic,
}

/// One B-spline along one axis. `f` is the distance of a particle from its first node, in cells.
pub(crate) trait Kernel: Copy + Send + Sync + 'static {
    /// Nodes an axis that a particle reaches.
    const NODES: usize;
    /// Nodes an axis that the particles of a block of four cells reach.
    const TILE: usize = Self::NODES + 3;
    /// The first node of a particle at s cells is ⌊s − SHIFT⌋, so f is in SHIFT .. SHIFT + 1.
    const SHIFT: Real;
    /// D⁻¹ in units of Δx⁻².
    const INVERSE_MOMENT: Real;
    /// N of the nodes in order; what lies beyond [`NODES`](Self::NODES) is zero.
    fn weights(f: Real) -> [Real; 4];
    /// dN/ds of the nodes in order, per cell.
    fn slopes(f: Real) -> [Real; 4];
}

#[derive(Clone, Copy)]
pub(crate) struct Quadratic;

impl Kernel for Quadratic {
    const NODES: usize = 3;
    const SHIFT: Real = 0.5;
    const INVERSE_MOMENT: Real = 4.0;
    #[inline(always)]
    fn weights(f: Real) -> [Real; 4] {
        let (a, b, c) = (1.5 - f, f - 1.0, f - 0.5);
        [0.5 * a * a, 0.75 - b * b, 0.5 * c * c, 0.0]
    }
    #[inline(always)]
    fn slopes(f: Real) -> [Real; 4] {
        [f - 1.5, 2.0 - 2.0 * f, f - 0.5, 0.0]
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Cubic;

impl Kernel for Cubic {
    const NODES: usize = 4;
    const SHIFT: Real = 1.0;
    const INVERSE_MOMENT: Real = 3.0;
    #[inline(always)]
    fn weights(f: Real) -> [Real; 4] {
        let (a, b) = (2.0 - f, f - 1.0);
        let near = |r: Real| (0.5 * r - 1.0) * r * r + 2.0 / 3.0;
        [a * a * a / 6.0, near(b), near(a), b * b * b / 6.0]
    }
    #[inline(always)]
    fn slopes(f: Real) -> [Real; 4] {
        let (a, b) = (2.0 - f, f - 1.0);
        let near = |r: Real| (1.5 * r - 2.0) * r;
        [-0.5 * a * a, near(b), -near(a), 0.5 * b * b]
    }
}

/// Fraction of the integral of a node's spline that lies inside of a wall through a node plane, `distance` cells into
/// the domain (negative: beyond the wall). By it the density near a wall is made whole.
pub(crate) fn inside_fraction(spline: Spline, distance: Real) -> Real {
    // ∫_{−∞}^{d} N, by symmetry from the tail beyond |d|.
    let d = distance.abs();
    let tail = match spline {
        Spline::Quadratic if d >= 1.5 => 0.0,
        Spline::Quadratic if d >= 0.5 => (1.5 - d).powi(3) / 6.0,
        Spline::Quadratic => 0.5 - 0.75 * d + d * d * d / 3.0,
        Spline::Cubic if d >= 2.0 => 0.0,
        Spline::Cubic if d >= 1.0 => (2.0 - d).powi(4) / 24.0,
        Spline::Cubic => 0.5 - d * (2.0 / 3.0) + d * d * d / 3.0 - d.powi(4) / 8.0,
    };
    if distance >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moments<K: Kernel>(fraction: Real) {
        let f = K::SHIFT + fraction;
        let (w, g) = (K::weights(f), K::slopes(f));
        let sum = |weight: &[Real; 4], power: i32| {
            (0..4).map(|k| weight[k] * (k as Real - f).powi(power)).sum::<Real>()
        };
        assert!((sum(&w, 0) - 1.0).abs() < 4e-16);
        assert!(sum(&w, 1).abs() < 4e-16);
        assert!((sum(&w, 2) * K::INVERSE_MOMENT - 1.0).abs() < 2e-15);
        assert!(w.iter().all(|w| *w >= 0.0) && w[K::NODES..].iter().all(|w| *w == 0.0));
        // Derivatives of the three: 0, 1 (of the particle's place), 0.
        assert!(sum(&g, 0).abs() < 1e-15 && (sum(&g, 1) - 1.0).abs() < 1e-15);
        let e = 1e-6;
        let (more, less) = (K::weights(f + e), K::weights(f - e));
        if fraction > e && fraction < 1.0 - e {
            for k in 0..4 {
                assert!(((more[k] - less[k]) / (2.0 * e) - g[k]).abs() < 1e-9);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn weights_sum_to_one_without_first_moment(fraction in 0.0..1.0f64) {
            moments::<Quadratic>(fraction);
            moments::<Cubic>(fraction);
        }
    }

    #[test]
    fn ends_of_the_cell_count_as_well() {
        for fraction in [0.0, 0.5, 1.0 - Real::EPSILON] {
            moments::<Quadratic>(fraction);
            moments::<Cubic>(fraction);
        }
    }

    #[test]
    fn fractions_are_integrals_of_the_spline() {
        let quadratic = |r: Real| match r.abs() {
            r if r < 0.5 => 0.75 - r * r,
            r if r < 1.5 => 0.5 * (1.5 - r) * (1.5 - r),
            _ => 0.0,
        };
        let cubic = |r: Real| match r.abs() {
            r if r < 1.0 => 0.5 * r * r * r - r * r + 2.0 / 3.0,
            r if r < 2.0 => (2.0 - r).powi(3) / 6.0,
            _ => 0.0,
        };
        let n = 20_000;
        for d in [-3.0, -1.7, -1.0, -0.3, 0.0, 0.2, 0.5, 1.0, 1.4, 2.5] {
            let integral = |spline: &dyn Fn(Real) -> Real| {
                (0..n).map(|k| spline(-3.0 + (k as Real + 0.5) * (d + 3.0) / n as Real)).sum::<Real>()
                    * ((d + 3.0) / n as Real)
            };
            assert!((inside_fraction(Spline::Quadratic, d) - integral(&quadratic)).abs() < 1e-7, "{d}");
            assert!((inside_fraction(Spline::Cubic, d) - integral(&cubic)).abs() < 1e-7, "{d}");
        }
    }
}
