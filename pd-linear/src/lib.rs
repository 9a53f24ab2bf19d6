//! Solvers for constant sparse symmetric positive definite systems A X = B with few right-hand sides.
mod cholesky;
mod dense;
mod registry;
mod vector;

pub use cholesky::{Cholesky, Supernodes};
pub use dense::DenseCholesky;
pub use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
pub use registry::{Registry, SolverOptions};
