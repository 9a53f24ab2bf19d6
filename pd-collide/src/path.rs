//! A piecewise linear path over time.
//!
//! Between keyframes (t_i, o_i) and (t_{i+1}, o_{i+1}): o(t) = o_i + (t − t_i) v_i, v_i = (o_{i+1} − o_i)/(t_{i+1} − t_i);
//! constant before the first keyframe and from the last one on. The path is a function of time alone, so a
//! simulation can be resumed at any time without state of its obstacles.

use crate::CollideError;
use pd_core::{Real, Vec3};

/// Offset of an obstacle as a function of time, linear between keyframes.
///
/// ```
/// use pd_collide::Path;
/// use pd_core::Vec3;
/// let path = Path::new(vec![(1.0, Vec3::zeros()), (3.0, Vec3::new(4.0, 0.0, 0.0))])?;
/// assert_eq!(path.offset(0.0), Vec3::zeros());
/// assert_eq!(path.offset(1.5), Vec3::new(1.0, 0.0, 0.0));
/// assert_eq!(path.velocity(1.5), Vec3::new(2.0, 0.0, 0.0));
/// assert_eq!(path.offset(9.0), Vec3::new(4.0, 0.0, 0.0));
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    keyframes: Vec<(Real, Vec3)>,
}

impl Path {
    /// A path through keyframes (time in s, offset in m), times strictly ascending.
    ///
    /// # Errors
    /// [`CollideError::EmptyPath`], [`CollideError::KeyNotFinite`], [`CollideError::KeyOrder`], or
    /// [`CollideError::KeySpeed`] if the speed between two keyframes overflows.
    pub fn new(keyframes: Vec<(Real, Vec3)>) -> Result<Self, CollideError> {
        if keyframes.is_empty() {
            return Err(CollideError::EmptyPath);
        }
        for (index, &(time, offset)) in keyframes.iter().enumerate() {
            if !time.is_finite() || !offset.iter().all(|x| x.is_finite()) {
                return Err(CollideError::KeyNotFinite { index, time, offset });
            }
        }
        for index in 1..keyframes.len() {
            let (previous, time) = (keyframes[index - 1].0, keyframes[index].0);
            if time <= previous {
                return Err(CollideError::KeyOrder { index, time, previous });
            }
            let velocity = segment_velocity(&keyframes[index - 1], &keyframes[index]);
            if !(time - previous).is_finite() || !velocity.iter().all(|x| x.is_finite()) {
                return Err(CollideError::KeySpeed { index });
            }
        }
        Ok(Self { keyframes })
    }

    /// The keyframes: time in s, offset in m.
    pub fn keyframes(&self) -> &[(Real, Vec3)] {
        &self.keyframes
    }

    /// Offset at a time in s, m; exact at keyframes.
    pub fn offset(&self, time: Real) -> Vec3 {
        match self.segment(time) {
            Segment::Still(offset) => offset,
            Segment::Between(from, to) => from.1 + segment_velocity(from, to) * (time - from.0),
        }
    }

    /// Velocity at a time in s, m/s. At a keyframe it is that of the segment which begins there; zero from the last
    /// keyframe on.
    pub fn velocity(&self, time: Real) -> Vec3 {
        match self.segment(time) {
            Segment::Still(_) => Vec3::zeros(),
            Segment::Between(from, to) => segment_velocity(from, to),
        }
    }

    /// The part of the path in force at a time.
    fn segment(&self, time: Real) -> Segment<'_> {
        let next = self.keyframes.partition_point(|key| key.0 <= time);
        match (next.checked_sub(1).and_then(|last| self.keyframes.get(last)), self.keyframes.get(next)) {
            (Some(from), Some(to)) => Segment::Between(from, to),
            (Some(end), None) | (None, Some(end)) => Segment::Still(end.1),
            (None, None) => Segment::Still(Vec3::zeros()), // excluded by `new`
        }
    }
}

/// A part of the path.
enum Segment<'a> {
    /// At rest with this offset, m.
    Still(Vec3),
    /// On the way from one keyframe to the next.
    Between(&'a (Real, Vec3), &'a (Real, Vec3)),
}

/// Velocity from one keyframe to the next, m/s.
fn segment_velocity(from: &(Real, Vec3), to: &(Real, Vec3)) -> Vec3 {
    (to.1 - from.1) / (to.0 - from.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zigzag() -> Path {
        Path::new(vec![(-1.0, Vec3::x()), (0.0, Vec3::zeros()), (4.0, Vec3::new(0.0, 8.0, -4.0))]).unwrap()
    }

    #[test]
    fn constant_outside_of_the_keyframes() {
        for (time, offset) in
            [(-9.0, Vec3::x()), (4.0, Vec3::new(0.0, 8.0, -4.0)), (1e9, Vec3::new(0.0, 8.0, -4.0))]
        {
            assert_eq!(zigzag().offset(time), offset);
            assert_eq!(zigzag().velocity(time), Vec3::zeros());
        }
        let fixed = Path::new(vec![(2.0, Vec3::z())]).unwrap();
        for time in [1.0, 2.0, 3.0, Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
            assert_eq!((fixed.offset(time), fixed.velocity(time)), (Vec3::z(), Vec3::zeros()));
        }
    }

    #[test]
    fn a_keyframe_belongs_to_the_segment_it_begins() {
        assert_eq!(zigzag().offset(-1.0), Vec3::x());
        assert_eq!(zigzag().velocity(-1.0), -Vec3::x());
        assert_eq!(zigzag().offset(0.0), Vec3::zeros());
        assert_eq!(zigzag().velocity(0.0), Vec3::new(0.0, 2.0, -1.0));
        assert_eq!(zigzag().offset(1.0), Vec3::new(0.0, 2.0, -1.0));
    }

    #[test]
    fn bad_keyframes() {
        let zero = Vec3::zeros();
        assert_eq!(Path::new(vec![]), Err(CollideError::EmptyPath));
        assert!(matches!(
            Path::new(vec![(0.0, zero), (Real::NAN, zero)]),
            Err(CollideError::KeyNotFinite { index: 1, .. })
        ));
        let hole = Vec3::new(1.0, Real::INFINITY, 0.0);
        let error = Path::new(vec![(0.5, hole)]).unwrap_err();
        assert_eq!(error.to_string(), "keyframe 0 of the path is not finite: time 0.5, offset (1, inf, 0)");
        for time in [1.0, 0.5] {
            let error = Path::new(vec![(0.0, zero), (1.0, zero), (time, zero)]).unwrap_err();
            assert_eq!(error, CollideError::KeyOrder { index: 2, time, previous: 1.0 });
        }
        for keys in [vec![(0.0, zero), (1e-310, Vec3::x())], vec![(-Real::MAX, zero), (Real::MAX, zero)]] {
            assert_eq!(Path::new(keys), Err(CollideError::KeySpeed { index: 1 }));
        }
    }
}
