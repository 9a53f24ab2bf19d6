//! Defects of a mesh, and repairs.
//!
//! [`check_tri`] and [`check_tet`] look for defects that would harm a simulation and return a [`Report`]: plain data with
//! `Display`; [`painted`] colours the surface. Each function of [`repair`] fixes one kind of defect.
//!
//! ```
//! use pd_mesh::{check, generate};
//! let mut bar = generate::bar(1, 1, 2, 1.0)?;
//! assert!(check::check_tet(&bar).is_clean());
//! bar.tets[3].swap(0, 1);
//! let report = check::check_tet(&bar);
//! assert_eq!(report.findings[0].to_string(), "1 inverted element: tetrahedron 3");
//! # Ok::<(), pd_mesh::MeshError>(())
//! ```

mod paint;
pub mod repair;

pub use paint::painted;

use crate::geometry::intersect;
use crate::quality::dihedral_angles;
use crate::topology;
use crate::{TetMesh, TriMesh, Vec3};
use std::fmt;

/// Kinds of defects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Defect {
    /// A tetrahedron of negative or no volume.
    Inverted,
    /// An element that is nearly flat: a dihedral angle below 1°, or a triangle with an angle below 0.5°.
    Sliver,
    /// An element that names a vertex twice, or a triangle without area.
    Degenerate,
    /// An element with the same vertices as an earlier one.
    Duplicate,
    /// An edge of more than two triangles of the surface; given by its two ends.
    NonManifoldEdge,
    /// An edge through which two triangles run in the same direction; given by its two ends.
    InconsistentEdge,
    /// A border edge (of only one triangle), given by its two ends. Valid for cloth.
    BoundaryEdge,
    /// Two triangles that intersect; given by their numbers.
    SelfIntersection,
    /// A vertex that no element uses.
    UnreferencedVertex,
    /// A vertex at the position of an earlier one.
    DuplicateVertex,
}

impl Defect {
    /// A short name, for keys of data.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Inverted => "inverted",
            Self::Sliver => "slivers",
            Self::Degenerate => "degenerate",
            Self::Duplicate => "duplicates",
            Self::NonManifoldEdge => "non_manifold_edges",
            Self::InconsistentEdge => "inconsistent_edges",
            Self::BoundaryEdge => "boundary_edges",
            Self::SelfIntersection => "self_intersections",
            Self::UnreferencedVertex => "unreferenced_vertices",
            Self::DuplicateVertex => "duplicate_vertices",
        }
    }

    /// Whether it can harm a simulation. The others are informative.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, Self::BoundaryEdge | Self::UnreferencedVertex | Self::DuplicateVertex)
    }

    /// One and many.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Inverted => ("inverted element", "inverted elements"),
            Self::Sliver => ("sliver", "slivers"),
            Self::Degenerate => ("degenerate element", "degenerate elements"),
            Self::Duplicate => ("duplicate element", "duplicate elements"),
            Self::NonManifoldEdge => ("non-manifold edge", "non-manifold edges"),
            Self::InconsistentEdge => ("inconsistently oriented edge", "inconsistently oriented edges"),
            Self::BoundaryEdge => ("boundary edge", "boundary edges"),
            Self::SelfIntersection => ("self-intersection", "self-intersections"),
            Self::UnreferencedVertex => ("unreferenced vertex", "unreferenced vertices"),
            Self::DuplicateVertex => ("duplicate vertex", "duplicate vertices"),
        }
    }
}

/// All places of one kind of defect.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind.
    pub defect: Defect,
    /// "triangle" or "tetrahedron", what elements are called here.
    pub element: &'static str,
    /// Element, edge (two ends), pair of triangles or vertex, ascending.
    pub places: Vec<Vec<u32>>,
    /// Whether the search stopped at its limit, so that there may be more.
    pub more: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = self.defect.words();
        let count = self.places.len();
        let at_least = if self.more { "at least " } else { "" };
        let (what, plural) = match self.defect {
            Defect::Inverted | Defect::Sliver | Defect::Degenerate | Defect::Duplicate => {
                (self.element, count > 1)
            }
            Defect::SelfIntersection => ("triangles", false),
            Defect::UnreferencedVertex | Defect::DuplicateVertex => ("vertex", false),
            _ => ("ends", false),
        };
        let what = match (what, plural) {
            ("tetrahedron", true) => "tetrahedra",
            ("triangle", true) => "triangles",
            _ => what,
        };
        write!(f, "{at_least}{count} {}: {what}", if count == 1 { one } else { many })?;
        let shown = 5;
        for (i, place) in self.places.iter().take(shown).enumerate() {
            let numbers: Vec<String> = place.iter().map(u32::to_string).collect();
            write!(f, "{}{}", if i == 0 { " " } else { ", " }, numbers.join("–"))?;
        }
        if count > shown { write!(f, ", …") } else { Ok(()) }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of elements.
    pub elements: usize,
    /// "triangle" or "tetrahedron".
    pub element: &'static str,
    /// Number of pieces that no edge connects.
    pub components: usize,
    /// Kinds of defects with their places; only kinds that occur.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether no harmful defect was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.findings.iter().any(|finding| finding.defect.is_fault())
    }

    /// Number of places of one kind.
    #[must_use]
    pub fn count(&self, defect: Defect) -> usize {
        self.findings
            .iter()
            .find(|finding| finding.defect == defect)
            .map_or(0, |finding| finding.places.len())
    }

    fn add(&mut self, defect: Defect, places: impl IntoIterator<Item = Vec<u32>>) {
        let places: Vec<Vec<u32>> = places.into_iter().collect();
        if !places.is_empty() {
            self.findings.push(Finding { defect, element: self.element, places, more: false });
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.element == "triangle" { "triangles" } else { "tetrahedra" };
        let pieces = if self.components == 1 { "piece" } else { "pieces" };
        writeln!(f, "{} vertices, {} {name}, {} {pieces}", self.vertices, self.elements, self.components)?;
        for finding in &self.findings {
            writeln!(f, "{} {finding}", if finding.defect.is_fault() { "fault:" } else { "note: " })?;
        }
        if self.is_clean() { writeln!(f, "no faults") } else { Ok(()) }
    }
}

/// Maximum number of self-intersections that are listed.
const MAX_INTERSECTIONS: usize = 1000;

/// Smallest angle of a good triangle and smallest dihedral angle of a good tetrahedron, in degrees.
const MIN_TRIANGLE_ANGLE: f64 = 0.5;
const MIN_DIHEDRAL_ANGLE: f64 = 1.0;

/// Looks for every defect of a surface. The mesh must be valid: indices out of range are detected by
/// [`TriMesh::validate`]. Cost O(F log F) on surfaces that do not cross themselves everywhere.
#[must_use]
pub fn check_tri(mesh: &TriMesh) -> Report {
    let mut report = start(&mesh.positions, &mesh.triangles, "triangle");
    let degenerate = |&face: &usize| is_degenerate(mesh, face);
    report.add(Defect::Degenerate, (0..mesh.triangles.len()).filter(degenerate).map(|f| vec![f as u32]));
    let thin = |&face: &usize| !is_degenerate(mesh, face) && least_angle(mesh, face) < MIN_TRIANGLE_ANGLE;
    report.add(Defect::Sliver, (0..mesh.triangles.len()).filter(thin).map(|f| vec![f as u32]));
    finish(&mut report, mesh);
    report
}

/// Looks for every defect of a solid and of its surface; see [`check_tri`].
#[must_use]
pub fn check_tet(mesh: &TetMesh) -> Report {
    let mut report = start(&mesh.positions, &mesh.tets, "tetrahedron");
    let volumes = mesh.volumes();
    let inverted = |&tet: &usize| volumes[tet] <= 0.0 || volumes[tet].is_nan();
    report.add(Defect::Inverted, (0..mesh.tets.len()).filter(inverted).map(|t| vec![t as u32]));
    let thin = |&tet: &usize| {
        let angles = dihedral_angles(mesh.tets[tet].map(|v| mesh.positions[v as usize]));
        !inverted(&tet) && angles.iter().any(|angle| angle.to_degrees() < MIN_DIHEDRAL_ANGLE)
    };
    report.add(Defect::Sliver, (0..mesh.tets.len()).filter(thin).map(|t| vec![t as u32]));
    let skin = mesh.surface_mesh();
    finish(&mut report, &skin);
    // The surface of a solid is closed by its making; what looks open comes from the defects above.
    report.findings.retain(|finding| finding.defect != Defect::BoundaryEdge);
    report
}

/// What does not need geometry.
fn start<const N: usize>(positions: &[Vec3], elements: &[[u32; N]], element: &'static str) -> Report {
    let components = topology::components(positions.len(), elements);
    let mut report = Report {
        vertices: positions.len(),
        elements: elements.len(),
        element,
        components,
        findings: Vec::new(),
    };
    report.add(Defect::Duplicate, repair::duplicates(elements).into_iter().map(|e| vec![e]));
    let mut used = vec![false; positions.len()];
    for &v in elements.iter().flatten() {
        used[v as usize] = true;
    }
    report
        .add(Defect::UnreferencedVertex, (0..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| vec![v]));
    let first = repair::first_at_same_position(positions);
    report.add(
        Defect::DuplicateVertex,
        (0..).zip(first).filter(|&(v, first)| v != first).map(|(v, _)| vec![v]),
    );
    report
}

/// Edges and intersections of a surface.
fn finish(report: &mut Report, surface: &TriMesh) {
    let (mut crowded, mut opposed, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for group in topology::directed_sides(&surface.triangles).chunk_by(|a, b| a.0 == b.0) {
        let ends = group[0].0.to_vec();
        match group {
            [_] => alone.push(ends),
            [a, b] if a.1 == b.1 => opposed.push(ends),
            [_, _] => {}
            _ => crowded.push(ends),
        }
    }
    report.add(Defect::NonManifoldEdge, crowded);
    report.add(Defect::InconsistentEdge, opposed);
    report.add(Defect::BoundaryEdge, alone);
    let pairs = intersect::self_intersections(surface, MAX_INTERSECTIONS + 1);
    let more = pairs.len() > MAX_INTERSECTIONS;
    report.add(Defect::SelfIntersection, pairs.into_iter().take(MAX_INTERSECTIONS).map(Vec::from));
    if more && let Some(last) = report.findings.last_mut() {
        last.more = true;
    }
    report.findings.sort_by_key(|finding| finding.defect);
}

/// Whether a triangle names a vertex twice or has no area.
fn is_degenerate(mesh: &TriMesh, face: usize) -> bool {
    let [a, b, c] = mesh.triangles[face];
    let [x, y, z] = [a, b, c].map(|v| mesh.positions[v as usize]);
    a == b || b == c || c == a || (y - x).cross(&(z - x)) == Vec3::zeros()
}

/// Smallest angle of a triangle, in degrees.
fn least_angle(mesh: &TriMesh, face: usize) -> f64 {
    let x = mesh.triangles[face].map(|v| mesh.positions[v as usize]);
    let at = |i: usize| {
        let (u, v) = (x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]);
        u.cross(&v).norm().atan2(u.dot(&v)).to_degrees()
    };
    at(0).min(at(1)).min(at(2))
}
