//! What transfers keep: mass, momentum, angular momentum, affine fields; and the bits.

use super::*;
use crate::blocks::BIAS;
use crate::transfer::nodes;
use crate::{Boundary, DruckerPrager, FixedCorotated, Law, Memory, MpmModel, Strains, Water};
use pd_core::{Model, State, StepParams};
use proptest::prelude::*;

/// Matter that feels nothing.
#[derive(Debug)]
struct Dust;

impl Law for Dust {
    fn name(&self) -> &str {
        "dust"
    }
    fn density(&self) -> Real {
        1000.0
    }
    fn sound_speed(&self) -> Real {
        1.0
    }
    fn memory(&self) -> Memory {
        Memory::Volume
    }
    fn stress(&self, _: Strains<'_>, tau: &mut [Mat3]) {
        tau.fill(Mat3::zeros());
    }
}

const DX: Real = 0.1;
const H: Real = 1e-3;

fn params() -> StepParams {
    StepParams { dt: H, gravity: Vec3::zeros(), ..StepParams::default() }
}

/// One substep of free flight for particles around the middle of a domain at `corner`.
struct Flight {
    stepper: MpmStepper,
    state: State,
    masses: Vec<Real>,
    middle: Vec3,
}

impl Flight {
    fn new(
        law: impl Law + 'static,
        spline: Spline,
        transfer: Transfer,
        corner: Vec3,
        x: Vec<Vec3>,
        v: Vec<Vec3>,
    ) -> Self {
        let masses: Vec<Real> = (0..x.len()).map(|k| 0.1 + 0.01 * (k % 7) as Real).collect();
        let model = MpmModel::builder(DX)
            .domain(corner, [30; 3])
            .material(0..x.len(), law)
            .spline(spline)
            .transfer(transfer)
            .build()
            .unwrap();
        let middle = corner + Vec3::repeat(1.5);
        let x: Vec<Vec3> = x.iter().map(|x| middle + x).collect();
        Self { stepper: MpmStepper::new(Arc::new(model)), state: State::new(x, v), masses, middle }
    }

    fn affine(mut self, c: impl Fn(usize) -> Mat3) -> Self {
        let column = self.state.columns.real_mut("mpm.c", pd_core::Owner::Points(0), 9);
        (0..self.masses.len()).for_each(|k| column.extend_from_slice(c(k).as_slice()));
        self
    }

    fn step(&mut self) {
        let model = Model::with_masses(self.masses.clone()).build().unwrap();
        let params = params();
        let context = StepContext::of(&model, &params);
        self.stepper.prepare(context).unwrap();
        self.stepper.step(context, &mut self.state).unwrap();
        assert_eq!(self.stepper.report.substeps, 1);
    }

    fn c(&self, k: usize) -> Mat3 {
        Mat3::from_column_slice(&self.state.columns.real("mpm.c")[9 * k..9 * k + 9])
    }

    /// Mass, momentum and angular momentum about the middle; of affine particles with that of their own rotation,
    /// Σ m D (skew part of C), D = moment·Δx².
    fn totals(&self, moment: Real) -> (Real, Vec3, Vec3) {
        let mut sum = (0.0, Vec3::zeros(), Vec3::zeros());
        for (k, m) in self.masses.iter().enumerate() {
            let c = if self.state.columns.is_empty() { Mat3::zeros() } else { self.c(k) };
            let own = Vec3::new(c[(2, 1)] - c[(1, 2)], c[(0, 2)] - c[(2, 0)], c[(1, 0)] - c[(0, 1)]);
            sum.0 += m;
            sum.1 += self.state.v[k] * *m;
            sum.2 +=
                (self.state.x[k] - self.middle).cross(&self.state.v[k]) * *m + own * (m * moment * DX * DX);
        }
        sum
    }

    /// Mass, momentum and angular momentum about the middle of the nodes, whose velocities are those of the end.
    fn of_nodes(&self) -> (Real, Vec3, Vec3) {
        let mut sum = (0.0, Vec3::zeros(), Vec3::zeros());
        let (stepper, min) = (&self.stepper, self.stepper.model.min);
        let mut nodes = [[0.0; 4]; 64];
        for (b, &key) in stepper.blocks.touched.iter().enumerate() {
            let stride = stepper.tiles.len() / stepper.blocks.active.len();
            match stepper.model.spline {
                Spline::Quadratic => nodes::sum_tiles::<Quadratic>(
                    &stepper.blocks.sources[b],
                    &stepper.tiles,
                    stride,
                    &mut nodes,
                ),
                Spline::Cubic => {
                    nodes::sum_tiles::<Cubic>(&stepper.blocks.sources[b], &stepper.tiles, stride, &mut nodes)
                }
            }
            let first = blocks::first_node(key);
            for (k, node) in nodes.iter().enumerate() {
                let at =
                    [first[0] + (k as i32 >> 4), first[1] + (k as i32 >> 2 & 3), first[2] + (k as i32 & 3)];
                let place = min + Vec3::from(at.map(|n| Real::from(n - BIAS) * DX)) - self.middle;
                let momentum = Vec3::new(node[0], node[1], node[2]);
                sum.0 += node[3];
                sum.1 += momentum;
                sum.2 += place.cross(&momentum);
            }
        }
        sum
    }
}

fn moment(spline: Spline) -> Real {
    if spline == Spline::Quadratic { 0.25 } else { 1.0 / 3.0 }
}

/// Random places, some exactly on nodes, and random velocities.
fn cloud() -> impl Strategy<Value = (Vec<Vec3>, Vec<Vec3>)> {
    let place = prop_oneof![
        3 => proptest::array::uniform3(-0.4..0.4f64),
        1 => proptest::array::uniform3(-4i32..5).prop_map(|n| n.map(|n| Real::from(n) * DX)),
        1 => proptest::array::uniform3(-4i32..5).prop_map(|n| n.map(|n| (Real::from(n) + 0.5) * DX)),
    ];
    let point = (place, proptest::array::uniform3(-1.0..1.0f64));
    proptest::collection::vec(point, 1..60)
        .prop_map(|points| points.into_iter().map(|(x, v)| (Vec3::from(x), Vec3::from(v))).unzip())
}

fn kinds() -> impl Strategy<Value = (Spline, Transfer, Vec3)> {
    let spline = prop_oneof![Just(Spline::Quadratic), Just(Spline::Cubic)];
    let transfer = prop_oneof![
        Just(Transfer::Pic),
        Just(Transfer::Flip { blend: 0.97 }),
        Just(Transfer::Apic),
        Just(Transfer::Mls)
    ];
    let corner = prop_oneof![Just(Vec3::zeros()), Just(Vec3::new(1000.0, -1000.0, 500.0))];
    (spline, transfer, corner)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mass_and_momentum_are_kept((x, v) in cloud(), (spline, transfer, corner) in kinds(), seed in 0u32..1000) {
        let affine = matches!(transfer, Transfer::Apic | Transfer::Mls);
        let random = |k: usize| Mat3::from_fn(|r, c| ((seed as usize + 31 * k + 7 * r + 3 * c) as Real).sin());
        let mut flight = Flight::new(Dust, spline, transfer, corner, x, v)
            .affine(|k| if affine { random(k) } else { Mat3::zeros() });
        let moment = if affine { moment(spline) } else { 0.0 };
        let before = flight.totals(moment);
        flight.step();
        let (nodes, after) = (flight.of_nodes(), flight.totals(moment));
        let scale = before.0;
        prop_assert!((nodes.0 - before.0).abs() < 1e-13 * scale);
        prop_assert!((nodes.1 - before.1).norm() < 1e-13 * scale);
        prop_assert!((after.1 - before.1).norm() < 1e-13 * scale);
        // Particles' places at 1 km are known to 1e-13 m.
        prop_assert!((nodes.2 - before.2).norm() < 1e-13 * scale, "{}", (nodes.2 - before.2).norm() / scale);
        if affine {
            prop_assert!((after.2 - before.2).norm() < 2e-13 * scale, "{}", (after.2 - before.2).norm() / scale);
        }
    }

    #[test]
    fn affine_fields_pass_unchanged((x, _) in cloud(), (spline, transfer, corner) in kinds(),
                                    a in proptest::array::uniform9(-1.0..1.0f64)) {
        prop_assume!(matches!(transfer, Transfer::Apic | Transfer::Mls));
        let a = Mat3::from_row_slice(&a);
        let offset = Vec3::new(0.3, -0.2, 0.1);
        let v: Vec<Vec3> = x.iter().map(|x| a * x + offset).collect();
        let mut flight = Flight::new(Dust, spline, transfer, corner, x, v.clone()).affine(|_| a);
        flight.step();
        for (k, v) in v.iter().enumerate() {
            prop_assert!((flight.state.v[k] - v).norm() < 1e-12, "{}", (flight.state.v[k] - v).norm());
            prop_assert!((flight.c(k) - a).norm() < 1e-12 / DX, "{}", (flight.c(k) - a).norm());
        }
    }

    #[test]
    fn inner_forces_keep_momentum((x, v) in cloud(), (spline, transfer, corner) in kinds()) {
        let affine = matches!(transfer, Transfer::Apic | Transfer::Mls);
        let moment = if affine { moment(spline) } else { 0.0 };
        // Matter under pressure: J = 0.99.
        let n = x.len();
        let water = Water::new(1000.0, 10.0).unwrap();
        let mut flight = Flight::new(water, spline, transfer, corner, x, v).affine(|_| Mat3::zeros());
        flight.state.columns.real_mut("mpm.j", pd_core::Owner::Points(0), 1).resize(n, 0.99);
        let before = flight.totals(moment);
        flight.step();
        let after = flight.totals(moment);
        prop_assert!((after.1 - before.1).norm() < 1e-12 * before.0);
        if affine {
            prop_assert!((after.2 - before.2).norm() < 1e-12 * before.0);
        }
    }
}

/// A box of water, jelly and sand on the floor of a domain with an obstacle.
fn mixture(transfer: Transfer) -> (MpmStepper, State, Model) {
    let mut x = vec![];
    for k in 0..1500 {
        let (a, b, c) = (k % 10, k / 10 % 15, k / 150);
        x.push(Vec3::new(0.1 + 0.045 * a as Real, 0.02 + 0.05 * b as Real, 0.1 + 0.051 * c as Real));
    }
    let model = MpmModel::builder(DX)
        .domain(Vec3::zeros(), [10, 12, 8])
        .material(0..500, Water::new(1000.0, 10.0).unwrap())
        .material(500..1000, FixedCorotated::new(1000.0, 1e4, 0.3).unwrap())
        .material(1000..1500, DruckerPrager::new(1600.0, 1e5, 0.3, 0.6).unwrap())
        .walls([Boundary::Separate { friction: 0.3 }; 6])
        .transfer(transfer)
        .build()
        .unwrap();
    let masses = vec![1000.0 * 0.05f64.powi(3); 1500];
    (MpmStepper::new(Arc::new(model)), State::at_rest(x), Model::with_masses(masses).build().unwrap())
}

fn run(stepper: &mut MpmStepper, state: &mut State, model: &Model, frames: usize) {
    let params = StepParams::default();
    let colliders: Vec<Box<dyn Collider>> =
        vec![Box::new(pd_collide::Sphere::new(Vec3::new(0.6, 0.2, 0.4), 0.15).unwrap())];
    let context = StepContext::new(model, &params, &[], &colliders);
    stepper.prepare(context).unwrap();
    for _ in 0..frames {
        stepper.step(context, state).unwrap();
    }
}

#[test]
fn bits_are_the_same_for_any_number_of_threads_and_after_resume() {
    for transfer in [Transfer::Mls, Transfer::Flip { blend: 0.95 }] {
        let mut hashes = vec![];
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut stepper, mut state, model) = mixture(transfer);
            pool.install(|| run(&mut stepper, &mut state, &model, 3));
            if threads == 2 {
                (stepper, _, _) = mixture(transfer); // scratch dropped
            }
            pool.install(|| run(&mut stepper, &mut state, &model, 3));
            hashes.push(state.hash());
        }
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
    }
}

#[test]
fn points_that_are_no_material_are_left_alone() {
    let (_, state, _) = mixture(Transfer::Mls);
    let mut x = vec![Vec3::repeat(-7.0); 3];
    x.extend(state.x);
    x.push(Vec3::repeat(99.0));
    let model = MpmModel::builder(DX)
        .domain(Vec3::zeros(), [10, 12, 8])
        .material(3..1503, Water::new(1000.0, 10.0).unwrap())
        .build()
        .unwrap();
    let mut state = State::at_rest(x.clone());
    let bodies = Model::with_masses(vec![0.1; x.len()]).build().unwrap();
    run(&mut MpmStepper::new(Arc::new(model)), &mut state, &bodies, 1);
    for k in [0, 1, 2, 1503] {
        assert_eq!((state.x[k], state.v[k]), (x[k], Vec3::zeros()));
    }
    assert!((3..1503).all(|k| state.x[k] != x[k]));
    assert_eq!(state.columns.real("mpm.j").len(), 1500);
}
