//! No edge crosses a triangle in any frame, and bodies come to rest.

use crate::scenes::{Scene, drape, fold, knife};

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
