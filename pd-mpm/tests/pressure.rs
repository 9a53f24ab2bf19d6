//! Incompressible water against closed forms.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use pd_core::{Real, Vec3};
use pd_mpm::{
    Boundary, FixedCorotated, MpmError, MpmModel, PressureStepper, Transfer, Water, measure, scenes,
};
use std::sync::Arc;

/// A tank at rest, and one whose particles begin out of place.
#[test]
fn water_at_rest_has_the_pressure_of_its_depth() {
    for jitter in [0.0, 0.5] {
        let mut scene = scenes::water_tank(0.5, 16).unwrap();
        let dx = scene.model.dx();
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            Real::from(seed >> 8) / Real::from(1 << 24) - 0.5
        };
        for x in &mut scene.state.x {
            *x += Vec3::new(next(), next(), next()) * (0.5 * dx * jitter); // of the spacing
        }
        let mut stepper = scene.pressure_stepper().unwrap();
        scene.run(&mut stepper, 120).unwrap();
        let (mut floor, mut sides) = (0.0, Vec3::zeros());
        for _ in 0..60 {
            scene.run(&mut stepper, 1).unwrap();
            let report = stepper.report();
            assert!(report.divergence <= 1e-6, "{report:?}");
            floor += report.walls[2].y;
            sides += report.walls[0] + report.walls[1];
        }
        let weight = 9.8 * scene.points.masses().iter().sum::<Real>();
        assert!((floor / weight - 1.0).abs() < 0.01, "bottom force {}", floor / weight);
        assert!(sides.norm() < 0.01 * weight, "{sides}");
        let p = scene.state.columns.real("mpm.pressure");
        let [nx, ny, nz] = scene.model.cells().map(|n| n as usize);
        for c in 0..nx * ny * nz {
            let y = ((c / nz % ny) as Real + 0.5) * dx;
            let exact = 9800.0 * (0.5 - y);
            if y < 0.5 {
                assert!(
                    (p[c] / exact - 1.0).abs() < 0.01,
                    "{jitter}: cell {c} at {y} m: {} of {exact} Pa",
                    p[c]
                );
            } else {
                assert_eq!(p[c], 0.0, "air");
            }
        }
        let (_, fastest) = measure::motion(scene.points.masses(), &scene.state);
        let volume =
            2.0 * scene.state.x.iter().map(|x| x.y).sum::<Real>() / scene.state.x.len() as Real / 0.5;
        assert!((volume - 1.0).abs() < 0.01, "{volume}");
        assert!(fastest < 0.01, "{fastest} m/s");
    }
}

/// Lift on a box held still in water at rest, over the weight of the water it displaces.
fn lift(resolution: u32, deep: Real) -> Real {
    let (a, h) = (0.2, 1e-3);
    let mut scene = scenes::floating_box(a, resolution, 1e15, deep, Transfer::Apic).unwrap();
    scene.params.dt = h;
    scene.state.bodies.v[0].y = 9.8 * h; // gravity takes it away again
    let mut stepper = scene.pressure_stepper().unwrap();
    scene.run(&mut stepper, 1).unwrap();
    let thick = 4.0 * scene.model.dx();
    stepper.report().bodies.y / h / (9800.0 * deep.min(1.0) * a * 2.0 * a * thick)
}

/// Wherever its faces lie between those of the grid: also where a thin part of a cell is left open beside it.
#[test]
fn water_bears_a_body_by_the_weight_of_what_it_displaces() {
    for resolution in [4, 6] {
        for k in 0..=32 {
            // Not with less water over its top than a cell.
            let deep = 0.2 + 0.025 * Real::from(k) + if k > 28 { 0.375 } else { 0.0 };
            let found = lift(resolution, deep);
            assert!((found - 1.0).abs() < 0.015, "{resolution} cells, {deep} deep: {found}");
        }
    }
}

/// Water that lies on the wall of the domain does not feel an obstacle behind that wall.
#[test]
fn an_obstacle_beyond_the_floor_changes_nothing() {
    let run = |obstacle: bool| {
        let mut scene = scenes::dam_break(0.2, 6, Transfer::Apic).unwrap();
        if obstacle {
            let block = pd_collide::Block::new(Vec3::new(0.5, -0.1, 0.0), Vec3::new(2.0, 0.1, 2.0)).unwrap();
            scene.colliders.push(Box::new(block.with_margin(0.0).unwrap()));
        }
        let mut stepper = scene.pressure_stepper().unwrap();
        scene.run(&mut stepper, 10).unwrap();
        scene.state
    };
    let (with, without) = (run(true), run(false));
    let apart = with.x.iter().zip(&without.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    assert!(apart < 1e-9, "{apart} m");
}

#[test]
fn boxes_float_as_deep_as_archimedes_says() {
    for (resolution, densities) in [(4, &[250.0, 500.0, 750.0][..]), (6, &[250.0, 500.0, 750.0])] {
        for &density in densities {
            let mut scene = scenes::floating_box(0.2, resolution, density, 0.5, Transfer::Apic).unwrap();
            let mut stepper = scene.pressure_stepper().unwrap();
            scene.run(&mut stepper, 60).unwrap();
            // It bobs in its tank for long; its mean is where it belongs.
            let mut mean = 0.0;
            for _ in 0..120 {
                scene.run(&mut stepper, 1).unwrap();
                mean += scenes::floating_depth(&scene, 0.2) / 120.0;
            }
            assert!((mean - density / 1000.0).abs() < 0.03, "{density} kg/m³ at {resolution} cells: {mean}");
        }
    }
}

#[test]
fn one_percent_of_the_density_decides_between_rising_and_sinking() {
    for (density, sign) in [(990.0, 1.0), (1010.0, -1.0)] {
        let mut scene = scenes::floating_box(0.2, 5, density, 1.4, Transfer::Apic).unwrap();
        let start = scene.state.bodies.p[0].y;
        let mut stepper = scene.pressure_stepper().unwrap();
        scene.run(&mut stepper, 60).unwrap();
        let moved = scene.state.bodies.p[0].y - start;
        assert!(sign * moved > 0.002, "{density}: {moved} m");
    }
}

#[test]
fn bits_are_the_same_for_any_number_of_threads_and_after_resume() {
    let hashes: Vec<u64> = [1, 2, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut scene = scenes::floating_box(0.2, 4, 300.0, 0.5, Transfer::Apic).unwrap();
            pool.install(|| {
                let mut stepper = scene.pressure_stepper().unwrap();
                scene.run(&mut stepper, 5).unwrap();
                let mut stepper = if threads == 2 { scene.pressure_stepper().unwrap() } else { stepper };
                scene.run(&mut stepper, 5).unwrap();
            });
            scene.state.hash()
        })
        .collect();
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn nothing_enters_an_obstacle_and_water_flows_around_it() {
    let mut scene = scenes::dam_break(0.2, 6, Transfer::Apic).unwrap();
    let (centre, half) = (Vec3::new(0.45, 0.05, 0.07), Vec3::new(0.08, 0.09, 1.0));
    let block = pd_collide::Block::new(centre, half).unwrap().with_margin(0.0).unwrap();
    scene.colliders.push(Box::new(block));
    let mut stepper = scene.pressure_stepper().unwrap();
    let mut touched = false;
    for _ in 0..40 {
        scene.run(&mut stepper, 1).unwrap();
        assert!(stepper.report().divergence <= 1e-6, "{:?}", stepper.report());
        for x in &scene.state.x {
            let inside = half - (x - centre).abs();
            assert!(inside.min() < 1e-9, "{x}");
            touched |= inside.min() > -0.01;
        }
    }
    assert!(touched);
}

#[test]
fn what_it_cannot_do_is_refused() {
    let new = |model: MpmModel| PressureStepper::new(Arc::new(model)).map(|_| ());
    let builder = || MpmModel::builder(0.1).domain(Vec3::zeros(), [10; 3]);
    let water = || Water::new(1000.0, 20.0).unwrap();
    let name = |model: MpmModel| match new(model) {
        Err(MpmError::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert!(new(builder().material(0..1, water()).build().unwrap()).is_ok());
    let jelly = FixedCorotated::new(1000.0, 1e4, 0.3).unwrap();
    assert_eq!(name(builder().material(0..1, jelly).build().unwrap()), "memory of a law");
    let open = builder().material(0..1, water()).walls([Boundary::Open; 6]).build().unwrap();
    assert_eq!(name(open), "open walls and inflows");
    let honey = water().with_viscosity(1.0).unwrap();
    assert_eq!(name(builder().material(0..1, honey).build().unwrap()), "viscosity");
    let oil = Water::new(900.0, 20.0).unwrap();
    assert_eq!(name(builder().material(0..1, water()).material(1..2, oil).build().unwrap()), "density");
    let huge = MpmModel::builder(0.1).domain(Vec3::zeros(), [1 << 20; 3]).material(0..1, water());
    assert_eq!(name(huge.build().unwrap()), "number of cells");
}
