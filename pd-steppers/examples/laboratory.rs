//! Prints how far every method is from the implicit Euler step over its iterations, and what an iteration takes.
//!
//! `cargo run --release -p pd-steppers --example laboratory`

use pd_constraints::{EdgeSprings, Material, Pins, StableNeoHookean, TetElastic, lumped_masses_tets};
use pd_core::{
    Acceleration, CpuLocal, Model, ProjectiveDynamics, State, StepContext, StepParams, Stepper, Vec3,
};
use pd_linear::{PanelCholesky, Precision};
use pd_mesh::generate;
use pd_steppers::{Admm, BlockXpbd, FusedJacobi, Newton, SteepestDescent, Vbd, Xpbd};
use std::io::Write;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// A cloth of 40×40 cells held by two corners, moving.
fn cloth() -> Result<(Model, State), Failure> {
    let mesh = generate::grid(40, 40, 1.0, 1.0)?;
    let model = Model::builder(&mesh.positions, 0.2)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 500.0)?)
        .energy(Pins::new(&mesh.positions, &[0, 40], 1e4)?)
        .build()?;
    Ok((model, State::at_rest(mesh.positions)))
}

/// A bar of stable Neo-Hookean rubber, 1 m long, held at one end.
fn bar() -> Result<(Model, State), Failure> {
    let mesh = generate::bar(4, 4, 16, 1.0 / 16.0)?;
    let (x, low) = (&mesh.positions, mesh.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min));
    let end: Vec<u32> = (0..x.len() as u32).filter(|&v| x[v as usize].z < low + 1e-9).collect();
    let model = Model::with_masses(lumped_masses_tets(x, &mesh.tets, 1000.0)?)
        .energy(TetElastic::<StableNeoHookean>::new(x, &mesh.tets, Material::new(1e5, 0.4, 1000.0)?)?)
        .energy(Pins::new(x, &end, 1e6)?)
        .build()?;
    Ok((model, State::at_rest(mesh.positions)))
}

fn contenders() -> Vec<(&'static str, Box<dyn Stepper>)> {
    let panels = || Box::new(PanelCholesky::new(Precision::Single));
    let pd = |acceleration| {
        Box::new(ProjectiveDynamics::with_parts(Box::new(CpuLocal::default()), panels(), acceleration))
    };
    vec![
        ("newton", Box::new(Newton::with_boxed(panels()))),
        ("pd", pd(Acceleration::None)),
        ("pd-lbfgs", pd(Acceleration::Lbfgs { window: 5 })),
        ("admm", Box::new(Admm::with_boxed(panels()))),
        ("admm-consensus", Box::new(Admm::consensus())),
        ("fused-jacobi", Box::new(FusedJacobi::default())),
        ("descent", Box::new(SteepestDescent::default())),
        ("vbd", Box::new(Vbd::default())),
        ("vbd-chebyshev", Box::new(Vbd::accelerated(0.9))),
        ("xpbd-block", Box::new(BlockXpbd::default())),
        ("xpbd", Box::new(Xpbd::default())),
    ]
}

fn main() -> Result<(), Failure> {
    let mut out = std::io::stdout();
    for (name, scene) in [("cloth 40×40", cloth()?), ("rubber bar", bar()?)] {
        let (model, mut state) = scene;
        let exact = StepParams { iterations: 60, tolerance: 1e-12, ..StepParams::default() };
        let mut newton = Newton::new(PanelCholesky::new(Precision::Double));
        newton.prepare(StepContext::of(&model, &exact))?;
        for _ in 0..20 {
            newton.step(StepContext::of(&model, &exact), &mut state)?;
        }
        let mut reference = state.clone();
        newton.step(StepContext::of(&model, &exact), &mut reference)?;
        let far = |x: &[Vec3]| x.iter().zip(&reference.x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let motion = far(&state.x);
        writeln!(out, "{name}: {} vertices; error of frame 21 over its motion", model.vertices())?;
        for (name, mut stepper) in contenders() {
            write!(out, "| `{name}` |")?;
            for iterations in [1, 3, 10, 30, 100] {
                let params = StepParams { iterations, ..StepParams::default() };
                let context = StepContext::of(&model, &params);
                stepper.prepare(context)?;
                let mut next = state.clone();
                let started = Instant::now();
                let outcome = stepper.step(context, &mut next);
                let ms = started.elapsed().as_secs_f64() * 1e3;
                match outcome {
                    Ok(_) => write!(out, " {:.0e} ({ms:.1} ms) |", far(&next.x) / motion)?,
                    Err(_) => write!(out, " diverges |")?,
                }
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
