//! Moving obstacles against resting ones at the same place, and paths against their definition.

use crate::draw::{Shape, relative, shape, vector};
use crate::field::{KEEP_OFF, smooth};
use pd_collide::{Block, Floor, Moving, Path, Sphere, Torus};
use pd_core::{Collider, Real, Vec3};
use proptest::prelude::*;

/// A path of up to five keyframes with gaps of 0.1 s to 1 s.
fn path() -> impl Strategy<Value = Path> {
    prop::collection::vec((0.1..1.0, vector(2.0)), 1..5).prop_map(|keys| {
        let mut time = -1.0;
        let keyframes = keys.into_iter().map(|(gap, offset): (Real, Vec3)| {
            time += gap;
            (time, offset)
        });
        Path::new(keyframes.collect()).unwrap()
    })
}

fn carried(shape: Shape, path: Path) -> Box<dyn Collider> {
    match shape {
        Shape::Floor(shape) => Box::new(Moving::new(shape, path)),
        Shape::Sphere(shape) => Box::new(Moving::new(shape, path)),
        Shape::Block(shape) => Box::new(Moving::new(shape, path)),
        Shape::Torus(shape) => Box::new(Moving::new(shape, path)),
    }
}

/// The same shape built at another place.
fn displaced(shape: Shape, offset: Vec3) -> Shape {
    match shape {
        Shape::Floor(s) => {
            Shape::Floor(Floor::new(s.height() + offset.y).unwrap().with_margin(s.margin()).unwrap())
        }
        Shape::Sphere(s) => Shape::Sphere(
            Sphere::new(s.centre() + offset, s.radius()).unwrap().with_margin(s.margin()).unwrap(),
        ),
        Shape::Block(s) => Shape::Block(
            Block::new(s.centre() + offset, s.half_extents()).unwrap().with_margin(s.margin()).unwrap(),
        ),
        Shape::Torus(s) => {
            Shape::Torus(Torus::with_all(s.centre() + offset, s.major(), s.minor(), s.margin()).unwrap())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn moving_is_resting_at_each_time(drawn in shape(), relative in relative(), path in path(), time in -1.5..4.0) {
        let offset = path.offset(time);
        let p = drawn.point(&relative) + offset;
        let moving = carried(drawn.shape, path.clone());
        let there = displaced(drawn.shape, offset);
        let (got, want) = (moving.surface_at(&p, time), there.collider().surface_at(&p, time));
        let rounding = 40.0 * Real::EPSILON * (drawn.scale() + 4.0);
        prop_assert!((got.distance - want.distance).abs() <= rounding);
        prop_assert_eq!(got.velocity, path.velocity(time));
        prop_assert_eq!(moving.kind(), there.collider().kind());
        // Normals too, but where the nearest point is about to jump rounding decides between two of them.
        if smooth(&drawn, &(p - offset)) {
            prop_assert!((got.normal - want.normal).norm() <= rounding / KEEP_OFF);
        }
        let (got, want) = (moving.bounds(time), there.collider().bounds(time));
        for a in 0..3 {
            prop_assert!(got.min[a] == want.min[a] || (got.min[a] - want.min[a]).abs() <= rounding);
            prop_assert!(got.max[a] == want.max[a] || (got.max[a] - want.max[a]).abs() <= rounding);
        }
    }

    #[test]
    fn moving_never_leaves_a_point_inside(drawn in shape(), relative in relative(), path in path(), time in -1.5..4.0) {
        let p = drawn.point(&relative) + path.offset(time);
        let moving = carried(drawn.shape, path);
        let before = moving.surface_at(&p, time).distance;
        match moving.resolve(&p, time) {
            None => prop_assert!(before >= 0.0),
            Some(q) => {
                prop_assert!(before < 0.0);
                prop_assert!(moving.bounds(time).contains(&p));
                let after = moving.surface_at(&q, time).distance;
                prop_assert!((0.0..=40.0 * Real::EPSILON * (drawn.scale() + 4.0)).contains(&after), "{after:e}");
                prop_assert_eq!(moving.resolve(&q, time), None);
            }
        }
    }

    #[test]
    fn path_meets_its_keyframes_and_is_linear_between(path in path(), at in 0.0..1.0) {
        let keys = path.keyframes();
        for &(time, offset) in keys {
            prop_assert_eq!(path.offset(time), offset);
            // Continuous from the left as well.
            prop_assert!((path.offset(time.next_down()) - offset).norm() < 1e-13);
        }
        for pair in keys.windows(2) {
            let ((t0, a), (t1, b)) = (pair[0], pair[1]);
            let time = t0 + at * (t1 - t0);
            prop_assume!(time < t1);
            prop_assert!((path.offset(time) - a.lerp(&b, at)).norm() < 1e-13);
            prop_assert!((path.velocity(time) * (t1 - t0) - (b - a)).norm() < 1e-13);
        }
    }

    #[test]
    fn velocity_is_the_derivative_of_the_offset(path in path(), time in -1.5..4.0f64) {
        let step = 1e-6;
        prop_assume!(path.keyframes().iter().all(|key| (key.0 - time).abs() > 2.0 * step));
        let difference = (path.offset(time + step) - path.offset(time - step)) / (2.0 * step);
        prop_assert!((difference - path.velocity(time)).norm() < 1e-8);
    }
}
