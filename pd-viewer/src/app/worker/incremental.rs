//! Reusing the factor when pins change: where a new matrix differs from the factored one only in a few diagonal entries,
//! the difference is a low-rank update (Woodbury) and nothing is refactored. Grabbing a vertex is such a change; without this
//! a large solid would freeze for seconds at every click.

use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
use pd_linear::{LowRank, LowRankUpdate, SolverOptions};
use std::sync::Arc;

/// Maximum rank of an update; beyond about twenty a new factorisation is cheaper.
const MOST: usize = 16;

/// Direct solvers whose factor can be reused.
pub(super) const DIRECT: [&str; 6] =
    ["cholesky", "cholesky-simplicial", "cholesky-supernodal", "panels", "panels-f64", "dense"];

pub(super) struct Incremental {
    inner: LowRank<Box<dyn GlobalSolver>>,
    /// The matrix of the factor.
    base: Option<Csr>,
}

impl Incremental {
    pub(super) fn new(inner: Box<dyn GlobalSolver>) -> Self {
        let mut inner = LowRank::new(inner);
        // Adding a pin is well conditioned; the steps of refinement are for taking much away.
        inner.refinements = 0;
        Self { inner, base: None }
    }

    /// The changes of the diagonal that turn the factored matrix into `a`, if that is all and they are few.
    fn changes(&self, a: &Csr) -> Option<Vec<LowRankUpdate>> {
        let base = self.base.as_ref().filter(|base| base.rows() == a.rows())?;
        let mut changes = vec![];
        for i in 0..a.rows() {
            let (mut old, mut new) = (base.row(i), a.row(i));
            loop {
                match (old.next(), new.next()) {
                    (None, None) => break,
                    (Some((j, x)), Some((k, y))) if j == k => {
                        if x == y {
                            continue;
                        }
                        if i != j || changes.len() == MOST {
                            return None;
                        }
                        changes.push(LowRankUpdate::pin(i as u32, y - x));
                    }
                    _ => return None,
                }
            }
        }
        Some(changes)
    }
}

impl GlobalSolver for Incremental {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn analyse(&mut self, _pattern: &Arc<Pattern>) -> Result<(), LinearError> {
        // Done in `factor`, which decides whether there is anything to do.
        Ok(())
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        if let Some(changes) = self.changes(a) {
            self.inner.clear();
            if changes.is_empty() || self.inner.apply(&changes).is_ok() {
                return Ok(());
            }
        }
        self.base = None;
        self.inner.analyse(a.pattern())?;
        self.inner.factor(a)?;
        self.base = Some(a.clone());
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.inner.solve(b, x, columns)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.base.as_ref().map_or(0, |base| 12 * base.pattern().entries())
    }
}

/// All steppers and solvers of the workspace, the direct ones with a factor that survives a pin.
pub fn registry() -> pd_sim::Registry {
    let mut registry = pd_sim::Registry::standard();
    for name in DIRECT {
        let Some(description) = registry.solvers.description(name).map(str::to_owned) else { continue };
        registry.solvers.register(name, description, move |options: &SolverOptions| {
            let solver = pd_linear::Registry::standard().create_with(name, options)?;
            Ok(Box::new(Incremental::new(solver)))
        });
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize, pins: &[(usize, Real)]) -> Csr {
        let mut triplets = vec![];
        for i in 0..n as u32 {
            triplets.push((i, i, 2.5));
            if i > 0 {
                triplets.extend([(i, i - 1, -1.0), (i - 1, i, -1.0)]);
            }
        }
        triplets.extend(pins.iter().map(|&(i, w)| (i as u32, i as u32, w)));
        Csr::from_triplets(n, &triplets).unwrap()
    }

    #[test]
    fn solutions_are_those_of_a_fresh_factor() {
        let mut solver = Incremental::new(pd_linear::Registry::standard().create("cholesky").unwrap());
        let b: Vec<Real> = (0..120).map(|k| (k as Real).sin()).collect();
        for pins in [&[][..], &[(3, 50.0)], &[(3, 50.0), (20, 1.0)], &[(20, 1.0)], &[]] {
            let a = chain(40, pins);
            solver.factor(&a).unwrap();
            assert_eq!(solver.inner.changes().len(), pins.len());
            let mut fresh = pd_linear::Registry::standard().create("cholesky").unwrap();
            fresh.factor(&a).unwrap();
            let (mut x, mut y) = (vec![0.0; 120], vec![0.0; 120]);
            solver.solve(&b, &mut x, 3).unwrap();
            fresh.solve(&b, &mut y, 3).unwrap();
            let worst = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, Real::max);
            assert!(worst < 1e-12, "{pins:?}: {worst:e}");
        }
    }

    #[test]
    fn other_matrices_are_factored_anew() {
        let mut solver = Incremental::new(pd_linear::Registry::standard().create("cholesky").unwrap());
        solver.factor(&chain(40, &[])).unwrap();
        let many: Vec<_> = (0..MOST + 1).map(|i| (i, 1.0)).collect();
        assert!(solver.changes(&chain(40, &many)).is_none());
        assert!(solver.changes(&chain(41, &[])).is_none());
        let mut triplets = vec![(0u32, 0u32, 2.5), (0, 1, -0.5), (1, 0, -0.5), (1, 1, 2.5)];
        solver.factor(&Csr::from_triplets(2, &triplets).unwrap()).unwrap();
        triplets[1].2 = -0.25;
        triplets[2].2 = -0.25;
        assert!(solver.changes(&Csr::from_triplets(2, &triplets).unwrap()).is_none());
    }
}
