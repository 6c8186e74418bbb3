//! `shoal consortium verify`: charges, hashes and the model of a split-trust run, computed again from its transcript.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde_json::json;
use shoal::consortium::{ConsortiumError, SplitError, SplitFit, SplitVerified};
use shoal_page::text::plural;
use shoal_split::{Charter, Transcript};

use crate::arguments::consortium::verify::VerifyArgs;
use crate::arguments::{Format, Shown};
use crate::commands::predict::read_model;
use crate::failure::Failure;
use crate::library::failed;
use crate::show::output;

/// Verifies a transcript.
pub fn run(args: &VerifyArgs, shown: &Shown) -> Result<(), Failure> {
    let charter = read_charter(&args.charter)?;
    let transcript = read_transcript(&args.transcript)?;
    let model = args.model.as_deref().map(read_model).transpose()?;
    let verified = SplitFit::verify(&charter, &transcript, model.as_ref()).map_err(failed)?;
    match shown.format {
        Format::Json => output::json(&as_json(&verified, &charter, &transcript)),
        Format::Table => output::print(&output::wrapped(&text(&verified, &charter, &transcript, model.is_some()))),
    }
}

/// A charter from a file.
pub fn read_charter(path: &Path) -> Result<Charter, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::refused(format!("cannot read the charter {} ({error})", path.display())))?;
    Charter::from_toml(&text).map_err(|error| failed(ConsortiumError::from(SplitError::from(error)).into()))
}

fn read_transcript(path: &Path) -> Result<Transcript, Failure> {
    let file = File::open(path)
        .map_err(|error| Failure::refused(format!("cannot read the transcript {} ({error})", path.display())))?;
    Transcript::read(&mut BufReader::new(file))
        .map_err(|error| failed(ConsortiumError::from(SplitError::from(error)).into()))
}

fn as_json(found: &SplitVerified, charter: &Charter, transcript: &Transcript) -> serde_json::Value {
    let rounds = found.verified.rounds.iter().map(
        |(step, _)| json!({ "asks": step.sentence(), "numbers": step.numbers(), "loss": step.claim().loss.symbols() }),
    );
    json!({
        "holds": true,
        "charter": charter.fingerprint().to_string(),
        "run": found.verified.run.to_string(),
        "settings": found.settings,
        "rehearsal": found.settings.rehearsal,
        "epsilon_ordered": found.verified.limit.to_string(),
        "epsilon_spent": found.verified.spent.to_string(),
        "rounds": rounds.collect::<Vec<_>>(),
        "end": transcript.end.map(|hash| hash.to_string()),
        "sentence": found.verified.claim().sentence(),
        "model": serde_json::from_str::<serde_json::Value>(&found.model.to_json()).unwrap_or_default(),
    })
}

fn text(found: &SplitVerified, charter: &Charter, transcript: &Transcript, compared: bool) -> String {
    let mut text = format!(
        "The transcript holds: {} for {}, answered by {} through {}.\n\n",
        plural(found.verified.rounds.len(), "question"),
        found.settings.words(),
        plural(charter.custodians(), "custodian"),
        plural(charter.helpers(), "helper"),
    );
    for (i, (step, _)) in found.verified.rounds.iter().enumerate() {
        text.push_str(&format!("  {}. {}\n", i + 1, step.sentence()));
    }
    text.push_str(&format!(
        "\nCharged to each custodian: ε = {} of the ε = {} that was ordered.\n",
        found.verified.spent, found.verified.limit
    ));
    text.push_str(if compared {
        "The model follows from the released numbers: centres, sizes and noise are the same.\n"
    } else {
        "The model was computed again from the released numbers; give --model to compare it with one.\n"
    });
    match transcript.end {
        Some(end) => text.push_str(&format!(
            "Last hash: {end}\nIt stands for everything above. Every party computes it during a run; parties with the same last hash saw these questions and answers and no others.\n"
        )),
        None => text.push_str("The run was ended early: there is no last hash.\n"),
    }
    let promise = if found.settings.rehearsal {
        "This was a rehearsal: one process held all tables, so nothing is promised. With each party on a machine of its own, \
         the same questions would promise:"
    } else {
        "What a run with these questions promises:"
    };
    text.push_str(&format!("\n{promise}\n{}\n", found.verified.claim().sentence()));
    text
}
