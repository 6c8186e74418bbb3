//! An allocator that keeps little.
//!
//! Reading a table frees a buffer of a megabyte for every page and asks for the next. The GNU allocator would keep a heap
//! for every thread, and after the first large buffer was freed would hold on to larger and larger ones. One heap, from
//! which pages are reused, costs the least memory at that speed; only what is larger goes back to the system at once.

/// Buffers from this size on go back to the system when they are freed: more than a page of the usual writers.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 8 << 20;

/// Makes the allocator keep one heap without reserve.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_little() {
    // SAFETY: mallopt only sets the allocator's own numbers, and no other thread runs yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TOP_PAD, 0);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}
