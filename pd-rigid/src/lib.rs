//! Rigid bodies, joints and contacts beside projective dynamics.
