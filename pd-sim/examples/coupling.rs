//! What coupled scenes promise, measured: how much gets through a cloth, and what hangs on its pins.
//!
//! `cargo run --release -p pd-sim --example coupling -- water-on-cloth 100000 20` fills the fluid of a scene with that many points,
//! runs so many frames and prints, frame by frame, the points below the cloth and those that ran off it, the fastest point, and the impulse of the pins over
//! what gravity and motion ask for since the start.
#![allow(clippy::print_stdout, reason = "a report program")]

use pd_sim::prelude::*;
use pd_sim::scene::{Matter, read_desc};

/// Points under the cloth, inside of its border: on the far side of the triangle straight above or below.
fn through(surface: &[[u32; 3]], x: &[Vec3], points: std::ops::Range<usize>) -> usize {
    let mut count = 0;
    for point in points {
        let p = x[point];
        for t in surface {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let area = |p: Vec3, q: Vec3, r: Vec3| (q.x - p.x) * (r.z - p.z) - (q.z - p.z) * (r.x - p.x);
            let whole = area(a, b, c);
            let w = [area(p, b, c) / whole, area(a, p, c) / whole, area(a, b, p) / whole];
            if w.iter().all(|w| *w >= 0.0) {
                let height = a.y * w[0] + b.y * w[1] + c.y * w[2];
                count += usize::from(p.y < height);
                break;
            }
        }
    }
    count
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "water-on-cloth".into());
    let wanted: f64 = arguments.next().map_or(Ok(0.0), |n| n.parse())?;
    let frames: usize = arguments.next().map_or(Ok(60), |n| n.parse())?;
    let (mut desc, _) = read_desc(&name)?;
    if let (Some(grid), Some(fluid)) = (&mut desc.grid, desc.fluids.first())
        && wanted > 0.0
    {
        let volume: f64 = (0..3).map(|a| fluid.max[a] - fluid.min[a]).product();
        let finer = grid.dx / (2.0 * (volume / wanted).cbrt());
        grid.dx /= finer;
        grid.cells = grid.cells.map(|n| (f64::from(n) * finer).ceil() as u32);
    }
    let scene = Scene::from_desc(&name, desc, None, &ModelPaths::from_env([]))?;
    let surface: Vec<[u32; 3]> =
        scene.objects.iter().flat_map(|o| o.surface.iter().map(|t| t.map(|v| v + o.first))).collect();
    let pins: Vec<(usize, Vec3, f64)> = {
        let (model, rest) = (scene.model(0.0)?, scene.rest());
        let weight = scene.desc.objects.first().and_then(|o| o.pins.first()).map_or(0.0, |pin| pin.weight);
        model.pinned().iter().map(|&i| (i as usize, rest[i as usize], weight)).collect()
    };
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    run.prepare()?;
    let elastic = run.scene.rest().len();
    let points = elastic..run.sim.state.x.len();
    let steps = run.scene.steps_per_frame();
    println!("{name}: {elastic} vertices, {} points, {steps} steps a frame", points.len());
    let mut masses = run.sim.model.masses()[..elastic].to_vec();
    if let Matter::Mixed(mixed) = &run.scene.matter {
        let grains = mixed.particles.iter().flat_map(|model| model.masses());
        masses.extend(grains.chain(mixed.grid.iter().flat_map(|grid| &grid.masses)));
    }
    let (gravity, dt, damping) = (9.8, run.sim.params.dt, run.sim.params.damping);
    let weight: f64 = masses.iter().sum::<f64>() * gravity;
    let (mut impulse, mut lost, mut asked) = (0.0, 0.0, 0.0);
    for frame in 1..=frames {
        let started = std::time::Instant::now();
        for _ in 0..steps {
            run.sim.step()?;
            let x = &run.sim.state.x;
            impulse += dt * pins.iter().map(|(i, at, w)| w * (at.y - x[*i].y)).sum::<f64>();
            // Damping takes part of the momentum of the cloth in every step.
            let cloth = masses.iter().zip(&run.sim.state.v).take(elastic);
            lost += dt * damping * cloth.map(|(m, v)| m * v.y).sum::<f64>();
            asked += dt * weight;
        }
        let state = &run.sim.state;
        let momentum: f64 = masses.iter().zip(&state.v).map(|(m, v)| m * v.y).sum();
        let fastest = state.v[points.clone()].iter().map(|v| v.norm()).fold(0.0, f64::max);
        let below = through(&surface, &state.x, points.clone());
        let around = pd_core::Aabb::of_points(&state.x[..elastic]);
        let beside = |x: &Vec3| {
            x.y < around.min.y || (0..3).step_by(2).any(|a| x[a] < around.min[a] || x[a] > around.max[a])
        };
        let beside = state.x[points.clone()].iter().filter(|x| beside(x)).count();
        println!(
            "frame {frame}: {:.2} s, {below} below, {beside} beside, fastest {fastest:.2} m/s, impulse of the pins {:.5} of what is asked for",
            started.elapsed().as_secs_f64(),
            impulse / (asked + momentum + lost)
        );
    }
    Ok(())
}
