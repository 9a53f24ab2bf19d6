//! A picture of a running scene: bodies, obstacles, floor, camera and light.

use crate::raster::{Camera, Image, Paint, Surface, render};
use pd_core::{Collider, SurfaceMesh, Vec3};
use pd_mesh::{TriMesh, generate, transform};
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

/// Draws the present state of the run from the given angles in degrees.
pub(crate) fn draw(run: &SceneRun, size: (u32, u32), view: (f64, f64)) -> Image {
    let mut surfaces: Vec<Surface> = vec![];
    for (k, object) in run.scene.objects.iter().enumerate() {
        let positions = run.sim.state.x[object.range()].to_vec();
        let mesh = TriMesh { positions, triangles: object.surface.clone() };
        surfaces.push(surface(mesh, Paint::Plain(PALETTE[k % PALETTE.len()])));
    }
    for (desc, collider) in run.scene.desc.colliders.iter().zip(&run.sim.colliders) {
        if let Some(mesh) = obstacle(desc, collider.as_ref(), run.sim.state.time) {
            surfaces.push(surface(mesh, Paint::Plain(OBSTACLE)));
        }
    }
    for (k, shown) in run.scene.matter.display(&run.scene.desc).iter().enumerate() {
        let mut positions = Vec::with_capacity(shown.vertices);
        shown.place(&run.sim.state, &mut positions);
        let mesh = TriMesh { positions, triangles: shown.triangles.clone() };
        surfaces.push(surface(mesh, Paint::Plain(PALETTE[k % PALETTE.len()])));
    }
    let (low, high) = bounds(&surfaces);
    let (centre, extent) = ((low + high) / 2.0, ((high - low).norm() / 2.0).max(1e-6));
    if let Some(height) = floor_height(run) {
        surfaces.push(floor(centre, height, extent));
    }
    let eye = Camera::new(centre, extent * 1.02, view.0, view.1);
    let light = Camera::new(centre, extent * 1.6, view.0 - 50.0, 55.0);
    render(&surfaces, eye, light, size)
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
    run.scene.desc.colliders.iter().find_map(|desc| match desc.shape {
        ColliderShapeDesc::Floor { height } => Some(height + offset(&desc.path, time).y),
        _ => None,
    })
}

fn floor(centre: Vec3, height: f64, extent: f64) -> Surface {
    let reach = extent * 6.0;
    let corner = |x: f64, z: f64| Vec3::new(centre.x + x * reach, height, centre.z + z * reach);
    let positions = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    let checker = Paint::Checker([0.42, 0.43, 0.45], [0.60, 0.61, 0.63], 0.25);
    Surface { positions, normals: vec![Vec3::y(); 4], triangles: vec![[0, 1, 2], [0, 2, 3]], paint: checker }
}

/// Displacement on a path of keyframes, as the obstacle itself takes it.
fn offset(path: &[[f64; 4]], time: f64) -> Vec3 {
    let keys = path.iter().map(|&[t, x, y, z]| (t, Vec3::new(x, y, z))).collect();
    pd_collide::Path::new(keys).map_or(Vec3::zeros(), |path| path.offset(time))
}

/// A mesh of an obstacle of finite size at `time`.
fn obstacle(desc: &ColliderDesc, collider: &dyn Collider, time: f64) -> Option<TriMesh> {
    let mut mesh = match desc.shape {
        ColliderShapeDesc::Capsule { .. } | ColliderShapeDesc::Cylinder { .. } => {
            let SurfaceMesh { mut positions, triangles } = collider.mesh()?;
            let pose = collider.pose(time);
            positions.iter_mut().for_each(|p| *p = pose.rotation * *p + pose.translation.vector);
            return Some(TriMesh { positions, triangles });
        }
        ColliderShapeDesc::Floor { .. } => return None,
        ColliderShapeDesc::Sphere { radius, .. } => generate::sphere(48, 24, radius).ok()?,
        ColliderShapeDesc::Torus { major_radius, minor_radius, .. } => {
            generate::torus(64, 24, major_radius, minor_radius).ok()?
        }
        ColliderShapeDesc::Block { half_extents, .. } => {
            let mut cube = generate::bar(1, 1, 1, 2.0).ok()?.surface();
            transform::scale_axes(&mut cube.positions, Vec3::from(half_extents));
            cube
        }
    };
    mesh.translate(Vec3::from(desc.centre()) + offset(&desc.path, time));
    Some(mesh)
}
