//! A rectangular cloth in the plane y = 0: vertex (i, j) at ((i/rows − ½) size_x, 0, (j/columns − ½) size_z).

use super::{at_least, checked_count, positive};
use crate::{MeshError, TriMesh, Vec3};

/// Cloth of `rows` × `columns` cells, `size_x` × `size_z` metres, normals along +y.
///
/// Vertex number i·(columns+1) + j, with i = 0..=rows along x and j = 0..=columns along z. Each cell with first corner
/// a = (i, j) is cut from a to (i+1, j+1): triangles (a, a+1, a+columns+2) and (a, a+columns+2, a+columns+1).
///
/// # Errors
/// A count of zero, a size that is not positive, or more vertices than 32 bits can number.
///
/// ```
/// let cloth = pd_mesh::generate::grid(20, 20, 1.0, 1.0)?;
/// assert_eq!(cloth.triangles[..2], [[0, 1, 22], [0, 22, 21]]);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn grid(rows: usize, columns: usize, size_x: f64, size_z: f64) -> Result<TriMesh, MeshError> {
    at_least("rows", rows, 1)?;
    at_least("columns", columns, 1)?;
    positive("size_x", size_x)?;
    positive("size_z", size_z)?;
    let vertices = checked_count(&[rows.saturating_add(1), columns.saturating_add(1)])?;

    let mut positions = Vec::with_capacity(vertices);
    let mut triangles = Vec::with_capacity(2 * rows * columns);
    let stride = columns as u32 + 1;
    for i in 0..=rows {
        for j in 0..=columns {
            let x = (i as f64 / rows as f64 - 0.5) * size_x;
            let z = (j as f64 / columns as f64 - 0.5) * size_z;
            positions.push(Vec3::new(x, 0.0, z));
            if i < rows && j < columns {
                let a = i as u32 * stride + j as u32;
                triangles.push([a, a + 1, a + stride + 1]);
                triangles.push([a, a + stride + 1, a + stride]);
            }
        }
    }
    Ok(TriMesh { positions, triangles })
}
