//! The public record of a run: charter, order, every step, every answer, and the chain over all of it (R15).
//!
//! A file of JSON lines: the beginning, one line for each round, the end. Everything in it was released.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::hash::{Hash, from_hex, to_hex};
use crate::message::{Contribution, LONGEST_SETTINGS, Order};

/// The version of the file.
const VERSION: u32 = 1;

/// The longest line that is read: a million numbers of each of a few helpers.
const LONGEST_LINE: usize = 256 << 20;

/// More rounds than any run has.
const MOST_ROUNDS: usize = 10_000;

/// How a run began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The charter's fingerprint.
    pub charter: Hash,
    /// Which of the charter's drivers asked.
    pub driver: u8,
    /// The order.
    pub order: Order,
    /// Each custodian's random bits.
    pub contributions: Vec<Contribution>,
}

/// One round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRecord {
    /// Its number.
    pub round: u32,
    /// The step's canonical bytes.
    pub step: Vec<u8>,
    /// What the step was bound to.
    pub bound: Hash,
    /// Each helper's answer.
    pub answers: Vec<Vec<u64>>,
}

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// How it began.
    pub begun: Begun,
    /// Its rounds.
    pub rounds: Vec<RoundRecord>,
    /// The state of the chain at the end; none for a run that was ended early.
    pub end: Option<Hash>,
}

/// Why a file is no transcript.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Reading failed.
    #[error("the transcript cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line} of the transcript {why}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// Another version.
    #[error(
        "the transcript has version {found}, and this program knows version 1; use the version of Shoal that wrote it"
    )]
    Version {
        /// As found.
        found: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    format: String,
    version: u32,
    charter: String,
    driver: u8,
    epsilon: String,
    settings: String,
    nonce: String,
    incarnations: Vec<String>,
    contributions: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRound {
    round: u32,
    /// In words, which must be those of the step.
    asks: String,
    step: String,
    bound: String,
    answers: Vec<Vec<i64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    end: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Round(OneRound),
    Last(Last),
}

const FORMAT: &str = "shoal split-trust transcript";

const OTHER_WORDS: &str =
    "is not as this program writes it: it was changed, or written by another version of Shoal; get the file again";

impl Transcript {
    /// Writes the file.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        line(to, &First::of(&self.begun))?;
        for round in &self.rounds {
            line(to, &OneRound::of(round))?;
        }
        line(to, &Last::of(self.end))
    }

    /// Reads the file. It takes the bytes that [`Transcript::write`] gives and no others, so that not even the words in which
    /// a step is described can be changed. What the transcript says is checked by [`verify`](crate::verify()).
    pub fn read(from: &mut dyn BufRead) -> Result<Self, TranscriptError> {
        let mut number = 0;
        let mut next = || -> Result<Option<(usize, Vec<u8>)>, TranscriptError> {
            number += 1;
            let mut bytes = Vec::new();
            let read = io::Read::take(&mut *from, LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
            match read {
                0 => Ok(None),
                read if read > LONGEST_LINE => {
                    Err(TranscriptError::Line { line: number, why: "is longer than a line can be" })
                }
                _ => Ok(Some((number, bytes))),
            }
        };
        let broken = |line, why| TranscriptError::Line { line, why };
        let Some((_, bytes)) = next()? else { return Err(broken(1, "is missing: the file is empty")) };
        let first: First = serde_json::from_slice(&bytes).map_err(|_| broken(1, "is no beginning of a transcript"))?;
        if first.format != FORMAT {
            return Err(broken(1, "is no beginning of a transcript"));
        }
        if first.version != VERSION {
            return Err(TranscriptError::Version { found: first.version });
        }
        let begun = first.begun().ok_or_else(|| broken(1, "has a part that is not in its form"))?;
        if !is_written_so(&First::of(&begun), &bytes) {
            return Err(broken(1, OTHER_WORDS));
        }
        let mut rounds = Vec::new();
        loop {
            let Some((line, bytes)) = next()? else {
                return Err(broken(rounds.len() + 2, "is missing: the file was cut off"));
            };
            match serde_json::from_slice::<Line>(&bytes).map_err(|_| broken(line, "is neither a round nor the end"))? {
                Line::Round(round) => {
                    if rounds.len() == MOST_ROUNDS {
                        return Err(broken(line, "is one round too many"));
                    }
                    let round = round.record().ok_or_else(|| broken(line, "has a part that is not in its form"))?;
                    if !is_written_so(&OneRound::of(&round), &bytes) {
                        return Err(broken(line, OTHER_WORDS));
                    }
                    rounds.push(round);
                }
                Line::Last(last) => {
                    let end = match last.end {
                        None => None,
                        Some(text) => Some(Hash::from_hex(&text).ok_or_else(|| broken(line, "has no hash"))?),
                    };
                    if !is_written_so(&Last::of(end), &bytes) {
                        return Err(broken(line, OTHER_WORDS));
                    }
                    return match next()? {
                        None => Ok(Self { begun, rounds, end }),
                        Some((line, _)) => Err(broken(line, "comes after the end")),
                    };
                }
            }
        }
    }
}

fn line(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    to.write_all(b"\n")
}

/// Whether a line of a file is exactly this value.
fn is_written_so(value: &impl Serialize, line: &[u8]) -> bool {
    serde_json::to_vec(value).is_ok_and(|written| written == line.strip_suffix(b"\n").unwrap_or(line))
}

impl First {
    fn of(Begun { charter, driver, order, contributions }: &Begun) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            charter: charter.to_string(),
            driver: *driver,
            epsilon: order.epsilon.clone(),
            settings: order.settings.clone(),
            nonce: to_hex(&order.nonce),
            incarnations: order.incarnations.iter().map(|it| to_hex(it)).collect(),
            contributions: contributions.iter().map(|it| to_hex(it)).collect(),
        }
    }

    fn begun(&self) -> Option<Begun> {
        if self.settings.len() > LONGEST_SETTINGS || self.epsilon.len() > 100 {
            return None;
        }
        let order = Order {
            incarnations: self.incarnations.iter().map(|it| from_hex(it)).collect::<Option<_>>()?,
            nonce: from_hex(&self.nonce)?,
            epsilon: self.epsilon.clone(),
            settings: self.settings.clone(),
        };
        let contributions = self.contributions.iter().map(|it| from_hex(it)).collect::<Option<_>>()?;
        Some(Begun { charter: Hash::from_hex(&self.charter)?, driver: self.driver, order, contributions })
    }
}

impl Last {
    fn of(end: Option<Hash>) -> Self {
        Self { end: end.map(|hash| hash.to_string()) }
    }
}

impl OneRound {
    fn of(round: &RoundRecord) -> Self {
        Self {
            round: round.round,
            asks: shoal_release::Step::from_bytes(&round.step).map_or(String::new(), |step| step.sentence()),
            step: to_hex(&round.step),
            bound: round.bound.to_string(),
            answers: round.answers.iter().map(|words| words.iter().map(|&word| word as i64).collect()).collect(),
        }
    }

    fn record(self) -> Option<RoundRecord> {
        if self.step.len() % 2 == 1 {
            return None;
        }
        let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(from_hex::<1>).map(|[byte]| byte);
        let step = self.step.as_bytes().chunks(2).map(byte).collect::<Option<_>>()?;
        let answers = self.answers.into_iter().map(|it| it.into_iter().map(|number| number as u64).collect()).collect();
        Some(RoundRecord { round: self.round, step, bound: Hash::from_hex(&self.bound)?, answers })
    }
}
