//! Who takes part: custodians, helpers and drivers, by their place in the charter.

use std::fmt;

/// One party of a charter. A channel authenticates it before its bytes get here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// Holds rows, a ledger, and connects to all helpers.
    Custodian(u8),
    /// Adds shares and noise.
    Helper(u8),
    /// Asks the questions and computes the model from released numbers.
    Driver(u8),
}

impl Party {
    /// Two bytes for messages.
    pub(crate) fn to_bytes(self) -> [u8; 2] {
        match self {
            Self::Custodian(i) => [0, i],
            Self::Helper(i) => [1, i],
            Self::Driver(i) => [2, i],
        }
    }

    /// A party from two bytes.
    pub(crate) fn from_bytes(bytes: [u8; 2]) -> Option<Self> {
        match bytes {
            [0, i] => Some(Self::Custodian(i)),
            [1, i] => Some(Self::Helper(i)),
            [2, i] => Some(Self::Driver(i)),
            _ => None,
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Custodian(i) => write!(f, "custodian {}", i + 1),
            Self::Helper(i) => write!(f, "helper {}", i + 1),
            Self::Driver(i) => write!(f, "driver {}", i + 1),
        }
    }
}

/// A message on its way.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Post {
    /// Who it is for.
    pub to: Party,
    /// What [`Message::to_bytes`](crate::Message::to_bytes) gave.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Post(to {}, {} bytes)", self.to, self.bytes.len())
    }
}
