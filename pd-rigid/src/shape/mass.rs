//! Mass, centre and inertia of shapes of uniform density, and of several together.

use super::{Polyhedron, Shape};
use nalgebra::{Isometry3, Rotation3, SymmetricEigen, UnitQuaternion};
use pd_core::{Mat3, Real, Vec3};

/// Mass, centre of mass and inertia about the centre.
///
/// ```
/// use pd_core::{Mat3, Vec3};
/// use pd_rigid::{MassProperties, Shape};
/// let cube = MassProperties::of(&Shape::cuboid(Vec3::repeat(0.5))?, 6.0);
/// assert_eq!(cube.mass, 6.0);
/// assert!((cube.inertia - Mat3::identity()).norm() < 1e-12); // m a²/6
/// # Ok::<(), pd_rigid::RigidError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: Real,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Inertia about the centre of mass, in the axes of the frame, kg·m².
    pub inertia: Mat3,
}

impl MassProperties {
    /// No mass at the origin.
    pub fn zero() -> Self {
        Self { mass: 0.0, centre: Vec3::zeros(), inertia: Mat3::zeros() }
    }

    /// Of a shape filled with `density`, kg/m³; half-spaces and triangles count as nothing.
    pub fn of(shape: &Shape, density: Real) -> Self {
        use std::f64::consts::PI;
        let (mass, diagonal) = match shape {
            Shape::Sphere { radius: r } => {
                let m = density * 4.0 / 3.0 * PI * r.powi(3);
                (m, Vec3::repeat(0.4 * m * r * r))
            }
            Shape::Cylinder { half, radius: r, .. } => {
                let m = density * 2.0 * PI * half * r * r;
                let across = m * (r * r / 4.0 + half * half / 3.0);
                (m, Vec3::new(across, 0.5 * m * r * r, across))
            }
            Shape::Capsule { half, radius: r } => {
                // A cylinder and two half balls whose centres of mass are 3/8 r beyond its ends.
                let (mc, ms) = (density * 2.0 * PI * half * r * r, density * 4.0 / 3.0 * PI * r.powi(3));
                let along = 0.5 * mc * r * r + 0.4 * ms * r * r;
                let ends = 0.4 * r * r + half * half + 0.75 * half * r;
                let across = mc * (r * r / 4.0 + half * half / 3.0) + ms * ends;
                (mc + ms, Vec3::new(across, along, across))
            }
            Shape::Cuboid { half, .. } => {
                let m = density * 8.0 * half.product();
                let s = half.component_mul(half) * (m / 3.0);
                (m, Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y))
            }
            Shape::Hull(solid) => return Self::of_polyhedron(solid, density),
            Shape::HalfSpace | Shape::Triangle(_) => return Self::zero(),
        };
        Self { mass, centre: Vec3::zeros(), inertia: Mat3::from_diagonal(&diagonal) }
    }

    /// Sums over the tetrahedra from the first vertex to every triangle of the surface.
    fn of_polyhedron(solid: &Polyhedron, density: Real) -> Self {
        let origin = solid.vertices()[0];
        let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
        for t in solid.triangles() {
            let [a, b, c] = t.map(|v| solid.vertices()[v as usize] - origin);
            let v = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += v;
            first += sum * (v / 4.0);
            // ∫ x xᵀ over a tetrahedron with one corner at the origin.
            let outer = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
            second += outer * (v / 20.0);
        }
        let mass = density * volume;
        let centre = first / volume;
        let second = (second - centre * centre.transpose() * volume) * density;
        Self { mass, centre: centre + origin, inertia: Mat3::identity() * second.trace() - second }
    }

    /// The same in the frame in which `pose` places this one.
    pub fn moved(&self, pose: &Isometry3<Real>) -> Self {
        let turn = pose.rotation.to_rotation_matrix();
        let inertia = turn.matrix() * self.inertia * turn.matrix().transpose();
        Self { mass: self.mass, centre: (pose * nalgebra::Point3::from(self.centre)).coords, inertia }
    }

    /// Both together, by the parallel axis theorem.
    pub fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass.is_nan() || mass <= 0.0 {
            return *self;
        }
        let centre = (self.centre * self.mass + other.centre * other.mass) / mass;
        let shifted = |part: &Self| {
            let d = part.centre - centre;
            part.inertia + (Mat3::identity() * d.norm_squared() - d * d.transpose()) * part.mass
        };
        Self { mass, centre, inertia: shifted(self) + shifted(other) }
    }

    /// Principal moments, kg·m², and the rotation from the principal axes to the frame. A diagonal inertia keeps the
    /// axes of the frame.
    pub fn principal(&self) -> (Vec3, UnitQuaternion<Real>) {
        let diagonal = self.inertia.diagonal();
        let off = (self.inertia - Mat3::from_diagonal(&diagonal)).norm();
        if !off.is_finite() || off <= 1e-12 * diagonal.norm() {
            return (diagonal, UnitQuaternion::identity());
        }
        let eigen = SymmetricEigen::new((self.inertia + self.inertia.transpose()) * 0.5);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes = -axes;
        }
        (eigen.eigenvalues, UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sums over a grid of cells whose centres are inside; the grid fits the shape's box, so flat ends are met exactly.
    fn by_counting(shape: &Shape, inside: impl Fn(&Vec3) -> bool) -> MassProperties {
        let (reach, n) = (shape.bounds(&Isometry3::identity()).max, 80);
        let cell = reach * (2.0 / n as Real);
        let (mut m, mut s) = (0.0, Mat3::zeros());
        for k in 0..n * n * n {
            let index = [k % n, k / n % n, k / (n * n)];
            let p = Vec3::from_fn(|a, _| (index[a] as Real + 0.5) * cell[a] - reach[a]);
            if inside(&p) {
                m += cell.product();
                s += p * p.transpose() * cell.product();
            }
        }
        MassProperties { mass: m, centre: Vec3::zeros(), inertia: Mat3::identity() * s.trace() - s }
    }

    #[test]
    fn closed_forms_agree_with_counting() {
        type Inside = Box<dyn Fn(&Vec3) -> bool>;
        let cases: [(Shape, Inside); 3] = [
            (Shape::sphere(0.7).unwrap(), Box::new(|p| p.norm() < 0.7)),
            (
                Shape::capsule(0.6, 0.3).unwrap(),
                Box::new(|p| (p - Vec3::y() * p.y.clamp(-0.6, 0.6)).norm() < 0.3),
            ),
            (Shape::cylinder(0.5, 0.4).unwrap(), Box::new(|p| p.x.hypot(p.z) < 0.4 && p.y.abs() < 0.5)),
        ];
        for (shape, inside) in cases {
            let (exact, counted) = (MassProperties::of(&shape, 1.0), by_counting(&shape, inside));
            assert!((exact.mass / counted.mass - 1.0).abs() < 5e-3, "{}", shape.kind());
            assert!(
                (exact.inertia - counted.inertia).norm() < 1e-2 * exact.inertia.norm(),
                "{}",
                shape.kind()
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_hull_of_a_moved_box_has_the_mass_of_the_box(
            h in prop::array::uniform3(0.1..2.0f64), at in prop::array::uniform3(-3.0..3.0f64),
            turn in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let boxed = Shape::cuboid(Vec3::from(h)).unwrap();
            let pose = Isometry3::new(Vec3::from(at), Vec3::from(turn));
            let corners: Vec<Vec3> = boxed.polyhedron().unwrap().vertices().iter()
                .map(|p| (pose * nalgebra::Point3::from(*p)).coords).collect();
            let hull = MassProperties::of(&Shape::hull(&corners).unwrap(), 2.0);
            let moved = MassProperties::of(&boxed, 2.0).moved(&pose);
            prop_assert!((hull.mass / moved.mass - 1.0).abs() < 1e-9);
            prop_assert!((hull.centre - moved.centre).norm() < 1e-9);
            prop_assert!((hull.inertia - moved.inertia).norm() < 1e-8 * moved.inertia.norm());
            let (moments, axes) = hull.principal();
            let r = axes.to_rotation_matrix();
            let back = r.matrix() * Mat3::from_diagonal(&moments) * r.matrix().transpose();
            prop_assert!((back - hull.inertia).norm() < 1e-9 * hull.inertia.norm());
        }
    }
}
