//! All pairs of points within a distance, timed: `cargo run --release -p pd-particles --example neighbours -- N THREADS FILE`.
//!
//! Writes the points to FILE (three doubles each, little-endian), for `benches/peers/neighbours.py` to search the same.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the terminal")]

use pd_core::{Real, Vec3};
use pd_particles::{Axes, Grid, Pairs};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (n, threads) = (number(100_000), number(2));
    // Splitmix64: uniform in the unit cube, the same everywhere.
    let random = |k: u64| {
        let z = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as Real / (1_u64 << 53) as Real
    };
    let at = |i: u64| Vec3::new(random(3 * i + 1), random(3 * i + 2), random(3 * i + 3));
    let points: Vec<Vec3> = (0..n as u64).map(at).collect();
    // Ten neighbours each, on average.
    let reach = (10.0 / (n as Real * 4.0 / 3.0 * std::f64::consts::PI)).cbrt();
    if let Some(file) = arguments.next() {
        let bytes =
            points.iter().flat_map(|p| [p.x, p.y, p.z]).flat_map(Real::to_le_bytes).collect::<Vec<u8>>();
        std::fs::write(file, bytes).unwrap();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (least, found) = pool.install(|| {
        let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
        let mut least = Real::INFINITY;
        for _ in 0..9 {
            let started = Instant::now();
            grid.build(&points, reach, Axes::default());
            pairs.within(&grid, &points, reach);
            least = least.min(started.elapsed().as_secs_f64());
        }
        (least, pairs.len())
    });
    println!(
        "{{\"points\": {n}, \"reach\": {reach:.17}, \"pairs\": {found}, \"ms\": {:.3}, \"threads\": {threads}}}",
        least * 1e3
    );
}
