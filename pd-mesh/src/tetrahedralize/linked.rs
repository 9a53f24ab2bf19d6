//! TetGen linked in, feature `tetgen`. TetGen is AGPL: a program built with this feature is under the AGPL as a whole.
//! TetGen 1.5 may free memory it does not own when it fails, so every call runs in a child process; a crash there is an
//! error here. Needs a system with `fork`, `tetgen.h` and `libtet` (Debian: libtet1.5-dev) and a C++ compiler.

use super::tetgen::{check_switches, why};
use super::{Options, Tetrahedralizer};
use crate::{MeshError, TetMesh, TriMesh, Vec3};
use std::ffi::{CString, c_char, c_int};
use std::sync::Mutex;

/// TetGen as a library.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkedTetGen;

#[repr(C)]
struct Raw {
    points: *mut f64,
    tets: *mut c_int,
    point_count: c_int,
    tet_count: c_int,
}

unsafe extern "C" {
    fn pd_tetgen(
        switches: *const c_char,
        points: *const f64,
        point_count: c_int,
        triangles: *const c_int,
        triangle_count: c_int,
        result: *mut Raw,
    ) -> c_int;
    fn pd_tetgen_free(result: *mut Raw);
}

/// TetGen keeps constants of its predicates in static memory and initialises them in every call.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn failed(reason: impl Into<String>) -> MeshError {
    MeshError::MesherFailed { mesher: "tetgen-linked", reason: reason.into() }
}

impl Tetrahedralizer for LinkedTetGen {
    fn name(&self) -> &'static str {
        "tetgen-linked"
    }

    fn tetrahedralize(&self, surface: &TriMesh, options: &Options) -> Result<TetMesh, MeshError> {
        surface.validate()?;
        check_switches(&options.tetgen_switches).map_err(failed)?;
        let switches = CString::new(format!("{}Q", options.tetgen_switches))
            .map_err(|_| failed("a zero in the switches"))?;
        let points: Vec<f64> = surface.positions.iter().flat_map(|x| [x.x, x.y, x.z]).collect();
        let too_large = |_| failed("more vertices or triangles than TetGen can number");
        let corners: Result<Vec<c_int>, _> =
            surface.triangles.iter().flatten().map(|&v| c_int::try_from(v)).collect();
        let corners = corners.map_err(too_large)?;
        let point_count = c_int::try_from(surface.positions.len()).map_err(too_large)?;
        let triangle_count = c_int::try_from(surface.triangles.len()).map_err(too_large)?;
        let mut raw =
            Raw { points: std::ptr::null_mut(), tets: std::ptr::null_mut(), point_count: 0, tet_count: 0 };
        // The lock protects no data, so a poisoned lock is harmless.
        let guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: the pointers are those of living arrays with three entries per counted item, every index is below
        // `point_count` by `validate`, the text ends with a zero, and `raw` is written before it is read.
        let code = unsafe {
            pd_tetgen(
                switches.as_ptr(),
                points.as_ptr(),
                point_count,
                corners.as_ptr(),
                triangle_count,
                &raw mut raw,
            )
        };
        drop(guard);
        let mesh = if code == 0 { copied(&raw) } else { Err(failed(why(surface, &reason(code)))) };
        // SAFETY: `raw` comes from the call above and is freed once; null pointers are allowed.
        unsafe { pd_tetgen_free(&raw mut raw) };
        let mut mesh = mesh?;
        mesh.validate()?;
        mesh.orient_positively();
        Ok(mesh)
    }
}

/// What a code of the shim means.
fn reason(code: c_int) -> String {
    match code {
        -2 => "there is no memory or no process for it".to_owned(),
        ..=-100 => format!("it crashed with signal {}", -100 - code),
        code => format!("it gave up with code {code}"),
    }
}

/// The result as our own arrays.
fn copied(raw: &Raw) -> Result<TetMesh, MeshError> {
    if raw.tet_count <= 0 || raw.points.is_null() || raw.tets.is_null() {
        return Err(failed("it made no tetrahedra"));
    }
    // SAFETY: the shim allocated three numbers per point and four per tetrahedron, and both pointers are not null.
    let (points, tets) = unsafe {
        (
            std::slice::from_raw_parts(raw.points, 3 * raw.point_count as usize),
            std::slice::from_raw_parts(raw.tets, 4 * raw.tet_count as usize),
        )
    };
    let positions = points.chunks_exact(3).map(|x| Vec3::new(x[0], x[1], x[2])).collect();
    let tets = tets.chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]].map(|v| v as u32)).collect();
    Ok(TetMesh { positions, tets })
}
