//! Solvers for constant sparse symmetric positive definite systems A X = B with few right-hand sides.
//!
//! All solvers implement one trait, [`GlobalSolver`]: `factor` once per matrix, `solve` often. They are created by
//! type, or by name through the [`Registry`]:
//!
//! ```
//! use pd_linear::{Registry, parse_matrix_market};
//!
//! let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n";
//! let a = parse_matrix_market(text, "two.mtx")?; // or read_matrix_market("my.mtx")
//! let b = [1.0, 1.0];
//! for name in ["cholesky", "pcg-ic", "chebyshev"] {
//!     let mut solver = Registry::standard().create(name)?;
//!     solver.factor(&a)?;
//!     let mut x = [0.0; 2]; // the initial guess; an iteration starts from it
//!     let report = solver.solve(&b, &mut x, 1)?;
//!     assert!(report.converged);
//!     assert!((x[0] - 1.0).abs() < 1e-7 && (x[1] - 1.0).abs() < 1e-7);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | family | types | names |
//! |---|---|---|
//! | direct | [`Cholesky`], [`DenseCholesky`] | `cholesky`, `cholesky-simplicial`, `cholesky-supernodal`, `dense` |
//! | direct, for many solves | [`PanelCholesky`] | `panels` (f32 panels), `panels-f64`, `panels-f24`, `panels-f16` |
//! | Jacobi | [`Jacobi`], [`DenseJacobi`], [`AJacobi`] | `jacobi`, `chebyshev`, `dense-jacobi`, `a-jacobi-1` to `-3`; each with `-published` |
//! | Gauss–Seidel | [`GaussSeidel`] | `gauss-seidel`, `sor` |
//! | conjugate gradients | [`Pcg`] with [`Diagonal`], [`IncompleteCholesky`], [`Multigrid`] | `pcg`, `pcg-ic`, `pcg-amg` |
//! | low-rank updates | [`LowRank`] around any of them | |
//!
//! Promises all keep:
//! - results are bitwise identical for any number of threads;
//! - `solve` does not allocate after `factor`, for the same number of right-hand sides (three, or that of the solve
//!   before);
//! - a tolerance is on the true relative residual ‖b − A x‖/‖b‖, and the [`SolveReport`] states whether it was met;
//! - divergence is [`LinearError::Diverged`], never NaN; errors about a matrix name the row.
//!
//! The damping of the Jacobi family follows from the [`Spectrum`] of D⁻¹A, so nothing diverges by default.
//! [`Variant::AsPublished`] runs the published form, to explain published numbers.

mod a_jacobi;
mod aggregation;
mod cholesky;
mod colouring;
mod convert;
mod dense;
mod dense_jacobi;
mod gauss_seidel;
mod incomplete;
mod jacobi;
mod low_rank;
mod low_rank_update;
mod matrix_market;
mod multigrid;
mod panels;
mod pcg;
mod preconditioner;
mod registry;
mod relaxation;
mod sparse_rows;
mod spectrum;
mod stopping;
mod thesis_variant;
mod tridiagonal;
mod vector;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use a_jacobi::AJacobi;
pub use cholesky::{Cholesky, Supernodes};
pub use colouring::Colouring;
pub use convert::{from_nalgebra, to_nalgebra};
pub use dense::DenseCholesky;
pub use dense_jacobi::DenseJacobi;
pub use gauss_seidel::GaussSeidel;
pub use incomplete::IncompleteCholesky;
pub use jacobi::Jacobi;
pub use low_rank::LowRank;
pub use low_rank_update::LowRankUpdate;
pub use matrix_market::{MatrixMarketError, format_matrix_market, parse_matrix_market, read_matrix_market};
pub use multigrid::Multigrid;
pub use panels::{Ordering, PanelCholesky, Precision};
pub use pcg::Pcg;
pub use pd_core::{Csr, GlobalSolver, LinearError, Pattern, Real, SolveReport};
pub use preconditioner::{Diagonal, Preconditioner};
pub use registry::{Registry, SolverOptions};
pub use relaxation::{Chebyshev, JacobiOptions, Variant};
pub use spectrum::Spectrum;
pub use stopping::Stopping;
