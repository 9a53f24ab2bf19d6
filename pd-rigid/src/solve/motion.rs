//! Bodies without joints move eight at a time: those whose moments are all equal, without damping and by less than a large angle;
//! the others one by one with the same rules ([`Body::kick`], [`Body::drift`]).

use super::body::{Body, LEASH, Line, SMALL};
use super::lanes::{Eight, Instructions, Kernel, LANES, Lanes, dot, scaled, sum};
use super::side::lines;
use pd_core::Real;

/// Adds forces, and what contacts did in the substep before.
pub(super) struct Kick<'a> {
    pub(super) bodies: &'a mut [Body],
    pub(super) h: Real,
}

impl Kernel for Kick<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let h = i.fill(self.h);
        for chunk in self.bodies.chunks_mut(LANES) {
            let [vx, vy, vz, inv_mass, wx, wy, wz, again] = lines!(i, all(chunk), Line::MOTION);
            let [bx, by, bz, round, cx, cy, cz, rest] = lines!(i, all(chunk), Line::BARE);
            let [ax, ay, az, _, sx, sy, sz, _] = lines!(i, all(chunk), Line::FORCES);
            let v = sum([vx, vy, vz], scaled([ax, ay, az], h));
            let w = sum([wx, wy, wz], scaled([sx, sy, sz], h));
            let zero = i.fill(0.0);
            let repeated =
                |new: I::Lanes, old: I::Lanes, bare: I::Lanes| again.if_above(zero, new, new + (old - bare));
            let (rx, ry, rz) = (repeated(v[0], vx, bx), repeated(v[1], vy, by), repeated(v[2], vz, bz));
            let (ox, oy, oz) = (repeated(w[0], wx, cx), repeated(w[1], wy, cy), repeated(w[2], wz, cz));
            let motion = I::Lanes::transposed([rx, ry, rz, inv_mass, ox, oy, oz, again]);
            let bare = I::Lanes::transposed([v[0], v[1], v[2], round, w[0], w[1], w[2], rest]);
            for (lane, body) in chunk.iter_mut().enumerate() {
                if body.round > 0.0 {
                    motion[lane].store(&mut body.lines_mut()[Line::MOTION]);
                    bare[lane].store(&mut body.lines_mut()[Line::BARE]);
                } else {
                    let before = [body.v, body.w];
                    body.kick(self.h);
                    body.repeat_impulses(before);
                }
            }
        }
    }
}

/// The bodies of a run; the last one again where there are fewer than eight.
#[inline(always)]
fn all(chunk: &[Body]) -> [&Body; LANES] {
    let last = chunk.len() - 1;
    [0, 1, 2, 3, 4, 5, 6, 7].map(|lane: usize| &chunk[lane.min(last)])
}

/// Moves bodies over h.
pub(super) struct Drift<'a> {
    pub(super) bodies: &'a mut [Body],
    pub(super) h: Real,
}

impl Kernel for Drift<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let (h, zero, one) = (i.fill(self.h), i.fill(0.0), i.fill(1.0));
        for chunk in self.bodies.chunks_mut(LANES) {
            let [vx, vy, vz, _, wx, wy, wz, _] = lines!(i, all(chunk), Line::MOTION);
            let [mx, my, mz, fast, tx, ty, tz, size] = lines!(i, all(chunk), Line::WAY);
            let [px, py, pz, touches, qx, qy, qz, qw] = lines!(i, all(chunk), Line::POSE);
            let [ax, ay, az, ..] = lines!(i, all(chunk), Line::FORCES);
            // A body on which nothing else acts falls along its exact parabola.
            let back = touches.if_above(zero, zero, i.fill(-0.5 * self.h * self.h));
            let way = sum(scaled([vx, vy, vz], h), scaled([ax, ay, az], back));
            let theta = scaled([wx, wy, wz], h);
            let (p, moved) = (sum([px, py, pz], way), sum([mx, my, mz], way));
            let turned = sum([tx, ty, tz], theta);
            let far = dot(moved, moved) + dot(turned, turned) * (size * size);
            let leash = i.fill(LEASH) * size;
            let fast = far.if_above(leash * leash, one, fast);
            let x = i.fill(0.25) * dot(theta, theta);
            let (c, s) = half_turn(i, x);
            let [a, b, d] = scaled(theta, s);
            // (c, θ s) q, brought back to length one.
            let q = [
                c * qx + a * qw + b * qz - d * qy,
                c * qy - a * qz + b * qw + d * qx,
                c * qz + a * qy - b * qx + d * qw,
                c * qw - a * qx - b * qy - d * qz,
            ];
            let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
            let [qx, qy, qz, qw] = q.map(|c| c.over(length));
            let ways = [moved[0], moved[1], moved[2], fast, turned[0], turned[1], turned[2], size];
            let ways = I::Lanes::transposed(ways);
            let poses = I::Lanes::transposed([p[0], p[1], p[2], touches, qx, qy, qz, qw]);
            let mut angles = Eight::default();
            x.store(&mut angles);
            for (lane, body) in chunk.iter_mut().enumerate() {
                if body.round > 0.0 && angles.0[lane] < SMALL {
                    ways[lane].store(&mut body.lines_mut()[Line::WAY]);
                    poses[lane].store(&mut body.lines_mut()[Line::POSE]);
                } else {
                    body.drift(self.h);
                }
            }
        }
    }
}

/// cos(θ/2) and sin(θ/2)/θ from (θ/2)², as series, see [`rotation`](super::body::rotation).
#[inline(always)]
fn half_turn<I: Instructions>(i: I, x: I::Lanes) -> (I::Lanes, I::Lanes) {
    let one = i.fill(1.0);
    let (mut sine, mut cosine) = (one, one);
    for (s, c) in [(72.0, 56.0), (42.0, 30.0), (20.0, 12.0), (6.0, 2.0)] {
        sine = one - x * i.fill(1.0 / s) * sine;
        cosine = one - x * i.fill(1.0 / c) * cosine;
    }
    (cosine, i.fill(0.5) * sine)
}
