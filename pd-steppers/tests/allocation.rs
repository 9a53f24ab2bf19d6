//! No allocation in a step of contact after `prepare`, guarded, by a barrier or by impact zones: sheets that fly apart from each
//! other when counting begins, meet, fold and come to rest while it goes on; on one thread and on two.
//!
//! The allocator that counts is global, so this is a process of its own with a single test.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

#[path = "guarded/worlds.rs"]
mod worlds;

use pd_collide::Floor;
use pd_collide::contact::ContactOptions;
use pd_core::{ContactReport, CpuLocal, StepError, Stepper, Vec3};
use pd_linear::PanelCholesky;
use pd_steppers::{BarrierNewton, GuardedPd, ImpactZones};
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

fn counting_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| COUNTS.set(true)).build().unwrap()
}

/// A step of any stepper; makes room where a list did not fit.
fn step(scene: &mut worlds::Scene, stepper: &mut dyn Stepper) -> ContactReport {
    let mut state = std::mem::take(&mut scene.state);
    scene.model.set_time(state.time + scene.params.dt);
    let mut result = stepper.step(scene.context(), &mut state);
    while matches!(result, Err(StepError::Capacity { .. })) {
        stepper.prepare(scene.context()).unwrap();
        result = stepper.step(scene.context(), &mut state);
    }
    scene.state = state;
    result.unwrap().contact.unwrap()
}

/// Allocations in so many frames after three, and contacts and lists in them.
fn allocations(mut scene: worlds::Scene, stepper: &mut dyn Stepper, frames: usize) -> (usize, usize, usize) {
    // A thread of the pool registers itself when it first takes work from another; let all of them do so now.
    (0..64).into_par_iter().with_max_len(1).for_each(|_| std::thread::sleep(Duration::from_micros(200)));
    stepper.prepare(scene.context()).unwrap();
    for _ in 0..3 {
        step(&mut scene, stepper);
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let (mut contacts, mut lists) = (0, 0);
    for _ in 0..frames {
        let report = step(&mut scene, stepper);
        contacts = contacts.max(report.contacts);
        lists += report.rebuilds;
    }
    (ALLOCATIONS.load(Ordering::Relaxed) - before, contacts, lists)
}

fn guarded(options: ContactOptions) -> Box<dyn Stepper> {
    let local = Box::new(CpuLocal::default());
    Box::new(GuardedPd::new(local, Box::new(PanelCholesky::default()), options))
}

fn impact_zones(_: ContactOptions) -> Box<dyn Stepper> {
    Box::new(ImpactZones::new(Box::new(CpuLocal::default()), Box::new(PanelCholesky::default())))
}

fn barrier(_: ContactOptions) -> Box<dyn Stepper> {
    Box::new(BarrierNewton::default())
}

/// Thrown onto a wedge and an obstacle below its edge.
fn knife_over_floor(n: usize) -> worlds::Scene {
    let mut scene = worlds::knife(n, 3.0);
    scene.colliders.push(Box::new(Floor::new(0.4).unwrap()));
    scene
}

#[test]
fn a_step_allocates_nothing() {
    type Make = (fn(usize) -> worlds::Scene, fn(ContactOptions) -> Box<dyn Stepper>);
    let knife: fn(usize) -> worlds::Scene = |n| worlds::knife(n, 3.0);
    let cases: [(&str, Make, usize, usize); 6] = [
        ("knife", (knife, guarded), 20, 40),
        ("drape", (worlds::drape, guarded), 20, 90),
        ("knife by impact zones", (knife_over_floor, impact_zones), 12, 15),
        ("drape by impact zones", (worlds::drape, impact_zones), 12, 30),
        ("knife by a barrier", (knife_over_floor, barrier), 10, 15),
        ("drape by a barrier", (worlds::drape, barrier), 8, 15),
    ];
    for threads in [1, 2] {
        let pool = counting_pool(threads);
        for (name, (scene, stepper), n, frames) in cases {
            let (count, contacts, lists) = pool.install(|| {
                let scene = scene(n);
                let mut stepper = stepper(scene.options);
                allocations(scene, stepper.as_mut(), frames)
            });
            assert!(contacts > 20 && lists > 5, "{name}: {contacts} contacts, {lists} lists");
            assert_eq!(count, 0, "{name} on {threads} threads");
        }
    }
    lists_that_do_not_fit_do_after_another_prepare();
}

/// A sheet that flies along itself so fast that in a step every triangle sweeps over many others.
fn lists_that_do_not_fit_do_after_another_prepare() {
    for make in [impact_zones, barrier] {
        let mut scene = worlds::sheet(12, 0.169, |p| p, Vec3::x() * 60.0, &[]);
        let mut stepper = make(scene.options);
        stepper.prepare(scene.context()).unwrap();
        let before = scene.state.clone();
        let mut state = before.clone();
        let result = stepper.step(scene.context(), &mut state);
        assert!(matches!(result, Err(StepError::Capacity { .. })), "{}: {result:?}", stepper.name());
        assert_eq!(state, before, "{}", stepper.name());
        step(&mut scene, stepper.as_mut());
        let (count, ..) = counting_pool(1).install(|| allocations(scene, stepper.as_mut(), 3));
        assert_eq!(count, 0, "{}", stepper.name());
    }
}
