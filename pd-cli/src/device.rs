//! Where a simulation runs: the CPU or a CUDA device.

use crate::failure::Failure;
use clap::ValueEnum;
use pd_core::{Acceleration, ProjectiveDynamics, Stepper};
use pd_cuda::{CudaError, CudaLocal, CudaPd, Device, DeviceInfo, DeviceReal, Method, devices};
use pd_linear::{FusedJacobi, JacobiOptions, SolverOptions, Stopping};
use pd_sim::Registry;

/// The choice of `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// The CPU, in double precision.
    #[default]
    Cpu,
    /// A CUDA device, in single precision.
    Cuda,
    /// A CUDA device, in double precision.
    CudaF64,
    /// A CUDA device where there is one, else the CPU.
    Auto,
}

/// The first device that is one: the interpreter of the tests counts only when asked for by name.
fn find(choice: Choice) -> Result<DeviceInfo, CudaError> {
    let found = devices()?;
    let real = |device: &DeviceInfo| choice != Choice::Auto || !device.is_emulator();
    let none = || CudaError::NoDevice { what: "only an interpreter is here".to_owned() };
    found.into_iter().find(real).ok_or_else(none)
}

/// A stepper and the name of the device it runs on.
pub(crate) type OnDevice = (Box<dyn Stepper>, String);

/// The stepper of these names on the device chosen; `None` for the CPU.
pub(crate) fn stepper(
    choice: Choice,
    stepper: &str,
    global: &str,
    options: &SolverOptions,
) -> Result<Option<OnDevice>, Failure> {
    if choice == Choice::Cpu {
        return Ok(None);
    }
    let opened = find(choice).and_then(|info| Device::open(info.ordinal));
    let device = match opened {
        Ok(device) => device,
        Err(_) if choice == Choice::Auto => return Ok(None),
        Err(error) => {
            let advice = "use --device cpu, or --device auto to take a device only where there is one";
            return Err(Failure::Input(format!("--device cuda: {error}; {advice}")));
        }
    };
    let made = match choice {
        Choice::CudaF64 => make::<f64>(&device, stepper, global, options)?,
        _ => make::<f32>(&device, stepper, global, options)?,
    };
    Ok(Some((made, device.info().name.clone())))
}

/// The whole step on the device where it has the stepper and the solver; else its local step with the host's solver.
fn make<T: DeviceReal>(
    device: &Device,
    stepper: &str,
    global: &str,
    options: &SolverOptions,
) -> Result<Box<dyn Stepper>, Failure> {
    if let ("pd", Some(method)) = (stepper, Method::by_name(global)) {
        let mut made = CudaPd::<T>::new(device, method, jacobi(options));
        if let Some(sweeps) = options.iterations.filter(|_| method != Method::Cholesky) {
            made = made.with_sweeps(sweeps);
        }
        return Ok(Box::new(made));
    }
    let local = || Box::new(CudaLocal::<T>::new(device));
    let solver = || Registry::standard().solvers.create_with(global, options);
    let solver = || solver().map_err(|error| Failure::Input(error.to_string()));
    let plain = [Acceleration::None, Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }];
    if let Some(&acceleration) = plain.iter().find(|acceleration| acceleration.name() == stepper) {
        return Ok(Box::new(ProjectiveDynamics::with_parts(local(), solver()?, acceleration)));
    }
    if stepper == "fused-jacobi" {
        return Ok(Box::new(FusedJacobi::with_local(local())));
    }
    let known = "pd, pd-anderson, pd-lbfgs, fused-jacobi";
    Err(Failure::Input(format!(
        "--device cuda: the stepper {stepper:?} runs on the CPU alone; on a device {known} do"
    )))
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

/// What `pd doctor` says.
pub(crate) fn describe() -> String {
    match devices() {
        Ok(found) => {
            let spell = |d: &DeviceInfo| {
                let gib = d.memory as f64 / f64::from(1 << 30);
                format!(
                    "{}: {} (compute capability {}.{}, {gib:.1} GiB)",
                    d.ordinal, d.name, d.major, d.minor
                )
            };
            found.iter().map(spell).collect::<Vec<_>>().join("; ")
        }
        Err(error) => error.to_string(),
    }
}
