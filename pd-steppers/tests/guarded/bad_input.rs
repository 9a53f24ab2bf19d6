//! Surfaces that are not what they should be: an error that says so, or a run that stays sound.

use crate::scenes::{Scene, sheet};
use pd_collide::contact::{ContactOptions, SqueezePolicy};
use pd_constraints::EdgeSprings;
use pd_core::*;

/// Springs along the edges of these triangles, no gravity.
fn springs(x: &[Vec3], triangles: &[[u32; 3]], thickness: Real) -> Scene {
    let mut surface = CollisionSurface::default();
    surface.add_body(SurfaceBody::new(thickness), triangles, 0);
    surface.rest = x.to_vec();
    let model = Model::with_masses(vec![0.01; x.len()])
        .energy(EdgeSprings::new(x, &surface.edges, 100.0).unwrap())
        .surface(surface)
        .build()
        .unwrap();
    let params = StepParams { iterations: 4, gravity: Vec3::zeros(), ..StepParams::default() };
    let state = State::new(x.to_vec(), vec![Vec3::zeros(); x.len()]);
    Scene { model, params, options: ContactOptions::default(), colliders: vec![], state, free: x.len() }
}

fn first_step(scene: &Scene) -> Result<StepReport, StepError> {
    scene.stepper().step(scene.context(), &mut scene.state.clone())
}

#[test]
fn coincident_sheets_and_a_gap_of_zero_are_refused() {
    let flat = [Vec3::zeros(), Vec3::x(), Vec3::z()];
    for shift in [Vec3::zeros(), Vec3::new(0.2, 0.0, 0.1)] {
        let x: Vec<Vec3> = flat.iter().copied().chain(flat.map(|p| p + shift)).collect();
        let refused = first_step(&springs(&x, &[[0, 1, 2], [3, 4, 5]], 0.01));
        assert!(matches!(refused, Err(StepError::Intersecting { pairs: 1, .. })), "{refused:?}");
    }
}

#[test]
fn vertices_at_one_place_are_refused() {
    // Two triangles that should share an edge, with vertices of their own.
    let x = [Vec3::zeros(), Vec3::x(), Vec3::z(), Vec3::x(), Vec3::x() + Vec3::z(), Vec3::z()];
    let refused = first_step(&springs(&x, &[[0, 1, 2], [3, 4, 5]], 0.01));
    assert!(matches!(refused, Err(StepError::Intersecting { .. })), "{refused:?}");
}

#[test]
fn a_triangle_that_names_a_vertex_twice_is_refused() {
    let mut surface = CollisionSurface::default();
    surface.add_body(SurfaceBody::new(0.01), &[[0, 1, 1]], 0);
    assert!(pd_collide::contact::ContactSurface::from_parts(2, &surface).is_err());
}

#[test]
fn three_faces_on_an_edge_and_a_face_without_area_are_taken() {
    let x = [Vec3::zeros(), Vec3::x(), Vec3::z(), -Vec3::z(), Vec3::y(), Vec3::x() * 2.0];
    // The last one lies on a line.
    let mut scene = springs(&x, &[[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5]], 0.01);
    scene.state.v[4] = Vec3::z();
    let mut stepper = scene.stepper();
    for _ in 0..60 {
        scene.step(&mut stepper);
        assert!(scene.state.x.iter().all(|p| p.norm() < 10.0));
    }
}

#[test]
fn a_thickness_near_the_edge_length_does_not_blow_up() {
    let mut scene = sheet(8, 0.1, |p| p + Vec3::y() * 0.3, Vec3::zeros(), &[crate::scenes::floor(0.0)]);
    let mut surface = scene.model.surface().clone();
    surface.bodies.iter_mut().for_each(|body| body.thickness = 0.8 / 8.0);
    scene.model = scene.model.into_builder().surface(surface).build().unwrap();
    let mut stepper = scene.stepper();
    for _ in 0..60 {
        scene.step(&mut stepper);
        assert_eq!(scene.crossings(), 0);
    }
    println!("kinetic {:.1e} J", scene.kinetic());
    assert!(scene.kinetic() < 1e-3);
}

/// Goes down by 0.02 m a step, to 0.5 m below.
struct Falling;

impl Motion for Falling {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        for (out, p) in out.iter_mut().zip(rest) {
            *out = if p.y > 0.0 { p - Vec3::y() * (1.2 * time).min(0.5) } else { *p };
        }
    }
}

#[test]
fn a_plate_that_would_crush_a_sheet_waits_or_says_so() {
    let (below, mut above) = (crate::scenes::floor(0.0), crate::scenes::floor(0.0));
    above.positions.iter_mut().for_each(|p| p.y = 0.2);
    let make = || {
        crate::scenes::sheet_over(
            6,
            0.05,
            |p| p + Vec3::y() * 0.04,
            Vec3::zeros(),
            &[below.clone(), above.clone()],
            0.3,
            Falling,
        )
    };
    let mut scene = make();
    let mut stepper = scene.stepper();
    let mut least: Real = 1.0;
    for _ in 0..20 {
        least = least.min(scene.step(&mut stepper).contact.unwrap().obstacle_fraction);
        assert_eq!(scene.crossings(), 0);
    }
    assert!(least < 1.0, "the plate waited: {least}");
    let mut scene = make();
    scene.options.squeeze = SqueezePolicy::Fail;
    let mut stepper = scene.stepper();
    let failed = (0..20).find_map(|_| {
        let before = scene.state.clone();
        scene.model.set_time(scene.state.time + scene.params.dt);
        let mut state = scene.state.clone();
        let mut result = stepper.step(scene.context(), &mut state);
        if matches!(result, Err(StepError::Capacity { .. })) {
            stepper.prepare(scene.context()).unwrap();
            result = stepper.step(scene.context(), &mut state);
        }
        if result.is_err() {
            assert_eq!(state, before, "the state is left alone");
        }
        scene.state = state;
        result.err()
    });
    assert!(matches!(failed, Some(StepError::Squeezed { fraction }) if fraction < 1.0), "{failed:?}");
}

/// As scanned meshes are: every triangle has vertices of its own, some have no area, some are there twice.
#[test]
fn an_obstacle_with_doubled_vertices_and_faces_without_area_holds_a_sheet() {
    let ball = pd_mesh::generate::sphere(12, 6, 0.25).unwrap();
    let mut positions: Vec<Vec3> =
        ball.triangles.iter().flatten().map(|&v| ball.positions[v as usize] - Vec3::y() * 0.3).collect();
    let mut triangles: Vec<[u32; 3]> =
        (0..ball.triangles.len() as u32).map(|k| [0, 1, 2].map(|c| 3 * k + c)).collect();
    triangles.extend(triangles.clone().iter().take(20));
    for k in 0..20 {
        let [a, b] = [positions[7 * k], positions[7 * k + 1]];
        let first = positions.len() as u32;
        positions.extend([a, a + (b - a) * 0.5, b, a, a, b]);
        triangles.extend([[first, first + 1, first + 2], [first + 3, first + 4, first + 5]]);
    }
    let soup = pd_mesh::TriMesh { positions, triangles };
    let mut scene = sheet(8, 0.08, |p| p, Vec3::zeros(), &[soup]);
    let mut stepper = scene.stepper();
    for frame in 0..40 {
        scene.step(&mut stepper);
        // Faces without area count as segments; the obstacle may cross itself.
        let x = &scene.state.x;
        let least =
            x[..scene.free].iter().map(|p| (p + Vec3::y() * 0.3).norm()).fold(Real::INFINITY, Real::min);
        assert!(least > 0.24, "frame {frame}: a vertex is at {least} m from the middle of a ball of 0.25 m");
    }
    let high = scene.state.x[..scene.free].iter().map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
    assert!(high > -0.05, "the ball holds it: {high} m");
}

#[test]
fn a_tip_that_touches_a_face_in_one_point_is_refused() {
    let x = [-Vec3::x() - Vec3::z(), Vec3::x() - Vec3::z(), Vec3::z(), Vec3::zeros()];
    let x: Vec<Vec3> = x.into_iter().chain([Vec3::new(0.1, 1.0, 0.0), Vec3::new(0.0, 1.0, 0.1)]).collect();
    let refused = first_step(&springs(&x, &[[0, 1, 2], [3, 4, 5]], 0.01));
    assert!(matches!(refused, Err(StepError::Intersecting { pairs: 1, .. })), "{refused:?}");
}

#[test]
fn an_obstacle_without_numbers_pushes_nothing() {
    struct Nowhere;
    impl Collider for Nowhere {
        fn kind(&self) -> &'static str {
            "nowhere"
        }
        fn sample(&self, _: &[Vec3], _: Real, out: &mut [Surface]) {
            out.fill(Surface {
                distance: Real::NAN,
                normal: Vec3::repeat(Real::NAN),
                velocity: Vec3::zeros(),
            });
        }
    }
    let mut scene = sheet(4, 0.02, |p| p, Vec3::zeros(), &[]);
    scene.colliders = vec![Box::new(Nowhere)];
    let mut stepper = scene.stepper();
    for _ in 0..4 {
        scene.step(&mut stepper);
    }
    assert!(scene.state.x.iter().all(|p| p.iter().all(|c| c.is_finite()) && p.y < 0.0), "it falls");
}
