//! A device: found, opened, and with the laws its user adds.

use crate::{CudaError, DeviceReal, LawKernel};
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

/// Name of the stand-in device of the test interpreter. Its times say nothing about a real device.
pub const EMULATOR: &str = "pd-emu";

/// Threads of a block, where nothing else is said: four warps fit every device and keep registers free.
const BLOCK: u32 = 128;

/// What the driver says about a device.
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

/// How many devices there are, at least one.
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
    laws: Vec<LawKernel>,
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
        Ok(Self { context, stream, info, laws: vec![], block: BLOCK })
    }

    /// What the driver says about it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// With a kernel for batches of a kind of one's own, or instead of a built-in one.
    pub fn with_law(mut self, law: LawKernel) -> Self {
        self.laws.retain(|known| known.kind != law.kind);
        self.laws.push(law);
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

    pub(crate) fn law<T: DeviceReal>(&self, kind: &str) -> Option<(&LawKernel, &str)> {
        let law = self.laws.iter().find(|law| law.kind == kind)?;
        Some((law, law.ptx::<T>()))
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("info", &self.info).field("block", &self.block).finish()
    }
}
