//! Parts of messages.

use shoal_files::FileKind;
use shoal_privacy::Parameter;

/// A share as people write it.
pub(super) fn share(share: f64) -> String {
    format!("{}%", 100.0 * share)
}

/// How bounds are bought.
pub(super) fn how_to_buy() -> String {
    let (bounds, epsilon) = (Parameter::BOUNDS, Parameter::EPSILON);
    format!("write {bounds} auto:0.1 to spend 0.1 of {epsilon} on them, or auto:10% for a tenth of it")
}

/// What a released file holds.
pub(super) fn kind_words(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Reports => "reports, which are perturbed already",
        FileKind::Codes => "codes of a consortium",
        FileKind::Synopsis => "released cells",
        _ => "something else",
    }
}
