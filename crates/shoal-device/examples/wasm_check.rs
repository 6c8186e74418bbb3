//! The device as a WebAssembly module, to prove that it links and that its reports are those of other machines.
//! `wasm_check.mjs` in this folder runs the vectors of `vectors/device/` through it.
//!
//! Texts cross the border as bytes in the module's memory: [`shoal_allocate`] gives room, [`shoal_report`] reads the
//! question there and leaves the answer, of which [`shoal_answer`] and [`shoal_answer_length`] give the place.

use std::cell::RefCell;

use serde::Deserialize;
use shoal_device::{Design, Device};
use shoal_noise::TapeNoise;

#[derive(Deserialize)]
struct Question {
    /// A design, as JSON in a text.
    design: String,
    values: Vec<f64>,
    /// Random bytes; without them the system's randomness is used.
    tape: Option<Vec<u8>>,
}

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for a question of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_allocate(length: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        *question = vec![0; length];
        question.as_mut_ptr()
    })
}

/// Answers the question: the report as JSON, or the error in words.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_report() {
    let answer = QUESTION.with_borrow(|question| report(question)).unwrap_or_else(|error| error.to_string());
    ANSWER.set(answer);
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn shoal_answer_length() -> usize {
    ANSWER.with_borrow(String::len)
}

fn report(question: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    let Question { design, values, tape } = serde_json::from_slice(question)?;
    let design = Design::from_json(&design)?;
    let report = match tape {
        Some(tape) => Device::accepting_unsound_with_noise(&design, TapeNoise::new(tape))?.report(&values)?,
        None => Device::new(&design)?.report(&values)?,
    };
    Ok(serde_json::to_string(&report)?)
}
