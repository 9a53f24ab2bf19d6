//! The mesh file for other engines: plain text, one item per line.

use crate::quality::tetrahedra;
use pd_sim::scene::Scene;
use std::fmt::Write;

/// What peers read: counts, then vertices, pins, edges, triangles and tetrahedra, one a line.
pub(super) fn mesh_text(scene: &Scene) -> String {
    let (rest, edges, triangles) = (scene.rest(), scene.edges(), scene.triangles());
    let tets = tetrahedra(scene);
    let pins: Vec<u32> = scene
        .desc
        .objects
        .iter()
        .flat_map(|o| &o.pins)
        .flat_map(|pin| pin.select.vertices.iter().copied())
        .collect();
    let mut out = format!(
        "{} {} {} {} {} {}\n",
        rest.len(),
        pins.len(),
        edges.len(),
        triangles.len(),
        tets.len(),
        scene.objects.len()
    );
    for p in &rest {
        let _ = writeln!(out, "{} {} {}", p.x, p.y, p.z);
    }
    for pin in &pins {
        let _ = writeln!(out, "{pin}");
    }
    let mut list = |indices: &[u32]| {
        let words: Vec<String> = indices.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "{}", words.join(" "));
    };
    edges.iter().for_each(|e| list(e));
    triangles.iter().for_each(|t| list(t));
    tets.iter().for_each(|t| list(t));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mesh_file_says_what_the_scene_is() {
        let scene = Scene::load("cloth-140", &pd_sim::ModelPaths::default()).unwrap();
        let text = mesh_text(&scene);
        assert_eq!(text.lines().next(), Some("19881 2 59080 39200 0 1"));
        assert_eq!(text.lines().count(), 1 + 19881 + 2 + 59080 + 39200);
    }
}
