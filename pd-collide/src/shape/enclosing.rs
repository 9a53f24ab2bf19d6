//! Round shapes as triangles that enclose them.
//!
//! A chord of a circle of radius ρ over the angle 2π/n is off by ρ (1 − cos π/n). The shape is inflated by half of the tolerance
//! ε and divided so finely, around the axis and along the profile, that the two chords together are off by no more than that
//! half. (Faces are plane, since their upper and lower sides are parallel.) So the triangles lie outside of the shape, and
//! nowhere farther than ε from it: bodies that do not cross them do not enter the shape.

use super::{Capsule, Cylinder, Sphere, Torus, lathe};
use crate::CollideError;
use crate::error::positive;
use pd_core::{Real, SurfaceMesh, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Parts of a circle, at least and at most.
const PARTS: (Real, Real) = (8.0, 1024.0);

/// Parts of a circle whose chords are off by this share of the tolerance.
fn parts(shape: &'static str, radius: Real, share: Real, tolerance: Real) -> Result<usize, CollideError> {
    let half_angle = (1.0 - share * tolerance / radius).max(0.0).acos();
    let parts = (PI / half_angle).ceil().max(PARTS.0);
    if parts <= PARTS.1 {
        return Ok(parts as usize);
    }
    let expected = "it must be larger: it takes more than 1024 sectors around the axis";
    Err(CollideError::Parameter { shape, name: "tolerance", value: tolerance, expected })
}

/// The profile of a half circle of this radius, in so many parts over a quarter, from the pole below to the middle.
fn quarter(radius: Real, count: usize) -> impl DoubleEndedIterator<Item = (Real, Real)> {
    let angle = move |k: usize| (FRAC_PI_2 * k as Real / count as Real).sin_cos();
    (0..=count).map(move |k| (if k == 0 { 0.0 } else { radius * angle(k).0 }, radius * angle(k).1))
}

/// A body of revolution with round ends around the segment from a to b; the ends may coincide.
fn round(
    shape: &'static str,
    [a, b]: [Vec3; 2],
    axis: &Vec3,
    radius: Real,
    tolerance: Real,
) -> Result<SurfaceMesh, CollideError> {
    positive(shape, "tolerance", tolerance)?;
    let radius = radius + 0.5 * tolerance;
    let sectors = parts(shape, radius, 0.25, tolerance)?;
    let arcs = sectors.div_ceil(4);
    let length = (b - a).norm();
    let low = quarter(radius, arcs).map(|(across, down)| (across, -down));
    let high = quarter(radius, arcs).rev().map(|(across, up)| (across, length + up));
    // One ring serves both halves of a ball.
    let high = high.skip(usize::from(length == 0.0));
    Ok(lathe::turn(&a, axis, &low.chain(high).collect::<Vec<_>>(), sectors))
}

impl Sphere {
    /// Triangles that enclose the ball, margin included, and are nowhere farther than `tolerance` (m) from it.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the tolerance is not positive and finite or takes more than 1024 sectors.
    pub fn enclosing_mesh(&self, tolerance: Real) -> Result<SurfaceMesh, CollideError> {
        round("sphere", [self.centre(); 2], &Vec3::y(), self.radius() + self.margin(), tolerance)
    }
}

impl Capsule {
    /// Triangles that enclose the capsule, margin included, and are nowhere farther than `tolerance` (m) from it.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the tolerance is not positive and finite or takes more than 1024 sectors.
    pub fn enclosing_mesh(&self, tolerance: Real) -> Result<SurfaceMesh, CollideError> {
        let [a, b] = self.ends();
        round("capsule", [a, b], &(b - a).normalize(), self.radius() + self.margin(), tolerance)
    }
}

impl Cylinder {
    /// Triangles that enclose the cylinder, margin included, and are nowhere farther than `tolerance` (m) from it: a prism
    /// around it.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the tolerance is not positive and finite or takes more than 1024 sectors.
    pub fn enclosing_mesh(&self, tolerance: Real) -> Result<SurfaceMesh, CollideError> {
        positive("cylinder", "tolerance", tolerance)?;
        let (radius, half) = (self.radius() + self.margin(), self.half_length() + self.margin());
        // Corners of a prism around a circle of radius r are at r / cos π/n.
        let outer = radius + tolerance;
        let sectors = parts("cylinder", outer, 1.0, tolerance)?;
        let outer = radius / (PI / sectors as Real).cos();
        let profile = [(0.0, -half), (outer, -half), (outer, half), (0.0, half)];
        Ok(lathe::turn(&self.middle(), &self.axis(), &profile, sectors))
    }
}

impl Torus {
    /// Triangles that enclose the ring, margin included, and are nowhere farther than `tolerance` (m) from it.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the tolerance is not positive and finite or takes more than 1024 sectors, and
    /// [`CollideError::ClosedTorus`] if it closes the hole.
    pub fn enclosing_mesh(&self, tolerance: Real) -> Result<SurfaceMesh, CollideError> {
        positive("torus", "tolerance", tolerance)?;
        let (major, minor) = (self.major(), self.minor() + self.margin() + 0.5 * tolerance);
        if minor >= major {
            return Err(CollideError::ClosedTorus { major, minor, margin: 0.0 });
        }
        let around = parts("torus", major + minor, 0.25, tolerance)?;
        let tube = parts("torus", minor, 0.25, tolerance)?;
        let angle = |k: usize, of: usize| (TAU * k as Real / of as Real).sin_cos();
        let (mut positions, mut triangles) = (vec![], vec![]);
        for i in 0..around {
            let (sin, cos) = angle(i, around);
            for j in 0..tube {
                let (up, out) = angle(j, tube);
                let rho = major + minor * out;
                positions.push(self.centre() + Vec3::new(rho * cos, minor * up, rho * sin));
                let at = |i: usize, j: usize| ((i % around) * tube + j % tube) as u32;
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
        Ok(SurfaceMesh { positions, triangles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshQuery;
    use pd_core::Collider;

    /// Every point of the triangles is outside, within the tolerance, and the mesh is closed.
    #[test]
    fn triangles_enclose_the_shape_within_the_tolerance() {
        let centre = Vec3::new(0.3, -0.2, 0.1);
        let ends = [centre, Vec3::new(-0.4, 0.5, 0.3)];
        let sphere = Sphere::new(centre, 0.28).unwrap().with_margin(0.01).unwrap();
        let capsule = Capsule::new(ends[0], ends[1], 0.1).unwrap();
        let cylinder = Cylinder::new(ends[0], ends[1], 0.2).unwrap();
        let torus = Torus::with_all(centre, 0.5, 0.1, 0.0).unwrap();
        for tolerance in [0.02, 0.002] {
            let cases: [(&dyn Collider, SurfaceMesh); 4] = [
                (&sphere, sphere.enclosing_mesh(tolerance).unwrap()),
                (&capsule, capsule.enclosing_mesh(tolerance).unwrap()),
                (&cylinder, cylinder.enclosing_mesh(tolerance).unwrap()),
                (&torus, torus.enclosing_mesh(tolerance).unwrap()),
            ];
            for (shape, mesh) in cases {
                let (mut least, mut most) = (Real::INFINITY, Real::NEG_INFINITY);
                for t in &mesh.triangles {
                    let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                    for i in 0..=6 {
                        for j in 0..=6 - i {
                            let (u, v) = (Real::from(i) / 6.0, Real::from(j) / 6.0);
                            let distance = shape.surface_at(&(a + (b - a) * u + (c - a) * v), 0.0).distance;
                            (least, most) = (least.min(distance), most.max(distance));
                        }
                    }
                }
                println!("{}: {} triangles, {least:.1e} to {most:.1e} m", shape.kind(), mesh.triangles.len());
                assert!(least > -1e-12 && most < tolerance * (1.0 + 1e-9), "{}", shape.kind());
                assert!(MeshQuery::from_surface(mesh).unwrap().check_closed().is_ok(), "{}", shape.kind());
            }
        }
    }

    #[test]
    fn tolerances_that_cannot_be_met_are_refused() {
        let sphere = Sphere::new(Vec3::zeros(), 1.0).unwrap();
        for tolerance in [0.0, -1.0, Real::NAN, 1e-9] {
            let refused = sphere.enclosing_mesh(tolerance);
            assert!(matches!(refused, Err(CollideError::Parameter { name: "tolerance", .. })), "{tolerance}");
        }
        let torus = Torus::with_all(Vec3::zeros(), 0.5, 0.4, 0.0).unwrap();
        assert!(matches!(torus.enclosing_mesh(0.3), Err(CollideError::ClosedTorus { .. })));
    }
}
