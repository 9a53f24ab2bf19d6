//! Stop a scene, write it to disk, go on later: the bits are those of a run that never stopped.
//!
//! `cargo run --release -p examples --example checkpoint`

use pd_sim::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (models, registry) = (ModelPaths::default(), Registry::standard());
    let scene = || Scene::load("cloth", &models);
    let stepper = || registry.stepper("pd", "cholesky");

    let mut whole = SceneRun::with_stepper(scene()?, stepper()?)?;
    for _ in 0..40 {
        whole.advance()?;
    }

    let file = std::env::temp_dir().join(format!("pd-example-{}.pdc", std::process::id()));
    let mut first = SceneRun::with_stepper(scene()?, stepper()?)?;
    for _ in 0..25 {
        first.advance()?;
    }
    first.checkpoint().write(&file)?;
    drop(first); // everything but the file is gone

    let read = Checkpoint::read(&file)?;
    std::fs::remove_file(&file)?;
    let mut second = SceneRun::resume(scene()?, stepper()?, read)?;
    assert_eq!(second.frame(), 25);
    for _ in 0..15 {
        second.advance()?;
    }
    assert_eq!(second.sim.state, whole.sim.state, "the same bits");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
