//! A body while an island is solved, and how it moves by itself.
//!
//! Rotation follows the Lie midpoint rule (Krysl & Endres 2005): with the angular momentum L and the inertia I = R I₀ Rᵀ,
//! the mean angular velocity ω of a step h solves
//!
//!   I₀ θ = exp(−θ/2) h L_body,    θ = h Rᵀω,
//!
//! then R⁺ = exp(hω) R and ω⁺ = (R⁺ I₀ R⁺ᵀ)⁻¹ L. L is kept exactly whatever the step, and the rule is symmetric, so that a
//! body which tumbles about its middle axis neither gains nor loses energy over time.

use super::lanes::Eight;
use nalgebra::{Quaternion, UnitQuaternion};
use pd_core::{Mat3, Real, Vec3};

/// How far a body may move in a step, as a share of its size, and turn, rad, before levers and masses of its contacts are
/// brought to its new pose: gaps to first order are then exact to a millionth of its size.
pub(super) const LEASH: Real = 1e-3;

/// A body while an island is solved. An array of structures, unlike the state: contacts and joints reach for whole bodies
/// in no order. What a sweep over contacts reads comes first, in lines of eight numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Body {
    /// Velocity, m/s.
    pub(crate) v: Vec3,
    /// 1/mass, 1/kg; 0 unless dynamic.
    pub(crate) inv_mass: Real,
    /// Angular velocity, rad/s.
    pub(crate) w: Vec3,
    /// 1 where the impulses of its contacts are to be given again one by one in the next substep; 0 where their sum will do.
    pub(crate) again: Real,
    /// Way since the start of the step, m.
    pub(crate) moved: Vec3,
    /// 1 if it moved or turned far in this step, see [`LEASH`].
    pub(crate) fast: Real,
    /// Turn since the start of the step, rotation vector.
    pub(crate) turned: Vec3,
    /// Radius of gyration, m; 0 where any motion counts as fast.
    pub(crate) size: Real,
    /// Centre of mass, m.
    pub(crate) p: Vec3,
    /// 1 if it has contacts in this step.
    pub(crate) touches: Real,
    /// Rotation from the principal frame.
    pub(crate) q: UnitQuaternion<Real>,
    /// Inverse inertia in the world at `q`.
    pub(crate) inv_inertia: Mat3,
    /// Principal moments, kg·m²; zero unless dynamic.
    pub(crate) moments: Vec3,
    gap: [Real; 4],
    /// Velocity after the forces of the substep and before the impulses of contacts, m/s.
    pub(crate) bare_v: Vec3,
    /// 1 where all moments are equal and nothing is damped.
    pub(crate) round: Real,
    /// As `bare_v`, for the angular velocity, rad/s.
    pub(crate) bare_w: Vec3,
    gap_after: Real,
    /// Acceleration by gravity and forces, m/s².
    pub(crate) acceleration: Vec3,
    gap_before: Real,
    /// Angular acceleration of a round body by torques, rad/s².
    pub(crate) spin_up: Vec3,
    gap_behind: Real,
    /// `q` as a matrix, of bodies that are not round.
    pub(crate) turn: Mat3,
    /// Torque, N·m.
    pub(crate) torque: Vec3,
    /// Damping of velocity and angular velocity, 1/s.
    pub(crate) damping: [Real; 2],
    /// What the way of free motion over the substep is longer than its last velocity says, m.
    pub(crate) shift: Vec3,
    /// Angular momentum at the start of the substep, forces included, kg·m²/s.
    pub(crate) momentum: Vec3,
    /// Mean angular velocity of free motion over the substep, rad/s.
    pub(crate) free_w: Vec3,
    /// Predicted centre of mass at the end of the substep, m.
    pub(crate) next_p: Vec3,
    /// Predicted rotation at the end of the substep.
    pub(crate) next_q: UnitQuaternion<Real>,
    /// Inverse inertia with the geometric stiffness of the joints at the body.
    pub(crate) stiff_inverse: Mat3,
    /// Whether a joint or contact acted on it in this substep.
    pub(crate) held: bool,
}

impl Body {
    /// A body that never moves, at a pose.
    pub(crate) fn fixed(p: Vec3, q: UnitQuaternion<Real>) -> Self {
        Self {
            v: Vec3::zeros(),
            inv_mass: 0.0,
            w: Vec3::zeros(),
            again: 1.0,
            moved: Vec3::zeros(),
            fast: 0.0,
            turned: Vec3::zeros(),
            size: 0.0,
            p,
            touches: 0.0,
            q,
            inv_inertia: Mat3::zeros(),
            moments: Vec3::zeros(),
            gap: [0.0; 4],
            bare_v: Vec3::zeros(),
            round: 1.0,
            bare_w: Vec3::zeros(),
            gap_after: 0.0,
            acceleration: Vec3::zeros(),
            gap_before: 0.0,
            spin_up: Vec3::zeros(),
            gap_behind: 0.0,
            turn: q.to_rotation_matrix().into_inner(),
            torque: Vec3::zeros(),
            damping: [0.0; 2],
            shift: Vec3::zeros(),
            momentum: Vec3::zeros(),
            free_w: Vec3::zeros(),
            next_p: p,
            next_q: q,
            stiff_inverse: Mat3::zeros(),
            held: false,
        }
    }

    /// Whether forces move it.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.inv_mass > 0.0
    }

    /// Inertia in the world at rotation `q`.
    pub(crate) fn inertia_at(&self, q: &UnitQuaternion<Real>) -> Mat3 {
        let r = q.to_rotation_matrix();
        r.matrix() * Mat3::from_diagonal(&self.moments) * r.matrix().transpose()
    }

    /// Brings the matrix of the rotation and the inverse inertia R I₀⁻¹ Rᵀ to the present rotation.
    pub(crate) fn turn_inertia(&mut self) {
        let r = self.q.to_rotation_matrix().into_inner();
        self.turn = r;
        if !self.is_dynamic() {
            return;
        }
        let i = self.moments;
        if self.is_round() {
            self.inv_inertia = Mat3::from_diagonal_element(1.0 / i.x);
            return;
        }
        let s = i.map(|i| 1.0 / i);
        let entry = |a: usize, b: usize| {
            r[(a, 0)] * r[(b, 0)] * s.x + r[(a, 1)] * r[(b, 1)] * s.y + r[(a, 2)] * r[(b, 2)] * s.z
        };
        let [xx, yy, zz] = [entry(0, 0), entry(1, 1), entry(2, 2)];
        let [xy, xz, yz] = [entry(0, 1), entry(0, 2), entry(1, 2)];
        self.inv_inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    }

    /// I ω for the present rotation.
    pub(crate) fn spin(&self, w: &Vec3) -> Vec3 {
        let i = self.moments;
        if self.is_round() { w * i.x } else { self.turn * self.turn.tr_mul(w).component_mul(&i) }
    }

    /// Kinetic energy, J; none of what forces do not move.
    pub(crate) fn kinetic(&self) -> Real {
        if self.is_dynamic() {
            0.5 * (self.v.norm_squared() / self.inv_mass + self.w.dot(&self.spin(&self.w)))
        } else {
            0.0
        }
    }

    /// Whether all moments are equal.
    fn is_round(&self) -> bool {
        self.moments.x == self.moments.y && self.moments.y == self.moments.z
    }

    /// Lines of eight numbers, see [`Line`].
    #[inline(always)]
    pub(super) fn lines(&self) -> &[Eight; LINES] {
        // SAFETY: the first bytes are numbers without gaps at a multiple of 64, as the assertions below say.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// Lines, to be written.
    #[inline(always)]
    pub(super) fn lines_mut(&mut self) -> &mut [Eight; LINES] {
        // SAFETY: as for `lines`.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// Prepares for substeps; `again` as the field.
    pub(crate) fn open(&mut self, again: Real) {
        (self.bare_v, self.bare_w, self.again) = (self.v, self.w, again);
        self.round = if self.is_round() && self.damping == [0.0; 2] { 1.0 } else { 0.0 };
        self.spin_up = self.inv_inertia * self.torque;
    }

    /// Gives the impulses of contacts of the substep before again, all at once, where their levers are what they were; noted as
    /// the difference to the velocities without them. After the forces.
    pub(crate) fn repeat_impulses(&mut self, before: [Vec3; 2]) {
        let impulses = [before[0] - self.bare_v, before[1] - self.bare_w];
        (self.bare_v, self.bare_w) = (self.v, self.w);
        if self.again == 0.0 {
            (self.v, self.w) = (self.v + impulses[0], self.w + impulses[1]);
        }
    }

    /// Adds forces, torques and damping over a time h to the velocities, and sets the mean angular velocity of the substep.
    pub(crate) fn kick(&mut self, h: Real) {
        self.held = self.touches > 0.0;
        if !self.is_dynamic() {
            return;
        }
        let (v, [keep, gain, way]) = (self.v, decay(self.damping[0] * h));
        self.v = v * keep + self.acceleration * (h * gain);
        self.shift = if keep == 1.0 {
            self.acceleration * (-0.5 * h * h)
        } else {
            v * (h * gain) + self.acceleration * (h * h * way) - self.v * h
        };
        let [keep, gain, _] = decay(self.damping[1] * h);
        self.momentum = self.spin(&self.w) * keep + self.torque * (h * gain);
        self.w = self.mean_spin(&self.momentum, h);
        self.free_w = self.w;
    }

    /// The mean angular velocity over h of a body that starts at `q` with an angular momentum.
    pub(crate) fn mean_spin(&self, momentum: &Vec3, h: Real) -> Vec3 {
        let i = self.moments;
        if self.is_round() {
            return momentum / i.x; // θ ∥ L
        }
        let local = self.turn.tr_mul(momentum);
        let mut theta = local.component_div(&i) * h;
        if (i.max() - i.min()) <= 1e-12 * i.max() || theta == Vec3::zeros() {
            return self.q * theta / h;
        }
        let start = theta;
        for _ in 0..12 {
            // Newton on I θ − exp(−θ/2) hL with the derivative of the exponential at first order.
            let turned = UnitQuaternion::from_scaled_axis(theta * -0.5) * (local * h);
            let residual = theta.component_mul(&i) - turned;
            let jacobian = Mat3::from_diagonal(&i) - turned.cross_matrix() * 0.5;
            let Some(inverse) = jacobian.try_inverse() else { break };
            let change = inverse * residual;
            theta -= change;
            if change.norm() <= 1e-15 * theta.norm() {
                return self.q * theta / h;
            }
        }
        // Beyond about a radian per step Newton may wander off; then the plain velocity is the better answer.
        let far = (theta - start).norm() > start.norm() || !theta.iter().all(|c| c.is_finite());
        self.q * (if far { start } else { theta }) / h
    }

    /// Moves over h with the present velocities. A body on which nothing else acted falls along its exact path.
    pub(crate) fn drift(&mut self, h: Real) {
        let mut way = self.v * h;
        if !self.held {
            way += self.shift;
        }
        self.p += way;
        self.moved += way;
        self.turned += self.w * h;
        let far = self.moved.norm_squared() + self.turned.norm_squared() * (self.size * self.size);
        if far > (LEASH * self.size).powi(2) {
            self.fast = 1.0;
        }
        let before = self.w;
        self.turn(h);
        self.bare_w += self.w - before;
    }

    /// Turns over h with the present angular velocity; the angular momentum stays.
    pub(crate) fn turn(&mut self, h: Real) {
        let added = self.spin(&(self.w - self.free_w));
        self.q = UnitQuaternion::new_normalize(rotation(&(self.w * h)) * self.q.into_inner());
        self.turn_inertia();
        if self.is_dynamic() {
            self.w = self.inv_inertia * (self.momentum + added);
        }
    }

    /// Sets where the present velocities lead to in h.
    pub(crate) fn predict(&mut self, h: Real) {
        self.next_p = self.p + self.v * h;
        self.next_q = UnitQuaternion::new_unchecked(rotation(&(self.w * h)) * self.q.into_inner());
    }

    /// Velocity of the material point at a lever from the centre, m/s.
    pub(crate) fn velocity_at(&self, lever: &Vec3) -> Vec3 {
        self.v + self.w.cross(lever)
    }

    /// Adds an impulse (N·s) at a lever.
    pub(crate) fn push(&mut self, impulse: &Vec3, lever: &Vec3) {
        self.v += impulse * self.inv_mass;
        self.w += self.inv_inertia * lever.cross(impulse);
    }
}

/// Number of lines at the start of a body.
const LINES: usize = 7;

/// Which line of eight numbers.
pub(super) struct Line;

impl Line {
    /// v, 1/m, ω, `again`.
    pub(super) const MOTION: usize = 0;
    /// `moved`, `fast`, `turned`, `size`.
    pub(super) const WAY: usize = 1;
    /// p, `touches`, q.
    pub(super) const POSE: usize = 2;
    /// Inverse inertia by columns, but for its last number, which comes first in the next line.
    pub(super) const INERTIA: usize = 3;
    /// Bare velocities, with `round` between them.
    pub(super) const BARE: usize = 5;
    /// Accelerations.
    pub(super) const FORCES: usize = 6;
}

// What `lines` relies on.
const _: () = {
    use std::mem::{align_of, offset_of};
    assert!(align_of::<Body>() == 64 && size_of::<Body>() >= 64 * LINES);
    assert!(size_of::<Vec3>() == 24 && size_of::<Mat3>() == 72 && size_of::<UnitQuaternion<Real>>() == 32);
    assert!(offset_of!(Body, v) == 0 && offset_of!(Body, inv_mass) == 24 && offset_of!(Body, w) == 32);
    assert!(offset_of!(Body, again) == 56 && offset_of!(Body, moved) == 64 && offset_of!(Body, fast) == 88);
    assert!(offset_of!(Body, turned) == 96 && offset_of!(Body, size) == 120 && offset_of!(Body, p) == 128);
    assert!(offset_of!(Body, touches) == 152 && offset_of!(Body, q) == 160);
    assert!(offset_of!(Body, inv_inertia) == 192 && offset_of!(Body, moments) == 264);
    assert!(
        offset_of!(Body, gap) == 288 && offset_of!(Body, bare_v) == 320 && offset_of!(Body, round) == 344
    );
    assert!(offset_of!(Body, bare_w) == 352 && offset_of!(Body, gap_after) == 376);
    assert!(offset_of!(Body, acceleration) == 384 && offset_of!(Body, gap_before) == 408);
    assert!(offset_of!(Body, spin_up) == 416 && offset_of!(Body, gap_behind) == 440);
};

/// What velocity follows from v' = a − c v over a time h, for x = c h: v⁺ = e v + φ₁ h a, and the way h φ₁ v + φ₂ h² a, with
/// e = exp(−x), φ₁ = (1 − e)/x, φ₂ = (1 − φ₁)/x; returns `[e, φ₁, φ₂]`.
pub(crate) fn decay(x: Real) -> [Real; 3] {
    if x == 0.0 {
        return [1.0, 1.0, 0.5];
    }
    let first = -(-x).exp_m1() / x;
    // The quotient loses as many digits as x has zeros; the series is exact to rounding below.
    let series = 0.5 - x / 6.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0)));
    [(-x).exp(), first, if x < 1e-3 { series } else { (1.0 - first) / x }]
}

/// Square of half an angle below which sine and cosine are their series to the tenth power, exact to rounding.
pub(super) const SMALL: Real = 0.01;

/// The quaternion of a rotation vector, (sin(θ/2) θ/|θ|, cos(θ/2)).
pub(crate) fn rotation(theta: &Vec3) -> Quaternion<Real> {
    let x = 0.25 * theta.norm_squared();
    let (sine, cosine) = if x < SMALL {
        let sine = 1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0)));
        let cosine = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0)));
        (0.5 * sine, cosine)
    } else {
        let half = x.sqrt();
        (0.5 * half.sin() / half, half.cos())
    };
    Quaternion::from_parts(cosine, theta * sine)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn dynamic(mass: Real, moments: Vec3) -> Body {
        let mut body = Body::fixed(Vec3::zeros(), UnitQuaternion::identity());
        (body.inv_mass, body.moments) = (1.0 / mass, moments);
        body.turn_inertia();
        body
    }

    fn step(body: &mut Body, h: Real) {
        body.kick(h);
        body.drift(h);
    }

    /// A T-handle in weightlessness (Dzhanibekov): time between flips against a fine reference, L and energy over 120 s.
    #[test]
    fn the_middle_axis_flips_on_time_and_momentum_stays() {
        let flips = |h: Real, seconds: Real| {
            let mut body = dynamic(1.0, Vec3::new(1.0, 2.0, 3.0));
            body.w = Vec3::new(0.05, 6.0, 0.0);
            let (l0, e0) = (body.spin(&body.w), body.w.dot(&body.spin(&body.w)));
            let (mut times, mut up, mut worst, mut energy) = (vec![], true, 0.0f64, 0.0f64);
            for k in 0..(seconds / h).round() as usize {
                step(&mut body, h);
                let along = (body.q.inverse() * body.w).y;
                if (along > 0.0) != up {
                    up = !up;
                    times.push(k as Real * h);
                }
                worst = worst.max((body.spin(&body.w) - l0).norm() / l0.norm());
                energy = energy.max((body.w.dot(&body.spin(&body.w)) / e0 - 1.0).abs());
            }
            (times, worst, energy)
        };
        let (times, drift, energy) = flips(1.0 / 240.0, 120.0);
        assert!(drift < 1e-9, "{drift:e}");
        assert!(energy < 1e-3, "{energy:e}");
        let (reference, _, _) = flips(1.0 / 3840.0, 9.0);
        let period = |t: &[Real]| t[2] - t[1];
        let off = period(&times) / period(&reference) - 1.0;
        assert!(off.abs() < 0.01, "flip time off by {off:e}");
    }

    #[test]
    fn short_rotations_are_exact_to_rounding() {
        for size in [0.0, 1e-9, 1e-3, 0.05, 0.199, 0.2, 0.201, 1.0, 3.0] {
            let theta = Vec3::new(0.6, -0.48, 0.64) * size;
            let exact = UnitQuaternion::from_scaled_axis(theta).into_inner();
            assert!((rotation(&theta).coords - exact.coords).norm() < 3e-16, "{size}");
        }
    }

    #[test]
    fn a_free_body_falls_along_its_parabola() {
        let mut body = dynamic(2.0, Vec3::repeat(1.0));
        body.acceleration = Vec3::new(0.0, -9.8, 0.0);
        body.v = Vec3::new(1.0, 3.0, 0.0);
        for _ in 0..60 {
            step(&mut body, 1.0 / 60.0);
        }
        assert!((body.p - Vec3::new(1.0, 3.0 - 4.9, 0.0)).norm() < 1e-12);
    }

    /// v' = a − c v and L' = τ − c L in closed form, for a body thrown and turned in a medium.
    #[test]
    fn damping_follows_its_closed_form() {
        for c in [1e-9, 1e-4, 0.05, 3.0, 40.0, 1e5] {
            let mut body = dynamic(2.0, Vec3::repeat(0.5));
            (body.acceleration, body.torque) = (Vec3::new(0.0, -9.8, 0.0), Vec3::x() * 0.3);
            (body.v, body.w, body.damping) = (Vec3::new(4.0, 1.0, 0.0), Vec3::z() * 2.0, [c; 2]);
            let (a, v0, w0) = (body.acceleration, body.v, body.w);
            (0..120).for_each(|_| step(&mut body, 1.0 / 240.0));
            // Half a second. −expm1 keeps the digits where c is small.
            let (t, gone) = (0.5, -(-0.5 * c as Real).exp_m1());
            let v = v0 * (1.0 - gone) + a * (gone / c);
            let w = w0 * (1.0 - gone) + body.torque * 2.0 * (gone / c);
            assert!((body.v - v).norm() < 1e-12 && (body.w - w).norm() < 1e-12, "{c}: {} {v}", body.v);
            // For small c the quotients cancel: their series to first order, and what it leaves out.
            let (p, left) = if c < 1e-3 {
                (v0 * (t - 0.5 * c * t * t) + a * (0.5 * t * t - c * t * t * t / 6.0), c * c)
            } else {
                (v0 * (gone / c) + a * ((t - gone / c) / c), 0.0)
            };
            assert!((body.p - p).norm() < 1e-12 + left, "{c}: {} {p}", body.p);
        }
    }

    #[test]
    fn wild_spins_stay_finite() {
        for speed in [1e2, 1e4, 1e8] {
            let mut body = dynamic(1.0, Vec3::new(1.0, 2.0, 2.9));
            body.w = Vec3::new(0.3, 1.0, -0.2) * speed;
            for _ in 0..100 {
                step(&mut body, 1.0 / 60.0);
            }
            assert!(body.w.iter().all(|c| c.is_finite()) && body.w.norm() < 10.0 * speed);
        }
    }
}
