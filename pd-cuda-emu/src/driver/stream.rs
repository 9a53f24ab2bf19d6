//! Streams, events, capture and graphs.
#![allow(non_snake_case, reason = "the names of the CUDA driver")]

use super::codes::Code;
use super::{Capture, Object, execute, handle, pointer, put, refuse_capture, registry};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;
use std::time::Instant;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(to: *mut *mut c_void, _flags: c_uint) -> Code {
    let id = registry().insert(Object::Stream(None));
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(id)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreateWithPriority(
    to: *mut *mut c_void,
    flags: c_uint,
    _priority: c_int,
) -> Code {
    // SAFETY: the same contract.
    unsafe { cuStreamCreate(to, flags) }
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: *mut c_void) -> Code {
    let mut registry = registry();
    match registry.objects.get(&handle(stream)) {
        Some(Object::Stream(_)) => {
            registry.objects.remove(&handle(stream));
            Code::Success
        }
        _ => Code::InvalidHandle,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: *mut c_void) -> Code {
    refuse_capture(stream).err().unwrap_or(Code::Success)
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamQuery(stream: *mut c_void) -> Code {
    refuse_capture(stream).err().unwrap_or(Code::Success)
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamAttachMemAsync(
    _stream: *mut c_void,
    _address: u64,
    _bytes: usize,
    _flags: c_uint,
) -> Code {
    Code::NotSupported
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(to: *mut *mut c_void, _flags: c_uint) -> Code {
    let id = registry().insert(Object::Event { at: None, captured_by: None });
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(id)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: *mut c_void) -> Code {
    let mut registry = registry();
    match registry.objects.get(&handle(event)) {
        Some(Object::Event { .. }) => {
            registry.objects.remove(&handle(event));
            Code::Success
        }
        _ => Code::InvalidHandle,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> Code {
    let mut registry = registry();
    let capturing = matches!(registry.objects.get(&handle(stream)), Some(Object::Stream(Some(_))));
    match registry.objects.get_mut(&handle(event)) {
        Some(Object::Event { at, captured_by }) => {
            *at = Some(Instant::now());
            *captured_by = capturing.then(|| handle(stream));
            Code::Success
        }
        _ => Code::InvalidHandle,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: *mut c_void) -> Code {
    match registry().objects.get(&handle(event)) {
        Some(Object::Event { .. }) => Code::Success,
        _ => Code::InvalidHandle,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: *mut c_void) -> Code {
    cuEventSynchronize(event)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime(to: *mut f32, start: *mut c_void, end: *mut c_void) -> Code {
    let registry = registry();
    let at = |e: *mut c_void| match registry.objects.get(&handle(e)) {
        Some(Object::Event { at, .. }) => *at,
        _ => None,
    };
    match (at(start), at(end)) {
        // SAFETY: the caller gives a valid pointer or null.
        (Some(a), Some(b)) => unsafe { put(to, b.saturating_duration_since(a).as_secs_f32() * 1e3) },
        _ => Code::InvalidHandle,
    }
}

/// A captured stream may only wait for events of its own capture.
#[unsafe(no_mangle)]
extern "C" fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: c_uint) -> Code {
    let mut registry = registry();
    let from = match registry.objects.get(&handle(event)) {
        Some(Object::Event { captured_by, at }) => (*captured_by, at.is_some()),
        _ => return Code::InvalidHandle,
    };
    match registry.objects.get_mut(&handle(stream)) {
        Some(Object::Stream(Some(capture))) if from.1 && from.0 != Some(handle(stream)) => {
            capture.broken = true;
            Code::CaptureIsolation
        }
        _ => Code::Success,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamBeginCapture_v2(stream: *mut c_void, _mode: c_uint) -> Code {
    match registry().objects.get_mut(&handle(stream)) {
        Some(Object::Stream(slot @ None)) => {
            *slot = Some(Capture::default());
            Code::Success
        }
        Some(Object::Stream(Some(_))) => Code::InvalidValue,
        _ => Code::CaptureUnsupported, // the default stream cannot be captured
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamEndCapture(stream: *mut c_void, to: *mut *mut c_void) -> Code {
    let mut registry = registry();
    let Some(Object::Stream(slot)) = registry.objects.get_mut(&handle(stream)) else {
        return Code::InvalidHandle;
    };
    let Some(capture) = slot.take() else { return Code::InvalidValue };
    if capture.broken {
        // SAFETY: the caller gives a valid pointer or null.
        unsafe { put(to, std::ptr::null_mut()) };
        return Code::CaptureInvalidated;
    }
    let id = registry.insert(Object::Graph(Arc::new(capture.nodes)));
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(id)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamIsCapturing(stream: *mut c_void, to: *mut c_uint) -> Code {
    let status = match registry().objects.get(&handle(stream)) {
        Some(Object::Stream(Some(c))) => 1 + c_uint::from(c.broken),
        _ => 0,
    };
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, status) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphInstantiateWithFlags(
    to: *mut *mut c_void,
    graph: *mut c_void,
    _flags: c_ulonglong,
) -> Code {
    let mut registry = registry();
    let Some(Object::Graph(nodes)) = registry.objects.get(&handle(graph)) else { return Code::InvalidHandle };
    let copy = Object::Graph(Arc::clone(nodes));
    let id = registry.insert(copy);
    // SAFETY: the caller gives a valid pointer or null.
    unsafe { put(to, pointer(id)) }
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphUpload(_graph: *mut c_void, _stream: *mut c_void) -> Code {
    Code::Success
}

/// Replays the nodes in the order they were recorded; stops at the first fault.
#[unsafe(no_mangle)]
extern "C" fn cuGraphLaunch(graph: *mut c_void, stream: *mut c_void) -> Code {
    if let Err(code) = refuse_capture(stream) {
        return code;
    }
    let nodes = match registry().objects.get(&handle(graph)) {
        Some(Object::Graph(nodes)) => Arc::clone(nodes),
        _ => return Code::InvalidHandle,
    };
    nodes.iter().map(execute).find(|code| *code != Code::Success).unwrap_or(Code::Success)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphGetNodes(
    graph: *mut c_void,
    _nodes: *mut *mut c_void,
    count: *mut usize,
) -> Code {
    match registry().objects.get(&handle(graph)) {
        // SAFETY: the caller gives a valid pointer or null.
        Some(Object::Graph(nodes)) => unsafe { put(count, nodes.len()) },
        _ => Code::InvalidHandle,
    }
}

fn destroy(graph: *mut c_void) -> Code {
    let mut registry = registry();
    match registry.objects.get(&handle(graph)) {
        Some(Object::Graph(_)) => {
            registry.objects.remove(&handle(graph));
            Code::Success
        }
        _ => Code::InvalidHandle,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphDestroy(graph: *mut c_void) -> Code {
    destroy(graph)
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecDestroy(graph: *mut c_void) -> Code {
    destroy(graph)
}

/// Calls the host function now.
///
/// Under capture it would have to be called at every replay with data that may be gone, so it is refused.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchHostFunc(
    stream: *mut c_void,
    f: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Code {
    if let Err(code) = refuse_capture(stream) {
        return code;
    }
    let Some(f) = f else { return Code::InvalidValue };
    // SAFETY: the caller gives a function and the data it takes.
    unsafe { f(data) };
    Code::Success
}
