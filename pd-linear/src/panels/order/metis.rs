//! Nested dissection by METIS (Karypis & Kumar 1998), compiled from its C source by the crate `metis-sys`.

use super::Graph;
use metis_sys as ffi;
use pd_core::LinearError;
use std::sync::{Mutex, PoisonError};

/// METIS uses the global random number generator of the C library, so concurrent calls would affect each
/// other's ordering. The lock holds no data.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The vertices in the order of elimination.
pub(super) fn order(graph: &Graph) -> Result<Vec<u32>, LinearError> {
    let error = |what: String| LinearError::Backend { solver: "metis".to_owned(), what };
    let narrow = |values: &[u32]| -> Result<Vec<ffi::idx_t>, LinearError> {
        let too_large = |_| error("more vertices or edges than METIS can number".to_owned());
        values.iter().map(|&v| ffi::idx_t::try_from(v).map_err(too_large)).collect()
    };
    if graph.len() < 2 {
        return Ok((0..graph.len() as u32).collect());
    }
    let (mut offsets, mut neighbours) = (narrow(graph.offsets())?, narrow(graph.adjacency())?);
    if neighbours.is_empty() {
        return Ok((0..graph.len() as u32).collect()); // METIS wants at least one edge
    }
    let mut vertices = narrow(&[graph.len() as u32])?;
    let mut options = [0 as ffi::idx_t; ffi::METIS_NOPTIONS as usize];
    let (mut order, mut position) = (vec![0; graph.len()], vec![0; graph.len()]);
    let status = {
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all arrays have the lengths METIS_NodeND documents (offsets n + 1, order and position n, options
        // METIS_NOPTIONS), the graph is symmetric without loops, and a null weight pointer means unit weights.
        unsafe {
            ffi::METIS_SetDefaultOptions(options.as_mut_ptr());
            ffi::METIS_NodeND(
                vertices.as_mut_ptr(),
                offsets.as_mut_ptr(),
                neighbours.as_mut_ptr(),
                std::ptr::null_mut(),
                options.as_mut_ptr(),
                order.as_mut_ptr(),
                position.as_mut_ptr(),
            )
        }
    };
    if status != ffi::rstatus_et_METIS_OK {
        return Err(error(format!("METIS_NodeND returned {status}")));
    }
    Ok(order.into_iter().map(|v| v as u32).collect())
}
