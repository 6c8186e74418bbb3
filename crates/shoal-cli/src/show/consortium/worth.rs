//! How accurate distances in codes are, next to what the codes guarantee.

use std::path::Path;

use shoal::consortium::Worth;
use shoal_consortium::Scale;
use shoal_page::text::shell_word as quoted;

use crate::show::consortium::promised;

/// For people.
pub fn text(worth: &Worth, agreement: &Path) -> String {
    let unit = match worth.scale {
        Scale::Own => "",
        Scale::Range => " widths",
    };
    let (error, blind) = (worth.mean_absolute_error, worth.blind_error);
    let perturb = if error >= blind { " `shoal perturb` may serve better at the same total;" } else { "" };
    let see = if perturb.is_empty() { " See" } else { " see" };
    format!(
        "Distances decoded from such codes are off by {}{unit} on average; answering the same for every pair is off by {}.{perturb}{see} `shoal consortium price --agreement {}`.",
        promised::short(error),
        promised::short(blind),
        quoted(&agreement.to_string_lossy())
    )
}
