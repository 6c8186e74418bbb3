//! The record of a run: it comes back from its file, and every change to it is found.

use shoal_release::Releaser;
use shoal_split::{NotVerified, Replay, Transcript, TranscriptError, verify};

use super::parts::*;

fn recorded() -> (std::sync::Arc<shoal_split::Charter>, Transcript) {
    let charter = charter(2, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])];
    let mut releaser = releaser(&charter, &tables, "2");
    releaser.release(&count_rows("1/2")).unwrap();
    releaser.release(&moments("1/2")).unwrap();
    let (transcript, _) = releaser.close();
    (charter, transcript)
}

fn file(transcript: &Transcript) -> Vec<u8> {
    let mut bytes = Vec::new();
    transcript.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_transcript_comes_back_and_is_verified() {
    let (charter, transcript) = recorded();
    let bytes = file(&transcript);
    let again = Transcript::read(&mut &bytes[..]).unwrap();
    assert_eq!(again, transcript);
    let verified = verify(&charter, &again).unwrap();
    assert_eq!((verified.spent.to_string(), verified.limit.to_string()), ("1".into(), "2".into()));
    assert_eq!(verified.rounds.len(), 2);
    assert_eq!(verified.claim().loss.symbols(), "ε = 1");
}

/// R15: the same questions release the same numbers again, and other questions are refused.
#[test]
fn a_replay_releases_the_same_numbers() {
    let (charter, transcript) = recorded();
    let (mut replay, verified) = Replay::of(&charter, &transcript).unwrap();
    assert_eq!(replay.release(&count_rows("1/2")).unwrap().into_inner(), verified.rounds[0].1);
    assert!(replay.release(&moments("1/4")).is_err());
    let (mut replay, _) = Replay::of(&charter, &transcript).unwrap();
    assert!(replay.release(&count_rows("1/4")).is_err());
}

/// R15: every change is found.
#[test]
fn every_change_is_found() {
    let (charter, transcript) = recorded();
    let changes: [fn(&mut Transcript); 11] = [
        |it| it.begun.charter.0[0] ^= 1,
        |it| it.begun.driver = 1,
        |it| it.begun.order.settings.push('x'),
        |it| it.begun.order.epsilon = "1".into(),
        |it| it.begun.order.nonce[0] ^= 1,
        |it| it.begun.contributions[1][0] ^= 1,
        |it| it.rounds[0].answers[0][0] ^= 1,
        |it| it.rounds[1].answers[1][3] ^= 1,
        |it| it.rounds[1].step = count_rows("1/4").to_bytes(),
        |it| drop(it.rounds.pop()),
        |it| it.rounds.swap(0, 1),
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut changed = transcript.clone();
        change(&mut changed);
        assert!(verify(&charter, &changed).is_err(), "change {i}");
    }
    assert_eq!(verify(&super::parts::charter(3, 2), &transcript).unwrap_err(), NotVerified::OtherCharter);
}

/// R15: a file in which any byte was changed is refused, whatever it was changed to: by its form or by its hashes.
#[test]
fn every_changed_byte_of_a_file_is_found() {
    let (charter, transcript) = recorded();
    let bytes = file(&transcript);
    let taken = |bytes: &[u8]| Transcript::read(&mut &bytes[..]).is_ok_and(|read| verify(&charter, &read).is_ok());
    assert!(taken(&bytes));
    for at in 0..bytes.len() {
        // Another digit or letter, the other case, and no text at all.
        for bits in [1, 2, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= bits;
            let found = String::from_utf8_lossy(&bytes[at.saturating_sub(20)..=at]).into_owned();
            assert!(!taken(&changed), "byte {at}, bits {bits:#x}, at the end of “{found}”");
        }
    }
}

#[test]
fn files_that_are_no_transcript_are_refused() {
    let (_, transcript) = recorded();
    let bytes = file(&transcript);
    let text = String::from_utf8(bytes).unwrap();
    let read = |text: &str| Transcript::read(&mut text.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    assert!(matches!(read(""), Err(TranscriptError::Line { line: 1, .. })));
    assert!(matches!(read(&lines[..3].join("\n")), Err(TranscriptError::Line { line: 4, .. })));
    assert!(matches!(read(&format!("{text}{{}}\n")), Err(TranscriptError::Line { line: 5, .. })));
    assert!(matches!(
        read(&text.replacen("\"version\":1", "\"version\":2", 1)),
        Err(TranscriptError::Version { found: 2 })
    ));
    assert!(read(&text.replacen("\"round\":0", "\"round\":-1", 1)).is_err());
    assert!(read(&text.replacen("\"step\":\"", "\"step\":\"g", 1)).is_err());
}
