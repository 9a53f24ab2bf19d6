//! Random shapes and points.

use pd_collide::{Block, Floor, Sphere, Torus};
use pd_core::{Collider, Real, Vec3};
use proptest::prelude::*;

/// A vector with coordinates of size up to `size`.
pub(crate) fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// A centre near the origin, at it, or far away, where rounding is coarse.
fn centre() -> impl Strategy<Value = Vec3> {
    prop_oneof![6 => vector(3.0), 1 => Just(Vec3::zeros()), 1 => vector(1e5)]
}

/// A margin, often none.
fn margin() -> impl Strategy<Value = Real> {
    prop_oneof![1 => Just(0.0), 3 => 0.0..0.2]
}

pub(crate) fn floor() -> impl Strategy<Value = Floor> {
    (-3.0..3.0, margin())
        .prop_map(|(height, margin)| Floor::new(height).unwrap().with_margin(margin).unwrap())
}

pub(crate) fn sphere() -> impl Strategy<Value = Sphere> {
    (centre(), 0.05..2.0, margin()).prop_map(|(centre, radius, margin)| {
        Sphere::new(centre, radius).unwrap().with_margin(margin).unwrap()
    })
}

pub(crate) fn block() -> impl Strategy<Value = Block> {
    (centre(), prop::array::uniform3(0.05..2.0), margin()).prop_map(|(centre, half, margin)| {
        Block::new(centre, Vec3::from(half)).unwrap().with_margin(margin).unwrap()
    })
}

/// Rings from thin ones to those with hardly a hole.
pub(crate) fn torus() -> impl Strategy<Value = Torus> {
    let tube = prop_oneof![7 => 0.05..0.999, 1 => Just(1.0 - 1.01 * Torus::LEAST_HOLE)];
    (centre(), 0.3..2.0, tube, 0.0..0.5).prop_map(|(centre, major, tube, split)| {
        let tube: Real = major * tube;
        Torus::with_all(centre, major, tube * (1.0 - split), tube * split).unwrap()
    })
}

/// A shape, its centre and its reach, m; points are drawn around the centre.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) shape: Shape,
    pub(crate) centre: Vec3,
    pub(crate) reach: Real,
}

/// Any of the shapes, printable when a case fails.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Floor(Floor),
    Sphere(Sphere),
    Block(Block),
    Torus(Torus),
}

impl Shape {
    pub(crate) fn collider(&self) -> &dyn Collider {
        match self {
            Shape::Floor(shape) => shape,
            Shape::Sphere(shape) => shape,
            Shape::Block(shape) => shape,
            Shape::Torus(shape) => shape,
        }
    }
}

impl Drawn {
    /// A point from relative coordinates.
    pub(crate) fn point(&self, relative: &Vec3) -> Vec3 {
        self.centre + relative * self.reach
    }

    /// Size of the coordinates in play, for tolerances, m.
    pub(crate) fn scale(&self) -> Real {
        self.centre.amax() + 2.0 * self.reach
    }
}

pub(crate) fn shape() -> impl Strategy<Value = Drawn> {
    let floor =
        floor().prop_map(|s| Drawn { shape: Shape::Floor(s), centre: Vec3::y() * s.height(), reach: 1.0 });
    let sphere = sphere().prop_map(|s| Drawn {
        shape: Shape::Sphere(s),
        centre: s.centre(),
        reach: s.radius() + s.margin(),
    });
    let block = block().prop_map(|s| Drawn {
        shape: Shape::Block(s),
        centre: s.centre(),
        reach: s.half_extents().amax() + s.margin(),
    });
    let torus = torus().prop_map(|s| Drawn {
        shape: Shape::Torus(s),
        centre: s.centre(),
        reach: s.major() + s.minor() + s.margin(),
    });
    prop_oneof![1 => floor, 2 => sphere, 2 => block, 3 => torus]
}

/// Relative points: anywhere up to twice the reach, on planes and axes of symmetry, near the centre, on the diagonal.
pub(crate) fn relative() -> impl Strategy<Value = Vec3> {
    let coordinate = || prop_oneof![4 => -1.5..1.5, 1 => Just(0.0), 1 => -1e-12..1e-12];
    prop_oneof![
        4 => vector(1.5),
        3 => (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z)),
        1 => (-1.5..1.5).prop_map(Vec3::repeat),
    ]
}
