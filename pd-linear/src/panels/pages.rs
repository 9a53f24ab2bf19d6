//! Arrays on huge pages (2 MB) where available, so that streaming through them causes few TLB misses and hardware
//! prefetching does not stop every 4 kB.
//!
//! Linux provides huge pages on request (`madvise(2)`, `MADV_HUGEPAGE`); elsewhere, and for small arrays, this is an
//! ordinary allocation that starts at a cache line.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Bytes of a large page on x86-64 and on most of AArch64.
const LARGE: usize = 2 << 20;

/// Arrays of fewer bytes stay on ordinary pages: rounding up would waste more than it gains.
const LEAST: usize = 1 << 20;

/// Every array starts at a multiple of this many bytes.
pub(super) const CACHE_LINE: usize = 64;

/// A fixed array of plain values.
pub(super) struct Pages<T: Copy> {
    start: NonNull<T>,
    length: usize,
    layout: Layout,
}

// SAFETY: the array owns its memory and hands out references by the rules of borrowing only.
unsafe impl<T: Copy + Send> Send for Pages<T> {}
// SAFETY: as above.
unsafe impl<T: Copy + Sync> Sync for Pages<T> {}

impl<T: Copy> Pages<T> {
    /// `values`, then `fill` up to `length` values in all, at least `values.len()`.
    pub(super) fn new(values: &[T], length: usize, fill: T) -> Self {
        let length = length.max(values.len());
        let bytes = length.saturating_mul(size_of::<T>());
        if bytes == 0 {
            return Self { start: NonNull::dangling(), length, layout: Layout::new::<()>() };
        }
        let (size, align) =
            if bytes < LEAST { (bytes, CACHE_LINE) } else { (bytes.next_multiple_of(LARGE), LARGE) };
        let Ok(layout) = Layout::from_size_align(size, align.max(align_of::<T>())) else {
            handle_alloc_error(Layout::new::<T>())
        };
        // SAFETY: the size is not zero.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }.cast::<T>()) else {
            handle_alloc_error(layout)
        };
        if align == LARGE {
            advise(start.as_ptr().cast(), size, Advice::Prefer);
        }
        // SAFETY: room for `length` values, written once each; the allocation is new, hence does not overlap.
        unsafe {
            start.as_ptr().copy_from_nonoverlapping(values.as_ptr(), values.len());
            for k in values.len()..length {
                start.as_ptr().add(k).write(fill);
            }
        }
        if align == LARGE {
            advise(start.as_ptr().cast(), size, Advice::Collapse);
        }
        Self { start, length, layout }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.layout.size()
    }
}

/// Advice given to the system.
enum Advice {
    /// Large pages for memory touched from now on.
    Prefer,
    /// The same for memory touched before: the allocator may return memory that was in use.
    Collapse,
}

/// Requests large pages; if this fails (an old kernel, no free page), only speed is affected.
fn advise(start: *mut u8, bytes: usize, advice: Advice) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range is one allocation of ours, and the advice leaves its contents alone.
    unsafe {
        const MADV_COLLAPSE: i32 = 25; // since Linux 6.1
        let advice = match advice {
            Advice::Prefer => libc::MADV_HUGEPAGE,
            Advice::Collapse => MADV_COLLAPSE,
        };
        libc::madvise(start.cast(), bytes, advice);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes, advice);
}

impl<T: Copy> Drop for Pages<T> {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: allocated with this layout; the values need no drop.
            unsafe { dealloc(self.start.as_ptr().cast(), self.layout) }
        }
    }
}

impl<T: Copy> Default for Pages<T> {
    fn default() -> Self {
        Self { start: NonNull::dangling(), length: 0, layout: Layout::new::<()>() }
    }
}

impl<T: Copy> Deref for Pages<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `length` values were written; a dangling start is aligned and allowed for values of no bytes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T: Copy> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_arrays_hold_what_they_were_given() {
        for length in [0, 1, 100, LEAST / 4 - 1, LEAST / 4, LARGE / 4 + 17] {
            let values: Vec<u32> = (0..length as u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
            let mut pages = Pages::new(&values, length + 5, 7);
            assert_eq!(pages.len(), length + 5);
            assert_eq!(pages[..length], values);
            assert_eq!(pages[length..], [7; 5]);
            let align = if pages.bytes() < LEAST { CACHE_LINE } else { LARGE };
            assert_eq!(pages.as_ptr() as usize % align, 0, "{length}");
            pages[length] = 9;
            assert_eq!(pages.iter().rev().nth(4), Some(&9));
        }
        assert!(Pages::<u64>::default().is_empty() && Pages::<u64>::new(&[], 0, 0).is_empty());
    }
}
