//! A picture of a running scene: bodies, obstacles, floor, camera and light.

use crate::raster::{Camera, Image, Paint, Surface, render};
use pd_core::Vec3;
use pd_mesh::TriMesh;
use pd_sim::SceneError;
use pd_sim::scene::SceneRun;
use pd_sim::scene::desc::{BodyShapeDesc, ColliderDesc, ColliderShapeDesc};

/// Body colours, linear RGB.
const PALETTE: [[f64; 3]; 6] = [
    [0.75, 0.16, 0.12],
    [0.10, 0.33, 0.66],
    [0.85, 0.52, 0.08],
    [0.14, 0.50, 0.24],
    [0.42, 0.20, 0.56],
    [0.08, 0.52, 0.55],
];
const OBSTACLE: [f64; 3] = [0.55, 0.55, 0.52];

/// Draws the current state of the run from the given angles in degrees; water by its surface.
pub(crate) fn draw(run: &SceneRun, size: (u32, u32), view: (f64, f64)) -> Result<Image, SceneError> {
    let desc = &run.scene.desc;
    let paint = |name: &str, k: usize| {
        let chosen = desc.display_of(name).colour.map(|colour| colour.map(linear));
        Paint::Plain(chosen.unwrap_or(PALETTE[k % PALETTE.len()]))
    };
    let mut surfaces: Vec<Surface> = vec![];
    for (k, object) in run.scene.objects.iter().enumerate() {
        let positions = run.sim.state.x[object.range()].to_vec();
        let mesh = TriMesh { positions, triangles: object.surface.clone() };
        surfaces.push(surface(mesh, paint(&object.name, k)));
    }
    for collider in desc.colliders.iter().filter(|collider| !collider.display.hidden) {
        if let Some(mesh) = obstacle(collider, run.sim.state.time) {
            surfaces.push(surface(mesh, Paint::Plain(OBSTACLE)));
        }
    }
    let water = run.scene.water_surfaces(&run.sim.state)?;
    let is_water = |name: &str| water.iter().any(|(known, _)| known == name);
    for (k, shown) in run.scene.matter.display(desc).iter().enumerate().filter(|(_, s)| !is_water(&s.name)) {
        let mut positions = Vec::with_capacity(shown.vertices);
        shown.place(&run.sim.state, &mut positions);
        let mesh = TriMesh { positions, triangles: shown.triangles.clone() };
        surfaces.push(surface(mesh, paint(&shown.name, k + run.scene.objects.len())));
    }
    let drawn = water.iter().filter(|(_, mesh)| !mesh.triangles.is_empty());
    surfaces.extend(drawn.map(|(name, mesh)| surface(mesh.clone(), paint(name, 1))));
    let (low, high) = bounds(&surfaces);
    let (centre, extent) = ((low + high) / 2.0, ((high - low).norm() / 2.0).max(1e-6));
    if let Some(height) = floor_height(run) {
        surfaces.push(floor(centre, height, extent));
    }
    let eye = Camera::new(centre, extent * 1.02, view.0, view.1);
    let light = Camera::new(centre, extent * 1.6, view.0 - 50.0, 55.0);
    Ok(render(&surfaces, eye, light, size))
}

/// Linear light of an sRGB channel.
fn linear(srgb: f64) -> f64 {
    if srgb <= 0.040_45 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) }
}

fn surface(mesh: TriMesh, paint: Paint) -> Surface {
    let normals = mesh.vertex_normals();
    Surface { positions: mesh.positions, normals, triangles: mesh.triangles, paint }
}

fn bounds(surfaces: &[Surface]) -> (Vec3, Vec3) {
    let all = surfaces.iter().flat_map(|s| &s.positions).filter(|p| p.iter().all(|c| c.is_finite()));
    all.fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), p| {
        (low.inf(p), high.sup(p))
    })
}

fn floor_height(run: &SceneRun) -> Option<f64> {
    let time = run.sim.state.time;
    let ground = run.scene.desc.bodies.iter().find(|body| matches!(body.shape, BodyShapeDesc::Ground));
    if let Some(ground) = ground {
        return Some(ground.position[1]);
    }
    let floor = run.scene.desc.colliders.iter().find_map(|desc| match desc.shape {
        ColliderShapeDesc::Floor { height } => Some(height + desc.pose(time).translation.y),
        _ => None,
    });
    // The lower wall of a grid.
    floor.or_else(|| run.scene.desc.grid.as_ref().map(|grid| grid.min[1]))
}

fn floor(centre: Vec3, height: f64, extent: f64) -> Surface {
    let reach = extent * 6.0;
    let corner = |x: f64, z: f64| Vec3::new(centre.x + x * reach, height, centre.z + z * reach);
    let positions = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    let checker = Paint::Checker([0.42, 0.43, 0.45], [0.60, 0.61, 0.63], 0.25);
    Surface { positions, normals: vec![Vec3::y(); 4], triangles: vec![[0, 1, 2], [0, 2, 3]], paint: checker }
}

/// A mesh of an obstacle of finite size at `time`.
fn obstacle(desc: &ColliderDesc, time: f64) -> Option<TriMesh> {
    let mut mesh = desc.mesh()?;
    let pose = desc.pose(time);
    mesh.positions.iter_mut().for_each(|p| *p = pose.rotation * *p + pose.translation.vector);
    Some(mesh)
}
