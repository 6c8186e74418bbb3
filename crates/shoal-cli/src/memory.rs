//! Memory that is given back when it is freed.
//!
//! Reading a table frees a buffer of a megabyte for every page. The GNU allocator keeps such buffers for later by
//! default, in one heap per thread, which can weigh more than the rows of a small table.

/// Buffers from this size on go back to the system when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 64 << 10;

/// Tells the allocator not to keep large buffers.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back_at_once() {
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
pub fn give_back_at_once() {}
