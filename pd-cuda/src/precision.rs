//! The two precisions the kernels exist in.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use pd_core::Real;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A precision of device numbers: `f32`, as the thesis' device code, or `f64`, as the host.
pub trait DeviceReal:
    sealed::Sealed + DeviceRepr + ValidAsZeroBits + bytemuck::Pod + PartialEq + std::fmt::Debug + Send + Sync
{
    /// "f32" or "f64".
    const NAME: &'static str;
    /// How CUDA C++ calls it.
    const C_NAME: &'static str;
    /// The embedded kernels.
    const PTX: &'static str;
    /// Distance from 1 to the next number.
    const EPSILON: Real;

    /// Rounds a number of the host.
    fn from_real(value: Real) -> Self;

    /// Exact.
    fn to_real(self) -> Real;
}

impl DeviceReal for f32 {
    const NAME: &'static str = "f32";
    const C_NAME: &'static str = "float";
    const PTX: &'static str = include_str!("../ptx/pd_f32.ptx");
    const EPSILON: Real = f32::EPSILON as Real;

    fn from_real(value: Real) -> Self {
        value as f32
    }

    fn to_real(self) -> Real {
        Real::from(self)
    }
}

impl DeviceReal for f64 {
    const NAME: &'static str = "f64";
    const C_NAME: &'static str = "double";
    const PTX: &'static str = include_str!("../ptx/pd_f64.ptx");
    const EPSILON: Real = f64::EPSILON;

    fn from_real(value: Real) -> Self {
        value
    }

    fn to_real(self) -> Real {
        self
    }
}

/// Rounds numbers of the host into a buffer of the same length.
pub(crate) fn round_into<T: DeviceReal>(values: &[Real], out: &mut [T]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = T::from_real(*value);
    }
}
