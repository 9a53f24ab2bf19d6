//! Memory of a scene that is gone goes back to the system.
//!
//! The allocator of the GNU library keeps what threads have freed: a scene is prepared on one thread, runs on others and is
//! dropped on a third, so after some scenes much more is resident than in use. One call gives all of it back.

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
pub(super) fn give_back() {}
