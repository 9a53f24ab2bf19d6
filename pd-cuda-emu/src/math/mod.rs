//! What one lane computes: scalar functions with the semantics of the PTX instruction set.

pub(crate) mod bits;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod rounding;
