//! What a WebAssembly module needs on top: memory for the page to write to, and randomness from the page, which takes it
//! from `crypto.getRandomValues`. Built with `--cfg getrandom_backend="custom"`.

use std::alloc::{Layout, alloc, dealloc};

#[link(wasm_import_module = "shoal")]
unsafe extern "C" {
    /// Fills memory with random bytes; 0 when it did.
    fn random(start: *mut u8, length: usize) -> i32;
}

/// What `getrandom` calls.
///
/// # Safety
/// The memory is valid for the length.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(start: *mut u8, length: usize) -> Result<(), getrandom::Error> {
    // SAFETY: as promised.
    match unsafe { random(start, length) } {
        0 => Ok(()),
        _ => Err(getrandom::Error::UNSUPPORTED),
    }
}

/// Room for so many bytes, aligned for doubles. Null when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_allocate(length: usize) -> *mut u8 {
    match Layout::from_size_align(length.max(1), 8) {
        // SAFETY: the size is not zero.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Gives room back.
///
/// # Safety
/// It came from [`shoal_allocate`] with this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_release(start: *mut u8, length: usize) {
    if let Ok(layout) = Layout::from_size_align(length.max(1), 8)
        && !start.is_null()
    {
        // SAFETY: as promised.
        unsafe { dealloc(start, layout) };
    }
}
