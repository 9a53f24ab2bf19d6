//! L-BFGS in block form with the constant matrix of projective dynamics as the initial Hessian.
//!
//! The last differences of iterates and gradients are the columns of S and Y. On their span the model of the Hessian is
//! G = ½(SᵀY + YᵀS), elsewhere A/γ; the direction from b = −∇objective is
//!
//! c = G⁻¹Sᵀb,  z = A⁻¹(b − Y c),  d = S c + γ (z − S G⁻¹Yᵀz):
//!
//! a Newton step within the span, and a step of projective dynamics for the remainder, kept conjugate to the span. With
//! one pair this is BFGS; with more, all secant equations hold at once, whereas the two-loop recursion satisfies only the newest
//! exactly. On a quadratic objective the iterates are those of conjugate gradients, delayed by one step. With no pairs the
//! direction is that of projective dynamics.
//! Schnabel 1983, "Quasi-Newton methods using multiple secant equations"; Liu, Bouaziz, Kavan 2017, "Quasi-Newton Methods
//! for Real-Time Simulation of Hyperelastic Materials".
//!
//! A is an upper bound of the Hessian, so A⁻¹ alone makes steps too short: γ ≥ 1. Because the parts of d are conjugate, the
//! slopes at the two ends of a step give the curvature along the second part, and hence the optimal γ of this step, which is used
//! for the next one. It is increased slightly: steps that are too short converge slowly, and steps that are too long are
//! corrected by their secant pair.

use crate::exec::{self, VERTEX_CHUNK};
use crate::pair_history::PairHistory;
use crate::pivoted_cholesky::{MAX_WINDOW, PivotedCholesky, Row, Square};
use crate::{Real, Vec3};

/// Ratio of the next γ to the optimal γ of the last step.
const BEYOND: Real = 1.2;
/// Largest γ.
const MAX_SCALE: Real = 6.0;
/// Least fraction of a direction's curvature that must remain after projecting out earlier ones.
const INDEPENDENT: Real = 1e-3;

/// The last pairs of differences of iterates and gradients, at most eight, and the directions that follow from them.
pub struct Lbfgs {
    /// s and y.
    pairs: PairHistory,
    /// sᵢ·yⱼ by slots.
    products: Square,
    /// G with the newest pair first.
    model: PivotedCholesky,
    /// c, newest first.
    newton: Row,
    /// b·Sc, which is also the curvature along it.
    newton_descent: Real,
    /// γ.
    scale: Real,
}

impl Lbfgs {
    /// Room for `window` pairs, 1 to 8, of this many vertices.
    pub fn new(window: usize, vertices: usize) -> Self {
        Self {
            pairs: PairHistory::new(window.min(MAX_WINDOW), vertices),
            products: Square::default(),
            model: PivotedCholesky::default(),
            newton: Row::default(),
            newton_descent: 0.0,
            scale: 1.0,
        }
    }

    /// Whether no pair is stored.
    pub fn is_empty(&self) -> bool {
        self.pairs.len() == 0
    }

    /// Clears the history at the start of a step.
    pub fn reset(&mut self) {
        self.pairs.clear();
        self.scale = 1.0;
    }

    /// In: b = −∇. Out: b − Y c, the right-hand side of the solve.
    pub fn reduce(&mut self, b: &mut [Vec3]) {
        let held = self.pairs.len();
        let (mut g, mut descents) = (Square::default(), Row::default());
        for i in 0..held {
            let slot = self.pairs.slot(i);
            for (j, g) in g[i][..=i].iter_mut().enumerate() {
                let other = self.pairs.slot(j);
                *g = 0.5 * (self.products[slot][other] + self.products[other][slot]);
            }
        }
        self.dots(b, &mut descents, |pair| pair.0);
        self.model.factor(held, &g, INDEPENDENT);
        self.newton = self.model.solve(&descents);
        self.newton_descent = (0..held).map(|i| self.newton[i] * descents[i]).sum();
        let weights = self.newton.map(|c| -c);
        self.combine(b, 1.0, &weights, |pair| pair.1);
    }

    /// γ, the scale of a step of projective dynamics outside the span.
    pub fn scale(&self) -> Real {
        self.scale
    }

    /// In: z = A⁻¹(b − Y c), or with another matrix in place of A. Out: the direction with `scale` as γ.
    pub fn direct(&self, z: &mut [Vec3], scale: Real) {
        let held = self.pairs.len();
        let mut overlaps = Row::default();
        self.dots(z, &mut overlaps, |pair| pair.1);
        let along = self.model.solve(&overlaps);
        let mut weights = Row::default();
        for i in 0..held {
            weights[i] = self.newton[i] - scale * along[i];
        }
        self.combine(z, scale, &weights, |pair| pair.0);
    }

    /// Updates γ from a step of `length` directions, −slope being `descent` before it and `rest` after it.
    pub fn rescale(&mut self, length: Real, descent: Real, rest: Real) {
        let (ours, curvature) =
            (descent - self.newton_descent, (descent - rest) / length - self.newton_descent);
        let best = self.scale * ours / curvature;
        if ours > 0.0 && curvature > 0.0 && best.is_finite() {
            self.scale = (BEYOND * best).clamp(1.0, MAX_SCALE);
        }
    }

    /// Stores the secant pair of two iterates and their negative gradients, unless its curvature is not positive.
    pub fn remember(&mut self, from: (&[Vec3], &[Vec3]), to: (&[Vec3], &[Vec3])) {
        // Summed before the oldest pair is overwritten.
        let leaf = |range: std::ops::Range<usize>| {
            range.fold((0.0, 0.0, 0.0), |(curvature, steps, changes), i| {
                let (s, y) = (to.0[i] - from.0[i], from.1[i] - to.1[i]); // b is minus the gradient
                (curvature + s.dot(&y), steps + s.dot(&s), changes + y.dot(&y))
            })
        };
        let add = |a: (Real, Real, Real), b: (Real, Real, Real)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        let (curvature, steps, changes) = exec::reduce(0..to.0.len(), VERTEX_CHUNK, &leaf, &add);
        if curvature > 1e-10 * steps.sqrt() * changes.sqrt() && curvature.is_finite() {
            let (s, y) = self.pairs.next_slot();
            exec::for_each_chunk(s, VERTEX_CHUNK, |first, s| {
                for (k, s) in s.iter_mut().enumerate() {
                    *s = to.0[first + k] - from.0[first + k];
                }
            });
            exec::for_each_chunk(y, VERTEX_CHUNK, |first, y| {
                for (k, y) in y.iter_mut().enumerate() {
                    *y = from.1[first + k] - to.1[first + k];
                }
            });
            let slot = self.pairs.keep();
            let (s, y) = self.pairs.pair(slot);
            let (mut with_changes, mut with_steps) = (Row::default(), Row::default());
            self.dots(s, &mut with_changes, |pair| pair.1);
            self.dots(y, &mut with_steps, |pair| pair.0);
            for age in 0..self.pairs.len() {
                let other = self.pairs.slot(age);
                self.products[slot][other] = with_changes[age];
                self.products[other][slot] = with_steps[age];
            }
        }
    }
}

/// A pair of steps and changes.
type Held<'a> = (&'a [Vec3], &'a [Vec3]);

impl Lbfgs {
    /// Products of a vector with one half of all pairs, newest first, in one pass.
    fn dots<'a>(&'a self, b: &[Vec3], out: &mut Row, half: impl Fn(Held<'a>) -> &'a [Vec3] + Sync) {
        let held = self.pairs.len();
        let of = |age: usize| half(self.pairs.pair(self.pairs.slot(age)));
        let leaf = |range: std::ops::Range<usize>| {
            let mut sums = Row::default();
            for (age, sum) in sums[..held].iter_mut().enumerate() {
                let other = of(age);
                *sum = range.clone().map(|i| other[i].dot(&b[i])).sum::<Real>();
            }
            sums
        };
        let add = |a: Row, b: Row| std::array::from_fn(|i| a[i] + b[i]);
        *out = exec::reduce(0..b.len(), VERTEX_CHUNK, &leaf, &add);
    }

    /// b ← scale · b + Σ weight · half of the pair, newest first, in one pass.
    fn combine<'a>(
        &'a self,
        b: &mut [Vec3],
        scale: Real,
        weights: &Row,
        half: impl Fn(Held<'a>) -> &'a [Vec3] + Sync,
    ) {
        let held = self.pairs.len();
        let of = |age: usize| half(self.pairs.pair(self.pairs.slot(age)));
        exec::for_each_chunk(b, VERTEX_CHUNK, |first, b| {
            b.iter_mut().for_each(|b| *b *= scale);
            for (age, &weight) in weights[..held].iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                for (b, other) in b.iter_mut().zip(&of(age)[first..]) {
                    *b += other * weight;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anderson::dot;

    /// A quadratic objective ½ xᵀHx − fᵀx of three vertices with A = I ≥ H; one number of each vertex is used.
    const H: [[Real; 3]; 3] = [[0.9, 0.1, 0.0], [0.1, 0.5, -0.1], [0.0, -0.1, 0.2]];
    const F: [Real; 3] = [1.0, -2.0, 0.5];

    fn downhill(x: &[Vec3]) -> Vec<Vec3> {
        (0..3).map(|i| Vec3::x() * (F[i] - (0..3).map(|j| H[i][j] * x[j].x).sum::<Real>())).collect()
    }

    /// x after so many steps from zero.
    fn run(steps: usize) -> Vec<Vec3> {
        let mut memory = Lbfgs::new(5, 3);
        let mut x = vec![Vec3::zeros(); 3];
        for _ in 0..steps {
            let b = downhill(&x);
            let mut direction = b.clone();
            memory.reduce(&mut direction);
            memory.direct(&mut direction, memory.scale());
            let next: Vec<Vec3> = x.iter().zip(&direction).map(|(x, d)| x + d).collect();
            let after = downhill(&next);
            memory.rescale(1.0, dot(&b, &direction), dot(&after, &direction));
            memory.remember((&x, &b), (&next, &after));
            x = next;
        }
        x
    }

    #[test]
    fn a_quadratic_of_three_dimensions_is_minimised_one_step_late() {
        let left = |steps| dot(&downhill(&run(steps)), &downhill(&run(steps))).sqrt();
        assert!(left(3) > 1e-3, "not by luck: {}", left(3));
        assert!(left(4) < 1e-12, "{}", left(4));
    }

    #[test]
    fn two_first_hessians_share_one_memory() {
        // Steps with A = I and with the diagonal of H in turn, each conjugate to those before: still one step late.
        let mut memory = Lbfgs::new(5, 3);
        let mut x = vec![Vec3::zeros(); 3];
        let mut left = vec![];
        for step in 0..4 {
            let b = downhill(&x);
            let mut direction = b.clone();
            memory.reduce(&mut direction);
            if step % 2 == 0 {
                (0..3).for_each(|i| direction[i] /= H[i][i]);
            }
            memory.direct(&mut direction, if step % 2 == 0 { 0.7 } else { 1.3 });
            let next: Vec<Vec3> = x.iter().zip(&direction).map(|(x, d)| x + d).collect();
            memory.remember((&x, &b), (&next, &downhill(&next)));
            x = next;
            left.push(dot(&downhill(&x), &downhill(&x)).sqrt());
        }
        assert!(left[2] > 1e-3, "not by luck: {left:?}");
        assert!(left[3] < 1e-12, "{left:?}");
    }

    #[test]
    fn directions_meet_all_secant_equations() {
        // Along each stored step the model is the Hessian itself, so the inverse maps y to s.
        let mut memory = Lbfgs::new(5, 3);
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.2, -1.0, 0.3]]
            .map(|p| p.map(|value: Real| Vec3::x() * value).to_vec());
        for pair in points.windows(2) {
            memory.remember((&pair[0], &downhill(&pair[0])), (&pair[1], &downhill(&pair[1])));
        }
        for pair in points.windows(2) {
            let (before, after) = (downhill(&pair[0]), downhill(&pair[1]));
            let mut direction: Vec<Vec3> = before.iter().zip(&after).map(|(b, a)| b - a).collect();
            memory.reduce(&mut direction);
            memory.direct(&mut direction, memory.scale());
            for i in 0..3 {
                assert!((direction[i] - (pair[1][i] - pair[0][i])).norm() < 1e-12, "{i}");
            }
        }
    }

    #[test]
    fn the_scale_is_the_best_length_of_the_part_beside_the_span() {
        let mut memory = Lbfgs::new(5, 3);
        let b = downhill(&[Vec3::zeros(); 3]);
        memory.reduce(&mut b.clone());
        // Along b alone: best length b·b / b·Hb.
        let after = downhill(&b);
        memory.rescale(1.0, dot(&b, &b), dot(&after, &b));
        let curvature = dot(&b, &b) - dot(&after, &b);
        assert!((memory.scale - BEYOND * dot(&b, &b) / curvature).abs() < 1e-12);
        memory.rescale(1.0, 1.0, 2.0);
        assert!(memory.scale >= 1.0, "a slope that grows says nothing");
    }
}
