//! The contact list: all pairs of primitives that could meet, made at positions x_b for a motion towards t.
//!
//! It is a pure function of these and of the model, so it can be dropped and made again at any time. A pair is left out
//! only if, with every vertex in its region, its primitives stay apart on the way from x_b: that is, if the distance at x_b
//! exceeds how far the two can come (`carry.rs` has what holds where some vertices are moved and not pushed). Pairs that are kept get a plane (`guard.rs`), and those that are near a row (`row.rs`).

use super::assemble::ObstaclePlane;
use super::candidates::Task;
use super::carry::Line;
use super::guard::Guard;
use super::narrow::Found;
use super::options::ContactOptions;
use super::pair::Pair;
use super::row::{Row, RowKey};
use super::surface::ContactSurface;
use super::tangle::Tangle;
use crate::broad::{BroadPhase, FixedBvh, TASKS};
use crate::intersect::triangles_cross;
use pd_core::{Aabb, Collider, Real, Surface, Vec3};

/// Times that pairs are looked for, because motions of vertices were changed and with them their regions.
const PASSES: usize = 3;
/// Part of its distance, or of δ, that a pair must keep in each of them lest its motions be changed.
const KEEP: [Real; PASSES] = [0.95, 0.5, 0.25];

/// Parts of the way that are tried, and bounds of the next part over the last.
const PARTS: usize = 4;
const LEAST_PART: Real = 0.1;
const MOST_PART: Real = 0.5;
/// Longest way of a list about where vertices start, in reaches.
const CAPPED: Real = 4.0;

/// How looking for pairs with carried motions ended.
enum Gathered {
    /// All pairs are found and part.
    Whole,
    /// Nothing is fast.
    Slow,
    /// Some pair would meet if all went their ways; up to this part of them none does.
    Conflict(Real),
}

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
    /// Whether fast vertices may be carried along; else every reference of a pushed vertex that no obstacle runs into is where it starts.
    pub carried: bool,
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
    /// Pairs that one task of the search found, at most.
    pub share: usize,
}

/// Room of the arrays of a list, in entries for each triangle of the surface and beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListCapacity {
    /// Pairs of primitives that are kept.
    pub pairs: usize,
    /// Rows.
    pub rows: usize,
    /// Half-spaces.
    pub planes: usize,
    /// Pairs that one task of the search finds.
    pub share: usize,
}

impl ListCapacity {
    /// Enough for a surface of this many triangles over so many vertices in ordinary motion.
    pub fn usual(triangles: usize, vertices: usize) -> Self {
        let pairs = 12 * triangles + 1024;
        // Tasks find different numbers of pairs: room for several times the mean.
        let share = pairs.min(4 * pairs / TASKS + 1024);
        Self { pairs, rows: pairs / 2 + vertices, planes: 4 * pairs + vertices, share }
    }

    /// Whether a list of this size has room.
    pub fn holds(&self, size: &ListSize) -> bool {
        size.pairs <= self.pairs
            && size.rows <= self.rows
            && size.planes <= self.planes
            && size.share <= self.share
    }

    /// At least what a list turned out to need, and half as much more.
    pub fn grow(&mut self, need: &ListSize) {
        let more = |have: &mut usize, need: usize| {
            if need > *have {
                *have = need + need / 2;
            }
        };
        more(&mut self.pairs, need.pairs);
        more(&mut self.rows, need.rows);
        more(&mut self.planes, need.planes);
        more(&mut self.share, need.share);
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
    /// Whether regions contain the place at the start.
    pub(super) wide: bool,
    pub(super) carry: Vec<Vec3>,
    /// Where vertices want to go: the target, unless others are in the way.
    pub(super) want: Vec<Vec3>,
    pub(super) lines: Vec<Line>,
    pub(super) flags: Vec<bool>,
    pub(super) near: Vec<u32>,
    pub(super) tree: FixedBvh,
    /// Boxes of triangles where they start and where they may end.
    pub(super) boxes: Vec<Aabb>,
    pub(super) ends: Vec<Aabb>,
    pub(super) reach: Vec<Real>,
    pub(super) tasks: Vec<Task>,
    pub(super) candidates: Vec<Pair>,
    pub(super) found: Vec<Found>,
    pub(super) row_keys: Vec<(RowKey, u32)>,
    pub(super) obstacle_rows: Vec<Row>,
    pub(super) obstacle_planes: Vec<ObstaclePlane>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) frozen: Vec<bool>,
    /// Vertices whose regions differ from those of the last search for pairs, and their triangles.
    pub(super) changed: Vec<bool>,
    pub(super) changed_triangles: Vec<bool>,
    /// Vertices whose triangles cannot cross one another.
    pub(super) stars: Vec<bool>,
    pub(super) next: Vec<u32>,
    pub(super) plane_entries: Vec<u32>,
    pub(super) tangle: Tangle,
    triangle_pairs: Vec<[u32; 2]>,
}

impl ContactList {
    /// Makes room for lists of a surface.
    pub fn prepare(&mut self, surface: &ContactSurface, capacity: &ListCapacity) {
        let n = surface.vertices();
        *self = Self::default();
        // The order of pairs follows the shape of the tree, so that must not depend on how a run got here.
        surface.rest_boxes(&mut self.boxes);
        self.tree.build(&self.boxes);
        self.ends.clone_from(&self.boxes);
        self.tree.refit_moving(&self.boxes, &self.ends); // makes room
        self.tasks.resize_with(TASKS, Task::default);
        self.tasks.iter_mut().for_each(|task| task.reserve(capacity.share));
        self.candidates.reserve(capacity.pairs);
        self.found.reserve(capacity.pairs);
        self.lines.reserve(capacity.pairs);
        self.flags.reserve(capacity.pairs);
        self.near.reserve(capacity.pairs);
        self.row_keys.reserve(capacity.rows);
        // Obstacles may come later.
        self.obstacle_rows.reserve(capacity.rows);
        self.obstacle_planes.reserve(capacity.rows);
        self.plane_entries.reserve(capacity.planes);
        self.rows.reserve(capacity.rows);
        self.guard.planes.reserve(capacity.planes);
        self.guard.reference.resize(n, Vec3::zeros());
        self.guard.region.resize(n, Aabb::everything());
        self.guard.safe.resize(n, 0.0);
        self.guard.offsets.resize(n + 1, 0);
        self.surfaces.resize(n, Surface::default());
        self.carry.resize(n, Vec3::zeros());
        self.want.resize(n, Vec3::zeros());
        self.reach.resize(n, 0.0);
        self.frozen.resize(n, false);
        self.stars.resize(n, false);
        self.changed.resize(n, false);
        self.changed_triangles.resize(surface.triangles.len(), false);
        self.next.resize(n + 1, 0);
    }

    /// Makes the list.
    pub fn build(&mut self, input: &ListInput<'_>) {
        self.size = ListSize::default();
        // First with fast vertices carried along their way; where they get in each other's way, all go a part of it. Where even that
        // does not do, or nothing is fast, about where vertices start, for ways of no more than some reaches.
        let (mut part, mut carried) = (1.0, false);
        for _ in 0..if input.carried { PARTS } else { 0 } {
            match self.gather(input, part) {
                Gathered::Whole => {
                    carried = true;
                    break;
                }
                Gathered::Slow => break,
                Gathered::Conflict(limit) => part *= limit.clamp(LEAST_PART, MOST_PART),
            }
        }
        if !carried {
            part = self.gather_about_start(input);
        }
        self.fraction = part;
        self.examine_candidates(input);
        self.collect_rows(input);
        self.collect_planes(input);
    }

    /// Regions and all pairs that could meet in them, with fast vertices carried along this part of their way.
    fn gather(&mut self, input: &ListInput<'_>, part: Real) -> Gathered {
        self.wide = false;
        for ((want, start), target) in self.want.iter_mut().zip(input.start).zip(input.target) {
            *want = if part < 1.0 { start + (target - start) * part } else { *target };
        }
        if !self.start_carry(input, true) {
            return Gathered::Slow;
        }
        for pass in 1..=PASSES {
            self.place_regions(input, self.wide);
            self.collect_candidates(input, self.wide, pass == 1);
            self.measure_lines(input);
            if !self.settle_carry(input, KEEP[pass - 1]) {
                break;
            }
            if pass == PASSES {
                return Gathered::Conflict(self.limit_carry(input));
            }
        }
        let limit = self.limit_carry(input);
        if limit < 1.0 { Gathered::Conflict(limit) } else { Gathered::Whole }
    }

    /// The same without carrying any but what is not pushed. Returns the part of its way that this goes.
    fn gather_about_start(&mut self, input: &ListInput<'_>) -> Real {
        self.wide = true;
        let part = self.cap_ways(input);
        let any = self.start_carry(input, false);
        for pass in 1..=PASSES {
            self.place_regions(input, self.wide);
            self.collect_candidates(input, self.wide, pass == 1);
            if !any {
                return part;
            }
            self.measure_lines(input);
            if pass == PASSES || !self.settle_carry(input, KEEP[pass - 1]) {
                break;
            }
        }
        let limit = self.limit_carry(input);
        if limit < 1.0 {
            for (i, carry) in self.carry.iter_mut().enumerate() {
                *carry *= limit;
                self.guard.reference[i] = input.start[i] + *carry;
            }
        }
        part * limit
    }

    /// Cuts the ways of vertices to some reaches, and those of all that are not pushed by one factor, which is returned.
    fn cap_ways(&mut self, input: &ListInput<'_>) -> Real {
        let ListInput { surface, options, start, target, .. } = *input;
        let cap = |i: usize| CAPPED * (options.reach * surface.thickness_of(i)).max(input.least_reach);
        let allowed = |i: usize| (cap(i) / (target[i] - start[i]).norm()).min(1.0);
        let kinematic = (0..start.len()).filter(|&i| surface.kinematic[i] && surface.touches(i));
        let part = kinematic.map(allowed).fold(1.0, Real::min);
        for (i, want) in self.want.iter_mut().enumerate() {
            let part = match (surface.kinematic[i], surface.touches(i)) {
                (true, _) => part,
                (_, true) => allowed(i),
                _ => 1.0,
            };
            *want = if part < 1.0 { start[i] + (target[i] - start[i]) * part } else { target[i] };
        }
        part
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
}

pub(super) fn ignored(input: &ListInput<'_>, a: u32, b: u32) -> bool {
    !input.ignored.is_empty() && input.ignored.binary_search(&[a.min(b), a.max(b)]).is_ok()
}
