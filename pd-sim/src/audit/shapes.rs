//! Points on the surface of a rigid body, by which it is looked for inside other things: corners, edges and rims; of round shapes,
//! centres with a radius.

use pd_core::{Bodies, Real, Vec3};
use pd_rigid::{RigidModel, Shape};

/// Points on an edge between its ends.
const ON_EDGE: usize = 3;
/// Points on a rim.
const ON_RIM: usize = 16;

/// A point of a body in its principal frame, with the radius of the ball about it that belongs to the body, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Probe {
    pub(super) place: Vec3,
    pub(super) radius: Real,
}

/// Points of one body, and its least half thickness, m.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Probes {
    pub(super) points: Vec<Probe>,
    pub(super) size: Real,
    /// Farthest that any of it is from the centre of mass, m.
    pub(super) reach: Real,
}

impl Probes {
    /// Of a body of a model. Static planes and meshes have none.
    pub(super) fn of(model: &RigidModel, body: usize) -> Self {
        let mut all = Self { points: vec![], size: Real::INFINITY, reach: 0.0 };
        for part in model.parts().iter().filter(|part| part.body as usize == body) {
            let mut add = |place: Vec3, radius: Real| {
                let place = part.pose * nalgebra::Point3::from(place);
                all.points.push(Probe { place: place.coords, radius });
            };
            let size = match &part.shape {
                Shape::Sphere { radius } => {
                    add(Vec3::zeros(), *radius);
                    *radius
                }
                Shape::Capsule { half, radius } => {
                    (0..=4).for_each(|k| add(Vec3::y() * (half * (0.5 * Real::from(k) - 1.0)), *radius));
                    *radius
                }
                Shape::Cylinder { half, radius, .. } => {
                    for k in 0..ON_RIM {
                        let (sin, cos) = (std::f64::consts::TAU * k as Real / ON_RIM as Real).sin_cos();
                        [-half, 0.0, *half]
                            .iter()
                            .for_each(|&y| add(Vec3::new(radius * cos, y, radius * sin), 0.0));
                    }
                    [-half, *half].iter().for_each(|&y| add(Vec3::y() * y, 0.0));
                    add(Vec3::zeros(), half.min(*radius));
                    half.min(*radius)
                }
                Shape::HalfSpace | Shape::Triangle(_) => continue,
                solid => {
                    let Some(solid) = solid.polyhedron() else { continue };
                    let corners = solid.vertices();
                    corners.iter().for_each(|p| add(*p, 0.0));
                    for (ends, _) in solid.edges() {
                        let [a, b] = ends.map(|v| corners[v as usize]);
                        let at = |k: usize| a + (b - a) * (k as Real / (ON_EDGE + 1) as Real);
                        (1..=ON_EDGE).for_each(|k| add(at(k), 0.0));
                    }
                    let width = |face: &pd_rigid::Face| {
                        let n = face.normal;
                        let along = corners.iter().map(|p| n.dot(p));
                        let [low, high] =
                            [Real::min, Real::max].map(|pick| along.clone().reduce(pick).unwrap_or(0.0));
                        0.5 * (high - low)
                    };
                    // The largest ball about the middle: how deep the whole is in another, where its surface is hardly in it.
                    let middle = corners.iter().sum::<Vec3>() / corners.len().max(1) as Real;
                    let room = |face: &pd_rigid::Face| face.offset - face.normal.dot(&middle);
                    add(middle, solid.faces().iter().map(room).fold(Real::INFINITY, Real::min).max(0.0));
                    solid.faces().iter().map(width).fold(Real::INFINITY, Real::min)
                }
            };
            all.size = all.size.min(size);
        }
        let far = |probe: &Probe| probe.place.norm() + probe.radius;
        all.reach = all.points.iter().map(far).fold(0.0, Real::max);
        all
    }

    /// The points as the body lies.
    pub(super) fn place(&self, bodies: &Bodies, body: usize, out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.points.iter().map(|probe| bodies.world(body, &probe.place)));
    }
}
