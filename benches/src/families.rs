//! Scenes that differ in size alone.

use pd_sim::SceneError;
use pd_sim::scene::desc::ShapeDesc;
use pd_sim::scene::{SceneDesc, read_desc};

/// A cloth of n × n cells hung by two corners, ten iterations a frame.
pub fn cloth(n: usize) -> Result<SceneDesc, SceneError> {
    let (mut desc, _) = read_desc("cloth-100")?;
    let object = &mut desc.objects[0];
    object.shape = ShapeDesc::Grid { rows: n, columns: n, width: 1.0, depth: 1.0 };
    object.pins[0].select.vertices = vec![0, (n * (n + 1)) as u32];
    desc.step.iterations = 10;
    Ok(desc)
}

/// A cube of n³ cells, five tetrahedra each, hung by an edge.
pub fn solid(n: usize) -> Result<SceneDesc, SceneError> {
    let (mut desc, _) = read_desc("bar")?;
    let object = &mut desc.objects[0];
    object.shape = ShapeDesc::Bar { width: n, height: n, depth: n, length: 1.0 };
    object.pins[0].select.ranges = vec![[0, (n + 1) as u32, 1]];
    desc.colliders.clear();
    Ok(desc)
}
