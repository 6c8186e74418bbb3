//! Messages as bytes: one canonical form, and a decoder that takes nothing else.
//!
//! ```text
//! 4 bytes "shS\n" · 2 version · 1 kind · 32 charter · 16 run · 4 round · 32 bound · 4 length of the body · body
//! ```
//!
//! All numbers are little-endian. R2: every message names the charter, the run, the round and what it is bound to; before
//! there is a run, its place holds zeros, and `bound` is the hash of the order as soon as there is one. docs/split-messages.md
//! has the bodies.

use std::fmt;

use crate::hash::{Hash, to_hex};
use crate::party::Party;
use crate::shares::{Seed, Share};
use crate::why::Why;

/// Changes whenever bytes of an earlier version would be misunderstood.
pub const VERSION: u16 = 1;

const TAG: [u8; 4] = *b"shS\n";

/// Bytes before the body.
pub const HEADER: usize = 4 + 2 + 1 + 32 + 16 + 4 + 32 + 4;

/// The longest body: a million numbers, and room for a question.
pub const LONGEST_BODY: usize = 24 << 20;

/// The longest settings of an order.
pub const LONGEST_SETTINGS: usize = 4096;

/// 128 bits that name a run: the hash of the order and of a contribution of every custodian.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RunId(pub [u8; 16]);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({self})")
    }
}

/// 128 random bits that a helper draws when it opens for a run (R6).
pub type Incarnation = [u8; 16];

/// 256 random bits of one custodian, which go into the run's name.
pub type Contribution = [u8; 32];

/// What everything in a message belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The charter's fingerprint.
    pub charter: Hash,
    /// The run; zeros before there is one.
    pub run: RunId,
    /// The round; 0 before the first.
    pub round: u32,
    /// The order's hash while joining; then the hash of the step and of everything before it.
    pub bound: Hash,
}

/// What a driver asks custodians to take part in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Order {
    /// Each helper's incarnation, in the order of the charter.
    pub incarnations: Vec<Incarnation>,
    /// Random bits of the driver.
    pub nonce: [u8; 16],
    /// ε of the whole run, as a reduced fraction: `1/3`, `2`.
    pub epsilon: String,
    /// What the run is for, as the driver wrote it: shown to custodians, and part of the transcript.
    pub settings: String,
}

/// What a message is.
#[derive(Clone, PartialEq, Eq)]
pub enum Body {
    /// Helper → anyone who connects: its incarnation.
    Hello(Incarnation),
    /// Driver → helpers → custodians.
    Order(Order),
    /// Custodian → helpers: it takes part.
    Join(Contribution),
    /// Helper → all: everyone takes part.
    Joined(Vec<Contribution>),
    /// Driver → helpers → custodians: the next step, and the digest of each helper's last answer (none before round 0).
    Ask {
        /// Digests of the answers to the round before, one of each helper.
        answers: Vec<Hash>,
        /// The step's canonical bytes.
        step: Vec<u8>,
    },
    /// Custodian → helper: its share of the answer.
    Share(Share),
    /// Helper → driver: the sum of all shares and of the helper's noise.
    Answer(Vec<u64>),
    /// Driver → helpers → custodians: there are no more questions. Digests of the last answers.
    Close(Vec<Hash>),
    /// Anyone → anyone: the run is over, and whose fault that is.
    End {
        /// Who ended the run, or was late.
        by: Party,
        /// Why.
        why: Why,
    },
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Body {
    /// A name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "hello",
            Self::Order(_) => "order",
            Self::Join(_) => "join",
            Self::Joined(_) => "joined",
            Self::Ask { .. } => "question",
            Self::Share(_) => "share",
            Self::Answer(_) => "answer",
            Self::Close(_) => "close",
            Self::End { .. } => "end",
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Hello(_) => 1,
            Self::Order(_) => 2,
            Self::Join(_) => 3,
            Self::Joined(_) => 4,
            Self::Ask { .. } => 5,
            Self::Share(_) => 6,
            Self::Answer(_) => 7,
            Self::Close(_) => 8,
            Self::End { .. } => 9,
        }
    }
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What it belongs to.
    pub header: Header,
    /// What it is.
    pub body: Body,
}

/// Bytes that are no message of this version. Nothing of them is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAMessage {
    /// Something else.
    #[error("these bytes are no message of this protocol")]
    Foreign,
    /// Another version of the protocol.
    #[error(
        "the message has version {found} of the protocol, and this program knows version {VERSION}; all parties must run the same version of Shoal"
    )]
    Version {
        /// As found.
        found: u16,
    },
    /// The length is wrong, or a part does not fit.
    #[error("the message is damaged or not in its canonical form")]
    Damaged,
    /// The body is longer than any message has.
    #[error("the message is longer than {LONGEST_BODY} bytes")]
    TooLong,
}

impl Message {
    /// The message as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        match &self.body {
            Body::Hello(incarnation) => body.extend(incarnation),
            Body::Order(order) => {
                body.push(order.incarnations.len() as u8);
                order.incarnations.iter().for_each(|it| body.extend(it));
                body.extend(order.nonce);
                text(&mut body, &order.epsilon);
                text(&mut body, &order.settings);
            }
            Body::Join(contribution) => body.extend(contribution),
            Body::Joined(contributions) => {
                body.push(contributions.len() as u8);
                contributions.iter().for_each(|it| body.extend(it));
            }
            Body::Ask { answers, step } => {
                hashes(&mut body, answers);
                body.extend((step.len() as u32).to_le_bytes());
                body.extend(step);
            }
            Body::Share(Share::Words(words)) => {
                body.push(0);
                words.iter().for_each(|word| body.extend(word.to_le_bytes()));
            }
            Body::Share(Share::Seed(seed)) => {
                body.push(1);
                body.extend(seed.0);
            }
            Body::Answer(words) => words.iter().for_each(|word| body.extend(word.to_le_bytes())),
            Body::Close(answers) => hashes(&mut body, answers),
            Body::End { by, why } => {
                body.extend(by.to_bytes());
                body.push(why.to_byte());
            }
        }
        let Header { charter, run, round, bound } = &self.header;
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(TAG);
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(self.body.kind());
        bytes.extend(charter.0);
        bytes.extend(run.0);
        bytes.extend(round.to_le_bytes());
        bytes.extend(bound.0);
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// How long the whole message is, from its first [`HEADER`] bytes: checked before anything is allocated.
    pub fn length(header: &[u8; HEADER]) -> Result<usize, NotAMessage> {
        let mut read = Reader(header);
        read.tag()?;
        read.skip(HEADER - 4 - 2 - 4)?;
        match read.u32()? as usize {
            body if body > LONGEST_BODY => Err(NotAMessage::TooLong),
            body => Ok(HEADER + body),
        }
    }

    /// A message from bytes. It takes the canonical form and no other: what comes out gives the same bytes again.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAMessage> {
        let mut read = Reader(bytes);
        read.tag()?;
        let kind = read.array::<1>()?[0];
        let header = Header {
            charter: Hash(read.array()?),
            run: RunId(read.array()?),
            round: read.u32()?,
            bound: Hash(read.array()?),
        };
        let length = read.u32()? as usize;
        if length > LONGEST_BODY {
            return Err(NotAMessage::TooLong);
        }
        if read.0.len() != length {
            return Err(NotAMessage::Damaged);
        }
        let body = match kind {
            1 => Body::Hello(read.array()?),
            2 => Body::Order(Order {
                incarnations: read.list()?,
                nonce: read.array()?,
                epsilon: read.text(100)?,
                settings: read.text(LONGEST_SETTINGS)?,
            }),
            3 => Body::Join(read.array()?),
            4 => Body::Joined(read.list()?),
            5 => {
                let answers = read.list()?.into_iter().map(Hash).collect();
                let length = read.u32()? as usize;
                Body::Ask { answers, step: read.take(length)?.to_vec() }
            }
            6 => match read.array::<1>()? {
                [0] => Body::Share(Share::Words(read.words()?)),
                [1] => Body::Share(Share::Seed(Seed(read.array()?))),
                _ => return Err(NotAMessage::Damaged),
            },
            7 => Body::Answer(read.words()?),
            8 => Body::Close(read.list()?.into_iter().map(Hash).collect()),
            9 => Body::End {
                by: Party::from_bytes(read.array()?).ok_or(NotAMessage::Damaged)?,
                why: Why::from_byte(read.array::<1>()?[0]).ok_or(NotAMessage::Damaged)?,
            },
            _ => return Err(NotAMessage::Damaged),
        };
        if read.0.is_empty() { Ok(Self { header, body }) } else { Err(NotAMessage::Damaged) }
    }
}

fn text(body: &mut Vec<u8>, text: &str) {
    body.extend((text.len() as u16).to_le_bytes());
    body.extend(text.as_bytes());
}

fn hashes(body: &mut Vec<u8>, hashes: &[Hash]) {
    body.push(hashes.len() as u8);
    hashes.iter().for_each(|hash| body.extend(hash.0));
}

/// Reads parts of bytes; memory is taken only for bytes that are there.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], NotAMessage> {
        let (part, rest) = self.0.split_at_checked(length).ok_or(NotAMessage::Damaged)?;
        self.0 = rest;
        Ok(part)
    }

    fn skip(&mut self, length: usize) -> Result<(), NotAMessage> {
        self.take(length).map(drop)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NotAMessage> {
        let (part, rest) = self.0.split_first_chunk().ok_or(NotAMessage::Damaged)?;
        self.0 = rest;
        Ok(*part)
    }

    fn u32(&mut self) -> Result<u32, NotAMessage> {
        self.array().map(u32::from_le_bytes)
    }

    fn tag(&mut self) -> Result<(), NotAMessage> {
        if self.array().map_err(|_| NotAMessage::Foreign)? != TAG {
            return Err(NotAMessage::Foreign);
        }
        match u16::from_le_bytes(self.array()?) {
            VERSION => Ok(()),
            found => Err(NotAMessage::Version { found }),
        }
    }

    fn list<const N: usize>(&mut self) -> Result<Vec<[u8; N]>, NotAMessage> {
        let count = self.array::<1>()?[0];
        (0..count).map(|_| self.array()).collect()
    }

    fn text(&mut self, longest: usize) -> Result<String, NotAMessage> {
        let length = u16::from_le_bytes(self.array()?) as usize;
        if length > longest {
            return Err(NotAMessage::Damaged);
        }
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| NotAMessage::Damaged)
    }

    fn words(&mut self) -> Result<Vec<u64>, NotAMessage> {
        let (words, rest) = self.0.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(NotAMessage::Damaged);
        }
        self.0 = &[];
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}
