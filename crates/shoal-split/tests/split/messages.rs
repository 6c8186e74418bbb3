//! Messages have one form, and decoders take no other.

use proptest::prelude::*;
use shoal_split::shares::{Seed, Share};
use shoal_split::{Body, HEADER, Hash, Header, Message, NotAMessage, Order, Party, RunId, Why};

fn bodies() -> Vec<Body> {
    vec![
        Body::Hello([1; 16]),
        Body::Order(Order {
            incarnations: vec![[1; 16], [2; 16]],
            nonce: [3; 16],
            epsilon: "1/3".into(),
            settings: "{\"k\":5}".into(),
        }),
        Body::Join([4; 32]),
        Body::Joined(vec![[5; 32], [6; 32]]),
        Body::Ask { answers: vec![Hash([7; 32])], step: vec![1, 2, 3] },
        Body::Share(Share::Words(vec![1, u64::MAX])),
        Body::Share(Share::Seed(Seed([8; 32]))),
        Body::Answer(vec![0, 1 << 63]),
        Body::Close(vec![Hash([9; 32]), Hash([10; 32])]),
        Body::End { by: Party::Custodian(3), why: Why::Late },
    ]
}

fn message(body: Body) -> Message {
    Message { header: Header { charter: Hash([1; 32]), run: RunId([2; 16]), round: 7, bound: Hash([3; 32]) }, body }
}

#[test]
fn messages_come_back_and_nothing_else_does() {
    for body in bodies() {
        let bytes = message(body).to_bytes();
        let again = Message::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes(), bytes);
        let header = bytes[..HEADER].try_into().unwrap();
        assert_eq!(Message::length(header), Ok(bytes.len()));
        for cut in 0..bytes.len() {
            assert!(Message::from_bytes(&bytes[..cut]).is_err(), "{:?} cut at {cut}", again.body);
        }
        assert!(Message::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }
}

#[test]
fn other_versions_and_other_bytes_have_their_own_error() {
    let mut bytes = message(Body::Hello([1; 16])).to_bytes();
    bytes[4] = 2;
    assert_eq!(Message::from_bytes(&bytes), Err(NotAMessage::Version { found: 2 }));
    assert_eq!(Message::from_bytes(b"GET / HTTP/1.1"), Err(NotAMessage::Foreign));
    assert_eq!(Message::from_bytes(b""), Err(NotAMessage::Foreign));
    // R11: a length beyond every message is refused before anything is allocated.
    let mut bytes = message(Body::Hello([1; 16])).to_bytes();
    bytes[HEADER - 4..HEADER].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Message::length(bytes[..HEADER].try_into().unwrap()), Err(NotAMessage::TooLong));
    assert_eq!(Message::from_bytes(&bytes), Err(NotAMessage::TooLong));
}

/// Nothing of a share, a seed or an answer gets into a log.
#[test]
fn bodies_do_not_print_themselves() {
    for body in bodies() {
        assert_eq!(format!("{body:?}"), body.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is taken has exactly these bytes: two spellings of a message do not exist.
    #[test]
    fn what_is_taken_is_canonical(which in 0..10usize, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = message(bodies().remove(which)).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(message) = Message::from_bytes(&bytes) {
            prop_assert_eq!(message.to_bytes(), bytes);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Message::from_bytes(&bytes);
    }
}
