//! The fast step against the plain one: positions after 60 frames of a fall on the floor.

use benches::frames::{fast, plain, relative_distance};

#[test]
fn fast_frames_end_where_plain_ones_do() {
    let (mut slow, mut quick) = (plain("armadillo-free-twin").unwrap(), fast("armadillo-free-twin").unwrap());
    let first = quick.sim.state.clone();
    for _ in 0..60 {
        slow.advance().unwrap();
        quick.advance().unwrap();
    }
    let (moved, apart) =
        (relative_distance(&first, &quick.sim.state), relative_distance(&slow.sim.state, &quick.sim.state));
    assert!(moved > 0.1, "it has hardly moved: {moved}");
    assert!(apart < 1e-5, "{apart} of the scene's size apart");
}
