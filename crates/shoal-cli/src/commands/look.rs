//! `shoal look`

use shoal::{Look, Looked, Role};
use shoal_page::text::{first_few, plural, printable, shell_word};

use crate::arguments::{Format, LookArgs, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::output::{self, Table};
use crate::table;

/// Columns that a sentence names.
const MOST_NAMED: usize = 12;

/// Shows the head of a table.
pub fn run(args: &LookArgs, shown: &Shown) -> Result<(), Failure> {
    let mut job = Look::new().format(args.written.to_library());
    if args.no_header {
        job = job.no_header();
    }
    let looked = job.run(table::source(&args.data, shown)).map_err(failed)?;
    match shown.format {
        Format::Json => output::json(&looked),
        Format::Table => output::print(&output::wrapped(&text(&looked, args))),
    }
}

fn text(looked: &Looked, args: &LookArgs) -> String {
    let name = table::short_name(&args.data);
    let columns = plural(looked.columns.len(), "column");
    let mut text = format!("{columns} of {name} ({}), from its header; no record was read\n\n", looked.format);
    let mut table = Table::new(&["column", "type", "seems to be"]);
    for column in &looked.columns {
        let role = match column.role {
            Role::Key => "a key: left out",
            Role::Text => "text: left out",
            Role::Category => "a category",
            _ => "numbers",
        };
        let declared = column.declared.as_deref().unwrap_or("not declared");
        table.row([printable(&column.name).to_string(), printable(declared).to_string(), role.into()]);
    }
    text.push_str(&table.to_string());
    let named = |role: Role| {
        let names: Vec<String> = looked.names(role).into_iter().map(|name| format!("`{}`", printable(name))).collect();
        (!names.is_empty()).then(|| first_few(&names, MOST_NAMED))
    };
    if let (Some(keys), Some(key)) = (named(Role::Key), looked.names(Role::Key).first()) {
        text.push_str(&format!(
            "\nBy its name, {keys} identifies people or places: distances between such numbers mean nothing. If somebody has \
             several rows, they are protected less than the guarantee says, unless the line below gets --person {} too.\n",
            shell_word(&printable(key))
        ));
    }
    if let Some(texts) = named(Role::Text) {
        text.push_str(&format!(
            "\n{texts} seems to be text, which is no number. Leave it out, or turn it into numbers first.\n"
        ));
    }
    if looked.bounds.is_empty() && looked.categories.is_empty() {
        text.push_str("\nNo column looks like one of numbers or a category.\n");
        return text;
    }
    let open = if looked.bounds.contains("LO:HI") {
        " Put public limits where it says LO:HI, or let --bounds auto:10% buy all limits with a tenth of ε."
    } else {
        ""
    };
    let levels = match looked.categories.is_empty() {
        true => "",
        false => " List the levels of categories as they are written in the table; all other values count as `other`.",
    };
    let option = |name: &str, value: &str| match value.is_empty() {
        true => String::new(),
        false => format!(" --{name} {}", shell_word(&printable(value))),
    };
    let mut how_read: String = args.written.repeated().iter().map(|(name, value)| option(name, value)).collect();
    if args.no_header {
        how_read.push_str(" --no-header");
    }
    text.push_str(&format!(
        "\nEdit this line: keep the columns that matter, with limits that you know without looking at the \
         data.{open}{levels}\n\n  shoal fit {}{how_read} -k auto --epsilon 1 --report report.html{}{}\n",
        shell_word(&printable(&args.data)),
        option("bounds", &looked.bounds),
        option("categories", &looked.categories)
    ));
    text
}
