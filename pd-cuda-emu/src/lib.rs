//! A PTX interpreter behind a stand-in CUDA driver, to test device code without a device.
//!
//! Two ways in:
//!
//! - [`Device`] is the interpreter as a Rust value: memory, modules, launches, typed faults.
//! - [`install`] makes the shared library of this crate the `libcuda.so` of the process, so that unchanged host code
//!   written with `cudarc` loads modules, allocates, launches, captures graphs and replays them.
//!
//! How a launch runs: blocks one after the other; the warps of a block in turn until each waits at a barrier or has
//! ended; the 32 lanes of a warp in lock-step on registers stored as arrays over the lanes. Lanes that branch apart
//! form groups, and the group at the smallest instruction runs, so that lanes meet again where the ways join.
//! Everything happens in a fixed order: the same launch gives the same bits.
//!
//! What is found on the way: see [`FaultKind`] and [`LaunchError`]. What running here does not prove (timing, warp
//! scheduling, the memory model, the fusing of products and sums by the device's compiler) is listed in the README.
//!
//! ```
//! use pd_cuda_emu::{Device, FaultKind, LaunchError, Shape};
//!
//! // Every thread stores to its word, but the buffer has room for three.
//! let ptx = r#"
//! .version 8.0
//! .target sm_75
//! .address_size 64
//! .visible .entry store(.param .u64 p)
//! {
//!     .reg .b32 %r<2>;
//!     .reg .b64 %rd<4>;
//!     ld.param.u64 %rd1, [p];
//!     mov.u32 %r1, %tid.x;
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.s64 %rd3, %rd1, %rd2;
//!     st.global.u32 [%rd3], %r1;
//!     ret;
//! }"#;
//! let device = Device::new();
//! let module = device.load(ptx)?;
//! let p = device.alloc(12).ok_or("no memory")?;
//! let Err(LaunchError::Fault(fault)) = device.launch(&module, "store", Shape::row(1, 4), &[&p.to_le_bytes()]) else {
//!     return Err("the fault was missed".into());
//! };
//! assert_eq!((fault.thread, fault.line), ([3, 0, 0], 13));
//! assert!(matches!(fault.kind, FaultKind::Access { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
