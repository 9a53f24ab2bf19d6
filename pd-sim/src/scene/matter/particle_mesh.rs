//! Meshes of particle sets: what bodies are sampled from and drawn as, and what cloth is made of.

use crate::SceneError;
use crate::scene::desc::ParticlesDesc;
use crate::scene::files::{Files, load_shape};
use pd_core::{Real, Vec3};
use pd_mesh::check::repair;
use pd_mesh::{Mesh, TriMesh, decimate, generate, transform};

/// The surface that a set names, repaired, simplified and scaled; of a solid, its outer boundary.
pub(super) fn load(
    set: &ParticlesDesc,
    field: &str,
    files: &Files<'_>,
) -> Result<Option<TriMesh>, SceneError> {
    let Some(shape) = &set.shape else { return Ok(None) };
    let wrong =
        |what: String| SceneError::Value { file: files.scene.to_owned(), field: field.to_owned(), what };
    let sample = &set.sample;
    if !(sample.scale > 0.0 && sample.scale.is_finite()) {
        return Err(wrong(format!("sample.scale is {}; it must be positive and finite", sample.scale)));
    }
    let mut surface = match load_shape(shape, field, files)?.mesh {
        Mesh::Tri(surface) => surface,
        Mesh::Tet(solid) => without_cavities(&solid.surface()),
    };
    if sample.fill_holes > 0 {
        repair::fill_holes(&mut surface, sample.fill_holes);
    }
    if let Some(triangles) = sample.triangles {
        surface = decimate::decimate(&surface, triangles).map_err(|error| wrong(error.to_string()))?;
    }
    surface = used(&surface, &vec![true; surface.triangles.len()]);
    if sample.normalize {
        surface.normalize_extent();
    }
    surface.scale(sample.scale);
    if let Some(vertex) = surface.positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(wrong(format!("vertex {vertex} is not finite after scaling")));
    }
    Ok(Some(surface))
}

/// A block of particles as a closed box with so many cells along each side.
pub(super) fn block(counts: [usize; 3], spacing: Real, cells: usize) -> Result<TriMesh, String> {
    let whole = generate::bar(cells, cells, cells, 1.0).map_err(|error| error.to_string())?.surface();
    // Without the vertices inside.
    let mut mesh = used(&whole, &vec![true; whole.triangles.len()]);
    let middle = transform::mean(&mesh.positions);
    mesh.translate(-middle);
    transform::scale_axes(&mut mesh.positions, Vec3::from(counts.map(|n| n as Real * spacing)));
    Ok(mesh)
}

/// The parts of a boundary that face outwards: walls of cavities enclose a negative volume.
fn without_cavities(surface: &TriMesh) -> TriMesh {
    let part = parts(surface);
    let mut volume = vec![0.0; surface.positions.len()];
    for (t, &part) in surface.triangles.iter().zip(&part) {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        volume[part as usize] += a.dot(&b.cross(&c));
    }
    let outer: Vec<bool> = part.iter().map(|&part| volume[part as usize] > 0.0).collect();
    used(surface, &outer)
}

/// For each triangle the least vertex of its connected part.
fn parts(surface: &TriMesh) -> Vec<u32> {
    let mut least: Vec<u32> = (0..surface.positions.len() as u32).collect();
    let root = |least: &mut [u32], mut v: u32| {
        while least[v as usize] != v {
            least[v as usize] = least[least[v as usize] as usize];
            v = least[v as usize];
        }
        v
    };
    for &[a, b, c] in &surface.triangles {
        for other in [b, c] {
            let (p, q) = (root(&mut least, a), root(&mut least, other));
            least[p.max(q) as usize] = p.min(q);
        }
    }
    surface.triangles.iter().map(|t| root(&mut least, t[0])).collect()
}

/// The triangles to keep, and the vertices that they use.
fn used(surface: &TriMesh, keep: &[bool]) -> TriMesh {
    let mut number = vec![u32::MAX; surface.positions.len()];
    let (mut positions, mut triangles) = (vec![], vec![]);
    for (t, _) in surface.triangles.iter().zip(keep).filter(|(_, keep)| **keep) {
        triangles.push(t.map(|v| {
            if number[v as usize] == u32::MAX {
                number[v as usize] = positions.len() as u32;
                positions.push(surface.positions[v as usize]);
            }
            number[v as usize]
        }));
    }
    TriMesh { positions, triangles }
}
