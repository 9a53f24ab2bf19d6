//! What the stand-in offers beyond CUDA: the text of the last fault, counters, switches. All per thread, since
//! tests run in threads of one process.
#![allow(non_snake_case, reason = "named like the functions beside them")]

use super::codes::Code;
use super::device;
use crate::error::AccessError;
use crate::{Options, Stats};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
    static OPTIONS: Cell<Option<Options>> = const { Cell::new(None) };
    static COUNTS: Cell<[u64; 3]> = const { Cell::new([0; 3]) };
}

/// What the launches of this thread check.
pub(super) fn options() -> Options {
    OPTIONS.get().unwrap_or_default()
}

/// Keeps the text of a fault.
pub(super) fn remember(text: String) {
    LAST.set(text);
}

/// Keeps the text of a refused copy and gives its code.
pub(super) fn report(done: Result<(), AccessError>) -> Code {
    match done {
        Ok(()) => Code::Success,
        Err(e) => {
            remember(format!("copy or fill: {e}"));
            Code::InvalidValue
        }
    }
}

/// Adds a launch to the counters.
pub(super) fn count(stats: Stats) {
    let [launches, threads, warps] = COUNTS.get();
    COUNTS.set([launches + 1, threads + stats.thread_instructions, warps + stats.warp_instructions]);
}

/// Copies the text of this thread's last fault with a final zero and returns its length without it, which may be
/// more than was copied. An empty text means that there was none.
#[unsafe(no_mangle)]
unsafe extern "C" fn pdEmuLastFault(to: *mut c_char, len: usize) -> usize {
    LAST.with_borrow(|text| {
        if !to.is_null() && len > 0 {
            let n = text.len().min(len - 1);
            // SAFETY: `to` holds `len` bytes by the caller's promise, and `n < len`.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast::<u8>(), n);
                to.add(n).write(0);
            }
        }
        text.len()
    })
}

/// Forgets this thread's last fault.
#[unsafe(no_mangle)]
extern "C" fn pdEmuClearFault() {
    LAST.set(String::new());
}

/// Chooses what the launches of this thread check.
#[unsafe(no_mangle)]
extern "C" fn pdEmuSetOptions(global_races: c_int, shared: c_int, instruction_limit: u64) {
    let options =
        Options { check_global_races: global_races != 0, check_shared: shared != 0, instruction_limit };
    OPTIONS.set(Some(options));
}

/// Writes launches, thread instructions and warp instructions of this thread, and live bytes of the device.
#[unsafe(no_mangle)]
unsafe extern "C" fn pdEmuCounters(to: *mut [u64; 4]) {
    let [launches, threads, warps] = COUNTS.get();
    // SAFETY: the caller gives room for four numbers, or null.
    unsafe { super::put(to, [launches, threads, warps, device().live_bytes()]) };
}
