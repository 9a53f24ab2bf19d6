//! From inside and outside to tetrahedra: cut the edges, move points onto cuts that lie too close, fill the stencils.

use super::Body;
use super::field::Field;
use super::lattice::{Lattice, STEPS, edge_key};
use super::stencil::{Corner, fill};
use crate::quality::dihedral_angles;
use crate::{TetMesh, Vec3};

/// A cut nearer to a point than this fraction of its edge moves the point. The values make the worst dihedral angle over
/// all stencils as good as it gets with the diagonals chosen here.
const LONG_FRACTION: f64 = 0.275;
const SHORT_FRACTION: f64 = 0.41;

/// The bound for edges of this step.
pub(super) fn least_fraction(step: usize) -> f64 {
    if step < 3 { LONG_FRACTION } else { SHORT_FRACTION }
}

/// Smallest distance of a dihedral angle from 0 or π, in radians.
pub(super) fn least_angle(x: [Vec3; 4]) -> f64 {
    let from_flat = |angle: f64| angle.min(std::f64::consts::PI - angle);
    dihedral_angles(x).into_iter().map(from_flat).fold(f64::INFINITY, f64::min)
}

/// An edge from inside to outside.
#[derive(Clone, Copy)]
struct CutEdge {
    key: u64,
    inside: u32,
    outside: u32,
    /// Fraction from the inside point.
    fraction: f64,
}

/// The solid of one lattice.
pub(super) fn stuff(body: &Body<'_>, field: &Field) -> TetMesh {
    let lattice = &field.lattice;
    let cuts = cut_edges(body, field);
    let moved = move_points(&cuts, lattice);
    let mut signs = field.signs();
    for &(point, _) in &moved {
        signs[point as usize] = 0;
    }
    let mut output = Output { field, signs: &signs, cuts: &cuts, moved: &moved, tets: Vec::new() };
    for corner in lattice.corner_points() {
        output.tets_at(corner);
    }
    output.finish()
}

/// All cut edges, ascending by key.
fn cut_edges(body: &Body<'_>, field: &Field) -> Vec<CutEdge> {
    let mut cuts = Vec::new();
    for inside in field.inside_points() {
        for (key, outside, leaves_inside, _) in field.lattice.neighbours(inside) {
            if field.sign(outside) < 0 {
                let fraction = field.cut_fraction(body, key, inside, outside, leaves_inside);
                cuts.push(CutEdge { key, inside, outside, fraction });
            }
        }
    }
    cuts.sort_unstable_by_key(|cut| cut.key);
    cuts
}

/// Points that lie on the surface after the move, ascending, with their new positions.
type Moved = Vec<(u32, Vec3)>;

fn is_moved(moved: &Moved, point: u32) -> Option<Vec3> {
    moved.binary_search_by_key(&point, |&(other, _)| other).ok().map(|i| moved[i].1)
}

/// Visits points in ascending order; a point with cuts too close moves to the nearest of them. The edges of a moved point
/// are cut no more, which may spare its neighbours the move.
fn move_points(cuts: &[CutEdge], lattice: &Lattice) -> Moved {
    let mut points: Vec<u32> = cuts.iter().flat_map(|cut| [cut.inside, cut.outside]).collect();
    points.sort_unstable();
    points.dedup();
    let mut moved = Moved::new();
    for point in points {
        let mut best: Option<(f64, Vec3)> = None;
        for (key, other, _, step) in lattice.neighbours(point) {
            let Ok(i) = cuts.binary_search_by_key(&key, |cut| cut.key) else { continue };
            if is_moved(&moved, other).is_some() {
                continue;
            }
            let cut = &cuts[i];
            let fraction = if cut.inside == point { cut.fraction } else { 1.0 - cut.fraction };
            let length = if step < 3 { 1.0 } else { 0.75f64.sqrt() };
            if fraction < least_fraction(step) && best.is_none_or(|(least, _)| fraction * length < least) {
                best = Some((fraction * length, position(cut, lattice)));
            }
        }
        if let Some((_, x)) = best {
            moved.push((point, x));
        }
    }
    moved
}

/// Position of a cut.
fn position(cut: &CutEdge, lattice: &Lattice) -> Vec3 {
    let (from, to) = (lattice.position(cut.inside), lattice.position(cut.outside));
    from + (to - from) * cut.fraction
}

/// A vertex of the result before numbering: a lattice point, or a cut by its place in the list.
type Vertex = (bool, u32);

struct Output<'a> {
    field: &'a Field,
    /// 1 inside, −1 outside, 0 on the surface after the move.
    signs: &'a [i8],
    cuts: &'a [CutEdge],
    moved: &'a Moved,
    tets: Vec<[Vertex; 4]>,
}

impl Output<'_> {
    /// The twelve lattice tetrahedra at the three long edges that leave one corner point.
    fn tets_at(&mut self, corner: u32) {
        let lattice = &self.field.lattice;
        let at = lattice.coordinates(corner);
        for axis in 0..3 {
            let Some(end) = lattice.step(corner, axis) else { continue };
            // The four centres around the edge, in turn.
            let around = |b: i64, c: i64| {
                let mut centre = at;
                centre[axis] += 1;
                centre[(axis + 1) % 3] += b;
                centre[(axis + 2) % 3] += c;
                lattice.point(centre)
            };
            let [Some(p), Some(q), Some(r), Some(s)] =
                [around(1, 1), around(-1, 1), around(-1, -1), around(1, -1)]
            else {
                continue;
            };
            let outside = |v: u32| self.signs[v as usize] <= 0;
            if [corner, end, p, q, r, s].into_iter().all(outside) {
                continue;
            }
            for (from, to) in [(p, q), (q, r), (r, s), (s, p)] {
                self.tet([corner, end, from, to]);
            }
        }
    }

    /// What of one lattice tetrahedron lies inside.
    fn tet(&mut self, points: [u32; 4]) {
        let Self { field, cuts, moved, .. } = *self;
        let signs = points.map(|v| self.signs[v as usize]);
        if !signs.contains(&1) {
            return;
        }
        if !signs.contains(&-1) {
            self.tets.push(points.map(|point| (false, point)));
            return;
        }
        let vertex = |corner: Corner| match corner {
            Corner::Node(i) => (false, points[i]),
            Corner::Cut(i, j) => (true, cut_between(cuts, &field.lattice, points[i], points[j])),
        };
        let place = |corner: Corner| match vertex(corner) {
            (false, point) => is_moved(moved, point).unwrap_or_else(|| field.lattice.position(point)),
            (true, cut) => position(&cuts[cut as usize], &field.lattice),
        };
        // Along an axis every second point of a cubic lattice comes first.
        let parity = |v: u32| field.lattice.coordinates(v).iter().map(|c| c >> 1).sum::<i64>() & 1 == 0;
        let order = points.map(parity);
        let quality = |corners: [Corner; 4]| least_angle(corners.map(place));
        let tets = &mut self.tets;
        fill(signs, order, quality, |corners| tets.push(corners.map(vertex)));
    }

    /// Numbers the vertices in ascending order, lattice points first.
    fn finish(self) -> TetMesh {
        let mut used: Vec<Vertex> = self.tets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let lattice = &self.field.lattice;
        let place = |&(is_cut, number): &Vertex| {
            if is_cut {
                position(&self.cuts[number as usize], lattice)
            } else {
                is_moved(self.moved, number).unwrap_or_else(|| lattice.position(number))
            }
        };
        let positions = used.iter().map(place).collect();
        // Every vertex is in `used`, so the search finds it.
        let number = |v: Vertex| used.binary_search(&v).unwrap_or_default() as u32;
        let tets = self.tets.iter().map(|corners| corners.map(number)).collect();
        TetMesh { positions, tets }
    }
}

/// Place in the list of the cut between two neighbouring points.
fn cut_between(cuts: &[CutEdge], lattice: &Lattice, a: u32, b: u32) -> u32 {
    let (from, to) = (lattice.coordinates(a), lattice.coordinates(b));
    let difference = [0, 1, 2].map(|axis| to[axis] - from[axis]);
    let key = match STEPS.iter().position(|&step| step == difference) {
        Some(step) => edge_key(a, step),
        None => STEPS
            .iter()
            .position(|step| step.map(|c| -c) == difference)
            .map_or(u64::MAX, |step| edge_key(b, step)),
    };
    // A stencil asks only for edges between inside and outside, and all of these are in the list.
    cuts.binary_search_by_key(&key, |cut| cut.key).unwrap_or_default() as u32
}
