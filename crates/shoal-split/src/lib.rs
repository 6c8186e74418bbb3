//! Split trust: several custodians answer Shoal's questions in shares, h helpers add the shares up and each add the whole
//! noise, and nobody is trusted with another's rows.
//!
//! *What is promised.* Whoever controls the driver, the network, any custodians and all helpers but one learns from a whole
//! run no more about one row of another custodian than ε allows, ε being what that custodian's ledger was debited. The theorem,
//! its proof and what is *not* promised are in docs/split-trust.md, the bytes in docs/split-messages.md.
//!
//! | module | what |
//! |---|---|
//! | [`Charter`] | members, helpers, keys and limits, with a fingerprint that everyone compares (R1, R14) |
//! | [`Custodian`], [`Helper`], [`Driver`] | the three roles as pure state machines: bytes in, bytes out |
//! | [`Message`] | the canonical form of what they exchange, with decoders that take nothing else (R2, R11) |
//! | [`Chain`] | hashes over everything so far, which every message and every pad is bound to (R2, R4) |
//! | [`shares`] | additive shares modulo 2^64 |
//! | [`Budget`] | what a step costs, computed by everyone from the step itself (R13) |
//! | [`Purse`] | a custodian's budget: debited durably before it answers (R8) |
//! | [`SplitReleaser`] | a [`Releaser`](shoal_release::Releaser) for methods |
//! | [`Rehearsal`] | all roles in one process |
//! | [`Transcript`], [`verify()`], [`Replay`] | the public record, and everything computed again from it (R15) |
//!
//! There are no sockets, no files and no clock here.

mod admission;
mod chain;
mod charter;
mod custodian;
mod driver;
mod hash;
mod helper;
mod message;
mod party;
mod plausible;
mod purse;
mod rehearsal;
mod releaser;
pub mod shares;
mod transcript;
mod verify;
mod why;

pub use admission::{Admitted, Budget, MOST_BOXES, MOST_CELLS, claim, claim_if_all_collude};
pub use chain::{Chain, answer_digest, order_hash};
pub use charter::{Charter, CharterError, CharterText, ColumnEntry, HelperEntry, Member, PublicKey};
pub use custodian::{AgreeToAll, Asked, Custodian, Gate};
pub use driver::Driver;
pub use hash::{Hash, from_hex, to_hex};
pub use helper::Helper;
pub use message::{
    Body, Contribution, HEADER, Header, Incarnation, LONGEST_BODY, LONGEST_SETTINGS, Message, NotAMessage, Order,
    RunId, VERSION,
};
pub use party::{Party, Post};
pub use purse::{LedgerPurse, NoLedger, Purse, debit_for};
pub use rehearsal::{Delivered, Rehearsal};
pub use releaser::{Courier, OtherQuestion, Replay, SplitReleaser, copies};
pub use transcript::{Begun, RoundRecord, Transcript, TranscriptError};
pub use verify::{NotVerified, Verified, verify};
pub use why::{Ended, Why};
