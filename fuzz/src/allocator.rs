//! Counts the memory that a thread holds, so that an oracle can say what a framer keeps.
//!
//! A program that runs the framer's oracle installs [`Counting`] as its global allocator. The other
//! targets do without: their speed is measured.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes allocated and not freed. Signed, because a thread may free what another allocated.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator with a count per thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counting;

/// Bytes that this thread has allocated and not freed; stays 0 where [`Counting`] is not installed.
#[must_use]
pub fn held() -> isize {
    HELD.get()
}

/// Panics in a program that measures nothing because [`Counting`] is not installed.
pub(crate) fn assert_installed() {
    let before = held();
    let block = std::hint::black_box(Box::new(0_u64));
    assert!(held() > before, "install the counting allocator");
    drop(block);
}

/// Never panics: a thread that is being torn down is not counted any more.
fn count(bytes: isize) {
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

// SAFETY: every method passes its arguments on to `System` unchanged and returns what it returns, so
// the caller's guarantees reach it and its own reach the caller. Counting neither allocates (the
// counter is const-initialised and has no destructor) nor unwinds. `alloc_zeroed` and `realloc` are
// the trait's own, which call the two below.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller keeps `GlobalAlloc::alloc`'s contract, which is `System`'s too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: `block` came from `alloc` above with this layout, and so from `System`.
        unsafe { System.dealloc(block, layout) }
    }
}
