//! What walls and obstacles do to the velocity of a node.
//!
//! With u the velocity relative to the surface, n its normal into the matter and u_n = u·n:
//!
//! - stick: u = 0;
//! - slip: u loses u_n n, whichever way it points;
//! - separate: where u_n < 0 it loses u_n n, and of what remains as much as friction takes, μ|u_n| at most; else it is
//!   free.

use crate::MpmError;
use pd_core::{Real, Vec3};

/// What a surface does to matter that meets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// Matter moves with the surface.
    Stick,
    /// Matter slides and cannot leave.
    Slip,
    /// Matter slides with Coulomb friction and may leave.
    Separate {
        /// Friction coefficient μ, 0 or more.
        friction: Real,
    },
    /// There is no wall: what crosses it becomes idle. For faces of the domain.
    Open,
}

impl Boundary {
    pub(crate) fn check(&self) -> Result<(), MpmError> {
        match *self {
            Self::Separate { friction } if !(friction >= 0.0 && friction.is_finite()) => {
                Err(MpmError::Parameter {
                    name: "friction",
                    value: friction,
                    expected: "it must be zero or positive and finite",
                })
            }
            _ => Ok(()),
        }
    }

    /// The velocity that the surface leaves of `u`.
    #[inline]
    pub(crate) fn apply(&self, u: Vec3, normal: &Vec3, surface: &Vec3) -> Vec3 {
        let relative = u - surface;
        let along = relative.dot(normal);
        match *self {
            Self::Open => u,
            Self::Stick => *surface,
            Self::Slip => u - normal * along,
            Self::Separate { .. } if along >= 0.0 => u,
            Self::Separate { friction } => {
                let tangential = relative - normal * along;
                let speed = tangential.norm();
                let kept = if speed > 0.0 { (1.0 + friction * along / speed).max(0.0) } else { 0.0 };
                surface + tangential * kept
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_keeps_what_it_says() {
        let (n, still) = (Vec3::y(), Vec3::zeros());
        let down = Vec3::new(3.0, -1.0, 4.0);
        assert_eq!(Boundary::Stick.apply(down, &n, &still), still);
        assert_eq!(Boundary::Slip.apply(-down, &n, &still), Vec3::new(-3.0, 0.0, -4.0));
        let separate = Boundary::Separate { friction: 0.5 };
        assert_eq!(separate.apply(-down, &n, &still), -down, "free to leave");
        let slid = separate.apply(down, &n, &still);
        assert!((slid - Vec3::new(2.7, 0.0, 3.6)).norm() < 1e-15, "5 m/s less half of 1");
        assert_eq!(
            Boundary::Separate { friction: 9.0 }.apply(down, &n, &still),
            still,
            "friction never reverses"
        );
        // In the frame of a moving surface.
        let belt = Vec3::new(3.0, 0.0, 4.0);
        assert_eq!(separate.apply(down, &n, &belt), belt);
    }
}
