//! A creature: a thick-walled body with a head, a tail and four legs, a generated substitute for large scanned models.
//!
//! The outer surface is star-shaped, x = r(d) d over unit directions d, with
//! r(d) = |d|_E + Σ_f h_f exp(−κ_f (1 − d·l_f)): an ellipsoid E and one smooth bump of height h along l for every
//! feature f. The wall goes from r(d) inward to ¾ r(d). It stands on its legs, +y up, head towards +x.

use super::cube_shell::thick_wall;
use super::{at_least, checked_count};
use crate::{MeshError, TetMesh, Vec3};

/// Inner surface as a fraction of the outer one.
const WALL: f64 = 0.75;

/// A bump of the surface: direction, height relative to the body's radius, sharpness κ.
struct Feature {
    direction: [f64; 3],
    height: f64,
    sharpness: f64,
}

const LEG_HEIGHT: f64 = 0.85;
const LEG_SHARPNESS: f64 = 17.0;
const FEATURES: [Feature; 6] = [
    Feature { direction: [0.80, 0.60, 0.0], height: 0.70, sharpness: 12.0 },
    Feature { direction: [-0.92, 0.40, 0.0], height: 0.85, sharpness: 22.0 },
    Feature { direction: [0.50, -0.72, 0.48], height: LEG_HEIGHT, sharpness: LEG_SHARPNESS },
    Feature { direction: [0.50, -0.72, -0.48], height: LEG_HEIGHT, sharpness: LEG_SHARPNESS },
    Feature { direction: [-0.50, -0.72, 0.48], height: LEG_HEIGHT, sharpness: LEG_SHARPNESS },
    Feature { direction: [-0.50, -0.72, -0.48], height: LEG_HEIGHT, sharpness: LEG_SHARPNESS },
];

/// Distance of the surface from the centre in unit direction `d`, before rescaling.
fn radius(d: &Vec3) -> f64 {
    let ellipsoid = 1.0 / d.component_div(&Vec3::new(1.15, 0.85, 0.8)).norm();
    FEATURES.iter().fold(ellipsoid, |r, feature| {
        let along = d.dot(&Vec3::from(feature.direction).normalize());
        r + feature.height * (-feature.sharpness * (1.0 - along)).exp()
    })
}

/// Creature whose surface is a cube's grid of `k` × `k` cells per face, with `layers` cells through the wall.
///
/// (6k²+2)(layers+1) vertices and 36k²·layers tetrahedra, all positive; vertex number layer·(6k²+2) + s, layer 0 outside.
/// The longest extent is about 1 m ([`crate::transform::normalize_extent`]). The body is hollow: its surface has an outer
/// and an inner part.
///
/// The size classes of three scanned models are [`bunny_class`], [`armadillo_class`] and [`dragon_class`]; the sizes of a
/// cube's grid are too coarse for the first, so they use [`creature_with_cells`]:
///
/// | class | target vertices / tetrahedra | cells, layers | generated | deviation |
/// |---|---|---|---|---|
/// | bunny | 2531 / 8121 | 14 × 15 × 15, 1 | 2584 / 7740 | +2.1 % / −4.7 % |
/// | armadillo | 15666 / 49393 | 36 × 37 × 37, 1 | 16136 / 48396 | +3.0 % / −2.0 % |
/// | dragon | 41262 / 167882 | 48 × 48 × 48, 2 | 41478 / 165888 | +0.5 % / −1.2 % |
///
/// # Errors
/// `k` or `layers` of zero, or more vertices than 32 bits can number.
///
/// ```
/// let creature = pd_mesh::generate::creature(8, 1)?;
/// assert_eq!((creature.positions.len(), creature.tets.len()), (2 * (6 * 64 + 2), 36 * 64));
/// assert!(creature.volumes().iter().all(|&v| v > 0.0));
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn creature(k: usize, layers: usize) -> Result<TetMesh, MeshError> {
    at_least("k", k, 1)?;
    creature_with_cells([k; 3], layers)
}

/// Creature over the surface of an a × b × c lattice: with q = 2(ab+bc+ca), (q+2)(layers+1) vertices and 6q·layers
/// tetrahedra.
///
/// # Errors
/// A count of zero, or more vertices than 32 bits can number.
pub fn creature_with_cells(cells: [usize; 3], layers: usize) -> Result<TetMesh, MeshError> {
    check_wall(cells, layers)?;
    let mut mesh = thick_wall(cells, layers, WALL, radius);
    mesh.normalize_extent();
    Ok(mesh)
}

/// Generated twin of a bunny of 2531 vertices and 8121 tetrahedra: 2584 and 7740.
///
/// # Errors
/// None in practice; the signature is that of the other generators.
pub fn bunny_class() -> Result<TetMesh, MeshError> {
    creature_with_cells([14, 15, 15], 1)
}

/// Generated twin of an armadillo of 15666 vertices and 49393 tetrahedra: 16136 and 48396.
///
/// # Errors
/// None in practice; the signature is that of the other generators.
pub fn armadillo_class() -> Result<TetMesh, MeshError> {
    creature_with_cells([36, 37, 37], 1)
}

/// Generated twin of a dragon of 41262 vertices and 167882 tetrahedra: 41478 and 165888.
///
/// # Errors
/// None in practice; the signature is that of the other generators.
pub fn dragon_class() -> Result<TetMesh, MeshError> {
    creature(48, 2)
}

/// Generated twin of an elastic ball of 530 vertices and 1539 tetrahedra: a hollow ball of diameter 1 m, 536 and 1596.
///
/// The solid [`super::ball`] has more tetrahedra per vertex; use it where the counts do not matter.
///
/// # Errors
/// None in practice; the signature is that of the other generators.
pub fn ball_class() -> Result<TetMesh, MeshError> {
    Ok(thick_wall([6, 7, 7], 1, 0.5, |_| 0.5))
}

/// All counts positive and the vertices numbered by 32 bits.
fn check_wall(cells: [usize; 3], layers: usize) -> Result<(), MeshError> {
    let [a, b, c] = cells;
    for (parameter, count) in [("cells[0]", a), ("cells[1]", b), ("cells[2]", c), ("layers", layers)] {
        at_least(parameter, count, 1)?;
    }
    // 6·largest² + 2 bounds the surface vertices of the box from above.
    let largest = a.max(b).max(c);
    checked_count(&[8, largest, largest, layers.saturating_add(1)])?;
    Ok(())
}
