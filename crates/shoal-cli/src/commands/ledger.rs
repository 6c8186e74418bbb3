//! `shoal ledger`

use shoal::Ledger;
use shoal_privacy::ledger::Balance;

use crate::arguments::{Format, LedgerAction, LedgerArgs, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::output::{self, Table};

/// Enters data sets and shows what is left.
pub fn run(args: &LedgerArgs, shown: &Shown) -> Result<(), Failure> {
    match &args.action {
        LedgerAction::Init { dataset, epsilon, delta } => {
            let dataset = Ledger::name_of(dataset);
            let mut ledger = Ledger::create_or_open(&args.ledger).map_err(failed)?;
            ledger.init(&dataset, epsilon, delta).map_err(failed)?;
            if shown.format == Format::Json {
                return output::json(&balance_json(&dataset, &ledger.balance(&dataset)?));
            }
            output::print(&format!(
                "{dataset}: ε = {epsilon}, δ = {delta} for everything that is released from it, kept in {}\n",
                args.ledger.display()
            ))
        }
        LedgerAction::Show { dataset } => {
            let ledger = Ledger::open(&args.ledger)?;
            let names = match dataset {
                Some(name) => vec![Ledger::name_of(name)],
                None => ledger.datasets()?,
            };
            match shown.format {
                Format::Json => show_json(&ledger, &names),
                Format::Table => show_table(&ledger, &names),
            }
        }
    }
}

fn balance_json(dataset: &str, balance: &Balance) -> serde_json::Value {
    serde_json::json!({
        "dataset": dataset,
        "epsilon": { "total": balance.epsilon_total, "spent": balance.epsilon_spent, "left": balance.epsilon_left().amount().to_shortest_decimal_down() },
        "delta": { "total": balance.delta_total, "spent": balance.delta_spent, "left": balance.delta_left().to_shortest_decimal_down() },
    })
}

fn show_json(ledger: &Ledger, names: &[String]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for name in names {
        let mut value = balance_json(name, &ledger.balance(name)?);
        let entries: Vec<_> = ledger
            .entries(name)?
            .into_iter()
            .map(|e| {
                serde_json::json!({ "entry": e.number, "time": e.time, "epsilon": e.epsilon, "delta": e.delta,
                    "purpose": e.purpose, "shoal": e.program })
            })
            .collect();
        value["entries"] = entries.into();
        all.push(value);
    }
    output::json(&all)
}

fn show_table(ledger: &Ledger, names: &[String]) -> Result<(), Failure> {
    let mut text = String::new();
    let mut totals = Table::new(&["data set", "ε total", "ε spent", "ε left", "δ total", "δ left"]);
    for name in names {
        let b = ledger.balance(name)?;
        totals.row([
            name.clone(),
            b.epsilon_total.to_string(),
            b.epsilon_spent.to_string(),
            b.epsilon_left().amount().display_down(),
            b.delta_total.to_string(),
            b.delta_left().display_down(),
        ]);
    }
    text.push_str(&totals.to_string());
    for name in names {
        let entries = ledger.entries(name)?;
        if entries.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{name}\n"));
        let mut table = Table::new(&["entry", "time", "ε", "δ", "purpose"]);
        for e in entries {
            table.row([e.number.to_string(), e.time, e.epsilon.to_string(), e.delta.to_string(), e.purpose]);
        }
        text.push_str(&table.to_string());
    }
    if names.is_empty() {
        text = "no data set yet; enter one with `shoal ledger init NAME --epsilon 1`\n".into();
    }
    output::print(&text)
}
