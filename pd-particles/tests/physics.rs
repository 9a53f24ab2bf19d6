//! Physics of the stepper `unified-substep`, against closed forms and conservation laws.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use nalgebra::Isometry3;
use pd_core::{Model, Real, State, StepContext, StepError, StepParams, Stepper, Vec3};
use pd_particles::scenes::{self, Scene};
use pd_particles::{
    BodyKind, BodyShape, Friction, Material, ParticleError, ParticleModel, SubstepSettings, UnifiedSubstep,
};
use std::sync::Arc;

fn material(mu: Real) -> Material {
    Material { radius: 0.05, mass: 0.3, friction: Friction::new(mu) }
}

fn prepared(scene: &Scene) -> UnifiedSubstep {
    let mut stepper = UnifiedSubstep::new(scene.particles.clone(), SubstepSettings::default());
    stepper.prepare(scene.context()).unwrap();
    stepper
}

fn run(scene: &Scene, stepper: &mut UnifiedSubstep, state: &mut State, frames: usize) {
    for _ in 0..frames {
        stepper.step(scene.context(), state).unwrap();
    }
}

/// A run without obstacles.
fn free(particles: ParticleModel, gravity: Vec3, frames: usize) -> (Arc<ParticleModel>, State) {
    let (particles, params) = (Arc::new(particles), StepParams { gravity, ..StepParams::default() });
    let model: Model = particles.core_model().unwrap();
    let mut stepper = UnifiedSubstep::new(particles.clone(), SubstepSettings::default());
    let context = StepContext::of(&model, &params);
    stepper.prepare(context).unwrap();
    let mut state = particles.state();
    for _ in 0..frames {
        stepper.step(context, &mut state).unwrap();
    }
    (particles, state)
}

fn top(state: &State) -> Real {
    state.x.iter().map(|x| x.y).fold(Real::MIN, Real::max)
}

fn fastest(state: &State) -> Real {
    state.v.iter().map(|v| v.norm()).fold(0.0, Real::max)
}

/// Σ m v and Σ x × m v.
fn momenta(particles: &ParticleModel, state: &State) -> [Vec3; 2] {
    let each = particles.masses().iter().zip(state.x.iter().zip(&state.v));
    each.fold([Vec3::zeros(); 2], |[p, l], (m, (x, v))| [p + v * *m, l + x.cross(v) * *m])
}

#[test]
fn a_tower_of_forty_layers_keeps_its_height() {
    let scene = scenes::sand(5, 40, Friction::new(0.5)).unwrap();
    let (mut stepper, mut state) = (prepared(&scene), scene.state());
    for frame in 0..59 {
        run(&scene, &mut stepper, &mut state, 1);
        assert!(top(&state) >= 3.91, "frame {frame}: {}", top(&state));
    }
}

#[test]
fn sand_makes_a_pile_with_friction_and_one_layer_without() {
    // Part of the grains that lie on others.
    let raised = |friction| {
        let scene = scenes::sand(7, 10, friction).unwrap();
        let (mut stepper, mut state) = (prepared(&scene), scene.state());
        run(&scene, &mut stepper, &mut state, 400);
        state.x.iter().filter(|x| x.y > 0.07).count() as Real / state.x.len() as Real
    };
    let (with, without) = (raised(Friction::new(0.5)), raised(Friction::NONE));
    assert!(with > 0.2, "{with}");
    assert!(without == 0.0, "{without}");
}

#[test]
fn a_stack_of_five_comes_to_rest_and_stays() {
    let scene = scenes::stack().unwrap();
    let (mut stepper, mut state) = (prepared(&scene), scene.state());
    run(&scene, &mut stepper, &mut state, 250);
    assert!(fastest(&state) < 1e-3, "{}", fastest(&state));
    assert!((top(&state) - 2.95).abs() < 1e-3, "{}", top(&state));
    let before = state.clone();
    run(&scene, &mut stepper, &mut state, 500);
    let drift = state.x.iter().zip(&before.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn colliding_bodies_keep_linear_and_angular_momentum() {
    let cube = BodyShape::block([4; 3], 0.1).unwrap();
    let ball = BodyShape::ball(0.3, 0.1).unwrap();
    let pose = |x: Real, y: Real| Isometry3::new(Vec3::new(x, y, 0.05), Vec3::new(0.3, 0.2, x));
    let particles = ParticleModel::builder()
        .body("cube", &cube, pose(-0.6, 0.1), BodyKind::Rigid, material(0.6))
        .moving(Vec3::new(3.0, 0.0, 0.1), Vec3::new(1.0, -4.0, 2.0))
        .body("ball", &ball, pose(0.6, -0.1), BodyKind::Rigid, material(0.2))
        .moving(Vec3::new(-2.0, 0.2, 0.0), Vec3::new(0.0, 3.0, 5.0))
        .build()
        .unwrap();
    let before = momenta(&particles, &particles.state());
    let (particles, state) = free(particles, Vec3::zeros(), 40);
    let after = momenta(&particles, &state);
    let turned = (state.v[0] - particles.state().v[0]).norm();
    assert!(turned > 0.5, "they met");
    for (before, after) in before.iter().zip(&after) {
        assert!((before - after).norm() < 1e-12 * before.norm(), "{before:?} {after:?}");
    }
}

#[test]
fn two_creatures_that_collide_keep_both_momenta() {
    let scene = scenes::bunnies().unwrap();
    let params = StepParams { gravity: Vec3::zeros(), ..StepParams::default() };
    let context = StepContext::of(&scene.model, &params);
    let mut stepper = UnifiedSubstep::new(scene.particles.clone(), SubstepSettings::default());
    stepper.prepare(context).unwrap();
    let mut state = scene.state();
    let upper = scene.particles.bodies()[1].range.clone();
    state.v[upper.clone()].fill(Vec3::new(0.2, -6.0, 0.1));
    let before = momenta(&scene.particles, &state);
    for _ in 0..40 {
        stepper.step(context, &mut state).unwrap();
    }
    let after = momenta(&scene.particles, &state);
    assert!(state.v[0].norm() > 0.5 && state.v[upper.start].y > -5.0, "they met");
    for (before, after) in before.iter().zip(&after) {
        assert!((before - after).norm() < 1e-12 * before.norm(), "{before:?} {after:?}");
    }
}

#[test]
fn colliding_grains_keep_linear_momentum_and_without_friction_angular_momentum() {
    let at: Vec<Vec3> =
        (0..64).map(|k| Vec3::new((k % 4) as Real, (k / 4 % 4) as Real, (k / 16) as Real) * 0.11).collect();
    let shot = [Vec3::new(0.2, 0.13, -1.0)];
    let particles = ParticleModel::builder()
        .grains("block", &at, material(0.0))
        .grains("shot", &shot, material(0.0))
        .moving(Vec3::new(0.1, 0.2, 6.0), Vec3::zeros())
        .build()
        .unwrap();
    let before = momenta(&particles, &particles.state());
    let (particles, state) = free(particles, Vec3::zeros(), 30);
    let after = momenta(&particles, &state);
    assert!(state.v.iter().filter(|v| v.norm() > 1e-3).count() > 10, "they met");
    for (before, after) in before.iter().zip(&after) {
        assert!((before - after).norm() < 1e-12 * before.norm(), "{before:?} {after:?}");
    }
}

/// How far a layer of grains slides in a second on a floor under gravity that is tilted by `degrees`.
fn slide(mu: Real, degrees: Real) -> Real {
    let at: Vec<Vec3> =
        (0..49).map(|k| Vec3::new((k % 7) as Real * 0.1, 0.05, (k / 7) as Real * 0.1)).collect();
    let particles = ParticleModel::builder().grains("layer", &at, material(mu)).build().unwrap();
    let mut scene = Scene::on_floor("tray", 1.0, particles).unwrap();
    let angle = degrees.to_radians();
    scene.params.gravity = Vec3::new(angle.sin(), -angle.cos(), 0.0) * 9.8;
    let (mut stepper, mut state) = (prepared(&scene), scene.state());
    run(&scene, &mut stepper, &mut state, 60);
    (state.x[0] - at[0]).norm()
}

#[test]
fn a_tray_starts_to_flow_at_the_angle_of_friction() {
    for mu in [0.2, 0.5, 0.9_f64] {
        let angle = mu.atan().to_degrees();
        assert!(slide(mu, angle - 2.0) < 1e-6, "{mu}: {}", slide(mu, angle - 2.0));
        assert!(slide(mu, angle + 2.0) > 0.02, "{mu}: {}", slide(mu, angle + 2.0));
    }
}

#[test]
fn the_angle_at_which_a_tray_starts_to_flow_grows_with_friction() {
    // The least tilt, in whole degrees, at which the layer moves by 2 cm in a second.
    let starts = |mu: Real| (1..60).find(|&degrees| slide(mu, degrees as Real) > 0.02).unwrap();
    let angles: Vec<i32> = [0.1, 0.3, 0.5, 0.7].map(starts).to_vec();
    assert!(angles.windows(2).all(|pair| pair[0] < pair[1]), "{angles:?}");
    for (angle, mu) in angles.iter().zip([0.1, 0.3, 0.5, 0.7_f64]) {
        let expected = mu.atan().to_degrees();
        assert!((Real::from(*angle) - expected).abs() <= 2.0, "{angle} {expected}");
    }
}

/// Angle of the slope of a heap, degrees: that of the cone with its moments.
fn slope(state: &State) -> Real {
    let n = state.x.len() as Real;
    let centre = state.x.iter().sum::<Vec3>() / n;
    // Of a cone of height H and radius R the mean height is H/4 and the mean squared distance from the axis 3 R²/10.
    let height = 4.0 * (state.x.iter().map(|x| x.y).sum::<Real>() / n - 0.05);
    let square =
        state.x.iter().map(|x| (x.x - centre.x).powi(2) + (x.z - centre.z).powi(2)).sum::<Real>() / n;
    (height / (square / 0.3).sqrt()).atan().to_degrees()
}

#[test]
fn rolling_resistance_makes_a_cone() {
    // Poured in a thin stream, through a medium in which they fall at 2.5 m/s.
    let heap = |rolling: Real| {
        let shift = |k: usize| ((k * 7919 % 101) as Real / 101.0 - 0.5) * 0.02;
        let at = |k: usize| {
            Vec3::new(
                (k % 2) as Real * 0.12 + shift(k),
                0.3 + 0.12 * (k / 4) as Real,
                (k / 2 % 2) as Real * 0.12 + shift(k + 17),
            )
        };
        let at: Vec<Vec3> = (0..400).map(at).collect();
        let friction = Friction { rolling: Some(rolling), ..Friction::new(0.8) };
        let sand = Material { friction, ..material(0.8) };
        let particles = ParticleModel::builder().grains("sand", &at, sand).build().unwrap();
        let mut scene = Scene::on_floor("heap", 1.0, particles).unwrap();
        scene.params.damping = 4.0;
        let (mut stepper, mut state) = (prepared(&scene), scene.state());
        run(&scene, &mut stepper, &mut state, 420);
        slope(&state)
    };
    let (with, without) = (heap(0.5), heap(0.0));
    assert!(with >= 25.0, "{with}");
    assert!(without < 15.0, "{without} {with}");
}

#[test]
fn a_fast_ball_does_not_pass_a_wall_of_one_particle() {
    let wall: Vec<Vec3> =
        (0..81).map(|k| Vec3::new(0.0, (k % 9) as Real - 4.0, (k / 9) as Real - 4.0) * 0.1).collect();
    let ball = Vec3::new(-1.3, 0.013, -0.021);
    let held =
        ParticleModel::builder().fixed("wall", &wall, material(0.3)).grains("ball", &[ball], material(0.3));
    let shape = BodyShape::block([1, 9, 9], 0.1).unwrap();
    let loose = ParticleModel::builder()
        .body("wall", &shape, Isometry3::identity(), BodyKind::Rigid, material(0.3))
        .grains("ball", &[ball], Material { mass: 20.0, ..material(0.3) });
    for builder in [held, loose] {
        let particles = builder.moving(Vec3::x() * 50.0, Vec3::zeros()).build().unwrap();
        let (particles, mut state) = free(particles, Vec3::zeros(), 6);
        let ball = particles.len() - 1;
        assert!(state.x[ball].x > -1.2, "it arrived");
        let wall = state.x[..ball].iter().map(|x| x.x).fold(Real::MIN, Real::max);
        assert!(state.x[ball].x < wall, "{} {wall}", state.x[ball].x);
        assert_eq!(state.first_not_finite(), None);
        state.x.clear();
    }
}

#[test]
fn an_overlap_is_parted_at_bounded_speed() {
    let at = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.01, 1.0, 0.0), Vec3::new(0.01, 1.0, 0.0)];
    let particles = ParticleModel::builder().grains("heap", &at, material(0.3)).build().unwrap();
    let overlap = particles.overlap(&at, 0.0);
    assert_eq!((overlap.pairs, overlap.worst.len()), (3, 2));
    assert!((overlap.deepest - 0.1).abs() < 1e-12);
    let (particles, state) = free(particles, Vec3::zeros(), 60);
    assert!(particles.overlap(&state.x, 1e-6).pairs == 0, "{:?}", particles.overlap(&state.x, 1e-6));
    assert!(fastest(&state) <= SubstepSettings::default().push_speed * 2.0, "{}", fastest(&state));
}

/// Sand, a rigid and a deformable body, and a rolling grain together.
fn mixture() -> Scene {
    let at: Vec<Vec3> = (0..1200)
        .map(|k| {
            Vec3::new((k % 10) as Real - 5.0, (k / 100) as Real + 0.5, (k / 10 % 10) as Real - 5.0) * 0.1
        })
        .collect();
    let cube = BodyShape::block([4; 3], 0.1).unwrap();
    let rolling = Friction { rolling: Some(0.1), ..Friction::new(0.5) };
    let particles = ParticleModel::builder()
        .grains("sand", &at, Material { friction: rolling, ..material(0.5) })
        .body(
            "stone",
            &cube,
            Isometry3::new(Vec3::new(0.1, 1.8, 0.0), Vec3::new(0.3, 0.1, 0.5)),
            BodyKind::Rigid,
            material(0.5),
        )
        .body("jelly", &cube, Isometry3::translation(0.1, 2.6, 0.1), BodyKind::Quadratic(0.5), material(0.5))
        .moving(Vec3::new(0.0, -4.0, 0.0), Vec3::zeros())
        .build()
        .unwrap();
    Scene::on_floor("mixture", 1.0, particles).unwrap()
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads_and_after_a_resume() {
    let scene = mixture();
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut stepper, mut state) = (prepared(&scene), scene.state());
            run(&scene, &mut stepper, &mut state, 25);
            let mut resumed = state.clone();
            run(&scene, &mut stepper, &mut state, 15);
            run(&scene, &mut prepared(&scene), &mut resumed, 15);
            assert_eq!(state.hash(), resumed.hash(), "a new stepper goes on with the same bits");
            state.hash()
        })
    };
    let one = hash(1);
    for threads in [2, 3, 8] {
        assert_eq!(hash(threads), one, "{threads} threads");
    }
}

#[test]
fn more_pairs_than_were_reserved_are_all_met() {
    // Two hundred grains in the room of three: far more pairs a grain than is reserved. None is lost: all part.
    let at: Vec<Vec3> =
        (0..200).map(|k| Vec3::new((k % 6) as Real, (k / 6 % 6) as Real, (k / 36) as Real) * 0.03).collect();
    let particles = ParticleModel::builder().grains("dense", &at, material(0.2)).build().unwrap();
    let overlap = particles.overlap(&at, 1e-9);
    assert!(overlap.pairs > 200 * 24, "{overlap:?}");
    let (particles, state) = free(particles, Vec3::zeros(), 90);
    assert_eq!(particles.overlap(&state.x, 1e-3).pairs, 0, "{:?}", particles.overlap(&state.x, 1e-3));
    assert!(fastest(&state) < 30.0, "{}", fastest(&state));
    // The same bits from a stepper that had met fewer before: capacity is no part of the state.
    let again = free(ParticleModel::clone(&particles), Vec3::zeros(), 90).1;
    assert_eq!(again.hash(), state.hash());
}

#[test]
fn bad_input_is_named() {
    let build = |material, at: Vec3| ParticleModel::builder().grains("sand", &[at], material).build();
    let name = |result: Result<ParticleModel, ParticleError>| match result {
        Err(ParticleError::Parameter { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let good = material(0.5);
    assert_eq!(name(build(Material { radius: 0.0, ..good }, Vec3::zeros())), "radius");
    assert_eq!(name(build(Material { mass: Real::NAN, ..good }, Vec3::zeros())), "mass");
    assert_eq!(name(build(Material { friction: Friction::new(-0.1), ..good }, Vec3::zeros())), "friction");
    assert!(matches!(build(good, Vec3::repeat(Real::NAN)), Err(ParticleError::Position { particle: 0, .. })));
    assert_eq!(ParticleModel::builder().build().err(), Some(ParticleError::Empty));
    assert!(matches!(BodyShape::ball(0.01, 0.1), Err(ParticleError::TooThin { .. })));

    let scene = mixture();
    let mut stepper = UnifiedSubstep::new(scene.particles.clone(), SubstepSettings::default());
    let mut state = scene.state();
    assert!(matches!(stepper.step(scene.context(), &mut state), Err(StepError::NotPrepared { .. })));
    stepper.prepare(scene.context()).unwrap();
    state.v[3].x = Real::NAN;
    let before = state.x.clone();
    assert!(matches!(stepper.step(scene.context(), &mut state), Err(StepError::NotFinite { .. })));
    assert_eq!(state.x, before, "the state is left alone");
}
