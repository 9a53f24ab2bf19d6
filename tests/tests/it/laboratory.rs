//! Every stepper of the registry, with every time discretisation, on every energy: it runs with pins, kinematic vertices and an obstacle, or
//! `prepare` refuses the model; results do not depend on threads, nor on a stop and a new stepper.

use pd_collide::Floor;
use pd_constraints::*;
use pd_core::{
    Collider, CollisionSurface, EnergyBatch, Model, ModelBuilder, Real, State, StepContext, StepError,
    StepParams, Stepper, SurfaceBody, Vec3,
};
use pd_mesh::{TetMesh, TriMesh, generate, topology::Rings};
use pd_sim::Registry;

/// Time discretisations, the own one of each stepper first.
const SCHEMES: [&str; 4] = ["", "+bdf2", "+midpoint", "+sub3"];

/// Names of all steppers of the registry with all time discretisations.
fn all_steppers() -> Vec<String> {
    let registry = Registry::standard();
    let names = registry.stepper_names();
    names.iter().flat_map(|name| SCHEMES.map(|scheme| format!("{name}{scheme}"))).collect()
}

fn stepper(name: &str) -> Box<dyn Stepper> {
    Registry::standard().stepper(name, "panels").unwrap()
}

/// Short steps for the explicit method, which is stable for them only.
fn params(name: &str) -> StepParams {
    let dt = if name.starts_with("symplectic") { 1e-4 } else { 1.0 / 60.0 };
    StepParams { dt, iterations: if name.starts_with("newton") { 2 } else { 4 }, ..StepParams::default() }
}

fn sheet() -> TriMesh {
    generate::grid(4, 4, 1.0, 1.0).unwrap()
}

fn bar() -> TetMesh {
    generate::bar(1, 1, 3, 0.25).unwrap()
}

/// One batch of every energy, and the positions of its mesh.
fn energies() -> Vec<(Vec<Vec3>, Box<dyn EnergyBatch>)> {
    let (sheet, bar) = (sheet(), bar());
    let (x, y) = (&sheet.positions, &bar.positions);
    let rings = Rings::new(&sheet).interior();
    let rings =
        RingsRef { vertices: &rings.vertices, offsets: &rings.offsets, neighbours: &rings.neighbours };
    let hinges = hinges(&sheet.triangles);
    let soft = SpringLaw { compression: 0.2, dead_zone: 0.01 };
    let woven = WovenStiffness { warp: 200.0, weft: 100.0, shear: 20.0 };
    let rubber = Material::new(1e4, 0.3, 1000.0).unwrap();
    let flat: Vec<Box<dyn EnergyBatch>> = vec![
        Box::new(Pins::new(x, &[0, 4, 12], 1e3).unwrap()),
        Box::new(EdgeSprings::new(x, &sheet.edges(), 100.0).unwrap()),
        Box::new(MassSpring::new(x, &sheet.edges(), 100.0, soft).unwrap()),
        Box::new(MassSpring::new(x, &bending_pairs(&sheet.triangles), 1.0, SpringLaw::default()).unwrap()),
        Box::new(Bending::new(x, rings, 1e-3, BendingWeights::CotanVoronoi).unwrap()),
        Box::new(IsometricBending::new(x, &hinges, 1e-3).unwrap()),
        Box::new(DihedralBending::new(x, &hinges, 1e-3).unwrap()),
        Box::new(TriStrain::new(x, &sheet.triangles, 100.0, StrainRange::RIGID).unwrap()),
        Box::new(Area::new(x, &sheet.triangles, 100.0, 1.0, 1.0).unwrap()),
        Box::new(Woven::new(x, &sheet.triangles, Vec3::x(), woven, 1.0).unwrap()),
    ];
    let solid: Vec<Box<dyn EnergyBatch>> = vec![
        Box::new(TetStrain::new(y, &bar.tets, 5e3, StrainRange::uniform(0.95, 1.05)).unwrap()),
        Box::new(Volume::new(y, &bar.tets, 5e3, 1.0, 1.0).unwrap()),
        Box::new(TetElastic::<Corotated>::new(y, &bar.tets, rubber).unwrap()),
        Box::new(TetElastic::<StVenantKirchhoff>::new(y, &bar.tets, rubber).unwrap()),
        Box::new(TetElastic::<NeoHookean>::new(y, &bar.tets, rubber).unwrap()),
        Box::new(TetElastic::<StableNeoHookean>::new(y, &bar.tets, rubber).unwrap()),
    ];
    let on = |x: &[Vec3], batches: Vec<Box<dyn EnergyBatch>>| {
        batches.into_iter().map(|batch| (x.to_vec(), batch)).collect::<Vec<_>>()
    };
    on(x, flat).into_iter().chain(on(y, solid)).collect()
}

/// A little off the rest shape, and moving.
fn shaken(x: &[Vec3]) -> State {
    let noise = |k: usize| {
        Vec3::new((12.9 * k as Real).sin(), (78.2 * k as Real + 1.0).sin(), (37.7 * k as Real).sin())
    };
    let moved = x.iter().enumerate().map(|(k, x)| x + noise(k) * 5e-3).collect();
    State::new(moved, (0..x.len()).map(|k| noise(k + 1000) * 0.05).collect())
}

fn with_pin_and_held_vertex(x: &[Vec3], batch: Box<dyn EnergyBatch>) -> ModelBuilder {
    let pin = Pins::new(x, &[1], 100.0).unwrap();
    Model::builder(x, 0.02 * x.len() as Real).boxed_energy(batch).energy(pin).fixed(x, &[0])
}

/// Every stepper × every energy with a pin, a held vertex and a floor under the body: three steps, or `Unsupported` in `prepare`.
#[test]
fn every_energy_runs_or_is_refused_before_the_run() {
    let mut refused = vec![];
    for name in all_steppers() {
        for (x, batch) in energies() {
            let kind = batch.kind();
            let lowest = x.iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
            let floor = Floor::new(lowest - 0.002).unwrap().with_margin(0.0).unwrap();
            let model = with_pin_and_held_vertex(&x, batch).build().unwrap();
            let (params, mut state) = (params(&name), shaken(&x));
            let obstacles: Vec<Box<dyn Collider>> = vec![Box::new(floor)];
            let context = StepContext::new(&model, &params, &[], &obstacles);
            let mut stepper = stepper(&name);
            match stepper.prepare(context) {
                Err(StepError::Unsupported { .. }) => {
                    refused.push(format!("{name} × {kind}"));
                    continue;
                }
                prepared => prepared.unwrap_or_else(|error| panic!("{name} × {kind}: {error}")),
            }
            for _ in 0..3 {
                stepper.step(context, &mut state).unwrap_or_else(|error| panic!("{name} × {kind}: {error}"));
            }
            assert!(
                state.x.iter().chain(&state.v).all(|v| v.iter().all(|c| c.is_finite())),
                "{name} × {kind}"
            );
            assert_eq!(state.x[0], x[0], "{name} × {kind}: a held vertex moved");
            let below = state.x[1..].iter().map(|x| lowest - 0.002 - x.y).fold(0.0, Real::max);
            assert!(below < 1e-12, "{name} × {kind}: a vertex is {below} m below the floor");
        }
    }
    println!("refused: {refused:?}");
    assert!(refused.is_empty(), "the page of the laboratory says that all run: {refused:?}");
}

/// Surfaces that must not cross are the business of the steppers made for it; the others say so before they run.
#[test]
fn contact_between_surfaces_is_refused_before_the_run() {
    let sheet = sheet();
    let mut surface = CollisionSurface::default();
    surface.add_body(SurfaceBody::new(1e-3), &sheet.triangles, 0);
    let springs = Box::new(EdgeSprings::new(&sheet.positions, &sheet.edges(), 100.0).unwrap());
    let model = with_pin_and_held_vertex(&sheet.positions, springs).surface(surface).build().unwrap();
    for name in all_steppers() {
        let params = params(&name);
        let error = stepper(&name).prepare(StepContext::of(&model, &params)).unwrap_err();
        assert!(matches!(error, StepError::Unsupported { .. }), "{name}: {error}");
    }
    let params = StepParams::default();
    let context = StepContext::of(&model, &params);
    let (mut guarded, mut state) =
        (Registry::standard().guarded_stepper("panels").unwrap(), shaken(&sheet.positions));
    guarded.prepare(context).unwrap();
    guarded.step(context, &mut state).unwrap();
}

/// A cloth of more vertices and elements than one chunk, with a floor.
fn hashes(name: &str, steps: usize, renew: Option<usize>) -> u64 {
    let mesh = generate::grid(34, 34, 1.0, 1.0).unwrap();
    let x = &mesh.positions;
    let springs = Box::new(EdgeSprings::new(x, &mesh.edges(), 200.0).unwrap());
    let model = with_pin_and_held_vertex(x, springs).build().unwrap();
    let floor: Vec<Box<dyn Collider>> = vec![Box::new(Floor::new(-0.01).unwrap().with_margin(0.0).unwrap())];
    let (params, mut state) = (params(name), shaken(x));
    let context = StepContext::new(&model, &params, &[], &floor);
    let mut used = stepper(name);
    used.prepare(context).unwrap();
    for step in 0..steps {
        if renew == Some(step) {
            // All that is left of the run is a copy of its state.
            (used, state) = (stepper(name), state.clone());
            used.prepare(context).unwrap();
        }
        used.step(context, &mut state).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    state.hash()
}

#[test]
fn every_stepper_gives_the_same_bits_on_any_number_of_threads_and_after_a_resumption() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pools = [pool(1), pool(2), pool(3), pool(8)];
    for name in all_steppers() {
        let [one, others @ ..] = &pools;
        let expected = one.install(|| hashes(&name, 3, None));
        for pool in others {
            let threads = pool.current_num_threads();
            assert_eq!(pool.install(|| hashes(&name, 3, None)), expected, "{name}: {threads} threads");
        }
        assert_eq!(others[0].install(|| hashes(&name, 3, Some(2))), expected, "{name}: resumed");
    }
}
