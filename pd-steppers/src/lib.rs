//! Time integrators beside projective dynamics, on the same models: one scene can be run and compared by all.
//!
//! Every elastic term is a law of a few fixed linear combinations of positions, U(D x). Each method uses another part of it:
//!
//! | stepper | type | uses of a batch | per iteration |
//! |---|---|---|---|
//! | `symplectic` | [`Symplectic`] | gradient | one evaluation per step; small steps only |
//! | `newton` | [`Newton`] | value, gradient, Hessian | a factorisation of 3n×3n, a line search |
//! | `descent` | [`SteepestDescent`] | value, gradient | a line search |
//! | `admm` | [`Admm::new`] | prox | a solve with a constant factor |
//! | `admm-consensus` | [`Admm::consensus`] | prox | a Jacobi sweep |
//! | `fused-jacobi` | [`FusedJacobi`] | gradient | a Jacobi sweep, Chebyshev acceleration |
//! | `pbd` | [`Pbd`] | C = √(2U/ω), ∇C | a sweep over elements; stiffness depends on sweeps |
//! | `xpbd` | [`Xpbd`] | C, ∇C, 1/ω | a sweep over elements |
//! | `xpbd-block` | [`BlockXpbd`] | projection | a sweep over elements; exact |
//! | `vbd` | [`Vbd`] | gradient, Hessian | a sweep over vertices |
//! | | [`GuardedPd`] | projection | projective dynamics whose surfaces never cross |
//! | | [`ImpactZones`] | projection | projective dynamics, then rigid impact zones |
//! | | [`BarrierNewton`] | value, gradient, Hessian | Newton's method with a barrier between surfaces |
//!
//! All but `symplectic` approach the step of implicit Euler; `newton`, `descent`, `admm`, `admm-consensus`, `fused-jacobi`, `xpbd-block` and `vbd`
//! converge to it. [`Integrator`] makes BDF2 and midpoint steps out of any of these, [`StrainLimit`] limits strain after them. Obstacles push
//! positions out before and after the iterations, as in projective dynamics.
//!
//! ```
//! use pd_constraints::{EdgeSprings, Pins};
//! use pd_core::{Model, State, StepContext, StepParams, Stepper, Vec3};
//! use pd_linear::Cholesky;
//! use pd_steppers::Newton;
//!
//! // A mass on a spring hangs m g/k below its rest length.
//! let x = vec![Vec3::zeros(), -Vec3::y()];
//! let model = Model::with_masses(vec![1.0, 0.5])
//!     .energy(Pins::new(&x, &[0], 1e6)?)
//!     .energy(EdgeSprings::new(&x, &[[0, 1]], 100.0)?)
//!     .build()?;
//! let params = StepParams { damping: 20.0, ..StepParams::default() };
//! let (mut newton, mut state) = (Newton::new(Cholesky::default()), State::at_rest(x));
//! let context = StepContext::new(&model, &params, &[], &[]);
//! newton.prepare(context)?;
//! for _ in 0..300 {
//!     newton.step(context, &mut state)?;
//! }
//! assert!((state.x[1].y + 1.0 + 0.5 * 9.8 / 100.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod admm;
mod barrier;
mod block_csr;
mod descent;
pub mod elements;
mod fused;
mod guarded;
mod hessian;
mod impact_zones;
mod implicit;
mod line_search;
mod near_pairs;
mod newton;
mod pbd;
mod room;
mod rows;
mod schemes;
mod strain_limit;
mod sweep;
mod symplectic;
mod vbd;
mod xpbd;
mod xpbd_block;

pub use admm::Admm;
pub use barrier::BarrierNewton;
pub use block_csr::BlockCsr;
pub use descent::SteepestDescent;
pub use fused::FusedJacobi;
pub use guarded::GuardedPd;
pub use impact_zones::ImpactZones;
pub use implicit::Damping;
pub use newton::{Newton, objective_hessian};
pub use pbd::{Pbd, Projection};
pub use schemes::{Integrator, Scheme};
pub use strain_limit::StrainLimit;
pub use symplectic::Symplectic;
pub use vbd::Vbd;
pub use xpbd::Xpbd;
pub use xpbd_block::BlockXpbd;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
