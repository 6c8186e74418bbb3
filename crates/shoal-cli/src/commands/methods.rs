//! `shoal methods`

use shoal_privacy::MethodInfo;

use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::show::output;

/// Words, and whether a method can do it.
type Ability = (&'static str, fn(&MethodInfo) -> bool);

/// What not every method of a fit can do, by option.
const ABILITIES: [Ability; 4] = [
    ("Choose the number of clusters (-k auto)", |method| method.chooses_k),
    ("Release cells to cluster again (--synopsis)", |method| method.synopsis),
    ("Use a δ (--delta)", |method| method.delta),
    ("Measure how good the result is (--score-share)", |method| method.options.contains(&"score-share")),
];

/// Lists every method.
pub fn run(shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        return output::json(&all().collect::<Vec<_>>());
    }
    let mut text = String::new();
    for method in all() {
        text.push_str(&format!("{} (trust: {}, paper: {})\n", method.name, method.trust, method.paper));
        text.push_str(&format!("{}\n", output::set_in(&sentence(method.summary))));
        text.push_str(&format!("{}\n", output::set_in(&format!("Published: {}.", method.published))));
    }
    text.push_str("\nWhat some methods of `shoal fit` can do\n");
    for (what, can) in ABILITIES {
        let names: Vec<_> = fitting().filter(|method| can(method)).map(|method| method.name).collect();
        text.push_str(&format!("{what}: {}.\n", names.join(", ")));
    }
    for (title, of) in [("Guarantee", (|method| method.guarantee) as fn(&MethodInfo) -> &str), ("Status", |m| m.status)]
    {
        text.push_str(&format!("\n{title}\n"));
        for (words, names) in by_words(of) {
            text.push_str(&format!("{names}: {words}.\n"));
        }
    }
    text.push_str(
        "\nWhat a paper published and what the code guarantees are two things; PRIVACY.md explains the difference.\n",
    );
    output::print(&output::wrapped(&text))
}

/// A summary with its full stop.
fn sentence(summary: &str) -> String {
    if summary.ends_with('.') { summary.into() } else { format!("{summary}.") }
}

/// The methods of `fit`, then the mechanisms of `perturb` and the methods of `cluster`, then those of `consortium`.
fn all() -> impl Iterator<Item = &'static MethodInfo> {
    fitting().chain(shoal_crowd::METHODS).chain(shoal_consortium::METHODS)
}

/// The methods of `fit`.
fn fitting() -> impl Iterator<Item = &'static MethodInfo> {
    shoal_curator::methods().map(|method| &method.info)
}

/// What is printed about the methods: each text once, with the names of the methods that it is about.
fn by_words(of: fn(&MethodInfo) -> &str) -> Vec<(&'static str, String)> {
    let mut seen: Vec<(&'static str, String)> = Vec::new();
    for method in all() {
        match seen.iter_mut().find(|(words, _)| *words == of(method)) {
            Some((_, names)) => names.push_str(&format!(", {}", method.name)),
            None => seen.push((of(method), method.name.into())),
        }
    }
    seen
}
