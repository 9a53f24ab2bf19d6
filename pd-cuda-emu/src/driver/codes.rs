//! Error codes of the driver, with their names and texts.

use crate::error::{AccessError, FaultKind, LaunchError};
use std::ffi::CStr;

/// The codes this driver returns; the numbers are CUDA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Code {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidPtx = 218,
    FileNotFound = 301,
    InvalidHandle = 400,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    Assert = 710,
    MisalignedAddress = 716,
    LaunchFailed = 719,
    NotSupported = 801,
    CaptureUnsupported = 900,
    CaptureInvalidated = 901,
    CaptureIsolation = 905,
}

/// Every code with its name and its text.
const TEXTS: &[(Code, &CStr, &CStr)] = &[
    (Code::Success, c"CUDA_SUCCESS", c"no error"),
    (Code::InvalidValue, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (Code::OutOfMemory, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (Code::NoDevice, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (Code::InvalidDevice, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (
        Code::InvalidPtx,
        c"CUDA_ERROR_INVALID_PTX",
        c"the PTX is not understood; pdEmuLastFault tells the line",
    ),
    (Code::FileNotFound, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (Code::InvalidHandle, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (Code::NotFound, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (Code::NotReady, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (
        Code::IllegalAddress,
        c"CUDA_ERROR_ILLEGAL_ADDRESS",
        c"illegal memory access; pdEmuLastFault tells where",
    ),
    (
        Code::LaunchOutOfResources,
        c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        c"too many resources requested for launch",
    ),
    (Code::LaunchTimeout, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch passed the instruction limit"),
    (Code::Assert, c"CUDA_ERROR_ASSERT", c"a call the device refuses (printf, assert)"),
    (
        Code::MisalignedAddress,
        c"CUDA_ERROR_MISALIGNED_ADDRESS",
        c"misaligned address; pdEmuLastFault tells where",
    ),
    (Code::LaunchFailed, c"CUDA_ERROR_LAUNCH_FAILED", c"the kernel is at fault; pdEmuLastFault tells where"),
    (Code::NotSupported, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported by the interpreter"),
    (
        Code::CaptureUnsupported,
        c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        c"not permitted when stream is capturing",
    ),
    (Code::CaptureInvalidated, c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"the capture failed earlier"),
    (
        Code::CaptureIsolation,
        c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
        c"dependency created outside the capture",
    ),
];

impl Code {
    /// Name and text of a number.
    pub(super) fn texts(number: u32) -> Option<(&'static CStr, &'static CStr)> {
        TEXTS.iter().find(|(c, ..)| *c as u32 == number).map(|&(_, name, text)| (name, text))
    }

    pub(super) fn of_access(error: &AccessError) -> Self {
        match error {
            AccessError::Misaligned { .. } => Code::MisalignedAddress,
            _ => Code::IllegalAddress,
        }
    }

    pub(super) fn of_launch(error: &LaunchError) -> Self {
        match error {
            LaunchError::UnknownKernel { .. } => Code::NotFound,
            LaunchError::ArgumentCount { .. }
            | LaunchError::ArgumentSize { .. }
            | LaunchError::Shape { .. } => Code::InvalidValue,
            LaunchError::SharedMemory { .. } => Code::LaunchOutOfResources,
            LaunchError::Fault(fault) => match &fault.kind {
                FaultKind::Access { error, .. } => Self::of_access(error),
                FaultKind::InstructionLimit { .. } => Code::LaunchTimeout,
                FaultKind::Refused { .. } => Code::Assert,
                _ => Code::LaunchFailed,
            },
        }
    }
}
