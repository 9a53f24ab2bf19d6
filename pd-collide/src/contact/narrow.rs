//! One pair of primitives: is it near enough for a plane, for a row?
//!
//! Rows of a vertex that is closest to an edge or a corner of a face are kept only if the direction lies in the offset
//! region of that feature (the offset surface is then smooth: Chen et al. 2025, "Offset Geometric Contact"); of edges only
//! if both closest points are inside. All else is met by another row.

use super::list::ListInput;
use super::pair::{Closest, ContactKind, Pair};
use super::row::{Row, RowKey, pair_key};
use pd_core::{Aabb, Real, Vec3};

/// Sine of the angle by which a direction may lie outside of a feature's region.
const OUTSIDE: Real = 1e-3;

/// Bounds of where a plane between two moving primitives may lie, as parts of their separation.
const SPLIT: (Real, Real) = (0.1, 0.9);

/// By how much of the length between them vertices of one primitive may be carried differently for its shape to be taken where
/// they are carried to.
const COHERENT: Real = 0.1;

/// Part of the separation that a primitive that is not pushed leaves to the other.
const YIELD: Real = 1e-3;

/// What all pairs share.
pub(crate) struct Frame<'a> {
    pub(crate) input: &'a ListInput<'a>,
    pub(crate) reach: &'a [Real],
    pub(crate) region: &'a [Aabb],
    pub(crate) reference: &'a [Vec3],
    /// Whether reaches are measured from the start, wherever the references are.
    pub(crate) wide: bool,
}

impl Frame<'_> {
    fn bodies(&self, pair: &Pair) -> [u32; 2] {
        [0, pair.kind.first()].map(|k| self.input.surface.body[pair.v[k] as usize])
    }

    /// Distance at rest, if the pair belongs to one body and it is known.
    fn rest(&self, pair: &Pair) -> Real {
        let (rest, [a, b]) = (&self.input.surface.rest, self.bodies(pair));
        if a == b && !rest.is_empty() { pair.closest(rest).separation.norm() } else { Real::INFINITY }
    }

    /// Whether a vertex of the pair has its reference elsewhere than it started.
    fn is_carried(&self, pair: &Pair) -> bool {
        pair.v.iter().any(|&v| self.reference[v as usize] != self.input.start[v as usize])
    }

    /// Where rows are made: at the references, unless vertices of one primitive were carried so differently that it has another
    /// shape there; then at the start.
    fn place(&self, pair: &Pair) -> &[Vec3] {
        let (x, c) = (self.input.start, self.reference);
        let m = pair.kind.first();
        let moved = |v: u32| c[v as usize] - x[v as usize];
        let coherent = |v: &[u32]| {
            v[1..].iter().all(|&o| {
                let edge = x[o as usize] - x[v[0] as usize];
                (moved(o) - moved(v[0])).norm_squared() <= COHERENT * COHERENT * edge.norm_squared()
            })
        };
        if coherent(&pair.v[..m]) && coherent(&pair.v[m..]) { c } else { x }
    }

    /// How far a vertex can go against n from its reference.
    #[inline]
    fn fall(&self, v: u32, n: &Vec3) -> Real {
        let (c, r) = (&self.reference[v as usize], &self.region[v as usize]);
        let along = |a: usize| (n[a] * (c[a] - r.min[a])).max(n[a] * (c[a] - r.max[a]));
        along(0) + along(1) + along(2)
    }

    /// How much the primitives of a pair can come together along n.
    fn approach(&self, pair: &Pair, n: &Vec3) -> Real {
        let m = pair.kind.first();
        let back = -n;
        let first = pair.v[..m].iter().map(|&v| self.fall(v, n)).fold(0.0, Real::max);
        first + pair.v[m..].iter().map(|&v| self.fall(v, &back)).fold(0.0, Real::max)
    }

    /// Largest reach of these vertices.
    fn most(&self, v: &[u32]) -> Real {
        v.iter().map(|&v| self.reach[v as usize]).fold(0.0, Real::max)
    }
}

/// What was found out about a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub(crate) plane: Option<Plane>,
    /// Bit j: vertex j of the pair could leave its side.
    pub(crate) sides: u8,
    /// Bit j: vertex j belongs to the closest features.
    pub(crate) support: u8,
    /// Whether it has a row.
    pub(crate) row: bool,
    pub(crate) uncertified: bool,
}

/// n·(x − first corner) = w with the first primitive above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    n: Vec3,
    w: Real,
    /// Least gap that each side leaves, m.
    pub(crate) floor: Real,
}

impl Plane {
    /// The half-space of the vertex in this slot; `corner` is the reference of the first vertex.
    pub(crate) fn side(&self, slot: usize, kind: ContactKind, corner: &Vec3) -> (Vec3, Real) {
        let w = self.w + self.n.dot(corner);
        if slot < kind.first() { (self.n, w) } else { (-self.n, -w) }
    }
}

/// Whether the primitives could come within their rest distance.
pub(crate) fn is_near(frame: &Frame<'_>, pair: &Pair) -> bool {
    let (surface, start) = (frame.input.surface, frame.input.start);
    let (p, q) = pair.v.split_at(pair.kind.first());
    let thickness = surface.thickness(surface.body[p[0] as usize], surface.body[q[0] as usize]);
    let separation = pair.closest(start).separation;
    let d = separation.norm();
    if frame.is_carried(pair) && frame.wide {
        // The references may yet be moved back.
        return d <= frame.most(p) + frame.most(q) + thickness;
    }
    if d <= thickness {
        return true;
    }
    // Along the direction at the start they stay apart all the way if they are so at its end.
    let n = separation / d;
    let (low, high) = if frame.is_carried(pair) { pair.extent(frame.reference, &n) } else { (d, 0.0) };
    low - high <= frame.approach(pair, &n) + thickness
}

pub(crate) fn examine(frame: &Frame<'_>, pair: &Pair) -> Found {
    let input = frame.input;
    let carried = frame.is_carried(pair);
    let closest = pair.closest(frame.reference);
    let d = closest.separation.norm();
    let mut found = Found::default();
    let apart = d > 0.0 && d > frame.approach(pair, &(closest.separation / d));
    if carried || !apart {
        match separate(frame, pair, &closest, d) {
            // Farther apart than they can come: no plane needed.
            Some((n, low, high)) if low - high > frame.approach(pair, &n) => {}
            Some((n, low, high)) => {
                let bodies = frame.bodies(pair);
                let thickness = input.surface.thickness(bodies[0], bodies[1]);
                let floor = input.options.floor * thickness.min(frame.rest(pair));
                let plane = split(frame, pair, n, low, high, floor);
                found.sides = sides(frame, pair, &plane);
                found.plane = Some(plane);
            }
            None => {
                found.uncertified = true;
                return found;
            }
        }
    }
    let place = frame.place(pair);
    let closest = if carried { pair.closest(place) } else { closest };
    found.support = closest.support;
    found.row = has_row(frame, pair, &closest, closest.separation.norm());
    found
}

/// Vertices that could leave their side within their reach.
fn sides(frame: &Frame<'_>, pair: &Pair, plane: &Plane) -> u8 {
    let corner = frame.reference[pair.v[0] as usize];
    let mut bits = 0;
    for (slot, &v) in pair.v.iter().enumerate() {
        let i = v as usize;
        let (n, w) = plane.side(slot, pair.kind, &corner);
        let room = n.dot(&frame.reference[i]) - w;
        let keep = keep_of(room, plane.floor, frame.input.options.keep);
        bits |= u8::from(!frame.input.surface.kinematic[i] && room - keep < frame.fall(v, &n)) << slot;
    }
    bits
}

/// How much of the room to a plane stays unused.
pub(crate) fn keep_of(room: Real, floor: Real, part: Real) -> Real {
    (part * room).max(room.min(floor))
}

/// A direction with the first primitive above and the second below, and their extents along it.
fn separate(frame: &Frame<'_>, pair: &Pair, closest: &Closest, d: Real) -> Option<(Vec3, Real, Real)> {
    let (x, start) = (frame.reference, frame.input.start);
    let corners = pair.corners(x);
    let size = corners.iter().map(|c| c.amax()).fold(0.0, Real::max);
    let apart = |(low, high): (Real, Real)| low - high > 64.0 * Real::EPSILON * size;
    let carried = frame.is_carried(pair);
    let certain = |n: Vec3| {
        let (low, high) = pair.extent(x, &n);
        // On the way from the start to the reference the plane moves along, so it must part the two at both ends.
        let both = apart((low, high)) && (!carried || apart(pair.extent(start, &n)));
        both.then_some((n, low, high))
    };
    let direct = if d > 0.0 { certain(closest.separation / d) } else { None };
    let first = || {
        let separation = if carried { pair.closest(start).separation } else { Vec3::zeros() };
        let d = separation.norm();
        if d > 0.0 { certain(separation / d) } else { None }
    };
    direct.or_else(first).or_else(|| {
        let width = |(_, low, high): &(Vec3, Real, Real)| low - high;
        let passing = if carried { pair.passing(&pair.corners(start), &corners) } else { None };
        let axes = pair.axes(x).chain(pair.axes(start)).chain(passing);
        axes.filter_map(certain).max_by(|a, b| width(a).total_cmp(&width(b)))
    })
}

/// Where in the gap the plane lies: the side that comes faster gets more of it.
fn split(frame: &Frame<'_>, pair: &Pair, n: Vec3, low: Real, high: Real, floor: Real) -> Plane {
    let input = frame.input;
    let (still_p, still_q) = pair.kinematic(input.surface);
    let m = pair.kind.first();
    let motion = |k: usize| n.dot(&(input.target[pair.v[k] as usize] - frame.reference[pair.v[k] as usize]));
    let down = (0..m).map(|k| -motion(k)).fold(0.0, Real::max);
    let up = (m..4).map(motion).fold(0.0, Real::max);
    let part = if still_q {
        YIELD
    } else if still_p {
        1.0 - YIELD
    } else if down + up > 0.0 {
        (up / (down + up)).clamp(SPLIT.0, SPLIT.1)
    } else {
        0.5
    };
    let floor = if still_p || still_q { floor } else { 0.5 * floor };
    Plane { n, w: high + part * (low - high), floor }
}

fn has_row(frame: &Frame<'_>, pair: &Pair, closest: &Closest, d: Real) -> bool {
    let inside = d > 0.0
        && match pair.kind {
            ContactKind::EdgeEdge => closest.support == 0b1111,
            _ => faces(frame, pair, closest, d, false),
        };
    let pushed = |k: usize| closest.support >> k & 1 == 1 && frame.input.compliance[pair.v[k] as usize] > 0.0;
    // A surface that is not pushed keeps its shape, so its features meet only what lies before their own faces: a seam within a
    // flat floor has no normal of its own on which something could be caught.
    let (still_p, still_q) = pair.kinematic(frame.input.surface);
    let edges = pair.kind == ContactKind::EdgeEdge;
    inside
        && (0..4).any(pushed)
        && (!still_p || faces(frame, pair, closest, d, true))
        && (!(still_q && edges) || faces(frame, pair, closest, d, false))
}

/// Key of the row of a pair whose closest features these are.
pub(crate) fn row_key(pair: &Pair, support: u8) -> RowKey {
    pair_key(pair.kind, pair.v, support)
}

/// The row of a pair that has one.
pub(crate) fn row(frame: &Frame<'_>, pair: &Pair) -> Row {
    let input = frame.input;
    let options = input.options;
    let closest = pair.closest(frame.place(pair));
    let edges = pair.kind == ContactKind::EdgeEdge;
    let bodies = frame.bodies(pair);
    let mut offset = input.surface.thickness(bodies[0], bodies[1]);
    if edges && smooth(frame, pair, 0) && smooth(frame, pair, 2) {
        offset *= options.edge_offset;
    }
    // Parts of one body that are near at rest may be near.
    offset = offset.min(0.5 * frame.rest(pair));
    let (mut vertices, weights) = (pair.v, closest.weights);
    let mut compliance = 0.0;
    for k in 0..4 {
        if weights[k] == 0.0 {
            vertices[k] = vertices[0];
        } else {
            compliance += weights[k] * weights[k] * input.compliance[pair.v[k] as usize];
        }
    }
    let normal = closest.separation.normalize();
    let corner = frame.reference[pair.v[0] as usize];
    let along = |k: usize| normal.dot(&(frame.reference[pair.v[k] as usize] - corner)) * weights[k];
    let gap = (1..4).map(along).sum::<Real>();
    Row {
        key: row_key(pair, closest.support),
        kind: pair.kind,
        vertices,
        weights,
        normal,
        gap: gap - offset,
        offset,
        stiffness: if edges { options.edge_stiffness } else { options.stiffness } / compliance,
        drift: Vec3::zeros(),
        bodies,
    }
}

/// Whether the edge in these slots is a smooth one between faces that are pushed.
fn smooth(frame: &Frame<'_>, pair: &Pair, slot: usize) -> bool {
    let surface = frame.input.surface;
    let edge = [pair.v[slot], pair.v[slot + 1]];
    !surface.kinematic[edge[0] as usize]
        && surface.edges.binary_search(&edge).is_ok_and(|number| surface.smooth[number])
}

/// Whether the direction from the closest feature of the first or the second primitive to the other is one of that feature's own: no
/// neighbour of it is nearer.
fn faces(frame: &Frame<'_>, pair: &Pair, closest: &Closest, d: Real, first: bool) -> bool {
    let (surface, x) = (frame.input.surface, frame.place(pair));
    let m = pair.kind.first();
    let (slots, out) = if first { (0..m, -closest.separation) } else { (m..4, closest.separation) };
    let (mut feature, mut corners) = ([0; 3], 0);
    for k in slots.filter(|k| closest.support >> k & 1 == 1) {
        feature[corners] = pair.v[k];
        corners += 1;
    }
    let beyond = |way: Vec3| way.dot(&out) > OUTSIDE * way.norm() * d;
    match corners {
        1 => {
            let a = x[feature[0] as usize];
            !surface.neighbours.of(feature[0] as usize).iter().any(|&o| beyond(x[o as usize] - a))
        }
        2 => {
            let edge = [feature[0].min(feature[1]), feature[0].max(feature[1])];
            let a = x[edge[0] as usize];
            let along = (x[edge[1] as usize] - a).normalize();
            let Ok(number) = surface.edges.binary_search(&edge) else { return true };
            !surface.opposite.of(number).iter().any(|&o| {
                let inward = x[o as usize] - a;
                beyond(inward - along * along.dot(&inward))
            })
        }
        _ => true,
    }
}
