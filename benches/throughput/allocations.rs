//! Counts allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts the calls of each thread for memory.
pub(crate) struct Counting;

thread_local! {
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Allocations of this thread so far; growing a block is one.
pub(crate) fn num_allocations() -> u64 {
    NUM_ALLOCATIONS.with(Cell::get)
}

fn count() {
    // A thread that is ending has no counter any more.
    let _ = NUM_ALLOCATIONS.try_with(|num| num.set(num.get() + 1));
}

#[expect(unsafe_code, reason = "an allocator can only be wrapped through an unsafe trait")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, len_new: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, len_new) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}
