//! Projective dynamics on CUDA devices, behind the traits of `pd-core`.
//!
//! - [`CudaLocal`] is a [`LocalStep`](pd_core::LocalStep): projections on the device, any global solver on the host (the
//!   thesis' mixed mode).
//! - [`CudaGlobal`] is a [`GlobalSolver`](pd_core::GlobalSolver): Jacobi, A-Jacobi, conjugate gradients or a block-wise
//!   direct solve on the device.
//! - [`CudaPd`] is a [`Stepper`](pd_core::Stepper): the whole step stays on the device, captured as one graph.
//! - [`DeviceChoice`] creates them by name.
//!
//! Each comes in `f32` and `f64`. The crate builds without CUDA, and a missing driver is a typed error:
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
//! The kernels are CUDA C++ in `kernels/`; their PTX is committed in `ptx/` and embedded, so that neither building nor
//! running needs a CUDA compiler. `kernels/build.sh` regenerates it. `docs/cuda.md` describes what is tested without a device, and
//! what only a device can show.

mod batch;
mod colliders;
mod device;
mod device_choice;
mod engine;
mod error;
mod global;
mod kernels;
mod local;
mod model;
mod precision;
mod queue;
mod signature;
mod sliced_ell;
mod solver;
mod step;
mod user_kernel;
#[cfg(feature = "validate")]
pub mod validate;

pub use device::{Device, DeviceInfo, EMULATOR, devices};
pub use device_choice::{DeviceChoice, DeviceChoiceError, OnDevice};
pub use error::CudaError;
pub use global::{CudaAJacobi, CudaGlobal};
pub use kernels::LOCAL_PARAMETERS;
pub use local::CudaLocal;
pub use model::Summation;
pub use precision::DeviceReal;
pub use signature::{Parameter, parse_signatures};
pub use solver::Method;
pub use step::CudaPd;
pub use user_kernel::UserKernel;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
