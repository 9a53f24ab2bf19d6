//! Crossing triangles of a mesh.
//!
//! Triangles without a common vertex cross if they have a point in common. Those with one common vertex always have
//! that point in common; they cross if the edge opposite to it, of either, meets the other triangle. (Any overlap is a
//! set of rays from the common vertex; follow one of them until it leaves the first of the two triangles: it does so
//! through the opposite edge, inside the other.) Triangles with a common edge are neighbours on the surface, and are
//! left out: they can overlap only when folded by exactly 180°.

use super::{segment_meets_triangle, triangles_meet};
use pd_core::{Vec3, exec};

/// The pairs of triangles, among the candidates, that cross: sorted, each once, the lower index first.
///
/// `candidates` are pairs of triangles from any broad phase; what it leaves out must be known to be apart. Pairs of a
/// triangle with itself are ignored. The work is shared by the threads of the pool that this runs in.
///
/// # Panics
/// If a candidate names no triangle or a triangle no vertex.
pub fn mesh_intersections(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    candidates: &[[u32; 2]],
) -> Vec<[u32; 2]> {
    let mut crossing: Vec<(bool, [u32; 2])> =
        candidates.iter().map(|[a, b]| (false, [*a.min(b), *a.max(b)])).collect();
    exec::for_each_chunk(&mut crossing, exec::ELEMENT_CHUNK, |_, chunk| {
        for (found, [a, b]) in chunk {
            *found = a != b && triangles_cross(positions, triangles[*a as usize], triangles[*b as usize]);
        }
    });
    let mut pairs: Vec<[u32; 2]> =
        crossing.into_iter().filter_map(|(found, pair)| found.then_some(pair)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether two triangles of a mesh, given by their vertices, cross in the sense above.
///
/// # Panics
/// If a triangle names no vertex.
pub fn triangles_cross(positions: &[Vec3], first: [u32; 3], second: [u32; 3]) -> bool {
    let points = |triangle: [u32; 3]| triangle.map(|v| &positions[v as usize]);
    let (a, b) = (points(first), points(second));
    if !boxes_meet(&a, &b) {
        return false;
    }
    let mut common =
        (0..3).flat_map(|j| (0..3).map(move |k| (j, k))).filter(|(j, k)| first[*j] == second[*k]);
    match (common.next(), common.next()) {
        (None, _) => triangles_meet(a, b),
        (Some((j, k)), None) => {
            let opposite =
                |t: &[&'_ Vec3; 3], corner: usize| [(corner + 1) % 3, (corner + 2) % 3].map(|c| *t[c]);
            let (of_a, of_b) = (opposite(&a, j), opposite(&b, k));
            segment_meets_triangle([&of_a[0], &of_a[1]], b) || segment_meets_triangle([&of_b[0], &of_b[1]], a)
        }
        _ => false,
    }
}

/// Whether the bounding boxes have a point in common: exact, and cheaper than any predicate.
fn boxes_meet(a: &[&Vec3; 3], b: &[&Vec3; 3]) -> bool {
    let least = |t: &[&Vec3; 3], k: usize| t[0][k].min(t[1][k]).min(t[2][k]);
    let most = |t: &[&Vec3; 3], k: usize| t[0][k].max(t[1][k]).max(t[2][k]);
    (0..3).all(|k| least(a, k) <= most(b, k) && least(b, k) <= most(a, k))
}
