//! The device as a safe Rust value: memory, modules, launches.

use crate::error::{AccessError, LaunchError, PtxError};
use crate::exec::{self, Launch, Stats};
use crate::memory::Table;
use crate::module::Module;
use crate::shadow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared memory a block may have, in bytes (sm_75).
pub const SHARED_LIMIT: usize = 64 * 1024;

/// What is checked while kernels run, and for how long they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Races on device memory between threads of one launch. Costs time on every load and store. Launches of 2²⁶
    /// threads and more are not checked.
    pub check_global_races: bool,
    /// Races on shared memory, and reads of shared memory nobody wrote.
    pub check_shared: bool,
    /// Instructions one warp may execute in one block before it counts as endless.
    pub instruction_limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { check_global_races: true, check_shared: true, instruction_limit: 200_000_000 }
    }
}

/// Size of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
}

impl Shape {
    /// A row of `blocks` with `threads` each.
    pub fn row(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: 0 }
    }
}

#[derive(Debug, Default)]
struct State {
    memory: Table,
    options: Options,
    epoch: u32,
}

/// An interpreted device.
///
/// ```
/// use pd_cuda_emu::{Device, Shape};
/// let device = Device::new();
/// let module = device.load(r#"
///     .version 8.0
///     .target sm_75
///     .address_size 64
///     .visible .entry twice(.param .u64 p)
///     {
///         .reg .b32 %r<4>;
///         .reg .b64 %rd<4>;
///         ld.param.u64 %rd1, [p];
///         mov.u32 %r1, %tid.x;
///         mul.wide.u32 %rd2, %r1, 4;
///         add.s64 %rd3, %rd1, %rd2;
///         ld.global.u32 %r2, [%rd3];
///         shl.b32 %r3, %r2, 1;
///         st.global.u32 [%rd3], %r3;
///         ret;
///     }"#)?;
/// let p = device.alloc(8).ok_or("no memory")?;
/// device.write(p, &[1, 0, 0, 0, 5, 0, 0, 0])?;
/// device.launch(&module, "twice", Shape::row(1, 2), &[&p.to_le_bytes()])?;
/// let mut out = [0; 8];
/// device.read(p, &mut out)?;
/// assert_eq!(out, [2, 0, 0, 0, 10, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Device {
    state: Mutex<State>,
}

impl Device {
    /// A device without allocations, with every check on.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is checked.
    pub fn options(&self) -> Options {
        self.state().options
    }

    /// Changes what is checked.
    pub fn set_options(&self, options: Options) {
        self.state().options = options;
    }

    /// Takes memory; its bytes are all ones until written. None if the device is full.
    pub fn alloc(&self, bytes: u64) -> Option<u64> {
        self.state().memory.allocate(bytes, false)
    }

    /// Gives memory back; false if `address` is not the start of a live allocation.
    pub fn free(&self, address: u64) -> bool {
        self.state().memory.free(address)
    }

    /// Bytes in live allocations.
    pub fn live_bytes(&self) -> u64 {
        self.state().memory.live_bytes()
    }

    /// Start and length of the allocation an address points into.
    pub fn extent(&self, address: u64) -> Option<(u64, u64)> {
        self.state().memory.extent(address)
    }

    fn memory(&self) -> Table {
        self.state().memory.clone()
    }

    /// Copies host bytes to the device.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), AccessError> {
        self.memory().write(address, bytes)
    }

    /// Copies device bytes to the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), AccessError> {
        self.memory().read(address, bytes)
    }

    /// Copies within the device.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), AccessError> {
        self.memory().copy(to, from, bytes)
    }

    /// Repeats a pattern of one, two or four bytes.
    pub fn fill(&self, to: u64, pattern: &[u8], times: u64) -> Result<(), AccessError> {
        self.memory().fill(to, pattern, times)
    }

    /// Whether a copy of this many bytes may start here.
    pub fn check(&self, address: u64, bytes: u64) -> Result<(), AccessError> {
        self.memory().check(address, bytes)
    }

    /// Reads PTX and places its variables.
    pub fn load(&self, ptx: &str) -> Result<Module, PtxError> {
        Module::load(ptx, &mut self.state().memory)
    }

    /// Gives back the memory of a module's variables.
    pub fn unload(&self, module: &Module) {
        module.unload(&mut self.state().memory);
    }

    /// Runs a kernel to its end. Each argument is the bytes of one parameter.
    pub fn launch(
        &self,
        module: &Module,
        kernel: &str,
        shape: Shape,
        args: &[&[u8]],
    ) -> Result<Stats, LaunchError> {
        self.launch_with(self.options(), module, kernel, shape, args)
    }

    /// Like [`Device::launch`], with the checks of this launch alone.
    pub fn launch_with(
        &self,
        options: Options,
        module: &Module,
        kernel: &str,
        shape: Shape,
        args: &[&[u8]],
    ) -> Result<Stats, LaunchError> {
        let Some(&index) = module.kernels.get(kernel) else {
            return Err(LaunchError::UnknownKernel {
                name: kernel.to_string(),
                known: module.kernel_names(),
            });
        };
        let f = &module.functions[index];
        check_shape(f, shape)?;
        if args.len() != f.params.len() {
            let (expected, found) = (f.params.len(), args.len());
            return Err(LaunchError::ArgumentCount { kernel: kernel.to_string(), expected, found });
        }
        let mut params = vec![0; f.param_bytes];
        for (k, (arg, &(at, bytes))) in args.iter().zip(&f.params).enumerate() {
            if arg.len() != bytes {
                let (kernel, found) = (kernel.to_string(), arg.len());
                return Err(LaunchError::ArgumentSize { kernel, index: k, expected: bytes, found });
            }
            params[at..at + bytes].copy_from_slice(arg);
        }
        let (memory, epoch) = {
            let mut state = self.state();
            state.epoch += 1;
            if state.epoch >= shadow::EPOCHS {
                state.memory.clear_shadows();
                state.epoch = 1;
            }
            (state.memory.clone(), state.epoch)
        };
        let threads = shape.grid.iter().chain(&shape.block).map(|&n| u128::from(n)).product::<u128>();
        let dynamic = shape.shared as usize;
        let shared_bytes = if dynamic > 0 { module.dynamic_shared + dynamic } else { f.shared_bytes };
        let launch = Launch {
            functions: &module.functions,
            kernel: index,
            grid: shape.grid,
            block: shape.block,
            shared_bytes,
            dynamic_shared: shape.shared,
            params: &params,
            memory: &memory,
            epoch,
            check_global_races: options.check_global_races && threads < u128::from(shadow::THREADS),
            check_shared: options.check_shared,
            instruction_limit: options.instruction_limit,
        };
        Ok(exec::run(&launch)?)
    }
}

fn check_shape(f: &crate::instr::Function, shape: Shape) -> Result<(), LaunchError> {
    let Shape { grid, block, shared } = shape;
    let refuse = |reason: String| Err(LaunchError::Shape { kernel: f.name.clone(), grid, block, reason });
    if grid.contains(&0) || block.contains(&0) {
        return refuse("a dimension is zero".to_string());
    }
    if grid[0] > 0x7fff_ffff || grid[1] > 65535 || grid[2] > 65535 {
        return refuse("the grid is larger than 2147483647 x 65535 x 65535".to_string());
    }
    let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
    if threads > 1024 || block[2] > 64 {
        return refuse("a block has at most 1024 threads, 64 in z".to_string());
    }
    if let Some(max) = f.max_threads
        && threads > max.iter().map(|&n| u64::from(n)).product::<u64>()
    {
        return refuse(format!("the kernel is bound to {max:?} threads"));
    }
    if let Some(required) = f.required_threads
        && block != required
    {
        return refuse(format!("the kernel requires {required:?} threads"));
    }
    let bytes = f.shared_bytes + shared as usize;
    if bytes > SHARED_LIMIT {
        return Err(LaunchError::SharedMemory { kernel: f.name.clone(), bytes, limit: SHARED_LIMIT });
    }
    Ok(())
}
