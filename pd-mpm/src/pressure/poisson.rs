//! The pressure equation on cells and its solution: conjugate gradients with a multigrid V-cycle as preconditioner.
//!
//! (A + Σ_b K_b M_b⁻¹ K_bᵀ) P = r. A couples cells through the open part of their faces, (A P)_c = Σ_f a_f (P_c − P_n) +
//! e_c P_c, with e_c from faces to air, where P = 0. K_b has six numbers a cell beside body b: the volume rates that its six
//! velocities drive into it (Batty, Bertails, Bridson 2007). The V-cycle is for A alone; six directions a body more or less
//! cost a few iterations (McAdams, Sifakis, Teran 2010).
//!
//! Damped Jacobi before and after, equally often, keeps the cycle symmetric; coarse levels are those of `level`.

use super::level::Level;
use nalgebra::{Matrix6, Vector6};
use pd_core::{Real, exec};

/// Jacobi sweeps before and after.
const SWEEPS: usize = 2;
/// Sweeps on the coarsest level.
const COARSEST: usize = 24;

/// What one body does to the cells beside it.
#[derive(Default)]
pub(crate) struct BodyRows {
    pub(crate) cells: Vec<u32>,
    /// Volume rate into the cell by the body's six velocities, m² and m³.
    pub(crate) rates: Vec<Vector6<Real>>,
    /// Inverse of mass and inertia.
    pub(crate) inverse_mass: Matrix6<Real>,
}

impl BodyRows {
    /// Kᵀ P: impulse and angular impulse of these pressures.
    pub(crate) fn impulse(&self, p: &[Real]) -> Vector6<Real> {
        self.cells.iter().zip(&self.rates).fold(Vector6::zeros(), |sum, (c, k)| sum + k * p[*c as usize])
    }

    /// out += K V.
    pub(crate) fn add_rates(&self, v: &Vector6<Real>, out: &mut [Real]) {
        for (c, k) in self.cells.iter().zip(&self.rates) {
            out[*c as usize] += k.dot(v);
        }
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub(crate) iterations: usize,
    /// Largest entry of the residual.
    pub(crate) residual: Real,
}

/// All levels, finest first, and the vectors of the iteration.
#[derive(Default)]
pub(crate) struct Multigrid {
    levels: Vec<Level>,
    r: Vec<Real>,
    z: Vec<Real>,
    d: Vec<Real>,
    q: Vec<Real>,
}

impl Multigrid {
    /// The finest level, to be filled and then [`prepare`](Self::prepare)d.
    pub(crate) fn finest(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        &mut self.levels[0]
    }

    /// Makes the coarser levels.
    pub(crate) fn prepare(&mut self) {
        self.finest().finish();
        let mut k = 0;
        while self.levels[k].n.iter().any(|n| *n > 3) {
            if self.levels.len() == k + 1 {
                self.levels.push(Level::default());
            }
            let (fine, coarse) = self.levels.split_at_mut(k + 1);
            fine[k].coarsen(&mut coarse[0]);
            k += 1;
        }
        self.levels.truncate(k + 1);
    }

    /// One V-cycle for the right-hand side in the first level's `b`; the answer is in its `x`.
    fn cycle(levels: &mut [Level]) {
        let Some((fine, rest)) = levels.split_first_mut() else { return };
        let (mut x, mut r) = (std::mem::take(&mut fine.x), std::mem::take(&mut fine.r));
        x.fill(0.0);
        if rest.is_empty() {
            fine.smooth(&fine.b, &mut x, &mut r, COARSEST);
        } else {
            fine.smooth(&fine.b, &mut x, &mut r, SWEEPS);
            let level = &*fine;
            level.each(&x, &mut r, |c, around| {
                if level.diagonal[c] > 0.0 { level.b[c] - level.diagonal[c] * x[c] + around } else { 0.0 }
            });
            let (n, m) = (fine.n, rest[0].n);
            let big = |c: usize| {
                let (i, j, k) = (c / (n[1] * n[2]), c / n[2] % n[1], c % n[2]);
                (i / 2 * m[1] + j / 2) * m[2] + k / 2
            };
            rest[0].b.fill(0.0);
            for (c, r) in r.iter().enumerate() {
                rest[0].b[big(c)] += r;
            }
            Self::cycle(rest);
            let coarse = &rest[0].x;
            for (c, x) in x.iter_mut().enumerate().filter(|(c, _)| level.diagonal[*c] > 0.0) {
                *x += coarse[big(c)];
            }
            fine.smooth(&fine.b, &mut x, &mut r, SWEEPS);
        }
        (fine.x, fine.r) = (x, r);
    }

    /// out = (A + Σ K M⁻¹ Kᵀ) x.
    fn apply(finest: &Level, bodies: &[BodyRows], x: &[Real], out: &mut [Real]) {
        finest.apply(x, out);
        for body in bodies {
            body.add_rates(&(body.inverse_mass * body.impulse(x)), out);
        }
    }

    /// Solves from the guess in `p` until no entry of the residual is above `tolerance`.
    pub(crate) fn solve(
        &mut self,
        bodies: &[BodyRows],
        right: &[Real],
        p: &mut [Real],
        tolerance: Real,
        most: usize,
    ) -> Solved {
        let Self { levels, r, z, d, q } = self;
        let cells = right.len();
        for data in [&mut *r, &mut *z, &mut *d, &mut *q] {
            data.resize(cells, 0.0);
        }
        for (p, a) in p.iter_mut().zip(&levels[0].diagonal) {
            *p = if *a > 0.0 { *p } else { 0.0 };
        }
        Self::apply(&levels[0], bodies, p, q);
        for c in 0..cells {
            r[c] = if levels[0].diagonal[c] > 0.0 { right[c] - q[c] } else { 0.0 };
        }
        let largest = |r: &[Real]| {
            exec::reduce(0..cells, 4096, &|k| r[k].iter().fold(0.0, |m: Real, r| m.max(r.abs())), &Real::max)
        };
        let dot = |a: &[Real], b: &[Real]| {
            exec::reduce(
                0..cells,
                4096,
                &|k| a[k.clone()].iter().zip(&b[k]).map(|(a, b)| a * b).sum::<Real>(),
                &|a, b| a + b,
            )
        };
        let mut residual = largest(r);
        let (mut old, mut iterations) = (0.0, 0);
        while residual > tolerance && iterations < most {
            levels[0].b.copy_from_slice(r);
            Self::cycle(levels);
            z.copy_from_slice(&levels[0].x);
            let new = dot(r, z);
            let beta = if iterations == 0 || old == 0.0 { 0.0 } else { new / old };
            for (d, z) in d.iter_mut().zip(&*z) {
                *d = z + beta * *d;
            }
            Self::apply(&levels[0], bodies, d, q);
            let curvature = dot(d, q);
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let alpha = new / curvature;
            for c in 0..cells {
                p[c] += alpha * d[c];
                r[c] -= alpha * q[c];
                if levels[0].diagonal[c] == 0.0 {
                    r[c] = 0.0; // bodies drive volume into cells that have no pressure, too
                }
            }
            old = new;
            residual = largest(r);
            iterations += 1;
        }
        Solved { iterations, residual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    /// Random couplings, some closed, some cells without any.
    fn random(seed: u64, n: [usize; 3], grid: &mut Multigrid) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as Real / (1u64 << 24) as Real
        };
        let level = grid.finest();
        level.reset(n);
        for i in 0..n[0] {
            for j in 0..n[1] {
                for k in 0..n[2] {
                    let c = (i * n[1] + j) * n[2] + k;
                    for (a, at) in [i, j, k].into_iter().enumerate() {
                        let open = next();
                        level.to_next[a][c] = if at + 1 < n[a] && open > 0.2 { open } else { 0.0 };
                    }
                    level.air[c] = if j + 1 == n[1] { 1.0 + next() } else { 0.0 };
                }
            }
        }
        grid.prepare();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn solutions_are_those_of_a_dense_solve(seed in 0u64..1000, body in any::<bool>()) {
            let n = [5, 6, 4];
            let cells = 120;
            let mut grid = Multigrid::default();
            random(seed, n, &mut grid);
            let mut bodies = vec![];
            if body {
                let pick = |c: u32| Vector6::from_fn(|k, _| ((c as usize * 6 + k) as Real).sin());
                let list: Vec<u32> = (30..60).filter(|c| grid.levels[0].diagonal[*c as usize] > 0.0).collect();
                let rates = list.iter().map(|c| pick(*c)).collect();
                bodies.push(BodyRows { cells: list, rates, inverse_mass: Matrix6::from_diagonal_element(0.3) });
            }
            let right: Vec<Real> = (0..cells).map(|c| if grid.levels[0].diagonal[c] > 0.0 { (c as Real).cos() } else { 0.0 }).collect();
            let mut dense = DMatrix::<Real>::zeros(cells, cells);
            let mut column = vec![0.0; cells];
            for c in 0..cells {
                let mut unit = vec![0.0; cells];
                unit[c] = 1.0;
                Multigrid::apply(&grid.levels[0], &bodies, &unit, &mut column);
                dense.set_column(c, &DVector::from_column_slice(&column));
                if grid.levels[0].diagonal[c] == 0.0 { dense[(c, c)] = 1.0; }
            }
            prop_assert!((&dense - dense.transpose()).amax() < 1e-14);
            let exact = dense.lu().solve(&DVector::from_column_slice(&right)).unwrap();
            let mut p = vec![0.0; cells];
            let solved = grid.solve(&bodies, &right, &mut p, 1e-12, 200);
            prop_assert!(solved.residual <= 1e-12 && solved.iterations < 40, "{solved:?}");
            let scale = exact.amax();
            for c in 0..cells {
                prop_assert!((p[c] - exact[c]).abs() < 1e-9 * scale, "{c}: {} {}", p[c], exact[c]);
            }
            // From the solution there is nothing left to do.
            prop_assert_eq!(grid.solve(&bodies, &right, &mut p, 1e-11, 200).iterations, 0);
        }
    }

    #[test]
    fn iterations_hardly_grow_with_the_grid() {
        let count = |n: usize| {
            let mut grid = Multigrid::default();
            let level = grid.finest();
            level.reset([n; 3]);
            for c in 0..n * n * n {
                let at = [c / n / n, c / n % n, c % n];
                for a in 0..3 {
                    level.to_next[a][c] = if at[a] + 1 < n { 1.0 } else { 0.0 };
                }
                level.air[c] = if at[1] + 1 == n { 2.0 } else { 0.0 };
            }
            grid.prepare();
            let right: Vec<Real> = (0..n * n * n).map(|c| (c as Real * 0.37).sin()).collect();
            let mut p = vec![0.0; right.len()];
            grid.solve(&[], &right, &mut p, 1e-8, 100).iterations
        };
        let (small, large) = (count(8), count(32));
        assert!(large <= small + 8 && large < 25, "{small} {large}");
    }
}
