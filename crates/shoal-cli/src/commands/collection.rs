//! `shoal collection`: the collections of a server, whether it runs or not.

use std::fs;
use std::path::Path;

use serde_json::Value;
use shoal::Perturb;
use shoal_collector::admin::Admin;
use shoal_collector::{Collection, KeyHash};
use shoal_device::Design;
use shoal_page::text::{plural, printable};

use super::serve::{database, failed};
use crate::arguments::collection::CreateArgs;
use crate::arguments::{CollectionAction, CollectionArgs, Format, Shown};
use crate::failure::Failure;
use crate::library;
use crate::show::output::{self, Table};

/// Does what is asked with the collections of a folder.
pub fn run(args: &CollectionArgs, shown: &Shown) -> Result<(), Failure> {
    let admin = Admin::of(&args.data).with_database(database(&args.database)?);
    match &args.action {
        CollectionAction::Create(create) => {
            let made = admin.create(collection(create)?).map_err(|error| failed(&error))?;
            one(&made, shown)
        }
        CollectionAction::List => {
            let all = admin.list().map_err(|error| failed(&error))?;
            match shown.format {
                Format::Json => output::json(&all),
                Format::Table => list(&all),
            }
        }
        CollectionAction::Show { name } => one(&admin.show(name).map_err(|error| failed(&error))?, shown),
        CollectionAction::Close { name } => one(&admin.close(name).map_err(|error| failed(&error))?, shown),
        CollectionAction::Delete { name, yes: false } => Err(Failure::usage(format!(
            "deleting {} removes its reports and models for good; add --yes if that is meant",
            printable(name)
        ))),
        CollectionAction::Delete { name, .. } => {
            admin.delete(name).map_err(|error| failed(&error))?;
            match shown.format {
                Format::Json => output::json(&serde_json::json!({ "deleted": name })),
                Format::Table => output::print(&format!("{} is deleted\n", printable(name))),
            }
        }
    }
}

/// The collection that the command line asks for.
fn collection(args: &CreateArgs) -> Result<Collection, Failure> {
    let design = match (&args.design, &args.bounds, &args.epsilon) {
        (Some(path), ..) => {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::refused(format!("{} cannot be read ({error})", path.display())))?;
            Design::from_json(&text).map_err(|error| library::failed(error.into()))?
        }
        (None, Some(bounds), Some(epsilon)) => {
            let made = || -> Result<Design, shoal::Error> {
                let design = Perturb::new(epsilon)?.bounds(bounds)?.design()?;
                Ok(match &args.name {
                    Some(name) => design.with_identifier(name)?,
                    None => design,
                })
            };
            made().map_err(library::failed)?
        }
        // Unwrap safety: the command line requires a design, or bounds with an ε.
        _ => unreachable!("a design or bounds and ε are given"),
    };
    let relay_key_sha256 = args.relay_key.as_deref().map(relay_key).transpose()?;
    let token_key = args.token_key.as_deref().map(token_key).transpose()?;
    Ok(Collection {
        relay_key_sha256,
        token_key,
        robust: args.robust,
        id: args.name.clone().unwrap_or_default(),
        k: args.k.to_string(),
        minimum: args.minimum,
        opens: args.opens.clone(),
        closes: args.closes.clone(),
        most_per_day: args.most_per_day,
        oldest_days: args.oldest_days,
        retention_days: args.retention_days,
        ..Collection::new(&design)
    })
}

/// The hash of the key in a file. A short one could be guessed.
fn relay_key(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::refused(format!("{} cannot be read ({error})", path.display())))?;
    match text.trim() {
        key if key.len() >= 16 => Ok(KeyHash::of(key).to_hex()),
        _ => Err(Failure::refused(format!(
            "the key in {} has fewer than 16 characters; make one with `openssl rand -hex 32`",
            path.display()
        ))),
    }
}

/// The public key in a file. It is checked with the other settings.
fn token_key(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::refused(format!("{} cannot be read ({error})", path.display())))?;
    Ok(text.trim().to_string())
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("–")
}

fn list(all: &Value) -> Result<(), Failure> {
    let all = all["collections"].as_array().map_or(&[][..], Vec::as_slice);
    if all.is_empty() {
        return output::print("no collections; `shoal collection create` adds one\n");
    }
    let mut table = Table::new(&["collection", "state", "reports", "minimum", "columns"]);
    for collection in all {
        let columns = collection["design"]["columns"].as_array().map_or(0, Vec::len);
        table.row([
            printable(text(collection, "id")),
            text(collection, "state").into(),
            collection["reports"].to_string(),
            collection["minimum"].to_string(),
            columns.to_string(),
        ]);
    }
    output::print(&table.to_string())
}

fn one(collection: &Value, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        return output::json(collection);
    }
    let count = |field: &str| collection[field].as_u64().unwrap_or(0) as usize;
    let design = &collection["design"];
    let columns: Vec<String> =
        design["columns"].as_array().into_iter().flatten().filter_map(|name| name.as_str().map(printable)).collect();
    let mut lines = vec![
        format!(
            "{}: {}, {}",
            printable(text(collection, "id")),
            text(collection, "state"),
            plural(count("reports"), "report")
        ),
        format!("columns: {}", columns.join(", ")),
        format!(
            "design: {} with ε = {}, digest {}",
            text(&design["mechanism"], "name"),
            text(design, "epsilon"),
            text(design, "digest")
        ),
        format!("clusters: from {} on", plural(count("minimum"), "report")),
    ];
    for (field, words) in [("opens", "opens"), ("closes", "closes")] {
        if let Some(time) = collection[field].as_str() {
            lines.push(format!("{words}: {time}"));
        }
    }
    if let Some(days) = collection["retention_days"].as_u64() {
        lines.push(format!("reports are deleted after {}", plural(days as usize, "day")));
    }
    lines.push(String::new());
    let promise = &collection["promise"];
    lines
        .push(format!("Promised to everyone who reports, towards the collector: {}", printable(text(promise, "text"))));
    if count("most_per_day") > 1 {
        let losses = collection["promise"]["composed_per_day"].as_array().into_iter().flatten();
        let losses: Vec<&str> = losses.filter_map(Value::as_str).collect();
        lines.push(format!("{} on one day together: {}", plural(count("most_per_day"), "report"), losses.join(", ")));
    }
    // With a model, what it promises; before, what the first one will.
    let newest = &collection["model"]["promise"]["public"];
    let public = if newest.is_object() { newest } else { &promise["public"] };
    if public.is_object() {
        let conditions = public["conditions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let conditions = conditions.map(printable).collect::<Vec<_>>().join("; ");
        lines.push(String::new());
        lines.push(format!(
            "Towards everybody who sees only the clusters, each report hiding among {} or more{}: {} This holds if: {conditions}.",
            public["hidden_among"],
            if public["amplified"] == true { "" } else { " (at this ε, so few add nothing)" },
            printable(text(public, "text")),
        ));
    }
    output::print(&output::wrapped(&(lines.join("\n") + "\n")))
}
