//! No edge crosses a triangle in any frame, and bodies come to rest.

use crate::scenes::{Scene, drape, far_fold, fold, knife, squeeze, three_layers, twist};
use pd_core::Real;

/// Runs and returns the kinetic energy at the end.
fn run(mut scene: Scene, frames: usize) -> f64 {
    let mut stepper = scene.stepper();
    assert_eq!(scene.crossings(), 0, "at the start");
    for frame in 0..frames {
        scene.step(&mut stepper);
        assert_eq!(scene.crossings(), 0, "frame {frame}");
    }
    scene.kinetic()
}

#[test]
fn a_folded_sheet_rests() {
    let left = run(fold(20), 120);
    assert!(left < 1e-6, "{left:.2e} J");
}

#[test]
fn a_sheet_on_a_knife_edge_is_not_cut() {
    let left = run(knife(20, 3.0), 60);
    assert!(left < 1.0, "{left:.2e} J");
}

#[test]
fn not_even_at_twenty_metres_a_second() {
    run(knife(16, 20.0), 30);
}

#[test]
fn a_sheet_drapes_over_a_ball() {
    let left = run(drape(20), 60);
    assert!(left < 1.0, "{left:.2e} J");
}

#[test]
fn nor_at_a_hundred() {
    run(knife(14, 100.0), 20);
}

#[test]
fn a_hundred_kilometres_from_the_origin_it_folds_as_well() {
    // Positions have 1.5e-11 m between them there, so rest is only approximate: docs/contact.md.
    let left = run(far_fold(14, 1e5), 60);
    assert!(left < 0.1, "{left:.2e} J");
}

/// Lengths, gravity and speeds scaled by 1/1024: the same motion.
#[test]
fn three_layers_of_a_metre_and_of_a_millimetre_move_alike() {
    let (mut large, mut small) = (three_layers(12, 1.0), three_layers(12, 1.0 / 1024.0));
    let (mut stepper, mut other) = (large.stepper(), small.stepper());
    let mut far: Real = 0.0;
    for frame in 0..30 {
        large.step(&mut stepper);
        small.step(&mut other);
        assert_eq!((large.crossings(), small.crossings()), (0, 0), "frame {frame}");
        let distance = |(a, b): (&pd_core::Vec3, &pd_core::Vec3)| (a - b * 1024.0).norm();
        far = large.state.x.iter().zip(&small.state.x).map(distance).fold(far, Real::max);
    }
    println!("farthest apart {far:.1e} m of 1 m");
    assert!(far < 1e-6, "{far:.1e}");
}

#[test]
fn four_turns_wring_a_sheet() {
    run(twist(7), 125);
}

#[test]
fn a_soft_ball_is_squeezed_to_two_fifths() {
    let mut scene = squeeze(3);
    let mut stepper = scene.stepper();
    for frame in 0..75 {
        scene.step(&mut stepper);
        assert_eq!(scene.crossings(), 0, "frame {frame}");
    }
    let plates = &scene.state.x[scene.free..];
    let gap = 2.0 * plates.iter().map(|p| p.y.abs()).fold(Real::INFINITY, Real::min);
    println!("plates {gap:.4} m apart");
    assert!(gap < 0.4 * 0.2 + 1e-9, "{gap}");
}

/// A step in which all falls by many of its cells cuts ways, and does not look for pairs everywhere.
#[test]
fn a_long_step_makes_no_long_lists() {
    let (mut most, mut worst): (Real, _) = (0.0, 0.0);
    for dt in [1.0 / 30.0, 0.1, 0.2] {
        for mut scene in [drape(14), knife(14, 20.0)] {
            scene.params.dt = dt;
            let mut stepper = scene.stepper();
            for frame in 0..5 {
                scene.step(&mut stepper);
                assert_eq!(scene.crossings(), 0, "{dt} s, frame {frame}");
                let pairs = stepper.list_size().pairs as Real / scene.model.surface().triangles.len() as Real;
                if pairs > most {
                    (most, worst) = (pairs, dt);
                }
            }
        }
    }
    println!("at most {most:.1} pairs a triangle, in steps of {worst} s");
    assert!(most < 60.0, "{most}");
}
