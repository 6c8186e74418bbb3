//! `shoal consortium price`: what codes would promise and cost. Reads no data.

use serde::Serialize;
use shoal_consortium::price::{Afford, CrowdComparison, Price, afford};
use shoal_consortium::promise::{AtDistance, at_distance};
use shoal_consortium::{Agreement, AgreementFile, Attribute, Flips, Limit, Partition, Scale, Terms, TermsError};
use shoal_files::BoundsSpec;
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_privacy::{Delta, Epsilon};

use crate::arguments::consortium::price::{PartitionArg, PriceArgs};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::show::consortium::price as text;
use crate::show::output;

/// Bits of a code where none are given: the paper's.
const BITS: u32 = 1000;

/// Distances at which the promise is told, as shares of the range.
pub const SHARES: [f64; 4] = [0.001, 0.01, 0.1, 1.0];

/// Prices terms, or lists what a total affords.
pub fn run(args: &PriceArgs, shown: &Shown) -> Result<(), Failure> {
    let partition = match (args.partition, args.records) {
        (PartitionArg::Records, None) => Partition::Records,
        (PartitionArg::Records, Some(_)) => {
            return Err(Failure::usage("--records goes with --partition decomposed; give both or neither"));
        }
        // Unwrap safety: the option is required with this partition.
        (PartitionArg::Decomposed, records) => Partition::Pairs { records: records.unwrap() },
    };
    let delta = Some(&args.delta).filter(|delta| !delta.amount().is_zero());
    if let Some(path) = &args.agreement {
        let agreement = AgreementFile::read(path)?.agreement;
        if *agreement.terms().flips() == Flips::None {
            return Err(Failure::refused("no bit is flipped by this agreement (BV): there is no promise to price"));
        }
        let priced = Priced::new(agreement.terms().clone(), Some(&agreement), partition, delta)?;
        return show(&priced, &text::priced(&priced, shown), shown);
    }
    let attributes = attributes(args)?;
    let scale = match args.scale {
        Some(scale) => scale,
        None if args.bounds.is_some() => Scale::Range,
        None => Scale::Own,
    };
    if let Some(total) = &args.afford {
        let total = Limit { epsilon: total.clone(), delta: delta.cloned() };
        let affordable = Affordable::new(total, &attributes, scale, partition, args.bits)?;
        return show(&affordable, &text::affordable(&affordable, shown), shown);
    }
    // Unwrap safety: required without --afford.
    let per_bit = args.epsilon.clone().unwrap();
    let terms =
        Terms::new(attributes, args.bits.unwrap_or(BITS), Flips::PerBit(per_bit), scale).map_err(Failure::usage)?;
    let priced = Priced::new(terms, None, partition, delta)?;
    show(&priced, &text::priced(&priced, shown), shown)
}

fn show<T: Serialize>(value: &T, text: &str, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json { output::json(value) } else { output::print(&output::wrapped(text)) }
}

fn attributes(args: &PriceArgs) -> Result<Vec<Attribute>, Failure> {
    let of = |name: String, range: Interval| Attribute::new(name, range, args.window * range.width());
    let spec = args.bounds.as_deref().or(args.range.as_deref()).unwrap_or_default();
    let attributes: Result<Vec<_>, TermsError> = match BoundsSpec::parse(spec).map_err(Failure::usage)? {
        BoundsSpec::All(range) if args.range.is_some() => {
            (1..=args.attributes).map(|i| of(format!("c{i}"), range)).collect()
        }
        BoundsSpec::Named(pairs) if args.bounds.is_some() => {
            pairs.into_iter().map(|(name, range)| of(name, range)).collect()
        }
        BoundsSpec::All(_) => {
            return Err(Failure::usage(
                "--bounds names each attribute here (--bounds age=17:90,hours=1:99); for one range of many give --range LO:HI --attributes N",
            ));
        }
        BoundsSpec::Named(_) => {
            return Err(Failure::usage("--range is one range for all, LO:HI; for one of each attribute give --bounds"));
        }
    };
    attributes.map_err(Failure::usage)
}

/// All that is told of terms.
#[derive(Serialize)]
pub struct Priced {
    /// One plain sentence.
    pub sentence: String,
    pub terms: Terms,
    /// Whether (a) counts the bits of agreed anchors, or stands for the worst there can be.
    pub agreed: bool,
    pub partition: Partition,
    pub delta: Option<Delta>,
    pub price: Price,
    /// The statements by distance: in one attribute, and in all where there are several.
    pub one_attribute: Vec<AtDistance>,
    pub whole_record: Vec<AtDistance>,
    pub comparison: CrowdComparison,
    pub compared: String,
}

impl Priced {
    fn new(
        terms: Terms,
        agreement: Option<&Agreement>,
        partition: Partition,
        delta: Option<&Delta>,
    ) -> Result<Self, Failure> {
        let price = match agreement {
            Some(agreement) => Price::of_agreement(agreement, partition, delta),
            None => Price::of_terms(&terms, partition, delta),
        };
        let price = price.map_err(Failure::usage)?;
        let total = loss_of(&price, delta);
        let comparison = CrowdComparison::new(&terms, partition, &total).map_err(Failure::usage)?;
        let rows = |whole_record| {
            let row = |share: &f64| {
                at_distance(&terms, agreement, (share * STEPS as f64).round() as u64, whole_record, delta)
            };
            if partition == Partition::Records { SHARES.iter().filter_map(row).collect() } else { Vec::new() }
        };
        let (one_attribute, whole_record) = (rows(false), if terms.dims() > 1 { rows(true) } else { Vec::new() });
        let sentence = text::sentence(&terms, partition, &price, delta);
        let compared = comparison.sentence();
        Ok(Self {
            sentence,
            terms,
            agreed: agreement.is_some(),
            partition,
            delta: delta.cloned(),
            price,
            one_attribute,
            whole_record,
            comparison,
            compared,
        })
    }
}

/// The ε for any two records, at the δ where one is given.
pub fn loss_of(price: &Price, delta: Option<&Delta>) -> Epsilon {
    let loss = price.promise.loss_at(delta);
    loss.and_then(|loss| loss.epsilon_at_up(delta.unwrap_or(&Delta::ZERO))).unwrap_or(Epsilon::ZERO)
}

/// All that is told of a total.
#[derive(Serialize)]
pub struct Affordable {
    pub total: Limit,
    pub attributes: Vec<Attribute>,
    pub scale: Scale,
    pub partition: Partition,
    #[serde(flatten)]
    pub found: Afford,
    pub comparison: CrowdComparison,
    pub compared: String,
}

impl Affordable {
    fn new(
        total: Limit,
        attributes: &[Attribute],
        scale: Scale,
        partition: Partition,
        also: Option<u32>,
    ) -> Result<Self, Failure> {
        let found = afford(&total, attributes, scale, partition, also).map_err(Failure::usage)?;
        let Some(best) = found.rows.get(found.best) else {
            return Err(Failure::refused(format!(
                "no code fits a total of {}; give more, or fewer attributes or records",
                total.loss().symbols()
            )));
        };
        let flips = Flips::PerBit(best.epsilon_per_bit.clone());
        let terms = Terms::new(attributes.to_vec(), best.bits, flips, scale).map_err(Failure::usage)?;
        let comparison = CrowdComparison::new(&terms, partition, &total.epsilon).map_err(Failure::usage)?;
        let compared = comparison.sentence();
        Ok(Self { total, attributes: attributes.to_vec(), scale, partition, found, comparison, compared })
    }
}
