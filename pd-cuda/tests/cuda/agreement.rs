//! Kernels and runs against the host, with the bounds of the validation.

use pd_cuda::DeviceReal;
use pd_cuda::validate::{
    Agreement, Outcome, TableScale, collisions, laws, linear_solvers, mixed_mode, reductions, runs, sums,
    tables, whole_runs,
};

fn check(found: Outcome<Vec<Agreement>>) {
    let found = found.unwrap_or_else(|error| panic!("{error}; {:?}", crate::driver().last_fault()));
    assert!(!found.is_empty());
    found.iter().for_each(|agreement| println!("{agreement}"));
    let failed: Vec<_> = found.iter().filter(|agreement| !agreement.passes()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn laws_in_single_precision() {
    check(laws::<f32>(&crate::device()));
}

#[test]
fn laws_in_double_precision() {
    check(laws::<f64>(&crate::device()));
}

#[test]
fn obstacles() {
    check(collisions::<f32>(&crate::device()));
    check(collisions::<f64>(&crate::device()));
}

#[test]
fn sums_and_reductions() {
    check(sums::<f32>(&crate::device()));
    check(sums::<f64>(&crate::device()));
    check(reductions::<f32>(&crate::device()));
    check(reductions::<f64>(&crate::device()));
}

#[test]
fn linear_solvers_in_single_precision() {
    check(linear_solvers::<f32>(&crate::fast_device()));
}

#[test]
fn linear_solvers_in_double_precision() {
    check(linear_solvers::<f64>(&crate::fast_device()));
}

/// All runs of one scene.
fn run_scene<T: DeviceReal>(name: &str) {
    let device = crate::fast_device();
    let of_scene: Vec<_> = runs().into_iter().filter(|run| run.name == name).collect();
    check(of_scene.iter().map(|run| whole_runs::<T>(&device, run)).collect());
    check(of_scene.iter().take(1).map(|run| mixed_mode::<T>(&device, run)).collect());
}

#[test]
fn thirty_frames_of_cloth() {
    run_scene::<f32>("cloth");
    run_scene::<f64>("cloth");
}

#[test]
fn thirty_frames_of_a_shell() {
    run_scene::<f32>("shell");
    run_scene::<f64>("shell");
}

#[test]
fn thirty_frames_of_a_bar() {
    run_scene::<f32>("bar");
    run_scene::<f64>("bar");
}

#[test]
fn thirty_frames_of_a_ball() {
    run_scene::<f32>("ball");
    run_scene::<f64>("ball");
}

/// The code of the tables runs; its times mean nothing here.
#[test]
fn tables_are_written() {
    let scale = TableScale { frames: 1, scenes: &["bar"], solver_scenes: &[], cubes: &[100] };
    let text = tables::<f32>(&crate::fast_device(), &scale).unwrap();
    assert!(
        text.contains("| bar | 208 | 556 |") && text.contains("| 500 |") && text.contains("FPS"),
        "{text}"
    );
}
