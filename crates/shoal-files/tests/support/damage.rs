//! Random damage to files: a reader refuses it with a way out, or reads what was written.

/// Words of which a message must have one: each says what to do.
const WAYS_OUT: [&str; 7] =
    ["again", "use a program", "give a file", "Give a file", "give the file", "allow less", "`memory`"];

/// Damages `bytes` in 4,000 ways. `read` says whether it read the same as without damage, or why it refused. Returns how
/// often it refused.
pub fn refused_or_the_same(bytes: &[u8], read: impl Fn(Vec<u8>) -> Result<bool, String>) -> usize {
    let mut random = 88_172_645_463_325_252u64;
    let mut draw = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut refused = 0;
    for round in 0..4000 {
        let mut mutated = bytes.to_vec();
        let at = draw(mutated.len());
        match round % 4 {
            0 => mutated[at] = b"0123456789-,\n\r# {}\"e"[draw(20)],
            1 => drop(mutated.remove(at)),
            2 => mutated.insert(at, mutated[draw(bytes.len())]),
            _ => (0..1 + draw(2)).for_each(|_| mutated[draw(bytes.len())] ^= 1 + draw(255) as u8),
        }
        match read(mutated) {
            Ok(same) => assert!(same, "damage in round {round} was read as something else"),
            Err(said) => {
                refused += 1;
                assert!(WAYS_OUT.iter().any(|words| said.contains(words)), "{said}");
            }
        }
    }
    refused
}
