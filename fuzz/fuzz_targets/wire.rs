//! Reports on their way to a collector, binary or JSON: any bytes are refused or read, and what is read is written
//! alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_device::wire::{decode, decode_json, encode, encode_json};

const MOST: usize = 1000;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(reports) = decode(bytes, MOST) {
        let again = encode(&reports);
        // Batches of one design that follow each other become one; nothing else changes.
        assert!(again.len() <= bytes.len());
        assert_eq!(decode(&again, MOST).as_ref(), Ok(&reports));
        if again.len() == bytes.len() {
            assert_eq!(again, bytes);
        }
    }
    if let Ok(reports) = decode_json(bytes, MOST) {
        let again = encode_json(&reports).expect("reports of one design");
        assert_eq!(decode_json(again.as_bytes(), MOST).as_ref(), Ok(&reports));
    }
});
