//! Shoal's device for C, and for everything that can call C or load WebAssembly.
//!
//! A [`Session`] holds a design, the person's limits and their ledger. The functions around it are the border: texts and
//! numbers come in as pointers with lengths; a status goes out, and what there is to give stays in the memory of the thread,
//! where [`shoal_result`] and [`shoal_result_length`] find it until the next call. No panic crosses the border.
//!
//! Status 0: done, the result is the answer. 1: refused, the result is a JSON object with `code` and `message`. 2: a fault of
//! the library, with such an object, too.

mod refusal;
mod session;
#[cfg(feature = "tape")]
mod tape;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod wasm;

pub use refusal::Refusal;
pub use session::Session;
#[cfg(feature = "tape")]
pub use tape::{shoal_tape_report, shoal_tape_used};

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shoal_device::Repeat;
use shoal_device::wire::Day;

thread_local! {
    static RESULT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where the answer or the error of this thread's last call is. Valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_result() -> *const u8 {
    RESULT.with_borrow(|result| result.as_ptr())
}

/// How many bytes the answer or the error has.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_result_length() -> usize {
    RESULT.with_borrow(Vec::len)
}

/// Opens a device: a published design (JSON), the person's limits (JSON, or a length of 0), the stored ledger (JSON, or a
/// length of 0 before the first report). Limits: `any_two_records`, `unit_of_distance` and `total`, each an ε in a text;
/// `digest`, a text; `exact_noise`, true or false.
///
/// # Safety
/// Each pointer is valid for its length, or the length is 0. `device` points to where the new device is written; free that with
/// `shoal_device_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_open(
    design: *const u8,
    design_length: usize,
    limits: *const u8,
    limits_length: usize,
    ledger: *const u8,
    ledger_length: usize,
    device: *mut *mut Session,
) -> i32 {
    guarded(|| {
        if device.is_null() {
            return Err(Refusal::Null { what: "the place for the device" });
        }
        // SAFETY: the caller's promises above.
        let (design, limits, ledger) = unsafe {
            (
                text("the design", design, design_length)?,
                text("the limits", limits, limits_length)?,
                text("the ledger", ledger, ledger_length)?,
            )
        };
        let opened = Box::into_raw(Box::new(Session::open(design, limits, ledger)?));
        // SAFETY: the caller gave a place for it.
        unsafe { device.write(opened) };
        Ok(Vec::new())
    })
}

/// Frees a device. Nothing happens to a null pointer.
///
/// # Safety
/// The device came from `shoal_device_open` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_free(device: *mut Session) {
    if !device.is_null() {
        // SAFETY: it came from a box, and the caller gives it back.
        drop(unsafe { Box::from_raw(device) });
    }
}

/// What the design asks for and guarantees, and what was sent before: a JSON object.
///
/// # Safety
/// The device came from `shoal_device_open`, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_about(device: *mut Session) -> i32 {
    // SAFETY: the caller's promises above.
    guarded(|| Ok(unsafe { session(device) }?.about().into_bytes()))
}

/// The guarantees of one report in plain words.
///
/// # Safety
/// The device came from `shoal_device_open`, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_promise(device: *mut Session) -> i32 {
    // SAFETY: the caller's promises above.
    guarded(|| Ok(unsafe { session(device) }?.promise().into_bytes()))
}

/// A report of one record, in the user's units and the order of the design's columns: the bytes to send, of media type
/// `application/vnd.shoal.reports`. `day` is counted from 1 January 1970. `repeat` is 0 to answer a collection once, 1 to get
/// the same report again, 2 for fresh reports, at most `most` of them. Store the ledger before sending.
///
/// # Safety
/// The device came from `shoal_device_open`, and no other thread uses it; `values` is valid for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_report(
    device: *mut Session,
    values: *const f64,
    count: usize,
    day: u32,
    repeat: u32,
    most: u32,
) -> i32 {
    guarded(|| {
        let repeat = match repeat {
            0 => Repeat::Once,
            1 => Repeat::SameReport,
            2 => Repeat::Fresh { most },
            given => return Err(Refusal::Repeat { given }),
        };
        // SAFETY: the caller's promises above.
        let (session, values) = unsafe { (session(device)?, numbers(values, count)?) };
        session.report(values, repeat, Day(day))
    })
}

/// So many reports that could be sent of this record, in the user's units: doubles in the machine's own byte order, one record
/// after the other. For the person's eyes only: the ledger does not count them.
///
/// # Safety
/// The device came from `shoal_device_open`, and no other thread uses it; `values` is valid for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_simulate(
    device: *mut Session,
    values: *const f64,
    count: usize,
    reports: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller's promises above.
        let (session, values) = unsafe { (session(device)?, numbers(values, count)?) };
        Ok(session.simulate(values, reports)?.into_iter().flat_map(f64::to_ne_bytes).collect())
    })
}

/// The ledger to store: JSON.
///
/// # Safety
/// The device came from `shoal_device_open`, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_device_ledger(device: *mut Session) -> i32 {
    // SAFETY: the caller's promises above.
    guarded(|| Ok(unsafe { session(device) }?.ledger().into_bytes()))
}

/// Runs what a function does, and leaves its answer or its error.
fn guarded(work: impl FnOnce() -> Result<Vec<u8>, Refusal>) -> i32 {
    let (status, result) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(answer)) => (0, answer),
        Ok(Err(refusal)) => (1, refusal.to_json().into_bytes()),
        Err(_) => (2, Refusal::Fault.to_json().into_bytes()),
    };
    RESULT.set(result);
    status
}

/// # Safety
/// The pointer is null, or a device that no one else uses for as long.
unsafe fn session<'a>(device: *mut Session) -> Result<&'a mut Session, Refusal> {
    // SAFETY: as promised.
    unsafe { device.as_mut() }.ok_or(Refusal::Null { what: "the device" })
}

/// # Safety
/// The pointer is valid for the length, or the length is 0.
unsafe fn text<'a>(what: &'static str, start: *const u8, length: usize) -> Result<&'a str, Refusal> {
    if length == 0 {
        return Ok("");
    }
    if start.is_null() {
        return Err(Refusal::Null { what });
    }
    // SAFETY: as promised.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    std::str::from_utf8(bytes).map_err(|_| Refusal::NotUtf8 { what })
}

/// # Safety
/// The pointer is valid for so many numbers, or there are none.
unsafe fn numbers<'a>(start: *const f64, count: usize) -> Result<&'a [f64], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(Refusal::Null { what: "the list of values" });
    }
    // SAFETY: as promised.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}
