//! The contact list: all pairs of primitives that could meet, made at positions x_b for a motion towards t.
//!
//! It is a pure function of these and of the model, so it can be dropped and made again at any time. A pair is left out
//! only if, with every vertex in its region, its primitives stay apart on the way from x_b: that is, if the distance at x_b
//! exceeds how far the two can come (`carry.rs` has what holds where some vertices are moved and not pushed). Pairs that are kept get a plane (`guard.rs`), and those that are near a row (`row.rs`).

use super::guard::{Guard, HalfSpace};
use super::narrow::{Found, Frame, examine, is_near, row};
use super::options::ContactOptions;
use super::pair::{ContactKind, Pair};
use super::row::{Row, key};
use super::surface::{ContactSurface, NONE};
use crate::broad::{BroadPhase, FixedBvh, overlap};
use crate::intersect::triangles_cross;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, Collider, Real, Surface, Vec3};
use rayon::prelude::*;

/// Times that the list is made again because vertices that are pushed are carried along by those that are not.
const CARRIES: usize = 2;

/// Pairs examined by one task.
const PAIR_CHUNK: usize = 512;

/// What a list is made from.
#[derive(Clone, Copy)]
pub struct ListInput<'a> {
    /// The surface.
    pub surface: &'a ContactSurface,
    /// Choices.
    pub options: &'a ContactOptions,
    /// 1/A_ii by vertex; zero for one that is not pushed.
    pub compliance: &'a [Real],
    /// Where vertices are: free of intersections, m.
    pub start: &'a [Vec3],
    /// Where they want to go, m.
    pub target: &'a [Vec3],
    /// Factor of the reach.
    pub scale: Real,
    /// Least reach, m.
    pub least_reach: Real,
    /// Obstacles by signed distance.
    pub obstacles: &'a [Box<dyn Collider>],
    /// Time at the end of the step, s.
    pub time: Real,
    /// Pairs of bodies that do not see each other for now, sorted, beside those of the surface.
    pub ignored: &'a [[u32; 2]],
}

/// Sizes of a list, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListSize {
    /// Pairs of triangles whose boxes overlap.
    pub triangle_pairs: usize,
    /// Vertex–face and edge–edge pairs whose boxes overlap.
    pub candidates: usize,
    /// Those near enough to have a plane.
    pub pairs: usize,
    /// Contact rows.
    pub rows: usize,
    /// Half-spaces stored.
    pub planes: usize,
    /// Pairs for which no plane could be found; their vertices stay.
    pub uncertified: usize,
}

/// Room of the arrays of a list, in entries for each triangle of the surface and beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListCapacity {
    /// Pairs of triangles, and of primitives whose boxes overlap.
    pub candidates: usize,
    /// Pairs of primitives that are kept.
    pub pairs: usize,
    /// Rows.
    pub rows: usize,
    /// Half-spaces.
    pub planes: usize,
}

impl ListCapacity {
    /// Enough for a surface of this many triangles over so many vertices in ordinary motion.
    pub fn usual(triangles: usize, vertices: usize) -> Self {
        let (candidates, pairs) = (40 * triangles + 1024, 12 * triangles + 1024);
        Self { candidates, pairs, rows: pairs / 2 + vertices, planes: 4 * pairs + vertices }
    }

    /// Whether a list of this size has room.
    pub fn holds(&self, size: &ListSize) -> bool {
        let candidates = size.candidates.max(size.triangle_pairs);
        candidates <= self.candidates
            && size.pairs <= self.pairs
            && size.rows <= self.rows
            && size.planes <= self.planes
    }

    /// At least what a list turned out to need, and half as much more.
    pub fn grow(&mut self, need: &ListSize) {
        let more = |have: &mut usize, need: usize| {
            if need > *have {
                *have = need + need / 2;
            }
        };
        more(&mut self.candidates, need.candidates.max(need.triangle_pairs));
        more(&mut self.pairs, need.pairs);
        more(&mut self.rows, need.rows);
        more(&mut self.planes, need.planes);
    }
}

/// The list and scratch to make it.
#[derive(Default)]
pub struct ContactList {
    /// Where each vertex may go.
    pub guard: Guard,
    /// Rows sorted by key.
    pub rows: Vec<Row>,
    /// Sizes of the last list.
    pub size: ListSize,
    /// Part of their way that vertices which are not pushed may go: less than 1 where they would crush something.
    pub fraction: Real,
    pub(super) carry: Vec<Vec3>,
    tree: FixedBvh,
    boxes: Vec<Aabb>,
    edge_boxes: Vec<Aabb>,
    reach: Vec<Real>,
    triangle_pairs: Vec<[u32; 2]>,
    pub(super) candidates: Vec<Pair>,
    kept: Vec<usize>,
    found: Vec<Found>,
    row_pairs: Vec<u32>,
    surfaces: Vec<Surface>,
    frozen: Vec<bool>,
    next: Vec<u32>,
}

impl ContactList {
    /// Makes room for lists of a surface.
    pub fn prepare(&mut self, surface: &ContactSurface, capacity: &ListCapacity, obstacles: usize) {
        let n = surface.vertices();
        // The tree is shaped by the first positions it sees.
        *self = Self::default();
        self.boxes.resize(surface.triangles.len(), Aabb::everything());
        self.edge_boxes.resize(surface.edges.len(), Aabb::everything());
        self.triangle_pairs.reserve(capacity.candidates);
        self.candidates.reserve(capacity.candidates);
        self.kept.reserve(capacity.candidates.div_ceil(PAIR_CHUNK));
        self.found.reserve(capacity.pairs);
        self.row_pairs.reserve(capacity.rows);
        self.rows.reserve(capacity.rows);
        self.guard.planes.reserve(capacity.planes);
        self.guard.reference.resize(n, Vec3::zeros());
        self.guard.region.resize(n, Aabb::everything());
        self.guard.safe.resize(n, 0.0);
        self.guard.offsets.resize(n + 1, 0);
        self.surfaces.resize(if obstacles > 0 { n } else { 0 }, Surface::default());
        self.carry.resize(n, Vec3::zeros());
        self.reach.resize(n, 0.0);
        self.frozen.resize(n, false);
        self.next.resize(n + 1, 0);
    }

    /// Makes the list.
    pub fn build(&mut self, input: &ListInput<'_>) {
        self.size = ListSize::default();
        let moving = self.start_carry(input);
        for pass in 0..=if moving { CARRIES } else { 0 } {
            self.place_regions(input);
            self.place_boxes(input);
            self.tree.refit(&self.boxes);
            self.tree.self_pairs(&mut self.triangle_pairs);
            self.size.triangle_pairs = self.triangle_pairs.len();
            self.collect_candidates(input);
            self.drop_far(input);
            if !moving || pass == CARRIES || !self.carry_along(input) {
                break;
            }
        }
        self.fraction = if moving { self.limit_carry(input) } else { 1.0 };
        for (reference, carry) in self.guard.reference.iter_mut().zip(&self.carry) {
            *reference += carry * self.fraction;
        }
        self.examine_candidates(input);
        self.collect_rows(input);
        self.collect_planes(input);
    }

    /// Pairs of triangles that cross at positions x, among those of bodies that see each other; `each` gets their numbers.
    pub fn crossings(&mut self, input: &ListInput<'_>, x: &[Vec3], mut each: impl FnMut(usize, usize)) {
        let surface = input.surface;
        for (k, t) in surface.triangles.iter().enumerate() {
            let [a, b, c] = t.map(|v| x[v as usize]);
            self.boxes[k] = Aabb { min: a.inf(&b).inf(&c), max: a.sup(&b).sup(&c) };
        }
        self.tree.refit(&self.boxes);
        self.tree.self_pairs(&mut self.triangle_pairs);
        for &[f, g] in &self.triangle_pairs {
            let (a, b) = (surface.triangles[f as usize], surface.triangles[g as usize]);
            let bodies = [surface.body[a[0] as usize], surface.body[b[0] as usize]];
            let still = |t: &[u32; 3]| t.iter().all(|&v| surface.kinematic[v as usize]);
            if !(still(&a) && still(&b))
                && surface.sees(bodies[0], bodies[1])
                && !ignored(input, bodies[0], bodies[1])
                && triangles_cross(x, a, b)
            {
                each(f as usize, g as usize);
            }
        }
    }

    /// Regions, references and how far each vertex may be from its place at the start.
    fn place_regions(&mut self, input: &ListInput<'_>) {
        let ListInput { surface, options, start, target, .. } = *input;
        self.guard.reference.copy_from_slice(start);
        let mut largest: Real = 0.0;
        for i in 0..surface.vertices() {
            let (x, t, carry) = (start[i], target[i], self.carry[i]);
            let way = (t - x).norm();
            let stray = if surface.kinematic[i] {
                1e-9
            } else {
                let rho = (options.reach * surface.thickness_of(i)).max(input.least_reach);
                input.scale * rho + 0.25 * way
            };
            let (r, carried) = (Vec3::repeat(stray), x + carry);
            self.guard.region[i] =
                Aabb { min: x.inf(&t).inf(&carried) - r, max: x.sup(&t).sup(&carried) + r };
            self.reach[i] = way + 2.0 * carry.norm() + 1.7320508 * stray;
            largest = largest.max(x.amax());
        }
        self.guard.rounding = 8.0 * Real::EPSILON * largest;
    }

    fn place_boxes(&mut self, input: &ListInput<'_>) {
        let surface = input.surface;
        let region = &self.guard.region;
        let around = |v: &[u32]| {
            let first = region[v[0] as usize];
            let hull = v[1..].iter().fold(first, |hull, &v| {
                let other = &region[v as usize];
                Aabb { min: hull.min.inf(&other.min), max: hull.max.sup(&other.max) }
            });
            let half = Vec3::repeat(0.5 * surface.thickness_of(v[0] as usize));
            Aabb { min: hull.min - half, max: hull.max + half }
        };
        exec::for_each_chunk(&mut self.boxes, VERTEX_CHUNK, |first, boxes| {
            for (k, b) in boxes.iter_mut().enumerate() {
                *b = around(&surface.triangles[first + k]);
            }
        });
        exec::for_each_chunk(&mut self.edge_boxes, VERTEX_CHUNK, |first, boxes| {
            for (k, b) in boxes.iter_mut().enumerate() {
                *b = around(&surface.edges[first + k]);
            }
        });
    }

    /// Vertex–face and edge–edge pairs whose boxes overlap, each once.
    fn collect_candidates(&mut self, input: &ListInput<'_>) {
        let surface = input.surface;
        self.candidates.clear();
        for &[f, g] in &self.triangle_pairs {
            let (f, g) = (f as usize, g as usize);
            let (a, b) = (&surface.triangles[f], &surface.triangles[g]);
            let (body_a, body_b) = (surface.body[a[0] as usize], surface.body[b[0] as usize]);
            let still = |t: &[u32; 3]| t.iter().all(|&v| surface.kinematic[v as usize]);
            if still(a) && still(b) || !surface.sees(body_a, body_b) || ignored(input, body_a, body_b) {
                continue;
            }
            for (own, other, around) in [(f, b, &self.boxes[g]), (g, a, &self.boxes[f])] {
                for k in 0..3 {
                    let v = surface.triangles[own][k];
                    if surface.speaks[own] >> k & 1 == 1
                        && !other.contains(&v)
                        && overlap(&self.guard.region[v as usize], around)
                    {
                        let v = [v, other[0], other[1], other[2]];
                        self.candidates.push(Pair { v, kind: ContactKind::VertexFace });
                    }
                }
            }
            for k in 0..3 {
                let e = surface.triangle_edges[f][k];
                if surface.speaks[f] >> (k + 3) & 1 == 0 {
                    continue;
                }
                let p = surface.edges[e as usize];
                for l in 0..3 {
                    let o = surface.triangle_edges[g][l];
                    let q = surface.edges[o as usize];
                    let shared = p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
                    if surface.speaks[g] >> (l + 3) & 1 == 0
                        || shared
                        || !overlap(&self.edge_boxes[e as usize], &self.edge_boxes[o as usize])
                    {
                        continue;
                    }
                    let (p, q) = if e < o { (p, q) } else { (q, p) };
                    let v = [p[0], p[1], q[0], q[1]];
                    self.candidates.push(Pair { v, kind: ContactKind::EdgeEdge });
                }
            }
        }
        self.size.candidates = self.candidates.len();
    }

    /// Drops candidates that are too far apart: in every chunk first, then the chunks are moved together.
    fn drop_far(&mut self, input: &ListInput<'_>) {
        let frame = Frame { input, reach: &self.reach, reference: &self.guard.reference };
        self.kept.clear();
        self.kept.resize(self.candidates.len().div_ceil(PAIR_CHUNK), 0);
        self.candidates.par_chunks_mut(PAIR_CHUNK).zip(&mut self.kept).for_each(|(chunk, kept)| {
            let mut end = 0;
            for k in 0..chunk.len() {
                if is_near(&frame, &chunk[k]) {
                    chunk[end] = chunk[k];
                    end += 1;
                }
            }
            *kept = end;
        });
        let mut end = 0;
        for (k, &kept) in self.kept.iter().enumerate() {
            let first = k * PAIR_CHUNK;
            self.candidates.copy_within(first..first + kept, end);
            end += kept;
        }
        self.candidates.truncate(end);
    }

    fn examine_candidates(&mut self, input: &ListInput<'_>) {
        let frame = Frame { input, reach: &self.reach, reference: &self.guard.reference };
        self.found.clear();
        self.found.resize(self.candidates.len(), Found::default());
        let candidates = &self.candidates;
        exec::for_each_chunk(&mut self.found, PAIR_CHUNK, |first, found| {
            for (k, found) in found.iter_mut().enumerate() {
                *found = examine(&frame, &candidates[first + k]);
            }
        });
        self.frozen.fill(false);
        self.row_pairs.clear();
        for (k, (found, pair)) in self.found.iter().zip(&self.candidates).enumerate() {
            if found.uncertified {
                self.size.uncertified += 1;
                pair.v.iter().for_each(|&v| self.frozen[v as usize] = true);
            }
            if found.row {
                self.row_pairs.push(k as u32);
            }
        }
        self.size.pairs = self.found.len();
    }

    /// Rows of pairs and of obstacles by signed distance, sorted by key, one for each feature.
    fn collect_rows(&mut self, input: &ListInput<'_>) {
        let frame = Frame { input, reach: &self.reach, reference: &self.guard.reference };
        self.rows.clear();
        let pairs = self.row_pairs.iter().map(|&k| &self.candidates[k as usize]);
        self.rows.extend(pairs.filter_map(|pair| row(&frame, pair)));
        self.obstacle_rows(input);
        self.rows.sort_unstable_by_key(|row| row.key);
        self.rows.dedup_by_key(|row| row.key);
        self.size.rows = self.rows.len();
    }

    fn obstacle_rows(&mut self, input: &ListInput<'_>) {
        let ListInput { surface, options, .. } = *input;
        for (number, obstacle) in input.obstacles.iter().enumerate() {
            exec::for_each_chunk(&mut self.surfaces, VERTEX_CHUNK, |first, out| {
                obstacle.sample(&input.start[first..first + out.len()], input.time, out);
            });
            for (i, at) in self.surfaces.iter().enumerate() {
                let offset = surface.thickness_of(i);
                // False for a distance that is not a number.
                if at.distance <= self.reach[i] + offset && surface.touches(i) && !surface.kinematic[i] {
                    let v = i as u32;
                    self.rows.push(Row {
                        key: key(ContactKind::Obstacle, [v, number as u32, NONE, NONE]),
                        kind: ContactKind::Obstacle,
                        vertices: [v; 4],
                        weights: [1.0, 0.0, 0.0, 0.0],
                        normal: at.normal,
                        gap: at.distance - offset,
                        offset,
                        stiffness: options.stiffness / input.compliance[i],
                        drift: at.velocity,
                        bodies: [surface.body[i], number as u32],
                    });
                }
            }
        }
    }

    /// Half-spaces by vertex: only those that the vertex could leave within its region.
    fn collect_planes(&mut self, input: &ListInput<'_>) {
        let ListInput { surface, options, .. } = *input;
        let (reach, reference) = (&self.reach, &self.guard.reference);
        let each = |use_plane: &mut dyn FnMut(usize, HalfSpace)| {
            for (found, pair) in self.found.iter().zip(&self.candidates) {
                let Some(plane) = &found.plane else { continue };
                for (slot, &v) in pair.v.iter().enumerate() {
                    let i = v as usize;
                    if surface.kinematic[i] {
                        continue;
                    }
                    let (n, w) = plane.side(slot, pair.kind, &reference[pair.v[0] as usize]);
                    let room = n.dot(&reference[i]) - w;
                    let keep = keep_of(room, plane.floor, options.keep);
                    if room - keep < reach[i] {
                        use_plane(i, HalfSpace { n, w: w + keep });
                    }
                }
            }
            for row in self.rows.iter().filter(|row| row.kind == ContactKind::Obstacle) {
                let i = row.vertices[0] as usize;
                let room = (row.gap + row.offset).max(0.0);
                let keep = keep_of(room, options.floor * row.offset, options.keep);
                let w = row.normal.dot(&reference[i]) - room + keep;
                use_plane(i, HalfSpace { n: row.normal, w });
            }
        };
        self.next.fill(0);
        let next = &mut self.next;
        each(&mut |i, _| next[i + 1] += 1);
        for i in 0..surface.vertices() {
            next[i + 1] += next[i];
        }
        self.guard.offsets.copy_from_slice(next);
        let planes = &mut self.guard.planes;
        planes.clear();
        planes.resize(next[surface.vertices()] as usize, HalfSpace::default());
        each(&mut |i, plane| {
            planes[next[i] as usize] = plane;
            next[i] += 1;
        });
        self.size.planes = planes.len();
        for i in 0..surface.vertices() {
            let own = &planes[self.guard.offsets[i] as usize..self.guard.offsets[i + 1] as usize];
            let room = own.iter().map(|p| p.n.dot(&reference[i]) - p.w).fold(reach[i], Real::min);
            self.guard.safe[i] = if self.frozen[i] { -1.0 } else { room.max(0.0) };
        }
    }
}

/// How much of the room to a plane stays unused.
fn keep_of(room: Real, floor: Real, part: Real) -> Real {
    (part * room).max(room.min(floor))
}

fn ignored(input: &ListInput<'_>, a: u32, b: u32) -> bool {
    !input.ignored.is_empty() && input.ignored.binary_search(&[a.min(b), a.max(b)]).is_ok()
}
