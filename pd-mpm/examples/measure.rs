//! Measures the physics and the speed of material points and prints the figures.
//!
//! `cargo run --release -p pd-mpm --example measure -- tank|dam|sand|drop|float|speed [size]`
#![allow(clippy::print_stdout, reason = "a program that prints its figures")]

use pd_core::{Real, StepError, Stepper, Vec3};
use pd_mpm::scenes::{self, Scene};
use pd_mpm::{Transfer, Water, measure};
use std::sync::Arc;
use std::time::Instant;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Martin and Moyce (1952), table 2: T = t √(2g/a) and Z = front/a for a column of width a and height 2a.
const RECORD: [(Real, Real); 15] = [
    (0.41, 1.11),
    (0.84, 1.22),
    (1.19, 1.44),
    (1.43, 1.67),
    (1.63, 1.89),
    (1.83, 2.11),
    (1.98, 2.33),
    (2.20, 2.56),
    (2.32, 2.78),
    (2.51, 3.00),
    (2.65, 3.22),
    (2.83, 3.44),
    (2.98, 3.67),
    (3.11, 3.89),
    (3.33, 4.11),
];

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = arguments.get(1).map(|s| s.parse()).transpose()?;
    match arguments.first().map(String::as_str) {
        Some("tank") => tank(size.unwrap_or(16)),
        Some("dam") => dam(size.unwrap_or(16)),
        Some("sand") => sand(size.unwrap_or(20)),
        Some("drop") => drop(size.unwrap_or(8)),
        Some("float") => float(size.unwrap_or(8)),
        Some("speed") => speed(size.unwrap_or(100_000)),
        _ => Err("tank, dam, sand, drop, float or speed".into()),
    }
}

/// Water at rest: bottom force, pressure by depth, volume, speeds; weakly compressible and by the pressure solver.
fn tank(resolution: u32) -> Outcome {
    let depth = 0.5;
    let mut scene = scenes::water_tank(depth, resolution)?;
    let mut stepper = scene.stepper()?;
    println!("tank of {depth} m, {resolution} cells deep, {} particles, mpm", scene.state.x.len());
    let water = Water::new(1000.0, scene.model.sound_speed())?;
    for second in 1..=10 {
        let mut impulse = Vec3::zeros();
        for _ in 0..60 {
            scene.run(&mut stepper, 1)?;
            impulse += stepper.report().impulses.walls[2];
        }
        let j = scene.state.columns.real("mpm.j").to_vec();
        let mean = |value: &dyn Fn(usize) -> Real| {
            measure::layers(&scene.model, &scene.state, [0.0, depth], 8, value)
        };
        let (heights, found) = (mean(&|p| scene.state.x[p].y), mean(&|p| water.pressure(j[p])));
        tank_line(&scene, second, depth, impulse.y, heights.into_iter().zip(found));
    }
    let mut scene = scenes::water_tank(depth, resolution)?;
    let mut stepper = scene.pressure_stepper()?;
    println!("the same, pressure solver");
    for second in 1..=10 {
        let mut impulse = 0.0;
        for _ in 0..60 {
            scene.run(&mut stepper, 1)?;
            impulse += stepper.report().walls[2].y;
        }
        let [_, ny, nz] = scene.model.cells().map(|n| n as usize);
        let p = scene.state.columns.real("mpm.pressure");
        let column =
            (0..resolution as usize).map(|j| ((j as Real + 0.5) * scene.model.dx(), p[(ny + j) * nz + 1]));
        tank_line(&scene, second, depth, impulse, column);
    }
    Ok(())
}

/// Prints what water at rest shows after a second in which the floor pushed with `impulse`; pressures by height.
fn tank_line(
    scene: &Scene,
    second: u32,
    depth: Real,
    impulse: Real,
    pressures: impl Iterator<Item = (Real, Real)>,
) {
    let weight = scene.points.masses().iter().sum::<Real>() * 9.8;
    let (_, speed) = measure::motion(scene.points.masses(), &scene.state);
    let volume = 2.0 * scene.state.x.iter().map(|x| x.y).sum::<Real>() / scene.state.x.len() as Real;
    let ratios: Vec<String> = pressures.map(|(y, p)| format!("{:.3}", p / (9800.0 * (depth - y)))).collect();
    println!(
        "t {second:2} s: bottom force {:.4} of the weight, volume {:.4} of the first, fastest {speed:.4} m/s, p/ρgz {}",
        impulse / weight,
        volume / depth,
        ratios.join(" ")
    );
}

/// The dam break beside the record.
fn dam(resolution: u32) -> Outcome {
    for transfer in [Transfer::Flip { blend: 0.99 }, Transfer::Mls] {
        let a = 0.05715;
        let mut scene = scenes::dam_break(a, resolution, transfer)?;
        scene.params.dt = 1e-3;
        let mut stepper = scene.stepper()?;
        println!(
            "dam break, {transfer:?}, {resolution} cells to the width, {} particles",
            scene.state.x.len()
        );
        let unit = (2.0 * 9.8 / a).sqrt();
        let mut worst: Real = 0.0;
        let mut last = (0.0, 1.0);
        let mut record = RECORD.iter().peekable();
        while let Some(&&(t, z)) = record.peek() {
            scene.run(&mut stepper, 1)?;
            let now = (scene.state.time * unit, (measure::front(&scene.model, &scene.state, 0.999)) / a);
            if now.0 >= t {
                let share = (t - last.0) / (now.0 - last.0);
                let found = last.1 + share * (now.1 - last.1);
                println!("T {t:.2}: front {found:.3}, record {z:.2}, {:+.1} %", (found / z - 1.0) * 100.0);
                worst = worst.max((found / z - 1.0).abs());
                record.next();
            }
            last = now;
        }
        println!("worst {:.1} %", worst * 100.0);
    }
    Ok(())
}

/// Heaps that begin less and more steep than their friction angle, and what a column leaves.
fn sand(resolution: u32) -> Outcome {
    for degrees in [25.0, 35.0] {
        for (transfer, more) in
            [Transfer::Mls, Transfer::Apic].map(|t| [-2.0, 2.0, 4.0, 5.0].map(|more| (t, more))).concat()
        {
            let start = degrees + more;
            let mut scene =
                scenes::sand_heap(0.4, resolution, Real::to_radians(start), Real::to_radians(degrees))?;
            scene.model = Arc::new((*scene.model).clone().into_builder().transfer(transfer).build()?);
            let mut stepper = scene.stepper()?;
            let slope = |scene: &Scene| measure::heap_slope(&scene.model, &scene.state).to_degrees();
            print!("sand of {degrees}°, {transfer:?}: a heap of {:.1}°", slope(&scene));
            for _ in 0..2 {
                scene.run(&mut stepper, 150)?;
                let (_, speed) = measure::motion(scene.points.masses(), &scene.state);
                print!(", {:.1} s: {:.1}°, fastest {speed:.4} m/s", scene.state.time, slope(&scene));
            }
            println!();
        }
        let mut scene = scenes::sand_column(0.2, resolution, Real::to_radians(degrees))?;
        let mut stepper = scene.stepper()?;
        scene.run(&mut stepper, 120)?;
        let (_, speed) = measure::motion(scene.points.masses(), &scene.state);
        println!(
            "sand of {degrees}°: a column as high as wide reaches {:.2} widths and is {:.2} high, fastest {speed:.4} m/s",
            measure::front(&scene.model, &scene.state, 0.99) / 0.2,
            measure::height(&scene.model, &scene.state, 0.999) / 0.2
        );
    }
    Ok(())
}

/// A rubber cube dropped on the floor.
fn drop(resolution: u32) -> Outcome {
    let mut scene = scenes::elastic_drop(0.2, resolution, 0.1, 1e5)?;
    let mut stepper = scene.stepper()?;
    for frame in 1..=60 {
        scene.run(&mut stepper, 1)?;
        if frame % 6 == 0 {
            let (energy, speed) = measure::motion(scene.points.masses(), &scene.state);
            let y = scene.state.x.iter().map(|x| x.y).sum::<Real>() / scene.state.x.len() as Real;
            println!(
                "t {:.2} s: centre {y:.4} m, kinetic {energy:.4} J, fastest {speed:.3} m/s",
                scene.state.time
            );
        }
    }
    Ok(())
}

/// Boxes in water: how deep they float, with both solvers, and what a percent of density does.
fn float(resolution: u32) -> Outcome {
    let a = 0.2;
    for density in [250.0, 500.0, 750.0] {
        let mut scene = scenes::floating_box(a, resolution, density, 0.5, Transfer::Apic)?;
        let mut stepper = scene.pressure_stepper()?;
        println!("box of {density} kg/m³, {resolution} cells high, {} particles", scene.state.x.len());
        println!("  pressure: {}", float_means(&mut scene, &mut stepper, a)?);
        let mut scene = scenes::floating_box(a, resolution, density, 0.5, Transfer::Flip { blend: 0.99 })?;
        let mut stepper = scene.stepper()?;
        println!("  mpm: {}", float_means(&mut scene, &mut stepper, a)?);
    }
    for density in [990.0, 1010.0] {
        let mut scene = scenes::floating_box(a, resolution, density, 1.4, Transfer::Apic)?;
        let mut stepper = scene.pressure_stepper()?;
        let start = scene.state.bodies.p[0].y;
        scene.run(&mut stepper, 60)?;
        println!(
            "box of {density} kg/m³ under water: {:+.4} m after a second",
            scene.state.bodies.p[0].y - start
        );
    }
    Ok(())
}

/// Mean and range of the depth in pairs of seconds.
fn float_means(scene: &mut Scene, stepper: &mut impl Stepper, a: Real) -> Result<String, StepError> {
    let mut line = String::new();
    for second in [2, 4, 6, 8] {
        let (mut sum, mut low, mut high) = (0.0, Real::INFINITY, Real::NEG_INFINITY);
        for _ in 0..120 {
            scene.run(stepper, 1)?;
            let depth = scenes::floating_depth(scene, a);
            sum += depth / 120.0;
            (low, high) = (depth.min(low), depth.max(high));
        }
        line += &format!(" {sum:.3} ({low:.3} to {high:.3}) to second {second},");
    }
    Ok(line)
}

/// Processor time of this process so far, s; 0 where the system does not tell. A machine with other work on it makes
/// wall time meaningless.
fn processor_time() -> Real {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|f| f.parse::<Real>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Particle-steps a second on one thread and two.
fn speed(particles: u32) -> Outcome {
    let resolution = (Real::from(particles) / (8.0 * 2.0 * 4.0)).sqrt().round() as u32;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut scene = scenes::dam_break(0.5, resolution, Transfer::Mls)?;
        scene.params.dt = 1e-3;
        let mut stepper = scene.stepper()?;
        pool.install(|| scene.run(&mut stepper, 2))?;
        let (mut substeps, mut best) = (0, Real::INFINITY);
        let mut stages = pd_mpm::MpmStages::default();
        let before = processor_time();
        for _ in 0..8 {
            let start = Instant::now();
            pool.install(|| scene.run(&mut stepper, 1))?;
            let each = start.elapsed().as_secs_f64() / stepper.report().substeps as Real;
            substeps += stepper.report().substeps;
            if each < best {
                (best, stages) = (each, stepper.report().stages);
                let n = stepper.report().substeps as u32;
                stages.sort /= n;
                stages.scatter /= n;
                stages.nodes /= n;
                stages.gather /= n;
            }
        }
        let n = scene.state.x.len();
        let busy = processor_time() - before;
        println!("{:.2} M particle-steps/s of processor time", (n * substeps) as Real / busy / 1e6);
        let [by_particle, by_block] = stepper.memory();
        println!(
            "{n} particles, {threads} threads: {:.2} M particle-steps/s ({:.2} ms a substep, best of 8 frames, {substeps} substeps; {stages:.2?}); {} bytes a particle, {} a touched block",
            n as Real / best / 1e6,
            best * 1e3,
            by_particle / n,
            by_block / stepper.report().touched_blocks
        );
    }
    Ok(())
}
