//! Inside or outside for every lattice point, and the place where an edge between them is cut.

use super::Body;
use super::crossings::{Crossings, crossings};
use super::lattice::{Lattice, edge_of_key};
use super::warp::least_fraction;
use crate::Vec3;

/// Outside and inside, by the winding number or by decree to keep a thin part or a narrow gap.
const OUTSIDE: i8 = -1;
const INSIDE: i8 = 1;
const FORCED_OUTSIDE: i8 = -2;
const FORCED_INSIDE: i8 = 2;
/// Decrees of the present round.
const FRESH_OUTSIDE: i8 = -3;
const FRESH_INSIDE: i8 = 3;

/// How far from a lost part a lattice point may be that stands for it, in half lattice edges.
const REACH: f64 = 1.5;

/// Points between two reports of progress.
const OBSERVED: usize = 1024;

/// The lattice with a state per point.
pub(super) struct Field {
    pub(super) lattice: Lattice,
    states: Vec<i8>,
    crossings: Crossings,
}

impl Field {
    pub(super) fn new(body: &Body<'_>, lattice: Lattice, observe: &mut dyn FnMut(f64)) -> Self {
        let crossings = crossings(body.surface, &lattice);
        let mut states = vec![0; lattice.len()];
        let inside = |x: Vec3| if body.winding(x) > 0.5 { INSIDE } else { OUTSIDE };
        if body.closed {
            let band = ends_of_edges(&crossings, &lattice);
            for (k, &point) in band.iter().enumerate() {
                if k.is_multiple_of(OBSERVED) {
                    observe(k as f64 / band.len() as f64);
                }
                states[point as usize] = inside(lattice.position(point));
            }
            flood(&mut states, band, &lattice);
        } else {
            // Through a hole one can walk outside without crossing anything, so every point is asked.
            for point in 0..lattice.len() as u32 {
                if (point as usize).is_multiple_of(OBSERVED) {
                    observe(f64::from(point) / lattice.len() as f64);
                }
                states[point as usize] = inside(lattice.position(point));
            }
        }
        Self { lattice, states, crossings }
    }

    /// The signs of all points.
    pub(super) fn signs(&self) -> Vec<i8> {
        self.states.iter().map(|state| state.signum()).collect()
    }

    /// 1 inside, −1 outside.
    pub(super) fn sign(&self, point: u32) -> i8 {
        self.states[point as usize].signum()
    }

    /// Points inside.
    pub(super) fn inside_points(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.states.len() as u32).filter(|&point| self.sign(point) > 0)
    }

    /// Declares the lattice point nearest to `x` inside or outside. Returns whether that is new; the first decree holds. If it
    /// is of an earlier round and has not helped, with `far` the next nearest point within [`REACH`] is taken.
    pub(super) fn force_nearest(&mut self, x: Vec3, inside: bool, far: bool) -> bool {
        let at = self.lattice.scaled(x);
        let mut near: Vec<(f64, [i64; 3])> = Vec::new();
        for parity in [0.0, 1.0] {
            let nearest = at.map(|c| 2.0 * ((c - parity) / 2.0).round() + parity);
            for step in (0..27).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9))) {
                let point = nearest + (step - Vec3::repeat(1.0)) * 2.0;
                let distance = (point - at).norm_squared();
                if distance <= REACH * REACH {
                    near.push((distance, point.map(|c| c as i64).into()));
                }
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, coordinates) in near {
            let Some(point) = self.lattice.point(coordinates) else { continue };
            let state = &mut self.states[point as usize];
            match *state {
                OUTSIDE | INSIDE => {
                    *state = if inside { FRESH_INSIDE } else { FRESH_OUTSIDE };
                    return true;
                }
                FORCED_OUTSIDE | FORCED_INSIDE if far => {}
                _ => return false,
            }
        }
        false
    }

    /// Ends a round: newly forced points become ordinary forced points.
    pub(super) fn settle(&mut self) {
        for state in &mut self.states {
            *state = (*state).clamp(FORCED_OUTSIDE, FORCED_INSIDE);
        }
    }

    /// Fraction of the edge from the inside point to the cut.
    pub(super) fn cut_fraction(
        &self,
        body: &Body<'_>,
        key: u64,
        inside: u32,
        outside: u32,
        leaves_inside: bool,
    ) -> f64 {
        let start = self.crossings.partition_point(|&(other, _)| other < key);
        let on_edge = self.crossings[start..].iter().take_while(|&&(other, _)| other == key);
        let fractions = on_edge.map(|&(_, t)| if leaves_inside { t } else { 1.0 - t });
        let kept = self.states[inside as usize] == FORCED_INSIDE;
        let gap = self.states[outside as usize] == FORCED_OUTSIDE;
        if kept || gap {
            // The part ends at its last crossing and the gap begins at its first. Nearer to a point than the bound, the
            // point itself would be moved away, and with it what it stands for.
            let least = least_fraction(edge_of_key(key).1);
            let cut =
                if kept { fractions.fold(least, f64::max) } else { fractions.fold(1.0 - least, f64::min) };
            return if gap { cut.min(1.0 - least) } else { cut };
        }
        let first = fractions.fold(f64::INFINITY, f64::min);
        if first.is_finite() { first } else { self.bisect(body, inside, outside) }
    }

    /// Where the winding number passes ½, for edges through a hole of the surface.
    fn bisect(&self, body: &Body<'_>, inside: u32, outside: u32) -> f64 {
        let (from, to) = (self.lattice.position(inside), self.lattice.position(outside));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..16 {
            let middle = 0.5 * (low + high);
            if body.winding(from + (to - from) * middle) > 0.5 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Ends of all crossed edges, ascending.
fn ends_of_edges(crossings: &Crossings, lattice: &Lattice) -> Vec<u32> {
    let both = |&(key, _): &(u64, f64)| {
        let (from, step) = edge_of_key(key);
        [Some(from), lattice.step(from, step)]
    };
    let mut points: Vec<u32> = crossings.iter().flat_map(both).flatten().collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// Spreads the known states to all other points: a point none of whose edges is crossed is on the side of its neighbours.
fn flood(states: &mut [i8], mut front: Vec<u32>, lattice: &Lattice) {
    while !front.is_empty() {
        let mut next = Vec::new();
        for &point in &front {
            for (_, other, ..) in lattice.neighbours(point) {
                if states[other as usize] == 0 {
                    states[other as usize] = states[point as usize];
                    next.push(other);
                }
            }
        }
        front = next;
    }
    for state in states {
        if *state == 0 {
            *state = OUTSIDE;
        }
    }
}
