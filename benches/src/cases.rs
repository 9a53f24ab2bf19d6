//! The matrices and scenes that are measured: the size classes of the thesis, all generated.

use pd_core::{Csr, Real};
use pd_sim::scene::desc::BendingDesc;
use pd_sim::scene::{Scene, read_desc};
use pd_sim::{ModelPaths, SceneError};

/// A named linear system.
pub struct Case {
    /// Name in tables.
    pub name: &'static str,
    /// The global matrix of one step.
    pub matrix: Csr,
}

/// Scenes behind the matrices, smallest first, and whether bending is added to the cloth.
pub const MATRICES: [(&str, &str, bool); 6] = [
    ("bunny class", "bunny-twin", false),
    ("cloth 100", "cloth-100", false),
    ("cloth 140", "cloth-140", false),
    ("cloth 140 bending", "cloth-140", true),
    ("armadillo class", "armadillo-free-twin", false),
    ("dragon class", "dragon-twin", false),
];

/// Builds one of [`MATRICES`].
pub fn matrix(name: &'static str, scene: &str, bending: bool) -> Result<Case, SceneError> {
    let (mut desc, _) = read_desc(scene)?;
    if bending {
        // The weight in the thesis' program for this cloth.
        for object in &mut desc.objects {
            object.bending = Some(BendingDesc::new(5e-3));
        }
    }
    let scene = Scene::from_desc(scene, desc, None, &ModelPaths::default())?;
    let matrix = scene.model(0.0)?.system_matrix(scene.params().dt);
    Ok(Case { name, matrix })
}

/// Three right-hand sides from a fixed linear congruence, between −½ and ½.
pub fn right_hand_side(rows: usize) -> Vec<Real> {
    let mut seed = 12_345_u32;
    let next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    std::iter::repeat_with(next).take(3 * rows).collect()
}

/// True relative residual ‖b − A x‖/‖b‖ of three columns together.
pub fn relative_residual(a: &Csr, b: &[Real], x: &[Real]) -> Real {
    let mut ax = vec![0.0; b.len()];
    a.multiply(x, &mut ax, 3);
    let norm = |v: &mut dyn Iterator<Item = Real>| v.map(|r| r * r).sum::<Real>().sqrt();
    norm(&mut b.iter().zip(&ax).map(|(b, ax)| b - ax)) / norm(&mut b.iter().copied())
}
