//! Narrow phase: where two shapes touch or nearly touch.
//!
//! | | half-space | sphere, capsule | box, hull, cylinder |
//! |---|---|---|---|
//! | sphere, capsule | lowest points | nearest points of segments | nearest points of segment and polyhedron |
//! | box, hull, cylinder | lowest points | | separating axes, then one face clipped by the other |
//!
//! A cylinder is round against half-spaces and against faces that it is wholly above, elsewhere a prism of 24 sides. A triangle of a mesh is the top of a
//! prism that pushes along normals between its own and its neighbours' alone.

mod advance;
mod axis;
mod boxes;
mod clip;
mod closest;
mod cuboid;
mod cylinder;
mod gjk;
mod mesh;
mod plane;
mod reduce;
mod round;

use crate::Shape;
use nalgebra::Isometry3;
use pd_core::{Real, Vec3};

pub(crate) use advance::{Moving, meeting};
pub(crate) use boxes::{BoxAt, Separations};
pub(crate) use closest::nearest;
pub(crate) use mesh::passing;
pub(crate) use plane::{above, lowest};
pub(crate) use reduce::reduce;

/// A point where two shapes touch: half-way between them, with their distance (negative: overlap).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Touch {
    /// Place in the world, m.
    pub(crate) place: Vec3,
    /// Distance along the normal, m.
    pub(crate) gap: Real,
    /// What made the point, the same from step to step.
    pub(crate) feature: u64,
}

/// Up to four points with a common normal, from the second shape to the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Touches {
    pub(crate) normal: Vec3,
    pub(crate) len: usize,
    pub(crate) points: [Touch; 4],
}

impl Touches {
    /// The points in use.
    pub(crate) fn points(&self) -> &[Touch] {
        &self.points[..self.len]
    }

    fn push(&mut self, place: Vec3, gap: Real, feature: u64) {
        if self.len < 4 {
            self.points[self.len] = Touch { place, gap, feature };
            self.len += 1;
        }
    }

    /// Keeps the points that satisfy a condition.
    fn keep(&mut self, condition: impl Fn(&Touch) -> bool) {
        let all = *self;
        self.len = 0;
        all.points().iter().filter(|p| condition(p)).for_each(|p| self.push(p.place, p.gap, p.feature));
    }

    pub(crate) fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        self
    }
}

/// A shape at its place in the world.
pub(crate) type Placed<'a> = (&'a Shape, &'a Isometry3<Real>);

/// Where two shapes are nearer than `reach`, m; no points if they are not.
pub(crate) fn touches(a: Placed<'_>, b: Placed<'_>, reach: Real) -> Touches {
    match (a.0, b.0) {
        (_, Shape::HalfSpace) => plane::touches(a, b.1, reach),
        (Shape::HalfSpace, _) => plane::touches(b, a.1, reach).flipped(),
        (_, Shape::Triangle(t)) => mesh::touches(a, (t, b), reach),
        (Shape::Triangle(t), _) => mesh::touches(b, (t, a), reach).flipped(),
        (Shape::Sphere { .. } | Shape::Capsule { .. }, Shape::Sphere { .. } | Shape::Capsule { .. }) => {
            round::segments(a, b, reach)
        }
        (Shape::Sphere { .. } | Shape::Capsule { .. }, _) => round::polyhedron(a, b, reach),
        (_, Shape::Sphere { .. } | Shape::Capsule { .. }) => round::polyhedron(b, a, reach).flipped(),
        (Shape::Cuboid { half: ha, .. }, Shape::Cuboid { half: hb, .. }) => {
            let [ra, rb] = [a.1, b.1].map(|pose| pose.rotation.to_rotation_matrix().into_inner());
            cuboid::cuboids((ha, &a.1.translation.vector, &ra), (hb, &b.1.translation.vector, &rb), reach)
        }
        _ => match axis::polyhedra(a, b, reach) {
            Some(axis) => match cylinder::touches(a, b, &axis.normal, reach) {
                Some(found) => found,
                None => clip::touches(a, b, axis, reach),
            },
            None => Touches::default(),
        },
    }
}

#[cfg(test)]
mod tests;
