//! How much memory is taken.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what each thread has taken, and the most at a time.
pub(crate) struct Counting;

thread_local! {
    static TAKEN: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The most memory, in bytes, that `work` had at a time, beyond what there was before.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = TAKEN.get();
    PEAK.set(before);
    let done = work();
    ((PEAK.get() - before).max(0) as usize, done)
}

fn count(change: isize) {
    // A thread that is ending has no counters any more.
    let _ = TAKEN.try_with(|taken| {
        taken.set(taken.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(taken.get())));
    });
}

#[expect(unsafe_code, reason = "an allocator can only be wrapped through an unsafe trait")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, len_new: usize) -> *mut u8 {
        // Old and new may both be there while one is copied to the other.
        count(len_new as isize);
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, len_new) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}
