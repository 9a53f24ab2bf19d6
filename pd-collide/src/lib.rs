//! pd-collide
