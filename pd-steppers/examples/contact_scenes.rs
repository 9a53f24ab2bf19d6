//! Scenes of contact at any size: does anything cross, does it come to rest, and what does it cost over the same model with
//! contact off (10 plain iterations, same run)?
//!
//! `cargo run --release -p pd-steppers --example contact_scenes -- SCENE [N] [FRAMES] [THREADS]`, SCENE being fold, tip, drape, layers,
//! small-layers, far, wedge-3, wedge-20, wedge-100, twist or squeeze. Crossings are looked for by exact predicates in every frame.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a report program that stops where something is wrong"
)]

#[path = "../tests/guarded/worlds.rs"]
mod worlds;

use pd_core::{
    CollisionSurface, CpuLocal, Model, ProjectiveDynamics, State, StepContext, StepReport, Stepper, Vec3,
};
use pd_linear::PanelCholesky;
use pd_steppers::GuardedPd;
use std::time::Instant;
use worlds::Scene;

/// Processor time of this thread, s, or wall time where the system does not say: what counts on a busy machine.
fn seconds(threads: usize) -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok().filter(|_| threads == 1);
    let used = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    used.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// Frames summed in one line.
const GROUP: usize = 30;

fn scene(name: &str, n: usize) -> Scene {
    match name {
        "fold" => worlds::fold(n),
        "tip" => worlds::tip(n),
        "wedge-3" => worlds::knife(n, 3.0),
        "drape" => worlds::drape(n),
        "layers" => worlds::three_layers(n, 1.0),
        "small-layers" => worlds::three_layers(n, 1e-3),
        "far" => worlds::far_fold(n, 1e5),
        "wedge-20" => worlds::knife(n, 20.0),
        "wedge-100" => worlds::knife(n, 100.0),
        "twist" => worlds::twist(n),
        "squeeze" => worlds::squeeze(n),
        other => panic!("there is no scene {other:?}"),
    }
}

/// A frame from a state with contact off, ms.
fn plain_frame(plain: &mut ProjectiveDynamics, model: &Model, scene: &Scene) -> f64 {
    let params = pd_core::StepParams { iterations: 10, ..scene.params };
    let context = StepContext::new(model, &params, &[], &[]);
    // The clock of a thread may be as coarse as 4 ms.
    let repeat = (400_000 / scene.free).clamp(8, 400);
    let mut state = State::new(scene.state.x.clone(), scene.state.v.clone());
    let started = seconds(rayon::current_num_threads());
    for _ in 0..repeat {
        state.x.copy_from_slice(&scene.state.x);
        state.v.copy_from_slice(&scene.state.v);
        plain.step(context, &mut state).expect("steps");
    }
    1e3 * (seconds(rayon::current_num_threads()) - started) / repeat as f64
}

fn run(name: &str, n: usize, frames: usize) {
    let mut scene = scene(name, n);
    let global = || Box::new(PanelCholesky::default());
    let mut stepper = GuardedPd::new(Box::new(CpuLocal::default()), global(), scene.options);
    stepper.prepare(scene.context()).expect("prepares");
    let mut plain = ProjectiveDynamics::with_local(Box::new(CpuLocal::default()), global());
    let elastic = self::scene(name, n).model.into_builder().surface(CollisionSurface::default());
    let elastic = elastic.build().expect("builds");
    let params = pd_core::StepParams { iterations: 10, ..scene.params };
    plain.prepare(StepContext::new(&elastic, &params, &[], &[])).expect("prepares");
    println!("{name} {n}: {} vertices, {} triangles", scene.free, scene.model.surface().triangles.len());
    println!(
        "    frames      ms   plain  ratio |  local  solve   rows  lists  other | iter  sol built rounds clamp    rows   pairs  planes  min gap   kinetic cross"
    );
    let (mut done, mut crossed) = (0, 0);
    while done < frames {
        let (mut total, mut sum) = (0.0, StepReport::default());
        let (mut busy, mut elapsed) = (0.0, 0.0);
        let (mut fastest, mut solves, mut lists, mut built, mut rounds, mut clamped) =
            (f64::INFINITY, 0, 0.0, 0, 0, 0);
        let count = GROUP.min(frames - done);
        for _ in 0..count {
            let (started, wall) = (seconds(rayon::current_num_threads()), Instant::now());
            let report = scene.step(&mut stepper);
            let time = 1e3 * (seconds(rayon::current_num_threads()) - started);
            // Stages are in wall time; they are shown as parts of the processor time.
            busy += time;
            elapsed += 1e3 * wall.elapsed().as_secs_f64();
            total += time;
            fastest = fastest.min(time);
            let contact = report.contact.expect("contact");
            solves += contact.solves;
            lists += 1e3 * contact.listing.as_secs_f64();
            built += contact.rebuilds;
            rounds += contact.rounds;
            clamped += contact.clamped;
            sum = sum.followed_by(&report);
            crossed += usize::from(scene.crossings() > 0);
        }
        let plain_ms = plain_frame(&mut plain, &elastic, &scene);
        let each = |value: f64| value / count as f64;
        lists *= busy / elapsed;
        let ms = |time: std::time::Duration| each(1e3 * time.as_secs_f64() * busy / elapsed);
        let (local, global, collide) = (ms(sum.stages.local), ms(sum.stages.global), ms(sum.stages.collide));
        let contact = sum.contact.expect("contact");
        println!(
            "{:>4} -{:>4} {:7.1} {plain_ms:7.1} {:6.2} | {local:6.1} {global:6.1} {:6.1} {:6.1} {:6.1} | {:4.1} {:4.1} {built:>5} {:6.2} {clamped:>5} {:7} {:7} {:7} {:8.1e} {:9.1e} {crossed:>5}  (fastest {fastest:.1})",
            done + 1,
            done + count,
            each(total),
            each(total) / plain_ms,
            collide - each(lists),
            each(lists),
            each(total) - local - global - collide - ms(sum.stages.predict),
            each(sum.iterations as f64),
            each(solves as f64),
            each(rounds as f64),
            contact.rows,
            stepper.list_size().pairs,
            stepper.list_size().planes,
            contact.min_gap,
            scene.kinetic(),
        );
        done += count;
    }
    let x = &scene.state.x[..scene.free];
    let middle = x.iter().sum::<Vec3>() / x.len() as f64;
    println!("ends with its centre at {:.6} {:.6} {:.6}", middle.x, middle.y, middle.z);
}

fn main() {
    let word = |k: usize| std::env::args().nth(k);
    let number = |k: usize, default: usize| word(k).and_then(|w| w.parse().ok()).unwrap_or(default);
    let name = word(1).unwrap_or("fold".to_owned());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number(4, 1)).build().expect("threads");
    pool.install(|| run(&name, number(2, 140), number(3, 600)));
}
