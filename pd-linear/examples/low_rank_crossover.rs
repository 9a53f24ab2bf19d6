//! From which rank on does a new factorisation beat a low-rank change? Prints a table for a cloth of n × n vertices:
//! `cargo run --release --example low_rank_crossover -- 100`.
//!
//! A change of rank k costs k solves once and about k passes over the vertices in every later solve, and
//! one product with A to check the residual; a new factorisation costs one numeric factorisation, since pins do not alter the pattern.
#![expect(clippy::print_stdout, reason = "an example")]

use pd_linear::{Cholesky, Csr, GlobalSolver, LinearError, LowRank, LowRankUpdate};
use std::time::{Duration, Instant};

/// Solves between two changes: ten iterations of a frame.
const SOLVES: u32 = 10;

fn cloth(n: u32) -> Result<Csr, LinearError> {
    let mut triplets = vec![];
    for i in 0..n * n {
        triplets.push((i, i, 3.6));
        let diagonal = (i % n + 1 < n && i + n < n * n).then_some(i + n + 1);
        let right = (i % n + 1 < n).then_some(i + 1);
        for j in [right, (i + n < n * n).then_some(i + n), diagonal].into_iter().flatten() {
            triplets.extend([(i, i, 1500.0), (j, j, 1500.0), (i, j, -1500.0), (j, i, -1500.0)]);
        }
    }
    Csr::from_triplets((n * n) as usize, &triplets)
}

/// The fastest of five runs.
fn time(mut run: impl FnMut() -> Result<(), LinearError>) -> Result<Duration, LinearError> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        run()?;
        best = best.min(started.elapsed());
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: u32 = std::env::args().nth(1).map_or(Ok(100), |word| word.parse())?;
    let a = cloth(n)?;
    let b: Vec<f64> = (0..3 * a.rows()).map(|k| (k as f64).sin()).collect();
    let mut x = vec![0.0; b.len()];
    let mut plain = Cholesky::default();
    let factor = time(|| plain.factor(&a))?;
    let solve = time(|| plain.solve(&b, &mut x, 3).map(drop))?;
    println!("{} vertices: numeric factor {factor:.2?}, solve {solve:.2?}", a.rows());
    println!("rank   change   solve   change and {SOLVES} solves   fresh factor and {SOLVES} solves");
    let fresh = factor + SOLVES * solve;
    let mut solver = LowRank::new(plain);
    solver.factor(&a)?;
    for rank in [1, 2, 4, 8, 16, 32, 64, 128] {
        let pins: Vec<LowRankUpdate> =
            (0..rank).map(|k| LowRankUpdate::pin(k * 37 % (n * n), 1500.0)).collect();
        let change = time(|| {
            solver.clear();
            solver.apply(&pins)
        })?;
        let solve = time(|| solver.solve(&b, &mut x, 3).map(drop))?;
        let all = change + SOLVES * solve;
        let winner = if all < fresh { "change" } else { "fresh factor" };
        println!("{rank:4} {change:>9.2?} {solve:>9.2?} {all:>12.2?} {fresh:>12.2?}   {winner}");
    }
    Ok(())
}
