//! Solvers for constant sparse symmetric positive definite systems A X = B with few right-hand sides.
mod a_jacobi;
mod cholesky;
mod dense;
mod dense_jacobi;
mod jacobi;
mod published;
mod registry;
mod relaxation;
mod rows;
mod spectrum;
mod stopping;
mod tridiagonal;
mod vector;

pub use a_jacobi::AJacobi;
pub use cholesky::{Cholesky, Supernodes};
pub use dense::DenseCholesky;
pub use dense_jacobi::DenseJacobi;
pub use jacobi::Jacobi;
pub use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
pub use registry::{Registry, SolverOptions};
pub use relaxation::{JacobiOptions, Variant};
pub use spectrum::Spectrum;
pub use stopping::Stopping;
