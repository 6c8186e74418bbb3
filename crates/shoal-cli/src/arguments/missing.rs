//! An example, where a command line lacks what it needs.

use std::ffi::OsString;

use clap::error::ErrorKind;

/// Shows a whole command line where `fit` lacks arguments, because the parser names neither bounds nor what suggests them.
pub fn example(error: &clap::Error, words: &[OsString]) -> Option<&'static str> {
    let fit = words.iter().find(|word| !word.to_string_lossy().starts_with('-')).is_some_and(|word| word == "fit");
    (fit && error.kind() == ErrorKind::MissingRequiredArgument).then_some(
        "For example: shoal fit people.csv -k 4 --epsilon 1 --bounds age=0:110,visits=0:50\n\
         Bounds are limits that you know without looking at the data. `shoal look people.csv` prints such a line to edit, \
         from the header alone.",
    )
}
