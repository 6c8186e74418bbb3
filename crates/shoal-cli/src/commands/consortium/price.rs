//! `shoal consortium price`: what codes would guarantee and cost. Reads no data.

use serde::Serialize;
use shoal::Error;
use shoal::consortium::{ConsortiumError, Price};
use shoal_consortium::AgreementFile;

use crate::arguments::consortium::price::{PartitionArg, PriceArgs};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::consortium::price::{AffordableText, PricedText};
use crate::show::output;

/// Prices terms, or lists what a total affords.
pub fn run(args: &PriceArgs, shown: &Shown) -> Result<(), Failure> {
    if args.partition == PartitionArg::Records && args.records.is_some() {
        return Err(Failure::usage("--records goes with --partition decomposed; give both or neither"));
    }
    let job = set_up(args).map_err(failed)?;
    if let Some(total) = &args.afford {
        let found = job.afford(total).map_err(failed)?;
        let text = AffordableText::new(&found);
        return show(&text, &text.text(shown), shown);
    }
    let priced = job.run().map_err(failed)?;
    let text = PricedText::new(&priced);
    show(&text, &text.text(shown), shown)
}

fn show<T: Serialize>(value: &T, text: &str, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json { output::json(value) } else { output::print(&output::wrapped(text)) }
}

/// The price that the command line asks for.
fn set_up(args: &PriceArgs) -> Result<Price, Error> {
    let mut job = match (&args.agreement, &args.bounds) {
        (Some(path), _) => Price::of_agreement(&AgreementFile::read(path).map_err(ConsortiumError::from)?),
        (None, Some(bounds)) => Price::of_bounds(bounds)?.window(args.window)?,
        (None, None) => {
            Price::of_range(args.range.as_deref().unwrap_or_default(), args.attributes)?.window(args.window)?
        }
    };
    job = job.delta(&args.delta)?;
    if let Some(bits) = args.bits {
        job = job.bits(bits);
    }
    if let Some(epsilon) = &args.epsilon {
        job = job.epsilon(epsilon)?;
    }
    if let Some(scale) = args.scale {
        job = job.scale(scale);
    }
    if let Some(records) = args.records {
        job = job.pairs_of(records);
    }
    Ok(job)
}
