//! Allocation, copies and fills.
#![allow(non_snake_case, reason = "the names of the CUDA driver")]

use super::codes::Code;
use super::{Node, Object, device, extra, handle, pointer, put, refuse_capture, registry, submit};
use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

unsafe fn allocate(to: *mut u64, bytes: usize) -> Code {
    if bytes == 0 || to.is_null() {
        return Code::InvalidValue;
    }
    match device().alloc(bytes as u64) {
        // SAFETY: not null, and valid by the contract of the C function.
        Some(address) => unsafe { put(to, address) },
        None => Code::OutOfMemory,
    }
}

fn free(address: u64) -> Code {
    if address == 0 || device().free(address) {
        return Code::Success;
    }
    extra::remember(format!("free of {address:#x}, which is not the start of a live allocation"));
    Code::InvalidValue
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> Code {
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { allocate(to, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, stream: *mut c_void) -> Code {
    match refuse_capture(stream) {
        // SAFETY: the caller gives a valid pointer or null.
        Ok(()) => unsafe { allocate(to, bytes) },
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> Code {
    free(address)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(address: u64, stream: *mut c_void) -> Code {
    match refuse_capture(stream) {
        Ok(()) => free(address),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64) -> Code {
    let Some((start, len)) = device().extent(address) else { return Code::NotFound };
    // SAFETY: the caller gives valid pointers or null.
    unsafe {
        put(base, start);
        put(bytes, len as usize);
    }
    Code::Success
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> Code {
    if bytes == 0 {
        return Code::Success;
    }
    if from.is_null() {
        return Code::InvalidValue;
    }
    // SAFETY: the caller gives `bytes` readable bytes.
    let from = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
    extra::report(device().write(to, from))
}

/// Host memory may be gone when a captured copy is replayed, so it is refused under capture.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    stream: *mut c_void,
) -> Code {
    match refuse_capture(stream) {
        // SAFETY: the same contract.
        Ok(()) => unsafe { cuMemcpyHtoD_v2(to, from, bytes) },
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> Code {
    if bytes == 0 {
        return Code::Success;
    }
    if to.is_null() {
        return Code::InvalidValue;
    }
    let mut buffer = vec![0u8; bytes];
    let code = extra::report(device().read(from, &mut buffer));
    if code == Code::Success {
        // SAFETY: the caller gives `bytes` writable bytes, which may be uninitialised: they are only written.
        unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), to.cast::<u8>(), bytes) };
    }
    code
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    stream: *mut c_void,
) -> Code {
    match refuse_capture(stream) {
        // SAFETY: the same contract.
        Ok(()) => unsafe { cuMemcpyDtoH_v2(to, from, bytes) },
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> Code {
    if bytes == 0 { Code::Success } else { extra::report(device().copy(to, from, bytes as u64)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: *mut c_void) -> Code {
    if bytes == 0 {
        return Code::Success;
    }
    let bytes = bytes as u64;
    let checked = device().check(to, bytes).and_then(|()| device().check(from, bytes));
    match extra::report(checked) {
        Code::Success => submit(stream, Node::Copy { to, from, bytes }),
        code => code,
    }
}

fn fill(to: u64, pattern: &[u8], times: usize, stream: *mut c_void) -> Code {
    if times == 0 {
        return Code::Success;
    }
    let times = times as u64;
    match extra::report(device().check(to, times * pattern.len() as u64)) {
        Code::Success => submit(stream, Node::Fill { to, pattern: pattern.to_vec(), times }),
        code => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8_v2(to: u64, value: c_uchar, n: usize) -> Code {
    fill(to, &[value], n, std::ptr::null_mut())
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(to: u64, value: c_uchar, n: usize, stream: *mut c_void) -> Code {
    fill(to, &[value], n, stream)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16Async(to: u64, value: c_ushort, n: usize, stream: *mut c_void) -> Code {
    fill(to, &value.to_le_bytes(), n, stream)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32Async(to: u64, value: c_uint, n: usize, stream: *mut c_void) -> Code {
    fill(to, &value.to_le_bytes(), n, stream)
}

/// Page-locked host memory is ordinary memory here.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> Code {
    if bytes == 0 {
        return Code::InvalidValue;
    }
    let mut memory = vec![0u64; bytes.div_ceil(8)].into_boxed_slice();
    let address = memory.as_mut_ptr() as usize as u64;
    registry().objects.insert(address, Object::HostMemory(memory));
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(address)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(p: *mut c_void) -> Code {
    let mut registry = registry();
    match registry.objects.get(&handle(p)) {
        Some(Object::HostMemory(memory)) if !memory.is_empty() => {
            registry.objects.remove(&handle(p));
            Code::Success
        }
        _ => Code::InvalidValue,
    }
}
