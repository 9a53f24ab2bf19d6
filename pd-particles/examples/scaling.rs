//! Cost of a frame over the number of grains, from a thousand to a million:
//! `cargo run --release -p pd-particles --example scaling [FILE.svg]`.
//!
//! A block of loose grains falls on the floor; frames after the impact are timed. Prints milliseconds a frame and the exponent of
//! the fit t ~ n^p; writes the plot if a file is named. With one thread (`THREADS=1`, the default) the time is that of the
//! processor where the system tells it, so that other programs do no harm; with more it is that of the clock.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the terminal")]

use pd_core::{Real, Stepper, Vec3};
use pd_particles::scenes::Scene;
use pd_particles::{Friction, Material, ParticleModel, SubstepSettings, UnifiedSubstep};
use std::fmt::Write as _;
use std::time::Instant;

/// Loose grains in a block as wide as it is deep, half as high.
fn block(n: usize) -> Scene {
    let side = (2.0 * n as Real).cbrt().ceil() as usize;
    let shift = |k: usize| ((k * 7919 % 101) as Real / 101.0 - 0.5) * 0.02;
    let at: Vec<Vec3> = (0..n)
        .map(|k| {
            Vec3::new((k % side) as Real, (k / side / side) as Real + 0.6, (k / side % side) as Real) * 0.11
        })
        .enumerate()
        .map(|(k, p)| p + Vec3::new(shift(k), 0.0, shift(k + 17)))
        .collect();
    let sand = Material { radius: 0.05, mass: 1.0, friction: Friction::new(0.5) };
    Scene::on_floor("block", 1.0, ParticleModel::builder().grains("sand", &at, sand).build().unwrap())
        .unwrap()
}

/// Milliseconds that this thread has worked; of the clock where the system does not say.
fn worked(started: &Instant, threads: usize) -> Real {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok().filter(|_| threads == 1);
    let nanoseconds = told.and_then(|told| told.split_whitespace().next()?.parse::<Real>().ok());
    nanoseconds.map_or_else(|| started.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// Mean time of a frame, ms: twenty frames after the impact, again and again until it is long enough to be told.
fn measure(n: usize, threads: usize) -> Real {
    let scene = block(n);
    let settings = SubstepSettings { substeps: 8, ..SubstepSettings::default() };
    let mut stepper = UnifiedSubstep::new(scene.particles.clone(), settings);
    stepper.prepare(scene.context()).unwrap();
    let mut state = scene.state();
    for _ in 0..10 {
        stepper.step(scene.context(), &mut state).unwrap();
    }
    let (rounds, started) = (100_000_usize.div_ceil(n), Instant::now());
    let before = worked(&started, threads);
    for _ in 0..rounds {
        let mut state = state.clone();
        for _ in 0..20 {
            stepper.step(scene.context(), &mut state).unwrap();
        }
    }
    (worked(&started, threads) - before) / (20 * rounds) as Real
}

fn main() {
    let most = std::env::var("MOST").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let threads = std::env::var("THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let sizes: Vec<usize> = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
        .into_iter()
        .filter(|&n| n <= most)
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut rows = vec![];
    for &n in &sizes {
        let frame = pool.install(|| measure(n, threads));
        println!(
            "{n:8} grains: {frame:9.2} ms a frame, {:.1} ns a grain and substep",
            frame * 1e6 / (8 * n) as Real
        );
        rows.push((n as Real, frame));
    }
    println!("t ~ n^{:.3}", exponent(&rows));
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, plot(&rows)).unwrap();
    }
}

/// Slope of the least-squares line through the logarithms.
fn exponent(rows: &[(Real, Real)]) -> Real {
    let logs: Vec<(Real, Real)> = rows.iter().map(|(n, t)| (n.ln(), t.ln())).collect();
    let n = logs.len() as Real;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<Real>() / n, logs.iter().map(|p| p.1).sum::<Real>() / n);
    let over: Real = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    over / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<Real>()
}

/// Both axes logarithmic; a line of slope one through the last point.
fn plot(rows: &[(Real, Real)]) -> String {
    let place = |n: Real, t: Real| (60.0 + (n.log10() - 3.0) * 140.0, 330.0 - (t.log10() + 1.0) * 65.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 520 380\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"520\" height=\"380\" fill=\"white\"/>\n",
    );
    for power in 3..=6 {
        let (x, _) = place(Real::powi(10.0, power), 1.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} 330V5\" stroke=\"#ddd\"/><text x=\"{x}\" y=\"348\" text-anchor=\"middle\">1e{power}</text>"
        );
    }
    for power in -1..=3 {
        let (_, y) = place(1.0, Real::powi(10.0, power));
        let _ = writeln!(
            svg,
            "<path d=\"M60 {y}H500\" stroke=\"#ddd\"/><text x=\"54\" y=\"{}\" text-anchor=\"end\">{} ms</text>",
            y + 4.0,
            Real::powi(10.0, power)
        );
    }
    let (n, t) = rows[rows.len() - 1];
    let ((x0, y0), (x1, y1)) = (place(1e3, t * 1e3 / n), place(1e6, t * 1e6 / n));
    let _ = writeln!(
        svg,
        "<path d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}\" stroke=\"#999\" stroke-dasharray=\"4\"/>"
    );
    let path: Vec<String> =
        rows.iter().map(|&(n, t)| place(n, t)).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#2468a8\" stroke-width=\"2\"/>",
        path.join("L")
    );
    for &(n, t) in rows {
        let (x, y) = place(n, t);
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#2468a8\"/>");
    }
    let _ = writeln!(
        svg,
        "<text x=\"280\" y=\"370\" text-anchor=\"middle\">grains; dashed: proportional</text>\n</svg>"
    );
    svg
}
