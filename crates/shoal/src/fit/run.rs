//! One run of a fit: check, read, pay, look.

use shoal_curator::MOST_CHOSEN;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{Decision, DesignSize, Outcome, PrivateBounds, Settings, System};
use shoal_files::{BoundsSpec, Missing};
use shoal_lattice::Bounds;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Amount, Assumption, Delta, Epsilon, Sensitive, ThisIsNotPrivate};
use shoal_scan::{LocalScan, Scan, ScanExt};

use super::bounds_asked::{BoundsAsked, Price};
use super::{Fit, Fitted};
use crate::input::{Input, Opened};
use crate::ledger::{OpenAccount, allow};
use crate::model::matching::check_columns;
use crate::model::{HowRead, Model};
use crate::persons::{Persons, for_rows, promised};
use crate::watch::{Notice, Phase};
use crate::{Engine, Error, K};

/// Fits a table. Nothing is debited before every row was read, and nothing is asked about the rows before that (but for
/// their number, where the caller made it public).
pub(super) fn on_table(fit: &Fit, input: Input<'_>) -> Result<Fitted, Error> {
    let mut account = OpenAccount::open(fit.account.as_ref())?;
    let (outcome, bounds) = match &fit.bounds {
        // A table of categories alone needs no bounds.
        None if fit.reading.categories.is_empty() => return Err(Error::BoundsNeeded),
        None => within_public_bounds(fit, input, &BoundsSpec::Named(Vec::new()), &mut account)?,
        Some(BoundsAsked::Public(spec)) => within_public_bounds(fit, input, spec, &mut account)?,
        Some(BoundsAsked::Bought(price)) => within_bought_bounds(fit, input, price, &mut account)?,
    };
    finished(fit, outcome, &bounds, account)
}

/// Clusters within bounds that anyone may know.
fn within_public_bounds(
    fit: &Fit,
    input: Input<'_>,
    spec: &BoundsSpec,
    account: &mut Option<OpenAccount>,
) -> Result<(Outcome, Bounds), Error> {
    let (opened, bounds) = fit.reading.open_within(input, spec)?;
    fit.reading.check_memory(&opened)?;
    check_earlier(fit, bounds.columns())?;
    fit.reading.announce_keys(&opened, &fit.watch);
    let table = content_hash(account, &opened)?;
    let store = fit.reading.load(opened, &bounds, Persons::key(fit.seed)?, &fit.watch)?;
    let scanning = fit.watch.phase(Phase::Scanning);
    let scan = LocalScan::new(store).with_memory(fit.reading.memory).with_progress(scanning);
    let outcome = pay_and_look(fit, &scan, &bounds, account, table)?;
    Ok((outcome, bounds))
}

/// Fits rows that an engine brings to the lattice where they are.
pub(super) fn on_engine(fit: &Fit, engine: &dyn Engine) -> Result<Fitted, Error> {
    let mut account = OpenAccount::open(fit.account.as_ref())?;
    let categories_alone = BoundsSpec::Named(Vec::new());
    let spec = match &fit.bounds {
        Some(BoundsAsked::Public(spec)) => spec,
        _ => &categories_alone,
    };
    let (scan, bounds) = fit.reading.scan_within(engine, spec, &fit.watch)?;
    check_earlier(fit, bounds.columns())?;
    let outcome = pay_and_look(fit, &*scan, &bounds, &mut account, None)?;
    let outcome = engine.conditions().into_iter().fold(outcome, Outcome::assuming);
    finished(fit, outcome, &bounds, account)
}

/// Fits rows that are on the lattice of `bounds` already.
pub(super) fn on_scan(fit: &Fit, scan: &dyn Scan, bounds: &Bounds) -> Result<Fitted, Error> {
    check_earlier(fit, bounds.columns())?;
    let mut account = OpenAccount::open(fit.account.as_ref())?;
    let outcome = pay_and_look(fit, scan, bounds, &mut account, None)?;
    finished(fit, outcome, bounds, account)
}

/// Sets the method up, debits its claim, and runs it.
fn pay_and_look(
    fit: &Fit,
    scan: &dyn Scan,
    bounds: &Bounds,
    account: &mut Option<OpenAccount>,
    table: Option<[u8; 32]>,
) -> Result<Outcome, Error> {
    fit.reading.on_threads(|| {
        let rows = public_rows(fit, || Ok(scan.row_count()?))?;
        let (epsilon, delta) = fit.reading.persons.budget_of_a_row(&fit.epsilon, &fit.delta)?;
        let method = method(fit, &epsilon, &delta, rows, bounds.dims())?;
        announce(fit, &*method, rows);
        let unit = fit.reading.persons.unit();
        let promise = promised(&unit, &method.claim())?;
        // Whatever can still fail comes before the debit.
        method.check_scan(scan)?;
        let mut noise = noise(fit.seed)?;
        let allowance = allow(account, &purpose(fit), promise, table, &fit.watch)?;
        let allowance = for_rows(allowance, method.claim(), &unit)?;
        cluster(fit, &*method, scan, allowance, &mut *noise)
    })
}

/// Clusters within bounds that are bought first. One debit pays for both.
fn within_bought_bounds(
    fit: &Fit,
    input: Input<'_>,
    price: &Price,
    account: &mut Option<OpenAccount>,
) -> Result<(Outcome, Bounds), Error> {
    let purchase = price.of(&fit.epsilon)?;
    let opened = fit.reading.open(input)?;
    let names = opened.columns().to_vec();
    fit.reading.check_memory(&opened)?;
    check_earlier(fit, &names)?;
    fit.reading.scaling.check(&names)?;
    fit.reading.announce_keys(&opened, &fit.watch);
    // Of a person's budget, each of their rows has a share, for the bounds as for the clusters.
    let most = fit.reading.persons.way().map_or(1, |way| way.most_rows());
    let (_, delta) = fit.reading.persons.budget_of_a_row(&fit.epsilon, &fit.delta)?;
    let estimate = PrivateBounds::new(&purchase.bounds.split(most), opened.dims())?;
    let key = Persons::key(fit.seed)?;
    let table = content_hash(account, &opened)?;
    let (raw, row_count) = fit.reading.read_through(&opened, key, &fit.watch)?;
    fit.reading.on_threads(move || {
        let rows = public_rows(fit, || Ok(row_count))?;
        let method = method(fit, &purchase.rest.split(most), &delta, rows, opened.dims())?;
        announce(fit, &*method, rows);
        let both = estimate.claim().then_within_its_bounds(&method.claim())?;
        let unit = fit.reading.persons.unit();
        let promise = promised(&unit, &both)?;
        // Whatever can still fail comes before the debit.
        let mut noise = noise(fit.seed)?;
        let allowance = allow(account, &format!("{}, bounds bought", purpose(fit)), promise, table, &fit.watch)?;
        let allowance = for_rows(allowance, both, &unit)?;
        let (for_bounds, for_clusters) = allowance.split_for_bounds(estimate.claim(), method.claim())?;

        let mut accountant = Accountant::new(for_bounds);
        let finding = fit.watch.phase(Phase::FindingBounds);
        let counted = estimate.count(&raw.scan(&opened, &finding))?;
        let found = estimate.run(counted, &raw.scan(&opened, &finding), &mut accountant, &mut *noise)?;
        drop(finding);
        drop(raw);
        // Weights depend on no bounds, and stretched columns were refused before anything was spent.
        let bounds = fit.reading.scaling.apply(found.bounds(&names)?)?;
        let store = fit.reading.load(opened, &bounds, key, &fit.watch)?;
        let scanning = fit.watch.phase(Phase::Scanning);
        let scan = LocalScan::new(store).with_memory(fit.reading.memory).with_progress(scanning);
        let outcome = cluster(fit, &*method, &scan, for_clusters, &mut *noise)?;
        let decisions = crate::bounds::decisions(&found, &names, &purchase.bounds);
        Ok((outcome.with_bought_bounds(accountant.spent(), decisions)?, bounds))
    })
}

/// The conditions that the run adds to the claim, and all that leaves with it.
fn finished(fit: &Fit, outcome: Outcome, bounds: &Bounds, account: Option<OpenAccount>) -> Result<Fitted, Error> {
    // On the outcome, so that the model and the synopsis promise the same things.
    let named = matches!(&fit.bounds, Some(BoundsAsked::Public(BoundsSpec::Named(_))) | None);
    let mut outcome = fit.reading.conditions(named).into_iter().fold(outcome, Outcome::assuming);
    if fit.reading.missing.fills_gaps() {
        outcome = outcome.with_middles_for_gaps();
    }
    if let Some(way) = fit.reading.persons.way() {
        let (columns, rows, most) = (fit.reading.persons.columns.clone(), way.to_string(), way.most_rows());
        outcome = outcome.for_persons(most, Decision::Persons { columns, rows, most });
    }
    if fit.rows_public {
        if fit.reading.missing == Missing::Drop {
            // The number that is disclosed is that of the rows without gaps.
            outcome = outcome.assuming(Assumption::GapsPublic);
        }
        outcome = outcome.with_public_row_count();
    }
    let info = &fit.method.info;
    let mut model = Model::of(&outcome, bounds, info.name, info.published());
    model.reading = HowRead::of(&fit.reading);
    if let K::Given(k) = fit.k {
        model = model.with_asked_k(k);
    }
    if fit.sampling {
        model = model.with_sampling();
    }
    if let Some(earlier) = &fit.earlier {
        model = model.matched_with(earlier)?;
    }
    let synopsis = SynopsisFile::of(outcome, bounds, info.name, info.published());
    let (left, begun) = OpenAccount::settle(account, fit.finish_later);
    Ok(Fitted { model, synopsis, left, begun })
}

/// Refuses an earlier model of other columns, before anything is spent.
fn check_earlier(fit: &Fit, columns: &[String]) -> Result<(), Error> {
    let earlier = fit.earlier.as_ref();
    Ok(earlier.map_or(Ok(()), |earlier| check_columns(&earlier.columns, columns))?)
}

/// What the ledger keeps about a run.
fn purpose(fit: &Fit) -> String {
    let name = fit.method.info.name;
    match fit.k {
        K::Given(1) => format!("1 cluster by {name}"),
        K::Given(k) => format!("{k} clusters by {name}"),
        auto => format!("up to {} clusters, to be chosen, by {name}", auto.most(MOST_CHOSEN)),
    }
}

/// The operating system's noise, or a seed's.
pub(crate) fn noise(seed: Option<u64>) -> Result<Box<dyn NoiseSource>, Error> {
    Ok(match seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    })
}

/// The method with its settings, for a number of rows that anyone may know.
fn method(
    fit: &Fit,
    epsilon: &Epsilon,
    delta: &Delta,
    rows: Option<u64>,
    dims: usize,
) -> Result<Box<dyn System>, Error> {
    let size = match (rows, &fit.count_share) {
        (Some(rows), _) if fit.rows_public => DesignSize::Disclosed(rows),
        (Some(rows), _) => DesignSize::Public(rows),
        (None, Some(share)) => DesignSize::Bought { share: share.clone() },
        (None, None) => DesignSize::bought(),
    };
    let settings = Settings {
        k: fit.k.most(MOST_CHOSEN),
        epsilon: epsilon.clone(),
        delta: delta.clone(),
        size,
        choose_k: fit.k.is_auto(),
        keep_cells: fit.keep_cells,
        knobs: fit.knobs.clone(),
    };
    Ok(fit.method.build(&settings, dims)?)
}

/// The number of rows that anyone may know, if there is one.
fn public_rows(fit: &Fit, count: impl FnOnce() -> Result<Sensitive<u64>, Error>) -> Result<Option<u64>, Error> {
    if !fit.rows_public {
        return Ok(fit.rows);
    }
    let rows = count()?.without_privacy().reveal(ThisIsNotPrivate);
    fit.watch.notice(&Notice::RowsDisclosed { rows });
    Ok(Some(rows))
}

/// Passes on what should be known before anything is spent.
fn announce(fit: &Fit, method: &dyn System, rows: Option<u64>) {
    if fit.seed.is_some() {
        fit.watch.notice(&Notice::Seeded);
    }
    let Some(rows) = rows else { return };
    if fit.delta.amount().times(&Amount::ratio(rows, 1)) >= Amount::ONE {
        fit.watch.notice(&Notice::LargeDelta { delta: fit.delta.clone(), rows });
    }
    let (error, plan) = (method.expected_error(rows as f64), method.plan(rows as f64));
    fit.watch.notice(&Notice::Expected { rows, error, plan });
}

/// What the table is known by in a ledger, where there is one.
fn content_hash(account: &Option<OpenAccount>, opened: &Opened<'_>) -> Result<Option<[u8; 32]>, Error> {
    account.as_ref().map(|_| opened.content_hash()).transpose()
}

/// Runs the method.
fn cluster(
    fit: &Fit,
    method: &dyn System,
    scan: &dyn Scan,
    allowance: Allowance,
    noise: &mut dyn NoiseSource,
) -> Result<Outcome, Error> {
    let _clustering = fit.watch.phase(Phase::Clustering);
    Ok(method.run_watched(scan, allowance, noise, &|step| fit.watch.step(step))?)
}
