//! Choice of the CPU or a CUDA device by name, for the command line and the window.

use crate::{CudaError, CudaLocal, CudaPd, Device, DeviceInfo, DeviceReal, Method, devices};
use pd_core::{Acceleration, LinearError, ProjectiveDynamics, Stepper};
use pd_linear::{JacobiOptions, Registry, SolverOptions, Stopping};
use pd_steppers::FusedJacobi;

/// Steppers that a device supports.
const STEPPERS: &str = "pd, pd-anderson, pd-lbfgs, fused-jacobi";

/// The device to run on.
///
/// ```
/// use pd_cuda::DeviceChoice;
/// let names: Vec<_> = DeviceChoice::ALL.iter().map(|choice| choice.name()).collect();
/// assert_eq!(names, ["cpu", "cuda", "cuda-f64", "auto"]);
/// assert_eq!(DeviceChoice::by_name("cuda"), Some(DeviceChoice::Cuda));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The CPU, in double precision.
    #[default]
    Cpu,
    /// A CUDA device, in single precision.
    Cuda,
    /// A CUDA device, in double precision.
    CudaF64,
    /// A CUDA device if there is one, else the CPU.
    Auto,
}

/// A stepper and what it runs on.
pub struct OnDevice {
    /// The stepper.
    pub stepper: Box<dyn Stepper>,
    /// Name of the device.
    pub device: String,
}

/// Why a stepper cannot be created on a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceChoiceError {
    /// There is no device, or it cannot be used.
    #[error(transparent)]
    Device(#[from] CudaError),
    /// A stepper that no device supports.
    #[error("the stepper {stepper:?} runs only on the CPU; a device supports {STEPPERS}")]
    Stepper {
        /// Its name.
        stepper: String,
    },
    /// A global solver that does not exist or rejects its options.
    #[error(transparent)]
    Solver(#[from] LinearError),
}

impl DeviceChoice {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Cuda, Self::CudaF64, Self::Auto];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::CudaF64 => "cuda-f64",
            Self::Auto => "auto",
        }
    }

    /// In a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Cpu => "the CPU, in double precision",
            Self::Cuda => "a CUDA device, in single precision",
            Self::CudaF64 => "a CUDA device, in double precision",
            Self::Auto => "a CUDA device if there is one, else the CPU",
        }
    }

    /// The one of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The stepper of these names on this device; `None` if that is the CPU. Solvers that stay on the host are taken
    /// from `solvers`.
    pub fn stepper(
        self,
        stepper: &str,
        global: &str,
        options: &SolverOptions,
        solvers: &Registry,
    ) -> Result<Option<OnDevice>, DeviceChoiceError> {
        if self == Self::Cpu {
            return Ok(None);
        }
        let device = match self.find().and_then(|info| Device::open(info.ordinal)) {
            Ok(device) => device,
            Err(_) if self == Self::Auto => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stepper = match self {
            Self::CudaF64 => make::<f64>(&device, stepper, global, options, solvers)?,
            _ => make::<f32>(&device, stepper, global, options, solvers)?,
        };
        Ok(Some(OnDevice { stepper, device: device.info().name.clone() }))
    }

    /// The first real device; the interpreter of the tests is used only if requested by name.
    fn find(self) -> Result<DeviceInfo, CudaError> {
        let real = |device: &DeviceInfo| self != Self::Auto || !device.is_emulator();
        let none = || CudaError::NoDevice { what: "only an interpreter is here".to_owned() };
        devices()?.into_iter().find(real).ok_or_else(none)
    }
}

/// The whole step on the device where it has the stepper and the solver; else its local step with the host's solver.
fn make<T: DeviceReal>(
    device: &Device,
    stepper: &str,
    global: &str,
    options: &SolverOptions,
    solvers: &Registry,
) -> Result<Box<dyn Stepper>, DeviceChoiceError> {
    if let ("pd", Some(method)) = (stepper, Method::by_name(global)) {
        let mut made = CudaPd::<T>::new(device, method, jacobi(options));
        if let Some(sweeps) = options.iterations.filter(|_| method != Method::Cholesky) {
            made = made.with_sweeps(sweeps);
        }
        return Ok(Box::new(made));
    }
    let local = || Box::new(CudaLocal::<T>::new(device));
    let plain = [Acceleration::None, Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }];
    if let Some(&acceleration) = plain.iter().find(|acceleration| acceleration.name() == stepper) {
        let solver = solvers.create_with(global, options)?;
        return Ok(Box::new(ProjectiveDynamics::with_parts(local(), solver, acceleration)));
    }
    if stepper == "fused-jacobi" {
        return Ok(Box::new(FusedJacobi::with_local(local())));
    }
    Err(DeviceChoiceError::Stepper { stepper: stepper.to_owned() })
}

fn jacobi(options: &SolverOptions) -> JacobiOptions {
    let default = JacobiOptions::default();
    // Sweeps are cheap and the step corrects itself: the increment need not be exact.
    let tolerance = options.tolerance.unwrap_or(1e-4);
    let stopping =
        Stopping { tolerance, iterations: options.iterations.unwrap_or(default.stopping.iterations) };
    let (gamma, rho) = (options.gamma, options.rho);
    let (delay, memory) = (options.delay.unwrap_or(default.delay), options.memory.unwrap_or(default.memory));
    JacobiOptions { stopping, gamma, rho, delay, memory, ..default }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_needs_no_device_and_names_lead_back() {
        let (options, solvers) = (SolverOptions::default(), Registry::standard());
        assert!(DeviceChoice::Cpu.stepper("pd", "cholesky", &options, &solvers).unwrap().is_none());
        for choice in DeviceChoice::ALL {
            assert_eq!(DeviceChoice::by_name(choice.name()), Some(choice));
            assert!(!choice.about().is_empty());
        }
        assert_eq!(DeviceChoice::by_name("gpu"), None);
    }
}
