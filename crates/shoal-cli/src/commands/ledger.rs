//! `shoal ledger`

use shoal::Ledger;
use shoal_ledger::{EntryState, Unit};
use shoal_page::text::printable;
use shoal_privacy::ledger::Balance;

use crate::arguments::{Format, LedgerAction, LedgerArgs, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::output::{self, Table};

/// What the mark of an entry means.
const UNFINISHED: &str = "\nunfinished: the budget was debited and the release is not known to have been written. The program is still at work, or was\ninterrupted, or failed. The budget stays spent: nobody can know how much of the release was seen.\n";

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
                "{}: ε = {epsilon}, δ = {delta} for everything that is released from it, kept in {}\n",
                printable(&dataset),
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
                    "purpose": e.purpose, "protects": e.unit.map(Unit::name), "table": e.table, "shoal": e.program, "finished": finished(e.state) })
            })
            .collect();
        value["entries"] = entries.into();
        all.push(value);
    }
    output::json(&all)
}

/// True or false, or nothing where the entry is older than such marks.
fn finished(state: EntryState) -> Option<bool> {
    match state {
        EntryState::Finished => Some(true),
        EntryState::Unfinished => Some(false),
        _ => None,
    }
}

fn show_table(ledger: &Ledger, names: &[String]) -> Result<(), Failure> {
    let (mut text, mut unfinished) = (String::new(), false);
    let mut totals = Table::new(&["data set", "ε total", "ε spent", "ε left", "δ total", "δ left"]);
    for name in names {
        let b = ledger.balance(name)?;
        totals.row([
            printable(name),
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
        text.push_str(&format!("\n{}\n", printable(name)));
        let mut table = Table::new(&["entry", "time", "ε", "δ", "purpose"]);
        for e in entries {
            let is_unfinished = finished(e.state) == Some(false);
            unfinished |= is_unfinished;
            let about = match e.unit {
                Some(Unit::Row) | None => String::new(),
                Some(unit) => format!(", about {unit}"),
            };
            let purpose = printable(&e.purpose) + &about + if is_unfinished { " (unfinished)" } else { "" };
            table.row([e.number.to_string(), printable(&e.time), e.epsilon.to_string(), e.delta.to_string(), purpose]);
        }
        text.push_str(&table.to_string());
    }
    if unfinished {
        text.push_str(UNFINISHED);
    }
    if names.is_empty() {
        text = "no data set yet; enter one with `shoal ledger init NAME --epsilon 1`\n".into();
    }
    output::print(&text)
}
