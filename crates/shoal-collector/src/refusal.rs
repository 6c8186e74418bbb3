//! Why a report or a request was refused.

use shoal_device::wire::WireError;

/// Why a report, or a whole request, was refused. No variant repeats a value of a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A report of another design.
    #[error("the report was made under another design; get the collection's design again and report anew")]
    OtherDesign,
    /// More or fewer values than columns.
    #[error("the report does not have one value for each column of the design")]
    OtherColumns,
    /// A report that the mechanism never makes.
    #[error("the mechanism of this collection cannot have made this report; use a client that follows the design")]
    Impossible,
    /// Made too long ago.
    #[error("the report was made too long ago; report anew")]
    TooOld,
    /// Made in the future.
    #[error("the report was made in the future; set the clock of the device")]
    TooEarly,
    /// The collection is not open yet.
    #[error("the collection is not open yet; send the report when it is")]
    NotOpenYet,
    /// The collection is closed.
    #[error("the collection is closed and takes no more reports")]
    Closed,
    /// No such collection.
    #[error("there is no such collection; check its name")]
    NoCollection,
    /// Clusters are shown from a minimum number of reports on.
    #[error("there are not enough reports for clusters yet; ask again later")]
    NoModelYet,
    /// Bytes that are no reports.
    #[error("the body cannot be read as reports: {0}")]
    Malformed(WireError),
    /// A body of another kind.
    #[error("send reports as application/vnd.shoal.reports or application/json")]
    MediaType,
    /// A body that is too large.
    #[error("the body is larger than this server takes; send fewer reports at a time")]
    TooLarge,
    /// A body that came too slowly.
    #[error("the body did not arrive in time; send it again")]
    TooSlow,
    /// A body that ended before it was complete.
    #[error("the body ended before it was complete; send it again")]
    CutOff,
    /// More work than the server has room for.
    #[error("the server has more reports in hand than it has room for; send them again after the time in Retry-After")]
    Busy,
    /// The store does not take reports at the moment.
    #[error("the server cannot store reports at the moment; send them again later")]
    Storage,
    /// The wrong key, or none.
    #[error("this needs the right key in the header `authorization: Bearer …`")]
    Unauthorised,
    /// A collection with tokens, and none was sent.
    #[error(
        "this collection takes each report with a one-time token; get one from the issuer and send it in the header `shoal-token`"
    )]
    NoToken,
    /// A token that the issuer did not sign.
    #[error("the token is not one of this collection's issuer; get another one")]
    WrongToken,
    /// A token that was spent on another report.
    #[error(
        "the token was spent on another report; each report needs its own, and a person gets as many as they may send"
    )]
    SpentToken,
    /// Several reports with one token.
    #[error("a token is for one report; send each report in a request of its own")]
    OneReportEach,
    /// No such page.
    #[error("there is nothing here; /openapi.json describes what there is")]
    NotFound,
    /// Another method than the place has.
    #[error("this place does not have that method; /openapi.json describes what there is")]
    Method,
    /// A name in the address that the operator's port does not go by.
    #[error("this port is for the operator and goes by another name; open it as it was printed at the start")]
    OtherHost,
}

/// Every kind there is, under which refusals are counted.
pub(crate) const KINDS: [&str; 24] = [
    "other-design-of-report",
    "other-columns-of-report",
    "impossible-report",
    "too-old",
    "too-early",
    "not-open-yet",
    "closed",
    "no-collection",
    "no-model-yet",
    "malformed",
    "media-type",
    "too-large",
    "too-slow",
    "cut-off",
    "busy",
    "storage",
    "unauthorised",
    "no-token",
    "wrong-token",
    "spent-token",
    "one-report-each",
    "not-found",
    "method",
    "other-host",
];

impl Refusal {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(error) => error.code(),
            Self::OtherDesign => "other-design-of-report",
            Self::OtherColumns => "other-columns-of-report",
            Self::Impossible => "impossible-report",
            Self::TooOld => "too-old",
            Self::TooEarly => "too-early",
            Self::NotOpenYet => "not-open-yet",
            Self::Closed => "closed",
            Self::NoCollection => "no-collection",
            Self::NoModelYet => "no-model-yet",
            Self::MediaType => "media-type",
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::CutOff => "cut-off",
            Self::Busy => "busy",
            Self::Storage => "storage",
            Self::Unauthorised => "unauthorised",
            Self::NoToken => "no-token",
            Self::WrongToken => "wrong-token",
            Self::SpentToken => "spent-token",
            Self::OneReportEach => "one-report-each",
            Self::NotFound => "not-found",
            Self::Method => "method",
            Self::OtherHost => "other-host",
        }
    }

    /// The kind under which it is counted.
    pub(crate) fn kind(&self) -> usize {
        let name = if matches!(self, Self::Malformed(_)) { "malformed" } else { self.code() };
        // Unwrap safety: a test goes through all variants.
        KINDS.iter().position(|kind| *kind == name).unwrap()
    }

    /// The HTTP status of a request that is refused for this reason.
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_)
            | Self::OtherDesign
            | Self::OtherColumns
            | Self::Impossible
            | Self::TooOld
            | Self::TooEarly
            | Self::OneReportEach
            | Self::CutOff => 400,
            Self::Unauthorised | Self::NoToken | Self::WrongToken => 401,
            Self::NotOpenYet | Self::SpentToken => 403,
            Self::NoCollection | Self::NoModelYet | Self::NotFound => 404,
            Self::Method => 405,
            Self::TooSlow => 408,
            Self::Closed => 410,
            Self::TooLarge => 413,
            Self::MediaType => 415,
            Self::OtherHost => 421,
            Self::Busy | Self::Storage => 503,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_kind_of_its_own() {
        use Refusal as R;
        let all = [
            R::OtherDesign,
            R::OtherColumns,
            R::Impossible,
            R::TooOld,
            R::TooEarly,
            R::NotOpenYet,
            R::Closed,
            R::NoCollection,
            R::NoModelYet,
            R::Malformed(WireError::Empty),
            R::MediaType,
            R::TooLarge,
            R::TooSlow,
            R::CutOff,
            R::Busy,
            R::Storage,
            R::Unauthorised,
            R::NoToken,
            R::WrongToken,
            R::SpentToken,
            R::OneReportEach,
            R::NotFound,
            R::Method,
            R::OtherHost,
        ];
        let mut kinds: Vec<usize> = all.iter().map(Refusal::kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, (0..KINDS.len()).collect::<Vec<_>>());
        assert!(all.iter().all(|refusal| (400..600).contains(&refusal.status())));
    }
}
