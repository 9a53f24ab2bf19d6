//! `admm-ipc` with sand on a cloth: nothing through, the weight on the pins, the same bits.

use pd_constraints::{EdgeSprings, Pins};
use pd_core::{Model, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_couple::{AdmmIpc, AdmmSettings, Domain, GrainDomain, Layout, PointMatter, Sheet};
use pd_linear::Cholesky;
use pd_mesh::generate;
use pd_particles::{Friction, Material, ParticleModel, SubstepSettings, UnifiedSubstep};
use std::sync::Arc;

const RADIUS: Real = 0.01;
const PIN: Real = 5e3;
const CELLS: usize = 8;

struct Scene {
    model: Model,
    stepper: AdmmIpc,
    state: State,
    params: StepParams,
    pins: Vec<(usize, Vec3)>,
    masses: Vec<Real>,
}

fn sand_on_cloth(pinned: bool, gravity: Real) -> Scene {
    let (size, density) = (0.4, 0.3);
    let mesh = generate::grid(CELLS, CELLS, size, size).unwrap();
    let n = mesh.positions.len();
    let mut masses = vec![density * size * size / n as Real; n];
    let on_border = |p: &Vec3| p.x.abs() > 0.499 * size || p.z.abs() > 0.499 * size;
    let border: Vec<u32> = (0..n as u32).filter(|&i| on_border(&mesh.positions[i as usize])).collect();
    let mut builder = Model::with_masses(masses.clone())
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 400.0).unwrap());
    if pinned {
        builder = builder.energy(Pins::new(&mesh.positions, &border, PIN).unwrap());
    }
    let pins = border.iter().map(|&i| (i as usize, mesh.positions[i as usize])).collect();
    let sheet = Sheet::new("cloth", mesh.triangles.clone(), 0.01, 0.0, density).unwrap();
    let mut grains = vec![];
    for k in 0..12 {
        let (a, b, c) = (k % 3, k / 3 % 2, k / 6);
        let shift = 0.0004 * Real::from((7 * a + 3 * b + 5 * c) % 11);
        grains.push(Vec3::new(
            -0.03 + 0.021 * Real::from(a) + shift,
            0.02 + 0.021 * Real::from(b),
            -0.03 + 0.021 * Real::from(c) - shift,
        ));
    }
    let material = Material { radius: RADIUS, mass: 0.006, friction: Friction::new(0.4) };
    let sand = Arc::new(ParticleModel::builder().grains("sand", &grains, material).build().unwrap());
    let settings = SubstepSettings { substeps: 1, ..Default::default() };
    let domain: Box<dyn Domain> =
        Box::new(GrainDomain::new(&sand, Box::new(UnifiedSubstep::new(sand.clone(), settings)), n).unwrap());
    let points = PointMatter::uniform(n..n + grains.len(), RADIUS, sand.masses().to_vec(), 0.0);
    let layout = Layout::new(n, vec![sheet], Some(points), None, None).unwrap();
    let stepper =
        AdmmIpc::new(layout, vec![domain], Box::new(Cholesky::default()), AdmmSettings::default()).unwrap();
    masses.extend(sand.masses());
    let mut x = mesh.positions;
    x.extend(&grains);
    let params = StepParams {
        dt: 4e-3,
        gravity: Vec3::new(0.0, -gravity, 0.0),
        hold_pinned: false,
        ..StepParams::default()
    };
    Scene { model: builder.build().unwrap(), stepper, state: State::at_rest(x), params, pins, masses }
}

impl Scene {
    fn run(&mut self, steps: usize) {
        let context = StepContext::of(&self.model, &self.params);
        self.stepper.prepare(context).unwrap();
        for _ in 0..steps {
            self.stepper.step(context, &mut self.state).unwrap();
            let report = self.stepper.report();
            assert!(report.least_distance > 0.0 && report.put_back == 0, "{report:?}");
        }
    }
}

#[test]
fn sand_stays_on_the_cloth_and_its_weight_on_the_pins() {
    let mut scene = sand_on_cloth(true, 9.8);
    let weight = scene.masses.iter().sum::<Real>() * 9.8;
    // The impulse of the pins is that of the weight, and what is in motion: true while everything still swings.
    let (mut impulse, steps) = (0.0, 70);
    for _ in 0..steps {
        scene.run(1);
        let force = scene.pins.iter().map(|&(i, at)| (at.y - scene.state.x[i].y) * PIN).sum::<Real>();
        impulse += force * scene.params.dt;
    }
    let momentum = scene.state.v.iter().zip(&scene.masses).map(|(v, m)| v.y * m).sum::<Real>();
    let expected = weight * scene.params.dt * Real::from(steps) + momentum;
    assert!((impulse / expected - 1.0).abs() < 0.01, "{impulse} of {expected}");
    let n = (CELLS + 1) * (CELLS + 1);
    let lowest = scene.state.x[..n].iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
    assert!(scene.state.x[n..].iter().all(|x| x.y > lowest), "one is through");
}

#[test]
fn momentum_is_kept_to_the_tolerance() {
    let mut scene = sand_on_cloth(false, 0.0);
    let n = (CELLS + 1) * (CELLS + 1);
    scene.state.v[n..].fill(Vec3::new(0.1, -1.0, 0.0));
    let momentum = |scene: &Scene| scene.state.v.iter().zip(&scene.masses).map(|(v, m)| v * *m).sum::<Vec3>();
    let before = momentum(&scene);
    let mut pairs = 0;
    for _ in 0..13 {
        scene.run(1);
        pairs = pairs.max(scene.stepper.report().pairs);
    }
    let error = (momentum(&scene) - before).norm() / before.norm();
    assert!(pairs > 10 && error < 1e-3, "{error:e} with {pairs} pairs");
    assert!(scene.state.v[..n].iter().any(|v| v.y < -0.1), "the cloth is pushed along");
}

#[test]
fn the_same_bits_for_any_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut scene = sand_on_cloth(true, 9.8);
            scene.run(20);
            scene.state.hash()
        })
    };
    assert_eq!(run(1), run(3));
}
