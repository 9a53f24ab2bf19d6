//! Rows of a joint: what it holds, as errors and their derivatives by the velocities of its two bodies.
//!
//! One rule of signs for all rows: a row's rate is n·(v_a − v_b) + α·ω_a − β·ω_b, so that a positive multiplier pushes body
//! `a` along n and body `b` against it. Positions held give the error of `a` against `b`; free coordinates (limits and
//! motors) are those of `b` against `a`, so there n is minus the axis. With anchors p, levers r = p − x, and the axes a₁, a₂, a₃ and
//! b₁, b₂, b₃ of the two frames:
//!
//! | kind | held |
//! |---|---|
//! | ball | p_a − p_b |
//! | hinge | p_a − p_b, and b₁ × a₁ along a₂ and a₃ |
//! | slider | p_a − p_b along a₂ and a₃, and the rotation between the frames |
//! | fixed | p_a − p_b, and the rotation between the frames |
//! | distance | ‖p_a − p_b‖ − length |
//! | cylindrical | p_a − p_b along a₂ and a₃, and b₁ × a₁ along a₂ and a₃ |
//! | universal | p_a − p_b, and a₁ · b₂ |
//! | gear | ratio · θ_a − θ_b, angles about the axis in the world at time zero |
//!
//! Levers on `a` of rows along the axes of `a` reach to p_b: the axes turn with `a`.

use crate::{Axis, Joint, JointKind};
use nalgebra::UnitQuaternion;
use pd_core::{Mat3, Real, Vec3};
use std::f64::consts::{PI, TAU};

/// Most rows of a joint.
pub(crate) const ROWS: usize = 6;

/// Rows of a joint at given poses; the first `held` hold something, the others are free coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Number of rows.
    pub(crate) len: usize,
    /// Rows among them that count positions, and come first.
    pub(crate) positions: usize,
    /// Angles of the two bodies of a gear, rad.
    pub(crate) angles: [Real; 2],
    /// Errors of what is held, values of what is free, m or rad.
    pub(crate) error: [Real; ROWS],
    /// n: force on `a` per multiplier.
    pub(crate) linear: [Vec3; ROWS],
    /// α: torque on `a` per multiplier.
    pub(crate) angular_a: [Vec3; ROWS],
    /// β: minus the torque on `b` per multiplier.
    pub(crate) angular_b: [Vec3; ROWS],
}

impl Default for Rows {
    fn default() -> Self {
        let zero = [Vec3::zeros(); ROWS];
        let (angles, error) = ([0.0; 2], [0.0; ROWS]);
        Self { len: 0, positions: 0, angles, error, linear: zero, angular_a: zero, angular_b: zero }
    }
}

/// Centre of mass and rotation.
pub(crate) type Pose = (Vec3, UnitQuaternion<Real>);

impl Rows {
    /// Rows of a joint at the poses of its bodies. `before` are the free coordinates at the last accepted pose: angles
    /// continue from there, so that full turns count.
    pub(crate) fn set(&mut self, joint: &Joint, a: &Pose, b: &Pose, before: &[Real; 2]) {
        let arm = [a.1 * joint.frames[0].translation.vector, b.1 * joint.frames[1].translation.vector];
        self.len = 0;
        // A ball joint that is free to turn needs no axes.
        if joint.desc.kind == JointKind::Ball && joint.desc.controls.is_empty() {
            self.hold(&arm, &(a.0 + arm[0] - b.0 - arm[1]));
            self.positions = self.len;
            return;
        }
        let turn = [a.1 * joint.frames[0].rotation, b.1 * joint.frames[1].rotation];
        let axes = [turn[0].to_rotation_matrix(), turn[1].to_rotation_matrix()];
        let column = |k: usize, c: usize| -> Vec3 { axes[k].matrix().column(c).into() };
        let (pa, pb) = (a.0 + arm[0], b.0 + arm[1]);
        let gap = pa - pb;
        let reach = pb - a.0;
        match joint.desc.kind {
            JointKind::Ball | JointKind::Hinge | JointKind::Fixed | JointKind::Universal => {
                self.hold(&arm, &gap);
            }
            JointKind::Gear { .. } => {}
            JointKind::Slider | JointKind::Cylindrical => {
                for n in [column(0, 1), column(0, 2)] {
                    self.push(gap.dot(&n), n, reach.cross(&n), arm[1].cross(&n));
                }
            }
            JointKind::Distance { length } => {
                let n = gap.try_normalize(1e-12).unwrap_or_else(Vec3::y);
                if joint.held == 1 {
                    self.push(gap.norm() - length, n, arm[0].cross(&n), arm[1].cross(&n));
                }
            }
        }
        self.positions = self.len;
        match joint.desc.kind {
            JointKind::Hinge | JointKind::Cylindrical => {
                let error = column(1, 0).cross(&column(0, 0));
                for n in [column(0, 1), column(0, 2)] {
                    self.push(error.dot(&n), Vec3::zeros(), n, n);
                }
            }
            JointKind::Slider | JointKind::Fixed => {
                let error = shortest(&(turn[0] * turn[1].inverse()));
                for n in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    self.push(error.dot(&n), Vec3::zeros(), n, n);
                }
            }
            JointKind::Universal => {
                let (x, y) = (column(0, 0), column(1, 1));
                self.push(x.dot(&y), Vec3::zeros(), x.cross(&y), x.cross(&y));
            }
            JointKind::Gear { ratio } => {
                let frame = joint.desc.frame;
                let (x, y) = (frame * Vec3::x(), frame * Vec3::y());
                for side in 0..2 {
                    let turned = column(side, 1);
                    let raw = y.cross(&turned).dot(&x).atan2(y.dot(&turned));
                    self.angles[side] = before[side] + wrap(raw - before[side]);
                }
                self.push(ratio * self.angles[0] - self.angles[1], Vec3::zeros(), x * ratio, x);
            }
            JointKind::Ball | JointKind::Distance { .. } => {}
        }
        for (k, control) in joint.desc.controls.iter().enumerate() {
            let x = column(0, 0);
            match (control.axis, joint.desc.kind) {
                (Axis::Linear, JointKind::Distance { .. }) => {
                    let n = -gap.try_normalize(1e-12).unwrap_or_else(Vec3::y);
                    self.push(gap.norm(), -n, -arm[0].cross(&n), -arm[1].cross(&n));
                }
                (Axis::Linear, _) => {
                    self.push(-gap.dot(&x), -x, -reach.cross(&x), -arm[1].cross(&x));
                }
                (Axis::Angular, _) => {
                    let (y, turned) = (column(0, 1), column(1, 1));
                    let raw = y.cross(&turned).dot(&x).atan2(y.dot(&turned));
                    self.push(before[k] + wrap(raw - before[k]), Vec3::zeros(), -x, -x);
                }
                (Axis::Swing, _) => {
                    let cross = x.cross(&column(1, 0));
                    let n = cross.try_normalize(1e-12).unwrap_or_else(|| column(0, 1));
                    self.push(cross.norm().atan2(x.dot(&column(1, 0))), Vec3::zeros(), -n, -n);
                }
            }
        }
    }

    /// Anchors held together, along the axes of the world.
    fn hold(&mut self, [a, b]: &[Vec3; 2], gap: &Vec3) {
        self.push(gap.x, Vec3::x(), Vec3::new(0.0, a.z, -a.y), Vec3::new(0.0, b.z, -b.y));
        self.push(gap.y, Vec3::y(), Vec3::new(-a.z, 0.0, a.x), Vec3::new(-b.z, 0.0, b.x));
        self.push(gap.z, Vec3::z(), Vec3::new(a.y, -a.x, 0.0), Vec3::new(b.y, -b.x, 0.0));
    }

    fn push(&mut self, error: Real, linear: Vec3, angular_a: Vec3, angular_b: Vec3) {
        let k = self.len;
        self.error[k] = error;
        self.linear[k] = linear;
        self.angular_a[k] = angular_a;
        self.angular_b[k] = angular_b;
        self.len += 1;
    }

    /// Rate of a row for the velocities of the two bodies.
    pub(crate) fn rate(&self, k: usize, va: &Vec3, wa: &Vec3, vb: &Vec3, wb: &Vec3) -> Real {
        self.linear[k].dot(&(va - vb)) + self.angular_a[k].dot(wa) - self.angular_b[k].dot(wb)
    }

    /// n·n' m⁻¹ + α·I⁻¹α' of two rows at one body: entries of J M⁻¹ Jᵀ. `side` says which body it is of each joint.
    pub(crate) fn torque_arm(&self, k: usize, side: usize) -> Vec3 {
        if side == 0 { self.angular_a[k] } else { self.angular_b[k] }
    }

    /// Force and torque on `a` of multipliers: Σ λ n and Σ λ α.
    pub(crate) fn total(&self, lambda: &[Real; ROWS]) -> (Vec3, Vec3) {
        let mut sum = (Vec3::zeros(), Vec3::zeros());
        for k in 0..self.len {
            sum.0 += self.linear[k] * lambda[k];
            sum.1 += self.angular_a[k] * lambda[k];
        }
        sum
    }

    /// Largest error of what is held at a position, m.
    pub(crate) fn gap(&self) -> Real {
        let squares = self.error[..self.positions].iter().map(|e| e * e);
        squares.sum::<Real>().sqrt()
    }
}

/// Rotation vector of the shorter way round.
fn shortest(q: &UnitQuaternion<Real>) -> Vec3 {
    let (w, v) = if q.w < 0.0 { (-q.w, -q.imag()) } else { (q.w, q.imag()) };
    let s = v.norm();
    if s < 1e-8 { v * 2.0 } else { v * (2.0 * s.atan2(w) / s) }
}

/// An angle brought into (−π, π].
pub(crate) fn wrap(angle: Real) -> Real {
    let turned = angle - TAU * ((angle + PI) / TAU).floor();
    if turned <= -PI { turned + TAU } else { turned }
}

/// Stiffness that a force f on a body at lever r gives to its rotation, K = (f·r) I − (r fᵀ + f rᵀ)/2, without its negative
/// part (Tournier et al. 2015; Andrews, Teichmann & Kry 2017). Eigenvalues of K are f·r across both vectors and
/// (f·r ∓ |f||r|)/2 along r̂ ± f̂.
pub(crate) fn geometric_stiffness(r: &Vec3, f: &Vec3) -> Mat3 {
    let (dot, lengths) = (f.dot(r), [r.norm(), f.norm()]);
    let product = lengths[0] * lengths[1];
    if product.is_nan() || product <= 0.0 {
        return Mat3::zeros();
    }
    let tense = 0.5 * (dot + product);
    // |r̂ ± f̂|² = 2 ± 2 r̂·f̂, the larger of the two.
    let (rn, fn_, cosine) = (r / lengths[0], f / lengths[1], dot / product);
    let sum = if dot <= 0.0 { rn - fn_ } else { rn + fn_ };
    let along = sum * sum.transpose() / (2.0 + 2.0 * cosine.abs());
    if dot <= 0.0 {
        return along * tense.max(0.0);
    }
    let mut k = (Mat3::identity() - along) * tense;
    let across = r.cross(f);
    let square = across.norm_squared();
    if square > (1e-9 * product).powi(2) {
        k += across * across.transpose() * ((dot - tense) / square);
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDesc, JointDesc, RigidModel};
    use nalgebra::SymmetricEigen;
    use proptest::prelude::*;

    fn kinds() -> Vec<JointDesc> {
        let new = |kind| {
            JointDesc::new(kind, Some(0), Some(1), Vec3::new(0.3, 0.1, -0.2)).along(Vec3::new(1.0, 2.0, 0.5))
        };
        vec![
            new(JointKind::Ball).limit(Axis::Swing, 0.0, 0.5),
            new(JointKind::Hinge).limit(Axis::Angular, -1.0, 1.0),
            new(JointKind::Slider).limit(Axis::Linear, -1.0, 1.0),
            new(JointKind::Fixed),
            JointDesc { anchor_b: Vec3::new(1.0, 1.0, 0.0), ..new(JointKind::Distance { length: 1.0 }) },
            JointDesc { anchor_b: Vec3::new(1.0, 1.0, 0.0), ..new(JointKind::Distance { length: 1.0 }) }
                .limit(Axis::Linear, 0.0, 1.0),
            new(JointKind::Cylindrical).limit(Axis::Linear, -1.0, 1.0).limit(Axis::Angular, -1.0, 1.0),
            new(JointKind::Universal),
        ]
    }

    fn built(desc: JointDesc) -> Joint {
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::point(1.0, Vec3::repeat(1.0))).unwrap();
        builder.body(BodyDesc::point(1.0, Vec3::repeat(1.0)).at(Vec3::new(0.7, 0.2, 0.1))).unwrap();
        builder.joint(desc).unwrap();
        builder.build().0.joints[0].clone()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Rates of every row against central differences of its error along a rigid motion, near the held pose (angular
        /// errors are rotation vectors, whose derivative is the identity there).
        #[test]
        fn rates_are_derivatives(
            motion in prop::collection::vec(-1.0..1.0f64, 12), away in prop::collection::vec(-1e-4..1e-4f64, 6),
            turn in -0.4..0.4f64,
        ) {
            let v = |k: usize| Vec3::new(motion[k], motion[k + 1], motion[k + 2]);
            for desc in kinds() {
                let joint = built(desc);
                let spin = UnitQuaternion::from_scaled_axis(joint.desc.frame * Vec3::x() * turn);
                let free = matches!(joint.desc.kind, JointKind::Hinge | JointKind::Cylindrical | JointKind::Ball);
                let anchor = joint.desc.anchor_b;
                let turn_b = if free { spin } else { UnitQuaternion::identity() };
                let turn_b = UnitQuaternion::from_scaled_axis(Vec3::new(away[3], away[4], away[5])) * turn_b;
                // Body b turns about its anchor.
                let xb = anchor + turn_b * (Vec3::new(0.7, 0.2, 0.1) - anchor) + Vec3::new(away[0], away[1], away[2]);
                let pose = |t: Real| {
                    let a: Pose = (v(0) * t, UnitQuaternion::from_scaled_axis(v(3) * t));
                    let b: Pose = (xb + v(6) * t, UnitQuaternion::from_scaled_axis(v(9) * t) * turn_b);
                    let mut rows = Rows::default();
                    rows.set(&joint, &a, &b, &[0.0; 2]);
                    rows
                };
                let (now, d) = (pose(0.0), 1e-5);
                let (before, after) = (pose(-d), pose(d));
                prop_assert_eq!(now.len, joint.rows());
                for k in 0..now.len {
                    if joint.desc.kind == JointKind::Ball && k == 3 && turn.abs() < 1e-3 { continue; }
                    let numeric = (after.error[k] - before.error[k]) / (2.0 * d);
                    let exact = now.rate(k, &v(0), &v(3), &v(6), &v(9));
                    // Where the axes of a ball nearly coincide their angle has a kink.
                    if joint.desc.kind == JointKind::Ball && k == 3 { continue; }
                    prop_assert!((numeric - exact).abs() < 2e-3, "{} row {k}: {numeric} {exact}", joint.desc.kind.name());
                }
            }
        }

        #[test]
        fn the_stiffness_is_the_positive_part(r in prop::array::uniform3(-1.0..1.0f64), f in prop::array::uniform3(-9.0..9.0f64)) {
            let (r, f) = (Vec3::from(r), Vec3::from(f));
            let k = Mat3::identity() * f.dot(&r) - (r * f.transpose() + f * r.transpose()) * 0.5;
            let e = SymmetricEigen::new(k);
            let positive = e.eigenvectors * Mat3::from_diagonal(&e.eigenvalues.map(|x| x.max(0.0))) * e.eigenvectors.transpose();
            prop_assert!((geometric_stiffness(&r, &f) - positive).norm() < 1e-9 * (1.0 + k.norm()));
        }

        #[test]
        fn wrapping_keeps_the_angle(angle in -50.0..50.0f64) {
            let w = wrap(angle);
            prop_assert!(w > -PI - 1e-12 && w <= PI + 1e-12);
            prop_assert!(((angle - w) / TAU - ((angle - w) / TAU).round()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_swing_has_the_derivative_of_its_angle() {
        let joint = built(kinds().remove(0));
        let turn = |t: Real| UnitQuaternion::from_scaled_axis(Vec3::new(-0.5, 0.3, 0.2) * t);
        let at = |t: Real| {
            let mut rows = Rows::default();
            rows.set(&joint, &(Vec3::zeros(), turn(0.0)), &(Vec3::zeros(), turn(t)), &[0.0; 2]);
            rows
        };
        let rate =
            at(1.0).rate(3, &Vec3::zeros(), &Vec3::zeros(), &Vec3::zeros(), &Vec3::new(-0.5, 0.3, 0.2));
        let numeric = (at(1.0 + 1e-6).error[3] - at(1.0 - 1e-6).error[3]) / 2e-6;
        assert!((rate - numeric).abs() < 1e-6, "{rate} {numeric}");
    }
}
