//! The step solves for the increment A Δx = −∇objective(x). So a global solver that is a little wrong (a factor in single
//! precision, a matrix off by a percent) needs more iterations, and still ends in the same minimiser.

use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport, Vec3};
use pd_linear::Cholesky;
use tests::{Body, Kind, Random, Rig, largest_distance};

/// What is done to the matrix before it is factored.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Every diagonal entry grows by a percent; the matrix stays positive definite.
    Percent,
    /// Every entry is rounded to single precision.
    Single,
}

/// Sparse Cholesky of the wrong matrix.
struct Faulty {
    fault: Fault,
    inner: Cholesky,
}

impl GlobalSolver for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        let mut triplets = vec![];
        for i in 0..a.rows() {
            triplets.extend(a.row(i).map(|(j, value)| {
                let value = match self.fault {
                    Fault::Percent if i == j => value * 1.01,
                    Fault::Percent => value,
                    Fault::Single => Real::from(value as f32),
                };
                (i as u32, j as u32, value)
            }));
        }
        self.inner.factor(&Csr::from_triplets(a.rows(), &triplets)?)
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.inner.solve(b, x, columns)
    }
}

/// Positions after one step, and the largest force imbalance left, N.
fn minimiser(kind: Kind, fault: Option<Fault>, iterations: usize) -> (Vec<Vec3>, Real) {
    let mut random = Random::new(3);
    let body = Body::random(kind, &mut random, 2);
    let start = random.shaken(&body.rest, 0.005);
    let mut rig = match fault {
        None => Rig::new(body.model, start),
        Some(fault) => Rig::with_solver(body.model, start, Faulty { fault, inner: Cholesky::default() }),
    };
    rig.params.iterations = iterations;
    rig.params.measure = true;
    let report = rig.run(1);
    (rig.state.x, report.measures.unwrap().residual)
}

#[test]
fn a_wrong_factor_costs_convergence_not_accuracy() {
    for kind in [Kind::Cloth, Kind::Tets, Kind::Volumes, Kind::Triangles] {
        let (exact, residual) = minimiser(kind, None, 4000);
        assert!(residual < 1e-10, "{kind:?}: the exact solver leaves {residual:e} N");
        for fault in [Fault::Percent, Fault::Single] {
            let (found, residual) = minimiser(kind, Some(fault), 4000);
            let distance = largest_distance(&found, &exact);
            println!("{kind:?}, {fault:?}: {distance:.1e} m from the minimiser, {residual:.1e} N left");
            assert!(distance < 1e-10, "{kind:?}, {fault:?}: {distance:e} m away, {residual:e} N left");
        }
        // The fault is no accident: after few iterations a matrix off by a percent shows.
        let few = largest_distance(&minimiser(kind, Some(Fault::Percent), 3).0, &minimiser(kind, None, 3).0);
        assert!(few > 1e-8, "{kind:?}: {few:e}");
    }
}
