//! Designs as JSON: any text is refused or read, and what is read can be written and has the same digest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_device::Design;

fuzz_target!(|text: &str| {
    if let Ok(design) = Design::from_json(text) {
        let again = Design::from_json(&design.to_json()).expect("what was written can be read");
        assert_eq!(again, design);
        assert_eq!(again.digest(), design.digest());
    }
});
