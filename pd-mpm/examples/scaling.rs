//! Cost of a substep of water and memory over the number of particles, from ten thousand to ten million:
//! `cargo run --release -p pd-mpm --example scaling [FILE.svg]`.
//!
//! The beginning of a dam break, one thread, processor time where the system tells it, so that other programs do little harm. Prints
//! the table of `docs/mpm.md` and the exponent of the fit t ~ n^p; writes the plot if a file is named. `MOST=1000000` stops there.
//! Ten million particles take about 6 GB.
#![allow(clippy::print_stdout, reason = "a program that prints its figures")]

use pd_core::Real;
use pd_mpm::Transfer;
use pd_mpm::scenes;
use std::fmt::Write as _;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Particle-steps of one measurement: long enough for the clock, short enough to wait for.
const WORK: Real = 1e7;

/// What was measured with this many particles.
struct Row {
    particles: usize,
    /// A substep, ms.
    substep: Real,
    /// Bytes of scratch for a particle, and for a touched block.
    memory: [usize; 2],
}

/// Milliseconds that this thread has worked; of the clock where the system does not say.
fn worked(started: &Instant) -> Real {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split_whitespace().next()?.parse::<Real>().ok());
    nanoseconds.map_or_else(|| started.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// The least of two measurements.
fn measure(particles: Real) -> Outcome<Row> {
    let resolution = (particles / (8.0 * 2.0 * 4.0)).sqrt().round() as u32;
    let mut scene = scenes::dam_break(0.5, resolution, Transfer::Mls)?;
    let mut stepper = scene.stepper()?;
    let n = scene.state.x.len();
    scene.params.dt = scene.model.longest_substep(0.0);
    scene.run(&mut stepper, 1)?; // memory grows once
    // As in a frame, the state is read and written once for many substeps.
    scene.params.dt *= (WORK / n as Real).clamp(7.5, 200.5);
    let mut least = Real::INFINITY;
    for _ in 0..2 {
        let started = Instant::now();
        let before = worked(&started);
        scene.run(&mut stepper, 1)?;
        least = least.min((worked(&started) - before) / stepper.report().substeps as Real);
    }
    let [by_particle, by_block] = stepper.memory();
    let memory = [by_particle / n, by_block / stepper.report().touched_blocks];
    Ok(Row { particles: n, substep: least, memory })
}

fn main() -> Outcome<()> {
    let most: Real = std::env::var("MOST").ok().map_or(Ok(1e7), |n| n.parse())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = vec![];
    println!(
        "| particles | ms per substep | ns per particle | bytes per particle | bytes per touched block |"
    );
    println!("|---:|---:|---:|---:|---:|");
    for particles in [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7].into_iter().filter(|n| *n <= most) {
        let row = pool.install(|| measure(particles).map_err(|error| error.to_string()))?;
        let Row { particles, substep, memory: [by_particle, by_block] } = row;
        let each = substep * 1e6 / particles as Real;
        println!("| {particles} | {substep:.2} | {each:.1} | {by_particle} | {by_block} |");
        rows.push(row);
    }
    println!("t ~ n^{:.3}", exponent(&rows));
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, plot(&rows))?;
    }
    Ok(())
}

/// Slope of the least-squares line through the logarithms.
fn exponent(rows: &[Row]) -> Real {
    let logs: Vec<(Real, Real)> = rows.iter().map(|r| ((r.particles as Real).ln(), r.substep.ln())).collect();
    let n = logs.len() as Real;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<Real>() / n, logs.iter().map(|p| p.1).sum::<Real>() / n);
    let over: Real = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    over / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<Real>()
}

/// Both axes logarithmic; a dashed line of slope one through the last point.
fn plot(rows: &[Row]) -> String {
    let place = |n: Real, t: Real| (70.0 + (n.log10() - 4.0) * 140.0, 330.0 - (t.log10() + 1.0) * 65.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 530 380\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"530\" height=\"380\" fill=\"white\"/>\n",
    );
    for power in 4..=7 {
        let (x, _) = place(Real::powi(10.0, power), 1.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} 330V5\" stroke=\"#ddd\"/><text x=\"{x}\" y=\"348\" text-anchor=\"middle\">1e{power}</text>"
        );
    }
    for (power, label) in [(-1, "0.1 ms"), (0, "1 ms"), (1, "10 ms"), (2, "100 ms"), (3, "1 s")] {
        let (_, y) = place(1.0, Real::powi(10.0, power));
        let _ = writeln!(
            svg,
            "<path d=\"M70 {y}H510\" stroke=\"#ddd\"/><text x=\"64\" y=\"{}\" text-anchor=\"end\">{label}</text>",
            y + 4.0
        );
    }
    let points: Vec<(Real, Real)> = rows.iter().map(|r| place(r.particles as Real, r.substep)).collect();
    if let Some(last) = rows.last() {
        let each = last.substep / last.particles as Real;
        let ((x0, y0), (x1, y1)) = (place(1e4, 1e4 * each), place(1e7, 1e7 * each));
        let _ = writeln!(
            svg,
            "<path d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}\" stroke=\"#999\" stroke-dasharray=\"4\"/>"
        );
    }
    for (x, y) in points {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#2468a8\"/>");
    }
    svg += "<text x=\"290\" y=\"370\" text-anchor=\"middle\">particles; a substep; dashed: proportional</text>\n</svg>\n";
    svg
}
