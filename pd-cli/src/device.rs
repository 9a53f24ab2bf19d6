//! Where a simulation runs: the CPU or a CUDA device.

use crate::failure::Failure;
use clap::ValueEnum;
use pd_cuda::{DeviceChoice, DeviceChoiceError, DeviceInfo, OnDevice, devices};
use pd_linear::SolverOptions;
use pd_sim::Registry;

/// The value of `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
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

impl Choice {
    fn device_choice(self) -> DeviceChoice {
        match self {
            Self::Cpu => DeviceChoice::Cpu,
            Self::Cuda => DeviceChoice::Cuda,
            Self::CudaF64 => DeviceChoice::CudaF64,
            Self::Auto => DeviceChoice::Auto,
        }
    }
}

/// The stepper of these names on the device chosen; `None` for the CPU.
pub(crate) fn stepper(
    choice: Choice,
    stepper: &str,
    global: &str,
    options: &SolverOptions,
) -> Result<Option<OnDevice>, Failure> {
    let solvers = Registry::standard().solvers;
    choice.device_choice().stepper(stepper, global, options, &solvers).map_err(|error| match error {
        DeviceChoiceError::Device(error) => {
            let advice = "use --device cpu, or --device auto to take a device only where there is one";
            Failure::Input(format!("--device cuda: {error}; {advice}"))
        }
        DeviceChoiceError::Stepper { .. } => Failure::Input(format!("--device cuda: {error}")),
        error => Failure::Input(error.to_string()),
    })
}

/// Description for `pd doctor`.
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
