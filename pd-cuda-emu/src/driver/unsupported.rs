//! What `cudarc` can ask for and the interpreter does not have: managed memory, memory pools of one's own, other
//! devices, external memory, clusters, entry points by name. Each says so with an error instead of being absent, which
//! would end the program.
#![allow(non_snake_case, reason = "the names of the CUDA driver")]

use super::codes::Code;
use std::ffi::{c_char, c_int, c_uint, c_void};

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocManaged(_to: *mut u64, _bytes: usize, _flags: c_uint) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAdvise_v2(_at: u64, _bytes: usize, _advice: c_uint, _place: u64) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAdvise(_at: u64, _bytes: usize, _advice: c_uint, _device: c_int) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPrefetchAsync_v2(
    _at: u64,
    _bytes: usize,
    _place: u64,
    _flags: c_uint,
    _stream: *mut c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPrefetchAsync(_at: u64, _bytes: usize, _device: c_int, _stream: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    _to: u64,
    _to_context: *mut c_void,
    _from: u64,
    _from_context: *mut c_void,
    _bytes: usize,
    _stream: *mut c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocFromPoolAsync(
    _to: *mut u64,
    _bytes: usize,
    _pool: *mut c_void,
    _stream: *mut c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetDefaultMemPool(_to: *mut *mut c_void, _device: c_int) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetMemPool(_to: *mut *mut c_void, _device: c_int) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceSetMemPool(_device: c_int, _pool: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolCreate(_to: *mut *mut c_void, _properties: *const c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolDestroy(_pool: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolGetAttribute(_pool: *mut c_void, _attribute: c_uint, _value: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAttribute(_pool: *mut c_void, _attribute: c_uint, _value: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolTrimTo(_pool: *mut c_void, _keep: usize) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuImportExternalMemory(_to: *mut *mut c_void, _description: *const c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuDestroyExternalMemory(_memory: *mut c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuExternalMemoryGetMappedBuffer(
    _to: *mut u64,
    _memory: *mut c_void,
    _description: *const c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveClusters(_to: *mut c_int, _f: *mut c_void, _config: *const c_void) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxPotentialClusterSize(
    _to: *mut c_int,
    _f: *mut c_void,
    _config: *const c_void,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress(
    _name: *const c_char,
    _to: *mut *mut c_void,
    _version: c_int,
    _flags: u64,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress_v2(
    _name: *const c_char,
    _to: *mut *mut c_void,
    _version: c_int,
    _flags: u64,
    _status: *mut c_uint,
) -> Code {
    Code::NotSupported
}
