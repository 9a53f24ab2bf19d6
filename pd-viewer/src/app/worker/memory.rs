//! Returns the memory of dropped scenes to the system.
//!
//! The allocator of the GNU library keeps what threads have freed: a scene is prepared on one thread, runs on others and is
//! dropped on a third, so after some scenes much more is resident than in use. One call gives back the holes between pieces
//! in use, but of all heaps save the first it leaves what lies above the last of these pieces. That goes back only when
//! something is freed and more than a threshold lies there, and the threshold follows the largest piece ever freed, up to
//! 64 MiB: a few scenes with large matrices, and every heap that a thread has prepared on keeps tens of megabytes for good.
//! So the thresholds are fixed at the start.

/// Pieces at least as large are mapped by themselves and go back when freed; above its last piece in use a heap keeps no more
/// than this. Large enough for what the window allocates again and again, which would be mapped and cleared each time;
/// nothing is allocated while a scene runs.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 1 << 20;

/// Makes the allocator keep little of what is freed, in the whole process and from now on.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn keep_little() {
    // SAFETY: each call takes the allocator's lock and sets two numbers, which the allocator itself changes at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Gives back what the allocator keeps. Takes some milliseconds per hundred megabytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    // SAFETY: the function takes the allocator's own locks and touches only memory that is not in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators do so by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn keep_little() {}

/// Other allocators do so by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }

    /// By how much resident memory falls when a thread frees 48 MiB in small pieces.
    fn given_back() -> usize {
        let work = || {
            let pieces: Vec<Vec<u8>> = (0..96).map(|_| black_box(vec![1u8; 1 << 19])).collect();
            let full = resident();
            drop(pieces);
            full.saturating_sub(resident())
        };
        std::thread::spawn(work).join().unwrap()
    }

    #[test]
    fn the_heap_of_a_thread_shrinks_even_after_a_large_piece() {
        keep_little();
        // Would raise the thresholds to 30 and 60 MiB.
        drop(black_box(vec![1u8; 30 << 20]));
        // What other tests allocate meanwhile counts too, and may lie above the pieces.
        assert!((0..20).any(|_| given_back() > 40 << 20));
    }
}
