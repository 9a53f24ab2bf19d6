//! An axis-aligned block.
//!
//! The margin ε enlarges the half extents, so the inflated block has sharp edges again (thesis section 5); distances
//! are to that sharp block with faces at c ± (half + ε). With the excess e_a = max(lo_a − p_a, p_a − hi_a) on axis a:
//! - outside, φ(p) = ‖max(e, 0)‖ and n points from the nearest point of the block to p;
//! - inside, φ(p) = max_a e_a: the face of least exit distance; n is its normal.
//!
//! Ties inside go to x before y before z, and on one axis to the positive face: the centre of a cube leaves along +x.

use crate::CollideError;
use crate::batch::{push_each, sample_each};
use crate::error::{CENTRE, finite_point, not_negative, positive};
use crate::rounding::direction;
use pd_core::{Aabb, Collider, ColliderData, Real, ShapeData, Surface, Vec3};

/// An axis-aligned block.
///
/// ```
/// use pd_collide::Block;
/// use pd_core::{Collider, Vec3};
/// let block = Block::new(Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0))?.with_margin(0.5)?;
/// // Nearest of the six faces from inside,
/// assert_eq!(block.resolve(&Vec3::new(0.0, -2.25, 0.0), 0.0), Some(Vec3::new(0.0, -2.5, 0.0)));
/// // +x from the centre, which is nearest to both faces across x,
/// assert_eq!(block.resolve(&Vec3::zeros(), 0.0), Some(Vec3::new(1.5, 0.0, 0.0)));
/// // and the true distance to the edge from outside.
/// assert_eq!(block.surface_at(&Vec3::new(4.5, 6.5, 0.0), 0.0).distance, 5.0);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    centre: Vec3,
    half_extents: Vec3,
    margin: Real,
}

const EXTENTS: [&str; 3] = ["half extent x", "half extent y", "half extent z"];

/// What the excess says about a point: the face inside, the gap outside.
enum Region {
    /// Inside or on the surface: the nearest face by axis and sign, and the way to it, m.
    Inside { axis: usize, sign: Real, exit: Real },
    /// Outside: the vector from the nearest point of the block, m.
    Outside { gap: Vec3 },
}

impl Block {
    /// Margin of the thesis, m.
    pub const MARGIN: Real = 0.05;

    /// A block with the margin of the thesis; centre and half edge lengths in m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the centre is not finite or a half extent is not positive and finite.
    pub fn new(centre: Vec3, half_extents: Vec3) -> Result<Self, CollideError> {
        for axis in 0..3 {
            positive("block", EXTENTS[axis], half_extents[axis])?;
        }
        Self { centre: finite_point("block", CENTRE, centre)?, half_extents, margin: Self::MARGIN }.checked()
    }

    /// The block of the thesis scenes: centre (0.5, 0.5, 0.5), edges 0.4 × 0.5 × 0.6 m.
    pub fn thesis() -> Self {
        Self { centre: Vec3::repeat(0.5), half_extents: Vec3::new(0.2, 0.25, 0.3), margin: Self::MARGIN }
    }

    /// The same block with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative, or not finite, or puts a face beyond the numbers.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Self { margin: not_negative("block", "margin", margin)?, ..self }.checked()
    }

    /// Centre, m.
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Half edge lengths without margin, m.
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// Growth of each half extent, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Passes a block on whose faces are finite.
    fn checked(self) -> Result<Self, CollideError> {
        finite_point("block", ["low face x", "low face y", "low face z"], self.low())?;
        finite_point("block", ["high face x", "high face y", "high face z"], self.high())?;
        Ok(self)
    }

    /// Faces towards −x, −y, −z. All tests compare with the same rounded number, so that a point put on a face is
    /// exactly on it.
    fn low(&self) -> Vec3 {
        self.centre - self.half_extents.add_scalar(self.margin)
    }

    /// Faces towards +x, +y, +z.
    fn high(&self) -> Vec3 {
        self.centre + self.half_extents.add_scalar(self.margin)
    }

    /// The nearest face from inside, the gap from outside.
    fn region(&self, p: &Vec3) -> Region {
        let (below, above) = (self.low() - p, p - self.high());
        // In this order of tests a coordinate that is not a number makes the gap, and so the distance, not a number.
        let gap = Vec3::from_fn(|a, _| match (below[a], above[a]) {
            (below, _) if below > 0.0 => -below,
            (_, above) if above <= 0.0 => 0.0,
            (_, above) => above,
        });
        if gap != Vec3::zeros() {
            return Region::Outside { gap };
        }
        let (mut axis, mut sign, mut exit) = (0, 1.0, -above.x);
        for a in 0..3 {
            for (face, way) in [(1.0, -above[a]), (-1.0, -below[a])] {
                if way < exit {
                    (axis, sign, exit) = (a, face, way);
                }
            }
        }
        Region::Inside { axis, sign, exit }
    }

    /// The surface as seen from a point.
    fn surface(&self, p: &Vec3) -> Surface {
        let (distance, normal) = match self.region(p) {
            Region::Inside { axis, sign, exit } => (-exit, Vec3::ith(axis, sign)),
            // The gap is not zero, so there is a direction.
            Region::Outside { gap } => {
                direction(&gap).map_or((0.0, Vec3::y()), |(normal, length)| (length, normal))
            }
        };
        Surface { distance, normal, velocity: Vec3::zeros() }
    }

    /// The nearest point outside, if `p` is inside.
    fn outside(&self, p: &Vec3) -> Option<Vec3> {
        match self.region(p) {
            Region::Inside { axis, sign, exit } if exit > 0.0 => {
                let mut outside = *p;
                outside[axis] = if sign > 0.0 { self.high()[axis] } else { self.low()[axis] };
                Some(outside)
            }
            _ => None,
        }
    }
}

impl Collider for Block {
    fn kind(&self) -> &'static str {
        "block"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        Aabb { min: self.low(), max: self.high() }
    }

    fn push_out(&self, points: &mut [Vec3], _time: Real, moved: &mut [bool]) {
        push_each(points, moved, |p| self.outside(p));
    }

    fn export(&self, _time: Real) -> Option<ColliderData> {
        Some(ShapeData::Block { low: self.low(), high: self.high() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Block {
        Block::new(Vec3::zeros(), Vec3::repeat(1.0)).unwrap().with_margin(0.0).unwrap()
    }

    #[test]
    fn thesis_values() {
        assert_eq!(Block::thesis(), Block::new(Vec3::repeat(0.5), Vec3::new(0.4, 0.5, 0.6) / 2.0).unwrap());
        assert_eq!(Block::thesis().margin(), 0.05);
    }

    #[test]
    fn ties_go_to_x_then_y_then_z_and_to_the_positive_face() {
        let leaves = |x, y, z| cube().resolve(&Vec3::new(x, y, z), 0.0).unwrap();
        assert_eq!(leaves(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0));
        assert_eq!(leaves(0.5, 0.5, 0.5), Vec3::new(1.0, 0.5, 0.5));
        assert_eq!(leaves(-0.5, 0.5, 0.5), Vec3::new(-1.0, 0.5, 0.5));
        assert_eq!(leaves(0.0, 0.5, 0.5), Vec3::new(0.0, 1.0, 0.5));
        assert_eq!(leaves(0.0, -0.5, 0.5), Vec3::new(0.0, -1.0, 0.5));
        assert_eq!(leaves(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, -1.0));
        let flat = Block::new(Vec3::zeros(), Vec3::new(3.0, 1.0, 2.0)).unwrap();
        assert_eq!(flat.resolve(&Vec3::zeros(), 0.0), Some(Vec3::new(0.0, 1.05, 0.0)));
    }

    #[test]
    fn the_surface_is_not_inside() {
        for p in [Vec3::x(), -Vec3::z(), Vec3::repeat(1.0), Vec3::new(1.0, -1.0, 0.3)] {
            assert_eq!(cube().resolve(&p, 0.0), None, "{p}");
            assert_eq!(cube().surface_at(&p, 0.0).distance, 0.0, "{p}");
        }
        assert_eq!(cube().surface_at(&-Vec3::z(), 0.0).normal, -Vec3::z());
    }

    #[test]
    fn a_gap_too_small_to_square_is_a_gap() {
        let surface = cube().surface_at(&Vec3::new(0.0, 1.0 + Real::EPSILON, 0.0), 0.0);
        assert_eq!((surface.distance, surface.normal), (Real::EPSILON, Vec3::y()));
        let at_zero = Block::new(Vec3::repeat(1.0), Vec3::repeat(1.0)).unwrap().with_margin(0.0).unwrap();
        let surface = at_zero.surface_at(&Vec3::new(-1e-200, 1.0, 1.0), 0.0);
        assert_eq!((surface.distance, surface.normal), (1e-200, -Vec3::x()));
    }

    #[test]
    fn bad_parameters() {
        assert!(Block::new(Vec3::new(0.0, Real::NAN, 0.0), Vec3::repeat(1.0)).is_err());
        for extent in [0.0, -1.0, Real::NAN, Real::INFINITY] {
            let error = Block::new(Vec3::zeros(), Vec3::new(1.0, 1.0, extent)).unwrap_err();
            assert!(matches!(error, CollideError::Parameter { name: "half extent z", .. }), "{error}");
        }
        assert!(cube().with_margin(-0.1).is_err());
        assert!(Block::new(Vec3::repeat(Real::MAX), Vec3::repeat(Real::MAX)).is_err());
    }

    #[test]
    fn not_a_number_is_left_alone() {
        assert_eq!(cube().resolve(&Vec3::new(Real::NAN, 0.0, 0.0), 0.0), None);
        assert_eq!(cube().resolve(&Vec3::new(0.0, 0.0, Real::NAN), 0.0), None);
        assert!(cube().surface_at(&Vec3::new(0.0, Real::NAN, 0.0), 0.0).distance.is_nan());
    }
}
