//! A solid ball: a core lattice of n³ cubes, slightly rounded, inside a wall of hexahedron layers that goes over into
//! the sphere. Blowing one lattice up to a sphere would flatten its edges and corners into slivers; with the wall, three
//! cells meet where the cube's corner was.
//!
//! Core point with tan-spaced coordinates p ∈ [−1, 1]³ (see `cube_shell`): x = CORE·R·p·(1 + ROUND(‖p‖∞/|p| − 1)).
//! The wall's vertices stay on the rays of the core's surface points, so its tetrahedra are positive by construction.

use super::cube_shell::{CubeShell, push_wall, spread};
use super::hexahedron::push_hexahedron;
use super::{at_least, checked_count, positive};
use crate::{MeshError, TetMesh, Vec3};

/// Half edge of the core, relative to the radius of the ball.
const CORE: f64 = 0.5;
/// 0 keeps the core a cube, 1 makes it a ball.
const ROUND: f64 = 0.5;

/// Solid ball of `radius` metres: `n` core cubes along each axis and `layers` wall layers.
///
/// (n+1)³ + layers·(6n²+2) vertices and 6n³ + 36n²·layers tetrahedra, all positive. Core vertex (i, j, k) has number
/// i·(n+1)² + j·(n+1) + k, wall layers follow from the inside outward. Cells are about equally long in all directions
/// with `layers` ≈ n/2; the smallest dihedral angle is then 18° or more from n = 2 on.
///
/// # Errors
/// A count of zero, a radius that is not positive, or more vertices than 32 bits can number.
///
/// ```
/// let ball = pd_mesh::generate::ball(4, 2, 0.5)?;
/// assert_eq!((ball.positions.len(), ball.tets.len()), (125 + 2 * 98, 6 * 64 + 2 * 36 * 16));
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn ball(n: usize, layers: usize, radius: f64) -> Result<TetMesh, MeshError> {
    at_least("n", n, 1)?;
    at_least("layers", layers, 1)?;
    positive("radius", radius)?;
    let side = n.saturating_add(1);
    checked_count(&[side, side, side])?;
    checked_count(&[8, side, side, layers.saturating_add(side)])?;

    let cells = [n; 3];
    let core_number = |[i, j, k]: [usize; 3]| ((i * side + j) * side + k) as u32;
    let mut positions = Vec::new();
    let mut tets = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            for k in 0..=n {
                positions.push(core_position([i, j, k], cells) * radius);
                if i < n && j < n && k < n {
                    let corners =
                        std::array::from_fn(|c| core_number([i + (c >> 2), j + ((c >> 1) & 1), k + (c & 1)]));
                    push_hexahedron(corners, &mut tets);
                }
            }
        }
    }

    let shell = CubeShell::new(cells);
    let first = positions.len() as u32;
    let number = |layer: usize, s: u32| match layer {
        0 => core_number(shell.points[s as usize]),
        _ => first + ((layer - 1) * shell.points.len()) as u32 + s,
    };
    for layer in 1..=layers {
        let outward = layer as f64 / layers as f64;
        for &point in &shell.points {
            let inner = core_position(point, cells);
            positions.push(inner.lerp(&inner.normalize(), outward) * radius);
        }
        for quad in &shell.quads {
            push_wall(quad.map(|s| number(layer - 1, s)), quad.map(|s| number(layer, s)), &mut tets);
        }
    }
    Ok(TetMesh { positions, tets })
}

/// Position of a core vertex in the unit ball.
fn core_position(point: [usize; 3], cells: [usize; 3]) -> Vec3 {
    let p = spread(point, cells);
    let length = p.norm();
    if length == 0.0 {
        return p;
    }
    p * (CORE * (1.0 + ROUND * (p.amax() / length - 1.0)))
}
