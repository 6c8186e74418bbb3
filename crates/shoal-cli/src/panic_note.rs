//! A fault of the program, reported without its message.
//!
//! A panic's message may hold a number from a record, and a damaged file can make a decoder panic that the reader
//! catches and reports as a damaged file. So the default message is never printed; only the place in the code is, and
//! only when nobody caught the panic.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

static PLACE: Mutex<String> = Mutex::new(String::new());

/// Runs `work`; when it panics, returns where in the code.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(|| "at an unknown place".into(), |l| format!("at {}:{}", file(l.file()), l.line()));
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// The last two parts of a path: enough to find the line, and nothing about the machine it was built on.
fn file(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_tells_its_place_and_not_its_message() {
        let message = catch(|| -> () { panic!("secret 42") }).unwrap_err();
        assert!(message.starts_with("at src/panic_note.rs:") && !message.contains("42"), "{message}");
        assert_eq!(catch(|| 7), Ok(7));
    }
}
