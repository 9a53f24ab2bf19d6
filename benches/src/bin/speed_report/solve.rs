//! One solve with three right-hand sides: our panels, every peer, and the time the memory alone would need.

use benches::cases::{MATRICES, matrix, relative_residual, right_hand_side};
use benches::clock::{bandwidth, cpu_seconds, least};
use benches::peers;
use pd_core::GlobalSolver;
use pd_linear::{PanelCholesky, Precision};
use std::fmt::Write;

type Error = Box<dyn std::error::Error + Send + Sync>;

pub(super) fn report(quick: bool) -> Result<String, Error> {
    let mut text = String::from(
        "\n## Solve with three right-hand sides\n\nOne thread. `roof` is the time to read the nnz(L) values of the factor \
         twice, 4 bytes each, at the bandwidth measured for a working set of that size. Goals: 4 times faster than the best of \
         CHOLMOD and than the best of faer, within 3 times the roof.\n",
    );
    for (name, scene, bending) in MATRICES {
        if quick && name != "bunny class" {
            continue;
        }
        let a = matrix(name, scene, bending)?.matrix;
        let b = right_hand_side(a.rows());
        let mut ours: Vec<PanelCholesky> =
            [Precision::Single, Precision::Half, Precision::Double].map(PanelCholesky::new).into();
        for solver in &mut ours {
            solver.factor(&a)?;
        }
        let order = ours[0].order().to_vec();
        let fill = ours[0].factor_entries();
        let mut others = peers::all(&a, &order, &b);
        let mut solutions = vec![vec![0.0; b.len()]; ours.len()];
        let mut times = {
            let mut runs: Vec<Box<dyn FnMut() + '_>> = vec![];
            for (solver, x) in ours.iter_mut().zip(&mut solutions) {
                let b = &b;
                runs.push(Box::new(move || {
                    let _ = solver.solve(b, x, 3);
                }));
            }
            for peer in &mut others {
                runs.push(Box::new(move || peer.solve()));
            }
            let mut runs: Vec<&mut dyn FnMut()> =
                runs.iter_mut().map(|run| run.as_mut() as &mut dyn FnMut()).collect();
            least(if quick { 0.3 } else { 4.0 }, cpu_seconds, &mut runs)
        };
        times.iter_mut().for_each(|time| *time *= 1e3);
        let roof = 8e3 * fill as f64 / bandwidth(4 * fill);
        let _ = writeln!(
            text,
            "\n### {name}\n\nn = {}, nnz(L) = {:.2} M, roof {roof:.3} ms, `panels` {:.1} times the roof, {}.\n\n| solver | ms | \
             times `panels` | times `panels-f16` | relative residual |\n|---|---|---|---|---|",
            a.rows(),
            fill as f64 / 1e6,
            times[0] / roof,
            ours[0].instructions(),
        );
        let names =
            ours.iter().map(|s| s.name().to_owned()).chain(others.iter().map(|p| p.name().to_owned()));
        let found = solutions.iter().cloned().chain(others.iter().map(|peer| peer.solution()));
        let rows: Vec<(String, f64, Vec<f64>)> =
            names.zip(&times).zip(found).map(|((n, &t), x)| (n, t, x)).collect();
        for (name, time, x) in &rows {
            let residual = relative_residual(&a, &b, x);
            let _ = writeln!(
                text,
                "| {name} | {time:.3} | {:.2} | {:.2} | {residual:.0e} |",
                time / times[0],
                time / times[1]
            );
        }
        for library in ["faer", "CHOLMOD", "Eigen"] {
            let best = rows
                .iter()
                .filter(|row| row.0.starts_with(library))
                .map(|row| row.1)
                .fold(f64::INFINITY, f64::min);
            if best.is_finite() {
                let _ = writeln!(
                    text,
                    "\nBest of {library}: {:.1} times `panels`, {:.1} times `panels-f16`.",
                    best / times[0],
                    best / times[1]
                );
            }
        }
    }
    Ok(text)
}
