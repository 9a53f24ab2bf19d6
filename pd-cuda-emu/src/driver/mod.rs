//! The stand-in driver: the C functions of `libcuda.so` that `cudarc` calls, on top of [`Device`](crate::Device).
//!
//! Work is done when it is asked for, so a stream is always finished; a stream under capture records instead. A C
//! library has one state per process by nature: it is the only global state of this crate, and only the shared
//! library uses it. What the last launch of a thread did wrong is kept per thread.

mod codes;
mod context;
mod extra;
mod memory;
mod modules;
mod stream;
mod unsupported;

use crate::{Device, Module, Shape};
use codes::Code;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// One recorded operation of a captured stream.
#[derive(Debug, Clone)]
enum Node {
    Kernel { function: Arc<FunctionHandle>, shape: Shape, args: Vec<Vec<u8>> },
    Copy { to: u64, from: u64, bytes: u64 },
    Fill { to: u64, pattern: Vec<u8>, times: u64 },
}

/// A kernel of a module.
#[derive(Debug)]
struct FunctionHandle {
    module: Arc<Module>,
    name: String,
}

/// What a stream under capture has recorded.
#[derive(Debug, Default)]
struct Capture {
    nodes: Vec<Node>,
    /// Something was asked that cannot be captured.
    broken: bool,
}

/// Everything behind a handle.
#[derive(Debug)]
enum Object {
    Stream(Option<Capture>),
    /// When it was recorded, and under which captured stream.
    Event {
        at: Option<std::time::Instant>,
        captured_by: Option<u64>,
    },
    Module(Arc<Module>, Vec<u64>),
    Function(Arc<FunctionHandle>),
    Graph(Arc<Vec<Node>>),
    HostMemory(Box<[u64]>),
}

/// State of the driver.
#[derive(Debug, Default)]
struct Registry {
    objects: BTreeMap<u64, Object>,
    next: u64,
}

impl Registry {
    fn insert(&mut self, object: Object) -> u64 {
        // Handles look like pointers: never null, never small.
        self.next = self.next.max(0x1000) + 16;
        self.objects.insert(self.next, object);
        self.next
    }
}

static DEVICE: LazyLock<Device> = LazyLock::new(Device::new);
static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

fn device() -> &'static Device {
    &DEVICE
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle(p: *mut c_void) -> u64 {
    p as usize as u64
}

fn pointer(handle: u64) -> *mut c_void {
    handle as usize as *mut c_void
}

/// Writes a result.
///
/// # Safety
/// `to` is null or valid for a write.
unsafe fn put<T>(to: *mut T, value: T) -> Code {
    if to.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: not null, and valid by the caller's promise.
    unsafe { to.write(value) };
    Code::Success
}

/// Does the operation now, or records it if the stream is under capture.
fn submit(stream: *mut c_void, node: Node) -> Code {
    {
        let mut registry = registry();
        match registry.objects.get_mut(&handle(stream)) {
            Some(Object::Stream(Some(capture))) => {
                capture.nodes.push(node);
                return Code::Success;
            }
            Some(Object::Stream(None)) => {}
            _ if handle(stream) <= 2 => {} // the default streams
            _ => return Code::InvalidHandle,
        }
    }
    execute(&node)
}

/// Refuses what cannot be captured, and spoils the capture as a driver does.
fn refuse_capture(stream: *mut c_void) -> Result<(), Code> {
    match registry().objects.get_mut(&handle(stream)) {
        Some(Object::Stream(Some(capture))) => {
            capture.broken = true;
            Err(Code::CaptureUnsupported)
        }
        Some(Object::Stream(None)) => Ok(()),
        _ if handle(stream) <= 2 => Ok(()),
        _ => Err(Code::InvalidHandle),
    }
}

fn execute(node: &Node) -> Code {
    let done = match node {
        Node::Kernel { function, shape, args } => {
            let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
            let done =
                device().launch_with(extra::options(), &function.module, &function.name, *shape, &args);
            return match done {
                Ok(stats) => {
                    extra::count(stats);
                    Code::Success
                }
                Err(e) => {
                    let code = Code::of_launch(&e);
                    extra::remember(e.to_string());
                    code
                }
            };
        }
        Node::Copy { to, from, bytes } => device().copy(*to, *from, *bytes),
        Node::Fill { to, pattern, times } => device().fill(*to, pattern, *times),
    };
    extra::report(done)
}
