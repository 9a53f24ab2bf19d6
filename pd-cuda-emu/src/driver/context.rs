//! Driver, device and context: one device named `pd-emu`, one primary context.
#![allow(non_snake_case, reason = "the names of the CUDA driver")]

use super::codes::Code;
use super::{device, pointer, put};
use crate::memory::CAPACITY;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Handle of the primary context.
const CONTEXT: u64 = 0xc0;

#[unsafe(no_mangle)]
extern "C" fn cuInit(_flags: c_uint) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(version, 12000) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(count, 1) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(to: *mut c_int, ordinal: c_int) -> Code {
    if ordinal != 0 {
        return Code::InvalidDevice;
    }
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, 0) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, len: c_int, _device: c_int) -> Code {
    let name = c"pd-emu".to_bytes_with_nul();
    if to.is_null() || (len as i64) < name.len() as i64 {
        return Code::InvalidValue;
    }
    // SAFETY: `to` holds `len` bytes, which are enough.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), to.cast::<u8>(), name.len()) };
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid(to: *mut [u8; 16], _device: c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, *b"pd-emu-0-0-0-0-0") }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid_v2(to: *mut [u8; 16], device: c_int) -> Code {
    // SAFETY: the same contract.
    unsafe { cuDeviceGetUuid(to, device) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(to: *mut usize, _device: c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, CAPACITY as usize) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Code {
    // SAFETY: the caller gives valid pointers or null.
    unsafe {
        put(free, (CAPACITY - device().live_bytes()) as usize);
        put(total, CAPACITY as usize)
    }
}

/// Attributes of an sm_75 device with two multiprocessors; what the interpreter does not do is zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(to: *mut c_int, attribute: c_uint, _device: c_int) -> Code {
    let value = match attribute {
        1..=3 => 1024,        // threads of a block, and in x and y
        4 => 64,              // in z
        5 => 0x7fff_ffff,     // blocks in x
        6 | 7 => 65535,       // in y and z
        8 => 49152,           // shared memory of a block
        9 => 65536,           // constant memory
        10 => 32,             // warp
        12 | 82 => 65536,     // registers of a block, of a multiprocessor
        13 | 36 => 1_000_000, // clocks in kHz
        16 => 2,              // multiprocessors
        31 | 41 => 1,         // concurrent kernels, unified addresses
        37 => 256,            // memory bus in bits
        38 => 4 << 20,        // second-level cache
        39 => 1024,           // threads of a multiprocessor
        75 => 7,              // compute capability
        76 => 5,
        81 | 97 => 65536, // shared memory of a multiprocessor, of a block by request
        106 => 16,        // blocks of a multiprocessor
        115 => 1,         // memory pools
        _ => 0,
    };
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, value) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut *mut c_void, _device: c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(CONTEXT)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxReset_v2(_device: c_int) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxCreate_v3(
    to: *mut *mut c_void,
    _affinity: *mut c_void,
    _n: c_int,
    _flags: c_uint,
    _device: c_int,
) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(CONTEXT)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(_context: *mut c_void) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(to: *mut *mut c_void) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(CONTEXT)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(_context: *mut c_void) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetDevice(to: *mut c_int) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetFlags(_flags: c_uint) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetLimit(to: *mut usize, _limit: c_uint) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, 1 << 20) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetLimit(_limit: c_uint, _value: usize) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCacheConfig(to: *mut c_uint) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCacheConfig(_config: c_uint) -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Code {
    // SAFETY: the caller gives valid pointers or null.
    unsafe {
        put(least, 0);
        put(greatest, 0)
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuProfilerStart() -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
extern "C" fn cuProfilerStop() -> Code {
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: c_uint, to: *mut *const c_char) -> Code {
    match Code::texts(error) {
        // SAFETY: the caller gives a valid pointer or null; the text is static.
        Some((name, _)) => unsafe { put(to, name.as_ptr()) },
        None => Code::InvalidValue,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: c_uint, to: *mut *const c_char) -> Code {
    match Code::texts(error) {
        // SAFETY: the caller gives a valid pointer or null; the text is static.
        Some((_, text)) => unsafe { put(to, text.as_ptr()) },
        None => Code::InvalidValue,
    }
}
