//! `shoal consortium`, one file per action.

mod price;
mod price_text;

use crate::arguments::Shown;
use crate::consortium_arguments::{ConsortiumAction, ConsortiumArgs};
use crate::failure::Failure;

/// Runs an action.
pub fn run(args: &ConsortiumArgs, shown: &Shown) -> Result<(), Failure> {
    match &args.action {
        ConsortiumAction::Price(args) => price::run(args, shown),
    }
}
