//! Smoothed-aggregation multigrid as a preconditioner: one symmetric V-cycle.
//!
//! Vaněk, Mandel and Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
//! problems". Vertices coupled strongly are grouped; the piecewise constant prolongation P₀ over the groups is
//! smoothed once, P = (I − ω D⁻¹A) P₀; the coarse matrix is PᵀA P. Smoother: damped Jacobi with ω = 4/(3 λmax), before
//! and after the coarse correction, which keeps the cycle symmetric positive definite.

use crate::aggregation::aggregate;
use crate::preconditioner::Preconditioner;
use crate::sparse_rows::{OwnedRows, Rows};
use crate::spectrum::largest_eigenvalue;
use crate::vector::{for_each_row, resize};
use crate::{Csr, DenseCholesky, GlobalSolver, LinearError, Pattern, Real};
use std::sync::Arc;

/// Number of rows below which the dense solver is used.
const COARSEST: usize = 200;
/// Maximum number of levels; each is at least a quarter smaller than the one before.
const LEVELS: usize = 20;

struct Level {
    a: Csr,
    /// ω/a_ii of the smoother.
    relax: Vec<Real>,
    /// From the coarser level to this one, and back.
    prolong: OwnedRows,
    restrict: OwnedRows,
    b: Vec<Real>,
    x: Vec<Real>,
    r: Vec<Real>,
}

/// Smoothed-aggregation multigrid.
pub struct Multigrid {
    /// Smoothing sweeps before and after the coarse correction. Default 2.
    pub sweeps: usize,
    /// Couplings |a_ij| above this fraction of √(a_ii a_jj) are strong; halved on each coarser level. Default 0.08.
    pub strength: Real,
    levels: Vec<Level>,
    /// Solver of the coarsest level and its right-hand side and solution. Without one (when nothing can be grouped
    /// further) the smoother alone works there.
    coarsest: Option<DenseCholesky>,
    last: Level,
}

impl Default for Multigrid {
    fn default() -> Self {
        Self { sweeps: 2, strength: 0.08, levels: vec![], coarsest: None, last: Level::new(Csr::default()) }
    }
}

impl Level {
    fn new(a: Csr) -> Self {
        let empty = Vec::new;
        let table = OwnedRows::default;
        Self { a, relax: vec![], prolong: table(), restrict: table(), b: empty(), x: empty(), r: empty() }
    }

    fn set_relaxation(&mut self) {
        let omega = 4.0 / (3.0 * largest_eigenvalue(&self.a));
        self.relax = self.a.diagonal().iter().map(|d| omega / d).collect();
    }

    /// x ← x + ω D⁻¹(b − A x); from x = 0 if `first`.
    fn smooth(&mut self, columns: usize, first: bool) {
        let Self { a, relax, b, x, r, .. } = self;
        if first {
            r.copy_from_slice(b);
            x.fill(0.0);
        } else {
            subtract_product(a, b, x, r, columns);
        }
        for_each_row(x, columns, |i, x| {
            for (x, r) in x.iter_mut().zip(&r[i * columns..]) {
                *x += relax[i] * r;
            }
        });
    }
}

/// r = b − A x.
fn subtract_product(a: &Csr, b: &[Real], x: &[Real], r: &mut [Real], columns: usize) {
    Rows::from(a).product(x, r, columns, |at, sums, out| {
        for c in 0..sums.len() {
            out[c] = b[at + c] - sums[c];
        }
    });
}

impl Multigrid {
    /// Number of levels, the coarsest included; 0 before `factor`.
    pub fn levels(&self) -> usize {
        if self.last.a.rows() == 0 { 0 } else { self.levels.len() + 1 }
    }
}

/// One V-cycle: from `level.b` to `level.x` of the first of `levels`, or of `last`.
fn cycle(
    levels: &mut [Level],
    last: &mut Level,
    coarsest: &mut Option<DenseCholesky>,
    sweeps: usize,
    columns: usize,
) {
    let Some((level, coarser)) = levels.split_first_mut() else {
        if let Some(solver) = coarsest {
            if solver.solve(&last.b, &mut last.x, columns).is_err() {
                last.x.fill(0.0); // only for numbers that are not finite, which the iteration will report
            }
            return;
        }
        return (0..sweeps).for_each(|k| last.smooth(columns, k == 0));
    };
    (0..sweeps).for_each(|k| level.smooth(columns, k == 0));
    subtract_product(&level.a, &level.b, &level.x, &mut level.r, columns);
    let below = coarser.first_mut().map_or(&mut last.b, |next| &mut next.b);
    level.restrict.view().multiply(&level.r, below, columns);
    cycle(coarser, last, coarsest, sweeps, columns);
    let below = coarser.first().map_or(&last.x, |next| &next.x);
    level.prolong.view().product(below, &mut level.x, columns, |_, sums, x| {
        x.iter_mut().zip(sums).for_each(|(x, sum)| *x += sum);
    });
    (0..sweeps).for_each(|_| level.smooth(columns, false));
}

/// PᵀA P and P, or `None` if further coarsening is not worthwhile.
fn coarsen(level: &Level, strength: Real) -> Result<Option<(Csr, OwnedRows)>, LinearError> {
    let n = level.a.rows();
    let (groups, count) = aggregate(&level.a, strength);
    if count == 0 || 4 * count > 3 * n {
        return Ok(None);
    }
    let tentative = OwnedRows::from_rows(n, count, |i| groups[i].map(|group| (group as usize, 1.0)));
    // I − ω D⁻¹A by rows.
    let smoother = OwnedRows::from_rows(n, n, |i| {
        level.a.row(i).map(move |(j, v)| (j, Real::from(i == j) - level.relax[i] * v)).collect::<Vec<_>>()
    });
    let prolong = OwnedRows::product(smoother.view(), tentative.view(), count);
    let product = OwnedRows::product(Rows::from(&level.a), prolong.view(), count);
    let coarse = OwnedRows::product(prolong.transpose().view(), product.view(), count);
    let view = coarse.view();
    let pattern = Pattern::new(view.offsets.to_vec(), view.columns.to_vec())?;
    Ok(Some((Csr::new(Arc::new(pattern), view.values.to_vec())?, prolong)))
}

impl Preconditioner for Multigrid {
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.levels.clear();
        self.coarsest = None;
        let mut level = Level::new(a.clone());
        level.set_relaxation();
        let mut strength = self.strength;
        while level.a.rows() > COARSEST && self.levels.len() < LEVELS {
            let Some((coarse, prolong)) = coarsen(&level, strength)? else { break };
            level.restrict = prolong.transpose();
            level.prolong = prolong;
            let mut next = Level::new(coarse);
            next.set_relaxation();
            self.levels.push(std::mem::replace(&mut level, next));
            strength *= 0.5;
        }
        if level.a.rows() <= COARSEST {
            let mut solver = DenseCholesky::default();
            solver.factor(&level.a)?;
            self.coarsest = Some(solver);
        }
        self.last = level;
        Ok(())
    }

    fn reserve(&mut self, columns: usize) {
        for level in self.levels.iter_mut().chain([&mut self.last]) {
            let length = columns * level.a.rows();
            [&mut level.b, &mut level.x, &mut level.r]
                .into_iter()
                .for_each(|scratch| resize(scratch, length));
        }
    }

    fn apply(&mut self, r: &[Real], z: &mut [Real], columns: usize) {
        let Self { levels, last, coarsest, sweeps, .. } = self;
        levels.first_mut().unwrap_or(last).b.copy_from_slice(r);
        cycle(levels, last, coarsest, (*sweeps).max(1), columns);
        z.copy_from_slice(&levels.first().unwrap_or(last).x);
    }

    fn bytes(&self) -> usize {
        let level = |level: &Level| {
            let vectors = level.relax.len() + level.b.len() + level.x.len() + level.r.len();
            12 * level.a.pattern().entries() + level.prolong.bytes() + level.restrict.bytes() + 8 * vectors
        };
        let dense = self.coarsest.as_ref().map_or(0, |solver| solver.bytes());
        self.levels.iter().map(level).sum::<usize>() + level(&self.last) + dense
    }
}
