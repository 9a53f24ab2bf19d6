//! Measurements on a CUDA device, if there is one: the local step, and the thesis' mixed modes.

use crate::lab::{Lab, Rates, TableError};
use crate::{Cell, Outcome};
use pd_core::{GlobalSolver, LocalStep, ProjectiveDynamics};
use pd_cuda::{CudaGlobal, CudaLocal, Device, devices};
use pd_linear::{JacobiOptions, Stopping};
use pd_sim::scene::SceneDesc;

/// Single precision, as the thesis' kernels.
type Precision = f32;

/// The first real device; the emulator verifies kernels but not their speed.
fn open() -> Option<Device> {
    let ordinal = devices().ok()?.iter().position(|info| !info.is_emulator())?;
    Device::open(ordinal).ok()
}

/// Name of the CUDA device to measure on, if there is one.
pub fn device_name() -> Option<String> {
    open().map(|device| device.info().name.clone())
}

/// The local step on the device.
pub(crate) fn local_step() -> Option<Box<dyn LocalStep>> {
    open().map(|device| Box::new(CudaLocal::<Precision>::new(&device)) as Box<dyn LocalStep>)
}

/// The global step of a mixed mode.
pub(crate) enum Global {
    /// A solver of the host, by name.
    Host(&'static str),
    /// A-Jacobi of this order on the device, with this many sweeps.
    AJacobi(usize, usize),
}

/// Frames per second with the local step on the device.
pub(crate) fn rates(
    lab: &Lab<'_>,
    scene: &str,
    desc: SceneDesc,
    global: &Global,
) -> Result<Cell, TableError> {
    let Some(device) = open() else { return Ok(Cell::Outcome(Outcome::NoDevice)) };
    let local = Box::new(CudaLocal::<Precision>::new(&device));
    let global: Box<dyn GlobalSolver> = match *global {
        Global::Host(name) => lab
            .registry
            .solvers
            .create(name)
            .map_err(|error| pd_sim::SceneError::Registry(error.to_string()))?,
        Global::AJacobi(order, sweeps) => {
            let stopping = Stopping { tolerance: 0.0, iterations: sweeps };
            let options = JacobiOptions { stopping, ..Default::default() };
            Box::new(CudaGlobal::<Precision>::a_jacobi(&device, order, options))
        }
    };
    let stepper = Box::new(ProjectiveDynamics::with_local(local, global));
    // An unsupported configuration is a value too.
    let rates: Result<Rates, Outcome> = match lab.rates_with(scene, desc, lab.threads, stepper) {
        Ok(rates) => rates,
        Err(error) => Err(Outcome::Missing(error.to_string())),
    };
    Ok(Cell::from(rates.map(|rates| rates.fps[1])))
}
