//! Matter against closed forms and records, at sizes that take seconds; larger ones are in `examples/measure.rs`.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use pd_core::{Real, State, StepContext, StepError, StepParams, Stepper, Vec3};
use pd_mpm::{
    Boundary, Coupling, FixedCorotated, Inflow, MpmBody, MpmError, MpmModel, MpmStepper, Spline, Transfer,
    Water, measure, scenes,
};
use std::sync::Arc;

/// Affine transfers smooth in every substep, and weakly compressible water takes many: a body would sink as in honey.
const FLIP: Transfer = Transfer::Flip { blend: 0.99 };

#[test]
fn water_at_rest_weighs_on_the_floor() {
    let mut scene = scenes::water_tank(0.5, 6).unwrap();
    let mut stepper = scene.stepper().unwrap();
    scene.run(&mut stepper, 120).unwrap();
    let weight = scene.points.masses().iter().sum::<Real>() * 9.8;
    let mut impulse = 0.0;
    for _ in 0..60 {
        scene.run(&mut stepper, 1).unwrap();
        impulse += stepper.report().impulses.walls[2].y;
    }
    assert!((impulse / weight - 1.0).abs() < 0.01, "bottom force {}", impulse / weight);
    let volume = 2.0 * scene.state.x.iter().map(|x| x.y).sum::<Real>() / scene.state.x.len() as Real / 0.5;
    assert!((volume - 1.0).abs() < 0.02, "volume {volume}");
    let (_, speed) = measure::motion(scene.points.masses(), &scene.state);
    assert!(speed < 0.02, "fastest {speed} m/s");
}

#[test]
fn the_front_of_a_dam_break_follows_the_record() {
    let a = 0.05715;
    let mut scene = scenes::dam_break(a, 16, FLIP).unwrap();
    let unit = (2.0 * 9.8 / a as Real).sqrt();
    let mut stepper = scene.stepper().unwrap();
    // Martin and Moyce (1952), table 2.
    for (t, z) in [(0.41, 1.11), (1.19, 1.44), (1.98, 2.33), (2.51, 3.00), (3.11, 3.89), (3.33, 4.11)] {
        scene.params.dt = t / unit - scene.state.time;
        scene.run(&mut stepper, 1).unwrap();
        let front = measure::front(&scene.model, &scene.state, 0.999) / a;
        assert!((front / z - 1.0).abs() < 0.1, "T {t}: {front}, record {z}");
    }
}

/// Heaps that begin below their friction angle stay, steeper ones slide to it; a long heap is in plane strain.
#[test]
fn sand_rests_at_its_friction_angle() {
    let angle = 35.0;
    for start in [angle - 3.0, angle + 4.0] {
        let mut scene = scenes::sand_heap(0.4, 12, Real::to_radians(start), Real::to_radians(angle)).unwrap();
        let mut stepper = scene.stepper().unwrap();
        scene.run(&mut stepper, 90).unwrap();
        let slope = measure::heap_slope(&scene.model, &scene.state).to_degrees();
        let (_, speed) = measure::motion(scene.points.masses(), &scene.state);
        assert!(speed < 0.1, "{speed} m/s");
        assert!((slope - angle.min(start)).abs() < 3.0, "a heap of {start}° moves to {slope}°");
        assert!(
            if start < angle { slope > start - 1.0 } else { slope < start - 1.0 },
            "{start}° to {slope}°"
        );
    }
}

#[test]
fn a_cube_falls_as_galilei_says_and_bounces() {
    let mut scene = scenes::elastic_drop(0.2, 4, 0.1, 1e5).unwrap();
    let mut stepper = scene.stepper().unwrap();
    let centre = |state: &State| state.x.iter().map(|x| x.y).sum::<Real>() / state.x.len() as Real;
    let start = centre(&scene.state);
    scene.params.dt = 0.05;
    scene.run(&mut stepper, 1).unwrap();
    let (fallen, h) = (start - centre(&scene.state), 0.05 / stepper.report().substeps as Real);
    // Symplectic Euler in steps of h falls by g t (t + h)/2.
    assert!((fallen - 0.5 * 9.8 * 0.05 * (0.05 + h)).abs() < 1e-5, "{fallen}");
    scene.run(&mut stepper, 1).unwrap();
    let mut lowest: Real = 1.0;
    let mut after: Real = 0.0;
    for _ in 0..10 {
        scene.run(&mut stepper, 1).unwrap();
        let y = centre(&scene.state);
        after = if y < lowest { y } else { after.max(y) };
        lowest = lowest.min(y);
    }
    // It turns within half a cell of the floor.
    assert!(lowest < 0.125 && after > lowest + 0.01, "lowest {lowest}, then {after}");
    assert!(after < start);
}

#[test]
fn bodies_and_water_exchange_momentum_exactly() {
    let mut scene = scenes::floating_box(0.2, 4, 500.0, 0.5, FLIP).unwrap();
    scene.params.gravity = Vec3::zeros();
    scene.params.dt = 1e-3;
    scene.state.bodies.v[0] = Vec3::new(0.3, -1.0, 0.2);
    scene.state.bodies.w[0] = Vec3::new(1.0, 0.5, -2.0);
    let momentum = |scene: &scenes::Scene| {
        let water: Vec3 = scene.points.masses().iter().zip(&scene.state.v).map(|(m, v)| v * *m).sum();
        water + scene.state.bodies.v[0] * (500.0 * 0.4 * 0.2 * 0.2)
    };
    let before = momentum(&scene);
    let mut stepper = scene.stepper().unwrap();
    let (mut walls, mut bodies) = (Vec3::zeros(), Vec3::zeros());
    for _ in 0..5 {
        scene.run(&mut stepper, 1).unwrap();
        walls += stepper.report().impulses.walls.iter().sum::<Vec3>();
        bodies += stepper.report().bodies;
    }
    assert!(bodies.norm() > 1e-3, "they touch");
    let error = (momentum(&scene) - before - walls).norm();
    assert!(error <= 1e-12 * before.norm(), "{error}");
}

#[test]
fn light_bodies_rise_and_heavy_ones_sink() {
    for (density, up) in [(500.0, true), (1500.0, false)] {
        // Under water at first.
        let mut scene = scenes::floating_box(0.2, 4, density, 1.4, FLIP).unwrap();
        let mut stepper = scene.stepper().unwrap();
        let start = scene.state.bodies.p[0].y;
        scene.run(&mut stepper, 20).unwrap();
        let moved = scene.state.bodies.p[0].y - start;
        assert!(if up { moved > 0.01 } else { moved < -0.01 }, "{density}: {moved} m");
    }
}

fn block() -> pd_collide::Block {
    pd_collide::Block::new(Vec3::zeros(), Vec3::repeat(0.1)).unwrap().with_margin(0.0).unwrap()
}

#[test]
fn what_leaves_becomes_idle_and_comes_in_again() {
    let n = 64;
    let x: Vec<Vec3> = (0..n).map(|k| Vec3::new(0.05 + 0.02 * k as Real, 0.5, 0.5)).collect();
    let region = pd_core::Aabb { min: Vec3::new(0.1, 0.4, 0.4), max: Vec3::new(0.1, 0.6, 0.6) };
    let model = MpmModel::builder(0.1)
        .domain(Vec3::zeros(), [14, 10, 10])
        .material(0..n, Water::new(1000.0, 10.0).unwrap())
        .walls([Boundary::Open; 6])
        .inflow(Inflow::through(&region, Vec3::x() * 2.0, 0.05, 0))
        .build()
        .unwrap();
    let points = pd_core::Model::with_masses(vec![0.1; n]).build().unwrap();
    let mut state = State::new(x, vec![Vec3::x() * 3.0; n]);
    let params = StepParams { gravity: Vec3::zeros(), dt: 0.02, ..StepParams::default() };
    let mut stepper = MpmStepper::new(Arc::new(model));
    let (mut left, mut came) = (vec![false; n], 0);
    for _ in 0..30 {
        stepper.step(StepContext::of(&points, &params), &mut state).unwrap();
        let idle = state.columns.keys("mpm.idle");
        assert_eq!(idle.iter().filter(|i| **i != 0).count(), n - stepper.report().particles);
        for (left, idle) in left.iter_mut().zip(idle) {
            came += usize::from(*left && *idle == 0);
            *left = *idle != 0;
        }
        let domain = stepper.model().domain();
        assert!(state.x.iter().all(|x| domain.contains(x)));
    }
    assert!(came > 10, "{came} left and came in again");
}

#[test]
fn every_transfer_and_spline_runs() {
    for spline in [Spline::Quadratic, Spline::Cubic] {
        for transfer in [Transfer::Pic, Transfer::Flip { blend: 0.95 }, Transfer::Apic, Transfer::Mls] {
            let x =
                scenes::fill_box(&pd_core::Aabb { min: Vec3::repeat(0.1), max: Vec3::repeat(0.3) }, 0.05, 2);
            let n = x.len();
            let model = MpmModel::builder(0.05)
                .domain(Vec3::zeros(), [8; 3])
                .material(0..n, FixedCorotated::new(1000.0, 1e4, 0.3).unwrap())
                .spline(spline)
                .transfer(transfer)
                .build()
                .unwrap();
            let points = pd_core::Model::with_masses(vec![1000.0 * 0.025f64.powi(3); n]).build().unwrap();
            let mut state = State::at_rest(x);
            let params = StepParams::default();
            let mut stepper = MpmStepper::new(Arc::new(model));
            let mut low: Real = 1.0;
            for _ in 0..14 {
                stepper.step(StepContext::of(&points, &params), &mut state).unwrap();
                low = state.x.iter().fold(low, |low, x| low.min(x.y));
            }
            // It falls 0.1 m in 0.14 s and meets the floor.
            assert!(low > 0.0 && low < 0.05, "{spline:?} {transfer:?}: {low}");
        }
    }
}

#[test]
fn bad_models_are_refused_with_the_numbers() {
    let water = || Water::new(1000.0, 20.0).unwrap();
    let good = || MpmModel::builder(0.1).domain(Vec3::zeros(), [10; 3]).material(0..5, water());
    assert!(good().build().is_ok());
    for dx in [0.0, -0.1, Real::NAN, Real::INFINITY] {
        let model = MpmModel::builder(dx).domain(Vec3::zeros(), [10; 3]).material(0..5, water()).build();
        assert!(matches!(model, Err(MpmError::Spacing { .. })), "{dx}");
    }
    let empty = MpmModel::builder(0.1).domain(Vec3::zeros(), [10, 0, 10]).material(0..5, water()).build();
    assert!(matches!(empty, Err(MpmError::Domain { cells: [10, 0, 10], .. })));
    let none = MpmModel::builder(0.1).domain(Vec3::zeros(), [10; 3]).build();
    assert_eq!(none.unwrap_err(), MpmError::Empty);
    assert!(matches!(
        good().material(6..9, water()).build(),
        Err(MpmError::Sets { set: 1, first: 6, expected: 5 })
    ));
    match good().substep(0.01).build() {
        Err(MpmError::Cfl { substep, bound, dx, speed, .. }) => {
            assert_eq!((substep, dx, speed), (0.01, 0.1, 20.0));
            assert!((bound - 0.4 * 0.1 / 20.0).abs() < 1e-15);
        }
        other => panic!("{other:?}"),
    }
    let friction = Boundary::Separate { friction: -1.0 };
    assert!(matches!(good().walls([friction; 6]).build(), Err(MpmError::Parameter { name: "friction", .. })));
    let light =
        good().body(MpmBody::cuboid(0, Vec3::repeat(0.2), 300.0, block())).coupling(Coupling::Staggered);
    assert!(matches!(light.build(), Err(MpmError::Light { body: 0, .. })));
}

#[test]
fn a_step_that_fails_leaves_the_state_alone() {
    let model = MpmModel::builder(0.1)
        .domain(Vec3::zeros(), [10; 3])
        .material(0..2, Water::new(1000.0, 20.0).unwrap())
        .most_substeps(50)
        .build()
        .unwrap();
    let points = pd_core::Model::with_masses(vec![0.1; 2]).build().unwrap();
    let params = StepParams::default();
    let mut stepper = MpmStepper::new(Arc::new(model));
    let mut outside = State::at_rest(vec![Vec3::repeat(0.5), Vec3::repeat(1.5)]);
    let before = outside.clone();
    let error = stepper.step(StepContext::of(&points, &params), &mut outside).unwrap_err();
    assert!(error.to_string().contains("point 1") && error.to_string().contains("outside"), "{error}");
    assert_eq!(outside, before);
    let mut fast = State::new(vec![Vec3::repeat(0.5); 2], vec![Vec3::x() * 1e4; 2]);
    let before = fast.clone();
    let error = stepper.step(StepContext::of(&points, &params), &mut fast).unwrap_err();
    assert!(error.to_string().contains("substeps"), "{error}");
    assert_eq!(fast, before);
    let mut bad = State::new(vec![Vec3::repeat(0.5); 2], vec![Vec3::repeat(Real::NAN); 2]);
    assert!(matches!(
        stepper.step(StepContext::of(&points, &params), &mut bad),
        Err(StepError::NotFinite { .. })
    ));
}

#[test]
fn memory_is_what_the_documentation_says() {
    // 352 bytes a particle, 2,048 for every block of 4³ nodes that matter touches and 6,912 for the tile of a block with particles.
    let mut scene = scenes::dam_break(0.2, 10, Transfer::Mls).unwrap();
    let mut stepper = scene.stepper().unwrap();
    scene.params.dt = 1e-3;
    scene.run(&mut stepper, 1).unwrap();
    let [by_particle, by_block] = stepper.memory();
    assert_eq!(by_particle / scene.state.x.len(), 352);
    let report = stepper.report();
    let used = 2048 * report.touched_blocks + 6912 * report.active_blocks;
    assert!((used..=2 * used).contains(&by_block), "{by_block} bytes, {used} in use");
}
