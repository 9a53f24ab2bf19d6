//! pd-linear
