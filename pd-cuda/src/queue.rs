//! Work in order: memory, copies and checked launches of one precision on one device.

use crate::kernels::{KERNELS, Kernel, LOCAL_PARAMETERS, REDUCE, builtin_kernel};
use crate::precision::round_into;
use crate::signature::{self, Parameter};
use crate::{CudaError, Device, DeviceReal};
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg, ValidAsZeroBits,
};
use cudarc::nvrtc::Ptx;
use pd_core::Real;
use std::sync::Arc;

/// Device memory.
pub(crate) type Buffer<T> = CudaSlice<T>;

/// An argument of a launch.
#[derive(Clone, Copy)]
pub(crate) enum Argument<T> {
    /// A buffer: its address, how many numbers it holds and how many the kernel touches.
    Buffer {
        address: u64,
        length: usize,
        needed: usize,
    },
    Int(i32),
    Real(T),
}

/// Loaded kernels and the stream they run in.
pub(crate) struct Queue<T> {
    device: Device,
    stream: Arc<CudaStream>,
    functions: Vec<CudaFunction>,
    module: Arc<cudarc::driver::CudaModule>,
    precision: std::marker::PhantomData<T>,
}

impl<T: DeviceReal> Queue<T> {
    /// Compares the table with the PTX and loads all kernels.
    pub(crate) fn new(device: &Device) -> Result<Self, CudaError> {
        check_table::<T>()?;
        let load = CudaError::driver("loading the kernels");
        let module = device.context.load_module(Ptx::from_src(T::PTX)).map_err(load)?;
        let find = |kernel: &Kernel| {
            module.load_function(kernel.name).map_err(CudaError::driver("finding a kernel"))
        };
        let functions = KERNELS.iter().map(find).collect::<Result<_, _>>()?;
        let (device, stream) = (device.clone(), device.stream.clone());
        Ok(Self { device, stream, functions, module, precision: std::marker::PhantomData })
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The kernel of an energy: the user's, or a built-in one.
    pub(crate) fn energy_function(&self, kind: &str) -> Result<Option<(String, CudaFunction)>, CudaError> {
        let wrap = || CudaError::driver("loading the kernel of an energy");
        if let Some((kernel, ptx)) = self.device.user_kernel::<T>(kind) {
            let module = self.device.context.load_module(Ptx::from_src(ptx)).map_err(wrap())?;
            return Ok(Some((kernel.entry.clone(), module.load_function(&kernel.entry).map_err(wrap())?)));
        }
        let Some(name) = builtin_kernel(kind) else { return Ok(None) };
        Ok(Some((name.to_owned(), self.module.load_function(name).map_err(wrap())?)))
    }

    /// Zeroed memory; never of length 0, which the driver rejects.
    pub(crate) fn zeros<U: DeviceRepr + ValidAsZeroBits>(
        &self,
        length: usize,
    ) -> Result<Buffer<U>, CudaError> {
        self.stream.alloc_zeros(length.max(1)).map_err(CudaError::driver("allocating memory"))
    }

    /// Memory with these contents.
    pub(crate) fn upload<U: DeviceRepr + ValidAsZeroBits>(
        &self,
        values: &[U],
    ) -> Result<Buffer<U>, CudaError> {
        let mut buffer = self.zeros(values.len())?;
        self.write(values, &mut buffer)?;
        self.synchronize()?;
        Ok(buffer)
    }

    /// Memory with these numbers, rounded.
    pub(crate) fn upload_reals(&self, values: &[Real]) -> Result<Buffer<T>, CudaError> {
        let mut rounded = vec![T::from_real(0.0); values.len()];
        round_into(values, &mut rounded);
        self.upload(&rounded)
    }

    /// Copies to the device. The slice must not change until the queue is synchronised.
    pub(crate) fn write<U: DeviceRepr>(&self, values: &[U], buffer: &mut Buffer<U>) -> Result<(), CudaError> {
        if values.len() > buffer.len() {
            return Err(short("copy to the device", 0, values.len(), buffer.len()));
        }
        if values.is_empty() {
            return Ok(());
        }
        self.stream.memcpy_htod(values, buffer).map_err(CudaError::driver("copying to the device"))
    }

    /// Copies from the device and waits for it.
    pub(crate) fn read<U: DeviceRepr>(&self, buffer: &Buffer<U>, values: &mut [U]) -> Result<(), CudaError> {
        if values.len() > buffer.len() {
            return Err(short("copy from the device", 0, values.len(), buffer.len()));
        }
        if values.is_empty() {
            return Ok(());
        }
        let part = buffer.slice(0..values.len());
        self.stream.memcpy_dtoh(&part, values).map_err(CudaError::driver("copying from the device"))?;
        self.synchronize()
    }

    /// Waits for all submitted work; kernel faults are reported here.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        self.stream.synchronize().map_err(CudaError::driver("running kernels"))
    }

    /// A buffer as an argument of which the kernel touches the first `needed` numbers.
    pub(crate) fn buffer<U>(&self, buffer: &Buffer<U>, needed: usize) -> Argument<T> {
        Argument::Buffer { address: buffer.device_ptr(&self.stream).0, length: buffer.len(), needed }
    }

    /// The part of a buffer from `first` on.
    pub(crate) fn part<U>(&self, buffer: &Buffer<U>, first: usize, needed: usize) -> Argument<T> {
        let address = buffer.device_ptr(&self.stream).0 + (first * size_of::<U>()) as u64;
        Argument::Buffer { address, length: buffer.len().saturating_sub(first), needed }
    }

    /// Runs a kernel with one thread for each of `threads` items.
    pub(crate) fn launch(
        &self,
        name: &'static str,
        threads: usize,
        arguments: &[Argument<T>],
    ) -> Result<(), CudaError> {
        let Some(index) = KERNELS.iter().position(|kernel| kernel.name == name) else {
            return Err(argument(name, 0, "belongs to a kernel that is not in the table".to_owned()));
        };
        let kernel = &KERNELS[index];
        let block = if kernel.reduces { REDUCE } else { self.device.block() };
        self.run(name, &self.functions[index], kernel.parameters, threads, block, arguments)
    }

    /// Runs the kernel of an energy over `elements`.
    pub(crate) fn launch_energy(
        &self,
        name: &str,
        function: &CudaFunction,
        elements: usize,
        arguments: &[Argument<T>],
    ) -> Result<(), CudaError> {
        self.run(name, function, LOCAL_PARAMETERS, elements, self.device.block(), arguments)
    }

    fn run(
        &self,
        name: &str,
        function: &CudaFunction,
        parameters: &[Parameter],
        threads: usize,
        block: u32,
        arguments: &[Argument<T>],
    ) -> Result<(), CudaError> {
        check_arguments(name, parameters, arguments)?;
        if threads == 0 {
            return Ok(());
        }
        let blocks = int("threads of a kernel", threads.div_ceil(block as usize))? as u32;
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 };
        let mut builder = self.stream.launch_builder(function);
        for argument in arguments {
            match argument {
                Argument::Buffer { address, .. } => builder.arg(address),
                Argument::Int(value) => builder.arg(value),
                Argument::Real(value) => builder.arg(value),
            };
        }
        // SAFETY: number and kinds of the arguments are those of the kernel, compared with its PTX when it was loaded, and
        // every buffer is as long as the kernel was said to need.
        unsafe { builder.launch(config) }.map_err(CudaError::driver("launching a kernel"))?;
        Ok(())
    }
}

/// Compares the table of kernels with the PTX of one precision.
pub(crate) fn check_table<T: DeviceReal>() -> Result<(), CudaError> {
    let signatures = signature::parse_signatures(T::PTX, T::NAME)?;
    for kernel in KERNELS {
        signature::check(&signatures, kernel.name, kernel.parameters)?;
    }
    let kinds = ["pin", "edge", "bending", "tet-strain", "volume", "triangle-strain", "area"];
    for name in kinds.iter().filter_map(|kind| builtin_kernel(kind)) {
        signature::check(&signatures, name, LOCAL_PARAMETERS)?;
    }
    Ok(())
}

fn check_arguments<T>(
    kernel: &str,
    parameters: &[Parameter],
    arguments: &[Argument<T>],
) -> Result<(), CudaError> {
    if arguments.len() != parameters.len() {
        let what =
            format!("is missing or too many: {} are needed, {} given", parameters.len(), arguments.len());
        return Err(argument(kernel, arguments.len().min(parameters.len()), what));
    }
    for (k, (given, parameter)) in arguments.iter().zip(parameters).enumerate() {
        match (given, parameter) {
            (Argument::Buffer { length, needed, .. }, Parameter::Pointer) => {
                if needed > length {
                    return Err(short(kernel, k, *needed, *length));
                }
            }
            (Argument::Int(_), Parameter::Int) | (Argument::Real(_), Parameter::Real) => {}
            _ => return Err(argument(kernel, k, format!("is of another kind than {parameter:?}"))),
        }
    }
    Ok(())
}

fn argument(kernel: &str, argument: usize, what: String) -> CudaError {
    CudaError::Argument { kernel: kernel.to_owned(), argument, what }
}

fn short(kernel: &str, position: usize, needed: usize, length: usize) -> CudaError {
    argument(kernel, position, format!("is a buffer of {length} numbers where {needed} are touched"))
}

/// A count as the device takes it.
pub(crate) fn int(what: &'static str, count: usize) -> Result<i32, CudaError> {
    i32::try_from(count).map_err(|_| CudaError::TooMany { what, count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Parameter::{Int, Pointer, Real};

    #[test]
    fn the_table_fits_the_embedded_ptx() {
        check_table::<f32>().unwrap();
        check_table::<f64>().unwrap();
        for ptx in [f32::PTX, f64::PTX] {
            let known = KERNELS.len() + 7;
            assert_eq!(ptx.matches(".entry ").count(), known, "a kernel is not in the table");
        }
    }

    #[test]
    fn wrong_arguments_are_found_before_a_launch() {
        let buffer = |length, needed| Argument::<f32>::Buffer { address: 0, length, needed };
        let check = |arguments: &[Argument<f32>]| check_arguments("k", &[Pointer, Int, Real], arguments);
        check(&[buffer(3, 3), Argument::Int(1), Argument::Real(1.0)]).unwrap();
        let text = |error: Result<(), CudaError>| error.unwrap_err().to_string();
        assert!(text(check(&[buffer(3, 3), Argument::Int(1)])).contains("3 are needed, 2 given"));
        assert!(
            text(check(&[buffer(2, 3), Argument::Int(1), Argument::Real(1.0)])).contains("2 numbers where 3")
        );
        let swapped = [Argument::Int(1), buffer(3, 3), Argument::Real(1.0)];
        assert!(text(check(&swapped)).contains("argument 0 is of another kind"));
    }
}
