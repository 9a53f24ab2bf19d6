//! From pairs to rows and half-spaces: the second half of making a list.

use super::guard::HalfSpace;
use super::list::{ContactList, ListInput};
use super::narrow::{Found, Frame, examine, keep_of, row, row_key};
use super::pair::Pair;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, Vec3};
use rayon::prelude::*;

/// Pairs, rows and half-spaces handled by one task.
const CHUNK: usize = 512;

/// Marks half-spaces of obstacles among those of pairs.
const OF_OBSTACLE: u32 = 1 << 31;

/// Half-spaces of the vertices of a primitive before an obstacle by signed distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObstaclePlane {
    /// Vertices of the primitive; the first is repeated.
    pub(super) vertices: [u32; 3],
    /// n·x ≥ w parts them from the obstacle.
    pub(super) n: Vec3,
    pub(super) w: Real,
    /// Least gap, m.
    pub(super) floor: Real,
}

impl ContactList {
    pub(super) fn examine_candidates(&mut self, input: &ListInput<'_>) {
        let frame = Frame {
            input,
            reach: &self.reach,
            region: &self.guard.region,
            reference: &self.guard.reference,
            wide: self.wide,
        };
        self.found.clear();
        self.found.resize(self.candidates.len(), Found::default());
        let candidates = &self.candidates;
        exec::for_each_chunk(&mut self.found, CHUNK, |first, found| {
            for (found, pair) in found.iter_mut().zip(&candidates[first..]) {
                *found = examine(&frame, pair);
            }
        });
        self.frozen.fill(false);
        self.row_keys.clear();
        for (k, (found, pair)) in self.found.iter().zip(&self.candidates).enumerate() {
            if found.uncertified {
                self.size.uncertified += 1;
                pair.v.iter().for_each(|&v| self.frozen[v as usize] = true);
            }
            if found.row {
                self.row_keys.push((row_key(pair, found.support), k as u32));
            }
        }
        self.size.pairs = self.found.len();
    }

    /// Rows of pairs and of obstacles by signed distance, sorted by key, one for each feature.
    pub(super) fn collect_rows(&mut self, input: &ListInput<'_>) {
        self.meet_obstacles(input);
        let first_obstacle = self.row_keys.len() as u32;
        let obstacle_rows = &self.obstacle_rows;
        self.row_keys
            .extend(obstacle_rows.iter().enumerate().map(|(k, row)| (row.key, OF_OBSTACLE | k as u32)));
        debug_assert!(first_obstacle < OF_OBSTACLE);
        self.row_keys.par_sort_unstable();
        self.row_keys.dedup_by_key(|row| row.0);
        let frame = Frame {
            input,
            reach: &self.reach,
            region: &self.guard.region,
            reference: &self.guard.reference,
            wide: self.wide,
        };
        self.rows.clear();
        self.rows.resize(self.row_keys.len(), Default::default());
        let (keys, candidates) = (&self.row_keys, &self.candidates);
        exec::for_each_chunk(&mut self.rows, CHUNK, |first, rows| {
            for (out, &(_, k)) in rows.iter_mut().zip(&keys[first..]) {
                *out = if k & OF_OBSTACLE == 0 {
                    row(&frame, &candidates[k as usize])
                } else {
                    obstacle_rows[(k & !OF_OBSTACLE) as usize]
                };
            }
        });
        self.size.rows = self.rows.len();
    }

    /// Half-spaces by vertex: only those that the vertex could leave within its region.
    pub(super) fn collect_planes(&mut self, input: &ListInput<'_>) {
        let ListInput { surface, options, .. } = *input;
        let (reach, reference) = (&self.reach, &self.guard.reference);
        let (found, candidates, obstacles) = (&self.found, &self.candidates, &self.obstacle_planes);
        // Which vertex of which pair, in an order that does not depend on threads.
        let each = |entry: &mut dyn FnMut(usize, u32)| {
            for (k, (found, pair)) in found.iter().zip(candidates).enumerate() {
                if found.sides != 0 {
                    for slot in (0..4).filter(|slot| found.sides >> slot & 1 == 1) {
                        entry(pair.v[slot] as usize, 4 * k as u32 + slot as u32);
                    }
                }
            }
            for (k, plane) in obstacles.iter().enumerate() {
                for slot in (0..3).filter(|&s| s == 0 || plane.vertices[s] != plane.vertices[0]) {
                    let i = plane.vertices[slot] as usize;
                    if !surface.kinematic[i] {
                        entry(i, OF_OBSTACLE | (4 * k as u32 + slot as u32));
                    }
                }
            }
        };
        let next = &mut self.next;
        next.fill(0);
        each(&mut |i, _| next[i + 1] += 1);
        for i in 0..surface.vertices() {
            next[i + 1] += next[i];
        }
        self.guard.offsets.copy_from_slice(next);
        let total = next[surface.vertices()] as usize;
        let entries = &mut self.plane_entries;
        entries.clear();
        entries.resize(total, 0);
        each(&mut |i, entry| {
            entries[next[i] as usize] = entry;
            next[i] += 1;
        });
        let planes = &mut self.guard.planes;
        planes.clear();
        planes.resize(total, HalfSpace::default());
        let entries = &self.plane_entries;
        exec::for_each_chunk(planes, CHUNK, |first, planes| {
            for (plane, &entry) in planes.iter_mut().zip(&entries[first..]) {
                let (k, slot) = ((entry & !OF_OBSTACLE) as usize / 4, entry as usize % 4);
                *plane = if entry & OF_OBSTACLE == 0 {
                    of_pair(&found[k], &candidates[k], slot, reference, options.keep)
                } else {
                    let plane = &obstacles[k];
                    let room = plane.n.dot(&reference[plane.vertices[slot] as usize]) - plane.w;
                    HalfSpace { n: plane.n, w: plane.w + keep_of(room, plane.floor, options.keep) }
                };
            }
        });
        self.size.planes = total;
        let (planes, offsets, frozen) = (&self.guard.planes, &self.guard.offsets, &self.frozen);
        exec::for_each_chunk(&mut self.guard.safe, VERTEX_CHUNK, |first, safe| {
            for (k, safe) in safe.iter_mut().enumerate() {
                let i = first + k;
                let own = &planes[offsets[i] as usize..offsets[i + 1] as usize];
                let room = own.iter().map(|p| p.n.dot(&reference[i]) - p.w).fold(reach[i], Real::min);
                *safe = if frozen[i] { -1.0 } else { room.max(0.0) };
            }
        });
    }
}

/// The half-space of one vertex of a pair.
fn of_pair(found: &Found, pair: &Pair, slot: usize, reference: &[Vec3], keep: Real) -> HalfSpace {
    let Some(plane) = &found.plane else { return HalfSpace::default() };
    let (n, w) = plane.side(slot, pair.kind, &reference[pair.v[0] as usize]);
    let room = n.dot(&reference[pair.v[slot] as usize]) - w;
    HalfSpace { n, w: w + keep_of(room, plane.floor, keep) }
}
