//! Contact of free grains: one coloured Gauss–Seidel sweep over the pairs of a substep.
//!
//! The unknown of a substep is each grain's displacement d = h v. For a pair with n = x_ab/|x_ab| at the start of the substep
//! the row is |x_ab| − r_a − r_b + n·(d_a − d_b) ≥ 0: the linearised contact of position based dynamics, with a normal that
//! stays, so that the impulses act along the line through both centres and change neither linear nor angular momentum.
//! Coulomb friction at position level (Macklin et al. 2014): the tangential displacement is taken back in full where it is
//! below μ_s times the normal correction, and by μ_k times that correction otherwise.
//!
//! Layers of the grid that are two apart share no grain (see `pairs.rs`): even layers run side by side, then odd ones.

use crate::Pairs;
use pd_core::{Real, Vec3};
use std::ops::Range;

/// Fewer grains than this are not worth a task.
const TASK: usize = 256;

/// What the inner loop reads and writes: one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Grain {
    /// Position at the start of the substep, m.
    pub(crate) x: Vec3,
    /// Displacement over the substep, m.
    pub(crate) d: Vec3,
    /// 1/m, 1/kg; 0 if it is held.
    pub(crate) w: Real,
    /// Radius, m.
    pub(crate) r: Real,
}

/// Rotation of a grain that has a spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spin {
    /// Rotation over the substep, rad.
    pub(crate) turn: Vec3,
    /// m r²/I: 5/2 for a ball, 0 for a grain without spin.
    pub(crate) factor: Real,
}

/// Coefficients of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rub {
    pub(crate) fixed: Real,
    pub(crate) sliding: Real,
    pub(crate) rolling: Real,
}

/// What a sweep reads.
pub(crate) struct Sweep<'a> {
    pub(crate) pairs: &'a Pairs,
    /// Set of every sorted grain.
    pub(crate) set: &'a [u32],
    /// Coefficients of every pair of sets, row after row.
    pub(crate) rub: &'a [Rub],
    pub(crate) sets: usize,
    /// Most that an overlap is pushed apart in a substep, m.
    pub(crate) push: Real,
}

/// What a task works on; numbers of grains count from the first of all.
struct Slice<'a> {
    base: usize,
    grains: &'a mut [Grain],
    /// Empty if no grain has a spin.
    spins: &'a mut [Spin],
}

impl<'a> Slice<'a> {
    /// Cuts before the grain of this number.
    fn split(self, grain: usize) -> [Slice<'a>; 2] {
        let cut = grain - self.base;
        let (grains_a, grains_b) = self.grains.split_at_mut(cut);
        let (spins_a, spins_b) = self.spins.split_at_mut(if self.spins.is_empty() { 0 } else { cut });
        [
            Slice { base: self.base, grains: grains_a, spins: spins_a },
            Slice { base: grain, grains: grains_b, spins: spins_b },
        ]
    }
}

impl Sweep<'_> {
    /// All layers, even ones first.
    pub(crate) fn run(&self, grains: &mut [Grain], spins: &mut [Spin]) {
        for colour in 0..2 {
            let units = self.pairs.layers().saturating_sub(colour).div_ceil(2);
            if units > 0 {
                let whole = Slice { base: 0, grains, spins };
                let [_, slice] = whole.split(self.pairs.points(colour).start);
                self.units(colour, 0..units, slice);
            }
        }
    }

    /// Units by halves: unit u is the layer 2 u + colour, and its grains are those of that layer and the next.
    fn units(&self, colour: usize, units: Range<usize>, slice: Slice<'_>) {
        if units.len() > 1 {
            let middle = units.start.midpoint(units.end);
            let [a, b] = slice.split(self.pairs.points(2 * middle + colour).start);
            let (low, high) = (units.start..middle, middle..units.end);
            if a.grains.len().min(b.grains.len()) < TASK {
                self.units(colour, low, a);
                self.units(colour, high, b);
            } else {
                rayon::join(|| self.units(colour, low, a), || self.units(colour, high, b));
            }
        } else if !units.is_empty() {
            self.layer(2 * units.start + colour, slice);
        }
    }

    fn layer(&self, layer: usize, slice: Slice<'_>) {
        let Slice { base, grains, spins } = slice;
        for &[a, b] in self.pairs.layer(layer) {
            let (i, j) = (a as usize - base, b as usize - base);
            let [ga, gb] = pair(grains, i, j);
            let Some(hit) = meet(ga, gb, self.push) else { continue };
            let rub = &self.rub[self.set[a as usize] as usize * self.sets + self.set[b as usize] as usize];
            if spins.is_empty() {
                slide(ga, gb, &hit, rub);
            } else {
                let [sa, sb] = pair(spins, i, j);
                roll(ga, sa, gb, sb, &hit, rub);
            }
        }
    }
}

/// Two different elements, i < j or i > j.
#[inline]
fn pair<T>(items: &mut [T], i: usize, j: usize) -> [&mut T; 2] {
    if i < j {
        let (low, high) = items.split_at_mut(j);
        [&mut low[i], &mut high[0]]
    } else {
        let (low, high) = items.split_at_mut(i);
        [&mut high[0], &mut low[j]]
    }
}

/// Direction and length of a vector; upwards if it has none.
#[inline]
fn unit(e: &Vec3) -> (Vec3, Real) {
    let length = e.norm();
    (if length > 0.0 { e / length } else { Vec3::y() }, length)
}

/// Change of a push `along` (kg m) that leaves a contact neither approaching nor, as far as the push goes, separating.
#[inline]
pub(crate) fn relaxed(gap: Real, speed: Real, w: Real, along: Real) -> Real {
    ((-gap.max(0.0) - speed) / w).max(-along)
}

/// A row that was brought to its bounds: normal from b to a, its push (kg m), relative displacement.
pub(crate) struct Hit {
    n: Vec3,
    along: Real,
    rel: Vec3,
}

/// The displacement along the normal that is missing, for a gap (m, negative where they overlap) and the displacement
/// `along` so far; overlaps are pushed apart by at most `push`.
#[inline]
pub(crate) fn correction(gap: Real, along: Real, push: Real) -> Real {
    if gap < 0.0 { (-gap).min(push) - along } else { -gap - along }
}

#[inline]
fn meet(a: &Grain, b: &Grain, push: Real) -> Option<Hit> {
    let (e, rel, reach) = (a.x - b.x, a.d - b.d, a.r + b.r);
    let (square, w) = (e.norm_squared(), a.w + b.w);
    let ahead = square + e.dot(&rel);
    // gap + n·rel ≥ 0, without the root.
    if ahead > 0.0 && ahead * ahead >= reach * reach * square {
        return None;
    }
    let (n, length) = unit(&e);
    let along = correction(length - reach, n.dot(&rel), push) / w;
    (along > 0.0).then_some(Hit { n, along, rel })
}

#[inline]
fn slide(a: &mut Grain, b: &mut Grain, hit: &Hit, rub: &Rub) {
    let tangent = hit.rel - hit.n * hit.n.dot(&hit.rel);
    let p = hit.n * hit.along - friction(&tangent, a.w + b.w, hit.along, rub);
    a.d += p * a.w;
    b.d -= p * b.w;
}

/// As [`slide`], where the grains turn: friction acts at the surface, and a torque of at most `rolling` times normal force
/// and radius holds the relative rotation. Linear momentum and the sum of orbital and spin momentum are kept.
#[inline]
fn roll(a: &mut Grain, sa: &mut Spin, b: &mut Grain, sb: &mut Spin, hit: &Hit, rub: &Rub) {
    let (n, w) = (hit.n, a.w + b.w);
    let along = hit.along;
    let surface = hit.rel - (sa.turn * a.r + sb.turn * b.r).cross(&n);
    let tangent = surface - n * n.dot(&surface);
    let p = n * hit.along - friction(&tangent, w + sa.factor * a.w + sb.factor * b.w, along, rub);
    a.d += p * a.w;
    b.d -= p * b.w;
    let torque = n.cross(&p);
    sa.turn -= torque * (sa.factor * a.w / a.r);
    sb.turn -= torque * (sb.factor * b.w / b.r);
    let (ia, ib) = (sa.factor * a.w / (a.r * a.r), sb.factor * b.w / (b.r * b.r));
    let hold = rolling(&(sa.turn - sb.turn), ia + ib, rub.rolling * along * a.r.min(b.r));
    sa.turn -= hold * ia;
    sb.turn += hold * ib;
}

/// Tangential impulse that undoes the displacement `tangent` of a row of inverse mass `w`, within the cone of `along`.
#[inline]
pub(crate) fn friction(tangent: &Vec3, w: Real, along: Real, rub: &Rub) -> Vec3 {
    let length = tangent.norm();
    if length <= rub.fixed * along * w { tangent / w } else { tangent * (rub.sliding * along / length) }
}

/// Torque impulse that undoes the rotation `turn` of inverse inertia `w`, at most `most`.
#[inline]
pub(crate) fn rolling(turn: &Vec3, w: Real, most: Real) -> Vec3 {
    let length = turn.norm();
    if length <= 0.0 || w <= 0.0 { Vec3::zeros() } else { turn * (1.0 / w).min(most / length) }
}
