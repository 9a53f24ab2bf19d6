//! Targets of pins over time.

use crate::common::*;
use pd_constraints::{Motion, Pins};
use pd_core::{EnergyBatch, Model, Vec3};

#[test]
fn motion_is_added_to_targets_and_not_accumulated() {
    let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let motion: Motion = Box::new(|t| Vec3::z() * t);
    let mut pins = Pins::new(&x, &[2, 0], 5.0).unwrap().with_motion(motion);
    assert_eq!(pins.pinned(), &[2, 0]);
    assert_eq!(pins.targets(), &[Vec3::y(), Vec3::zeros()]);
    for time in [1.0, 2.0, 0.5] {
        pins.set_time(time);
        assert_eq!(pins.targets(), &[Vec3::y() + Vec3::z() * time, Vec3::z() * time]);
    }
    pins.set_target(1, Vec3::x()).unwrap();
    assert_eq!(pins.targets()[1], Vec3::new(1.0, 0.0, 0.5));
    pins.set_time(0.0);
    assert_eq!(pins.targets(), &[Vec3::y(), Vec3::x()]);
    assert_eq!(residual(&pins, &x), [Vec3::zeros(), -Vec3::x()]);
}

#[test]
fn targets_can_be_moved_inside_a_model() {
    let x = [Vec3::zeros(), Vec3::x()];
    let mut model =
        Model::with_masses(vec![1.0; 2]).energy(Pins::new(&x, &[1], 4.0).unwrap()).build().unwrap();
    assert_eq!(model.pinned(), &[1]);
    for pins in model.batches_mut::<Pins>() {
        pins.set_target(0, Vec3::x() * 3.0).unwrap();
    }
    assert_eq!(model.elastic_energy(&x), 0.5 * 4.0 * 4.0);
}
