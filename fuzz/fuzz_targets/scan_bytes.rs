//! Questions and partial answers: any bytes are refused or read, and what is read can be written, answered and merged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shoal_kernel::LatticeCentres;
use shoal_lattice::LatticePoints;
use shoal_scan::{Grid, Partial, Question};

/// Answers larger than this are refused: the fuzzer should try many questions, not large ones.
const MOST: u64 = 1 << 20;

/// Bytes with a right checksum, so that the fuzzer gets past it: whatever the bytes were, they now claim to be whole.
fn whole(tag: &[u8; 4], body: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let mut bytes = [&tag[..], &1u16.to_le_bytes(), &(body.len() as u64).to_le_bytes(), body].concat();
    let checksum = Sha256::digest(&bytes);
    bytes.extend(&checksum[..8]);
    bytes
}

fn question(bytes: &[u8]) {
    let Ok(question) = Question::from_bytes_within(bytes, MOST) else { return };
    assert!(Question::from_bytes_within(&question.to_bytes(), MOST).is_ok(), "what was read can be written");
    let Some(dims) = question.dims().filter(|dims| (1..=64).contains(dims)) else { return };
    let mut rows = LatticePoints::new(dims);
    (0..20).for_each(|i| rows.push_row(&vec![1500 * i - 15_000; dims]));
    // Raw values are asked about elsewhere; every other question that was read has an answer.
    if let Ok(partial) = Partial::of(&question, &rows) {
        let bytes = partial.to_bytes_with_rows();
        let same = Partial::from_bytes(&question, &bytes).expect("own bytes come back");
        assert!(same.finish(&question).is_ok());
    }
}

fn partial(question: &Question, body: &[u8]) {
    // The name of the question comes first in the body, and the fuzzer would not guess it.
    let named = [&Partial::nothing(question).unwrap().to_bytes().unwrap()[14..30], body].concat();
    if let Ok(partial) = Partial::from_bytes(question, &whole(b"shP\n", &named)) {
        let again = Partial::from_bytes(question, &partial.to_bytes().unwrap()).unwrap();
        // Numbers from elsewhere may be too large to add: an error, and no panic.
        let _ = partial.merge(again);
    }
}

fuzz_target!(|bytes: &[u8]| {
    question(bytes);
    question(&whole(b"shQ\n", bytes));
    partial(&Question::CellCounts { grid: Grid::new(vec![2, 3], 6).unwrap() }, bytes);
    partial(&Question::SumsAndCounts { centres: LatticeCentres::new(2, vec![1, 2, 3, 4]) }, bytes);
    partial(&Question::Costs { candidates: vec![LatticeCentres::new(1, vec![1]); 2] }, bytes);
});
