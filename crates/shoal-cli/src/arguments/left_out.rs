//! Commands that this build of the program leaves out, and how to get them.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands that need a feature of the build: their name, the feature, and whether it is there.
const NEED_A_FEATURE: [(&str, &str, bool); 6] = [
    ("audit", "audit", cfg!(feature = "audit")),
    ("attack", "audit", cfg!(feature = "audit")),
    ("reproduce", "reproduce", cfg!(feature = "reproduce")),
    ("serve", "collector", cfg!(feature = "collector")),
    ("collection", "collector", cfg!(feature = "collector")),
    ("compare", "reproduce", cfg!(feature = "reproduce")),
];

/// What to do where the command line asks for a command that was left out of the build; nothing for other mistakes.
pub fn explain(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let (command, feature, _) = NEED_A_FEATURE.into_iter().find(|(name, _, there)| name == asked && !there)?;
    Some(format!(
        "the command `{command}` is not part of this build of shoal, which was made without the feature `{feature}`; install it with `cargo install shoal-cli --features {feature}`"
    ))
}
