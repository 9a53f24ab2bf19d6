//! Quality of a deformed shape, reported with every speed.

use pd_core::Vec3;
use pd_mesh::Mesh;
use pd_sim::scene::{Object, Scene};

/// Quality of a deformed state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// 99th percentile of |length/rest − 1| over edges.
    pub p99_edge_strain: f64,
    /// Volume of all tetrahedra over that at rest; `None` for surfaces.
    pub volume_ratio: Option<f64>,
    /// Inverted tetrahedra; `None` for surfaces.
    pub inverted: Option<usize>,
}

/// Measures `x` against the rest shape of the scene.
pub fn of_scene(scene: &Scene, x: &[Vec3]) -> Quality {
    of(&scene.edges(), &tetrahedra(scene), &scene.rest(), x)
}

/// All tetrahedra, by numbers of the scene's vertices.
pub(crate) fn tetrahedra(scene: &Scene) -> Vec<[u32; 4]> {
    let of_object = |object: &Object| match &object.mesh {
        Mesh::Tet(mesh) => mesh.tets.iter().map(|t| t.map(|v| v + object.first)).collect(),
        Mesh::Tri(_) => vec![],
    };
    scene.objects.iter().flat_map(of_object).collect()
}

/// Measures `x` against `rest`.
pub fn of(edges: &[[u32; 2]], tets: &[[u32; 4]], rest: &[Vec3], x: &[Vec3]) -> Quality {
    let length = |p: &[Vec3], [i, j]: [u32; 2]| (p[i as usize] - p[j as usize]).norm();
    let lengths = edges.iter().map(|&edge| (length(rest, edge), length(x, edge)));
    let mut strains: Vec<f64> =
        lengths.filter(|(rest, _)| *rest > 1e-5).map(|(rest, now)| (now / rest - 1.0).abs()).collect();
    strains.sort_by(f64::total_cmp);
    let at = ((strains.len() as f64) * 0.99).ceil() as usize;
    let p99_edge_strain = strains.get(at.saturating_sub(1)).copied().unwrap_or(0.0);
    if tets.is_empty() {
        return Quality { p99_edge_strain, volume_ratio: None, inverted: None };
    }
    let volume = |p: &[Vec3], t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|v| p[v as usize]);
        (a - d).dot(&(b - d).cross(&(c - d))) / 6.0
    };
    let (mut before, mut now, mut inverted) = (0.0, 0.0, 0);
    for tet in tets {
        let (v0, v) = (volume(rest, tet), volume(x, tet));
        before += v0.abs();
        now += v * v0.signum();
        inverted += usize::from(v * v0 <= 0.0);
    }
    Quality { p99_edge_strain, volume_ratio: Some(now / before), inverted: Some(inverted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_mirrored_tetrahedron_is_seen() {
        let rest = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
        let edges = [[0, 3], [1, 3], [2, 3]];
        let tets = [[0, 1, 2, 3]];
        let still = of(&edges, &tets, &rest, &rest);
        assert_eq!(still, Quality { p99_edge_strain: 0.0, volume_ratio: Some(1.0), inverted: Some(0) });
        let mirrored = [-Vec3::x() * 2.0, Vec3::y(), Vec3::z(), Vec3::zeros()];
        let turned = of(&edges, &tets, &rest, &mirrored);
        assert_eq!(turned, Quality { p99_edge_strain: 1.0, volume_ratio: Some(-2.0), inverted: Some(1) });
    }

    #[test]
    fn the_percentile_leaves_out_one_in_a_hundred() {
        let rest: Vec<Vec3> = (0..=200).map(|i| Vec3::x() * f64::from(i)).collect();
        let edges: Vec<[u32; 2]> = (0..200).map(|i| [i, i + 1]).collect();
        let mut x = rest.clone();
        for p in &mut x[200..] {
            p.x += 5.0; // one long edge
        }
        assert_eq!(of(&edges, &[], &rest, &x).p99_edge_strain, 0.0);
        x[100].x += 0.5; // now three edges of two hundred differ
        assert!(of(&edges, &[], &rest, &x).p99_edge_strain > 0.4);
    }
}
