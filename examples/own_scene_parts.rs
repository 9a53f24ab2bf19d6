//! A scene file with an energy, an obstacle, a force, a stepper and a global solver of one's own, all by name: the program
//! registers them, and the scene's `[[custom]]` and `[solver]` tables use them like those of the workspace.
//!
//! `cargo run --release -p examples --example own_scene_parts`

use pd_core::{CpuLocal, Surface};
use pd_sim::prelude::*;
use std::ops::Range;

const SCENE: &str = r#"
title = "A sheet on a leash, blown into a bowl"
contact = "project"

[solver]
stepper = "pd-twice"
global = "jacobi-40"

[[object]]
name = "sheet"
shape = { kind = "grid", rows = 8, columns = 8 }
mass = { total = 0.1 }
edge = { weight = 200.0 }

[[custom]]
kind = "leash"
object = "sheet"
vertex = 0
length = 0.4

[[custom]]
kind = "bowl"
radius = 1.2

[[custom]]
kind = "updraft"
push = 0.003
"#;

/// Energy: |x − anchor| ≤ length.
struct Leash {
    stencil: Stencil,
    anchor: Vec3,
    length: Real,
}

impl EnergyBatch for Leash {
    fn kind(&self) -> &'static str {
        "leash"
    }
    fn stencil(&self) -> &Stencil {
        &self.stencil
    }
    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        for z in z {
            *z = self.anchor + (*z - self.anchor).cap_magnitude(self.length);
        }
    }
}

/// Obstacle: the inside of a sphere about the origin.
struct Bowl {
    radius: Real,
}

impl Collider for Bowl {
    fn kind(&self) -> &'static str {
        "bowl"
    }
    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        for (p, out) in points.iter().zip(out) {
            let length = p.norm().max(1e-12);
            *out = Surface { distance: self.radius - length, normal: -p / length, velocity: Vec3::zeros() };
        }
    }
}

/// Force: the same push upwards on every vertex, N.
struct Updraft(Real);

impl Force for Updraft {
    fn kind(&self) -> &'static str {
        "updraft"
    }
    fn add(&self, _state: &View<'_>, _time: Real, _vertices: Range<usize>, force: &mut [Vec3]) {
        force.iter_mut().for_each(|force| force.y += self.0);
    }
}

/// Global solver: a fixed number of damped Jacobi sweeps.
#[derive(Default)]
struct JacobiSweeps {
    a: Csr,
    step: Vec<Real>,
}

impl GlobalSolver for JacobiSweeps {
    fn name(&self) -> &str {
        "jacobi-40"
    }
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        a.check_symmetric()?;
        self.a = a.clone();
        Ok(())
    }
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.step.resize(b.len(), 0.0); // allocates in the first solve alone
        for _ in 0..40 {
            for (k, step) in self.step.iter_mut().enumerate() {
                let (i, c) = (k / columns, k % columns);
                let (mut r, mut diagonal) = (b[k], 1.0);
                for (j, v) in self.a.row(i) {
                    r -= v * x[j * columns + c];
                    diagonal = if j == i { v } else { diagonal };
                }
                *step = 0.7 * r / diagonal;
            }
            x.iter_mut().zip(&self.step).for_each(|(x, step)| *x += step);
        }
        Ok(SolveReport { iterations: 40, ..SolveReport::default() })
    }
}

/// Stepper: another one, called twice for half the time.
struct Twice(Box<dyn Stepper>);

impl Stepper for Twice {
    fn name(&self) -> &str {
        "pd-twice"
    }
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        let half = StepParams { dt: 0.5 * context.params.dt, ..*context.params };
        self.0.prepare(StepContext::new(context.model, &half, context.forces, context.colliders))
    }
    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let half = StepParams { dt: 0.5 * context.params.dt, ..*context.params };
        let context = StepContext::new(context.model, &half, context.forces, context.colliders);
        let first = self.0.advance(context, state)?;
        Ok(first.followed_by(&self.0.advance(context, state)?))
    }
}

fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.custom.energy("leash", |context| {
        let vertex = context.object()?.first + context.number("vertex")? as u32;
        let anchor = *context.rest.get(vertex as usize).ok_or("there is no such vertex")?;
        let mut stencil = Stencil::new(1);
        stencil.push(1e4 /* N/m */, &[&[(vertex, 1.0)]]);
        Ok(Box::new(Leash { stencil, anchor, length: context.number("length")? }))
    });
    registry.custom.collider("bowl", |context| Ok(Box::new(Bowl { radius: context.number("radius")? })));
    registry.custom.force("updraft", |context| Ok(Box::new(Updraft(context.number("push")?))));
    registry.solvers.register("jacobi-40", "40 Jacobi sweeps", |_| Ok(Box::new(JacobiSweeps::default())));
    registry.register("pd-twice", |global| {
        Box::new(Twice(Box::new(ProjectiveDynamics::with_local(Box::new(CpuLocal::default()), global))))
    });
    registry
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = registry();
    let desc = pd_sim::scene::parse_desc("own.toml", SCENE)?;
    let scene = Scene::with_custom("own.toml", desc, None, &ModelPaths::default(), &registry.custom)?;
    let anchor = scene.rest()[0];
    let mut run = SceneRun::new(scene, &registry)?;
    for _ in 0..200 {
        run.advance()?;
    }
    let x = &run.sim.state.x;
    assert!((x[0] - anchor).norm() < 0.41, "the leash holds");
    assert!(x.iter().all(|x| x.norm() < 1.2 + 1e-6), "nothing leaves the bowl");
    // Without the parts registered, the file is rejected with the name of what is missing.
    let Err(refused) = Scene::parse("own.toml", SCENE, None, &ModelPaths::default()) else {
        return Err("a scene with unknown parts was accepted".into());
    };
    assert!(refused.to_string().contains("leash"), "{refused}");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
