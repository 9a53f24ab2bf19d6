//! Contact of free grains: one coloured Gauss–Seidel sweep over the pairs of a substep.
//!
//! The unknown of a substep is each grain's displacement d = h v. For a pair with n = x_ab/|x_ab| at the start of the substep
//! the row is |x_ab| − r_a − r_b + n·(d_a − d_b) ≥ 0: the linearised contact of position based dynamics, with a normal that
//! stays, so that the impulses act along the line through both centres and change neither linear nor angular momentum.
//! Coulomb friction at position level (Macklin et al. 2014): the tangential displacement is taken back in full where it is
//! below μ_s times the normal correction, and by μ_k times that correction otherwise.
//!
//! Grains that spin have several sweeps: friction at the surface turns a grain as well as it holds it, so one visit stops only two
//! sevenths of a tangential motion. Their rows keep their pushes over the sweeps of a substep ([`Push`]), and the cone of
//! friction and rolling resistance is that of the sum.
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

/// Pushes of a row so far in a substep: along the normal and across it (kg m), and the rotation held (kg m² rad).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Push {
    pub(crate) along: Real,
    pub(crate) across: Vec3,
    pub(crate) hold: Vec3,
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
    /// Whether the processor has AVX2. The same code compiled for it is shorter by a tenth of the time and gives the same bits.
    pub(crate) wide: bool,
}

/// What a task works on; numbers of grains count from the first of all.
struct Slice<'a> {
    base: usize,
    grains: &'a mut [Grain],
    /// Empty if no grain has a spin.
    spins: &'a mut [Spin],
    /// One for each slot of the pairs of these grains; empty if no grain has a spin.
    pushes: &'a mut [Push],
}

impl<'a> Slice<'a> {
    /// Cuts before the grain of this number; every grain has so many slots for pairs.
    fn split(self, grain: usize, slots: usize) -> [Slice<'a>; 2] {
        let cut = grain - self.base;
        let (pushes_a, pushes_b) =
            self.pushes.split_at_mut(if self.pushes.is_empty() { 0 } else { cut * slots });
        let (grains_a, grains_b) = self.grains.split_at_mut(cut);
        let (spins_a, spins_b) = self.spins.split_at_mut(if self.spins.is_empty() { 0 } else { cut });
        [
            Slice { base: self.base, grains: grains_a, spins: spins_a, pushes: pushes_a },
            Slice { base: grain, grains: grains_b, spins: spins_b, pushes: pushes_b },
        ]
    }
}

impl Sweep<'_> {
    /// All layers, even ones first.
    pub(crate) fn run(&self, grains: &mut [Grain], spins: &mut [Spin], pushes: &mut [Push]) {
        for colour in 0..2 {
            let units = self.pairs.layers().saturating_sub(colour).div_ceil(2);
            if units > 0 {
                let whole = Slice { base: 0, grains, spins, pushes };
                let [_, slice] = whole.split(self.pairs.points(colour).start, self.pairs.per_point());
                self.units(colour, 0..units, slice);
            }
        }
    }

    /// Units by halves: unit u is the layer 2 u + colour, and its grains are those of that layer and the next.
    fn units(&self, colour: usize, units: Range<usize>, slice: Slice<'_>) {
        if units.len() > 1 {
            let middle = units.start.midpoint(units.end);
            let [a, b] = slice.split(self.pairs.points(2 * middle + colour).start, self.pairs.per_point());
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
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            #[target_feature(enable = "avx2")]
            fn compiled(sweep: &Sweep<'_>, layer: usize, slice: Slice<'_>) {
                sweep.sweep_layer(layer, slice);
            }
            // SAFETY: `wide` says that the processor has the instructions.
            return unsafe { compiled(self, layer, slice) };
        }
        self.sweep_layer(layer, slice);
    }

    #[inline(always)]
    fn sweep_layer(&self, layer: usize, slice: Slice<'_>) {
        let Slice { base, grains, spins, pushes } = slice;
        let rub = |a: u32, b: u32| {
            &self.rub[self.set[a as usize] as usize * self.sets + self.set[b as usize] as usize]
        };
        if spins.is_empty() {
            for &[a, b] in self.pairs.layer(layer) {
                let [ga, gb] = pair(grains, a as usize - base, b as usize - base);
                if let Some(hit) = meet(ga, gb, self.push) {
                    slide(ga, gb, &hit, rub(a, b));
                }
            }
            return;
        }
        for (&[a, b], push) in self.pairs.layer(layer).iter().zip(pushes) {
            let (i, j) = (a as usize - base, b as usize - base);
            let [ga, gb] = pair(grains, i, j);
            if push.along > 0.0 || meet(ga, gb, self.push).is_some() {
                let [sa, sb] = pair(spins, i, j);
                roll(ga, sa, gb, sb, push, rub(a, b), self.push);
            }
        }
    }
}

/// Two different elements, i < j or i > j.
#[inline(always)]
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
#[inline(always)]
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
#[inline(always)]
pub(crate) fn correction(gap: Real, along: Real, push: Real) -> Real {
    if gap < 0.0 { (-gap).min(push) - along } else { -gap - along }
}

#[inline(always)]
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

#[inline(always)]
fn slide(a: &mut Grain, b: &mut Grain, hit: &Hit, rub: &Rub) {
    let tangent = hit.rel - hit.n * hit.n.dot(&hit.rel);
    let p = hit.n * hit.along - friction(&tangent, a.w + b.w, hit.along, rub);
    a.d += p * a.w;
    b.d -= p * b.w;
}

/// As [`slide`], where the grains turn: friction acts at the surface, and a torque of at most `rolling` times normal force
/// and radius holds the relative rotation. Linear momentum and the sum of orbital and spin momentum are kept.
#[inline]
fn roll(a: &mut Grain, sa: &mut Spin, b: &mut Grain, sb: &mut Spin, push: &mut Push, rub: &Rub, most: Real) {
    let ((n, length), w) = (unit(&(a.x - b.x)), a.w + b.w);
    let gap = length - a.r - b.r;
    let along = (push.along + correction(gap, n.dot(&(a.d - b.d)), most) / w).max(0.0);
    let p = n * (along - push.along);
    push.along = along;
    a.d += p * a.w;
    b.d -= p * b.w;
    let surface = a.d - b.d - (sa.turn * a.r + sb.turn * b.r).cross(&n);
    let tangent = surface - n * n.dot(&surface);
    let across = push.across_after(&tangent, w + sa.factor * a.w + sb.factor * b.w, rub);
    let p = across - push.across;
    push.across = across;
    a.d += p * a.w;
    b.d -= p * b.w;
    let torque = n.cross(&p);
    sa.turn -= torque * (sa.factor * a.w / a.r);
    sb.turn -= torque * (sb.factor * b.w / b.r);
    let (ia, ib) = (sa.factor * a.w / (a.r * a.r), sb.factor * b.w / (b.r * b.r));
    let hold = push.hold_after(&(sa.turn - sb.turn), ia + ib, rub.rolling * along * a.r.min(b.r));
    let change = hold - push.hold;
    push.hold = hold;
    sa.turn -= change * ia;
    sb.turn += change * ib;
}

impl Push {
    /// The push across the normal after the displacement `tangent` of a row of inverse mass `w` was undone, within the cone.
    #[inline]
    pub(crate) fn across_after(&self, tangent: &Vec3, w: Real, rub: &Rub) -> Vec3 {
        let across = self.across - tangent / w;
        let length = across.norm();
        if length <= rub.fixed * self.along { across } else { across * (rub.sliding * self.along / length) }
    }

    /// The rotation held after `turn` of inverse inertia `w` was undone; its size is at most `most`.
    #[inline]
    pub(crate) fn hold_after(&self, turn: &Vec3, w: Real, most: Real) -> Vec3 {
        if w <= 0.0 {
            return self.hold;
        }
        let hold = self.hold + turn / w;
        let length = hold.norm();
        if length <= most { hold } else { hold * (most / length) }
    }
}

/// Tangential impulse that undoes the displacement `tangent` of a row of inverse mass `w`, within the cone of `along`.
#[inline(always)]
pub(crate) fn friction(tangent: &Vec3, w: Real, along: Real, rub: &Rub) -> Vec3 {
    let length = tangent.norm();
    if length <= rub.fixed * along * w { tangent / w } else { tangent * (rub.sliding * along / length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spots::has_avx2;
    use crate::{Axes, Grid};

    #[test]
    fn all_instructions_give_the_same_bits() {
        let number = |k: usize| (k * 7919 % 1009) as Real / 1009.0 - 0.5;
        let at = |k: usize| Vec3::new((k % 6) as Real, (k / 6 % 6) as Real, (k / 36) as Real) * 0.09;
        let x: Vec<Vec3> =
            (0..216).map(|k| at(k) + Vec3::new(number(k), number(k + 3), number(k + 7)) * 0.02).collect();
        let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
        grid.build(&x, 0.12, Axes::default());
        pairs.within(&grid, &x, 0.12);
        let swept = |wide: bool| {
            let grain = |&i: &u32| {
                let d = Vec3::new(number(i as usize + 11), -0.5, number(i as usize + 13)) * 0.01;
                Grain { x: x[i as usize], d, w: 1.0, r: 0.05 }
            };
            let mut grains: Vec<Grain> = grid.order().iter().map(grain).collect();
            let rub = [Rub { fixed: 0.5, sliding: 0.4, rolling: 0.0 }];
            let set = vec![0; grains.len()];
            Sweep { pairs: &pairs, set: &set, rub: &rub, sets: 1, push: 0.01, wide }.run(
                &mut grains,
                &mut [],
                &mut [],
            );
            grains
        };
        let plain = swept(false);
        assert!(plain.iter().any(|grain| (grain.d.y + 0.005).abs() > 1e-4), "some touched");
        assert_eq!(plain, swept(has_avx2()));
    }
}
