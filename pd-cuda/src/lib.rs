//! Projective dynamics on CUDA devices behind the same traits.
