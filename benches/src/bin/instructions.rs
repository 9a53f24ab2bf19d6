//! Instruction counts of the step's parts by callgrind, against a committed budget: a check that a busy machine does not
//! disturb.
//!
//! `cargo run --release -p benches --bin instructions` runs itself under `valgrind --tool=callgrind` once per part and
//! compares with `benches/instructions.txt`; `--update` writes that file instead. Valgrind knows no AVX-512, so the AVX2
//! code is counted.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a check program")]

use benches::cases::right_hand_side;
use pd_constraints::{Bending, BendingWeights, EdgeSprings, RingsRef, StrainRange, TetStrain, TriStrain};
use pd_core::{CpuLocal, GlobalSolver, LocalInput, LocalStep, Model, ModelBuilder, Vec3};
use pd_linear::PanelCholesky;
use pd_mesh::generate;
use pd_mesh::topology::Rings;
use std::collections::BTreeMap;
use std::process::Command;

type Error = Box<dyn std::error::Error>;

/// Deviations beyond this fraction fail, in both directions: a gain should be written down.
const TOLERANCE: f64 = 0.03;
/// Repetitions of a part; the count of one is the difference of two runs over `MORE - FEW`.
const FEW: usize = 2;
const MORE: usize = 6;
const PARTS: [&str; 7] =
    ["edges", "bending", "triangles", "tets-rigid", "tets-range", "panels-cloth", "panels-solid"];
const BUDGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [run, part, repeats] = &arguments[..]
        && run == "--run"
    {
        return work(part, repeats.parse()?);
    }
    let mut counts = BTreeMap::new();
    for part in PARTS {
        let count = (count(part, MORE)? - count(part, FEW)?) / (MORE - FEW) as u64;
        println!("{part:14} {count:>12}");
        counts.insert(part, count);
    }
    if arguments.iter().any(|a| a == "--update") {
        let lines: Vec<String> = counts.iter().map(|(part, count)| format!("{part} {count}\n")).collect();
        let head = "# Instructions of one run of each part (callgrind, AVX2); see src/bin/instructions.rs.\n";
        std::fs::write(BUDGET, head.to_owned() + &lines.concat())?;
        println!("{BUDGET} written");
        return Ok(());
    }
    let budget = std::fs::read_to_string(BUDGET).map_err(|error| format!("{BUDGET}: {error}"))?;
    let mut failed = false;
    for line in budget.lines().filter(|line| !line.starts_with('#')) {
        let Some((part, wanted)) = line.split_once(' ') else { continue };
        let wanted: f64 = wanted.trim().parse()?;
        let Some(&found) = counts.get(part) else { return Err(format!("no part {part}").into()) };
        let change = found as f64 / wanted - 1.0;
        if change.abs() > TOLERANCE {
            failed = true;
            eprintln!("{part}: {found} instructions, {:+.1} % of the budget {wanted}", 100.0 * change);
        }
    }
    if failed {
        return Err("instruction counts left the budget; run with --update if that is meant".into());
    }
    println!("all within {:.0} % of the budget", 100.0 * TOLERANCE);
    Ok(())
}

/// Instructions of this program when it runs a part so often.
fn count(part: &str, repeats: usize) -> Result<u64, Error> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--run", part, &repeats.to_string()])
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .map_err(|error| format!("valgrind cannot be started ({error}); install the package valgrind"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let Some((_, number)) = line.filter(|_| output.status.success()) else {
        return Err(format!("valgrind failed:\n{text}").into());
    };
    Ok(number.trim().parse()?)
}

/// Runs a part. Small, so that a count takes seconds.
fn work(part: &str, repeats: usize) -> Result<(), Error> {
    let sheet = generate::grid(30, 30, 1.0, 1.0)?;
    let bar = generate::bar(8, 8, 8, 1.0)?;
    let (flat, solid) = (&sheet.positions, &bar.positions);
    let builder = |x: &[Vec3]| Model::with_masses(vec![0.01; x.len()]);
    let edges = || EdgeSprings::new(flat, &sheet.edges(), 100.0);
    let tets = |range| TetStrain::new(solid, &bar.tets, 1000.0, range);
    match part {
        "edges" => local(builder(flat).energy(edges()?), flat, repeats),
        "triangles" => {
            let batch = TriStrain::new(flat, &sheet.triangles, 100.0, StrainRange::RIGID)?;
            local(builder(flat).energy(batch), flat, repeats)
        }
        "bending" => {
            let rings = Rings::new(&sheet).interior();
            let view = RingsRef {
                vertices: &rings.vertices,
                offsets: &rings.offsets,
                neighbours: &rings.neighbours,
            };
            let batch = Bending::new(flat, view, 0.01, BendingWeights::MeanValue)?;
            local(builder(flat).energy(batch), flat, repeats)
        }
        "tets-rigid" => local(builder(solid).energy(tets(StrainRange::RIGID)?), solid, repeats),
        "tets-range" => local(builder(solid).energy(tets(StrainRange::uniform(0.95, 1.05))?), solid, repeats),
        "panels-cloth" => solve(builder(flat).energy(edges()?), repeats),
        "panels-solid" => solve(builder(solid).energy(tets(StrainRange::RIGID)?), repeats),
        _ => Err(format!("no part {part}").into()),
    }
}

fn local(builder: ModelBuilder, x: &[Vec3], repeats: usize) -> Result<(), Error> {
    let model = builder.build()?;
    let moved: Vec<Vec3> = x
        .iter()
        .enumerate()
        .map(|(k, x)| x + Vec3::repeat(0.01 * ((7 * k % 11) as f64 - 5.0) / 5.0))
        .collect();
    let mut step = CpuLocal::default();
    step.prepare(&model)?;
    let mut b = vec![Vec3::zeros(); x.len()];
    for _ in 0..repeats {
        step.run(LocalInput { model: &model, dt: 0.01, s: &moved, x: &moved }, &mut b)?;
    }
    Ok(())
}

fn solve(builder: ModelBuilder, repeats: usize) -> Result<(), Error> {
    let model = builder.build()?;
    let mut solver = PanelCholesky::default();
    solver.factor(&model.system_matrix(0.01))?;
    let b = right_hand_side(model.vertices());
    let mut x = vec![0.0; b.len()];
    for _ in 0..repeats {
        solver.solve(&b, &mut x, 3)?;
    }
    Ok(())
}
