//! A device without a window.

use egui_wgpu::wgpu;

/// Why rendering is not possible.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// No adapter at all.
    #[error(
        "no graphics adapter: neither a GPU nor a software driver was found ({reason}). On Debian and Ubuntu install the \
         software driver with: apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoAdapter {
        /// Message of the graphics library.
        reason: String,
    },
    /// No software Vulkan.
    #[error(
        "the software Vulkan driver (llvmpipe) was not found; there are: {found}. On Debian and Ubuntu install it with: \
         apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoSoftwareDriver {
        /// The adapters there are.
        found: String,
    },
    /// The adapter gives no device.
    #[error("the graphics adapter {adapter} gives no device: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// Message of the graphics library.
        reason: String,
    },
    /// A picture too large for the device, or without pixels.
    #[error("a picture of {width}x{height} pixels is not possible here; each side must be from 1 to {most}")]
    Size {
        /// Width requested.
        width: u32,
        /// Height requested.
        height: u32,
        /// Largest side.
        most: u32,
    },
    /// The picture could not be read back.
    #[error("the picture could not be read back from the graphics device: {reason}")]
    ReadBack {
        /// Message of the graphics library.
        reason: String,
    },
}

/// Which adapter to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// The fastest there is; software where there is nothing else. The variables `WGPU_BACKEND` and `WGPU_ADAPTER_NAME`
    /// narrow the choice.
    #[default]
    Any,
    /// The software Vulkan driver, for pictures that do not depend on the machine.
    Software,
}

/// A device and its queue.
pub struct Gpu {
    /// Name, backend and kind of the adapter.
    pub info: wgpu::AdapterInfo,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// Opens an adapter; needs no display.
    pub fn open(driver: Driver) -> Result<Self, RenderError> {
        pollster::block_on(async {
            let adapter = match driver {
                Driver::Any => any().await?,
                Driver::Software => software(&instance(wgpu::Backends::VULKAN)).await?,
            };
            let info = adapter.get_info();
            // The limits of WebGL 2 are sufficient, so old drivers work; only textures may be as large as the adapter supports.
            let limits = wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits());
            let wanted = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
            let (device, queue) = adapter.request_device(&wanted).await.map_err(|error| {
                RenderError::NoDevice { adapter: info.name.clone(), reason: error.to_string() }
            })?;
            Ok(Self { info, device, queue })
        })
    }

    /// Name and backend in one line.
    pub fn describe(&self) -> String {
        format!("{} ({:?}, {:?})", self.info.name, self.info.backend, self.info.device_type)
    }
}

/// These backends, except those excluded by `WGPU_BACKEND`.
fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    wanted.backends &= backends;
    wgpu::Instance::new(wanted)
}

/// Vulkan, Metal or Direct3D; where none of them has an adapter, OpenGL. In this order, because merely asking for OpenGL
/// without a display makes system libraries complain on the terminal.
async fn any() -> Result<wgpu::Adapter, RenderError> {
    let wanted = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    match instance(wgpu::Backends::PRIMARY).request_adapter(&wanted).await {
        Ok(adapter) => Ok(adapter),
        Err(error) => {
            let reason = error.to_string();
            let second = instance(wgpu::Backends::SECONDARY).request_adapter(&wanted).await;
            second.map_err(|_| RenderError::NoAdapter { reason })
        }
    }
}

async fn software(instance: &wgpu::Instance) -> Result<wgpu::Adapter, RenderError> {
    let adapters = instance.enumerate_adapters(wgpu::Backends::VULKAN).await;
    let names: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
    let is_software = |a: &wgpu::Adapter| a.get_info().device_type == wgpu::DeviceType::Cpu;
    adapters.into_iter().find(is_software).ok_or_else(|| {
        let found = if names.is_empty() { "no Vulkan adapters".into() } else { names.join(", ") };
        RenderError::NoSoftwareDriver { found }
    })
}
