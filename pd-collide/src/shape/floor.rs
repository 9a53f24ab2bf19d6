//! The half space below a horizontal plane.
//!
//! φ(p) = p_y − (h + ε), n = +y: a point below h + ε is lifted to h + ε (thesis section 5).

use crate::CollideError;
use crate::batch::{push_each, sample_each};
use crate::error::{finite, not_negative};
use pd_core::{Aabb, Collider, ColliderData, Real, ShapeData, Surface, Vec3};

/// A horizontal floor; everything below it is inside.
///
/// ```
/// use pd_collide::Floor;
/// use pd_core::{Collider, Vec3};
/// let floor = Floor::new(-1.0)?.with_margin(0.25)?;
/// assert_eq!(floor.resolve(&Vec3::new(3.0, -5.0, 2.0), 0.0), Some(Vec3::new(3.0, -0.75, 2.0)));
/// assert_eq!(floor.resolve(&Vec3::new(3.0, -0.75, 2.0), 0.0), None); // on the surface is not inside
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    height: Real,
    margin: Real,
}

impl Floor {
    /// Margin of the thesis, m.
    pub const MARGIN: Real = 0.01;

    /// A floor at `height` (y, m) with the margin of the thesis.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the height is not finite.
    pub fn new(height: Real) -> Result<Self, CollideError> {
        Ok(Self { height: finite("floor", "height", height)?, margin: Self::MARGIN })
    }

    /// The floor of the thesis scenes: y = −1 m.
    pub fn thesis() -> Self {
        Self { height: -1.0, margin: Self::MARGIN }
    }

    /// The same floor with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative, or not finite, or lifts the surface beyond the numbers.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        let floor = Self { margin: not_negative("floor", "margin", margin)?, ..self };
        finite("floor", "height + margin", floor.level())?;
        Ok(floor)
    }

    /// Height of the floor without margin, m.
    pub fn height(&self) -> Real {
        self.height
    }

    /// Distance kept above the floor, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Height below which a point is inside. Rounded once, so that a lifted point is exactly on the surface.
    fn level(&self) -> Real {
        self.height + self.margin
    }

    /// The surface as seen from a point.
    fn surface(&self, p: &Vec3) -> Surface {
        Surface { distance: p.y - self.level(), normal: Vec3::y(), velocity: Vec3::zeros() }
    }

    /// The nearest point outside, if `p` is inside.
    fn outside(&self, p: &Vec3) -> Option<Vec3> {
        (p.y < self.level()).then(|| Vec3::new(p.x, self.level(), p.z))
    }
}

impl Collider for Floor {
    fn kind(&self) -> &'static str {
        "floor"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let mut bounds = Aabb::everything();
        bounds.max.y = self.level();
        bounds
    }

    fn push_out(&self, points: &mut [Vec3], _time: Real, moved: &mut [bool]) {
        push_each(points, moved, |p| self.outside(p));
    }

    fn export(&self, _time: Real) -> Option<ColliderData> {
        Some(ShapeData::Floor { height: self.level() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_values() {
        assert_eq!(Floor::thesis(), Floor::new(-1.0).unwrap());
        assert_eq!(
            Floor::thesis().resolve(&Vec3::new(0.0, -3.0, 0.0), 0.0),
            Some(Vec3::new(0.0, -0.99, 0.0))
        );
    }

    #[test]
    fn bad_parameters() {
        assert!(Floor::new(Real::NAN).is_err());
        assert!(Floor::new(Real::NEG_INFINITY).is_err());
        assert!(Floor::thesis().with_margin(Real::NAN).is_err());
        assert!(Floor::new(Real::MAX).unwrap().with_margin(Real::MAX).is_err());
        let error = Floor::thesis().with_margin(-0.5).unwrap_err();
        assert_eq!(error.to_string(), "floor: margin is -0.5; it must be finite and not negative");
    }

    #[test]
    fn not_a_number_is_left_alone() {
        assert_eq!(Floor::thesis().resolve(&Vec3::repeat(Real::NAN), 0.0), None);
    }
}
