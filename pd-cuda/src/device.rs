//! A CUDA device: enumeration, opening, user-defined kernels.

use crate::{CudaError, DeviceReal, UserKernel};
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

/// Name of the device of the test interpreter. Its times are meaningless.
pub const EMULATOR: &str = "pd-emu";

/// Default number of threads per block: four warps fit every device and keep registers free.
const BLOCK: u32 = 128;

/// Properties of a device reported by the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Number, from 0.
    pub ordinal: usize,
    /// Name.
    pub name: String,
    /// Compute capability before the point.
    pub major: i32,
    /// And after it.
    pub minor: i32,
    /// Memory, bytes.
    pub memory: usize,
}

impl DeviceInfo {
    /// Whether it is the test interpreter.
    pub fn is_emulator(&self) -> bool {
        self.name.contains(EMULATOR)
    }
}

/// All devices of this machine. No driver is [`CudaError::NoDriver`], never a panic.
///
/// ```
/// match pd_cuda::devices() {
///     Ok(devices) => assert!(!devices.is_empty()),
///     Err(error) => assert!(error.to_string().contains("CUDA")),
/// }
/// ```
pub fn devices() -> Result<Vec<DeviceInfo>, CudaError> {
    let count = count()?;
    (0..count).map(|ordinal| open_context(ordinal, count).and_then(|context| describe(&context))).collect()
}

/// Number of devices, at least one.
fn count() -> Result<usize, CudaError> {
    // SAFETY: only opens and closes the driver's library.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    let none = |what: String| CudaError::NoDevice { what };
    cudarc::driver::result::init().map_err(|error| none(error.to_string()))?;
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count as usize),
        Ok(_) => Err(none("it counts none".to_owned())),
        Err(error) => Err(none(error.to_string())),
    }
}

fn open_context(ordinal: usize, count: usize) -> Result<Arc<CudaContext>, CudaError> {
    if ordinal >= count {
        return Err(CudaError::Ordinal { ordinal, devices: count });
    }
    CudaContext::new(ordinal).map_err(CudaError::driver("opening a device"))
}

fn describe(context: &CudaContext) -> Result<DeviceInfo, CudaError> {
    let wrap = || CudaError::driver("asking a device for its properties");
    let (major, minor) = context.compute_capability().map_err(wrap())?;
    let (name, memory) = (context.name().map_err(wrap())?, context.total_mem().map_err(wrap())?);
    Ok(DeviceInfo { ordinal: context.ordinal(), name, major, minor, memory })
}

/// An open device. Clones share it.
#[derive(Clone)]
pub struct Device {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    info: DeviceInfo,
    user_kernels: Vec<UserKernel>,
    block: u32,
}

impl Device {
    /// Opens a device by its number.
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        let context = open_context(ordinal, count()?)?;
        let info = describe(&context)?;
        if (info.major, info.minor) < (7, 5) {
            let DeviceInfo { name, major, minor, .. } = info;
            return Err(CudaError::TooOld { name, major, minor });
        }
        // SAFETY: all work goes through one stream, in order; events between streams would only break the capture.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(CudaError::driver("making a stream"))?;
        Ok(Self { context, stream, info, user_kernels: vec![], block: BLOCK })
    }

    /// Properties reported by the driver.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Adds a kernel for a custom kind of batch, or replaces a built-in one.
    pub fn with_kernel(mut self, kernel: UserKernel) -> Self {
        self.user_kernels.retain(|known| known.kind != kernel.kind);
        self.user_kernels.push(kernel);
        self
    }

    /// With blocks of this many threads: 32, 64, 128 or 256. Results do not depend on it.
    pub fn with_block(mut self, threads: u32) -> Result<Self, CudaError> {
        if ![32, 64, 128, 256].contains(&threads) {
            let (what, why) = (format!("blocks of {threads} threads"), "they have 32, 64, 128 or 256");
            return Err(CudaError::Unsupported { what, why });
        }
        self.block = threads;
        Ok(self)
    }

    pub(crate) fn block(&self) -> u32 {
        self.block
    }

    pub(crate) fn user_kernel<T: DeviceReal>(&self, kind: &str) -> Option<(&UserKernel, &str)> {
        let kernel = self.user_kernels.iter().find(|kernel| kernel.kind == kind)?;
        Some((kernel, kernel.ptx::<T>()))
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("info", &self.info).field("block", &self.block).finish()
    }
}
