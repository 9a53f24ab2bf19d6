//! No allocation in a step of guarded contact after `prepare`: sheets that fly apart from each other when counting begins, meet,
//! fold and come to rest while it goes on; on one thread and on two.
//!
//! The allocator that counts is global, so this is a process of its own with a single test.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

#[path = "guarded/worlds.rs"]
mod worlds;

use pd_core::{CpuLocal, Stepper};
use pd_linear::PanelCholesky;
use pd_steppers::GuardedPd;
use rayon::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Only threads of a pool count, so that what the test harness does meanwhile does not.
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if COUNTS.get() {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of the caller, and its
// thread-local value is constant at the start and needs no destructor, so reading it allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in so many frames after three, and contacts and lists in them.
fn allocations(mut scene: worlds::Scene, frames: usize) -> (usize, usize, usize) {
    // A thread of the pool registers itself when it first takes work from another; let all of them do so now.
    (0..64).into_par_iter().with_max_len(1).for_each(|_| std::thread::sleep(Duration::from_micros(200)));
    let local = Box::new(CpuLocal::default());
    let mut stepper = GuardedPd::new(local, Box::new(PanelCholesky::default()), scene.options);
    stepper.prepare(scene.context()).unwrap();
    for _ in 0..3 {
        scene.step(&mut stepper);
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let (mut contacts, mut lists) = (0, 0);
    for _ in 0..frames {
        let report = scene.step(&mut stepper).contact.unwrap();
        contacts = contacts.max(report.contacts);
        lists += report.rebuilds;
    }
    (ALLOCATIONS.load(Ordering::Relaxed) - before, contacts, lists)
}

#[test]
fn a_step_allocates_nothing() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .start_handler(|_| COUNTS.set(true))
            .build()
            .unwrap();
        for (name, make, frames) in [
            ("knife", worlds::knife as fn(usize, f64) -> worlds::Scene, 40),
            ("drape", |n, _| worlds::drape(n), 90),
        ] {
            let (count, contacts, lists) = pool.install(|| allocations(make(20, 3.0), frames));
            assert!(contacts > 20 && lists > 5, "{name}: {contacts} contacts, {lists} lists");
            assert_eq!(count, 0, "{name} on {threads} threads");
        }
    }
}
