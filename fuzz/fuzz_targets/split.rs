//! Bytes of split trust: messages, charters and transcripts. What is taken has one form, and nothing makes a decoder panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_split::{Charter, HEADER, Message, Transcript};

fuzz_target!(|data: &[u8]| {
    if let Ok(message) = Message::from_bytes(data) {
        assert_eq!(message.to_bytes(), data);
    }
    if let Some(header) = data.first_chunk::<HEADER>() {
        let _ = Message::length(header);
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(charter) = Charter::from_toml(text)
    {
        let again = Charter::from_toml(&charter.to_toml()).unwrap();
        assert_eq!(again.fingerprint(), charter.fingerprint());
    }
    if let Ok(transcript) = Transcript::read(&mut &data[..]) {
        let mut bytes = Vec::new();
        transcript.write(&mut bytes).unwrap();
        assert_eq!(Transcript::read(&mut &bytes[..]).unwrap(), transcript);
    }
});
