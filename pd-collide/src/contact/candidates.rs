//! Regions of vertices, and all vertex–face and edge–edge pairs that could come within their rest distance in them.
//!
//! A vertex goes from x_b straight to a point of its region, a box about c = x_b + u. Seen from a frame that moves with m it
//! stays in x_b + [min(0, R⁻ − x_b − m), max(0, R⁺ − x_b − m)]: with m the motion of a pair of triangles as a whole, what
//! flies together does not meet.

use super::list::{ContactList, ListInput, ignored};
use super::narrow::{Frame, is_near};
use super::pair::{ContactKind, Pair};
use super::tangle::Tangle;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, Collider, Real, Vec3};
use rayon::prelude::*;

/// Part of the way to a target by which a vertex may miss it, and part of the way it is carried.
const MISSED: Real = 0.25;
const MISSED_CARRIED: Real = 0.01;
/// Part of δ by which a vertex that is not pushed may miss its place: rounding.
const STILL: Real = 1e-6;
/// √3: the corner of a cube over half its side.
const CORNER: Real = 1.7320509;

/// What a task of the search found.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    pairs: Vec<Pair>,
    /// Triangles in which each was found.
    found_in: Vec<[u32; 2]>,
    triangle_pairs: usize,
    candidates: usize,
}

impl Task {
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.pairs.reserve(pairs);
        self.found_in.reserve(pairs);
    }

    /// Keeps pairs found in triangles that are as they were.
    fn retain(&mut self, changed: &[bool]) {
        let mut kept = 0;
        for k in 0..self.pairs.len() {
            if !self.found_in[k].iter().any(|&t| changed[t as usize]) {
                self.pairs[kept] = self.pairs[k];
                self.found_in[kept] = self.found_in[k];
                kept += 1;
            }
        }
        self.pairs.truncate(kept);
        self.found_in.truncate(kept);
    }
}

impl ContactList {
    /// Regions, references and how far a vertex may be from its reference. `wide` regions contain the place at the start,
    /// so that references may still be moved back towards it.
    pub(super) fn place_regions(&mut self, input: &ListInput<'_>, wide: bool) {
        let ListInput { surface, options, start, .. } = *input;
        let (carry, target) = (&self.carry, &self.want);
        exec::for_each_chunk(&mut self.guard.reference, VERTEX_CHUNK, |first, reference| {
            for (k, c) in reference.iter_mut().enumerate() {
                *c = start[first + k] + carry[first + k];
            }
        });
        let reference = &self.guard.reference;
        let stray = |i: usize| {
            if surface.kinematic[i] {
                return STILL * surface.thickness_of(i);
            }
            let rho = (options.reach * surface.thickness_of(i)).max(input.least_reach);
            let missed = if wide {
                MISSED * (target[i] - start[i]).norm()
            } else {
                MISSED * (target[i] - reference[i]).norm() + MISSED_CARRIED * carry[i].norm()
            };
            input.scale * rho + missed
        };
        exec::for_each_chunk(&mut self.guard.region, VERTEX_CHUNK, |first, regions| {
            for (k, region) in regions.iter_mut().enumerate() {
                let i = first + k;
                if !surface.touches(i) {
                    *region = Aabb::everything(); // no pair has it
                    continue;
                }
                let (c, t, r) = (reference[i], target[i], Vec3::repeat(stray(i)));
                *region = Aabb { min: c.inf(&t) - r, max: c.sup(&t) + r };
                if wide {
                    let x = start[i];
                    *region = Aabb { min: region.min.inf(&(x - r)), max: region.max.sup(&(x + r)) };
                }
            }
        });
        exec::for_each_chunk(&mut self.reach, VERTEX_CHUNK, |first, reaches| {
            for (k, reach) in reaches.iter_mut().enumerate() {
                let i = first + k;
                let way = if wide {
                    (target[i] - start[i]).norm() + 2.0 * carry[i].norm()
                } else {
                    (target[i] - reference[i]).norm()
                };
                *reach = way + CORNER * stray(i);
            }
        });
        let leaf = |range: std::ops::Range<usize>| start[range].iter().map(Vec3::amax).fold(0.0, Real::max);
        let largest = exec::reduce(0..start.len(), VERTEX_CHUNK, &leaf, &Real::max);
        self.guard.rounding = 8.0 * Real::EPSILON * largest;
    }

    /// All pairs that could meet, in an order that depends on the model and the boxes alone. Unless `afresh`, regions have
    /// changed since the last search only of vertices marked so, and only their triangles are looked at.
    pub(super) fn collect_candidates(&mut self, input: &ListInput<'_>, wide: bool, afresh: bool) {
        let ListInput { surface, start, .. } = *input;
        let changed = &self.changed;
        exec::for_each_chunk(&mut self.changed_triangles, VERTEX_CHUNK, |first, out| {
            for (out, t) in out.iter_mut().zip(&surface.triangles[first..]) {
                *out = afresh || t.iter().any(|&v| changed[v as usize]);
            }
        });
        self.certify_fans(input);
        let region = &self.guard.region;
        let around = |out: &mut Vec<Aabb>, of: &(dyn Fn(u32) -> Aabb + Sync)| {
            exec::for_each_chunk(out, VERTEX_CHUNK, |first, boxes| {
                for (b, t) in boxes.iter_mut().zip(&surface.triangles[first..]) {
                    let half = surface.half_thickness_of(t[0] as usize);
                    *b = hull(&[of(t[0]), of(t[1]), of(t[2])]).grown(half);
                }
            });
        };
        around(&mut self.boxes, &|v| Aabb { min: start[v as usize], max: start[v as usize] });
        around(&mut self.ends, &|v| region[v as usize]);
        self.tree.refit_moving(&self.boxes, &self.ends);
        let changed = &self.changed_triangles;
        self.tasks.iter_mut().for_each(|task| {
            task.retain(changed);
            (task.triangle_pairs, task.candidates) = (0, 0);
        });
        let reference = &self.guard.reference;
        let frame = Frame { input, reach: &self.reach, region, reference, wide };
        let search = Search { frame, region, carry: &self.carry, stars: &self.stars, tangle: &self.tangle };
        self.tree.visit_pairs(&mut self.tasks, |task: &mut Task, f, g| {
            if changed[f as usize] || changed[g as usize] {
                search.triangles(f as usize, g as usize, task);
            }
        });
        self.candidates.clear();
        (self.size.triangle_pairs, self.size.candidates) = (0, 0);
        for task in &self.tasks {
            self.candidates.extend_from_slice(&task.pairs);
            self.size.triangle_pairs += task.triangle_pairs;
            self.size.candidates += task.candidates;
            self.size.share = self.size.share.max(task.pairs.len());
        }
        if !afresh {
            // What was kept and what is new, in an order that does not tell.
            self.candidates.par_sort_unstable_by_key(|pair| (pair.kind, pair.v));
        }
    }

    /// Samples an obstacle by signed distance at positions x.
    pub(super) fn sample(&mut self, input: &ListInput<'_>, obstacle: &dyn Collider, x: &[Vec3]) {
        exec::for_each_chunk(&mut self.surfaces, VERTEX_CHUNK, |first, out| {
            obstacle.sample(&x[first..first + out.len()], input.time, out);
        });
    }
}

/// What the search for pairs reads.
struct Search<'a> {
    frame: Frame<'a>,
    region: &'a [Aabb],
    carry: &'a [Vec3],
    stars: &'a [bool],
    tangle: &'a Tangle,
}

impl Search<'_> {
    /// Pairs of primitives of two triangles, each pair of primitives once over all triangles.
    fn triangles(&self, f: usize, g: usize, task: &mut Task) {
        let surface = self.frame.input.surface;
        let (a, b) = (&surface.triangles[f], &surface.triangles[g]);
        let shared = a.map(|v| (v == b[0]) | (v == b[1]) | (v == b[2]));
        if (shared[0] | shared[1] | shared[2]) && (0..3).any(|k| shared[k] && self.stars[a[k] as usize]) {
            return;
        }
        let (body_a, body_b) = (surface.body[a[0] as usize], surface.body[b[0] as usize]);
        let still = |t: &[u32; 3]| t.iter().all(|&v| surface.kinematic[v as usize]);
        if still(a) && still(b) || !surface.sees(body_a, body_b) || ignored(self.frame.input, body_a, body_b)
        {
            return;
        }
        task.triangle_pairs += 1;
        let carried = |t: &[u32; 3]| {
            (self.carry[t[0] as usize] + self.carry[t[1] as usize]) + self.carry[t[2] as usize]
        };
        let motion = (carried(a) + carried(b)) / 6.0;
        let near = 0.5 * surface.thickness(body_a, body_b);
        let one = |v: u32| self.seen_from(v, &motion, near);
        let seen = |t: &[u32; 3]| [one(t[0]), one(t[1]), one(t[2])];
        let (p, q) = (seen(a), seen(b));
        let (hull_p, hull_q) = (hull(&p), hull(&q));
        if !hull_p.overlaps(&hull_q) {
            return;
        }
        let (speaks_a, speaks_b) = (surface.speaks[f], surface.speaks[g]);
        for k in 0..3 {
            if speaks_a >> k & 1 == 1 && !b.contains(&a[k]) && p[k].overlaps(&hull_q) {
                self.keep(Pair { v: [a[k], b[0], b[1], b[2]], kind: ContactKind::VertexFace }, [f, g], task);
            }
        }
        for k in 0..3 {
            if speaks_b >> k & 1 == 1 && !a.contains(&b[k]) && q[k].overlaps(&hull_p) {
                self.keep(Pair { v: [b[k], a[0], a[1], a[2]], kind: ContactKind::VertexFace }, [f, g], task);
            }
        }
        for k in 0..3 {
            if speaks_a >> (k + 3) & 1 == 0 {
                continue;
            }
            let edge = p[k].union(&p[(k + 1) % 3]);
            for l in 0..3 {
                if speaks_b >> (l + 3) & 1 == 0 || !edge.overlaps(&q[l].union(&q[(l + 1) % 3])) {
                    continue;
                }
                let numbers = [surface.triangle_edges[f][k], surface.triangle_edges[g][l]];
                let [e, o] = [numbers[0].min(numbers[1]), numbers[0].max(numbers[1])];
                let (p, q) = (surface.edges[e as usize], surface.edges[o as usize]);
                if p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1] {
                    continue;
                }
                self.keep(Pair { v: [p[0], p[1], q[0], q[1]], kind: ContactKind::EdgeEdge }, [f, g], task);
            }
        }
    }

    /// Where a vertex can be on its way, seen from a frame that moves, and `near` around it.
    #[inline(always)]
    fn seen_from(&self, v: u32, motion: &Vec3, near: Real) -> Aabb {
        let (x, r) = (&self.frame.input.start[v as usize], &self.region[v as usize]);
        Aabb {
            min: x.inf(&(r.min - motion)).add_scalar(-near),
            max: x.sup(&(r.max - motion)).add_scalar(near),
        }
    }

    #[inline(never)]
    fn keep(&self, pair: Pair, [f, g]: [usize; 2], task: &mut Task) {
        task.candidates += 1;
        let surface = self.frame.input.surface;
        if is_near(&self.frame, &pair) && !self.tangle.contains(surface, &pair, [f as u32, g as u32]) {
            task.pairs.push(pair);
            task.found_in.push([f as u32, g as u32]);
        }
    }
}

#[inline]
fn hull(b: &[Aabb; 3]) -> Aabb {
    b[0].union(&b[1]).union(&b[2])
}
