//! Obstacles as numbers for `kernels/collide.cu`.

use crate::CudaError;
use pd_core::{Collider, ColliderData, Real, ShapeData};

/// Numbers of one obstacle.
pub(crate) const NUMBERS: usize = 12;

/// Writes all obstacles at `time`; `out` has [`NUMBERS`] for each.
pub(crate) fn export(colliders: &[Box<dyn Collider>], time: Real, out: &mut [Real]) -> Result<(), CudaError> {
    for (collider, out) in colliders.iter().zip(out.chunks_exact_mut(NUMBERS)) {
        let unsupported =
            |why| CudaError::Unsupported { what: format!("an obstacle of kind {:?}", collider.kind()), why };
        let data = collider
            .export(time)
            .ok_or_else(|| unsupported("it does not export itself; run it on the CPU"))?;
        write(&data, out)
            .ok_or_else(|| unsupported("there is no kernel for its shape; run it on the CPU"))?;
    }
    Ok(())
}

fn write(data: &ColliderData, out: &mut [Real]) -> Option<()> {
    out.fill(0.0);
    out[1..4].copy_from_slice(data.offset.as_slice());
    match data.shape {
        ShapeData::Floor { height } => {
            out[0] = 0.0;
            out[4] = height;
        }
        ShapeData::Sphere { centre, radius } => {
            out[0] = 1.0;
            out[4..7].copy_from_slice(centre.as_slice());
            out[7] = radius;
        }
        ShapeData::Block { low, high } => {
            out[0] = 2.0;
            out[4..7].copy_from_slice(low.as_slice());
            out[7..10].copy_from_slice(high.as_slice());
        }
        ShapeData::Torus { centre, major, minor } => {
            out[0] = 3.0;
            out[4..7].copy_from_slice(centre.as_slice());
            (out[7], out[8]) = (major, minor);
        }
        _ => return None,
    }
    Some(())
}
