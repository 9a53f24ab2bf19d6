//! A cylinder with flat ends.
//!
//! In the plane through the axis and the point, with the distance ρ from the axis and the height y above the middle, it
//! is a rectangle with half sides R + ε and H + ε; as with a block the margin ε keeps the edges sharp. With the excess
//! e = (ρ − R − ε, |y| − H − ε): outside φ = ‖max(e, 0)‖, inside φ = max(e). On the axis the direction across that is
//! nearest to +y is taken (+x if the axis is vertical); between side and end the side.

use crate::CollideError;
use crate::batch::sample_each;
use crate::error::{finite_point, not_negative, positive};
use crate::rounding::{direction, slack};
use crate::shape::lathe;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};

/// A cylinder with flat ends.
///
/// ```
/// use pd_collide::Cylinder;
/// use pd_core::{Collider, Vec3};
/// let drum = Cylinder::new(Vec3::zeros(), Vec3::y() * 2.0, 1.0)?;
/// assert_eq!(drum.surface_at(&Vec3::new(0.25, 3.0, 0.0), 0.0).distance, 1.0);
/// assert_eq!(drum.surface_at(&Vec3::new(4.0, 6.0, 0.0), 0.0).distance, 5.0); // the edge
/// assert_eq!(drum.surface_at(&Vec3::new(0.75, 1.0, 0.0), 0.0).distance, -0.25);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    middle: Vec3,
    /// Unit vector.
    axis: Vec3,
    half: Real,
    radius: Real,
    margin: Real,
}

impl Cylinder {
    /// A cylinder around the segment between the centres of its ends, m, without margin.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if an end is not finite, the ends coincide, or the radius is not positive and finite.
    pub fn new(a: Vec3, b: Vec3, radius: Real) -> Result<Self, CollideError> {
        finite_point("cylinder", ["first end x", "first end y", "first end z"], a)?;
        finite_point("cylinder", ["second end x", "second end y", "second end z"], b)?;
        let half = positive("cylinder", "length", (b - a).norm())? / 2.0;
        let radius = positive("cylinder", "radius", radius)?;
        Ok(Self { middle: a + (b - a) / 2.0, axis: (b - a) / (2.0 * half), half, radius, margin: 0.0 })
    }

    /// The same cylinder with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("cylinder", "margin", margin)?, ..self })
    }

    /// Middle of the axis, m.
    pub fn middle(&self) -> Vec3 {
        self.middle
    }

    /// Direction of the axis, a unit vector.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Half the length without margin, m.
    pub fn half_length(&self) -> Real {
        self.half
    }

    /// Radius without margin, m.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Growth of the radius and of both ends, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    fn surface(&self, p: &Vec3) -> Surface {
        let v = p - self.middle;
        let height = v.dot(&self.axis);
        let (side, rho) = direction(&(v - self.axis * height)).unwrap_or((self.across(), 0.0));
        let end = self.axis * if height < 0.0 { -1.0 } else { 1.0 };
        let excess = [rho - (self.radius + self.margin), height.abs() - (self.half + self.margin)];
        let (distance, normal) = match excess {
            [across, along] if across > 0.0 && along > 0.0 => {
                let length = across.hypot(along);
                (length, (side * across + end * along) / length)
            }
            [across, along] if along > across => (along, end),
            [across, _] => (across, side),
        };
        // Sums of products with unit vectors are off by a unit in the last place.
        let normal = direction(&normal).map_or(side, |(normal, _)| normal);
        Surface { distance, normal, velocity: Vec3::zeros() }
    }

    /// The unit vector across the axis that is nearest to +y, or +x for a vertical axis.
    fn across(&self) -> Vec3 {
        direction(&(Vec3::y() - self.axis * self.axis.y))
            .filter(|(_, length)| *length > 1e-9)
            .map_or(Vec3::x(), |(unit, _)| unit)
    }
}

impl Collider for Cylinder {
    fn kind(&self) -> &'static str {
        "cylinder"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        // A disk across a unit vector u reaches R √(1 − u_a²) along axis a.
        let disk = self.axis.map(|u| (1.0 - u * u).max(0.0).sqrt()) * (self.radius + self.margin);
        let reach = self.axis.abs() * (self.half + self.margin) + disk;
        let slack = slack(self.middle.amax() + reach.amax());
        Aabb { min: self.middle - reach, max: self.middle + reach }.grown(slack)
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        let (r, h) = (self.radius, self.half);
        Some(lathe::turn(&self.middle, &self.axis, &[(0.0, -h), (r, -h), (r, h), (0.0, h)], lathe::SECTORS))
    }
}
