//! Two seconds of a cloth as one animated GLB file that any glTF viewer plays.
//!
//! `cargo run --release -p examples --example export_gltf -- cloth.glb`

use pd_mesh::io;
use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = std::env::temp_dir().join(format!("pd-example-{}.glb", std::process::id()));
    let named = std::env::args_os().nth(1).filter(|name| name.to_string_lossy().ends_with(".glb"));
    let file = named.clone().map_or(scratch, Into::into);

    let mut run = SceneRun::new(Scene::load("cloth", &ModelPaths::default())?, &Registry::standard())?;
    let mut frames = vec![run.sim.state.x.clone()];
    for _ in 0..30 {
        for _ in 0..4 {
            run.advance()?; // every fourth of 120 frames, so 15 pictures a second
        }
        frames.push(run.sim.state.x.clone());
    }
    let triangles = run.scene.triangles();
    io::write_atomically(&file, |out| io::write_glb_animation(out, &triangles, &frames, 4.0 / 60.0))?;

    let again = io::read_path(&file)?;
    assert_eq!(again.positions().len(), run.scene.vertices(), "the file holds the whole cloth");
    if named.is_none() {
        std::fs::remove_file(&file)?;
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
