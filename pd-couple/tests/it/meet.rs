//! Kinds of matter that meet: momentum, nothing through a cloth, weight on the pins, same bits.

use super::world::{Built, World, lattice};
use pd_core::{Aabb, Real, State, Vec3};
use pd_couple::Scheme;
use pd_rigid::{BodyDesc, Shape};

/// Gives things their velocities.
type Throw = Box<dyn Fn(&mut State)>;

/// Two things fly at each other without gravity; returns the largest error of momentum in a step, relative to what moves.
fn momentum_error(world: World, thrown: impl Fn(&mut State)) -> (Real, Real, usize) {
    let mut built = world.build(0.0, 1e-3);
    thrown(&mut built.state);
    let scale = built.state.v.iter().zip(&built.masses).map(|(v, m)| v.norm() * m).sum::<Real>()
        + built.rigid.as_ref().map_or(0.0, |r| r.momentum(&built.state.bodies)[0].norm());
    let (mut worst, mut most, mut impulse) = (0.0f64, 0, 0.0);
    for _ in 0..60 {
        let before = built.momentum();
        built.run(1);
        worst = worst.max((built.momentum() - before).norm() / scale);
        most = most.max(built.stepper.report().active);
        impulse += built.stepper.report().impulse;
    }
    (worst, impulse / scale, most)
}

#[test]
fn every_pair_keeps_momentum() {
    let falls = |from: usize| move |state: &mut State| state.v[from..].fill(Vec3::new(0.2, -2.0, 0.1));
    let cloth = || World { cloth: Some((10, 0.4, false)), ..World::default() };
    let boxed = |y| {
        BodyDesc::new(Shape::cuboid(Vec3::new(0.1, 0.05, 0.08)).unwrap(), 300.0).at(Vec3::new(0.02, y, 0.0))
    };
    let sand = || Some(lattice([5, 4, 5], 0.021, Vec3::new(-0.05, 0.03, -0.05)));
    let water = Aabb { min: Vec3::new(-0.1, 0.02, -0.1), max: Vec3::new(0.1, 0.14, 0.1) };
    let around = Aabb { min: Vec3::new(-0.1, -0.12, -0.1), max: Vec3::new(0.1, 0.12, 0.1) };
    let cases: [(&str, World, Throw); 6] = [
        ("cloth and grains", World { grains: sand(), ..cloth() }, Box::new(falls(121))),
        (
            "cloth and body",
            World { bodies: vec![boxed(0.1)], ..cloth() },
            Box::new(|state: &mut State| state.bodies.v[0] = Vec3::new(0.3, -2.0, 0.0)),
        ),
        (
            "grains and body",
            World { grains: sand(), bodies: vec![boxed(-0.05)], ..World::default() },
            Box::new(falls(0)),
        ),
        ("cloth and water", World { water: Some(water), ..cloth() }, Box::new(falls(121))),
        ("cloth in water", World { water: Some(around), ..cloth() }, Box::new(falls(121))),
        (
            "water and body",
            World { water: Some(water), bodies: vec![boxed(-0.05)], ..World::default() },
            Box::new(falls(0)),
        ),
    ];
    for (name, world, thrown) in cases {
        let (error, impulse, active) = momentum_error(world, thrown);
        assert!(error < 1e-10, "{name}: {error:e}");
        assert!(
            name == "water and body" || (impulse > 0.005 && active > 2),
            "{name} did not meet: {impulse} {active}"
        );
    }
}

/// Everything above a cloth held at its border stays above it.
fn above(built: &Built, first: usize) -> usize {
    let lowest = built.state.x[..first].iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
    built.state.x[first..].iter().filter(|x| x.y < lowest && x.x.abs() < 0.4 && x.z.abs() < 0.4).count()
}

#[test]
fn sand_stays_on_a_cloth_and_its_weight_on_the_pins() {
    let grains = lattice([12, 4, 12], 0.0205, Vec3::new(-0.12, 0.03, -0.12));
    let count = grains.len();
    let mut built =
        World { cloth: Some((16, 0.8, true)), grains: Some(grains), ..World::default() }.build(9.8, 1e-3);
    built.params.damping = 4.0;
    built.run(2000);
    assert_eq!(above(&built, 289), 0);
    assert!(built.state.x[289..].iter().all(|x| x.y > -0.5), "some fell off or through");
    let weight = (0.004 * count as Real + 0.3 * 0.64) * 9.8;
    let mut mean = 0.0;
    for _ in 0..100 {
        built.run(1);
        mean += built.pin_force().y / 100.0;
    }
    assert!((mean / weight - 1.0).abs() < 0.01, "{mean} of {weight}");
    assert_eq!(built.stepper.report().stalled, 0);
}

#[test]
fn a_cloth_catches_a_box() {
    let cube = BodyDesc::new(Shape::cuboid(Vec3::repeat(0.08)).unwrap(), 300.0).at(Vec3::new(0.01, 0.3, 0.0));
    let mut built =
        World { cloth: Some((16, 0.8, true)), bodies: vec![cube], ..World::default() }.build(9.8, 1e-3);
    built.params.damping = 2.0;
    built.run(3000);
    let p = built.state.bodies.p[0];
    assert!(p.y > -0.5 && p.y < 0.09 && p.x.abs() < 0.3 && p.z.abs() < 0.3, "{p:?}");
    // No vertex is deep in the box.
    let shape = &built.stepper.layout().shapes()[0];
    let mut out = vec![pd_core::Surface::default(); built.state.x.len()];
    shape.sample_at(&p, &built.state.bodies.q[0], &built.state.x, &mut out);
    let deepest = out.iter().map(|s| s.distance).fold(Real::INFINITY, Real::min);
    assert!(deepest > -0.001, "{deepest}");
    let weight = (300.0 * 0.16f64.powi(3) + 0.3 * 0.64) * 9.8;
    let mut mean = 0.0;
    for _ in 0..1000 {
        built.run(1);
        mean += built.pin_force().y / 1000.0;
    }
    assert!((mean / weight - 1.0).abs() < 0.01, "{mean} of {weight}");
}

#[test]
fn the_same_bits_for_any_threads_and_after_resume() {
    let run = |threads: usize, pause: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let world = || World {
                cloth: Some((8, 0.4, true)),
                grains: Some(lattice([5, 3, 5], 0.021, Vec3::new(-0.05, 0.03, -0.05))),
                water: Some(Aabb { min: Vec3::new(-0.1, 0.12, -0.1), max: Vec3::new(0.1, 0.2, 0.1) }),
                bodies: vec![
                    BodyDesc::new(Shape::sphere(0.04).unwrap(), 600.0).at(Vec3::new(0.1, 0.06, 0.1)),
                ],
                ..World::default()
            };
            let mut built = world().build(9.8, 1e-3);
            built.run(30);
            if pause {
                let state = built.state.clone();
                built = world().build(9.8, 1e-3);
                built.state = state;
            }
            built.run(30);
            built.state.hash()
        })
    };
    let expected = run(1, false);
    assert_eq!(run(1, true), expected, "resume");
    assert_eq!(run(3, false), expected, "threads");
}

#[test]
fn one_way_moves_only_the_lighter_kind() {
    let falls = |state: &mut State| state.v[121..].fill(Vec3::new(0.0, -2.0, 0.0));
    let grains = lattice([4, 1, 4], 0.021, Vec3::new(-0.04, 0.02, -0.04));
    let mut built = World {
        cloth: Some((10, 0.4, false)),
        grains: Some(grains),
        scheme: Scheme::OneWay,
        ..World::default()
    }
    .build(0.0, 1e-3);
    falls(&mut built.state);
    built.run(30);
    assert!(built.state.v[..121].iter().all(|v| v.norm() < 1e-9), "the cloth feels nothing");
    assert!(built.state.v[121..].iter().all(|v| v.y > -1e-6), "the grains are stopped");
}
