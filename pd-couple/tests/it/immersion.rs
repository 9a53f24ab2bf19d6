//! Grains in water: momentum, terminal velocity, floating and sinking.

use pd_core::{Aabb, Model, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_couple::{Coupled, CoupledSettings, Domain, GrainDomain, Layout, MaterialDomain, PointMatter, Scheme};
use pd_mpm::{Boundary, MpmModel, MpmStepper, PressureStepper, Water};
use pd_particles::{Friction, Material, ParticleModel, SubstepSettings, UnifiedSubstep};
use std::sync::Arc;

const DX: Real = 0.04;
/// Depth of the water and edge of the tank, m.
const DEPTH: Real = 0.4;
const EDGE: Real = 0.32;

/// What the water is and where its walls are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Compressible,
    Incompressible,
    Free,
}

struct Tank {
    model: Model,
    state: State,
    stepper: Coupled,
    params: StepParams,
    masses: Vec<Real>,
    grains: usize,
}

/// Grains of one radius and density in a tank of water, or in a block of water with no wall near.
fn tank(at: &[Vec3], radius: Real, density: Real, scheme: Scheme, kind: Kind) -> Tank {
    let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let material = Material { radius, mass, friction: Friction::new(0.4) };
    let grains = Arc::new(ParticleModel::builder().grains("grains", at, material).build().unwrap());
    let settings = SubstepSettings { substeps: 1, ..Default::default() };
    let stepper = Box::new(UnifiedSubstep::new(grains.clone(), settings));
    let mut domains: Vec<Box<dyn Domain>> = vec![Box::new(GrainDomain::new(&grains, stepper, 0).unwrap())];
    let region = Aabb { min: Vec3::zeros(), max: Vec3::new(EDGE, DEPTH, EDGE) };
    let water = pd_mpm::scenes::fill_box(&region, DX, 2);
    let cells = (EDGE / DX).round() as u32;
    let (far, wide) = if kind == Kind::Free { (10.0, 20) } else { (0.0, 0) };
    let grid = MpmModel::builder(DX)
        .domain(Vec3::repeat(-far * DX), [cells + wide, 14 + wide, cells + wide])
        .material(0..water.len(), Water::new(1000.0, 25.0).unwrap())
        .walls([Boundary::Separate { friction: 0.0 }; 6])
        .build()
        .unwrap();
    let own = vec![1000.0 * (0.5 * DX).powi(3); water.len()];
    let stepper: Box<dyn Stepper> = if kind == Kind::Incompressible {
        Box::new(PressureStepper::new(Arc::new(grid)).unwrap())
    } else {
        Box::new(MpmStepper::new(Arc::new(grid)))
    };
    domains.insert(0, Box::new(MaterialDomain::new(stepper, own.clone(), at.len(), vec![]).unwrap()));
    let x: Vec<Vec3> = at.iter().chain(&water).copied().collect();
    let masses: Vec<Real> = grains.masses().iter().chain(&own).copied().collect();
    let layout = Layout::new(
        0,
        vec![],
        Some(PointMatter::uniform(0..at.len(), radius, grains.masses().to_vec(), 0.4)),
        Some(PointMatter::uniform(at.len()..x.len(), 0.25 * DX, own, 0.0)),
        None,
    );
    let layout = layout.unwrap().with_water(at.len()..x.len(), 1e-3).unwrap();
    let settings = CoupledSettings { scheme, ..Default::default() };
    let stepper = Coupled::new(layout, domains, settings, 0.0).unwrap();
    let params = StepParams { dt: 1e-3, gravity: Vec3::new(0.0, -9.8, 0.0), ..Default::default() };
    let model = Model::with_masses(vec![]).build().unwrap();
    Tank { model, state: State::at_rest(x), stepper, params, masses, grains: at.len() }
}

impl Tank {
    fn run(&mut self, steps: usize) {
        let context = StepContext::of(&self.model, &self.params);
        self.stepper.prepare(context).unwrap();
        for _ in 0..steps {
            self.stepper.step(context, &mut self.state).unwrap();
        }
    }

    fn momentum(&self) -> Vec3 {
        self.state.v.iter().zip(&self.masses).map(|(v, m)| v * *m).sum()
    }
}

/// A few grains around the middle of the tank at this height.
fn few(y: Real) -> Vec<Vec3> {
    let at = |x: Real, z: Real| Vec3::new(0.5 * EDGE + x, y, 0.5 * EDGE + z);
    vec![at(0.003, 0.001), at(0.061, -0.052), at(-0.057, 0.063)]
}

#[test]
fn grains_and_water_exchange_momentum_exactly() {
    for scheme in [Scheme::Rows, Scheme::Staggered] {
        let mut tank = tank(&few(0.2), 0.01, 2500.0, scheme, Kind::Free);
        tank.params.gravity = Vec3::zeros();
        tank.state.v[..3].fill(Vec3::new(0.5, -0.3, 0.8));
        let (before, fast) = (tank.momentum(), tank.state.v[0].norm());
        for _ in 0..30 {
            tank.run(1);
            let error = (tank.momentum() - before).norm();
            assert!(error < 1e-10 * before.norm(), "{error:e} of {before}");
        }
        assert!(tank.state.v[0].norm() < 0.9 * fast, "{}", tank.state.v[0]);
        let water = tank.state.v[3..].iter().map(|v| v.norm()).fold(0.0, Real::max);
        assert!(water > 1e-3, "{water}");
    }
}

/// The balance of weight, buoyancy and Newton's drag: v² = (8/3) a (ρ_s/ρ − 1) g/C. It is reached within 0.1 s.
#[test]
fn sand_sinks_at_its_terminal_velocity() {
    for kind in [Kind::Compressible, Kind::Incompressible] {
        let radius = 0.003;
        let mut tank = tank(&few(0.33), radius, 2500.0, Scheme::Rows, kind);
        tank.run(350);
        let from: Real = tank.state.x[..3].iter().map(|x| x.y).sum();
        tank.run(100);
        let to: Real = tank.state.x[..3].iter().map(|x| x.y).sum();
        let (found, exact) =
            ((from - to) / 3.0 / 0.1, (8.0 / 3.0 * radius * 1.5 * 9.8 / 0.44 as Real).sqrt());
        assert!((found / exact - 1.0).abs() < 0.1, "{kind:?}: {found} m/s, {exact} expected");
    }
}

#[test]
fn light_grains_rise_and_float_and_heavy_ones_do_not() {
    for (density, from, rises) in [(300.0, 0.15, true), (950.0, 0.2, true), (1050.0, 0.2, false)] {
        let mut tank = tank(&few(from), 0.01, density, Scheme::Rows, Kind::Incompressible);
        tank.run(1000);
        for x in &tank.state.x[..tank.grains] {
            let moved = x.y - from;
            assert!(if rises { moved > 0.01 } else { moved < -0.01 }, "{density}: {moved} m");
            if density == 300.0 {
                assert!((x.y - DEPTH).abs() < 0.04, "it floats at {} m", x.y);
            }
        }
    }
}
