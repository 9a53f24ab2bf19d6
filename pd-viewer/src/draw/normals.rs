//! Smooth normals: n_v = unit Σ (b − a) × (c − a) over the triangles around v, gathered by vertex.

use pd_mesh::topology::VertexFaces;
use rayon::prelude::*;

/// Vertices per task.
const CHUNK: usize = 2048;

/// Fills `normals` (one per vertex) from positions. `faces` is scratch with one entry per triangle. A vertex without
/// area around it gets +y.
pub fn vertex_normals(
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    around: &VertexFaces,
    faces: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    faces.par_chunks_mut(CHUNK).zip(triangles.par_chunks(CHUNK)).for_each(|(faces, triangles)| {
        for (face, t) in faces.iter_mut().zip(triangles) {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            *face = cross(sub(b, a), sub(c, a));
        }
    });
    let faces = &*faces;
    normals.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, normals)| {
        for (k, normal) in normals.iter_mut().enumerate() {
            let mut sum = [0.0f32; 3];
            for &face in around.of(chunk * CHUNK + k) {
                let n = faces[face as usize];
                sum = [sum[0] + n[0], sum[1] + n[1], sum[2] + n[2]];
            }
            *normal = unit(sum);
        }
    });
}

pub(crate) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(n: [f32; 3]) -> [f32; 3] {
    // Scaled by the largest entry first: the squares of tiny areas would vanish.
    let largest = n[0].abs().max(n[1].abs()).max(n[2].abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return [0.0, 1.0, 0.0];
    }
    let n = n.map(|c| c / largest);
    let length = dot(n, n).sqrt();
    n.map(|c| c / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_mesh::generate;

    #[test]
    fn agrees_with_the_mesh_crate_and_is_fine_with_tiny_and_flat_triangles() {
        let mut torus = generate::torus(24, 12, 1.0, 0.3).unwrap();
        for scale in [1.0, 1e-6] {
            torus.scale(scale);
            let positions: Vec<[f32; 3]> =
                torus.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
            let mut faces = vec![[0.0; 3]; torus.triangles.len()];
            let mut normals = vec![[0.0; 3]; positions.len()];
            vertex_normals(&positions, &torus.triangles, &torus.vertex_faces(), &mut faces, &mut normals);
            for (n, expected) in normals.iter().zip(torus.vertex_normals()) {
                let error = (0..3).map(|c| (f64::from(n[c]) - expected[c]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-5, "{n:?} {expected}");
            }
        }
        let flat =
            pd_mesh::TriMesh { positions: vec![pd_core::Vec3::zeros(); 3], triangles: vec![[0, 1, 2]] };
        let mut normals = [[9.0; 3]; 3];
        vertex_normals(&[[0.0; 3]; 3], &flat.triangles, &flat.vertex_faces(), &mut [[0.0; 3]], &mut normals);
        assert_eq!(normals, [[0.0, 1.0, 0.0]; 3]);
    }
}
