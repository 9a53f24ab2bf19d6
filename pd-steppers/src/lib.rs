//! Time integrators beside projective dynamics: Newton, ADMM, XPBD, VBD and others.
