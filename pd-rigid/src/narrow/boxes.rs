//! Separating axes of eight pairs of boxes at once: [`separate`](super::cuboid::separate) in lanes.

use super::Touches;
use super::axis::PREFER;
use super::cuboid::{Best, NEARLY_FACE, PARALLEL, along};
use crate::solve::lanes::{Eight, Instructions, Kernel, LANES, Lanes, Level, difference, dot};
use pd_core::{Mat3, Real, Vec3};

/// A box at its place, as two lines of eight numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct BoxAt {
    /// Rotation.
    pub(crate) turn: Mat3,
    /// Centre, m.
    pub(crate) centre: Vec3,
    /// Half extents, m.
    pub(crate) half: Vec3,
    /// How far it may come in the step, m.
    pub(crate) far: Real,
}

impl BoxAt {
    #[inline(always)]
    fn lines(&self) -> &[Eight; 2] {
        // SAFETY: sixteen numbers without gaps at a multiple of 64.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

const _: () = assert!(size_of::<BoxAt>() == 128 && size_of::<Mat3>() == 72 && size_of::<Vec3>() == 24);

/// What separates eight pairs: the axis as a number, and the second box in the frame of the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Separations {
    code: Eight,
    c: [[Eight; 3]; 3],
    t: [Eight; 3],
}

impl Separations {
    /// Finds the axes of pairs, no farther apart than `margin` or than both may come.
    pub(crate) fn find(&mut self, level: Level, pairs: &[[&BoxAt; 2]; LANES], margin: Real) {
        level.run(Separate { pairs, margin, to: self });
    }

    /// Points of a pair that are nearer than `reach`.
    pub(crate) fn touches(&self, lane: usize, [a, b]: [&BoxAt; 2], reach: Real) -> Touches {
        let at = |k: usize, l: usize| self.c[k][l].0[lane];
        let Some(best) = decoded(self.code.0[lane]) else { return Touches::default() };
        let c = Mat3::new(
            at(0, 0),
            at(0, 1),
            at(0, 2),
            at(1, 0),
            at(1, 1),
            at(1, 2),
            at(2, 0),
            at(2, 1),
            at(2, 2),
        );
        let t = Vec3::new(self.t[0].0[lane], self.t[1].0[lane], self.t[2].0[lane]);
        along((&a.half, &a.centre, &a.turn), (&b.half, &b.centre, &b.turn), best, &c, &t, reach)
    }
}

/// Faces of the first box are 2 axis + side from 0 on, those of the second from 6, edges 3 i + j from 12; below, they are apart.
fn decoded(code: Real) -> Option<Best> {
    let code = if code >= 0.0 { code as usize } else { return None };
    Some(match code {
        0..6 => Best::FaceA(code / 2, code % 2 == 1),
        6..12 => Best::FaceB((code - 6) / 2, code % 2 == 1),
        _ => Best::Edges((code - 12) / 3, (code - 12) % 3),
    })
}

struct Separate<'a> {
    pairs: &'a [[&'a BoxAt; 2]; LANES],
    margin: Real,
    to: &'a mut Separations,
}

/// A side of all pairs: columns of the rotation, centre, half extents, way.
struct Boxes<L> {
    axes: [[L; 3]; 3],
    centre: [L; 3],
    half: [L; 3],
    far: L,
}

#[inline(always)]
fn read<I: Instructions>(i: I, pairs: &[[&BoxAt; 2]; LANES], side: usize) -> Boxes<I::Lanes> {
    let (mut first, mut second) = ([i.fill(0.0); LANES], [i.fill(0.0); LANES]);
    for lane in 0..LANES {
        let lines = pairs[lane][side].lines();
        (first[lane], second[lane]) = (i.load(&lines[0]), i.load(&lines[1]));
    }
    let [a, b, c, d, e, f, g, h] = I::Lanes::transposed(first);
    let [k, px, py, pz, hx, hy, hz, far] = I::Lanes::transposed(second);
    Boxes { axes: [[a, b, c], [d, e, f], [g, h, k]], centre: [px, py, pz], half: [hx, hy, hz], far }
}

#[inline(always)]
fn abs<L: Lanes>(x: L) -> L {
    x.max(-x)
}

/// As [`better_than`](super::axis::better_than).
#[inline(always)]
fn bound<I: Instructions>(i: I, best: I::Lanes, scale: I::Lanes) -> I::Lanes {
    let (prefer, zero) = (i.fill(PREFER), i.fill(0.0));
    zero.if_above(best, best * prefer, best.over(prefer)) + i.fill(1e-5) * scale
}

impl Kernel for Separate<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let (a, b) = (read(i, self.pairs, 0), read(i, self.pairs, 1));
        let (zero, one) = (i.fill(0.0), i.fill(1.0));
        let reach = (a.far + b.far).max(i.fill(self.margin));
        let away = difference(b.centre, a.centre);
        let (mut c, mut size, mut t) = ([[zero; 3]; 3], [[zero; 3]; 3], [zero; 3]);
        for k in 0..3 {
            t[k] = dot(a.axes[k], away);
            t[k].store(&mut self.to.t[k]);
            for l in 0..3 {
                c[k][l] = dot(a.axes[k], b.axes[l]);
                size[k][l] = abs(c[k][l]);
                c[k][l].store(&mut self.to.c[k][l]);
            }
        }
        let (ha, hb) = (a.half, b.half);
        let scale = ha[0].min(ha[1]).min(ha[2]) + hb[0].min(hb[1]).min(hb[2]);
        // Faces. `apart` is above zero where they are too far from each other.
        let (mut best, mut code, mut apart) = (zero, zero, zero);
        for k in 0..6 {
            let (gap, along) = if k < 3 {
                let width = size[k][0] * hb[0] + size[k][1] * hb[1] + size[k][2] * hb[2];
                (abs(t[k]) - ha[k] - width, t[k])
            } else {
                let l = k - 3;
                let along = t[0] * c[0][l] + t[1] * c[1][l] + t[2] * c[2][l];
                let width = size[0][l] * ha[0] + size[1][l] * ha[1] + size[2][l] * ha[2];
                (abs(along) - hb[l] - width, -along)
            };
            apart = gap.if_above(reach, one, apart);
            // The side that looks towards the other box.
            let side = i.fill(2.0 * k as Real) + along.if_above(zero, one, zero);
            if k == 0 {
                (best, code) = (gap, side);
            } else {
                let limit = bound(i, best, scale);
                (best, code) = (gap.if_above(limit, gap, best), gap.if_above(limit, side, code));
            }
        }
        // 1 for the axis of the face that separates best.
        let mut face = [zero; 6];
        for k in 0..6 {
            let near = code - i.fill(2.0 * k as Real + 0.5);
            face[k] = i.fill(0.75).if_above(abs(near), one, zero);
        }
        let mut limit = bound(i, best, scale);
        for k in 0..3 {
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            for l in 0..3 {
                let (p, q) = ((l + 1) % 3, (l + 2) % 3);
                let squares = [c[u][l] * c[u][l], c[v][l] * c[v][l]];
                let square = squares[0] + squares[1];
                let along = t[v] * c[u][l] - t[u] * c[v][l];
                let s = abs(along)
                    - (ha[u] * size[v][l] + ha[v] * size[u][l])
                    - (hb[p] * size[k][q] + hb[q] * size[k][p]);
                let signed = s * abs(s);
                let crossed = i.fill(PARALLEL).if_above(square, zero, one);
                apart = signed.if_above(reach * abs(reach) * square, apart.max(crossed), apart);
                // Square of the part of the axis along the normal of the face.
                let part = face[u] * squares[1]
                    + face[v] * squares[0]
                    + face[3 + p] * (c[k][q] * c[k][q])
                    + face[3 + q] * (c[k][p] * c[k][p]);
                let own = part.if_above(i.fill(NEARLY_FACE) * square, zero, crossed);
                let wins = signed.if_above(limit * abs(limit) * square, own, zero);
                // Seldom: what lies on each other touches with faces.
                if wins.some_above(zero) {
                    best = wins.if_above(zero, s.over(square.sqrt()), best);
                    code = wins.if_above(zero, i.fill(12.0 + (3 * k + l) as Real), code);
                    limit = bound(i, best, scale);
                }
            }
        }
        apart.if_above(zero, i.fill(-1.0), code).store(&mut self.to.code);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cuboid::separate;
    use super::*;
    use nalgebra::UnitQuaternion;
    use proptest::prelude::*;

    fn placed(numbers: &[Real]) -> BoxAt {
        let v = |k: usize| Vec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
        let turn = UnitQuaternion::from_scaled_axis(v(0)).to_rotation_matrix().into_inner();
        BoxAt { turn, centre: v(3), half: v(6).map(|x| 0.6 + 0.5 * x), far: 0.05 }
    }

    proptest! {
        #[test]
        fn lanes_find_the_axis_of_each_pair(numbers in prop::collection::vec(-1.0..1.0f64, 18 * LANES), small in any::<bool>()) {
            let turn = if small { 1e-3 } else { 1.0 };
            let boxes: Vec<BoxAt> = numbers.chunks(9).map(|n| {
                let mut n = n.to_vec();
                n[..3].iter_mut().for_each(|x| *x *= turn);
                placed(&n)
            }).collect();
            let pairs = [0, 1, 2, 3, 4, 5, 6, 7].map(|k: usize| [&boxes[2 * k], &boxes[2 * k + 1]]);
            for level in Level::all() {
                let mut found = Separations::default();
                found.find(level, &pairs, 0.02);
                for (lane, [a, b]) in pairs.iter().enumerate() {
                    let (c, t) = (a.turn.tr_mul(&b.turn), a.turn.tr_mul(&(b.centre - a.centre)));
                    let expected = separate((&a.half, &b.half), &c, &t, 0.1);
                    prop_assert_eq!(decoded(found.code.0[lane]), expected, "lane {} of {:?}", lane, level);
                }
            }
        }
    }
}
