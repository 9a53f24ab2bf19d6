//! Searches of a broad phase must not allocate once their scratch and output have grown: they run within a step.

use pd_collide::broad::{
    BroadPhase, BruteForce, FixedBvh, LinearBvh, SparseGrid, SweepAndPrune, UniformGrid,
};
use pd_core::{Aabb, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Boxes in a row of n × n, each overlapping its neighbours.
fn carpet(n: usize) -> Vec<Aabb> {
    (0..n * n)
        .map(|k| Vec3::new((k / n) as f64, 0.0, (k % n) as f64))
        .map(|p| Aabb { min: p, max: p.add_scalar(1.1) })
        .collect()
}

fn count(f: impl FnOnce()) -> usize {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

#[test]
fn a_second_search_allocates_nothing() {
    let boxes = carpet(40);
    let methods: [Box<dyn BroadPhase>; 6] = [
        Box::new(BruteForce::default()),
        Box::new(FixedBvh::default()),
        Box::new(LinearBvh::default()),
        Box::new(SparseGrid::default()),
        Box::new(UniformGrid::default()),
        Box::new(SweepAndPrune::default()),
    ];
    // One thread: the counter is its own. Work handed to a pool from outside would allocate.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut own, mut with) = (Vec::new(), Vec::new());
        for mut method in methods {
            let mut search = || {
                method.refit(&boxes);
                method.self_pairs(&mut own);
                method.pairs_with(&boxes[..500], &mut with);
            };
            assert!(count(&mut search) > 0, "the counter counts");
            assert_eq!(count(&mut search), 0, "{}", method.name());
        }
        let (mut tree, mut counts) = (FixedBvh::default(), Vec::new());
        tree.build(&boxes);
        let mut visit = || tree.visit_pairs(&mut counts, |count: &mut usize, _, _| *count += 1);
        visit();
        assert_eq!(count(visit), 0);
    });
}
