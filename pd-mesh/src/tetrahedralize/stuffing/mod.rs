//! Isosurface stuffing: fill the body with a body-centred cubic lattice, move lattice points that lie close to the surface
//! onto it, and cut the remaining tetrahedra where the surface passes (F. Labelle, J. R. Shewchuk, Isosurface stuffing:
//! fast tetrahedral meshes with good dihedral angles, 2007).
//!
//! The angles depend only on where edges are cut, never on the surface: all dihedral angles lie between
//! 10° and 161° for any input (a test searches all stencils). The interior is where the generalised winding number exceeds ½,
//! so holes, self-intersections and duplicate sheets of the input are tolerated.
//!
//! Parts thinner than the lattice can resolve would vanish, and narrower gaps would close. Where the input lies too far
//! from the result, the nearest lattice point is declared inside or outside, which keeps the part or the gap, widened to
//! the least that the angles allow.

mod crossings;
mod field;
#[cfg(test)]
mod guarantee;
mod lattice;
mod stencil;
mod warp;

use super::{Options, Size, Tetrahedralizer};
use crate::check::repair;
use crate::geometry::{Bounds, SurfaceTree, hausdorff};
use crate::{MeshError, TetMesh, TriMesh, Vec3, topology};
use field::Field;
use lattice::Lattice;

/// The built-in mesher. See the module's text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stuffing;

/// Most lattice points; a fine lattice around a large empty box is rejected rather than exhausting the memory.
const MAX_POINTS: usize = 1 << 27;

/// A point of the input farther than this many lattice edges from the result is a lost part.
const LOST: f64 = 0.75;

/// Beyond this distance more than the nearest lattice point is forced, since that did not suffice.
const FAR: f64 = 0.95;

/// Rounds of bringing back lost parts and gaps.
const ROUNDS: usize = 6;

/// How far beside the surface to ask whether it is the border of the body, in lattice edges.
const BESIDE: f64 = 1e-3;

impl Tetrahedralizer for Stuffing {
    fn name(&self) -> &'static str {
        "stuffing"
    }

    fn tetrahedralize(&self, surface: &TriMesh, options: &Options) -> Result<TetMesh, MeshError> {
        self.tetrahedralize_observed(surface, options, &mut |_| {})
    }

    fn tetrahedralize_observed(
        &self,
        surface: &TriMesh,
        options: &Options,
        observe: &mut dyn FnMut(f64),
    ) -> Result<TetMesh, MeshError> {
        observe(0.0);
        let made = Body::new(surface)?.stuff_to_size(options.size, observe).map(|(mesh, _)| mesh)?;
        observe(1.0);
        Ok(made)
    }
}

impl Stuffing {
    /// The lattice edge that `options` lead to, in metres; with [`Size::Tets`] the one found by the search.
    ///
    /// # Errors
    /// As [`Tetrahedralizer::tetrahedralize`].
    pub fn lattice_edge(&self, surface: &TriMesh, options: &Options) -> Result<f64, MeshError> {
        Body::new(surface)?.stuff_to_size(options.size, &mut |_| {}).map(|(_, edge)| edge)
    }
}

/// The input with everything that does not depend on the lattice.
struct Body<'a> {
    surface: &'a TriMesh,
    tree: SurfaceTree,
    bounds: Bounds,
    /// 1, or −1 if the normals point inwards.
    orientation: f64,
    /// Whether every side belongs to two triangles once equal positions are one vertex.
    closed: bool,
}

impl<'a> Body<'a> {
    fn new(surface: &'a TriMesh) -> Result<Self, MeshError> {
        surface.validate()?;
        let used: Vec<Vec3> =
            surface.triangles.iter().flatten().map(|&v| surface.positions[v as usize]).collect();
        let bounds = Bounds::of(&used);
        let orientation = if surface.enclosed_volume() < 0.0 { -1.0 } else { 1.0 };
        Ok(Self { surface, tree: SurfaceTree::new(surface), bounds, orientation, closed: is_closed(surface) })
    }

    fn longest(&self) -> f64 {
        (self.bounds.high - self.bounds.low).max()
    }

    /// Winding number, positive inside.
    fn winding(&self, x: Vec3) -> f64 {
        self.orientation * self.tree.winding_number(x)
    }

    /// The solid and the edge of its lattice.
    fn stuff_to_size(&self, size: Size, observe: &mut dyn FnMut(f64)) -> Result<(TetMesh, f64), MeshError> {
        let edge = match size {
            Size::Edge(edge) => edge,
            Size::Cells(0) => {
                return Err(MeshError::CountTooSmall { parameter: "cells", value: 0, least: 1 });
            }
            Size::Cells(cells) => self.longest() / cells as f64,
            Size::Tets(tets) => return self.stuff_to_count(tets, observe),
        };
        self.stuff(edge, observe).map(|mesh| (mesh, edge))
    }

    /// The solid for one lattice. About half of the time goes into the signs of the lattice points; then come rounds, of
    /// which few bodies need more than two.
    fn stuff(&self, edge: f64, observe: &mut dyn FnMut(f64)) -> Result<TetMesh, MeshError> {
        if !(edge > 0.0 && edge.is_finite()) {
            return Err(MeshError::BadLength {
                parameter: "lattice edge",
                value: edge,
                expected: "a positive finite length",
            });
        }
        let Some(lattice) = Lattice::around(&self.bounds, edge, MAX_POINTS) else {
            return Err(failed(format!(
                "a lattice of edge {edge} m around a body of {} m needs more than {MAX_POINTS} points",
                self.longest()
            )));
        };
        let mut field = Field::new(self, lattice, &mut |part| observe(0.5 * part));
        let mut mesh = warp::stuff(self, &field);
        for round in 0..ROUNDS {
            observe(1.0 - 0.5 * 0.6f64.powi(round as i32 + 1));
            if !self.bring_back_lost_parts(&mesh, &mut field) {
                break;
            }
            mesh = warp::stuff(self, &field);
        }
        if mesh.tets.is_empty() {
            return Err(failed("the surface encloses nothing that the lattice can see".to_owned()));
        }
        Ok(mesh)
    }

    /// Where the input is too far from the surface of `mesh`, declares the nearest lattice point inside (a thin part was
    /// lost) or outside (a narrow gap was filled). Returns whether any was.
    ///
    /// Sheets of the input in the middle of the body, as self-intersections make them, bound nothing and stay unseen.
    fn bring_back_lost_parts(&self, mesh: &TetMesh, field: &mut Field) -> bool {
        let edge = field.lattice.edge;
        let result = SurfaceTree::new(&mesh.surface_mesh());
        let normals = self.surface.face_normals();
        let mut changed = false;
        hausdorff::for_samples(self.surface, 0.5 * edge, |face, x| {
            if result.any_within(x, LOST * edge) {
                return;
            }
            let filled = result.winding_number(x) > 0.5;
            let beyond = x + normals[face] * (self.orientation * BESIDE * edge);
            if !filled || self.winding(beyond) < 0.5 {
                let far = !result.any_within(x, FAR * edge);
                changed |= field.force_nearest(x, !filled, far);
            }
        });
        field.settle();
        changed
    }

    /// The solid whose count comes nearest to `tets`, by a search over the edge length.
    fn stuff_to_count(&self, tets: usize, observe: &mut dyn FnMut(f64)) -> Result<(TetMesh, f64), MeshError> {
        if tets == 0 {
            return Err(MeshError::CountTooSmall { parameter: "tets", value: 0, least: 1 });
        }
        // 12 tetrahedra fill a volume of one lattice edge cubed; the surface adds to it, so start coarse.
        let volume = self.surface.enclosed_volume().abs().max(1e-6 * self.longest().powi(3));
        let mut edge = (12.0 * volume / tets as f64).cbrt().min(self.longest());
        let (mut coarse, mut fine): (Option<f64>, Option<f64>) = (None, None);
        let mut best: Option<(TetMesh, f64)> = None;
        for attempt in 0..16 {
            // Each attempt is as likely to be the last, so each takes half of what is left of the bar.
            let left = 0.5f64.powi(attempt);
            let mesh = self.stuff(edge, &mut |part| observe(1.0 - left * (1.0 - 0.5 * part)))?;
            let count = mesh.tets.len();
            let off = |mesh: &TetMesh| mesh.tets.len().abs_diff(tets);
            if count < tets {
                coarse = Some(edge)
            } else {
                fine = Some(edge)
            }
            if best.as_ref().is_none_or(|(best, _)| off(&mesh) < off(best)) {
                best = Some((mesh, edge));
            }
            if count.abs_diff(tets) * 500 < tets {
                break;
            }
            // Counts go about as edge⁻³: the next guess, kept between the bounds found.
            let guess = edge * (count as f64 / tets as f64).cbrt();
            edge = match (coarse, fine) {
                (Some(coarse), Some(fine)) if !(guess > fine * 1.0001 && guess < coarse * 0.9999) => {
                    (coarse * fine).sqrt()
                }
                _ => guess,
            };
        }
        best.ok_or_else(|| failed("no lattice was tried".to_owned()))
    }
}

fn failed(reason: String) -> MeshError {
    MeshError::MesherFailed { mesher: "stuffing", reason }
}

/// Whether the surface is closed, with vertices at equal positions merged.
fn is_closed(surface: &TriMesh) -> bool {
    let first = repair::first_at_same_position(&surface.positions);
    let welded: Vec<[u32; 3]> = surface.triangles.iter().map(|t| t.map(|v| first[v as usize])).collect();
    topology::boundary_edges(&welded).is_empty()
}
