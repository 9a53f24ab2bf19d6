//! Draws the experiments of docs/laboratory.md: `cargo run -p pd-tables --example laboratory -- docs/images`.

#![allow(clippy::print_stdout, reason = "a program")]

use pd_constraints::{EdgeSprings, Pins};
use pd_core::{Model, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_sim::Registry;
use pd_steppers::Symplectic;
use pd_tables::plot::{Line, Plot};
use std::error::Error;
use std::path::Path;

type Answer<T> = Result<T, Box<dyn Error>>;
type Points = Vec<(f64, f64)>;

fn stepper(name: &str) -> Answer<Box<dyn Stepper>> {
    Ok(Registry::standard().stepper(name, "cholesky")?)
}

/// Extension of a hanging rope of 1 m, 1 kg and 1,000 N at rest, over the closed form g (n + 1)/(2 n K).
fn rope(name: &str, n: u32, iterations: usize) -> Answer<Real> {
    let x: Vec<Vec3> = (0..=n).map(|k| -Vec3::y() * (Real::from(k) / Real::from(n))).collect();
    let edges: Vec<[u32; 2]> = (0..n).map(|k| [k, k + 1]).collect();
    let (stiffness, mass) = (1000.0 * Real::from(n), 1.0 / Real::from(n));
    let model = Model::with_masses(vec![mass; n as usize + 1])
        .energy(Pins::new(&x, &[0], 1e7)?)
        .energy(EdgeSprings::new(&x, &edges, stiffness)?)
        .build()?;
    let params = StepParams { iterations, damping: 20.0, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let (mut stepper, mut state) = (stepper(name)?, State::at_rest(x));
    stepper.prepare(context)?;
    for _ in 0..400 {
        stepper.step(context, &mut state)?;
    }
    let exact = 9.8 * Real::from(n + 1) / (2.0 * Real::from(n) * 1000.0);
    Ok((state.x[0].y - state.x[n as usize].y - 1.0) / exact)
}

fn stiffness() -> Answer<[Plot; 2]> {
    let names = ["pbd", "xpbd", "xpbd-block", "vbd", "pd", "newton"];
    let counts = [1usize, 2, 5, 10, 20, 50, 100, 200, 500];
    let over = |points: &dyn Fn(&str) -> Answer<Points>| -> Answer<Vec<Line>> {
        names.iter().map(|name| Ok(Line { name: (*name).into(), points: points(name)? })).collect()
    };
    let by_iterations = over(&|name| counts.iter().map(|&k| Ok((k as f64, rope(name, 10, k)?))).collect())?;
    let by_segments =
        over(&|name| [2u32, 4, 8, 16, 32].iter().map(|&n| Ok((f64::from(n), rope(name, n, 20)?))).collect())?;
    let plot = |title: &str, x: &str, lines| Plot {
        title: title.into(),
        x: x.into(),
        y: "extension over the closed form".into(),
        lines,
    };
    Ok([
        plot("A hanging rope of 10 segments", "iterations a step", by_iterations),
        plot("The same rope, 20 iterations a step", "segments", by_segments),
    ])
}

/// A straight chain of springs held at its top, its end moved by 1 mm.
fn chain() -> Answer<(Model, State)> {
    let x: Vec<Vec3> = (0..=12).map(|k| -Vec3::y() * 0.1 * Real::from(k)).collect();
    let edges: Vec<[u32; 2]> = (0..12).map(|k| [k, k + 1]).collect();
    let model = Model::with_masses(vec![0.01; 13])
        .energy(EdgeSprings::new(&x, &edges, 500.0)?)
        .energy(Pins::new(&x, &[0], 500.0)?)
        .build()?;
    let mut state = State::at_rest(x);
    state.x[12].y -= 0.001;
    Ok((model, state))
}

/// Largest elastic energy within 2,000 steps over that at the start, up to 10¹².
fn growth(name: &str, dt: Real) -> Answer<Real> {
    let (model, mut state) = chain()?;
    let params = StepParams {
        dt,
        iterations: 20,
        gravity: Vec3::zeros(),
        hold_pinned: false,
        ..StepParams::default()
    };
    let (mut stepper, context) = (stepper(name)?, StepContext::of(&model, &params));
    stepper.prepare(context)?;
    let first = model.elastic_energy(&state.x);
    let mut most: Real = 1.0;
    for _ in 0..2000 {
        if stepper.step(context, &mut state).is_err() {
            return Ok(1e12);
        }
        most = most.max(model.elastic_energy(&state.x) / first);
    }
    Ok(most.min(1e12))
}

fn stability() -> Answer<Plot> {
    let (model, _) = chain()?;
    let params = StepParams::default();
    let mut symplectic = Symplectic::default();
    symplectic.prepare(StepContext::of(&model, &params))?;
    let limit = symplectic.step_limit().unwrap_or(1.0);
    let factors = [0.1, 0.3, 0.6, 0.9, 0.98, 1.02, 1.1, 1.5, 3.0, 10.0, 30.0, 100.0];
    let line = |name: &str| -> Answer<Line> {
        let points = factors.iter().map(|&f| Ok((f, growth(name, f * limit)?))).collect::<Answer<_>>()?;
        Ok(Line { name: name.into(), points })
    };
    Ok(Plot {
        title: format!("A chain of springs: step limit of symplectic Euler {:.2} ms", 1e3 * limit),
        x: "time step over the limit".into(),
        y: "largest elastic energy over that at the start".into(),
        lines: ["symplectic", "newton", "pd", "vbd", "xpbd"].map(line).into_iter().collect::<Answer<_>>()?,
    })
}

/// Part of its energy that a cloth swinging about one edge has lost, at every tenth step of 1/240 s.
fn swing(name: &str) -> Answer<Line> {
    let mesh = pd_mesh::generate::grid(4, 4, 1.0, 1.0)?;
    let x = &mesh.positions;
    let model = Model::builder(x, 0.2)
        .energy(EdgeSprings::new(x, &mesh.edges(), 400.0)?)
        .energy(Pins::new(x, &[0, 1, 2, 3, 4], 1e4)?)
        .build()?;
    let params = StepParams { dt: 1.0 / 240.0, iterations: 30, tolerance: 1e-10, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let (mut stepper, mut state) = (stepper(name)?, State::at_rest(x.clone()));
    stepper.prepare(context)?;
    let energy = |state: &State| {
        let each = model.masses().iter().zip(&state.x).zip(&state.v);
        let moving: Real = each.map(|((m, x), v)| m * (0.5 * v.norm_squared() - params.gravity.dot(x))).sum();
        moving + model.elastic_energy(&state.x)
    };
    let (before, mut points) = (energy(&state), vec![]);
    for step in 1..=480 {
        stepper.step(context, &mut state)?;
        if step % 10 == 0 {
            points.push((state.time, (before - energy(&state)).abs() / (0.2 * 9.8 * 0.5)));
        }
    }
    Ok(Line { name: name.into(), points })
}

fn main() -> Answer<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let write = |name: &str, plot: &Plot| -> Answer<()> {
        let drawing = plot.drawing();
        std::fs::write(Path::new(&directory).join(format!("{name}.svg")), drawing.svg())?;
        Ok(())
    };
    let [iterations, segments] = stiffness()?;
    write("lab-stiffness-iterations", &iterations)?;
    write("lab-stiffness-segments", &segments)?;
    write("lab-step-limit", &stability()?)?;
    let lines = ["newton", "newton+bdf2", "newton+midpoint", "pd+bdf2"].map(swing);
    let plot = Plot {
        title: "A cloth that swings about one edge, steps of 1/240 s".into(),
        x: "time, s".into(),
        y: "energy lost or gained, over what gravity gives".into(),
        lines: lines.into_iter().collect::<Answer<_>>()?,
    };
    write("lab-swing-energy", &plot)?;
    for plot in [&iterations, &segments, &plot] {
        for line in &plot.lines {
            let ends = [line.points.first(), line.points.last()].map(|p| p.copied().unwrap_or_default());
            println!("{}: {} {:?} … {:?}", plot.title, line.name, ends[0], ends[1]);
        }
    }
    Ok(())
}
