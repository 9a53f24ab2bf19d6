//! Points of contact along a separating axis: the face that meets another is clipped by it (Sutherland & Hodgman 1974);
//! two edges meet in one point.

use super::axis::{Axis, Best};
use super::closest::segment_segment;
use super::reduce::reduce;
use super::{Placed, Touch, Touches};
use crate::Polyhedron;
use nalgebra::Isometry3;
use pd_core::{Real, Vec3};

/// Points along `axis` that are nearer than `reach`.
pub(super) fn touches(a: Placed<'_>, b: Placed<'_>, axis: Axis, reach: Real) -> Touches {
    let (Some(sa), Some(sb)) = (a.0.solid(), b.0.solid()) else { return Touches::default() };
    match axis.best {
        Best::Edges(i, j) => edges((a, sa, i), (b, sb, j), &axis.normal, reach),
        Best::FaceA(face) => faces((sa, a.1, face), (sb, b.1), axis.normal, reach, false),
        Best::FaceB(face) => faces((sb, b.1, face), (sa, a.1), axis.normal, reach, true),
    }
}

fn edges(
    a: (Placed<'_>, &Polyhedron, usize),
    b: (Placed<'_>, &Polyhedron, usize),
    n: &Vec3,
    reach: Real,
) -> Touches {
    let ends = |(placed, solid, edge): (Placed<'_>, &Polyhedron, usize)| {
        let [i, j] = solid.edges()[edge].0.map(|v| v as usize);
        [i, j].map(|v| placed.1.translation.vector + placed.1.rotation * solid.vertices()[v])
    };
    let ([p, p2], [q, q2]) = (ends(a), ends(b));
    let (s, t) = segment_segment(&p, &(p2 - p), &q, &(q2 - q));
    let (x, y) = (p + (p2 - p) * s, q + (q2 - q) * t);
    let gap = n.dot(&(x - y));
    let mut touches = Touches { normal: *n, ..Touches::default() };
    if gap < reach {
        touches.push((x + y) * 0.5, gap, 1 << 40 | (a.2 as u64) << 16 | b.2 as u64);
    }
    touches
}

/// Clips the face of `other` that looks most against a face of `reference`. `normal` is from the second shape to the
/// first; `swapped` says that the reference is the second.
fn faces(
    reference: (&Polyhedron, &Isometry3<Real>, usize),
    other: (&Polyhedron, &Isometry3<Real>),
    normal: Vec3,
    reach: Real,
    swapped: bool,
) -> Touches {
    let out = reference.1.rotation * reference.0.faces()[reference.2].normal;
    let incident = other.0.face_along(&(other.1.rotation.inverse() * -out));
    let corners = reference.0.faces()[reference.2].corners.len() + other.0.faces()[incident].corners.len();
    // Every side of the reference adds at most one corner.
    if corners <= 8 {
        clip::<9>(reference, (other.0, other.1, incident), normal, &out, reach, swapped)
    } else {
        clip::<{ 2 * Polyhedron::MOST_VERTICES + 1 }>(
            reference,
            (other.0, other.1, incident),
            normal,
            &out,
            reach,
            swapped,
        )
    }
}

/// A polygon with what made each corner: the incident corner it began as and the side that cut it last.
struct Polygon<const N: usize> {
    len: usize,
    corners: [(Vec3, u64); N],
}

impl<const N: usize> Polygon<N> {
    fn push(&mut self, p: Vec3, feature: u64) {
        if self.len < N {
            self.corners[self.len] = (p, feature);
            self.len += 1;
        }
    }
}

fn clip<const N: usize>(
    reference: (&Polyhedron, &Isometry3<Real>, usize),
    other: (&Polyhedron, &Isometry3<Real>, usize),
    normal: Vec3,
    out: &Vec3,
    reach: Real,
    swapped: bool,
) -> Touches {
    let empty = || Polygon { len: 0, corners: [(Vec3::zeros(), 0); N] };
    let (mut now, mut next) = (empty(), empty());
    for &v in &other.0.faces()[other.2].corners {
        now.push(
            other.1.translation.vector + other.1.rotation * other.0.vertices()[v as usize],
            u64::from(v),
        );
    }
    let face = &reference.0.faces()[reference.2];
    let count = face.corners.len();
    let corner = |i: usize| {
        let v = reference.0.vertices()[face.corners[i % count] as usize];
        reference.1.translation.vector + reference.1.rotation * v
    };
    for i in 0..count {
        let p = corner(i);
        let side = (corner(i + 1) - p).cross(out);
        next.len = 0;
        for k in 0..now.len {
            let (u, fu) = now.corners[k];
            let (v, fv) = now.corners[(k + 1) % now.len];
            let (du, dv) = (side.dot(&(u - p)), side.dot(&(v - p)));
            if du <= 0.0 {
                next.push(u, fu);
            }
            if (du < 0.0 && dv > 0.0) || (du > 0.0 && dv < 0.0) {
                // Named by the corner that was cut off and the side that did it.
                let cut = if du > 0.0 { fu } else { fv };
                next.push(
                    u + (v - u) * (du / (du - dv)),
                    (cut & 0xff) | (i as u64 + 1) << 8 | u64::from(du > 0.0) << 16,
                );
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    let base = corner(0);
    let mut found = [Touch::default(); N];
    let mut len = 0;
    let name = (u64::from(swapped) << 36) | (reference.2 as u64) << 28 | (other.2 as u64) << 20;
    for &(p, feature) in &now.corners[..now.len] {
        let gap = out.dot(&(p - base));
        if gap < reach {
            found[len] = Touch { place: p - out * (0.5 * gap), gap, feature: name | feature };
            len += 1;
        }
    }
    reduce(normal, &found[..len])
}
