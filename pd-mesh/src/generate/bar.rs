//! A solid bar of w × h × d cubes, each cut into 5 tetrahedra: four that cut off every other corner, one in the middle.
//!
//! The diagonals of a face join the corners that are not cut off; two cubes that share a face agree on its diagonal if
//! and only if they cut off opposite corner sets, so the split alternates with the parity of i + j + k.

use super::{at_least, checked_count, positive};
use crate::{MeshError, TetMesh, Vec3};

/// Corner (i, j, k) of a cube as 4i + 2j + k.
const EVEN_SPLIT: [[usize; 4]; 5] = [[0, 1, 4, 2], [6, 2, 4, 7], [5, 7, 4, 1], [3, 1, 2, 7], [1, 7, 4, 2]];
/// The mirror image for cubes of odd parity.
const ODD_SPLIT: [[usize; 4]; 5] = [[6, 5, 0, 4], [7, 3, 6, 5], [1, 5, 0, 3], [2, 3, 0, 6], [6, 3, 0, 5]];

/// Solid bar of `w` × `h` × `d` cubes along x, y and z; `size` is the length of its longest side, in metres.
///
/// Vertex number i·(h+1)(d+1) + j·(d+1) + k; tetrahedra cube by cube in the same order, five each, all positive.
/// The bar is centred at the origin with cube edge size / max(w, h, d): `bar(3, 3, 12, 1.0)` spans ¼ × ¼ × 1.
///
/// # Errors
/// A count of zero, a size that is not positive, or more vertices than 32 bits can number.
///
/// ```
/// let bridge = pd_mesh::generate::bar(2, 2, 20, 1.0)?;
/// assert_eq!((bridge.positions.len(), bridge.tets.len()), (189, 400));
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn bar(w: usize, h: usize, d: usize, size: f64) -> Result<TetMesh, MeshError> {
    at_least("w", w, 1)?;
    at_least("h", h, 1)?;
    at_least("d", d, 1)?;
    positive("size", size)?;
    let vertices = checked_count(&[w.saturating_add(1), h.saturating_add(1), d.saturating_add(1)])?;

    // Numerator first, so that halves and thirds of the bar are rounded once.
    let longest = w.max(h).max(d) as f64;
    let at = |step: usize, steps: usize| (step as f64 - 0.5 * steps as f64) * size / longest;
    let number = |i: usize, j: usize, k: usize| ((i * (h + 1) + j) * (d + 1) + k) as u32;

    let mut positions = Vec::with_capacity(vertices);
    let mut tets = Vec::with_capacity(5 * w * h * d);
    for i in 0..=w {
        for j in 0..=h {
            for k in 0..=d {
                positions.push(Vec3::new(at(i, w), at(j, h), at(k, d)));
                if i < w && j < h && k < d {
                    let split = if (i + j + k) % 2 == 0 { EVEN_SPLIT } else { ODD_SPLIT };
                    let corner = |c: usize| number(i + (c >> 2), j + ((c >> 1) & 1), k + (c & 1));
                    tets.extend(split.map(|tet| tet.map(corner)));
                }
            }
        }
    }
    Ok(TetMesh { positions, tets })
}
