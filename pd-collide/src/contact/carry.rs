//! How far each vertex is carried before the guard is placed.
//!
//! A half-space n·x ≥ w that moves from w₀ to w₁ while vertices go straight from x_b to x parts a pair all the way if it
//! parts it at both ends: all is linear in time. So the guard may be placed about *references* c = x_b + u instead of x_b, if
//! every pair that is apart along n at x_b is still apart along n at c. Then only motion that differs from u brings a pair
//! together, and a body that flies as a whole has few pairs, however fast it is.
//!
//! u starts as the motion of vertices that are not pushed and of those that are fast. Pairs that would come nearer than they
//! may rest are moved apart, as little as need be: what slides goes on sliding, what an obstacle pushes is pushed. Where that
//! does not suffice or takes vertices out of their regions (c would be a shape that no body has), only obstacles are carried, what they meet takes over their motion, and what then still would meet limits the
//! part of the way that all go in this round.

use super::list::{ContactList, ListInput};
use super::pair::Pair;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Collider, Real, Surface, Vec3};
use rayon::prelude::*;

/// Part that it must keep after all.
const KEEP_AT_LEAST: Real = 0.25;
/// Sweeps over all pairs.
const SWEEPS: usize = 8;
/// Motion that is carried, in reaches: below, the guard about x_b serves for several steps.
const FAST: Real = 0.5;
/// Part of its distance by which a vertex may approach an obstacle by signed distance.
const BALL: Real = 0.9;
/// The same once motions were changed to keep pairs apart: what was cut to [`BALL`] must pass in spite of rounding.
const LEAST_BALL: Real = 0.97;
/// Balls along a way past an obstacle that is not convex, at most.
const MARCH: usize = 64;
/// Distance below which a pair touches, as a part of its coordinates.
const TOUCHING: Real = 128.0 * Real::EPSILON;
/// Part of the distance that a pair should keep which it must have at x_b along a direction for it to be moved apart along that: what
/// slides over a seam in a floor hovers a little below its full distance, and must still be lifted rather than pushed back.
const LEAST_WIDTH: Real = 0.96;
/// Pairs looked at by one task.
const CHUNK: usize = 1024;

/// Direction of the closest points of a pair at x_b and their distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    n: Vec3,
    d: Real,
}

impl ContactList {
    /// u of the start. Says whether there is any.
    pub(super) fn start_carry(&mut self, input: &ListInput<'_>, fast_too: bool) -> bool {
        let ListInput { surface, options, .. } = *input;
        let mut any = false;
        for (i, carry) in self.carry.iter_mut().enumerate() {
            let way = self.want[i] - input.start[i];
            *carry = if surface.kinematic[i] {
                way
            } else {
                let reach = (options.reach * surface.thickness_of(i)).max(input.least_reach);
                let fast = way.norm_squared() > (FAST * input.scale * reach).powi(2);
                if fast_too && fast && surface.touches(i) { way } else { Vec3::zeros() }
            };
            any |= *carry != Vec3::zeros();
        }
        if fast_too && any {
            self.stay_outside(input);
        }
        any
    }

    /// Vertices that fly towards an obstacle by signed distance approach it by no more than a part of their distance; what they do along
    /// it is theirs. Those that it will have run over go where their targets are, which were moved out of it.
    fn stay_outside(&mut self, input: &ListInput<'_>) {
        for obstacle in input.obstacles.iter().filter_map(|obstacle| obstacle.for_vertices()) {
            self.sample(input, obstacle, input.start);
            let before = Before { obstacle, time: input.time, convex: obstacle.is_convex() };
            let kinematic = &input.surface.kinematic;
            let surfaces = &self.surfaces;
            exec::for_each_chunk(&mut self.carry[..surfaces.len()], VERTEX_CHUNK, |first, carry| {
                for (k, carry) in carry.iter_mut().enumerate().filter(|(k, _)| !kinematic[first + k]) {
                    let i = first + k;
                    *carry = before.outside(&input.start[i], carry, &surfaces[i], BALL);
                }
            });
        }
    }

    /// Direction and distance of all pairs at x_b.
    pub(super) fn measure_lines(&mut self, input: &ListInput<'_>) {
        self.lines.clear();
        self.lines.resize(self.candidates.len(), Line::default());
        let candidates = &self.candidates;
        exec::for_each_chunk(&mut self.lines, CHUNK, |first, lines| {
            for (line, pair) in lines.iter_mut().zip(&candidates[first..]) {
                let separation = pair.closest(input.start).separation;
                let d = separation.norm();
                let size = pair.corners(input.start).iter().map(Vec3::amax).fold(0.0, Real::max);
                if d > TOUCHING * size {
                    *line = Line { n: separation / d, d };
                }
            }
        });
    }

    /// Changes motions until every pair keeps this part of its distance, or of that at which it may rest. Says whether a
    /// reference left its region, so that pairs must be looked for again.
    pub(super) fn settle_carry(&mut self, input: &ListInput<'_>, keep: Real) -> bool {
        let kinematic = &input.surface.kinematic;
        let mut changed = false;
        for _ in 0..SWEEPS {
            self.find_near(input, keep);
            let mut any = false;
            for &k in &self.near {
                let (pair, line) = (&self.candidates[k as usize], &self.lines[k as usize]);
                // Pairs before this one in the sweep may have changed its motions.
                if stays_apart(input, pair, line, &self.carry, keep) {
                    continue;
                }
                let before = pair.v.map(|v| self.carry[v as usize]);
                let after = if line.d <= 0.0 {
                    [Vec3::zeros(); 4] // what touches stays
                } else if self.wide {
                    together(pair, kinematic, &before)
                } else {
                    apart(input, pair, line, &before)
                };
                for (slot, &v) in pair.v.iter().enumerate().filter(|(_, v)| !kinematic[**v as usize]) {
                    any |= before[slot] != after[slot];
                    self.carry[v as usize] = after[slot];
                }
            }
            changed |= any;
            if !any {
                break;
            }
        }
        changed && self.follow(input)
    }

    /// Takes changed motions over into references and reaches, and marks their vertices; says whether one left its region.
    fn follow(&mut self, input: &ListInput<'_>) -> bool {
        let mut left = self.wide;
        for (i, carry) in self.carry.iter().enumerate() {
            let c = input.start[i] + carry;
            let moved = (c - self.guard.reference[i]).norm();
            self.changed[i] = moved > 0.0;
            if moved > 0.0 && !self.wide {
                left |= !self.guard.region[i].contains(&c);
                self.guard.reference[i] = c;
                self.reach[i] += moved;
                self.want[i] = c;
            }
        }
        left
    }

    /// Numbers of pairs that keep less than this part of their separation.
    fn find_near(&mut self, input: &ListInput<'_>, keep: Real) {
        let (lines, carry, candidates) = (&self.lines, &self.carry, &self.candidates);
        self.flags.clear();
        self.flags.resize(candidates.len(), false);
        exec::for_each_chunk(&mut self.flags, CHUNK, |first, flags| {
            for (k, flag) in flags.iter_mut().enumerate() {
                *flag = !stays_apart(input, &candidates[first + k], &lines[first + k], carry, keep);
            }
        });
        self.near.clear();
        self.near.extend((0..candidates.len() as u32).filter(|&k| self.flags[k as usize]));
    }

    /// Largest part of all motions for which every pair stays apart and no vertex comes into an obstacle by signed distance.
    pub(super) fn limit_carry(&mut self, input: &ListInput<'_>) -> Real {
        let at_obstacles = self.limit_at_obstacles(input);
        let each = |(pair, line): (&Pair, &Line)| {
            if line.d <= 0.0 {
                // What touches must not move in itself: no plane would part it.
                let u = pair.corners(&self.carry);
                return if u.iter().all(|v| *v == u[0]) { 1.0 } else { 0.0 };
            }
            if stays_apart(input, pair, line, &self.carry, KEEP_AT_LEAST) {
                return 1.0;
            }
            // The separation is a concave function of the part, so it lies above the straight line.
            let after = separation(input, pair, line, &self.carry).unwrap_or(line.d);
            ((1.0 - KEEP_AT_LEAST) * line.d / (line.d - after).max(1e-30)).min(1.0)
        };
        self.candidates
            .par_iter()
            .zip(&self.lines)
            .with_min_len(CHUNK)
            .map(each)
            .reduce(|| at_obstacles, Real::min)
    }

    /// The same for obstacles alone: parting two layers may push the lower one into the floor.
    fn limit_at_obstacles(&mut self, input: &ListInput<'_>) -> Real {
        let surface = input.surface;
        let mut limit: Real = 1.0;
        for obstacle in input.obstacles.iter().filter_map(|obstacle| obstacle.for_vertices()) {
            self.sample(input, obstacle, input.start);
            let before = Before { obstacle, time: input.time, convex: obstacle.is_convex() };
            for (i, (at, carry)) in self.surfaces.iter().zip(&self.carry).enumerate() {
                if surface.touches(i) && !surface.kinematic[i] {
                    limit = limit.min(before.part(&input.start[i], carry, at, LEAST_BALL));
                }
            }
        }
        limit
    }
}

/// An obstacle by signed distance φ before which vertices move.
///
/// A convex one lies behind its tangent plane n·(y − x) = −φ(x), so a way u is free if n·u ≥ −part·φ(x), however long it is. Of any
/// other only the ball of radius φ about a point is known to be free, so a way along it is followed from ball to ball
/// (Hart 1996, "Sphere tracing").
struct Before<'a> {
    obstacle: &'a dyn Collider,
    time: Real,
    convex: bool,
}

impl Before<'_> {
    /// The way without what leads nearer than this part of the distance, and of that what is free.
    fn outside(&self, x: &Vec3, u: &Vec3, at: &Surface, part: Real) -> Vec3 {
        let free = part * at.distance;
        // False for a distance that is not a number.
        if !(free > 0.0 && u.norm_squared() > free * free) {
            return *u;
        }
        let past = u + at.normal * (-u.dot(&at.normal) - free).max(0.0);
        if self.convex { past } else { past * self.marched(x, &past, at.distance, part) }
    }

    /// The part of the way that is free.
    fn part(&self, x: &Vec3, u: &Vec3, at: &Surface, part: Real) -> Real {
        let free = part * at.distance;
        if !(free > 0.0 && u.norm_squared() > free * free) {
            return 1.0;
        }
        let toward = -u.dot(&at.normal);
        let limit = if toward > free { free / toward } else { 1.0 };
        if self.convex { limit } else { limit.min(self.marched(x, u, at.distance, part)) }
    }

    /// The part of a way along which φ stays above the rest of the distance d at its start.
    fn marched(&self, x: &Vec3, u: &Vec3, d: Real, part: Real) -> Real {
        let (length, least) = (u.norm(), (1.0 - part) * d);
        let (mut gone, mut phi) = (0.0, d);
        for _ in 0..MARCH {
            // The rest of the way lies in the ball.
            if gone + phi - least >= length {
                return 1.0;
            }
            gone += part * (phi - least);
            let next = self.obstacle.surface_at(&(x + u * (gone / length)), self.time).distance;
            // False for a distance that is not a number.
            let clear = next > 2.0 * least;
            if !clear {
                break;
            }
            phi = next;
        }
        gone / length
    }
}

/// One motion for all of a pair: that of what is not pushed, or the mean.
fn together(pair: &Pair, kinematic: &[bool], carry: &[Vec3; 4]) -> [Vec3; 4] {
    let leads = pair.v.iter().any(|&v| kinematic[v as usize]);
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for (slot, _) in pair.v.iter().enumerate().filter(|(_, v)| kinematic[**v as usize] || !leads) {
        sum += carry[slot];
        count += 1.0;
    }
    [sum / count; 4]
}

/// Motions at whose end the pair is as far apart as it was, or as it may rest: vertices are moved along one direction, as
/// little as need be, so that what slides goes on sliding.
fn apart(input: &ListInput<'_>, pair: &Pair, line: &Line, carry: &[Vec3; 4]) -> [Vec3; 4] {
    let need = needed(input, pair, line);
    let start = pair.corners(input.start);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + carry[k]);
    let width = |p: &[Vec3; 4], n: &Vec3| {
        let (low, high) = pair.extent_of(p, n);
        low - high
    };
    // Along each direction no more is needed than there was.
    let best = std::iter::once(line.n)
        .chain(pair.axes_of(&start))
        .chain(pair.passing(&start, &end))
        .map(|n| (n, need.min(width(&start, &n))))
        .filter(|&(_, own)| own >= LEAST_WIDTH * need)
        .max_by(|a, b| (width(&end, &a.0) - a.1).total_cmp(&(width(&end, &b.0) - b.1)));
    let (n, need) = best.unwrap_or((line.n, need));
    let (low, high) = pair.extent_of(&end, &n);
    let m = pair.kind.first();
    let (still_p, still_q) = pair.kinematic(input.surface);
    let middle = if still_q {
        high + 0.5 * need
    } else if still_p {
        low - 0.5 * need
    } else {
        0.5 * (low + high)
    };
    std::array::from_fn(|k| {
        let along = n.dot(&(end[k] - end[0]));
        let missing = if k < m {
            (middle + 0.5 * need - along).max(0.0)
        } else {
            (middle - 0.5 * need - along).min(0.0)
        };
        carry[k] + n * missing
    })
}

/// Distance that a pair should keep: its own or that at which it may rest.
fn needed(input: &ListInput<'_>, pair: &Pair, line: &Line) -> Real {
    let bodies = [0, pair.kind.first()].map(|k| input.surface.body[pair.v[k] as usize]);
    line.d.min(input.surface.thickness(bodies[0], bodies[1]))
}

/// Whether some direction parts a pair at x_b and at c by as much as `keep` asks of its distance or of δ: that at x_b, that at
/// c, one of the faces and edges, or that in which the two pass each other. (What slides over an edge is ahead of it at first and behind it in the end.)
fn stays_apart(input: &ListInput<'_>, pair: &Pair, line: &Line, carry: &[Vec3], keep: Real) -> bool {
    let Some(after) = separation(input, pair, line, carry) else { return true };
    if line.d <= 0.0 {
        return false;
    }
    let need = keep * needed(input, pair, line);
    if after >= need {
        return true;
    }
    let start = pair.corners(input.start);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + carry[pair.v[k] as usize]);
    let apart = |n: Vec3| {
        let (before, after) = (pair.extent_of(&start, &n), pair.extent_of(&end, &n));
        before.0 - before.1 >= need && after.0 - after.1 >= need
    };
    let last = pair.closest_of(&end).separation;
    let d = last.norm();
    d >= need && apart(last / d)
        || pair.axes_of(&start).any(apart)
        || pair.axes_of(&end).any(apart)
        || pair.passing(&start, &end).is_some_and(apart)
}

/// Separation along the direction at x_b after all go their way; `None` if nothing of the pair moves.
fn separation(input: &ListInput<'_>, pair: &Pair, line: &Line, carry: &[Vec3]) -> Option<Real> {
    let u = pair.corners(carry);
    if u.iter().all(|u| *u == Vec3::zeros()) {
        return None;
    }
    let x = pair.corners(input.start);
    let (low, high) = pair.extent_of(&[x[0] + u[0], x[1] + u[1], x[2] + u[2], x[3] + u[3]], &line.n);
    Some(low - high)
}
