//! Fast bodies: nothing passes through, and nothing is stopped by what it passes.

use crate::world::{World, substeps, weightless};
use pd_collide::{Block, Moving, Path, Sphere};
use pd_core::{Collider, Real, Vec3};
use pd_rigid::{BodyDesc, RigidModel, RigidParams, Shape};
use proptest::prelude::*;

fn plate() -> BodyDesc {
    BodyDesc::new(Shape::cuboid(Vec3::new(0.005, 1.0, 1.0)).unwrap(), 1.0).fixed()
}

fn bullets() -> Vec<Shape> {
    vec![
        Shape::sphere(0.01).unwrap(),
        Shape::capsule(0.02, 0.008).unwrap(),
        Shape::cylinder(0.02, 0.008).unwrap(),
        Shape::cuboid(Vec3::new(0.02, 0.008, 0.008)).unwrap(),
        Shape::hull(&[
            Vec3::x() * 0.03,
            Vec3::new(-0.01, 0.01, 0.01),
            Vec3::new(-0.01, -0.01, 0.01),
            Vec3::new(-0.01, 0.0, -0.02),
        ])
        .unwrap(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Up to 1,000 m/s (17 m a step) at a plate of 1 cm, spinning, from any side; also as triangles of a mesh.
    #[test]
    fn a_bullet_does_not_pass_a_plate(
        speed in 50.0..1000.0f64, aim in prop::array::uniform2(-0.8..0.8f64), from in prop::array::uniform2(-3.0..3.0f64),
        distance in 0.5..20.0f64, spin in prop::array::uniform3(-200.0..200.0f64), kind in 0..5usize, mesh in any::<bool>(),
    ) {
        let mut builder = RigidModel::builder();
        if mesh {
            let corner = |y: Real, z: Real| Vec3::new(-0.005, y, z);
            let square = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
            builder.body(BodyDesc::mesh(&square, &[[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap();
        } else {
            builder.body(plate()).unwrap();
        }
        let start = Vec3::new(-distance, from[0], from[1]);
        let way = (Vec3::new(0.0, aim[0], aim[1]) - start).normalize();
        let bullet = BodyDesc::new(bullets()[kind].clone(), 8000.0);
        builder.body(bullet.at(start).moving(way * speed, Vec3::from(spin))).unwrap();
        let mut world = weightless(World::new(builder, substeps(4), "direct"));
        for _ in 0..60 {
            world.step();
            let p = world.state.bodies.p[1];
            // Stopped by the plate it may slide along it and leave over a side.
            if p.y.abs().max(p.z.abs()) > 0.95 && world.state.bodies.v[1].x < 0.5 * way.x * speed {
                return Ok(());
            }
            prop_assert!(p.x < 0.0, "{} at {p:?}", bullets()[kind].kind());
        }
        prop_assert!(world.state.bodies.v[1].x < 0.2 * way.x * speed, "it was stopped");
    }

    /// Past the edge of a plate at a distance larger than its size: not a bit of its way changes.
    #[test]
    fn a_bullet_that_misses_is_not_touched(speed in 50.0..1000.0f64, gap in 0.06..1.0f64, kind in 0..5usize, distance in 0.5..20.0f64) {
        let mut builder = RigidModel::builder();
        builder.body(plate()).unwrap();
        let bullet = BodyDesc::new(bullets()[kind].clone(), 8000.0);
        builder.body(bullet.at(Vec3::new(-distance, 1.0 + gap, 0.3)).moving(Vec3::x() * speed, Vec3::zeros())).unwrap();
        let mut world = weightless(World::new(builder, substeps(4), "direct"));
        let before = world.state.bodies.v[1];
        world.run(60);
        prop_assert_eq!(world.state.bodies.v[1], before);
    }
}

#[test]
fn two_bullets_meet_in_the_air() {
    let mut builder = RigidModel::builder();
    let ball = BodyDesc::new(Shape::sphere(0.02).unwrap(), 8000.0).restitution(1.0);
    builder.body(ball.clone().at(Vec3::x() * -5.0).moving(Vec3::x() * 400.0, Vec3::zeros())).unwrap();
    builder.body(ball.at(Vec3::x() * 5.0).moving(Vec3::x() * -400.0, Vec3::zeros())).unwrap();
    let mut world = weightless(World::new(builder, substeps(4), "direct"));
    world.run(3);
    let (p, v) = (&world.state.bodies.p, &world.state.bodies.v);
    assert!(p[0].x < p[1].x, "{} {}", p[0], p[1]);
    assert!(v[0].x < -399.0 && v[1].x > 399.0, "{} {}", v[0], v[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The same plate as an obstacle of the scene, known by its signed distance alone.
    #[test]
    fn a_bullet_does_not_pass_an_obstacle(
        speed in 50.0..1000.0f64, aim in prop::array::uniform2(-0.8..0.8f64), from in prop::array::uniform2(-3.0..3.0f64),
        distance in 0.5..20.0f64, spin in prop::array::uniform3(-200.0..200.0f64), kind in 0..5usize,
    ) {
        let block = Block::new(Vec3::zeros(), Vec3::new(0.005, 1.0, 1.0)).unwrap().with_margin(0.0).unwrap();
        let colliders: Vec<Box<dyn Collider>> = vec![Box::new(block)];
        let start = Vec3::new(-distance, from[0], from[1]);
        let way = (Vec3::new(0.0, aim[0], aim[1]) - start).normalize();
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::new(bullets()[kind].clone(), 8000.0).at(start).moving(way * speed, Vec3::from(spin))).unwrap();
        let mut world = weightless(World::new(builder, substeps(4), "direct"));
        for _ in 0..60 {
            world.stepper.advance(&world.params, &colliders, &mut world.state).unwrap();
            let (p, v) = (world.state.bodies.p[0], world.state.bodies.v[0]);
            if p.y.abs().max(p.z.abs()) > 0.95 && v.x < 0.5 * way.x * speed {
                return Ok(());
            }
            prop_assert!(p.x < 0.0, "{} at {p:?}", bullets()[kind].kind());
        }
        prop_assert!(world.state.bodies.v[0].x < 0.2 * way.x * speed, "it was stopped");
    }
}

/// A world with obstacles.
struct Among {
    world: World,
    obstacles: Vec<Box<dyn Collider>>,
}

impl Among {
    fn new(body: BodyDesc, obstacle: impl Collider + 'static) -> Self {
        let mut builder = RigidModel::builder();
        builder.body(body).unwrap();
        Self {
            world: World::new(builder, RigidParams::default(), "direct"),
            obstacles: vec![Box::new(obstacle)],
        }
    }

    fn run(&mut self, frames: usize) {
        for _ in 0..frames {
            let World { stepper, params, state, .. } = &mut self.world;
            stepper.advance(params, &self.obstacles, state).unwrap();
        }
    }
}

/// A plate across x of half a thickness of 5 mm that goes along a path.
fn paddle(keys: Vec<(Real, Vec3)>) -> Moving<Block> {
    let block = Block::new(Vec3::zeros(), Vec3::new(0.005, 1.0, 1.0)).unwrap().with_margin(0.0).unwrap();
    Moving::new(block, Path::new(keys).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// An obstacle of 1 cm that comes at up to 200 m/s (3 m a step) takes a body with it.
    #[test]
    fn an_obstacle_does_not_pass_a_body(
        speed in 5.0..200.0f64, from in 0.2..5.0f64, kind in 0..5usize, spin in prop::array::uniform3(-50.0..50.0f64),
    ) {
        let way = 60.0;
        let keys = vec![(0.0, Vec3::x() * -from), (way / speed, Vec3::x() * (way - from))];
        let body = BodyDesc::new(bullets()[kind].clone(), 8000.0).moving(Vec3::zeros(), Vec3::from(spin));
        let mut among = Among::new(body, paddle(keys));
        among.world.params.gravity = Vec3::zeros();
        let steps = ((way / speed * 60.0) as usize).min(30);
        for k in 1..=steps {
            among.run(1);
            let at = speed * k as Real / 60.0 - from;
            let p = among.world.state.bodies.p[0];
            prop_assert!(p.x > at, "{} at {p:?}, the plate at {at}", bullets()[kind].kind());
        }
        if speed * steps as Real / 60.0 > from + 0.5 {
            let v = among.world.state.bodies.v[0].x;
            prop_assert!(v > 0.9 * speed && v < 1.5 * speed, "{v} of {speed} m/s");
        }
    }
}

/// A lift that starts, stops and goes down again carries a box without a gap; one that comes to a body asleep wakes it.
#[test]
fn what_moves_carries_and_wakes() {
    let keys = [0.0, 1.0, 3.0, 4.0, 6.0].into_iter().zip([0.0, 0.0, 3.0, 3.0, 1.0]);
    let block = Block::new(Vec3::y() * -0.1, Vec3::new(1.0, 0.1, 1.0)).unwrap().with_margin(0.0).unwrap();
    let lift = Moving::new(block, Path::new(keys.map(|(t, y)| (t, Vec3::y() * y)).collect()).unwrap());
    let mut among =
        Among::new(BodyDesc::new(Shape::cuboid(Vec3::repeat(0.2)).unwrap(), 500.0).at(Vec3::y() * 0.2), lift);
    among.run(58);
    assert_eq!(among.world.stepper.report().asleep, 1);
    for frame in 58..360 {
        among.run(1);
        let t = (frame + 1) as Real / 60.0;
        let top = if t < 1.0 {
            0.0
        } else if t < 3.0 {
            1.5 * (t - 1.0)
        } else if t < 4.0 {
            3.0
        } else {
            7.0 - t
        };
        let gap = among.world.state.bodies.p[0].y - 0.2 - top;
        // Where the lift stops the box flies on at 1.5 m/s for 0.11 m, and where it starts down it falls behind for 0.05 m.
        let free = (3.0..3.4).contains(&t) || (4.0..4.3).contains(&t);
        assert!(gap > -2e-3 && gap < if free { 0.13 } else { 2e-3 }, "{gap:.5} m at {t:.3} s");
    }
    // A plate that comes from the side, slowly.
    let ball = BodyDesc::new(Shape::sphere(0.1).unwrap(), 500.0).at(Vec3::new(1.0, 0.1, 0.0));
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    builder.body(ball).unwrap();
    let mut world = World::new(builder, RigidParams::default(), "direct");
    let obstacles: Vec<Box<dyn Collider>> =
        vec![Box::new(paddle(vec![(0.0, Vec3::zeros()), (2.0, Vec3::zeros()), (6.0, Vec3::x() * 2.0)]))];
    for _ in 0..360 {
        world.stepper.advance(&world.params, &obstacles, &mut world.state).unwrap();
    }
    let x = world.state.bodies.p[1].x;
    assert!(x > 2.1, "pushed ahead of the plate: {x}");
}

/// A capsule falls across a ball smaller than the space between its ends.
#[test]
fn the_middle_of_a_capsule_touches() {
    let ball = Sphere::new(Vec3::zeros(), 0.1).unwrap().with_margin(0.0).unwrap();
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::z() * std::f64::consts::FRAC_PI_2);
    let capsule = BodyDesc::new(Shape::capsule(0.5, 0.05).unwrap(), 500.0).turned(turn).at(Vec3::y() * 0.3);
    let mut among = Among::new(capsule, ball);
    among.run(30);
    let y = among.world.state.bodies.p[0].y;
    assert!((y - 0.15).abs() < 2e-3, "rests on the ball: {y}");
}
