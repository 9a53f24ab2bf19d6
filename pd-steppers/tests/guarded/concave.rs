//! Concave and fast obstacles: edges and faces of coarse sheets stay out, not vertices alone.

use crate::scenes::{Scene, Sheet, sheet};
use pd_collide::{Floor, HeightField, Moving, ObstacleMotion, Path, Sphere, Torus, tessellate};
use pd_core::{Collider, Real, Surface, SurfaceMesh, Vec3};
use pd_mesh::TriMesh;
use std::sync::Arc;

/// Least distance to an obstacle of a lattice of points on all triangles of the sheet, m.
fn deepest(scene: &Scene, obstacle: &dyn Collider) -> Real {
    const PARTS: u32 = 12;
    let (mut least, mut points): (Real, Vec<Vec3>) = (Real::INFINITY, vec![]);
    for t in scene.model.surface().triangles.iter().filter(|t| (t[0] as usize) < scene.free) {
        let [a, b, c] = t.map(|v| scene.state.x[v as usize]);
        for i in 0..=PARTS {
            for j in 0..=PARTS - i {
                let part = |k: u32| Real::from(k) / Real::from(PARTS);
                points.push(a + (b - a) * part(i) + (c - a) * part(j));
            }
        }
    }
    let mut surfaces = vec![Surface::default(); points.len()];
    obstacle.sample(&points, scene.state.time, &mut surfaces);
    surfaces.iter().for_each(|at| least = least.min(at.distance));
    least
}

fn ring() -> Torus {
    Torus::with_all(Vec3::new(0.03, 0.0, 0.02), 0.3, 0.05, 0.0).unwrap()
}

/// z = 0.6 r² about the middle: the inside of a bowl.
fn bowl() -> HeightField {
    let heights: Vec<Real> = (0..9 * 9)
        .map(|k| {
            let (x, z) = ((k / 9) as Real / 4.0 - 1.0, (k % 9) as Real / 4.0 - 1.0);
            0.6 * (x * x + z * z)
        })
        .collect();
    HeightField::new(Vec3::new(-1.0, 0.0, -1.0), 0.25, [9, 9], &heights).unwrap()
}

/// Peaks of 0.15 m between the vertices of a coarse sheet.
fn peaks() -> HeightField {
    let heights: Vec<Real> =
        (0..13 * 13).map(|k| if (k / 13) % 4 == 2 && (k % 13) % 4 == 2 { 0.15 } else { 0.0 }).collect();
    HeightField::new(Vec3::new(-0.75, 0.0, -0.75), 0.125, [13, 13], &heights).unwrap()
}

/// By their triangles: nothing enters at all.
#[test]
fn coarse_sheets_stay_out_of_the_triangles_of_concave_obstacles() {
    let cases: [(Box<dyn Collider>, Real, SurfaceMesh); 3] = [
        (Box::new(ring()), 0.12, ring().enclosing_mesh(0.01).unwrap()),
        (Box::new(bowl()), 0.75, tessellate(&bowl(), 0.0, 0.01).unwrap()),
        (Box::new(peaks()), 0.2, tessellate(&peaks(), 0.0, 0.01).unwrap()),
    ];
    for (obstacle, height, mesh) in cases {
        let mesh = TriMesh::new(mesh.positions, mesh.triangles).unwrap();
        let small = |p: Vec3| Vec3::new(0.8 * p.x, height + 0.05 * p.x, 0.8 * p.z);
        let sheet = Sheet { weights: [150.0, 1e-4], ..Sheet::new(5, 0.05) };
        let motion = ObstacleMotion::new(Arc::from(obstacle));
        let mut scene = sheet.build(small, Vec3::zeros(), &[mesh], motion.clone());
        let (mut stepper, mut least): (_, Real) = (scene.stepper(), Real::INFINITY);
        let obstacle = motion.obstacle();
        for frame in 0..50 {
            scene.step(&mut stepper);
            assert_eq!(scene.crossings(), 0, "{}, frame {frame}", obstacle.kind());
            least = least.min(deepest(&scene, &**obstacle));
        }
        println!("{}: nearest point of a face at {least:.2e} m", obstacle.kind());
        assert!(least > 0.0 && least < 0.06, "{}: {least}", obstacle.kind());
    }
}

/// By signed distance: faces and edges are held up too, to a part of the thickness.
#[test]
fn coarse_sheets_hang_on_concave_signed_distances() {
    let cases: [(Box<dyn Collider>, Real); 3] =
        [(Box::new(ring()), 0.12), (Box::new(bowl()), 0.75), (Box::new(peaks()), 0.2)];
    for (obstacle, height) in cases {
        let small = |p: Vec3| Vec3::new(0.8 * p.x, height + 0.05 * p.x, 0.8 * p.z);
        let mut scene = Sheet { weights: [150.0, 1e-4], ..Sheet::new(5, 0.05) }.build(
            small,
            Vec3::zeros(),
            &[],
            pd_core::Still,
        );
        scene.colliders = vec![obstacle];
        let (mut stepper, mut least): (_, Real) = (scene.stepper(), Real::INFINITY);
        for _ in 0..50 {
            scene.step(&mut stepper);
            least = least.min(deepest(&scene, &*scene.colliders[0]));
        }
        let kind = scene.colliders[0].kind();
        println!("{kind}: nearest point of a face at {least:.2e} m by signed distance");
        // The thickness is 0.04 m.
        assert!(least > 0.03 && least < 0.06, "{kind}: {least}");
    }
}

/// What rises into a sheet faster than the sheet is thick in a step carries it along, vertices and faces outside.
#[test]
fn fast_obstacles_by_signed_distance_are_not_entered() {
    let path = |speed: Real| Path::new(vec![(0.1, Vec3::zeros()), (0.6, Vec3::y() * (0.5 * speed))]).unwrap();
    // At 5 m/s the ball moves by a third of its radius in a step.
    for speed in [1.0, 3.0, 5.0] {
        let ball = Sphere::new(Vec3::new(0.0, -0.3, 0.0), 0.25).unwrap().with_margin(0.0).unwrap();
        let floor = Floor::new(-0.05).unwrap().with_margin(0.0).unwrap();
        let cases: [Box<dyn Collider>; 2] =
            [Box::new(Moving::new(ball, path(speed))), Box::new(Moving::new(floor, path(speed)))];
        for (number, obstacle) in cases.into_iter().enumerate() {
            let mut scene = sheet(12, 0.1, |p| p, Vec3::zeros(), &[]);
            scene.params.gravity = Vec3::zeros();
            scene.colliders = vec![obstacle];
            let (mut stepper, mut least): (_, Real) = (scene.stepper(), Real::INFINITY);
            for _ in 0..36 {
                scene.step(&mut stepper);
                least = least.min(deepest(&scene, &*scene.colliders[0]));
            }
            println!("{number} at {speed} m/s: nearest point {least:.2e} m");
            assert!(least > 0.0 && least < 0.02, "{number} at {speed} m/s: {least}");
        }
    }
}
