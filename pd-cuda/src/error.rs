//! Errors of devices. Every variant states the cause or what to do.

use cudarc::driver::DriverError;
use pd_core::{LinearError, StepError};

/// Error of a CUDA device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no CUDA driver on this machine.
    #[error(
        "no CUDA driver: the library libcuda.so (nvcuda.dll on Windows) is not found; it comes with NVIDIA's display \
         driver, version 525 or newer"
    )]
    NoDriver,
    /// There is a driver, but no device.
    #[error("the CUDA driver finds no device: {what}")]
    NoDevice {
        /// What the driver says.
        what: String,
    },
    /// There is no such device.
    #[error("there is no CUDA device {ordinal}; this machine has {devices}, counted from 0")]
    Ordinal {
        /// The requested number.
        ordinal: usize,
        /// How many there are.
        devices: usize,
    },
    /// The device is older than the kernels.
    #[error("device {name:?} has compute capability {major}.{minor}; the kernels need 7.5 or newer")]
    TooOld {
        /// Name of the device.
        name: String,
        /// Compute capability before the point.
        major: i32,
        /// And after it.
        minor: i32,
    },
    /// The run-time compiler is not on this machine.
    #[error(
        "no NVRTC: compile {kernel:?} to PTX beforehand (pd-cuda/kernels/build.sh shows how), or install NVRTC"
    )]
    NoCompiler {
        /// The kernel to compile.
        kernel: String,
    },
    /// A user kernel does not compile.
    #[error("kernel {kernel:?} does not compile:\n{log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// What the compiler says.
        log: String,
    },
    /// A kernel is missing in the PTX or its parameters differ from those the host passes.
    #[error("kernel {kernel:?}: the PTX has {found}, the host passes {expected}")]
    Signature {
        /// Name of the kernel.
        kernel: String,
        /// Parameters the host passes.
        expected: String,
        /// Parameters in the PTX.
        found: String,
    },
    /// A launch with arguments that do not fit the kernel.
    #[error("kernel {kernel:?}: argument {argument} {what}")]
    Argument {
        /// Name of the kernel.
        kernel: String,
        /// Which argument, from 0.
        argument: usize,
        /// What is wrong with it.
        what: String,
    },
    /// More items than a device array of 32-bit indices holds.
    #[error("{what}: {count} exceed the 32-bit indices of a device")]
    TooMany {
        /// What is too many.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A batch, obstacle or parameter without a kernel.
    #[error("the device does not support {what}: {why}")]
    Unsupported {
        /// What it is.
        what: String,
        /// Why, and what to do.
        why: &'static str,
    },
    /// The driver rejected a call.
    #[error("CUDA: {what}: {error}")]
    Driver {
        /// What was tried.
        what: &'static str,
        /// What the driver says.
        error: String,
    },
}

/// The name under which device errors appear among step errors.
pub(crate) const BACKEND: &str = "cuda";

impl CudaError {
    pub(crate) fn driver(what: &'static str) -> impl FnOnce(DriverError) -> Self {
        move |error| Self::Driver { what, error: error.to_string() }
    }
}

impl From<CudaError> for StepError {
    fn from(error: CudaError) -> Self {
        Self::Backend { backend: BACKEND.to_owned(), what: error.to_string() }
    }
}

impl From<CudaError> for LinearError {
    fn from(error: CudaError) -> Self {
        Self::Backend { solver: BACKEND.to_owned(), what: error.to_string() }
    }
}
