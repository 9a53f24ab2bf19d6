//! The same bits for any number of threads, and after a run is resumed.

use crate::scenes::{drape, knife};

fn hashes(threads: usize, frames: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut scene = knife(16, 3.0);
        let mut stepper = scene.stepper();
        (0..frames)
            .map(|_| {
                scene.step(&mut stepper);
                scene.state.hash()
            })
            .collect()
    })
}

#[test]
fn bits_do_not_depend_on_threads() {
    let one = hashes(1, 25);
    for threads in [2, 3, 8] {
        assert_eq!(hashes(threads, 25), one, "{threads} threads");
    }
}

#[test]
fn a_resumed_run_repeats_the_bits() {
    let mut scene = drape(14);
    let mut stepper = scene.stepper();
    for frame in 0..70 {
        if frame % 9 == 8 {
            stepper = scene.stepper();
        }
        let mut other = drape(14);
        other.state = scene.state.clone();
        scene.step(&mut stepper);
        // Every frame is also reached by a stepper that knows nothing but the state.
        let mut fresh = other.stepper();
        other.step(&mut fresh);
        assert_eq!(other.state.hash(), scene.state.hash(), "frame {frame}");
    }
}
