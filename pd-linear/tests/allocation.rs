//! `solve` must not allocate after `factor`: a step of a simulation calls it ten times per frame.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use pd_linear::{Cholesky, Csr, GlobalSolver, LowRank, LowRankUpdate, Registry, SolverOptions};
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

/// A grid of n × n vertices with springs and inertia.
fn grid(n: u32) -> Csr {
    let mut triplets = vec![];
    for i in 0..n * n {
        triplets.push((i, i, 3.6));
        for j in [(i % n + 1 < n).then_some(i + 1), (i + n < n * n).then_some(i + n)].into_iter().flatten() {
            triplets.extend([(i, i, 100.0), (j, j, 100.0), (i, j, -100.0), (j, i, -100.0)]);
        }
    }
    Csr::from_triplets((n * n) as usize, &triplets).unwrap()
}

/// Allocations of one thread's pool during a solve, the first included.
fn count(solver: &mut dyn GlobalSolver, a: &Csr) -> usize {
    let b: Vec<f64> = (0..3 * a.rows()).map(|k| (k as f64).sin()).collect();
    let mut x = vec![0.0; b.len()];
    let before = COUNT.get();
    solver.solve(&b, &mut x, 3).unwrap();
    COUNT.get() - before
}

#[test]
fn solve_does_not_allocate() {
    // One thread of its own, so that the counter of this thread sees everything and rayon's queues stay out.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for name in Registry::standard().names() {
            let a = if name.starts_with("dense") { grid(12) } else { grid(40) };
            let options = SolverOptions { iterations: Some(20), ..SolverOptions::default() };
            let mut solver = Registry::standard().create_with(name, &options).unwrap();
            solver.factor(&a).unwrap();
            assert_eq!(count(solver.as_mut(), &a), 0, "{name}");
            assert!(solver.bytes() > 0, "{name} hides its memory");
        }
        let a = grid(20);
        let mut solver = LowRank::new(Cholesky::default());
        solver.factor(&a).unwrap();
        solver.apply(&[LowRankUpdate::pin(3, 10.0), LowRankUpdate::spring(5, 90, 4.0)]).unwrap();
        assert_eq!(count(&mut solver, &a), 0, "low rank");
    });
}
