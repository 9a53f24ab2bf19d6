//! Modules, kernels, launches.
#![allow(non_snake_case, reason = "the names of the CUDA driver")]

use super::codes::Code;
use super::{FunctionHandle, Node, Object, device, extra, handle, pointer, put, registry, submit};
use crate::{KernelInfo, SHARED_LIMIT, Shape};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(to: *mut *mut c_void, image: *const c_void) -> Code {
    if image.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: PTX is given as text that ends with a zero byte.
    let text = unsafe { CStr::from_ptr(image.cast::<c_char>()) };
    let Ok(text) = text.to_str() else {
        extra::remember("the module is no PTX text".to_string());
        return Code::InvalidPtx;
    };
    match device().load(text) {
        Ok(module) => {
            let id = registry().insert(Object::Module(Arc::new(module), Vec::new()));
            // SAFETY: the caller gives a valid pointer or null.
            unsafe { put(to, pointer(id)) }
        }
        Err(e) => {
            extra::remember(e.to_string());
            Code::InvalidPtx
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    to: *mut *mut c_void,
    image: *const c_void,
    _n: c_uint,
    _options: *mut c_uint,
    _values: *mut *mut c_void,
) -> Code {
    // SAFETY: the same contract; the options tune a compiler that is not here.
    unsafe { cuModuleLoadData(to, image) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoad(to: *mut *mut c_void, file: *const c_char) -> Code {
    if file.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: a file name that ends with a zero byte.
    let name = unsafe { CStr::from_ptr(file) };
    let Some(mut text) = name.to_str().ok().and_then(|n| std::fs::read(n).ok()) else {
        return Code::FileNotFound;
    };
    text.push(0);
    // SAFETY: the text ends with a zero byte.
    unsafe { cuModuleLoadData(to, text.as_ptr().cast::<c_void>()) }
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: *mut c_void) -> Code {
    let mut registry = registry();
    let Some(Object::Module(..)) = registry.objects.get(&handle(module)) else { return Code::InvalidHandle };
    if let Some(Object::Module(module, functions)) = registry.objects.remove(&handle(module)) {
        device().unload(&module);
        for f in functions {
            registry.objects.remove(&f);
        }
    }
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(
    to: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> Code {
    if name.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: a name that ends with a zero byte.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return Code::NotFound };
    let mut registry = registry();
    let Some(Object::Module(loaded, _)) = registry.objects.get(&handle(module)) else {
        return Code::InvalidHandle;
    };
    if loaded.kernel(name).is_none() {
        extra::remember(format!("no kernel `{name}` in the module; it has {:?}", loaded.kernel_names()));
        return Code::NotFound;
    }
    let function = FunctionHandle { module: Arc::clone(loaded), name: name.to_string() };
    let id = registry.insert(Object::Function(Arc::new(function)));
    if let Some(Object::Module(_, functions)) = registry.objects.get_mut(&handle(module)) {
        functions.push(id);
    }
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(id)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetGlobal_v2(
    to: *mut u64,
    bytes: *mut usize,
    module: *mut c_void,
    name: *const c_char,
) -> Code {
    if name.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: a name that ends with a zero byte.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return Code::NotFound };
    let registry = registry();
    let Some(Object::Module(loaded, _)) = registry.objects.get(&handle(module)) else {
        return Code::InvalidHandle;
    };
    let Some((address, len)) = loaded.global(name) else { return Code::NotFound };
    // SAFETY: the caller gives valid pointers or null.
    unsafe {
        put(to, address);
        put(bytes, len as usize);
    }
    Code::Success
}

fn function(f: *mut c_void) -> Option<(Arc<FunctionHandle>, KernelInfo)> {
    match registry().objects.get(&handle(f)) {
        Some(Object::Function(f)) => f.module.kernel(&f.name).map(|info| (Arc::clone(f), info)),
        _ => None,
    }
}

/// The number of arguments is not part of the C interface: as many are read as the kernel has parameters.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    f: *mut c_void,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: *mut c_void,
    params: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Code {
    let Some((function, info)) = function(f) else { return Code::InvalidHandle };
    if params.is_null() && !info.param_bytes.is_empty() {
        return Code::InvalidValue;
    }
    let mut args = Vec::with_capacity(info.param_bytes.len());
    for (k, &bytes) in info.param_bytes.iter().enumerate() {
        // SAFETY: the caller gives one pointer for each parameter of the kernel.
        let from = unsafe { *params.add(k) };
        if from.is_null() {
            return Code::InvalidValue;
        }
        // SAFETY: each pointer leads to as many bytes as its parameter has.
        args.push(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec());
    }
    let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared };
    submit(stream, Node::Kernel { function, shape, args })
}

/// Blocks run one after the other here, so none can wait for another.
#[unsafe(no_mangle)]
extern "C" fn cuLaunchCooperativeKernel(
    _f: *mut c_void,
    _gx: c_uint,
    _gy: c_uint,
    _gz: c_uint,
    _bx: c_uint,
    _by: c_uint,
    _bz: c_uint,
    _shared: c_uint,
    _stream: *mut c_void,
    _params: *mut *mut c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetAttribute(to: *mut c_int, attribute: c_uint, f: *mut c_void) -> Code {
    let Some((_, info)) = function(f) else { return Code::InvalidHandle };
    let value = match attribute {
        0 => info.max_threads as c_int,
        1 => info.shared_bytes as c_int,
        3 => info.local_bytes as c_int,
        4 => info.registers as c_int,
        5 | 6 => 75,
        8 => (SHARED_LIMIT - info.shared_bytes) as c_int,
        _ => 0,
    };
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, value) }
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(f: *mut c_void, _attribute: c_uint, value: c_int) -> Code {
    match function(f) {
        None => Code::InvalidHandle,
        Some(_) if value > SHARED_LIMIT as c_int => Code::InvalidValue,
        Some(_) => Code::Success,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetCacheConfig(_f: *mut c_void, _config: c_uint) -> Code {
    Code::Success
}

/// Blocks of a multiprocessor of 1024 threads and 64 KiB.
fn active_blocks(info: &KernelInfo, threads: c_int, dynamic: usize) -> c_int {
    if threads < 1 || threads > info.max_threads as c_int {
        return 0;
    }
    let by_threads = 1024 / ((threads + 31) / 32 * 32);
    let shared = info.shared_bytes + dynamic;
    let by_shared = SHARED_LIMIT.checked_div(shared).map_or(16, |n| n as c_int);
    by_threads.min(by_shared).min(16)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    to: *mut c_int,
    f: *mut c_void,
    threads: c_int,
    dynamic: usize,
) -> Code {
    let Some((_, info)) = function(f) else { return Code::InvalidHandle };
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, active_blocks(&info, threads, dynamic)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    to: *mut c_int,
    f: *mut c_void,
    threads: c_int,
    dynamic: usize,
    _flags: c_uint,
) -> Code {
    // SAFETY: the same contract.
    unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(to, f, threads, dynamic) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    to: *mut usize,
    f: *mut c_void,
    blocks: c_int,
    _threads: c_int,
) -> Code {
    let Some((_, info)) = function(f) else { return Code::InvalidHandle };
    let each = SHARED_LIMIT / blocks.max(1) as usize;
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, each.saturating_sub(info.shared_bytes)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid: *mut c_int,
    threads: *mut c_int,
    f: *mut c_void,
    _shared_of: *mut c_void,
    dynamic: usize,
    limit: c_int,
) -> Code {
    let Some((_, info)) = function(f) else { return Code::InvalidHandle };
    let most = info.max_threads as c_int;
    let n = if limit > 0 { most.min(limit) } else { most };
    // SAFETY: the caller gives valid pointers or null.
    unsafe {
        put(threads, n);
        put(grid, 2 * active_blocks(&info, n, dynamic))
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: *mut c_int,
    threads: *mut c_int,
    f: *mut c_void,
    shared_of: *mut c_void,
    dynamic: usize,
    limit: c_int,
    _flags: c_uint,
) -> Code {
    // SAFETY: the same contract.
    unsafe { cuOccupancyMaxPotentialBlockSize(grid, threads, f, shared_of, dynamic, limit) }
}
