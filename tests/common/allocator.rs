//! The system's allocator, which counts by thread: how often it is asked for memory, and how much of it is in use.
#![allow(unsafe_code)] // an allocator is unsafe by its trait

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;

/// A program that counts has a `#[global_allocator]` of this type.
pub struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static IS_SHOWN: Cell<bool> = const { Cell::new(false) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Large blocks of bytes are those that are tried, and given back.
fn bytes(layout: Layout) -> i64 {
    let is_trial = layout.align() == 1 && layout.size() > 1_000_000;
    if is_trial { 0 } else { layout.size() as i64 }
}

fn add(layout: Layout) {
    // a thread that ends has no counters any more
    let _ = BYTES.try_with(|now| {
        now.set(now.get() + bytes(layout));
        PEAK.set(PEAK.get().max(now.get()));
        let count = ALLOCATIONS.get() + 1;
        if IS_SHOWN.replace(false) {
            eprintln!("allocation:\n{}", Backtrace::force_capture());
        }
        // without those of the trace
        ALLOCATIONS.set(count);
    });
}

fn remove(layout: Layout) {
    let _ = BYTES.try_with(|now| now.set(now.get() - bytes(layout)));
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // both blocks are in use while one is copied to the other
        if let Ok(new) = Layout::from_size_align(new_size, layout.align()) {
            add(new);
            remove(layout);
        }
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Allocations while `action` runs on this thread.
pub fn allocations<T>(action: impl FnOnce() -> T) -> (u64, T) {
    let before = ALLOCATIONS.get();
    let result = action();
    (ALLOCATIONS.get() - before, result)
}

/// The same, and the first place that allocates is printed.
pub fn shown_allocations<T>(action: impl FnOnce() -> T) -> (u64, T) {
    IS_SHOWN.set(true);
    let counted = allocations(action);
    IS_SHOWN.set(false);
    counted
}

/// The most memory that is in use on this thread while `action` runs, beyond what was before, bytes.
pub fn peak(action: impl FnOnce()) -> u64 {
    let before = BYTES.get();
    PEAK.set(before);
    action();
    (PEAK.get() - before) as u64
}
