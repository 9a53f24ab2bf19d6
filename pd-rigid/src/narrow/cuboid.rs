//! Two boxes: separating axes in the frame of the first (Gottschalk, Lin & Manocha 1996), then the face that meets another cut
//! to the rectangle of that face, in its own frame, where its sides lie along the axes.
//!
//! The axis a_i × b_j of two edges is compared without its root: with l² = 1 − (a_i·b_j)², a gap s/l exceeds a bound B where
//! s|s| > B|B| l².

use super::axis::better_than;
use super::closest::segment_segment;
use super::reduce::reduce;
use super::{Touch, Touches};
use pd_core::{Mat3, Real, Vec3};

/// A box at its place: half extents, centre and rotation.
pub(super) type Placed<'a> = (&'a Vec3, &'a Vec3, &'a Mat3);

/// Edges nearer to parallel than this say nothing new: sin² of their angle.
pub(super) const PARALLEL: Real = 1e-8;

/// An axis of two edges within 0.3° of the face that separates best is that face: cos² of the angle. Boxes that lie on each other and
/// lean a little would else stand on one point now and then; a depth is wrong by half of a hundredth of a box at most.
pub(super) const NEARLY_FACE: Real = 0.999975;

/// What separates best, in the frame of the first box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Best {
    /// A face of the first: axis, and whether it is the upper one.
    FaceA(usize, bool),
    /// A face of the second.
    FaceB(usize, bool),
    /// An axis of each.
    Edges(usize, usize),
}

/// Points that are nearer than `reach`.
pub(super) fn cuboids(a: Placed<'_>, b: Placed<'_>, reach: Real) -> Touches {
    // b in the frame of a.
    let c = a.2.tr_mul(b.2);
    let t = a.2.tr_mul(&(b.1 - a.1));
    match separate((a.0, b.0), &c, &t, reach) {
        None => Touches::default(),
        Some(best) => along(a, b, best, &c, &t, reach),
    }
}

/// Points that are nearer than `reach`, for the axis that separates best and the second box in the frame of the first.
pub(super) fn along(a: Placed<'_>, b: Placed<'_>, best: Best, c: &Mat3, t: &Vec3, reach: Real) -> Touches {
    let (ra, rb) = (a.2, b.2);
    let column = |r: &Mat3, k: usize, away: bool| -> Vec3 {
        let column: Vec3 = r.column(k).into();
        if away { -column } else { column }
    };
    match best {
        Best::FaceA(i, up) => {
            let face = Face { half: a.0, axis: i, up, swapped: false };
            let found = cut(&face, c, t, b.0, reach);
            found.in_world(column(ra, i, up), ra, a.1)
        }
        Best::FaceB(j, up) => {
            let face = Face { half: b.0, axis: j, up, swapped: true };
            let found = cut(&face, &c.transpose(), &-c.tr_mul(t), a.0, reach);
            found.in_world(column(rb, j, !up), rb, b.1)
        }
        Best::Edges(i, j) => {
            let (n, point) = edges((a.0, b.0), (i, j), c, t);
            let mut touches = Touches { normal: ra * n, ..Touches::default() };
            if point.gap < reach {
                touches.push(a.1 + ra * point.place, point.gap, point.feature);
            }
            touches
        }
    }
}

/// The axis along which two boxes overlap least; `None` if they are farther apart than `reach`.
pub(super) fn separate((ha, hb): (&Vec3, &Vec3), c: &Mat3, t: &Vec3, reach: Real) -> Option<Best> {
    let abs = c.map(Real::abs);
    let scale = ha.min() + hb.min();
    let mut best = (Real::NEG_INFINITY, Best::FaceA(0, false));
    for i in 0..3 {
        let gap = t[i].abs() - ha[i] - (abs[(i, 0)] * hb.x + abs[(i, 1)] * hb.y + abs[(i, 2)] * hb.z);
        if gap > reach {
            return None;
        }
        if best.0 == Real::NEG_INFINITY || gap > better_than(best.0, scale) {
            // The side that looks towards the other box.
            best = (gap, Best::FaceA(i, t[i] > 0.0));
        }
    }
    for j in 0..3 {
        let along = t.x * c[(0, j)] + t.y * c[(1, j)] + t.z * c[(2, j)];
        let gap = along.abs() - hb[j] - (abs[(0, j)] * ha.x + abs[(1, j)] * ha.y + abs[(2, j)] * ha.z);
        if gap > reach {
            return None;
        }
        if gap > better_than(best.0, scale) {
            best = (gap, Best::FaceB(j, along < 0.0));
        }
    }
    let face = best.1;
    for i in 0..3 {
        let (u, v) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (p, q) = ((j + 1) % 3, (j + 2) % 3);
            let square = c[(u, j)] * c[(u, j)] + c[(v, j)] * c[(v, j)];
            if square < PARALLEL {
                continue;
            }
            let along = t[v] * c[(u, j)] - t[u] * c[(v, j)];
            let s = along.abs()
                - (ha[u] * abs[(v, j)] + ha[v] * abs[(u, j)])
                - (hb[p] * abs[(i, q)] + hb[q] * abs[(i, p)]);
            let signed = s * s.abs();
            if signed > reach * reach.abs() * square {
                return None;
            }
            // The part of the axis along the normal of the face.
            let part = match face {
                Best::FaceA(f, _) if f == u => c[(v, j)],
                Best::FaceA(f, _) if f == v => c[(u, j)],
                Best::FaceB(f, _) if f == p => c[(i, q)],
                Best::FaceB(f, _) if f == q => c[(i, p)],
                _ => 0.0,
            };
            if part * part > NEARLY_FACE * square {
                continue;
            }
            let bound = better_than(best.0, scale);
            if signed > bound * bound.abs() * square {
                best = (s / square.sqrt(), Best::Edges(i, j));
            }
        }
    }
    Some(best.1)
}

/// Two edges that cross: the normal and the point half-way between their nearest points, in the frame of the first box.
fn edges((ha, hb): (&Vec3, &Vec3), (i, j): (usize, usize), c: &Mat3, t: &Vec3) -> (Vec3, Touch) {
    let mut n = Vec3::ith(i, 1.0).cross(&c.column(j)).normalize();
    if t.dot(&n) > 0.0 {
        n = -n; // from the second to the first
    }
    // The edge of each that lies farthest towards the other.
    let corner = |h: &Vec3, axis: usize, d: &Vec3| {
        Vec3::from_fn(|k, _| if k == axis { -h[k] } else { h[k].copysign(d[k]) })
    };
    let name = |axis: usize, d: &Vec3| {
        (0..3).filter(|&k| k != axis && d[k] > 0.0).fold(axis << 3, |name, k| name | 1 << k) as u64
    };
    let (da, db) = (-n, c.tr_mul(&n));
    let (p, q) = (corner(ha, i, &da), t + c * corner(hb, j, &db));
    let (along_p, along_q): (Vec3, Vec3) = (Vec3::ith(i, 2.0 * ha[i]), c.column(j) * (2.0 * hb[j]));
    let (x, y) = segment_segment(&p, &along_p, &q, &along_q);
    let (x, y) = (p + along_p * x, q + along_q * y);
    let gap = n.dot(&(x - y));
    let feature = 1 << 40 | name(i, &da) << 16 | name(j, &db);
    (n, Touch { place: (x + y) * 0.5, gap, feature })
}

/// The face of a box that another is cut to.
struct Face<'a> {
    /// Half extents of its box.
    half: &'a Vec3,
    axis: usize,
    up: bool,
    /// Whether its box is the second of the two.
    swapped: bool,
}

/// A corner of the face that is cut, in the frame of the other, and what made it: the vertex it began as and the side that cut
/// it last.
#[derive(Clone, Copy, Default)]
struct Corner {
    p: [Real; 3],
    feature: u64,
}

/// Most corners of a face that was cut.
const MOST: usize = 8;

/// Corners of a face that was cut.
struct Cut {
    len: usize,
    /// Corners, and room for those of the next cut.
    corners: [[Corner; MOST]; 2],
    now: usize,
    /// Axis of the face it was cut to and its height along the outward normal `sign`.
    axis: usize,
    sign: Real,
    top: Real,
    name: u64,
    reach: Real,
}

/// Cuts the face of the other box (axes `c`, centre `t`, half extents) that looks most against `face`.
fn cut(face: &Face<'_>, c: &Mat3, t: &Vec3, other: &Vec3, reach: Real) -> Cut {
    let (i, sign) = (face.axis, if face.up { 1.0 } else { -1.0 });
    let steep = |j: usize| c[(i, j)].abs();
    let mut j = 0;
    for k in 1..3 {
        if steep(k) > steep(j) {
            j = k;
        }
    }
    let (p, q) = ((j + 1) % 3, (j + 2) % 3);
    let up = sign * c[(i, j)] < 0.0;
    let middle = if up { other[j] } else { -other[j] };
    let mut cut = Cut {
        len: 4,
        corners: [[Corner::default(); MOST]; 2],
        now: 0,
        axis: i,
        sign,
        top: face.half[i],
        name: u64::from(face.swapped) << 36
            | ((2 * i + usize::from(face.up)) as u64) << 28
            | ((2 * j + usize::from(up)) as u64) << 20,
        reach,
    };
    for (k, [a, b]) in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].into_iter().enumerate() {
        let (x, y) = (a * other[p], b * other[q]);
        let at = |r: usize| t[r] + c[(r, j)] * middle + c[(r, p)] * x + c[(r, q)] * y;
        let bits = u64::from(up) << j | u64::from(a > 0.0) << p | u64::from(b > 0.0) << q;
        cut.corners[0][k] = Corner { p: [at(0), at(1), at(2)], feature: bits };
    }
    let (u, v) = ((i + 1) % 3, (i + 2) % 3);
    for (side, (axis, sign)) in [(u, 1.0), (v, 1.0), (u, -1.0), (v, -1.0)].into_iter().enumerate() {
        cut.by(axis, sign, face.half[axis], side as u64 + 1);
    }
    cut
}

impl Cut {
    /// Cuts off what lies beyond sign · p[axis] = most (Sutherland & Hodgman 1974).
    #[inline]
    fn by(&mut self, axis: usize, sign: Real, most: Real, side: u64) {
        let (old, new) = match &mut self.corners {
            [a, b] if self.now == 0 => (a, b),
            [a, b] => (b, a),
        };
        let (len, mut over, mut some) = (self.len, [0.0; MOST], false);
        for (over, corner) in over.iter_mut().zip(&old[..len]) {
            *over = sign * corner.p[axis] - most;
            some |= *over > 0.0;
        }
        if !some {
            return;
        }
        let mut count = 0;
        let mut keep = |corner: Corner| {
            if count < MOST {
                new[count] = corner;
                count += 1;
            }
        };
        for k in 0..len {
            let next = if k + 1 == len { 0 } else { k + 1 };
            let (from, to) = (&old[k], &old[next]);
            let (du, dv) = (over[k], over[next]);
            if du <= 0.0 {
                keep(*from);
            }
            if (du < 0.0 && dv > 0.0) || (du > 0.0 && dv < 0.0) {
                let s = du / (du - dv);
                let along = |r: usize| from.p[r] + (to.p[r] - from.p[r]) * s;
                // Named by the corner that was cut off and the side that did it.
                let gone = if du > 0.0 { from.feature } else { to.feature };
                let feature = (gone & 0xff) | side << 8 | u64::from(du > 0.0) << 16;
                keep(Corner { p: [along(0), along(1), along(2)], feature });
            }
        }
        (self.now, self.len) = (1 - self.now, count);
    }

    /// The points that are near, in the world, for a normal there.
    fn in_world(&self, normal: Vec3, turn: &Mat3, origin: &Vec3) -> Touches {
        let mut found = [Touch::default(); MOST];
        let mut len = 0;
        for corner in &self.corners[self.now][..self.len] {
            let gap = self.sign * corner.p[self.axis] - self.top;
            if gap < self.reach {
                let mut p = Vec3::from(corner.p);
                p[self.axis] -= self.sign * 0.5 * gap;
                let place = origin + turn * p;
                found[len] = Touch { place, gap, feature: self.name | corner.feature };
                len += 1;
            }
        }
        reduce(normal, &found[..len])
    }
}
