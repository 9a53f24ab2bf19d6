//! Every fault planted once, caught with its kind and its place; and the innocent neighbours of each let through.

mod common;

use common::{buffer, module};
use pd_cuda_emu::{AccessError, Conflict, Device, Fault, FaultKind, LaunchError, Options, Shape, Space};

/// A kernel `k` whose `%a` is the address of the thread's word in the buffer and `%p` that of the buffer.
fn kernel(lines: &str) -> String {
    format!(
        r"
.visible .entry k(.param .u64 buffer)
{{
    .shared .align 16 .b8 tile[512];
    .local .align 8 .b8 depot[16];
    .reg .pred %q; .reg .b16 %h<4>; .reg .b32 %t, %g, %s, %l, %x, %y, %z; .reg .b64 %p, %a, %o, %v;
    mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.u32 %g, %ctaid.x; mov.u32 %x, %ntid.x;
    mad.lo.s32 %g, %g, %x, %t;
    ld.param.u64 %p, [buffer]; mul.wide.u32 %o, %g, 4; add.s64 %a, %p, %o;
    mov.u32 %s, tile; shl.b32 %y, %t, 2; add.s32 %s, %s, %y;
{lines}
    ret;
}}"
    )
}

fn run(lines: &str, shape: Shape, words: usize) -> Result<Vec<u32>, LaunchError> {
    buffer(&kernel(lines), shape, &vec![0; words]).map(|(out, _)| out)
}

fn fault(lines: &str, shape: Shape, words: usize) -> Fault {
    match run(lines, shape, words) {
        Err(LaunchError::Fault(f)) => *f,
        other => panic!("no fault but {other:?}"),
    }
}

fn access(lines: &str, words: usize) -> (Space, AccessError, u32) {
    let f = fault(lines, Shape::row(1, 64), words);
    match f.kind {
        FaultKind::Access { space, error } => (space, error, f.thread[0]),
        other => panic!("{other}"),
    }
}

#[test]
fn out_of_bounds_above_and_below() {
    let (space, error, thread) = access("st.global.u32 [%a], 1;", 40);
    assert_eq!((space, thread), (Space::Global, 40));
    assert!(matches!(error, AccessError::OutOfBounds { offset: 160, len: 160, bytes: 4, .. }), "{error}");
    let (_, error, thread) = access("ld.global.u32 %x, [%a+-8];", 64);
    assert_eq!(thread, 0);
    assert!(matches!(error, AccessError::OutOfBounds { offset: -8, .. }), "{error}");
    let (_, error, _) = access("ld.global.v4.u32 {%x, %y, %z, %l}, [%p+248];", 64);
    assert!(matches!(error, AccessError::OutOfBounds { offset: 248, bytes: 16, .. }), "{error}");
    let (_, error, _) = access("mov.u64 %v, 64; ld.global.u32 %x, [%v];", 64);
    assert!(matches!(error, AccessError::Unmapped { address: 64, .. }), "{error}");
    let (space, _, _) = access("st.shared.u32 [%s+512], 1;", 64);
    assert_eq!(space, Space::Shared);
    let (space, _, _) = access("ld.local.u32 %x, [depot+16];", 64);
    assert_eq!(space, Space::Local);
    let (space, _, _) = access("atom.global.add.u32 %x, [%a+256], 1;", 64);
    assert_eq!(space, Space::Global);
    let (space, _, _) = access("ld.param.u32 %x, [buffer+8];", 64);
    assert_eq!(space, Space::Param);
}

#[test]
fn misaligned_accesses() {
    let (_, error, thread) = access("ld.global.u64 %v, [%a];", 128);
    assert_eq!(thread, 1);
    assert!(matches!(error, AccessError::Misaligned { bytes: 8, .. }), "{error}");
    let (space, error, _) = access("st.shared.u32 [%s+2], 1;", 64);
    assert_eq!(space, Space::Shared);
    assert!(matches!(error, AccessError::Misaligned { bytes: 4, .. }), "{error}");
}

#[test]
fn use_after_free_and_stores_to_constants() {
    let device = Device::new();
    let m = device.load(&module(&kernel("ld.global.u32 %x, [%a];"))).unwrap();
    let p = device.alloc(256).unwrap();
    assert!(device.free(p) && !device.free(p), "a second free is refused");
    let other = device.alloc(256).unwrap();
    let error = device.launch(&m, "k", Shape::row(1, 1), &[&p.to_le_bytes()]).unwrap_err();
    assert!(error.to_string().contains("that was freed"), "{error}");
    device.launch(&m, "k", Shape::row(1, 1), &[&other.to_le_bytes()]).unwrap();
    let m = device.load(&module(".const .align 4 .u32 c = 5;\n.visible .entry k() { .reg .b64 %d; mov.u64 %d, c; st.global.u32 [%d], 1; ret; }")).unwrap();
    let error = device.launch(&m, "k", Shape::row(1, 1), &[]).unwrap_err();
    assert!(error.to_string().contains("store to constant memory"), "{error}");
}

#[test]
fn shared_memory_must_be_written_first() {
    let f = fault("st.shared.u32 [%s], 1; bar.sync 0; ld.shared.u32 %x, [%s+4];", Shape::row(1, 64), 64);
    assert_eq!(f.kind, FaultKind::Uninitialised { offset: 256 });
    assert_eq!((f.thread, f.kernel.as_str()), ([63, 0, 0], "k"));
    // What one block wrote, the next has not.
    let lines =
        "setp.ge.u32 %q, %g, 32; @%q bra $read; st.shared.u32 [%s], 1; $read: ld.shared.u32 %x, [%s];";
    assert_eq!(fault(lines, Shape::row(2, 32), 64).block, [1, 0, 0]);
    run("st.shared.u32 [%s], 1; ld.shared.u32 %x, [%s];", Shape::row(2, 64), 128).unwrap();
}

#[test]
fn divergent_barriers() {
    let f = fault("setp.lt.u32 %q, %t, 40; @%q ret; bar.sync 0;", Shape::row(1, 64), 64);
    assert!(
        matches!(f.kind, FaultKind::DivergentBarrier { barrier: 0, waiting: 24, exited: 40, .. }),
        "{}",
        f.kind
    );
    let lines = "setp.lt.u32 %q, %t, 32; @%q bra $one; bar.sync 0; bra $end; $one: bar.sync 0; $end:";
    let f = fault(lines, Shape::row(1, 64), 64);
    assert!(
        matches!(&f.kind, FaultKind::DivergentBarrier { exited: 0, lines, .. } if lines.len() <= 2),
        "{}",
        f.kind
    );
    let lines = "setp.lt.u32 %q, %l, 16; @%q bra $one; bar.sync 0; bra $end; $one: bar.sync 1; $end:";
    assert!(matches!(fault(lines, Shape::row(1, 64), 64).kind, FaultKind::DivergentBarrier { .. }));
    // Half of the block may meet at a barrier that counts it.
    run("setp.lt.u32 %q, %t, 32; @%q bra $end; bar.sync 1, 32; $end:", Shape::row(1, 64), 64).unwrap();
}

/// Each thread writes its word of shared memory and reads its neighbour's, with `between` in the middle.
fn neighbour(between: &str, threads: u32) -> Result<Vec<u32>, LaunchError> {
    let lines = format!(
        "st.shared.u32 [%s], %t; {between} add.s32 %y, %t, 1; rem.u32 %y, %y, %x; shl.b32 %y, %y, 2; mov.u32 %z, tile; add.s32 %z, %z, %y; ld.shared.u32 %z, [%z]; st.global.u32 [%a], %z;"
    );
    run(&lines, Shape::row(1, threads), threads as usize)
}

fn race_of(result: Result<Vec<u32>, LaunchError>) -> (Space, Conflict) {
    match result {
        Err(LaunchError::Fault(f)) => match f.kind {
            FaultKind::Race { space, conflict, .. } => (space, conflict),
            other => panic!("{other}"),
        },
        other => panic!("no fault but {other:?}"),
    }
}

#[test]
fn races_on_shared_memory() {
    assert_eq!(neighbour("bar.sync 0;", 64).unwrap()[..3], [1, 2, 3]);
    assert_eq!(race_of(neighbour("", 32)), (Space::Shared, Conflict::ReadAfterWrite));
    assert_eq!(neighbour("bar.warp.sync 0xffffffff;", 32).unwrap()[31], 0);
    // A warp barrier does not order two warps: thread 31 reads what thread 32 has not yet written.
    assert!(neighbour("bar.warp.sync 0xffffffff;", 64).is_err());
    let lines = "st.shared.u32 [%s], 1; bar.sync 0; ld.shared.u32 %x, [tile]; setp.eq.u32 %q, %t, 5; @%q st.shared.u32 [tile], 2;";
    assert_eq!(race_of(run(lines, Shape::row(1, 64), 64)), (Space::Shared, Conflict::WriteAfterRead));
    assert_eq!(
        race_of(run("st.shared.u32 [tile], %t;", Shape::row(1, 64), 64)),
        (Space::Shared, Conflict::WriteWrite)
    );
    run("st.shared.u32 [tile], 7;", Shape::row(1, 64), 64).unwrap();
}

#[test]
fn a_warp_barrier_orders_what_came_before_it() {
    // Lane 1 reads the word of lane 0; after the warp barrier lane 0 reads and writes it again.
    let lines = "st.shared.u32 [%s], %t; bar.sync 0; setp.eq.u32 %q, %t, 1; @%q ld.shared.u32 %z, [tile]; bar.warp.sync 0xffffffff; setp.eq.u32 %q, %t, 0; @%q ld.shared.u32 %z, [tile]; @%q st.shared.u32 [tile], 9;";
    run(lines, Shape::row(1, 32), 64).unwrap();
    let without = lines.replace("bar.warp.sync 0xffffffff;", "");
    assert_eq!(race_of(run(&without, Shape::row(1, 32), 64)), (Space::Shared, Conflict::WriteAfterRead));
    // Another warp that read before is not ordered by it.
    let other = lines.replace("%t, 1; @%q ld", "%t, 33; @%q ld");
    assert_eq!(race_of(run(&other, Shape::row(1, 64), 64)), (Space::Shared, Conflict::ReadAfterWrite));
}

#[test]
fn registers_never_written_are_zero_in_every_block() {
    let out =
        run("setp.eq.u32 %q, %g, %t; @%q mov.u32 %z, 5; st.global.u32 [%a], %z;", Shape::row(2, 32), 64)
            .unwrap();
    assert_eq!((out[0], out[31], out[32], out[63]), (5, 5, 0, 0));
}

#[test]
fn races_on_device_memory() {
    let shape = Shape::row(4, 32);
    assert_eq!(race_of(run("st.global.u32 [%p], %g;", shape, 128)), (Space::Global, Conflict::WriteWrite));
    run("st.global.u32 [%p], 7;", shape, 128).unwrap();
    // Block 0 writes what block 1 reads, in both orders of running.
    let lines = "st.global.u32 [%a], %g; ld.global.u32 %x, [%a+128];";
    assert_eq!(race_of(run(lines, shape, 160)), (Space::Global, Conflict::WriteAfterRead));
    let lines = "st.global.u32 [%a+128], %g; ld.global.u32 %x, [%a];";
    assert_eq!(race_of(run(lines, shape, 160)), (Space::Global, Conflict::ReadAfterWrite));
    // Within a block a barrier orders.
    let lines = "st.global.u32 [%a], %g; bar.sync 0; xor.b32 %y, %t, 1; mul.wide.u32 %v, %y, 4; add.s64 %v, %p, %v; ld.global.u32 %x, [%v];";
    run(lines, Shape::row(1, 64), 64).unwrap();
    assert_eq!(
        race_of(run(&lines.replace("bar.sync 0;", ""), Shape::row(1, 64), 64)),
        (Space::Global, Conflict::ReadAfterWrite)
    );
    // Atomics meet atomics, not plain accesses.
    assert_eq!(run("red.global.add.u32 [%p], 1;", shape, 128).unwrap()[0], 128);
    let lines = "red.global.add.u32 [%p], 1; ld.global.u32 %x, [%p];";
    assert_eq!(race_of(run(lines, shape, 128)), (Space::Global, Conflict::AtomicAndPlain));
    // One block clears the sum, a barrier follows, and all blocks add to it: the other blocks may come too early.
    let lines = "setp.eq.u32 %q, %g, 0; @%q st.global.u32 [%p], 0; bar.sync 0; red.global.add.u32 [%p], 1;";
    assert_eq!(race_of(run(lines, shape, 128)), (Space::Global, Conflict::AtomicAndPlain));
    assert_eq!(run(lines, Shape::row(1, 32), 128).unwrap()[0], 32);
    run("red.global.add.u32 [%p], 1; ld.volatile.global.u32 %x, [%p];", shape, 128).unwrap();
    // Neighbouring bytes of one word are no race.
    run("add.s64 %v, %p, 0; cvt.u64.u32 %o, %g; add.s64 %v, %p, %o; st.global.u8 [%v], %g;", shape, 128)
        .unwrap();
}

#[test]
fn launches_are_apart_and_checks_can_be_off() {
    let device = Device::new();
    let m = device.load(&module(&kernel("st.global.u32 [%p], %g;"))).unwrap();
    let p = device.alloc(512).unwrap();
    for _ in 0..3 {
        device.launch(&m, "k", Shape::row(1, 1), &[&p.to_le_bytes()]).unwrap();
    }
    let args = p.to_le_bytes();
    assert!(device.launch(&m, "k", Shape::row(2, 32), &[&args]).is_err());
    let off = Options { check_global_races: false, ..Options::default() };
    device.launch_with(off, &m, "k", Shape::row(2, 32), &[&args]).unwrap();
    let m = device.load(&module(&kernel("ld.shared.u32 %x, [%s];"))).unwrap();
    assert!(device.launch(&m, "k", Shape::row(1, 32), &[&args]).is_err());
    let off = Options { check_shared: false, ..Options::default() };
    device.launch_with(off, &m, "k", Shape::row(1, 32), &[&args]).unwrap();
}

#[test]
fn endless_loops_and_traps() {
    let device = Device::new();
    let m = device.load(&module(&kernel("$again: bra $again;"))).unwrap();
    let p = device.alloc(512).unwrap();
    let limit = Options { instruction_limit: 10_000, ..Options::default() };
    let error = device.launch_with(limit, &m, "k", Shape::row(1, 32), &[&p.to_le_bytes()]).unwrap_err();
    assert!(error.to_string().contains("no end after 10000 instructions"), "{error}");
    let f = fault("setp.eq.u32 %q, %t, 3; @%q trap;", Shape::row(1, 64), 64);
    assert_eq!((f.kind, f.thread[0]), (FaultKind::Trap, 3));
}

#[test]
fn warp_operations_need_their_lanes() {
    let f = fault(
        "setp.ge.u32 %q, %l, 16; @%q ret; shfl.sync.down.b32 %x, %t, 8, 0x1f, 0xffffffff;",
        Shape::row(1, 32),
        64,
    );
    assert_eq!((f.kind, f.thread[0]), (FaultKind::ShuffleFromInactive { source_lane: 16 }, 8));
    let lines =
        "setp.ge.u32 %q, %l, 16; @%q bra $end; vote.sync.any.pred %q, %q, 0xffffffff; $end: bar.sync 0;";
    let f = fault(lines, Shape::row(1, 32), 64);
    assert!(matches!(f.kind, FaultKind::DivergentWarp { members: u32::MAX, present: 0xffff }), "{}", f.kind);
    // Lanes that named only themselves may go alone.
    run(
        "setp.ge.u32 %q, %l, 16; @%q bra $end; vote.sync.any.pred %q, %q, 0xffff; $end: bar.sync 0;",
        Shape::row(1, 32),
        64,
    )
    .unwrap();
}

#[test]
fn calls_that_cannot_be() {
    let printf = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";
    let call = "{ .param .b64 pa; .param .b64 pb; .param .b32 pr; st.param.b64 [pa], 0; st.param.b64 [pb], 0; call.uni (pr), vprintf, (pa, pb); }";
    let error = buffer(&format!("{printf}{}", kernel(call)), Shape::row(1, 1), &[0]).unwrap_err();
    assert!(error.to_string().contains("call of `vprintf`, which is not supported"), "{error}");
    let endless = ".func f() { call.uni f; ret; }\n";
    let error = buffer(&format!("{endless}{}", kernel("call.uni f;")), Shape::row(1, 1), &[0]).unwrap_err();
    assert!(error.to_string().contains("call stack deeper than"), "{error}");
    let f = fault("$table: .branchtargets $end; brx.idx %t, $table; $end:", Shape::row(1, 2), 2);
    assert_eq!(f.kind, FaultKind::BranchIndex { index: 1, len: 1 });
}

#[test]
fn launches_must_fit_their_kernel() {
    let device = Device::new();
    let text = kernel("st.global.u32 [%a], 1;").replace("u64 buffer)", "u64 buffer)\n.maxntid 64, 1, 1");
    let m = device.load(&module(&text)).unwrap();
    let p = device.alloc(1 << 12).unwrap().to_le_bytes();
    let launch =
        |kernel: &str, shape: Shape, args: &[&[u8]]| device.launch(&m, kernel, shape, args).unwrap_err();
    let one = Shape::row(1, 1);
    assert!(matches!(launch("q", one, &[&p]), LaunchError::UnknownKernel { known, .. } if known == ["k"]));
    assert!(matches!(launch("k", one, &[]), LaunchError::ArgumentCount { expected: 1, found: 0, .. }));
    assert!(matches!(launch("k", one, &[&p, &p]), LaunchError::ArgumentCount { expected: 1, found: 2, .. }));
    assert!(matches!(launch("k", one, &[&p[..4]]), LaunchError::ArgumentSize { expected: 8, found: 4, .. }));
    for shape in [Shape::row(0, 1), Shape::row(1, 0), Shape::row(1, 65), Shape::row(1, 2048)] {
        assert!(matches!(launch("k", shape, &[&p]), LaunchError::Shape { .. }));
    }
    assert!(matches!(launch("k", Shape { shared: 65_536, ..one }, &[&p]), LaunchError::SharedMemory { .. }));
    device.launch(&m, "k", Shape::row(1, 64), &[&p]).unwrap();
}

#[test]
fn the_same_launch_has_the_same_bits() {
    let ptx =
        kernel("add.s32 %y, %g, 1; cvt.rn.f32.u32 %x, %y; rcp.rn.f32 %x, %x; red.global.add.f32 [%p], %x;");
    let first = buffer(&ptx, Shape::row(50, 96), &[0]).unwrap();
    // The harmonic sum of 4800 terms, added in the order of the threads.
    let expected = (1..=4800u32).fold(0f32, |s, k| s + 1.0 / k as f32);
    assert_eq!(f32::from_bits(first.0[0]), expected);
    assert!((0..3).all(|_| buffer(&ptx, Shape::row(50, 96), &[0]).unwrap() == first));
}
