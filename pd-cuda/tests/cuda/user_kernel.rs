//! A user-defined batch and kernel, through `export` and `Device::with_kernel`.

use pd_core::{
    BatchData, EnergyBatch, LocalInput, LocalStep, Model, Real, Stencil, StepError, Vec3, as_flat,
};
use pd_cuda::{CudaError, CudaLocal, UserKernel};
use std::ops::Range;

const SINGLE: &str = include_str!("../leash/leash_f32.ptx");
const DOUBLE: &str = include_str!("../leash/leash_f64.ptx");

/// |x − anchor| ≤ length.
struct Leash {
    stencil: Stencil,
    anchors: Vec<Vec3>,
    length: Real,
    exports: bool,
}

impl Leash {
    fn new(vertices: usize, exports: bool) -> Self {
        let mut stencil = Stencil::new(1);
        (0..vertices as u32).for_each(|v| stencil.push(50.0, &[&[(v, 1.0)]]));
        let anchors = (0..vertices).map(|v| Vec3::new(v as Real, 0.5, 0.0)).collect();
        Self { stencil, anchors, length: 0.25, exports }
    }
}

impl EnergyBatch for Leash {
    fn kind(&self) -> &'static str {
        "leash"
    }
    fn stencil(&self) -> &Stencil {
        &self.stencil
    }
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (z, anchor) in z.iter_mut().zip(&self.anchors[elements]) {
            *z = anchor + (*z - anchor).cap_magnitude(self.length);
        }
    }
    fn export(&self) -> Option<BatchData<'_>> {
        let data = BatchData::new("leash", &self.stencil);
        self.exports.then(|| data.with_column(3, as_flat(&self.anchors)).with_uniforms(&[self.length]))
    }
}

#[test]
fn a_law_of_ones_own_runs_on_the_device() {
    let kernel = UserKernel::from_ptx("leash", "leash", SINGLE, DOUBLE).unwrap();
    let device = crate::device().with_kernel(kernel);
    let model = Model::with_masses(vec![1.0; 40]).energy(Leash::new(40, true)).build().unwrap();
    // Some inside their leash, some outside.
    let x: Vec<Vec3> = (0..40).map(|v| Vec3::new(v as Real, 0.5 + 0.02 * v as Real, 0.0)).collect();
    let input = LocalInput { model: &model, dt: 0.1, s: &x, x: &x };
    let mut expected = vec![Vec3::zeros(); 40];
    let mut host = pd_core::CpuLocal::default();
    host.prepare(&model).unwrap();
    host.run(input, &mut expected).unwrap();
    assert!(expected[0] == Vec3::zeros() && expected[39].norm() > 1.0);
    let mut local = CudaLocal::<f64>::new(&device);
    let mut got = vec![Vec3::zeros(); 40];
    local.prepare(&model).unwrap();
    local.run(input, &mut got).unwrap();
    for (a, b) in got.iter().zip(&expected) {
        assert!((a - b).norm() <= 1e-12 * (1.0 + b.norm()), "{a} {b}");
    }
}

#[test]
fn a_law_without_kernel_or_export_is_named() {
    let prepare = |exports| {
        let model = Model::with_masses(vec![1.0; 3]).energy(Leash::new(3, exports)).build().unwrap();
        CudaLocal::<f32>::new(&crate::device()).prepare(&model).unwrap_err()
    };
    for (exports, hint) in [(true, "with_kernel"), (false, "does not export itself")] {
        let error = prepare(exports);
        assert!(matches!(error, StepError::Backend { .. }));
        let text = error.to_string();
        assert!(text.contains("\"leash\"") && text.contains(hint), "{text}");
    }
}

#[test]
fn ptx_of_another_signature_or_precision_is_refused() {
    let wrong = SINGLE.replacen(".param .u64 leash_param_0,", "", 1);
    for (single, entry) in [(wrong.as_str(), "leash"), (SINGLE, "lead")] {
        let error = UserKernel::from_ptx("leash", entry, single, DOUBLE).unwrap_err();
        assert!(matches!(error, CudaError::Signature { .. }), "{error}");
    }
}

#[test]
fn without_a_compiler_a_source_is_refused_and_with_one_compiled() {
    match UserKernel::compile("leash", "leash", include_str!("../leash/leash.cu")) {
        Ok(_) => println!("NVRTC is installed here and compiles"),
        Err(error) => assert!(matches!(error, CudaError::NoCompiler { .. }), "{error}"),
    }
}
