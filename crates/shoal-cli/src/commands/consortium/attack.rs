//! `shoal consortium attack`: what attackers read out of codes.
//!
//! The attacks are in `shoal-audit`, which the library does not know, so the command is part of the feature `audit`. It
//! releases nothing: it simulates, or shows the holder of a table what codes of it would give away.

use serde_json::json;
use shoal_audit::consortium_attack::{Demonstration, demonstrate};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::{Agreement, AgreementFile, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal_files::{DataError, Missing};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, LatticeMap, Steps};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise, uniform};
use shoal_page::text::to_step;
use shoal_privacy::{Sensitive, ThisIsNotPrivate};

use crate::arguments::consortium::attack::AttackArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::rows::{self, Wanted};
use crate::show::output::{self, Table};
use crate::show::progress::Bar;
use crate::table;

/// Rows read at a time.
const BATCH: usize = 4096;

/// Records that attackers know, where nothing is asked for.
const KNOWN: [usize; 3] = [1, 5, 20];

/// Runs the attackers.
pub fn run(args: &AttackArgs, shown: &Shown) -> Result<(), Failure> {
    crate::threads::start(shown)?;
    match args.seed {
        Some(seed) => attacked(args, shown, SeededNoise::new(seed)),
        None => attacked(args, shown, OsNoise::new()?),
    }
}

fn attacked(args: &AttackArgs, shown: &Shown, mut noise: impl NoiseSource) -> Result<(), Failure> {
    let agreement = match &args.agreement {
        Some(path) => AgreementFile::read(path)?.agreement,
        None => made_for_the_occasion(args, &mut noise)?,
    };
    let attributes = agreement.terms().attributes();
    let attribute = match &args.column {
        None => 0,
        Some(name) => attributes.iter().position(|a| a.name == *name).ok_or_else(|| {
            let names: Vec<&str> = attributes.iter().map(|a| a.name.as_str()).collect();
            Failure::usage(format!("the agreement has no attribute `{name}`; it has {}", names.join(", ")))
        })?,
    };
    let own = args.data.as_deref();
    let values = match own {
        Some(data) => first_values(data, args, &attributes[attribute], shown)?,
        None => (0..args.people).map(|_| uniform::below(&mut noise, STEPS + 1) as i32).collect(),
    };
    let known = known(args, values.len())?;
    let waiting = Bar::waiting("attacking", shown);
    let codes = encoded(&agreement, attribute, &values, &mut noise)?;
    let found = Sensitive::new(demonstrate(&agreement, attribute, &codes, &values, &known));
    waiting.finish();
    show(&found.without_privacy().reveal(ThisIsNotPrivate), &agreement, attribute, own, shown)
}

/// How many records the attackers with known plaintext know: as asked for, or as many of the usual ones as there are.
fn known(args: &AttackArgs, records: usize) -> Result<Vec<usize>, Failure> {
    let possible = |known: &usize| (1..records).contains(known);
    let Some(known) = &args.known else { return Ok(KNOWN.into_iter().filter(possible).collect()) };
    match known.iter().find(|known| !possible(known)) {
        Some(known) => Err(Failure::usage(format!(
            "--known {known} of {records} records leaves nobody to find; give 1 to {}",
            records - 1
        ))),
        None => Ok(known.clone()),
    }
}

fn made_for_the_occasion(args: &AttackArgs, noise: &mut impl NoiseSource) -> Result<Agreement, Failure> {
    let attribute = Attribute::new("value", args.range, args.window * args.range.width()).map_err(Failure::usage)?;
    let flips = if args.no_flips { Flips::None } else { Flips::PerBit(args.epsilon.clone()) };
    let terms = Terms::new(vec![attribute], args.bits, flips, Scale::Own).map_err(Failure::usage)?;
    Ok(Agreement::new(terms, AnchorSecret::from_seed(noise.next_u64())))
}

/// The first values of a column, on the lattice. Sensitive.
fn first_values(data: &str, args: &AttackArgs, attribute: &Attribute, shown: &Shown) -> Result<Vec<i32>, Failure> {
    let wanted = Wanted {
        columns: Some(vec![attribute.name.clone()]),
        label: None,
        missing: Missing::Refuse,
        no_header: false,
        multiline: false,
        memory: 1 << 30,
    };
    let table = rows::open(table::source(data, shown), wanted)?;
    let map = LatticeMap::new(&Bounds::new(vec![attribute.name.clone()], vec![attribute.range])?);
    let bar = Bar::reading("reading", shown);
    let mut values = Vec::new();
    table.for_each_batch(BATCH, &bar, |batch| {
        let in_steps = batch.column(0).iter().filter_map(|x| map.to_steps(0, *x));
        let room = args.people as usize - values.len();
        values.extend(in_steps.take(room).map(|Steps(x)| x as i32));
        Ok::<(), DataError>(())
    })?;
    bar.finish();
    if values.len() < 2 {
        return Err(Failure::refused("there is only one record; attackers compare records, so give two or more"));
    }
    Ok(values)
}

/// Codes of one attribute; the others are left at zero steps, because nobody looks at them.
fn encoded(
    agreement: &Agreement,
    attribute: usize,
    values: &[i32],
    noise: &mut impl NoiseSource,
) -> Result<Codes, Failure> {
    let encoder = Dpbv::new(agreement)?;
    let mut codes = Codes::new(agreement.terms());
    let mut record = vec![0; agreement.terms().dims()];
    let mut words = vec![0; codes.record_words()];
    for value in values {
        record[attribute] = *value;
        encoder.encode(&record, noise, &mut words);
        codes.extend(&words);
    }
    Ok(codes)
}

fn show(
    found: &Demonstration,
    agreement: &Agreement,
    attribute: usize,
    own: Option<&str>,
    shown: &Shown,
) -> Result<(), Failure> {
    let (terms, about) = (agreement.terms(), &agreement.terms().attributes()[attribute]);
    if shown.format == Format::Json {
        return output::json(&json!({
            "made_up": own.is_none(),
            "errors_are": "shares of the range",
            "attribute": about.name,
            "range": about.range,
            "bits": terms.bits(),
            "flips": terms.flips(),
            "t": about.t(),
            "records": found.records,
            "attacks": found.attacks,
        }));
    }
    let width = about.range.width();
    let units = |share: f64| to_step(share * width, 0.01 * width);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut table =
        Table::new(&["attacker", "has, beside the codes", "error", "by guess", "within 5 %", "by guess", "sure of"]);
    for attack in &found.attacks {
        table.row([
            attack.attacker.to_string(),
            attack.knows.clone(),
            units(attack.mean_error),
            units(attack.guess_error),
            percent(attack.close),
            percent(attack.guess_close),
            attack.interval.map_or_else(String::new, |width| format!("± {}", units(width / 2.0))),
        ]);
    }
    let flips = match terms.flips() {
        Flips::None => "no bit flipped".to_string(),
        Flips::PerBit(epsilon) => format!("ε = {epsilon} per bit"),
    };
    let whose = match own {
        Some(data) => format!("{} records of {}", found.records, table::short_name(data)),
        None => format!("{} made-up people", found.records),
    };
    let warning = if own.is_some() { "NOT PRIVATE: computed from raw values. For your eyes only.\n\n" } else { "" };
    output::print(&output::wrapped(&format!(
        "{warning}{whose}, `{}` from {} to {}, {} bits, t = {}, {flips}\n\n{table}\n\
         Error: mean distance of the place found from the true value, in its unit. By guess: the same without any code, \
         everyone put in the middle. Within 5 %: records placed that close, in parts of the range. Sure of: half the \
         interval that holds the value with 95 %.\n",
        about.name,
        about.range.lo(),
        about.range.hi(),
        terms.bits(),
        to_step(about.t(), 0.01 * about.t()),
    )))
}
