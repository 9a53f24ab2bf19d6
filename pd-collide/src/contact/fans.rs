//! Triangles around a vertex that cannot cross one another: no need to look at their pairs.
//!
//! Let all triangles (v, a, b) around a vertex be seen along a direction m. If m·((a − v) × (b − v)) > 0 for each of them, the
//! directions of a, b, … turn one way around v, and if they turn once, the triangles have nothing in common but v and the
//! edges between them: a star. The number of turns cannot change while all products stay positive. So it suffices that on
//! every way from x_b to a point of the regions they do. With e = a − v, f = b − v, and s the most by which each coordinate of a
//! vertex can change,
//!
//! m·(e × f) > |f × m|·s_a + |m × e|·s_b + |(f − e) × m|·s_v + |m|·(s_a ∘ s_b + s_a ∘ s_v + s_b ∘ s_v),
//!
//! absolute values by coordinates, p ∘ q = (p_y q_z + p_z q_y, …): the first-order change by each vertex, then the products.
//!
//! Seen from a frame that moves with v, neighbours hardly move: of a sheet that is nearly flat over an edge's length all
//! pairs of triangles with a common vertex are settled by this, and these are most of those whose boxes overlap. (In the
//! manner of Volino and Magnenat-Thalmann 1994, who so settle patches, but for motions and without a test of the contour:
//! a star has none that could cross.)

use super::list::{ContactList, ListInput};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, Real, Vec3};

/// Part of the product that must remain, for rounding.
const MARGIN: Real = 1e-6;

impl ContactList {
    /// Says of each vertex whether its triangles cannot cross one another on their way into the regions.
    pub(super) fn certify_fans(&mut self, input: &ListInput<'_>) {
        let (region, carry) = (&self.guard.region, &self.carry);
        exec::for_each_chunk(&mut self.stars, VERTEX_CHUNK, |first, stars| {
            for (k, star) in stars.iter_mut().enumerate() {
                *star = is_star(input, region, carry, first + k);
            }
        });
    }
}

/// How far a vertex can go from where it starts along each axis, seen from a frame that moves by `motion`.
#[inline]
fn stray(start: &Vec3, region: &Aabb, motion: &Vec3) -> Vec3 {
    let from = start + motion;
    (from - region.min).abs().sup(&(region.max - from).abs())
}

/// Largest coordinates of a cross product of vectors whose coordinates are at most p and q.
#[inline]
fn cross_bound(p: &Vec3, q: &Vec3) -> Vec3 {
    Vec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x)
}

fn is_star(input: &ListInput<'_>, region: &[Aabb], carry: &[Vec3], v: usize) -> bool {
    let surface = input.surface;
    let fan = surface.fans.of(v);
    if fan.is_empty() {
        return false;
    }
    let x = input.start;
    let (centre, motion) = (&x[v], &carry[v]);
    // The fan has the two other corners of each triangle, in its order.
    let edges = fan.as_chunks::<2>().0.iter().map(|&[a, b]| {
        let (a, b) = (a as usize, b as usize);
        (a, b, x[a] - centre, x[b] - centre)
    });
    let normal: Vec3 = edges.clone().map(|(_, _, e, f)| e.cross(&f)).sum();
    // Of no size, or not a number: no product below is positive then.
    let m = normal / normal.norm();
    // Any direction across m; turns are counted where it is passed.
    let axis = if m.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let side = m.cross(&axis);
    let own = stray(centre, &region[v], motion);
    let mut turns = 0;
    for (a, b, e, f) in edges {
        let (of_a, of_b) = (stray(&x[a], &region[a], motion), stray(&x[b], &region[b], motion));
        let (by_a, by_b) = (f.cross(&m), m.cross(&e));
        let first = by_a.abs().dot(&of_a) + by_b.abs().dot(&of_b) + (by_a + by_b).abs().dot(&own);
        let second = cross_bound(&of_a, &of_b) + cross_bound(&of_a, &own) + cross_bound(&of_b, &own);
        let change = first + m.abs().dot(&second);
        let product = m.dot(&e.cross(&f));
        // False for what is not a number.
        let turns_on = product > change + MARGIN * e.norm() * f.norm();
        if !turns_on {
            return false;
        }
        turns += usize::from(side.dot(&e) < 0.0 && side.dot(&f) >= 0.0);
    }
    turns == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactOptions, ContactSurface};
    use crate::intersect::triangles_cross;
    use pd_core::{CollisionSurface, SurfaceBody};
    use proptest::prelude::*;

    /// A fan of so many triangles around vertex 0, and its list with regions about ends.
    fn fan(n: u32) -> (ContactSurface, Vec<[u32; 3]>) {
        let triangles: Vec<[u32; 3]> = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
        let mut parts = CollisionSurface::default();
        parts.add_body(SurfaceBody::new(0.1), &triangles, 0);
        (ContactSurface::from_parts(n as usize + 1, &parts).unwrap(), triangles)
    }

    fn star(surface: &ContactSurface, x: &[Vec3], end: &[Vec3], half: f64) -> bool {
        let options = ContactOptions::default();
        let input = ListInput {
            surface,
            options: &options,
            compliance: &[],
            start: x,
            target: end,
            scale: 1.0,
            carried: true,
            least_reach: 0.0,
            obstacles: &[],
            time: 0.0,
            ignored: &[],
        };
        let region: Vec<Aabb> = end.iter().map(|c| Aabb { min: *c, max: *c }.grown(half)).collect();
        let carry: Vec<Vec3> = x.iter().zip(end).map(|(x, c)| c - x).collect();
        is_star(&input, &region, &carry, 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn triangles_of_a_star_do_not_cross_on_their_way(
            n in 3u32..8, turns in 1u32..3, half in 0.0..0.3f64,
            noise in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 8),
            way in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 8),
            size in 0.0..1.0f64, when in 0.0..1.0f64,
        ) {
            let (surface, triangles) = fan(n);
            let mut x = vec![Vec3::zeros()];
            for k in 0..n {
                let angle = std::f64::consts::TAU * f64::from(k * turns) / f64::from(n);
                x.push(Vec3::new(angle.cos(), angle.sin(), 0.0));
            }
            for (x, noise) in x.iter_mut().zip(&noise) {
                *x += Vec3::from(*noise) * size * 0.5;
            }
            let end: Vec<Vec3> = x.iter().zip(&way).map(|(x, w)| {
                x + Vec3::new(3.0, -2.0, 1.0) + Vec3::from(*w) * half
            }).collect();
            if star(&surface, &x, &end, half) {
                let at: Vec<Vec3> = x.iter().zip(&end).zip(&way).map(|((x, c), w)| {
                    let last = c + Vec3::from(w.map(f64::signum)) * half;
                    x + (last - x) * when
                }).collect();
                for (i, a) in triangles.iter().enumerate() {
                    for b in &triangles[i + 1..] {
                        prop_assert!(!triangles_cross(&at, *a, *b));
                    }
                }
            }
        }
    }

    #[test]
    fn a_flat_fan_is_a_star_and_one_that_turns_twice_or_is_folded_is_not() {
        let (surface, _) = fan(6);
        let at = |turns: f64| {
            let mut x = vec![Vec3::zeros()];
            x.extend((0..6).map(|k| {
                let angle = std::f64::consts::TAU * turns * f64::from(k) / 6.0;
                Vec3::new(angle.cos(), angle.sin(), 0.0)
            }));
            x
        };
        let x = at(1.0);
        assert!(star(&surface, &x, &x, 0.05));
        assert!(!star(&surface, &x, &x, 0.3), "too far");
        assert!(!star(&surface, &at(2.0), &at(2.0), 0.01), "twice around");
        let mut folded = x.clone();
        folded[1] = Vec3::new(-0.5, 0.1, 0.3);
        assert!(!star(&surface, &folded, &folded, 0.01));
    }
}
