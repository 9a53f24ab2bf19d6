//! Small symmetric systems over the stored directions of an accelerated stepper.
//!
//! G = L Lᵀ, direction by direction. Skips directions whose pivot is below `least` × the diagonal: those that earlier
//! directions nearly span, and those along which G is not positive. They get the weight zero. The remaining system is
//! positive definite and not close to singular.

use crate::Real;

/// Largest history of an accelerated stepper; small systems are on the stack.
pub(crate) const MAX_WINDOW: usize = 8;

pub(crate) type Square = [[Real; MAX_WINDOW]; MAX_WINDOW];
pub(crate) type Row = [Real; MAX_WINDOW];

/// A factor of the leading part of a symmetric matrix.
#[derive(Clone, Default)]
pub(crate) struct PivotedCholesky {
    l: Square,
    /// Which directions are used.
    taken: [bool; MAX_WINDOW],
    size: usize,
}

impl PivotedCholesky {
    /// Factors the leading `size` rows of `g`, of which the lower triangle is read. Directions whose pivot is at most
    /// `least` times their diagonal entry are skipped; earlier ones are preferred.
    pub(crate) fn factor(&mut self, size: usize, g: &Square, least: Real) {
        self.size = size.min(MAX_WINDOW);
        self.taken = [false; MAX_WINDOW];
        for i in 0..self.size {
            for j in 0..i {
                let known = (0..j).map(|k| self.l[i][k] * self.l[j][k]).sum::<Real>();
                self.l[i][j] = if self.taken[j] { (g[i][j] - known) / self.l[j][j] } else { 0.0 };
            }
            let pivot = g[i][i] - self.l[i][..i].iter().map(|l| l * l).sum::<Real>();
            // False for NaN.
            self.taken[i] = pivot > least * g[i][i] && g[i][i] > 0.0 && pivot.is_finite();
            self.l[i][i] = if self.taken[i] { pivot.sqrt() } else { 1.0 };
        }
    }

    /// θ with G θ = c over the directions used, zero elsewhere.
    pub(crate) fn solve(&self, c: &Row) -> Row {
        let mut theta = [0.0; MAX_WINDOW];
        let l = &self.l;
        for i in (0..self.size).filter(|&i| self.taken[i]) {
            theta[i] = (c[i] - (0..i).map(|k| l[i][k] * theta[k]).sum::<Real>()) / l[i][i];
        }
        for i in (0..self.size).rev() {
            let known = (i + 1..self.size).map(|k| l[k][i] * theta[k]).sum::<Real>();
            theta[i] = if self.taken[i] { (theta[i] - known) / l[i][i] } else { 0.0 };
        }
        theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leading(rows: [[Real; 3]; 3]) -> Square {
        let mut g = Square::default();
        for (g, row) in g.iter_mut().zip(rows) {
            g[..3].copy_from_slice(&row);
        }
        g
    }

    fn row(values: [Real; 3]) -> Row {
        let mut row = Row::default();
        row[..3].copy_from_slice(&values);
        row
    }

    #[test]
    fn small_systems_are_solved() {
        let rows = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        let expected = [1.0, -2.0, 3.0];
        let c = rows.map(|r| (0..3).map(|j| r[j] * expected[j]).sum());
        let mut small = PivotedCholesky::default();
        small.factor(3, &leading(rows), 1e-9);
        let theta = small.solve(&row(c));
        for (found, expected) in theta.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn dependent_and_indefinite_directions_are_left_out() {
        let mut small = PivotedCholesky::default();
        // The second is twice the first; the third has negative curvature.
        small.factor(3, &leading([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, -1.0]]), 1e-9);
        assert_eq!(small.solve(&row([3.0, 6.0, 1.0])), row([3.0, 0.0, 0.0]));
        small.factor(3, &leading([[Real::NAN; 3]; 3]), 1e-9);
        assert_eq!(small.solve(&row([1.0; 3])), Row::default());
    }
}
