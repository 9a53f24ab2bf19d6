//! Time integrators beside projective dynamics: Newton, ADMM, XPBD, VBD and others.

mod guarded;

pub use guarded::GuardedPd;
