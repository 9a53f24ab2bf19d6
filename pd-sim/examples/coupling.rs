//! What coupled scenes promise, measured: how much gets through a cloth, and what hangs on its pins.
//!
//! `cargo run --release -p pd-sim --example coupling -- water-on-cloth 100000 20` fills the fluid of a scene with that many points,
//! runs so many frames and prints, frame by frame, the points that went through the cloth so far and those beside or below it now, the fastest point, the impulse of the pins over
//! what gravity and motion ask for since the start, and the points that the guard put back or found between surfaces that close. `0` points: as in the
//! scene.
//!
//! With a fourth word `free` nothing holds or pulls: without gravity, pins, obstacles and damping the fluid flies at the cloth, and the largest error
//! of momentum in a step is printed, in parts of what moves.
#![allow(clippy::print_stdout, reason = "a report program")]

use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::ccd::{Ccd, Cubic, PointTriangle};
use pd_core::Aabb;
use pd_couple::Coupled;
use pd_sim::prelude::*;
use pd_sim::scene::desc::SceneDesc;
use pd_sim::scene::{Matter, read_desc};

/// Speed at which the fluid flies at the cloth, m/s.
const THROWN: f64 = 3.0;

/// Leaves nothing that changes the momentum of all.
fn set_free(desc: &mut SceneDesc) {
    desc.step.gravity = [0.0; 3];
    desc.step.damping = 0.0;
    desc.colliders.clear();
    desc.objects.iter_mut().for_each(|object| object.pins.clear());
    desc.fluids.iter_mut().for_each(|fluid| fluid.velocity = [0.0, -THROWN, 0.0]);
    // Solves in single precision leave an error of momentum of their own.
    if !desc.objects.is_empty() {
        desc.solver.global = "cholesky".into();
    }
}

/// Points whose way in a step goes through a triangle that moves from `before` to `x`: roots of the cubic equation for when the four are in
/// one plane, which is not the test that the coupling itself makes.
fn through(surface: &[[u32; 3]], before: &[Vec3], x: &[Vec3], points: std::ops::Range<usize>) -> usize {
    let swept = |t: &[u32; 3]| Aabb::of_points(t.iter().flat_map(|&v| [&before[v as usize], &x[v as usize]]));
    let boxes: Vec<Aabb> = surface.iter().map(swept).collect();
    let all = boxes.iter().fold(Aabb::empty(), |all, one| all.union(one));
    let path = |i: usize| Aabb::of_points([&before[i], &x[i]]);
    let asked: Vec<usize> = points.filter(|&i| path(i).overlaps(&all)).collect();
    if asked.is_empty() {
        return 0;
    }
    let (mut tree, mut pairs) = (LinearBvh::default(), vec![]);
    tree.build(&boxes);
    tree.pairs_with(&asked.iter().map(|&i| path(i)).collect::<Vec<_>>(), &mut pairs);
    let crosses = |&[k, t]: &[u32; 2]| {
        let [a, b, c] = surface[t as usize].map(|v| v as usize);
        let corners = [asked[k as usize], a, b, c];
        let (start, end) = (corners.map(|i| before[i]), corners.map(|i| x[i]));
        Cubic.vertex_triangle(&PointTriangle { start, end, separation: 0.0 }).is_some()
    };
    let mut crossed: Vec<u32> = pairs.iter().filter(|pair| crosses(pair)).map(|pair| pair[0]).collect();
    crossed.sort_unstable();
    crossed.dedup();
    crossed.len()
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
    let free = arguments.next().is_some_and(|word| word == "free");
    if free {
        set_free(&mut desc);
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
    let momentum = |state: &State| masses.iter().zip(&state.v).map(|(m, v)| v * *m).sum::<Vec3>();
    let moving: f64 = masses.iter().zip(&run.sim.state.v).map(|(m, v)| m * v.norm()).sum();
    let (mut worst, mut crossed, mut places): (f64, usize, Vec<Vec3>) = (0.0, 0, vec![]);
    let (gravity, dt, damping) = (9.8, run.sim.params.dt, run.sim.params.damping);
    let weight: f64 = masses.iter().sum::<f64>() * gravity;
    let (mut impulse, mut lost, mut asked) = (0.0, 0.0, 0.0);
    for frame in 1..=frames {
        let started = std::time::Instant::now();
        let (mut put_back, mut stalled) = (0, 0);
        for _ in 0..steps {
            let before = momentum(&run.sim.state);
            places.clone_from(&run.sim.state.x);
            run.sim.step()?;
            crossed += through(&surface, &places, &run.sim.state.x, points.clone());
            worst = worst.max((momentum(&run.sim.state) - before).norm() / moving);
            if let Some(coupled) = run.sim.stepper().as_any().and_then(|any| any.downcast_ref::<Coupled>()) {
                put_back += coupled.report().put_back;
                stalled += coupled.report().stalled;
            }
            let x = &run.sim.state.x;
            impulse += dt * pins.iter().map(|(i, at, w)| w * (at.y - x[*i].y)).sum::<f64>();
            // Damping takes part of the momentum of the cloth in every step.
            let cloth = masses.iter().zip(&run.sim.state.v).take(elastic);
            lost += dt * damping * cloth.map(|(m, v)| m * v.y).sum::<f64>();
            asked += dt * weight;
        }
        let state = &run.sim.state;
        let upward = momentum(state).y;
        let fastest =
            |range: std::ops::Range<usize>| state.v[range].iter().map(|v| v.norm()).fold(0.0, f64::max);
        let (fastest, cloth) = (fastest(points.clone()), fastest(0..elastic));
        let around = Aabb::of_points(&state.x[..elastic]);
        let beside = |x: &Vec3| {
            x.y < around.min.y || (0..3).step_by(2).any(|a| x[a] < around.min[a] || x[a] > around.max[a])
        };
        let beside = state.x[points.clone()].iter().filter(|x| beside(x)).count();
        let what = if free {
            format!("momentum {worst:.1e} of what moves in a step at most")
        } else {
            format!("impulse of the pins {:.5} of what is asked for", impulse / (asked + upward + lost))
        };
        println!(
            "frame {frame}: {:.2} s, {crossed} through, {beside} beside, {put_back} put back, {stalled} stalled, fastest {fastest:.2} m/s and {cloth:.2} m/s of the cloth, {what}",
            started.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}
