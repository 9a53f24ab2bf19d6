//! Changes of low rank against a new factorisation.

use crate::matrices::*;
use pd_linear::*;
use proptest::prelude::*;

fn difference(a: &[Real], b: &[Real]) -> Real {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / norm(b).max(1e-300)
}

fn against_fresh<S: GlobalSolver>(solver: &mut LowRank<S>, seed: u64) -> Real {
    let a = solver.matrix().unwrap();
    let b = noise(3 * a.rows(), seed);
    let mut x = noise(b.len(), seed + 1);
    let report = solver.solve(&b, &mut x, 3).unwrap();
    assert!(report.converged);
    difference(&x, &oracle(&a, &b, 3))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn pins_and_springs_come_and_go(
        n in 4u32..9,
        steps in proptest::collection::vec((0u32..81, 0u32..81, 0.1..3.0f64, any::<bool>()), 1..12),
        remove in any::<prop::sample::Index>(),
        seed in 0u64..100,
    ) {
        let rows = n * n;
        let mut solver = LowRank::new(Cholesky::default());
        solver.factor(&cloth(n, 100.0)).unwrap();
        let changes: Vec<LowRankUpdate> = steps
            .iter()
            .map(|&(i, j, size, pin)| {
                let (i, j, weight) = (i % rows, j % rows, 10f64.powf(size)); // up to ten times the stiffest spring
                if pin || i == j { LowRankUpdate::pin(i, weight) } else { LowRankUpdate::spring(i, j, weight) }
            })
            .collect();
        solver.apply(&changes).unwrap();
        prop_assert!(against_fresh(&mut solver, seed) < 1e-9);
        // One taken back by index, another by its reverse.
        solver.remove(remove.index(changes.len())).unwrap();
        prop_assert!(against_fresh(&mut solver, seed) < 1e-9);
        if let Some(first) = solver.changes().first().cloned() {
            solver.apply(&[first.reversed()]).unwrap();
            prop_assert!(against_fresh(&mut solver, seed) < 1e-9);
        }
        let rank = solver.changes().len();
        solver.refactor().unwrap();
        prop_assert!(solver.changes().is_empty() && rank > 0 || rank == 0);
        prop_assert!(against_fresh(&mut solver, seed) < 1e-9);
    }
}

#[test]
fn springs_of_the_matrix_itself_can_be_taken_away() {
    let n = 8;
    let mut solver = LowRank::new(Cholesky::default());
    solver.factor(&cloth(n, 1500.0)).unwrap();
    // Cut a seam of the cloth: the springs between rows 3 and 4 of the grid.
    let at = |i: u32, j: u32| i * n + j;
    let mut cut: Vec<LowRankUpdate> =
        (0..n).map(|j| LowRankUpdate::spring(at(3, j), at(4, j), -1500.0)).collect();
    cut.extend((0..n - 1).map(|j| LowRankUpdate::spring(at(3, j), at(4, j + 1), -1500.0)));
    solver.apply(&cut).unwrap();
    assert!(against_fresh(&mut solver, 3) < 1e-9);
}

#[test]
fn a_strong_pin_leaves_without_a_trace() {
    let mut base = LowRank::new(Cholesky::default());
    let pinned = {
        base.factor(&cloth(6, 100.0)).unwrap();
        base.apply(&[LowRankUpdate::pin(20, 1e7)]).unwrap();
        assert!(against_fresh(&mut base, 4) < 1e-9);
        base.matrix().unwrap()
    };
    let mut solver = LowRank::new(Cholesky::default());
    solver.factor(&pinned).unwrap();
    solver.apply(&[LowRankUpdate::pin(20, -1e7)]).unwrap();
    assert!(against_fresh(&mut solver, 4) < 1e-9);
}

#[test]
fn an_iterative_solver_inside_works_too() {
    let mut solver =
        LowRank::new(Pcg::default().with_stopping(Stopping { tolerance: 1e-12, ..Stopping::default() }));
    solver.factor(&cloth(6, 100.0)).unwrap();
    solver.apply(&[LowRankUpdate::pin(3, 50.0), LowRankUpdate::spring(1, 30, 20.0)]).unwrap();
    assert!(against_fresh(&mut solver, 5) < 1e-9);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut solver = LowRank::new(Cholesky::default());
    assert!(matches!(solver.apply(&[LowRankUpdate::pin(0, 1.0)]), Err(LinearError::NotFactored { .. })));
    solver.factor(&cloth(5, 100.0)).unwrap();
    solver.apply(&[LowRankUpdate::pin(7, 10.0)]).unwrap();
    let before = against_fresh(&mut solver, 6);
    let refused = |solver: &mut LowRank<Cholesky>, change| {
        solver.apply(&[LowRankUpdate::pin(2, 5.0), change]).unwrap_err()
    };
    assert!(matches!(
        refused(&mut solver, LowRankUpdate::pin(25, 1.0)),
        LinearError::Dimension { got: 25, .. }
    ));
    assert!(matches!(refused(&mut solver, LowRankUpdate::pin(1, 0.0)), LinearError::Parameter { .. }));
    assert!(matches!(refused(&mut solver, LowRankUpdate::pin(1, Real::NAN)), LinearError::Parameter { .. }));
    let nan = LowRankUpdate { weight: 1.0, row: vec![(1, Real::NAN)] };
    assert!(matches!(refused(&mut solver, nan), LinearError::NotFinite { .. }));
    // Taking away more than there is.
    assert!(matches!(
        refused(&mut solver, LowRankUpdate::pin(1, -1e4)),
        LinearError::NotPositiveDefinite { row: 1, .. }
    ));
    assert!(solver.remove(1).is_err());
    assert_eq!(solver.changes(), [LowRankUpdate::pin(7, 10.0)]);
    assert_eq!(against_fresh(&mut solver, 6).to_bits(), before.to_bits());
}
