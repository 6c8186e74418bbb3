//! `shoal methods`

use shoal::curator::METHODS;

use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::output::{self, Table};

/// Lists every method.
pub fn run(shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        return output::json(METHODS);
    }
    let mut table = Table::new(&["method", "trust", "paper", "published", "guarantee", "status"]);
    for method in METHODS {
        table.row([method.name, method.trust, method.paper, method.published, method.guarantee, method.status]);
    }
    let mut text = table.to_string();
    text.push('\n');
    for method in METHODS {
        text.push_str(&format!("{}: {}.\n", method.name, method.summary));
    }
    text.push_str(
        "\nWhat a paper published and what the code guarantees are two things; PRIVACY.md tells the difference.\n",
    );
    output::print(&text)
}
