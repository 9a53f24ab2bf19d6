//! pd-constraints
