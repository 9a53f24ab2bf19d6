//! pd-core
