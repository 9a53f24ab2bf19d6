//! One solve with three right-hand sides: our panels, every peer, and the time the memory alone would need.

use benches::cases::{MATRICES, matrix, relative_residual, right_hand_side};
use benches::clock::{Times, bandwidth, cpu_seconds, warm_and_cold};
use benches::peers;
use pd_core::GlobalSolver;
use pd_linear::{PanelCholesky, Precision};
use std::fmt::Write;

pub(super) fn report(choice: &super::Choice) -> Result<String, super::Error> {
    let mut text = String::from(
        "\nOne thread. Solvers alternate, ten solves each. *Warm* is the minimum over the last nine of the ten: \
         a frame of ten iterations solves ten times with one factor, so this is the time in a simulation, and \
         the goals refer to it. *Cold* is the minimum over the first solves, when other solvers have filled the \
         caches. `roof` is the time to read the nnz(L) values of the factor twice, 4 bytes each, at the measured \
         bandwidth for a working set of that size on 2 MB pages, which `panels` uses too. Goals: 4 times faster than the best of CHOLMOD and than the best of \
         faer, within 3 times the roof. Bold ratios reach the goal.\n",
    );
    for (name, scene, bending) in MATRICES {
        if !choice.takes(name, name == "bunny class") {
            continue;
        }
        let a = matrix(name, scene, bending)?.matrix;
        let b = right_hand_side(a.rows());
        let mut ours: Vec<PanelCholesky> =
            [Precision::Single, Precision::ThreeBytes, Precision::Half, Precision::Double]
                .map(PanelCholesky::new)
                .into();
        for solver in &mut ours {
            solver.factor(&a)?;
        }
        let order = ours[0].order().to_vec();
        let fill = ours[0].factor_entries();
        let mut others = peers::all(&a, &order, &b);
        let mut solutions = vec![vec![0.0; b.len()]; ours.len()];
        let times = {
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
            warm_and_cold(if choice.quick { 0.3 } else { 20.0 }, cpu_seconds, &mut runs)
        };
        let roof = 8.0 * fill as f64 / bandwidth(4 * fill);
        let _ = writeln!(
            text,
            "\n### {name}\n\nn = {}, nnz(L) = {:.2} M, roof {:.3} ms, `panels` {:.1} times the roof warm and {:.1} cold, \
             {}.\n\n| solver | warm, ms | cold, ms | times `panels`, warm | cold | relative residual \
             |\n|---|---|---|---|---|---|",
            a.rows(),
            fill as f64 / 1e6,
            1e3 * roof,
            times[0].warm / roof,
            times[0].cold / roof,
            ours[0].instructions(),
        );
        let names =
            ours.iter().map(|s| s.name().to_owned()).chain(others.iter().map(|p| p.name().to_owned()));
        let found = solutions.iter().cloned().chain(others.iter().map(|peer| peer.solution()));
        let rows: Vec<(String, Times, Vec<f64>)> =
            names.zip(&times).zip(found).map(|((n, &t), x)| (n, t, x)).collect();
        for (name, time, x) in &rows {
            let residual = relative_residual(&a, &b, x);
            let _ = writeln!(
                text,
                "| {name} | {:.3} | {:.3} | {:.2} | {:.2} | {residual:.0e} |",
                1e3 * time.warm,
                1e3 * time.cold,
                time.warm / times[0].warm,
                time.cold / times[0].cold
            );
        }
        text.push_str(
            "\n| best of | times `panels`, warm | cold | times `panels-f24`, warm | cold | times `panels-f16`, warm | cold \
             |\n|---|---|---|---|---|---|---|\n",
        );
        for library in ["faer", "CHOLMOD", "Eigen"] {
            let best = |pick: fn(&Times) -> f64| {
                let times = rows.iter().filter(|row| row.0.starts_with(library)).map(|row| pick(&row.1));
                times.fold(f64::INFINITY, f64::min)
            };
            let (warm, cold) = (best(|t| t.warm), best(|t| t.cold));
            if warm.is_finite() {
                let ratio = |a: f64, b: f64| {
                    if a / b >= 4.0 { format!("**{:.1}**", a / b) } else { format!("{:.1}", a / b) }
                };
                let _ = write!(text, "| {library} |");
                for ours in &times[..3] {
                    let _ = write!(text, " {} | {} |", ratio(warm, ours.warm), ratio(cold, ours.cold));
                }
                text.push('\n');
            }
        }
    }
    Ok(text)
}
