//! Tests of pd-mesh: one binary, one module per subject.

mod generators;
mod models;
mod topology;
