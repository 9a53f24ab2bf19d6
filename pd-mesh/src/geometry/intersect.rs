//! Intersection tests of triangles by the signs of determinants evaluated exactly (J. R. Shewchuk, Adaptive precision
//! floating-point arithmetic and fast robust geometric predicates, 1997; crate `robust`). Exact as long as no product of
//! three coordinates overflows or underflows.

use super::bvh::{Bounds, Bvh};
use crate::{TriMesh, Vec3};
use robust::{Coord, Coord3D};

/// Side of `d` with respect to the plane (a, b, c): −1, 0 or 1.
fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let point = |x: Vec3| Coord3D { x: x.x, y: x.y, z: x.z };
    sign(robust::orient3d(point(a), point(b), point(c), point(d)))
}

/// Side of `c` with respect to the line (a, b) in the plane without coordinate `axis`.
fn side_in_plane(axis: usize, a: Vec3, b: Vec3, c: Vec3) -> i8 {
    let point = |x: Vec3| Coord { x: x[(axis + 1) % 3], y: x[(axis + 2) % 3] };
    sign(robust::orient2d(point(a), point(b), point(c)))
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

/// Whether the closed segment (p, q) and the closed triangle have a point in common.
#[must_use]
pub fn segment_meets_triangle(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    let (of_p, of_q) = (side(a, b, c, p), side(a, b, c, q));
    if of_p == 0 && of_q == 0 {
        return segment_meets_coplanar(p, q, [a, b, c]);
    }
    if of_p == of_q {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    !(around.contains(&1) && around.contains(&-1))
}

/// The same if all lie in one plane: in the projection that keeps the triangle widest.
fn segment_meets_coplanar(p: Vec3, q: Vec3, triangle: [Vec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let axis = (b - a).cross(&(c - a)).iamax();
    let turn = side_in_plane(axis, a, b, c);
    let inside = |x: Vec3| {
        turn != 0
            && [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| side_in_plane(axis, from, to, x) != -turn)
    };
    inside(p) || inside(q) || [(a, b), (b, c), (c, a)].iter().any(|&(r, s)| segments_meet(axis, p, q, r, s))
}

/// Whether two closed segments of one plane meet.
fn segments_meet(axis: usize, p: Vec3, q: Vec3, r: Vec3, s: Vec3) -> bool {
    let (r_side, s_side) = (side_in_plane(axis, p, q, r), side_in_plane(axis, p, q, s));
    let (p_side, q_side) = (side_in_plane(axis, r, s, p), side_in_plane(axis, r, s, q));
    if r_side == 0 && s_side == 0 {
        // On one line (or one of them is a point): their boxes decide.
        return p_side == 0 && q_side == 0 && Bounds::of(&[p, q]).overlaps(&Bounds::of(&[r, s]));
    }
    r_side != s_side && p_side != q_side
}

/// Whether two closed triangles have a point in common.
#[must_use]
pub fn triangles_meet(first: [Vec3; 3], second: [Vec3; 3]) -> bool {
    let sides = |t: [Vec3; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    Bounds::of(&first).overlaps(&Bounds::of(&second))
        && (sides(first).iter().any(|&(p, q)| segment_meets_triangle(p, q, second))
            || sides(second).iter().any(|&(p, q)| segment_meets_triangle(p, q, first)))
}

/// Whether two triangles of a mesh intersect, apart from the corners and the edge they share. Triangles with the same three
/// corners are duplicates, not an intersection.
fn faces_cross(positions: &[Vec3], first: [u32; 3], second: [u32; 3]) -> bool {
    let at = |v: u32| positions[v as usize];
    let shared = first.iter().filter(|v| second.contains(v)).count();
    // Opposite side or corner: what is left of a triangle without the shared corners.
    let rest = |of: [u32; 3], other: [u32; 3]| of.into_iter().filter(move |v| !other.contains(v));
    match shared {
        0 => triangles_meet(first.map(at), second.map(at)),
        1 => {
            let opposite = |of, other| {
                let mut ends = rest(of, other).map(at);
                Some((ends.next()?, ends.next()?))
            };
            let crosses = |ends: Option<(Vec3, Vec3)>, t: [u32; 3]| {
                ends.is_some_and(|(p, q)| segment_meets_triangle(p, q, t.map(at)))
            };
            crosses(opposite(first, second), second) || crosses(opposite(second, first), first)
        }
        2 => {
            let (Some(a), Some(b)) = (rest(first, second).next(), rest(second, first).next()) else {
                return false;
            };
            let mut common = first.into_iter().filter(|v| second.contains(v));
            let (Some(u), Some(v)) = (common.next(), common.next()) else { return false };
            let (u, v, a, b) = (at(u), at(v), at(a), at(b));
            // Folded flat onto each other: coplanar, with both tips on the same side of the common side.
            let axis = (v - u).cross(&(a - u)).iamax();
            let (of_a, of_b) = (side_in_plane(axis, u, v, a), side_in_plane(axis, u, v, b));
            of_a != 0 && of_a == of_b && side(u, v, a, b) == 0
        }
        _ => false,
    }
}

/// Pairs of intersecting triangles of one surface, ascending, at most `limit` of them.
/// Degenerate triangles are skipped: they are reported as another defect.
///
/// ```
/// use pd_mesh::{Vec3, generate, geometry::intersect};
/// let mut two = generate::sphere(12, 6, 1.0)?;
/// assert!(intersect::self_intersections(&two, 10).is_empty());
/// let mut other = two.clone();
/// other.translate(Vec3::x() * 0.5);
/// let offset = two.positions.len() as u32;
/// two.positions.extend(other.positions);
/// two.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + offset)));
/// assert!(!intersect::self_intersections(&two, 10).is_empty());
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
#[must_use]
pub fn self_intersections(surface: &TriMesh, limit: usize) -> Vec<[u32; 2]> {
    let positions = &surface.positions;
    let sound = |&[a, b, c]: &[u32; 3]| {
        let [x, y, z] = [a, b, c].map(|v| positions[v as usize]);
        a != b && b != c && c != a && (y - x).cross(&(z - x)) != Vec3::zeros()
    };
    let faces: Vec<(u32, [u32; 3])> =
        (0..).zip(surface.triangles.iter().copied()).filter(|(_, corners)| sound(corners)).collect();
    let boxes: Vec<Bounds> =
        faces.iter().map(|(_, corners)| Bounds::of(&corners.map(|v| positions[v as usize]))).collect();
    let bvh = Bvh::new(&boxes);
    let mut pairs = Vec::new();
    for (i, (number, corners)) in faces.iter().enumerate() {
        let mut partners = Vec::new();
        bvh.overlapping(&boxes[i], |j| {
            if j > i && boxes[i].overlaps(&boxes[j]) && faces_cross(positions, *corners, faces[j].1) {
                partners.push(faces[j].0);
            }
            true
        });
        partners.sort_unstable();
        pairs.extend(partners.into_iter().map(|other| [*number, other]));
        if pairs.len() >= limit {
            pairs.truncate(limit);
            break;
        }
    }
    pairs
}
