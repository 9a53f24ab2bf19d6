//! A ring with vertical axis.
//!
//! With v = p − c, ρ = ‖v_xz‖ and the horizontal direction u = v_xz/ρ, the nearest tube centre is t = c + R u and
//! φ(p) = ‖p − t‖ − (r + ε), n = (p − t)/‖p − t‖: a point inside goes to t + (r + ε) n (thesis section 5).
//!
//! Where the nearest point is not unique one is chosen: on the axis (v_xz = 0) u = +x; on the tube centre circle
//! (within rounding, as a rounded point is hardly ever on it exactly) n = +y.
//!
//! The shape is not convex. The formula leads outside only while the hole is open, r + ε < R: otherwise the way from
//! one tube centre ends in the tube on the other side of the axis. Such a torus is refused, and so is one with a hole
//! that rounding could jump across.

use crate::CollideError;
use crate::batch::{push_each, sample_each};
use crate::error::{CENTRE, finite_point, not_negative, positive};
use crate::rounding::{direction, settle, slack};
use pd_core::{Aabb, Collider, ColliderData, Real, ShapeData, Surface, Vec3};

/// A ring with vertical axis.
///
/// ```
/// use pd_collide::Torus;
/// use pd_core::{Collider, Vec3};
/// let ring = Torus::new(Vec3::zeros(), 2.0, 0.25)?.with_margin(0.25)?;
/// assert_eq!(ring.surface_at(&Vec3::zeros(), 0.0).distance, 1.5); // the hole is outside
/// assert_eq!(ring.resolve(&Vec3::new(2.25, 0.0, 0.0), 0.0), Some(Vec3::new(2.5, 0.0, 0.0)));
/// assert_eq!(ring.resolve(&Vec3::new(0.0, 0.0, -2.0), 0.0), Some(Vec3::new(0.0, 0.5, -2.0))); // tube centre
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    centre: Vec3,
    major: Real,
    minor: Real,
    margin: Real,
}

/// The ring as seen from a point.
struct Section {
    distance: Real,
    normal: Vec3,
    /// Nearest point of the tube centre circle relative to the centre, m.
    tube: Vec3,
}

impl Torus {
    /// Margin of the thesis, m.
    pub const MARGIN: Real = 0.03;

    /// Least radius of the hole, margin included, as a fraction of the major radius.
    pub const LEAST_HOLE: Real = 1e-6;

    /// A ring with the margin of the thesis: centre, radius of the tube centre circle and radius of the tube, m.
    ///
    /// If only a smaller margin keeps the hole open, use [`Torus::with_all`].
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the centre is not finite or a radius is not positive and finite,
    /// [`CollideError::ClosedTorus`] if `minor` + margin leaves no hole (see [`Torus::LEAST_HOLE`]).
    pub fn new(centre: Vec3, major: Real, minor: Real) -> Result<Self, CollideError> {
        Self::with_all(centre, major, minor, Self::MARGIN)
    }

    /// A ring with a margin of one's own, m.
    ///
    /// # Errors
    /// As [`Torus::new`], and [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_all(centre: Vec3, major: Real, minor: Real, margin: Real) -> Result<Self, CollideError> {
        let centre = finite_point("torus", CENTRE, centre)?;
        positive("torus", "major radius", major)?;
        positive("torus", "minor radius", minor)?;
        not_negative("torus", "margin", margin)?;
        if minor + margin > (1.0 - Self::LEAST_HOLE) * major {
            return Err(CollideError::ClosedTorus { major, minor, margin });
        }
        Ok(Self { centre, major, minor, margin })
    }

    /// The ring of the thesis scenes: centre 0, radii 0.5 and 0.1 m.
    pub fn thesis() -> Self {
        Self { centre: Vec3::zeros(), major: 0.5, minor: 0.1, margin: Self::MARGIN }
    }

    /// The same ring with another margin, m.
    ///
    /// # Errors
    /// As [`Torus::with_all`].
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Self::with_all(self.centre, self.major, self.minor, margin)
    }

    /// Centre, m.
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Radius of the tube centre circle, m.
    pub fn major(&self) -> Real {
        self.major
    }

    /// Radius of the tube without margin, m.
    pub fn minor(&self) -> Real {
        self.minor
    }

    /// Distance kept to the ring, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Tube radius r + ε.
    fn inflated(&self) -> Real {
        self.minor + self.margin
    }

    /// Size of the coordinates met here, for rounding.
    fn scale(&self) -> Real {
        self.centre.amax() + self.major + self.inflated()
    }

    /// The vertical section through the point and the axis.
    fn section(&self, p: &Vec3) -> Section {
        let v = p - self.centre;
        let (outward, rho) = direction(&Vec3::new(v.x, 0.0, v.z)).unwrap_or((Vec3::x(), 0.0));
        let from_tube = outward * (rho - self.major) + Vec3::y() * v.y;
        let (normal, length) = match direction(&from_tube) {
            Some((_, length)) if length <= slack(self.scale()) => (Vec3::y(), length),
            Some(found) => found,
            None => (Vec3::y(), 0.0),
        };
        Section { distance: length - self.inflated(), normal, tube: outward * self.major }
    }

    /// The surface as seen from a point.
    fn surface(&self, p: &Vec3) -> Surface {
        let Section { distance, normal, .. } = self.section(p);
        Surface { distance, normal, velocity: Vec3::zeros() }
    }

    /// The nearest point outside, if `p` is inside.
    fn outside(&self, p: &Vec3) -> Option<Vec3> {
        let Section { distance, normal, tube } = self.section(p);
        (distance < 0.0).then(|| {
            let on_surface = self.centre + tube + normal * self.inflated();
            settle(on_surface, &normal, self.scale(), |q| self.section(q).distance)
        })
    }
}

impl Collider for Torus {
    fn kind(&self) -> &'static str {
        "torus"
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let tall = self.inflated();
        let wide = self.major + tall;
        // ρ − R is rounded, so a point beyond the rim by as much may still count as inside.
        let reach = Vec3::new(wide, tall, wide).add_scalar(slack(self.scale()));
        Aabb { min: self.centre - reach, max: self.centre + reach }
    }

    fn push_out(&self, points: &mut [Vec3], _time: Real, moved: &mut [bool]) {
        push_each(points, moved, |p| self.outside(p));
    }

    fn export(&self, _time: Real) -> Option<ColliderData> {
        Some(ShapeData::Torus { centre: self.centre, major: self.major, minor: self.inflated() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_values() {
        assert_eq!(Torus::thesis(), Torus::new(Vec3::zeros(), 0.5, 0.1).unwrap());
        assert_eq!(Torus::thesis().margin(), 0.03);
    }

    #[test]
    fn the_axis_belongs_to_plus_x() {
        let ring = Torus::with_all(Vec3::new(1.0, 2.0, 3.0), 3.0, 1.0, 0.5).unwrap();
        let surface = ring.surface_at(&Vec3::new(1.0, 6.0, 3.0), 0.0);
        assert_eq!(surface.distance, 5.0 - 1.5);
        assert!((surface.normal - Vec3::new(-0.6, 0.8, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn the_tube_centre_leaves_upwards_all_around() {
        let ring = Torus::new(Vec3::new(0.3, -0.7, 0.1), 0.7, 0.1).unwrap();
        for i in 0..1000 {
            let (sin, cos) = (i as Real * 0.01).sin_cos();
            let on_circle = ring.centre() + Vec3::new(cos, 0.0, sin) * 0.7;
            assert_eq!(ring.surface_at(&on_circle, 0.0).normal, Vec3::y(), "step {i}");
            let out = ring.resolve(&on_circle, 0.0).unwrap();
            assert!((out - on_circle - Vec3::y() * 0.13).norm() < 1e-14, "step {i}");
        }
    }

    #[test]
    fn bad_parameters() {
        assert!(Torus::new(Vec3::new(0.0, 0.0, Real::NAN), 1.0, 0.1).is_err());
        for radius in [0.0, -1.0, Real::NAN, Real::INFINITY] {
            assert!(Torus::new(Vec3::zeros(), radius, 0.1).is_err());
            assert!(Torus::new(Vec3::zeros(), 1.0, radius).is_err());
        }
        assert!(Torus::thesis().with_margin(-0.01).is_err());
        let error = Torus::thesis().with_margin(0.5).unwrap_err();
        assert_eq!(error, CollideError::ClosedTorus { major: 0.5, minor: 0.1, margin: 0.5 });
        assert!(Torus::with_all(Vec3::zeros(), 1.0, 1.0, 0.0).is_err());
        assert!(Torus::with_all(Vec3::zeros(), 1.0, 0.5, 0.4999).is_ok());
    }

    #[test]
    fn not_a_number_is_left_alone() {
        assert_eq!(Torus::thesis().resolve(&Vec3::new(0.5, Real::NAN, 0.0), 0.0), None);
        assert_eq!(Torus::thesis().resolve(&Vec3::new(Real::NAN, 0.0, 0.0), 0.0), None);
    }
}
