//! A solid as a few convex parts (after Mamou & Ghorbel 2009 and its voxel form V-HACD): cells inside the mesh are cut by
//! planes across the axes, always the part with most empty volume in its hull and always where the hulls of the halves are
//! smallest together, until the hulls are nearly as small as the solid.

use super::{MassProperties, Polyhedron, Shape};
use crate::RigidError;
use crate::error::positive;
use pd_collide::mesh::MeshQuery;
use pd_core::{Real, Vec3};
use std::sync::Arc;

/// How a mesh is cut into convex parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexParts {
    /// Cells along the longest side. Default 32.
    pub resolution: usize,
    /// Most parts. Default 16.
    pub most: usize,
    /// Empty volume in the hulls at which no more is cut, as a share of the volume of the solid. Default 0.04.
    pub empty: Real,
}

impl Default for ConvexParts {
    fn default() -> Self {
        Self { resolution: 32, most: 16, empty: 0.04 }
    }
}

/// Places tried for a cut along each axis.
const CUTS: usize = 7;

/// Convex hulls that together are nearly the volume a closed mesh encloses (m, triangles counter-clockwise seen from
/// outside), each with at most [`Polyhedron::MOST_VERTICES`] vertices.
///
/// ```
/// use pd_core::Vec3;
/// use pd_rigid::{ConvexParts, MassProperties, Shape, convex_parts};
/// // A box is one part.
/// let (positions, triangles) = Shape::cuboid(Vec3::new(0.5, 0.2, 0.3))?.surface(4);
/// let parts = convex_parts(&positions, &triangles, &ConvexParts::default())?;
/// assert_eq!(parts.len(), 1);
/// assert!((MassProperties::of(&parts[0], 1.0).mass / 0.24 - 1.0).abs() < 0.01);
/// # Ok::<(), pd_rigid::RigidError>(())
/// ```
///
/// # Errors
/// [`RigidError::Mesh`] if the mesh is not closed or too thin for the cells, [`RigidError::Parameter`].
pub fn convex_parts(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    how: &ConvexParts,
) -> Result<Vec<Shape>, RigidError> {
    if !(2..=256).contains(&how.resolution) || how.most == 0 {
        let (value, expected) =
            (how.resolution as Real, "it must be from 2 to 256, and at least one part asked for");
        return Err(RigidError::Parameter { what: "convex parts", name: "resolution", value, expected });
    }
    positive("convex parts", "empty volume", how.empty)?;
    let fault = |what: String| RigidError::Mesh { what };
    let mesh = MeshQuery::new(positions.to_vec(), triangles.to_vec()).map_err(|f| fault(f.to_string()))?;
    mesh.check_closed().map_err(|f| fault(f.to_string()))?;
    let mut grid = Grid::new(&mesh, how.resolution);
    let whole = grid.inside(&mesh);
    grid.bring_back(&mesh, &whole);
    if whole.is_empty() {
        return Err(fault(format!("no cell of {} m lies inside; it is too thin", grid.cell)));
    }
    let solid = mesh.volume();
    let mut parts = vec![Piece::new(&grid, whole).ok_or_else(|| fault("its hull has no volume".into()))?];
    while parts.len() < how.most {
        let empty: Real = parts.iter().map(|p| p.empty).sum();
        let worst =
            (0..parts.len()).max_by(|&i, &j| parts[i].empty.total_cmp(&parts[j].empty).then(j.cmp(&i)));
        let Some(worst) = worst.filter(|_| empty > how.empty * solid) else { break };
        match parts[worst].split(&grid) {
            Some([left, right]) => {
                parts[worst] = left;
                parts.push(right);
            }
            None => parts[worst].empty = 0.0, // a single layer: as convex as the cells can tell
        }
    }
    Ok(parts.into_iter().map(|piece| Shape::Hull(Arc::new(piece.hull))).collect())
}

/// Cubic cells over the box of the mesh.
struct Grid {
    origin: Vec3,
    cell: Real,
    counts: [usize; 3],
    /// Corners of cells inside, those outside of the mesh brought back to it.
    corners: Vec<Vec3>,
}

impl Grid {
    fn new(mesh: &MeshQuery, resolution: usize) -> Self {
        let bounds = mesh.bounds();
        let size = bounds.max - bounds.min;
        let cell = size.max() / resolution as Real;
        let counts = [0, 1, 2].map(|a: usize| ((size[a] / cell).ceil() as usize).max(1));
        // Centred, so that mirrored meshes give mirrored cells.
        let span = Vec3::from_fn(|a, _| counts[a] as Real * cell);
        Self { origin: (bounds.min + bounds.max - span) * 0.5, cell, counts, corners: vec![] }
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * (self.counts[1] + 1) + y) * (self.counts[2] + 1) + z
    }

    fn corner(&self, index: [usize; 3]) -> Vec3 {
        self.origin + Vec3::from_fn(|a, _| index[a] as Real) * self.cell
    }

    fn bring_back(&mut self, mesh: &MeshQuery, cells: &[[u16; 3]]) {
        let count: usize = self.counts.iter().map(|n| n + 1).product();
        self.corners = vec![Vec3::repeat(Real::NAN); count];
        for cell in cells {
            for k in 0..8 {
                let c = [0, 1, 2].map(|a: usize| cell[a] as usize + (k >> a & 1));
                let place = self.place(c);
                if self.corners[place].x.is_nan() {
                    let p = self.corner(c);
                    self.corners[place] =
                        if mesh.winding_number(&p) > 0.5 { p } else { mesh.closest(&p).point };
                }
            }
        }
    }

    /// Cells whose centre is inside.
    fn inside(&self, mesh: &MeshQuery) -> Vec<[u16; 3]> {
        let half = Vec3::repeat(0.5 * self.cell);
        let mut cells = vec![];
        for x in 0..self.counts[0] {
            for y in 0..self.counts[1] {
                for z in 0..self.counts[2] {
                    if mesh.winding_number(&(self.corner([x, y, z]) + half)) > 0.5 {
                        cells.push([x as u16, y as u16, z as u16]);
                    }
                }
            }
        }
        cells
    }
}

/// Some cells and their hull.
struct Piece {
    cells: Vec<[u16; 3]>,
    hull: Polyhedron,
    /// Volume of the hull that no cell fills, m³.
    empty: Real,
}

impl Piece {
    fn new(grid: &Grid, cells: Vec<[u16; 3]>) -> Option<Self> {
        let (hull, _) = Polyhedron::simplified_hull(&outline(grid, &cells)).ok()?;
        let volume = MassProperties::of(&Shape::Hull(Arc::new(hull.clone())), 1.0).mass;
        let empty = (volume - cells.len() as Real * grid.cell.powi(3)).max(0.0);
        Some(Self { cells, hull, empty })
    }

    /// The cut whose halves have the smallest hulls.
    fn split(&self, grid: &Grid) -> Option<[Self; 2]> {
        let mut best: Option<(Real, [Self; 2])> = None;
        for axis in 0..3 {
            let low = self.cells.iter().map(|c| c[axis]).min()?;
            let high = self.cells.iter().map(|c| c[axis]).max()?;
            let mut before = low;
            for k in 1..=CUTS {
                let at = low + ((high - low + 1) as usize * k / (CUTS + 1)) as u16;
                if at <= before || at > high {
                    continue;
                }
                before = at;
                let (left, right): (Vec<_>, Vec<_>) = self.cells.iter().partition(|c| c[axis] < at);
                let halves = Piece::new(grid, left).zip(Piece::new(grid, right));
                if let Some((left, right)) = halves {
                    let empty = left.empty + right.empty;
                    if best.as_ref().is_none_or(|b| empty < b.0) {
                        best = Some((empty, [left, right]));
                    }
                }
            }
        }
        best.map(|(_, halves)| halves)
    }
}

/// Corners of the cells at the rim of a set.
fn outline(grid: &Grid, cells: &[[u16; 3]]) -> Vec<Vec3> {
    let mut corners: Vec<[usize; 3]> = vec![];
    // The first and last cell of every row along x is all that a hull can see.
    let mut k = 0;
    let mut rows: Vec<[u16; 3]> = cells.iter().map(|c| [c[1], c[2], c[0]]).collect();
    rows.sort_unstable();
    while k < rows.len() {
        let mut end = k;
        while end + 1 < rows.len() && rows[end + 1][..2] == rows[k][..2] {
            end += 1;
        }
        for (cell, side) in [(rows[k], 0), (rows[end], 1)] {
            for (dy, dz) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                corners.push([cell[2] as usize + side, cell[0] as usize + dy, cell[1] as usize + dz]);
            }
        }
        k = end + 1;
    }
    corners.sort_unstable();
    corners.dedup();
    corners.iter().map(|&c| grid.corners[grid.place(c)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An L of two boxes as one closed mesh: its outline in x and y, drawn out along z.
    fn angle() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.2, 0.2], [0.2, 1.0], [0.0, 1.0]];
        let at = |z: Real| outline.iter().map(move |&[x, y]| Vec3::new(x, y, z));
        let positions: Vec<Vec3> = at(0.0).chain(at(0.3)).collect();
        let cap = [[0u32, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
        let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
        triangles.extend(cap.iter().map(|t| t.map(|v| v + 6)));
        for k in 0..6u32 {
            let (i, j) = (k, (k + 1) % 6);
            triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
        }
        (positions, triangles)
    }

    #[test]
    fn an_angle_is_two_parts_with_its_volume() {
        let (positions, triangles) = angle();
        let parts = convex_parts(&positions, &triangles, &ConvexParts::default()).unwrap();
        let volume: Real = parts.iter().map(|p| MassProperties::of(p, 1.0).mass).sum();
        let exact = 0.3 * (0.2 + 0.2 * 0.8);
        assert!((2..=4).contains(&parts.len()), "{} parts", parts.len());
        assert!((volume / exact - 1.0).abs() < 0.08, "{volume} of {exact}");
    }

    #[test]
    fn open_meshes_and_bad_settings_are_refused() {
        let (positions, mut triangles) = angle();
        let how = ConvexParts { resolution: 1, ..ConvexParts::default() };
        assert!(matches!(convex_parts(&positions, &triangles, &how), Err(RigidError::Parameter { .. })));
        triangles.pop();
        assert!(matches!(
            convex_parts(&positions, &triangles, &ConvexParts::default()),
            Err(RigidError::Mesh { .. })
        ));
    }
}
