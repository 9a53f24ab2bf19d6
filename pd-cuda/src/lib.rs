//! Projective dynamics on CUDA devices behind the same traits.
//!
//! - [`CudaLocal`] is a [`LocalStep`](pd_core::LocalStep): projections on the device, any global solver on the host (the
//!   thesis' mixed mode).
//! - [`CudaGlobal`] is a [`GlobalSolver`](pd_core::GlobalSolver): Jacobi, A-Jacobi, conjugate gradients or a block-wise
//!   direct solve on the device.
//! - [`CudaPd`] is a [`Stepper`](pd_core::Stepper): the whole step stays on the device, captured as one graph.
//! - [`Place`] makes them by name, for whoever lets a user choose the device.
//!
//! Each comes in `f32` and `f64`. The crate builds without CUDA, and a machine without a driver is a typed error:
//!
//! ```
//! use pd_cuda::{CudaError, Device};
//! match Device::open(0) {
//!     Ok(device) => println!("{}", device.info().name),
//!     Err(CudaError::NoDriver) => println!("no driver here"),
//!     Err(error) => println!("{error}"),
//! }
//! ```
//!
//! The kernels are CUDA C++ in `kernels/`; what they compile to is committed in `ptx/` and embedded, so that neither the
//! build nor the user needs a compiler. `kernels/build.sh` makes it again. What is proven without a device, and what
//! only a device can prove, is in `docs/cuda.md`.

mod batch;
mod colliders;
mod device;
mod engine;
mod error;
mod global;
mod kernels;
mod law;
mod local;
mod model;
mod place;
mod precision;
mod queue;
mod signature;
mod solver;
mod step;
mod table;
#[cfg(feature = "validate")]
pub mod validate;

pub use device::{Device, DeviceInfo, EMULATOR, devices};
pub use error::CudaError;
pub use global::{CudaAJacobi, CudaGlobal};
pub use kernels::LOCAL_PARAMETERS;
pub use law::LawKernel;
pub use local::CudaLocal;
pub use model::Summation;
pub use place::{OnDevice, Place, PlaceError};
pub use precision::DeviceReal;
pub use signature::{Parameter, parse_signatures};
pub use solver::Method;
pub use step::CudaPd;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
