//! What describes a joint: its kind, frames, limits, motors, softness and strength.
//!
//! A joint has a frame on each of its two bodies, given once in world coordinates at time zero, where they coincide. The
//! x axis of the frame is *the axis* of the joint. Coordinates of a joint (angle, distance) are those of body `b` seen
//! from body `a`.

use crate::RigidError;
use crate::error::{bound, not_negative};
use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion};
use pd_core::{Mat3, Real, Vec3};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// All rotations about the anchor.
    Ball,
    /// Rotation about the axis.
    Hinge,
    /// Translation along the axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything but the distance of the anchors, m. With a limit on [`Axis::Linear`] the distance may vary in it: a
    /// rope is a limit from 0 to its length.
    Distance {
        /// The distance kept, m.
        length: Real,
    },
    /// Translation along the axis and rotation about it.
    Cylindrical,
    /// Rotation about the x axis fixed in `a` and the y axis fixed in `b`, which stay perpendicular.
    Universal,
    /// Everything but one relation of two rotations: `b` turns by `ratio` times the angle of `a`, full turns included. Both angles
    /// are counted from time zero about the axis, which is fixed in the world; hinges hold the two bodies.
    Gear {
        /// Turns of `b` for one of `a`, negative for the opposite sense; not zero.
        ratio: Real,
    },
}

impl JointKind {
    /// Name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Fixed => "fixed",
            Self::Distance { .. } => "distance",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Gear { .. } => "gear",
        }
    }

    /// Free coordinates that can be limited and driven, in the order of their rows.
    pub fn axes(&self) -> &'static [Axis] {
        match self {
            Self::Hinge => &[Axis::Angular],
            Self::Slider | Self::Distance { .. } => &[Axis::Linear],
            Self::Cylindrical => &[Axis::Linear, Axis::Angular],
            Self::Ball => &[Axis::Swing],
            Self::Universal | Self::Fixed | Self::Gear { .. } => &[],
        }
    }
}

/// A free coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Axis {
    /// Distance along the axis (slider, cylindrical) or between the anchors (distance), m.
    Linear,
    /// Angle about the axis (hinge, cylindrical), rad; counts full turns.
    Angular,
    /// Angle between the axes of the two frames (ball), rad; only its upper limit counts.
    Swing,
}

impl Axis {
    /// Name of the axis.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Angular => "angular",
            Self::Swing => "swing",
        }
    }
}

/// What a motor aims at.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A speed, m/s or rad/s.
    Velocity(Real),
    /// A position, m or rad, through a spring and a damper.
    Position {
        /// Where to, m or rad.
        value: Real,
        /// Stiffness, N/m or N·m/rad.
        stiffness: Real,
        /// Damping, N·s/m or N·m·s/rad.
        damping: Real,
    },
}

/// A motor on a free coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// What it aims at.
    pub target: Target,
    /// Largest force (N) or torque (N·m); infinite if unlimited.
    pub most: Real,
}

/// Limit and motor of one free coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisControl {
    /// Which coordinate.
    pub axis: Axis,
    /// Lowest and highest value, m or rad.
    pub limit: Option<[Real; 2]>,
    /// Motor.
    pub motor: Option<Motor>,
}

/// A joint to add to a model.
///
/// ```
/// use pd_core::Vec3;
/// use pd_rigid::{Axis, JointDesc, JointKind};
/// let door = JointDesc::new(JointKind::Hinge, None, Some(0), Vec3::zeros())
///     .along(Vec3::y())
///     .limit(Axis::Angular, 0.0, 1.5)
///     .break_force(2000.0);
/// assert_eq!(door.controls[0].limit, Some([0.0, 1.5]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDesc {
    /// What is left free.
    pub kind: JointKind,
    /// First body; `None` is the world.
    pub a: Option<usize>,
    /// Second body; `None` is the world.
    pub b: Option<usize>,
    /// Anchor on `a` at time zero, world frame, m.
    pub anchor_a: Vec3,
    /// Anchor on `b` at time zero, world frame, m. Differs from `anchor_a` for distance joints alone, unless the bodies
    /// are to be pulled together.
    pub anchor_b: Vec3,
    /// Frame of the joint at time zero, world frame; its x axis is the axis.
    pub frame: UnitQuaternion<Real>,
    /// Limits and motors.
    pub controls: Vec<AxisControl>,
    /// Softness of the positions held, m/N; 0 is rigid.
    pub compliance: Real,
    /// Softness of the angles held, rad/(N·m); 0 is rigid.
    pub angular_compliance: Real,
    /// Damping of what is soft, N·s/m and N·m·s/rad.
    pub damping: Real,
    /// Force above which the joint breaks, N.
    pub break_force: Real,
    /// Torque above which the joint breaks, N·m.
    pub break_torque: Real,
    /// Whether the two bodies may touch each other.
    pub collide: bool,
}

impl JointDesc {
    /// A rigid, unbreakable joint at an anchor, its axis along x; the bodies it joins do not touch.
    pub fn new(kind: JointKind, a: Option<usize>, b: Option<usize>, anchor: Vec3) -> Self {
        Self {
            kind,
            a,
            b,
            anchor_a: anchor,
            anchor_b: anchor,
            frame: UnitQuaternion::identity(),
            controls: vec![],
            compliance: 0.0,
            angular_compliance: 0.0,
            damping: 0.0,
            break_force: Real::INFINITY,
            break_torque: Real::INFINITY,
            collide: false,
        }
    }

    /// Turns the axis to a direction (world frame at time zero; a zero vector changes nothing).
    pub fn along(mut self, axis: Vec3) -> Self {
        if let Some(x) = axis.try_normalize(0.0) {
            self.frame = frame_along(x);
        }
        self
    }

    /// Limits a coordinate, m or rad.
    pub fn limit(mut self, axis: Axis, min: Real, max: Real) -> Self {
        self.control(axis).limit = Some([min, max]);
        self
    }

    /// Drives a coordinate.
    pub fn motor(mut self, axis: Axis, target: Target, most: Real) -> Self {
        self.control(axis).motor = Some(Motor { target, most });
        self
    }

    /// Makes the joint a spring: softness of positions (m/N) and of angles (rad/(N·m)) and damping.
    pub fn soft(mut self, compliance: Real, angular_compliance: Real, damping: Real) -> Self {
        (self.compliance, self.angular_compliance, self.damping) = (compliance, angular_compliance, damping);
        self
    }

    /// Lets the joint break at a force, N.
    pub fn break_force(mut self, force: Real) -> Self {
        self.break_force = force;
        self
    }

    /// Lets the joint break at a torque, N·m.
    pub fn break_torque(mut self, torque: Real) -> Self {
        self.break_torque = torque;
        self
    }

    /// Lets the two bodies touch each other.
    pub fn colliding(mut self) -> Self {
        self.collide = true;
        self
    }

    fn control(&mut self, axis: Axis) -> &mut AxisControl {
        let k = match self.controls.iter().position(|c| c.axis == axis) {
            Some(k) => k,
            None => {
                self.controls.push(AxisControl { axis, limit: None, motor: None });
                self.controls.len() - 1
            }
        };
        &mut self.controls[k]
    }

    /// Names the first number that is out of range; `joint` is for the message.
    pub(crate) fn check(&self, joint: usize) -> Result<(), RigidError> {
        let anchors = self.anchor_a.iter().chain(self.anchor_b.iter()).chain(self.frame.coords.iter());
        for &value in anchors {
            if !value.is_finite() {
                let expected = "it must be finite";
                return Err(RigidError::Parameter { what: "joint", name: "frame", value, expected });
            }
        }
        if let JointKind::Distance { length } = self.kind {
            not_negative("joint", "length", length)?;
        }
        if let JointKind::Gear { ratio: value } = self.kind
            && !(value != 0.0 && value.is_finite())
        {
            let expected = "it must be finite and not zero";
            return Err(RigidError::Parameter { what: "gear", name: "ratio", value, expected });
        }
        not_negative("joint", "compliance", self.compliance)?;
        not_negative("joint", "angular compliance", self.angular_compliance)?;
        not_negative("joint", "damping", self.damping)?;
        bound("joint", "break force", self.break_force)?;
        bound("joint", "break torque", self.break_torque)?;
        for control in &self.controls {
            if !self.kind.axes().contains(&control.axis) {
                let (kind, axis) = (self.kind.name(), control.axis.name());
                return Err(RigidError::NoAxis { joint, kind, axis });
            }
            if let Some([min, max]) = control.limit
                && (min.is_nan() || max.is_nan() || min > max)
            {
                return Err(RigidError::Limit { joint, min, max });
            }
            if let Some(motor) = control.motor {
                bound("motor", "largest force", motor.most)?;
                let numbers: &[(&'static str, Real)] = match motor.target {
                    Target::Velocity(v) => &[("speed", v)],
                    Target::Position { value, stiffness, damping } => {
                        not_negative("motor", "stiffness", stiffness)?;
                        not_negative("motor", "damping", damping)?;
                        &[("position", value)]
                    }
                };
                for &(name, value) in numbers {
                    if !value.is_finite() {
                        let expected = "it must be finite";
                        return Err(RigidError::Parameter { what: "motor", name, value, expected });
                    }
                }
            }
        }
        Ok(())
    }
}

/// A frame with this unit vector as its x axis.
fn frame_along(x: Vec3) -> UnitQuaternion<Real> {
    // The coordinate axis least along x makes the best-conditioned cross product.
    let help = Vec3::ith(x.iamin(), 1.0);
    let y = help.cross(&x).normalize();
    let axes = Mat3::from_columns(&[x, y, x.cross(&y)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// A joint of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// As described.
    pub desc: JointDesc,
    /// Frame on each body, in its principal frame (world frame where there is no body).
    pub frames: [Isometry3<Real>; 2],
    /// Multipliers: those of what is held, then one per limited or driven coordinate.
    pub(crate) held: usize,
}

impl Joint {
    pub(crate) fn new(desc: JointDesc, poses: [Isometry3<Real>; 2]) -> Self {
        let anchors = [desc.anchor_a, desc.anchor_b];
        let frame = |k: usize| {
            let pose: Isometry3<Real> = poses[k];
            pose.inverse() * Isometry3::from_parts(Translation3::from(anchors[k]), desc.frame)
        };
        let held = match desc.kind {
            JointKind::Ball => 3,
            JointKind::Hinge | JointKind::Slider => 5,
            JointKind::Fixed => 6,
            // A limited distance is an inequality alone.
            JointKind::Distance { .. } => usize::from(desc.controls.is_empty()),
            JointKind::Cylindrical | JointKind::Universal => 4,
            JointKind::Gear { .. } => 1,
        };
        Self { frames: [frame(0), frame(1)], held, desc }
    }

    /// Number of multipliers.
    pub fn rows(&self) -> usize {
        self.held + self.desc.controls.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_axis_asked_for() {
        for axis in [Vec3::x(), -Vec3::x(), Vec3::new(1.0, 2.0, -3.0), Vec3::z() * 1e-8] {
            let joint = JointDesc::new(JointKind::Hinge, None, None, Vec3::zeros()).along(axis);
            assert!((joint.frame * Vec3::x() - axis.normalize()).norm() < 1e-14);
        }
    }

    #[test]
    fn bad_limits_and_motors_are_named() {
        let hinge = |f: &dyn Fn(JointDesc) -> JointDesc| {
            f(JointDesc::new(JointKind::Hinge, None, Some(0), Vec3::zeros())).check(7)
        };
        assert_eq!(hinge(&|j| j.limit(Axis::Angular, -1.0, 1.0)), Ok(()));
        let error = hinge(&|j| j.limit(Axis::Angular, 1.0, -1.0));
        assert_eq!(error, Err(RigidError::Limit { joint: 7, min: 1.0, max: -1.0 }));
        assert!(matches!(
            hinge(&|j| j.limit(Axis::Linear, 0.0, 1.0)),
            Err(RigidError::NoAxis { joint: 7, kind: "hinge", axis: "linear" })
        ));
        let fast = Target::Velocity(Real::NAN);
        assert!(matches!(
            hinge(&|j| j.motor(Axis::Angular, fast, 1.0)),
            Err(RigidError::Parameter { name: "speed", .. })
        ));
        let slow = Target::Velocity(1.0);
        assert!(hinge(&|j| j.motor(Axis::Angular, slow, -1.0)).is_err());
        assert!(hinge(&|j| j.soft(-1.0, 0.0, 0.0)).is_err());
        for ratio in [0.0, Real::NAN] {
            let gear = JointDesc::new(JointKind::Gear { ratio }, Some(0), Some(1), Vec3::zeros());
            assert!(matches!(gear.check(0), Err(RigidError::Parameter { name: "ratio", .. })));
        }
    }
}
