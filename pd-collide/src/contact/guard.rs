//! The guard: for every vertex a convex set around a point that is known to be free, the *reference*.
//!
//! Each pair of primitives that could meet has a plane with one on either side; a vertex gets the half-spaces
//! n·x ≥ w of all its pairs, and a box (its *region*) outside of which pairs were not looked for. Half-spaces and boxes are
//! convex: on the straight way from one point of the set to another no vertex leaves its own, so no pair of primitives
//! crosses its plane, and a first contact of triangles is always one of a vertex with a face or of two edges. There is no
//! root to find and no step length that all vertices share.

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, Real, Vec3};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sweeps of projection onto violated half-spaces before a vertex is pulled back along its way.
const SWEEPS: usize = 4;

/// n·x ≥ w: the vertex must stay there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HalfSpace {
    pub(crate) n: Vec3,
    pub(crate) w: Real,
}

impl HalfSpace {
    #[inline]
    fn room(&self, x: &Vec3) -> Real {
        self.n.dot(x) - self.w
    }
}

/// Convex sets of all vertices.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    pub(crate) reference: Vec<Vec3>,
    pub(crate) region: Vec<Aabb>,
    /// Half-spaces of each vertex, one vertex after another.
    pub(crate) offsets: Vec<u32>,
    pub(crate) planes: Vec<HalfSpace>,
    /// Radius about the reference within which no half-space can be left; negative for a vertex that must not move.
    pub(crate) safe: Vec<Real>,
    /// Rounding of a product n·x.
    pub(crate) rounding: Real,
}

impl Guard {
    /// Points that are known to be free, one a vertex, m.
    pub fn reference(&self) -> &[Vec3] {
        &self.reference
    }

    /// The box that a vertex must not leave.
    pub fn region(&self, vertex: usize) -> &Aabb {
        &self.region[vertex]
    }

    /// Number of half-spaces stored.
    pub fn planes(&self) -> usize {
        self.planes.len()
    }

    /// Moves every point into its vertex' set, to the nearest point of it or little farther; returns how many were moved.
    /// Points are those of the first vertices.
    pub fn clamp(&self, x: &mut [Vec3]) -> usize {
        let moved = AtomicUsize::new(0); // an integer count: order does not matter
        exec::for_each_chunk(x, VERTEX_CHUNK, |first, x| {
            let count = x.iter_mut().enumerate().filter_map(|(k, x)| self.clamp_one(first + k, x)).count();
            moved.fetch_add(count, Ordering::Relaxed);
        });
        moved.into_inner()
    }

    /// Whether every point is in its vertex' set.
    pub fn holds(&self, x: &[Vec3]) -> bool {
        let leaf = |range: std::ops::Range<usize>| range.into_iter().all(|i| self.contains(i, &x[i]));
        exec::reduce(0..x.len(), VERTEX_CHUNK, &leaf, &|a, b| a && b)
    }

    fn half_spaces(&self, i: usize) -> &[HalfSpace] {
        &self.planes[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    #[inline]
    fn contains(&self, i: usize, x: &Vec3) -> bool {
        if !self.region[i].contains(x) {
            return false;
        }
        let r = self.safe[i];
        if r < 0.0 {
            return *x == self.reference[i];
        }
        (x - self.reference[i]).norm_squared() <= r * r
            || self.half_spaces(i).iter().all(|plane| plane.room(x) >= -self.rounding)
    }

    /// `Some` if the point was moved.
    #[inline]
    fn clamp_one(&self, i: usize, x: &mut Vec3) -> Option<()> {
        if self.contains(i, x) {
            return None;
        }
        *x = self.nearest(i, x);
        Some(())
    }

    fn nearest(&self, i: usize, x: &Vec3) -> Vec3 {
        let (centre, region) = (self.reference[i], &self.region[i]);
        if self.safe[i] < 0.0 {
            return centre;
        }
        let planes = self.half_spaces(i);
        let mut y = x.sup(&region.min).inf(&region.max);
        for _ in 0..SWEEPS {
            let mut outside = false;
            for plane in planes {
                let room = plane.room(&y);
                if room < -self.rounding {
                    y -= plane.n * room;
                    outside = true;
                }
            }
            if !outside {
                break;
            }
        }
        // Along the way from the reference, which is inside: convex, so always possible.
        let way = y - centre;
        let mut part: Real = 1.0;
        for plane in planes {
            let (room, advance) = (plane.room(&centre).max(0.0), -plane.n.dot(&way));
            if advance > room + self.rounding {
                part = part.min(room / advance);
            }
        }
        for a in 0..3 {
            let limit = if way[a] > 0.0 { region.max[a] } else { region.min[a] } - centre[a];
            if way[a].abs() > limit.abs() {
                part = part.min(limit / way[a]);
            }
        }
        if part < 1.0 { (centre + way * part.max(0.0)).sup(&region.min).inf(&region.max) } else { y }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guard(planes: Vec<HalfSpace>) -> Guard {
        let safe = planes.iter().map(|p| p.room(&Vec3::zeros())).fold(10.0, Real::min);
        Guard {
            reference: vec![Vec3::zeros()],
            region: vec![Aabb { min: Vec3::repeat(-1.0), max: Vec3::new(1.0, 2.0, 1.0) }],
            offsets: vec![0, planes.len() as u32],
            planes,
            safe: vec![safe],
            rounding: 1e-14,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_clamped_is_inside_and_what_is_inside_stays(
            normals in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 0..6),
            rooms in prop::collection::vec(0.0..0.5f64, 6),
            point in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let planes: Vec<HalfSpace> = normals.iter().zip(rooms).filter_map(|(n, room)| {
                let n = Vec3::from(*n);
                (n.norm() > 0.1).then(|| HalfSpace { n: n.normalize(), w: -room })
            }).collect();
            let guard = guard(planes);
            let mut x = [Vec3::from(point)];
            let inside = guard.holds(&x);
            let moved = guard.clamp(&mut x);
            prop_assert_eq!(moved == 0, inside);
            prop_assert!(guard.planes.iter().all(|p| p.room(&x[0]) >= -1e-13) && guard.region[0].contains(&x[0]));
            prop_assert_eq!(guard.clamp(&mut x), 0);
        }
    }

    #[test]
    fn motion_along_a_plane_survives() {
        let guard = guard(vec![HalfSpace { n: Vec3::y(), w: -0.1 }]);
        let mut x = [Vec3::new(0.7, -0.9, 0.2)];
        assert_eq!(guard.clamp(&mut x), 1);
        assert!((x[0] - Vec3::new(0.7, -0.1, 0.2)).norm() < 1e-14);
    }

    #[test]
    fn a_vertex_that_must_not_move_does_not() {
        let mut guard = guard(vec![]);
        guard.safe[0] = -1.0;
        let mut x = [Vec3::new(1e-9, 0.0, 0.0)];
        assert!(!guard.holds(&x));
        assert_eq!((guard.clamp(&mut x), x[0]), (1, Vec3::zeros()));
    }
}
