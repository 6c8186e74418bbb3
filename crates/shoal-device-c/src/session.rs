//! A design, the person's limits and what was sent before, in one place: what every client holds.

use serde::Deserialize;
use serde_json::json;
use shoal_device::wire::{Day, encode};
use shoal_device::{Design, Device, DeviceLedger, Limit, Repeat};
use shoal_privacy::{Claim, Epsilon, Strength};

use crate::Refusal;

/// The person's limits as JSON. All may be left out; every one that is there must hold.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    /// ε between any two records, of one report.
    any_two_records: Option<String>,
    /// ε per unit of distance, of one report.
    unit_of_distance: Option<String>,
    /// ε between any two records, of all reports together.
    total: Option<String>,
    /// This design and no other.
    digest: Option<String>,
    /// Only noise that is drawn exactly.
    exact_noise: bool,
}

/// A device under one design, with the person's limits and their ledger.
pub struct Session {
    design: Design,
    device: Device,
    ledger: DeviceLedger,
}

impl Session {
    /// Reads a published design, checks it against the limits (JSON, or nothing), and takes up the stored ledger (JSON, or
    /// nothing before the first report).
    ///
    /// # Errors
    /// When one of the texts cannot be read, the design guarantees nothing or exceeds a limit.
    pub fn open(design: &str, limits: &str, ledger: &str) -> Result<Self, Refusal> {
        let design = Design::from_json(design)?;
        design.numbers_only("this client")?;
        let limits: Limits = if limits.trim().is_empty() {
            Limits::default()
        } else {
            serde_json::from_str(limits).map_err(|error| Refusal::Limit { why: error.to_string() })?
        };
        let epsilon = |text: &Option<String>| text.as_deref().map(str::parse::<Epsilon>).transpose();
        let mut limit = Limit::default();
        if let Some(epsilon) = epsilon(&limits.any_two_records)? {
            limit = limit.and_any_two_records(epsilon);
        }
        if let Some(epsilon) = epsilon(&limits.unit_of_distance)? {
            limit = limit.and_unit_of_distance(epsilon);
        }
        if let Some(digest) = limits.digest {
            limit = limit.and_digest(digest);
        }
        if limits.exact_noise {
            limit = limit.and_exact_noise();
        }
        let mut ledger = DeviceLedger::from_json(ledger)?;
        if let Some(total) = epsilon(&limits.total)? {
            ledger = ledger.and_total(Some(total));
        }
        let device = Device::within(&design, &limit)?;
        Ok(Self { design, device, ledger })
    }

    /// A report in the binary form of the wire, or the earlier one. Store [`Self::ledger`] before sending it.
    ///
    /// # Errors
    /// When the values are no record, or the ledger does not allow the report.
    pub fn report(&mut self, values: &[f64], repeat: Repeat, day: Day) -> Result<Vec<u8>, Refusal> {
        let sent = self.ledger.answer(&mut self.device, values, repeat, day)?;
        Ok(encode(&[sent]))
    }

    /// So many reports that could be sent, in the user's units, one after the other. They are drawn like reports, and are for
    /// the person's eyes only: whoever sends one of them sends a report that no ledger counts.
    ///
    /// # Errors
    /// When the values are no record.
    pub fn simulate(&mut self, values: &[f64], count: usize) -> Result<Vec<f64>, Refusal> {
        let mut shown = Vec::with_capacity(count * values.len());
        for _ in 0..count {
            shown.extend(self.device.report(values)?.to_user(&self.design)?);
        }
        Ok(shown)
    }

    /// The state to store.
    pub fn ledger(&self) -> String {
        self.ledger.to_json()
    }

    /// What the design asks for and what it guarantees, as JSON: for the page or screen on which a person decides.
    pub fn about(&self) -> String {
        let promises = self.device.promises();
        let reports = self.ledger.reports(self.device.collection());
        let bounds = self.design.bounds();
        let columns = bounds.columns().iter().zip(bounds.intervals());
        let columns = columns.map(|(name, x)| json!({ "name": name, "lower": x.lo(), "upper": x.hi() }));
        let after = promises.clone().of_reports(reports + 1);
        let claims: Vec<_> = promises.claims().map(described).collect();
        json!({
            "collection": self.device.collection(),
            "identifier": self.design.identifier(),
            "digest": self.device.digest(),
            "mechanism": self.design.mechanism().name(),
            "epsilon": self.design.epsilon().to_string(),
            "columns": columns.collect::<Vec<_>>(),
            "guarantees": claims,
            "after_next_report": after.claims().map(described).collect::<Vec<_>>(),
            "reports": reports,
            "spent": self.ledger.spent().to_string(),
            "total": self.ledger.total().map(Epsilon::to_string),
            "of_all_reports": self.ledger.promise().as_ref().map(described),
        })
        .to_string()
    }

    /// The guarantees of one report, one paragraph for each unit in which there is one.
    pub fn promise(&self) -> String {
        self.device.promises().claims().map(Claim::sentence).collect::<Vec<_>>().join("\n\n")
    }
}

fn described(claim: &Claim) -> serde_json::Value {
    let statement = claim.statement();
    let strength = match claim.strength() {
        Strength::Usual => "usual",
        Strength::Weak => "weak",
        Strength::VeryWeak => "very-weak",
    };
    json!({
        "plain": statement.plain,
        "formal": statement.formal,
        "conditions": statement.conditions,
        "loss": claim.loss.symbols(),
        "strength": strength,
    })
}
