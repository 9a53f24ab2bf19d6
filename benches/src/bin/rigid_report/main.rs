//! Rigid bodies on one thread: a pyramid of 210 boxes with its error over the time of a frame, a chain of 100 links with an end a
//! thousand times as heavy, a triple pendulum; bodies on two threads in many islands and in one. With the feature `rapier`
//! the same beside rapier3d in the same run.
//!
//! `cargo run --release -p benches --bin rigid_report [--features rapier] [-- pyramid|joints|threads]`; without a name, all. Times
//! are medians of single frames.
#![allow(clippy::print_stdout, reason = "a report program")]

#[cfg(feature = "rapier")]
mod peer;

use pd_core::{Real, State, StepError, StepParams, Vec3};
use pd_rigid::{
    BodyDesc, JointDesc, JointKind, RigidBuilder, RigidError, RigidModel, RigidParams, RigidStepper, Shape,
    solver,
};
use std::error::Error;

use std::time::{Duration, Instant};

const FRAMES: usize = 300;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let name = std::env::args().nth(1);
    let wanted = |part: &str| name.as_deref().is_none_or(|name| name == part);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    if wanted("pyramid") {
        one.install(pyramids)?;
    }
    if wanted("joints") {
        one.install(joints)?;
    }
    if wanted("threads") {
        threads(&one)?;
    }
    Ok(())
}

/// The pyramid: error over time.
fn pyramids() -> Result<(), Failure> {
    println!(
        "| pyramid of 210 | ms a frame | sideways, mm | down, mm | finding, laying out, solving, writing, ms |\n\
         |---|---:|---:|---:|---|"
    );
    for (substeps, damping) in [(2, 1.0), (2, 4.0), (3, 1.0), (3, 2.0), (4, 1.0), (8, 1.0)] {
        let mut params = params(substeps);
        params.contact_damping = damping;
        let run = run(pyramid()?, "direct", params, FRAMES)?;
        let phases = run.phases.map(|ms| format!("{ms:.3}")).join(" ");
        println!(
            "| here, {substeps} substeps, damping {damping} | {:.3} | {} | {phases} |",
            run.ms,
            moved(&run.start, &run.end)
        );
    }
    #[cfg(feature = "rapier")]
    peer::pyramids();
    Ok(())
}

/// The chain and the pendulum.
fn joints() -> Result<(), Failure> {
    println!("| scene | engine | ms a frame | gap |\n|---|---|---:|---|");
    for substeps in [1, 4] {
        let run = run(chain()?, "direct", params(substeps), FRAMES)?;
        println!(
            "| chain of 100, 1000:1 | here, direct, {substeps} substeps | {:.4} | {:.1e} m |",
            run.ms, run.gap
        );
    }
    #[cfg(feature = "rapier")]
    [(1, 4), (1, 16), (4, 4), (16, 4)].into_iter().for_each(peer::chain);
    for (name, substeps) in [("rattle", 4), ("direct", 4), ("xpbd", 10)] {
        let run = run(pendulum()?, name, params(substeps), FRAMES)?;
        println!(
            "| triple pendulum | here, {name}, {substeps} substeps | {:.4} | {:.1e} m |",
            run.ms, run.gap
        );
    }
    #[cfg(feature = "rapier")]
    peer::pendulum((1, 4));
    Ok(())
}

/// Two threads against one, each in a run of its own: in turns each would find the other's bodies in the cache.
fn threads(one: &rayon::ThreadPool) -> Result<(), Failure> {
    println!(
        "| scene | 1 thread, ms | 2 threads, ms | times as fast | finding, laying out, solving, writing, ms |\n\
         |---|---:|---:|---:|---|"
    );
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    for (name, make) in
        [("5,000 boxes in 500 stacks", crowd as fn() -> _), ("5,000 boxes in one heap", heap as fn() -> _)]
    {
        let run = |pool: &rayon::ThreadPool| -> Result<Run, Failure> {
            let mut runner = Runner::new(make()?, "direct", params(4))?;
            pool.install(|| (0..120).try_for_each(|_| runner.frame()))?;
            Ok(runner.finish())
        };
        let [serial, parallel] = [run(one)?, run(&two)?];
        let [now, both] = [&serial, &parallel].map(|run| run.phases.map(|ms| format!("{ms:.2}")).join(" "));
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {now}; {both} |",
            serial.ms,
            parallel.ms,
            serial.ms / parallel.ms
        );
    }
    Ok(())
}

fn params(substeps: usize) -> RigidParams {
    let mut params = RigidParams::default();
    (params.substeps, params.sleep) = (substeps, false);
    params
}

/// A scene while it runs.
struct Runner {
    stepper: RigidStepper,
    state: State,
    start: Vec<Vec3>,
    times: Vec<f64>,
    phases: [Vec<f64>; 4],
    gap: Real,
}

/// What came of it: median times of a frame and of its phases, ms, places at the start and the end, the largest gap of a joint.
struct Run {
    ms: f64,
    phases: [f64; 4],
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    gap: Real,
}

impl Runner {
    fn new(builder: RigidBuilder, name: &str, params: RigidParams) -> Result<Self, Failure> {
        let (model, bodies) = builder.build();
        let stepper = RigidStepper::with_solver(model.into(), params, solver(name)?);
        let (mut state, start) = (State::default(), bodies.p.clone());
        state.bodies = bodies;
        Ok(Self { stepper, state, start, times: vec![], phases: [const { vec![] }; 4], gap: 0.0 })
    }

    fn frame(&mut self) -> Result<(), StepError> {
        let begun = Instant::now();
        self.stepper.advance(&StepParams::default(), &[], &mut self.state)?;
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        self.times.push(ms(begun.elapsed()));
        let report = self.stepper.report();
        for (times, time) in self.phases.iter_mut().zip(report.times) {
            times.push(ms(time));
        }
        self.gap = self.gap.max(report.joint_gap);
        Ok(())
    }

    fn finish(mut self) -> Run {
        let phases = self.phases.map(|mut times| median(&mut times));
        let (start, end) = (self.start, self.state.bodies.p);
        Run { ms: median(&mut self.times), phases, start, end, gap: self.gap }
    }
}

fn run(builder: RigidBuilder, name: &str, params: RigidParams, frames: usize) -> Result<Run, Failure> {
    let mut runner = Runner::new(builder, name, params)?;
    for _ in 0..frames {
        runner.frame()?;
    }
    Ok(runner.finish())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Farthest sideways and down, mm, as two columns.
fn moved(start: &[Vec3], end: &[Vec3]) -> String {
    let (mut side, mut drop) = (0.0f64, 0.0f64);
    for (a, b) in start.iter().zip(end) {
        side = side.max((b - a).x.hypot((b - a).z));
        drop = drop.max((a - b).y);
    }
    format!("{:.1} | {:.1}", side * 1e3, drop * 1e3)
}

fn cube() -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::cuboid(Vec3::repeat(0.5))?, 1000.0))
}

/// Where the boxes of the pyramid are.
fn pyramid_places() -> impl Iterator<Item = [Real; 2]> {
    (0..20).flat_map(|row| {
        (0..20 - row).map(move |k| [(k as Real - 0.5 * (19 - row) as Real) * 1.025, 0.5 + row as Real])
    })
}

fn pyramid() -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for [x, y] in pyramid_places() {
        builder.body(cube()?.at(Vec3::new(x, y, 0.0)))?;
    }
    Ok(builder)
}

/// Mass and principal moments of the links and the end of the chain, half of each one's length.
fn links() -> Vec<(Real, Vec3, Real)> {
    let mut links = vec![(1.0, Vec3::new(2e-4, 9.3e-4, 9.3e-4), 0.05); 100];
    links.push((1000.0, Vec3::repeat(36.0), 0.3));
    links
}

fn chain() -> Result<RigidBuilder, RigidError> {
    hang(&links())
}

/// Three rods of 1 kg and 1 m.
fn rods() -> Vec<(Real, Vec3, Real)> {
    vec![(1.0, Vec3::new(0.005 / 12.0, 1.0025 / 12.0, 1.0025 / 12.0), 0.5); 3]
}

fn pendulum() -> Result<RigidBuilder, RigidError> {
    hang(&rods())
}

fn hang(links: &[(Real, Vec3, Real)]) -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    let (mut before, mut x) = (None, 0.0);
    for &(mass, moments, half) in links {
        let body = builder.body(BodyDesc::point(mass, moments).at(Vec3::x() * (x + half)))?;
        builder.joint(JointDesc::new(JointKind::Ball, before, Some(body), Vec3::x() * x))?;
        (before, x) = (Some(body), x + 2.0 * half);
    }
    Ok(builder)
}

/// Stacks of ten.
fn crowd() -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for stack in 0..500 {
        let (x, z) = ((stack % 25) as Real * 2.0, (stack / 25) as Real * 2.0);
        for k in 0..10 {
            builder.body(cube()?.at(Vec3::new(x, 0.5 + k as Real, z)))?;
        }
    }
    Ok(builder)
}

/// Boxes on each other in one island, each layer of bricks across the one below.
fn heap() -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for k in 0..5000 {
        let (layer, at) = (k / 500, k % 500);
        let shift = 0.5 * (layer % 2) as Real;
        let (x, z) = ((at % 25) as Real * 1.01 + shift, (at / 25) as Real * 1.01 + shift);
        builder.body(cube()?.at(Vec3::new(x, 0.5 + layer as Real, z)))?;
    }
    Ok(builder)
}
