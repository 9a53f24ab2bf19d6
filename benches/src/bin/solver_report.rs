//! Every global solver on every matrix: time to a residual, set-up, memory. Writes `solvers.md` and one SVG per matrix.
//!
//! `cargo run --release -p benches --bin solver_report -- [DIR] [--quick]`, DIR being `docs` by default.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report program")]

use benches::cases::{self, Case, MATRICES};
use benches::clock::cpu_seconds;
use pd_linear::{LinearError, Registry, SolverOptions};
use pd_tables::plot::{Line, Plot};
use std::fmt::Write;
use std::time::Instant;

/// Relative residuals asked for: the three of the table among those of the curve.
const TOLERANCES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8];
const TABLE: [f64; 3] = [1e-2, 1e-4, 1e-8];
/// Seconds a solver may take for one tolerance before the smaller ones are left out.
const PATIENCE: f64 = 4.0;

/// What one solver did on one matrix.
struct Row {
    name: String,
    setup_ms: f64,
    bytes: usize,
    /// (tolerance, milliseconds, iterations, residual reached).
    solves: Vec<(f64, f64, usize, f64)>,
    note: String,
}

fn measure(name: &str, registry: &Registry, case: &Case) -> Row {
    let (a, b) = (&case.matrix, cases::right_hand_side(case.matrix.rows()));
    let mut row = Row { name: name.into(), setup_ms: 0.0, bytes: 0, solves: vec![], note: String::new() };
    let published = name.ends_with("-published");
    for tolerance in TOLERANCES {
        // As published there is no tolerance, only a number of sweeps: one run says how far they come.
        let options = if published {
            SolverOptions::default()
        } else {
            SolverOptions { tolerance: Some(tolerance), iterations: Some(20_000), ..Default::default() }
        };
        match attempt(name, registry, &options, case, &b) {
            Ok((setup, bytes, solve, report_iterations, x)) => {
                (row.setup_ms, row.bytes) = (setup, bytes);
                let residual = cases::relative_residual(a, &b, &x);
                if published {
                    let time = solve / 1e3;
                    row.note = format!("{report_iterations} sweeps leave {residual:.1e} after {time:.2} s");
                    break;
                }
                if residual > tolerance * 1.01 {
                    row.note = format!("stops at {residual:.1e}");
                    break;
                }
                row.solves.push((tolerance, solve, report_iterations, residual));
                if solve > PATIENCE * 1e3 {
                    row.note = "too slow for more".into();
                    break;
                }
            }
            Err(LinearError::TooLarge { bytes, .. }) => {
                row.note = format!("too large: {:.1} GB", bytes as f64 / 1e9);
                break;
            }
            Err(error) => {
                row.note = error.to_string();
                break;
            }
        }
    }
    row
}

type Attempt = (f64, usize, f64, usize, Vec<f64>);

/// Factors and solves from zero; the solve is repeated while it is short, and the least time counts. Processor time of the
/// thread: the pool has one thread, this one, and other processes do not count.
fn attempt(
    name: &str,
    registry: &Registry,
    options: &SolverOptions,
    case: &Case,
    b: &[f64],
) -> Result<Attempt, LinearError> {
    let mut solver = registry.create_with(name, options)?;
    let started = cpu_seconds();
    solver.factor(&case.matrix)?;
    let setup = (cpu_seconds() - started) * 1e3;
    let mut x = vec![0.0; b.len()];
    let (mut least, mut iterations, begun) = (f64::INFINITY, 0, Instant::now());
    while least.is_infinite() || begun.elapsed().as_secs_f64() < 0.15 {
        x.fill(0.0);
        let started = cpu_seconds();
        iterations = solver.solve(b, &mut x, 3)?.iterations;
        least = least.min((cpu_seconds() - started) * 1e3);
    }
    Ok((setup, solver.bytes(), least, iterations, x))
}

fn table(case: &Case, rows: &[Row]) -> String {
    let peer = rows.iter().find(|r| r.name == "cholesky").and_then(|r| r.solves.first()).map_or(1.0, |s| s.1);
    let mut out = format!(
        "\n## {}\n\nn = {}, {} entries. Times relative to one solve by `cholesky` in the same run ({peer:.2} ms).\n\n\
         | solver | set-up | memory MB | 1e-2 | 1e-4 | 1e-8 | iterations to 1e-4 | note |\n|---|---|---|---|---|---|---|---|\n",
        case.name,
        case.matrix.rows(),
        case.matrix.pattern().entries()
    );
    for row in rows {
        let find = |tolerance: f64| row.solves.iter().find(|s| s.0 == tolerance);
        let cells: Vec<String> =
            TABLE.iter().map(|&t| find(t).map_or("–".into(), |s| format!("{:.2}", s.1 / peer))).collect();
        let iterations = find(1e-4).map_or("–".into(), |s| s.2.to_string());
        let _ = writeln!(
            out,
            "| {} | {:.1} | {:.1} | {} | {iterations} | {} |",
            row.name,
            row.setup_ms / peer,
            row.bytes as f64 / 1e6,
            cells.join(" | "),
            row.note
        );
    }
    let file = file_name(case.name);
    let _ = writeln!(out, "\n![Residual over time, {}](images/{file})", case.name);
    out
}

fn file_name(case: &str) -> String {
    format!("solvers-{}.svg", case.replace(' ', "-"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let directory = arguments.iter().find(|a| !a.starts_with("--")).map_or("docs", String::as_str);
    std::fs::create_dir_all(format!("{directory}/images"))?;
    let registry = Registry::standard();
    let mut text = String::from(
        "# Global solvers, measured\n\nMade by `cargo run --release -p benches --bin solver_report`. Three right-hand \
         sides, zero initial guess, one thread. Each cell is the minimum CPU time of repeated solves to the \
         relative residual in the column header, as a multiple of one solve with `cholesky` (faer, f64) in the \
         same run. The `-published` rows are the thesis' Jacobi family with its published parameters; notes mark \
         where they miss the tolerance or diverge. Dense solvers are omitted: they serve as references, and \
         their memory grows with the square of n.\n",
    );
    let _ = write!(text, "\nThis run: {}.\n", pd_tables::Machine::here().line());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (name, scene, bending) in MATRICES {
        if quick && !matches!(name, "bunny class" | "cloth 100") {
            continue;
        }
        let case = cases::matrix(name, scene, bending)?;
        let rows: Vec<Row> = pool.install(|| {
            registry
                .names()
                .filter(|solver| !solver.starts_with("dense"))
                .map(|solver| {
                    eprintln!("{name}: {solver}");
                    measure(solver, &registry, &case)
                })
                .collect()
        });
        text += &table(&case, &rows);
        let curve = |row: &Row| row.solves.iter().map(|s| (s.1, s.3.max(1e-16))).collect::<Vec<_>>();
        let lines = rows
            .iter()
            .filter(|r| !r.solves.is_empty() && !r.name.ends_with("-published"))
            .map(|r| Line { name: r.name.clone(), points: curve(r) })
            .collect();
        let plot = Plot {
            title: format!("{name}: residual over time"),
            x: "ms per solve, three right-hand sides".into(),
            y: "relative residual".into(),
            lines,
        };
        std::fs::write(format!("{directory}/images/{}", file_name(name)), plot.svg())?;
    }
    std::fs::write(format!("{directory}/solvers.md"), text)?;
    println!("{directory}/solvers.md");
    Ok(())
}
