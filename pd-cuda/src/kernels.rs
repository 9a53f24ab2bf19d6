//! The table of kernels: names and parameters, as the sources in `kernels/` declare them.

use crate::signature::Parameter::{self, Int, Pointer, Real};

/// What every kernel of a local step takes: positions, vertices, coefficients, counts, columns, uniforms, rows, number of
/// elements. See `kernels/prelude.cuh`.
pub const LOCAL_PARAMETERS: &[Parameter] =
    &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int];

/// Threads of a block in reductions.
pub(crate) const REDUCE: u32 = 256;

/// A kernel of the embedded PTX.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// Whether its blocks must have [`REDUCE`] threads.
    pub(crate) reduces: bool,
}

const fn kernel(name: &'static str, parameters: &'static [Parameter]) -> Kernel {
    Kernel { name, parameters, reduces: false }
}

const fn reduction(name: &'static str, parameters: &'static [Parameter]) -> Kernel {
    Kernel { name, parameters, reduces: true }
}

/// All kernels but those of local steps, which share [`LOCAL_PARAMETERS`].
pub(crate) const KERNELS: &[Kernel] = &[
    kernel("predict", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("begin_iterate", &[Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("gather", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("scatter_begin", &[Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("scatter_add", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int, Int]),
    kernel("advance", &[Pointer, Pointer, Int]),
    kernel("find_not_finite", &[Pointer, Pointer, Int]),
    kernel("finish", &[Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("reset_status", &[Pointer, Int]),
    kernel("fill_zero", &[Pointer, Int]),
    kernel("collide", &[Pointer, Pointer, Pointer, Pointer, Int, Int]),
    reduction("energy_partials", &[Pointer, Pointer, Pointer, Int]),
    reduction("inertia_partials", &[Pointer, Pointer, Pointer, Pointer, Int]),
    reduction("square_partials", &[Pointer, Pointer, Int]),
    reduction("largest_partials", &[Pointer, Pointer, Int]),
    reduction("reduce_sum", &[Pointer, Pointer, Int, Int]),
    reduction("reduce_max", &[Pointer, Pointer, Int, Int]),
    kernel("residual", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    kernel(
        "jacobi_sweep",
        &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int, Real, Int],
    ),
    kernel("a_jacobi_begin", &[Pointer, Pointer, Pointer, Real, Int]),
    kernel("a_jacobi_beta", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Real, Int]),
    kernel("a_jacobi_sweep", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int, Int]),
    kernel("block_multiply", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    kernel("permute", &[Pointer, Pointer, Pointer, Int]),
    reduction("pcg_begin", &[Pointer, Pointer, Pointer, Pointer, Int]),
    reduction("pcg_first", &[Pointer, Pointer, Int]),
    reduction("pcg_product", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    reduction("pcg_alpha", &[Pointer, Pointer, Int]),
    reduction("pcg_update", &[Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Int]),
    reduction("pcg_beta", &[Pointer, Pointer, Int]),
    kernel("pcg_direction", &[Pointer, Pointer, Pointer, Pointer, Int]),
];

/// The kernel that evaluates a law of pd-constraints, by the kind of the batch.
pub(crate) fn builtin_kernel(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "pin" => "local_pin",
        "edge" => "local_edge",
        "bending" => "local_bending",
        "tet-strain" => "local_tet_strain",
        "volume" => "local_volume",
        "triangle-strain" => "local_triangle_strain",
        "area" => "local_area",
        _ => return None,
    })
}
