//! User-defined energy kernels.

use crate::kernels::LOCAL_PARAMETERS;
use crate::{CudaError, DeviceReal, signature};

/// The kernel of a custom energy: what the device runs for batches whose
/// [`export`](pd_core::EnergyBatch::export) names its kind.
///
/// The kernel has the signature `LOCAL_ARGUMENTS` of [`UserKernel::PRELUDE`] and writes r = D x − project(D x) of element
/// `THREAD`. For a leash, |x − anchor| ≤ length, with the anchor as a column and the length as a uniform:
///
/// ```c
/// extern "C" __global__ void leash(LOCAL_ARGUMENTS) {
///   int e = THREAD;
///   if (e >= n) return;
///   vec3 d = load(x, vertices[e]) - v3(columns[e], columns[n + e], columns[2 * n + e]);
///   real length = norm(d), most = uniforms[0];
///   store(r, e, length > most ? d * (R(1) - most / length) : v3(R(0), R(0), R(0)));
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserKernel {
    pub(crate) kind: String,
    pub(crate) entry: String,
    single: String,
    double: String,
}

impl UserKernel {
    /// The text before every kernel: types, small functions, `LOCAL_ARGUMENTS`.
    pub const PRELUDE: &'static str = include_str!("../kernels/prelude.cuh");

    /// A kernel whose `entry` is in two PTX texts, compiled from one source with `PD_REAL` as float and as double. Their
    /// parameters are checked here.
    pub fn from_ptx(kind: &str, entry: &str, single: &str, double: &str) -> Result<Self, CudaError> {
        for (ptx, real) in [(single, f32::NAME), (double, f64::NAME)] {
            signature::check(&signature::parse_signatures(ptx, real)?, entry, LOCAL_PARAMETERS)?;
        }
        let [kind, entry, single, double] = [kind, entry, single, double].map(str::to_owned);
        Ok(Self { kind, entry, single, double })
    }

    /// A kernel compiled now from CUDA C++ (without the prelude), by NVRTC where it is installed.
    pub fn compile(kind: &str, entry: &str, source: &str) -> Result<Self, CudaError> {
        // SAFETY: only opens and closes the compiler's library.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            return Err(CudaError::NoCompiler { kernel: entry.to_owned() });
        }
        let compile = |real: &str| {
            let options = cudarc::nvrtc::CompileOptions {
                arch: Some("compute_75"),
                options: vec![format!("-DPD_REAL={real}"), "--std=c++17".to_owned()],
                ..Default::default()
            };
            let text = format!("{}\n#line 1 \"{entry}.cu\"\n{source}", Self::PRELUDE);
            let ptx = cudarc::nvrtc::compile_ptx_with_opts(text, options)
                .map_err(|error| CudaError::Compile { kernel: entry.to_owned(), log: spell(&error) })?;
            Ok(ptx.to_src())
        };
        Self::from_ptx(kind, entry, &compile(f32::C_NAME)?, &compile(f64::C_NAME)?)
    }

    pub(crate) fn ptx<T: DeviceReal>(&self) -> &str {
        if T::NAME == f32::NAME { &self.single } else { &self.double }
    }
}

fn spell(error: &cudarc::nvrtc::CompileError) -> String {
    match error {
        cudarc::nvrtc::CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
        other => format!("{other:?}"),
    }
}
