//! A PTX interpreter behind a stand-in CUDA driver, to test device code without a device.

mod decode;
mod device;
mod driver;

mod error;
mod exec;
mod install;

mod instr;
mod math;
mod memory;
mod module;
mod parse;
mod shadow;

pub use device::{Device, Options, SHARED_LIMIT, Shape};
pub use error::{AccessError, Conflict, Fault, FaultKind, LaunchError, PtxError, Space};
pub use exec::Stats;

pub use install::{Driver, InstallError, install};
pub use module::{KernelInfo, Module};
