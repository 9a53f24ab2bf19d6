//! The thesis' mixed mode: the local step on the device, any global solver.

use crate::batch::write_reals;
use crate::model::DeviceModel;
use crate::queue::{Buffer, Queue};
use crate::{CudaError, Device, DeviceReal, Summation};
use pd_core::{LocalInput, LocalStep, Model, Real, StepError, Vec3, as_flat, as_flat_mut};

/// A local step on a device: positions and forces are copied in every iteration.
///
/// With `f32` the projections carry rounding of 1e-7 times the size of the *positions*, so keep a scene near the origin.
///
/// ```
/// use pd_core::ProjectiveDynamics;
/// use pd_cuda::{CudaLocal, Device};
/// use pd_linear::Cholesky;
/// if let Ok(device) = Device::open(0) {
///     let local = CudaLocal::<f32>::new(&device);
///     let _stepper = ProjectiveDynamics::with_local(Box::new(local), Box::new(Cholesky::default()));
/// }
/// ```
pub struct CudaLocal<T> {
    device: Device,
    summation: Summation,
    prepared: Option<Prepared<T>>,
}

struct Prepared<T> {
    queue: Queue<T>,
    model: DeviceModel<T>,
    dt: Real,
    s: Buffer<T>,
    x: Buffer<T>,
    b: Buffer<T>,
    scalars: Buffer<T>,
    staging: Vec<T>,
    other_staging: Vec<T>,
}

impl<T: DeviceReal> CudaLocal<T> {
    /// On this device, with forces gathered in a fixed order.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), summation: Summation::Gather, prepared: None }
    }

    /// With another summation of forces.
    pub fn with_summation(self, summation: Summation) -> Self {
        Self { summation, ..self }
    }

    fn prepare_device(&mut self, model: &Model) -> Result<(), CudaError> {
        let queue = Queue::new(&self.device)?;
        let count = 3 * model.vertices();
        let prepared = Prepared {
            model: DeviceModel::new(&queue, model, self.summation)?,
            dt: Real::NAN,
            s: queue.zeros(count)?,
            x: queue.zeros(count)?,
            b: queue.zeros(count)?,
            scalars: queue.zeros(1)?,
            staging: vec![T::from_real(0.0); count],
            other_staging: vec![T::from_real(0.0); count],
            queue,
        };
        self.prepared = Some(prepared);
        Ok(())
    }
}

impl<T: DeviceReal> Prepared<T> {
    fn run(&mut self, input: LocalInput<'_>, b: &mut [Vec3]) -> Result<(), CudaError> {
        let Self { queue, model, s, x, staging, other_staging, .. } = self;
        if self.dt != input.dt {
            model.set_dt(queue, input.model, input.dt)?;
            self.dt = input.dt;
        }
        model.refresh(queue, input.model)?;
        write_reals(queue, as_flat(input.s), staging, s)?;
        write_reals(queue, as_flat(input.x), other_staging, x)?;
        model.residual(queue, x)?;
        model.forces(queue, s, x, &self.b)?;
        queue.read(&self.b, staging)?;
        for (out, value) in as_flat_mut(b).iter_mut().zip(staging) {
            *out = value.to_real();
        }
        Ok(())
    }

    fn energy(&mut self) -> Result<Real, CudaError> {
        self.model.energy(&self.queue, &self.scalars, 0)?;
        let mut energy = [T::from_real(0.0)];
        self.queue.read(&self.scalars, &mut energy)?;
        Ok(energy[0].to_real())
    }
}

impl<T: DeviceReal> LocalStep for CudaLocal<T> {
    fn name(&self) -> &str {
        "cuda"
    }

    fn prepare(&mut self, model: &Model) -> Result<(), StepError> {
        self.prepared = None;
        Ok(self.prepare_device(model)?)
    }

    fn run(&mut self, input: LocalInput<'_>, b: &mut [Vec3]) -> Result<(), StepError> {
        match &mut self.prepared {
            Some(prepared) if prepared.model.vertices == input.x.len() => Ok(prepared.run(input, b)?),
            _ => Err(StepError::NotPrepared { stepper: "cuda local step".to_owned() }),
        }
    }

    fn elastic_energy(&mut self, _input: LocalInput<'_>) -> Result<Real, StepError> {
        match &mut self.prepared {
            Some(prepared) => Ok(prepared.energy()?),
            None => Err(StepError::NotPrepared { stepper: "cuda local step".to_owned() }),
        }
    }
}
