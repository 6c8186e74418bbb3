//! Values of the library by their names on the command line.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};

/// For each value its name and its line of help. One table takes the place of an enumeration that mirrors the library's.
#[derive(Clone, Copy)]
pub struct Names<T: 'static>(pub &'static [(&'static str, T, &'static str)]);

impl<T> Names<T> {
    fn shown(&self) -> impl Iterator<Item = PossibleValue> + use<T> {
        self.0.iter().map(|(name, _, help)| PossibleValue::new(*name).help(*help))
    }
}

impl<T: Clone + Send + Sync> TypedValueParser for Names<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        // Its message lists the names and guesses which one was meant.
        let given = PossibleValuesParser::new(self.shown()).parse_ref(command, arg, value)?;
        let found = self.0.iter().find(|(name, ..)| *name == given);
        // Unwrap safety: the parser lets only these names through.
        Ok(found.map(|(_, value, _)| value.clone()).unwrap())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.shown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_values_and_others_are_refused_with_a_hint() {
        let names = Names(&[("weak", 1, "some"), ("none", 0, "nothing")]);
        let parse = |text: &str| names.parse_ref(&Command::new("shoal"), None, OsStr::new(text));
        assert_eq!((parse("weak").unwrap(), parse("none").unwrap()), (1, 0));
        let message = parse("wek").unwrap_err().to_string();
        assert!(message.contains("[possible values: weak, none]") && message.contains("'weak'"), "{message}");
    }
}
