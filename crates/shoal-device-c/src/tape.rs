//! Reports from a tape of given bytes: with the same tape all clients make the same report, byte for byte. They protect
//! nobody, so this exists only with the feature `tape`.

use std::cell::Cell;

use shoal_device::wire::{Day, encode};
use shoal_device::{Design, Device};
use shoal_noise::TapeNoise;

use crate::{Refusal, guarded, numbers, text};

thread_local! {
    static USED: Cell<usize> = const { Cell::new(0) };
}

/// A report whose noise and identifier are read from a tape, even for a mechanism that guarantees nothing: the bytes to send.
/// For tests.
///
/// # Safety
/// Each pointer is valid for its length, or the length is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shoal_tape_report(
    design: *const u8,
    design_length: usize,
    values: *const f64,
    count: usize,
    day: u32,
    tape: *const u8,
    tape_length: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller's promises above.
        let (design, values) = unsafe { (text("the design", design, design_length)?, numbers(values, count)?) };
        let tape = if tape_length == 0 {
            &[]
        } else if tape.is_null() {
            return Err(Refusal::Null { what: "the tape" });
        } else {
            // SAFETY: the caller's promises above.
            unsafe { std::slice::from_raw_parts(tape, tape_length) }
        };
        let design = Design::from_json(design)?;
        let mut device = Device::accepting_unsound_with_noise(&design, TapeNoise::new(tape))?;
        let sent = device.envelope(values, Day(day))?;
        USED.set(if device.noise().ran_out() { usize::MAX } else { device.noise().used() });
        Ok(encode(&[sent]))
    })
}

/// How many bytes of the tape the last report of this thread has read; the largest number when it was too short.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_tape_used() -> usize {
    USED.get()
}
