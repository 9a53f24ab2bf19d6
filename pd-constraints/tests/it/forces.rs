//! Wind and point forces.

use crate::common::*;
use pd_constraints::{PointForce, Wind, WindModel};
use pd_core::{Force, Real, State, Vec3};
use proptest::prelude::*;

const AIR: WindModel = WindModel::Drag { density: 1.2, coefficient: 1.1 };

fn forces(force: &dyn Force, state: &State, time: Real) -> Vec<Vec3> {
    let mut f = vec![Vec3::zeros(); state.vertices()];
    force.add(&state.clone().view(), time, 0..state.vertices(), &mut f);
    f
}

#[test]
fn thesis_wind_pushes_along_its_direction_by_the_cosine() {
    let patch = Patch::flat(3);
    let state = State::at_rest(patch.x.clone());
    // From the front and from the back, and at 60° to the normal.
    let slanted = Vec3::new(0.75_f64.sqrt(), 0.0, 0.5);
    for (velocity, cosine) in
        [(Vec3::z() * 7.0, 1.0), (Vec3::z() * -3.0, 1.0), (slanted * 2.0, 0.5), (Vec3::x(), 0.0)]
    {
        let wind = Wind::new(16, &patch.triangles, velocity, WindModel::Thesis { strength: 0.01 }).unwrap();
        for f in forces(&wind, &state, 0.0) {
            assert!((f - velocity.normalize() * (0.01 * cosine)).norm() < 1e-15);
        }
    }
}

#[test]
fn drag_is_that_of_a_plate_and_vanishes_when_moving_along() {
    let patch = Patch::flat(5);
    let mut state = State::at_rest(patch.x.clone());
    let wind = Wind::new(36, &patch.triangles, Vec3::z() * -10.0, AIR).unwrap();
    let total: Vec3 = forces(&wind, &state, 0.0).iter().sum();
    assert!((total - Vec3::z() * -(0.5 * 1.2 * 1.1 * 4.0 * 100.0)).norm() < 1e-10);
    state.v.fill(Vec3::new(3.0, 0.0, -10.0));
    assert!(largest(&forces(&wind, &state, 0.0)) == 0.0);
    // Still air brakes, with the square of the speed.
    let still = Wind::new(36, &patch.triangles, Vec3::zeros(), AIR).unwrap();
    let brake = |speed: Real| {
        let moving = State::new(state.x.clone(), vec![Vec3::z() * speed; 36]);
        forces(&still, &moving, 0.0).iter().sum::<Vec3>().z
    };
    assert!(brake(2.0) < 0.0 && brake(-2.0) > 0.0 && (brake(4.0) / brake(2.0) - 4.0).abs() < 1e-12);
}

#[test]
fn finer_meshes_feel_the_same_drag() {
    let total = |cells: u32| {
        let patch = Patch::flat(cells);
        let wind = Wind::new(patch.x.len(), &patch.triangles, Vec3::z(), AIR).unwrap();
        forces(&wind, &State::at_rest(patch.x), 0.0).iter().sum::<Vec3>().z
    };
    assert!((total(3) - total(9)).abs() < 1e-12);
}

#[test]
fn gusts_blow_in_their_interval_only() {
    let patch = Patch::flat(2);
    let state = State::at_rest(patch.x.clone());
    let gust = Wind::new(9, &patch.triangles, Vec3::z(), AIR).unwrap().during(1.0, 2.0).unwrap();
    for (time, blows) in [(0.999, false), (1.0, true), (1.999, true), (2.0, false)] {
        assert_eq!(largest(&forces(&gust, &state, time)) > 0.0, blows, "{time}");
    }
}

#[test]
fn vertices_without_area_feel_nothing_and_other_states_are_left_alone() {
    let x = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
    // Triangle [0, 1, 4] has no area; vertex 3 belongs to none.
    let wind = Wind::new(5, &[[0, 1, 2], [0, 1, 4]], Vec3::z(), AIR).unwrap();
    let f = forces(&wind, &State::at_rest(x), 0.0);
    assert!(f.iter().all(|f| f.iter().all(|c| c.is_finite())));
    assert_eq!((f[3], f[4]), (Vec3::zeros(), Vec3::zeros()));
    assert!(f[2].z > 0.0);
    assert_eq!(forces(&wind, &State::at_rest(vec![Vec3::zeros(); 3]), 0.0), [Vec3::zeros(); 3]);
    // A larger state: the vertices after the mesh belong to something else.
    let larger = State::at_rest(vec![Vec3::x(); 7]);
    assert_eq!(forces(&wind, &larger, 0.0), [Vec3::zeros(); 7]);
}

#[test]
fn point_forces_act_on_their_vertices_in_their_interval() {
    let state = State::at_rest(vec![Vec3::zeros(); 6]);
    let push = PointForce::new(&[4, 1, 4, 90], Vec3::y(), 0.5, Real::INFINITY).unwrap();
    assert_eq!(push.vertices(), &[1, 4, 4, 90]);
    assert_eq!(largest(&forces(&push, &state, 0.499)), 0.0);
    let f = forces(&push, &state, 0.5);
    assert_eq!((f[1], f[4], f[0] + f[2] + f[3] + f[5]), (Vec3::y(), Vec3::y() * 2.0, Vec3::zeros()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any split into ranges gives the same bits, and what was there before stays.
    #[test]
    fn ranges_do_not_matter(noise in vectors(25, 0.2), v in vectors(25, 2.0), cut in 0usize..26) {
        let patch = Patch::flat(4);
        let x = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        let mut state = State::new(x, v);
        let wind = Wind::new(25, &patch.triangles, Vec3::new(1.0, 2.0, 3.0), AIR).unwrap();
        let push = PointForce::new(&[3, 20, 7], Vec3::y(), 0.0, 1.0).unwrap();
        for force in [&wind as &dyn Force, &push] {
            let whole = forces(force, &state, 0.0);
            let mut parts = vec![Vec3::zeros(); 25];
            let (left, right) = parts.split_at_mut(cut);
            force.add(&state.view(), 0.0, 0..cut, left);
            force.add(&state.view(), 0.0, cut..25, right);
            prop_assert_eq!(&whole, &parts);
            let mut twice = whole.clone();
            force.add(&state.view(), 0.0, 0..25, &mut twice);
            prop_assert!(distance(&twice, &whole.iter().map(|f| f * 2.0).collect::<Vec<_>>()) == 0.0);
        }
    }

    /// Drag never pushes against the relative wind, and only along the normal.
    #[test]
    fn drag_gives_no_energy_to_a_body_in_still_air(noise in vectors(25, 0.2), v in vectors(25, 2.0)) {
        let patch = Patch::flat(4);
        let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        let state = State::new(x, v);
        let still = Wind::new(25, &patch.triangles, Vec3::zeros(), AIR).unwrap();
        for (f, v) in forces(&still, &state, 0.0).iter().zip(&state.v) {
            prop_assert!(f.dot(v) <= 0.0);
        }
    }
}
