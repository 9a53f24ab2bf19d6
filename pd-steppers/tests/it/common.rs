//! Small scenes and all steppers by name.

use pd_constraints::*;
use pd_core::*;
use pd_linear::{Cholesky, PanelCholesky, Precision};
use pd_mesh::generate;
use pd_steppers::*;

/// A model and a state that is about to move.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) model: Model,
    pub(crate) state: State,
}

/// Noise that every machine makes alike.
pub(crate) fn noise(k: usize, size: Real) -> Vec3 {
    let k = k as Real;
    Vec3::new((12.9 * k).sin(), (78.2 * k + 1.0).sin(), (37.7 * k + 2.0).sin()) * size
}

fn shaken(x: &[Vec3], size: Real) -> State {
    let moved = x.iter().enumerate().map(|(k, x)| x + noise(k, size)).collect();
    let v = (0..x.len()).map(|k| noise(k + 1000, 10.0 * size)).collect();
    State::new(moved, v)
}

/// A cloth of n×n cells held by two corners.
pub(crate) fn cloth(n: usize) -> Scene {
    let mesh = generate::grid(n, n, 1.0, 1.0).unwrap();
    let model = Model::builder(&mesh.positions, 0.2)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 200.0).unwrap())
        .energy(Pins::new(&mesh.positions, &[0, n as u32], 1e3).unwrap())
        .build()
        .unwrap();
    Scene { name: "cloth", model, state: shaken(&mesh.positions, 0.1 / n as Real) }
}

/// A curved shell: membrane strain and dihedral bending about its rest shape.
pub(crate) fn shell() -> Scene {
    let mut mesh = generate::grid(6, 6, 1.0, 1.0).unwrap();
    for p in &mut mesh.positions {
        *p = Vec3::new(p.x, p.y, p.z) + Vec3::repeat(1.0) * (-(p.norm_squared())).exp() * 0.2;
    }
    let x = &mesh.positions;
    let model = Model::builder(x, 0.2)
        .energy(TriStrain::new(x, &mesh.triangles, 300.0, StrainRange::RIGID).unwrap())
        .energy(DihedralBending::new(x, &hinges(&mesh.triangles), 3e-2).unwrap())
        .energy(Pins::new(x, &[0, 6], 1e3).unwrap())
        .build()
        .unwrap();
    Scene { name: "shell", model, state: shaken(x, 0.01) }
}

/// A bar of tetrahedra held at one end.
pub(crate) fn solid() -> Scene {
    let bar = generate::bar(1, 1, 4, 0.25).unwrap();
    let x = &bar.positions;
    let low = x.iter().map(|p| p.z).fold(Real::INFINITY, Real::min);
    let end: Vec<u32> = (0..x.len() as u32).filter(|&v| x[v as usize].z < low + 1e-9).collect();
    let model = Model::builder(x, 0.5)
        .energy(TetStrain::new(x, &bar.tets, 5e3, StrainRange::RIGID).unwrap())
        .energy(Volume::new(x, &bar.tets, 5e3, 1.0, 1.0).unwrap())
        .energy(Pins::new(x, &end, 1e4).unwrap())
        .build()
        .unwrap();
    Scene { name: "solid", model, state: shaken(x, 0.01) }
}

/// The same bar of a hyperelastic law.
pub(crate) fn elastic<L: IsotropicLaw>(name: &'static str, poisson: Real) -> Scene {
    let bar = generate::bar(1, 1, 4, 0.25).unwrap();
    let x = &bar.positions;
    let low = x.iter().map(|p| p.z).fold(Real::INFINITY, Real::min);
    let end: Vec<u32> = (0..x.len() as u32).filter(|&v| x[v as usize].z < low + 1e-9).collect();
    let material = Material::new(1e4, poisson, 1000.0).unwrap();
    let model = Model::with_masses(lumped_masses_tets(x, &bar.tets, 1000.0).unwrap())
        .energy(TetElastic::<L>::new(x, &bar.tets, material).unwrap())
        .energy(Pins::new(x, &end, 1e5).unwrap())
        .build()
        .unwrap();
    Scene { name, model, state: shaken(x, 0.005) }
}

/// A stepper by its name, with the exact direct solver.
pub(crate) fn stepper(name: &str) -> Box<dyn Stepper> {
    let local = || Box::new(CpuLocal::default());
    match name {
        "pd" => Box::new(ProjectiveDynamics::new(Cholesky::default())),
        "pd-lbfgs" => Box::new(ProjectiveDynamics::with_parts(
            local(),
            Box::new(Cholesky::default()),
            Acceleration::Lbfgs { window: 5 },
        )),
        "newton" => Box::new(Newton::new(Cholesky::default())),
        "newton-panels" => Box::new(Newton::new(PanelCholesky::new(Precision::Single))),
        "descent" => Box::new(SteepestDescent::default()),
        "admm" => Box::new(Admm::new(Cholesky::default())),
        "admm-consensus" => Box::new(Admm::consensus()),
        "fused-jacobi" => Box::new(FusedJacobi::default()),
        "symplectic" => Box::new(Symplectic::default()),
        "pbd" => Box::new(Pbd::default()),
        "pbd-jacobi" => Box::new(Pbd::jacobi(1.5)),
        "xpbd" => Box::new(Xpbd::default()),
        "xpbd-block" => Box::new(BlockXpbd::default()),
        "vbd" => Box::new(Vbd::default()),
        "vbd-chebyshev" => Box::new(Vbd::accelerated(0.9)),
        _ => match name.split_once('+') {
            Some((inner, scheme)) => {
                Box::new(Integrator::new(Scheme::parse(scheme).unwrap(), stepper(inner)))
            }
            None => panic!("{name}"),
        },
    }
}

/// Runs some steps; returns the state and the last report.
pub(crate) fn run(name: &str, scene: &Scene, params: &StepParams, steps: usize) -> (State, StepReport) {
    let (mut stepper, mut state) = (stepper(name), scene.state.clone());
    let context = StepContext::of(&scene.model, params);
    stepper.prepare(context).unwrap();
    let mut report = StepReport::default();
    for _ in 0..steps {
        report = stepper.step(context, &mut state).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    (state, report)
}

/// Largest distance of two sets of positions.
pub(crate) fn distance(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max)
}
