//! pd-mesh
