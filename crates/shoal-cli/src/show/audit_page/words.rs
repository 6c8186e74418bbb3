//! A line of an audit in words.

use shoal_audit::allowed::{short, short_down};
use shoal_audit::statistical::{NOTHING_VARIES, Point};
use shoal_audit::targets::curator::POWERFUL;
use shoal_audit::{AuditReport, Line, Measure, Verdict};

use crate::show::output::Table;

/// What the columns of the table mean.
pub const LEGEND: &str = "✓ not refuted, ⚑ caught as it should be, ✗ wrong. Losses are lower bounds on ε, each wrong with a probability of at most --alpha. releases: every release against its charge, exactly (loss and charge as a multiple of the charge); exact: all probabilities compared; density: the largest ratio of densities; events: an event in many runs; distribution: the noise has the distribution it should have; residues: both inputs reach the same ones. --report FILE writes a page with all details.";

/// A line as the columns of a table.
pub struct Row {
    /// A sign for the verdict.
    pub mark: &'static str,
    /// The verdict.
    pub verdict: &'static str,
    /// A lower bound on the loss.
    pub lost: String,
    /// The claimed loss.
    pub promised: String,
    /// The unit of the two.
    pub unit: &'static str,
    /// The method, in a word.
    pub how: &'static str,
    /// The method, in a phrase.
    pub how_in_full: &'static str,
}

impl Row {
    /// The columns of a line.
    pub fn of(line: &Line) -> Self {
        let (mark, verdict) = match (line.verdict, line.as_expected()) {
            (Verdict::NotBroken, true) => ("✓", "not refuted"),
            (Verdict::Broken, true) => ("⚑", "caught"),
            (Verdict::Broken, false) => ("✗", "BROKEN"),
            (Verdict::NotBroken, false) => ("✗", "MISSED"),
        };
        let (how, how_in_full) = match &line.measure {
            Measure::Enumeration { .. } => ("exact", "probabilities of all outputs, compared exactly"),
            Measure::DensityRatio { .. } => {
                ("density", "ratios of the known density, over a grid and by a local search")
            }
            Measure::Releases { .. } => (
                "releases",
                "the largest loss over all outputs, from the noise that the mechanism holds; nothing is drawn",
            ),
            Measure::Events(_) => ("events", "an event in many runs on two inputs"),
            Measure::SamplerLaw { .. } => {
                ("distribution", "the distribution of the noise, since ratios of rare events cannot be observed here")
            }
            Measure::Lattice { .. } => ("residues", "both inputs must reach the same residues"),
        };
        let unit = match &line.measure {
            Measure::Enumeration { unit, .. } => unit,
            Measure::Releases { .. } => "loss / charge",
            _ => "ε",
        };
        let (lost, promised) = match (line.measure.loss(), &line.measure) {
            (Some((lost, promised)), _) => (short_down(lost), promised.map_or("nothing".into(), short)),
            (None, Measure::SamplerLaw { tests, .. }) => {
                let least = tests.iter().map(|test| test.p_value).fold(1.0, f64::min);
                (format!("p = {}", short(least)), "its distribution".into())
            }
            (None, Measure::Lattice { exceptions, .. }) => match exceptions.len() {
                0 => ("no exception".into(), "none".into()),
                n => (format!("{n} residues"), "none".into()),
            },
            (None, _) => (String::new(), String::new()),
        };
        Self { mark, verdict, lost, promised, unit, how, how_in_full }
    }

    /// Loss and claim in one phrase.
    pub fn figures(&self) -> String {
        match self.lost.parse::<f64>() {
            Ok(_) if self.how == "releases" => format!("{} of the charge", self.lost),
            Ok(_) => format!("{} ≥ {} of {}", self.unit, self.lost, self.promised),
            Err(_) if self.lost == "∞" => format!("{} = ∞ of {}", self.unit, self.promised),
            Err(_) => self.lost.clone(),
        }
    }
}

/// The event of a point, with its δ unless that is zero.
pub fn event_at(point: &Point) -> String {
    if point.delta > 0.0 { format!("{}, at δ = {}", point.event, short(point.delta)) } else { point.event.clone() }
}

/// Whether an experiment shows so little of the claimed loss that twice as much might pass as well.
fn is_weak(line: &Line) -> bool {
    let Measure::Events(finding) = &line.measure else { return false };
    line.verdict == Verdict::NotBroken
        && finding
            .curve
            .first()
            .is_some_and(|point| point.allowed.is_some_and(|allowed| point.at_least < POWERFUL * allowed))
}

/// What all lines come to.
pub fn summary(report: &AuditReport) -> String {
    let of = |verdict: Verdict, expected: bool| {
        report.lines.iter().filter(|line| line.verdict == verdict && line.as_expected() == expected).count()
    };
    let (kept, caught) = (of(Verdict::NotBroken, true), of(Verdict::Broken, true));
    let (broken, missed) = (of(Verdict::Broken, false), of(Verdict::NotBroken, false));
    let mut parts = Vec::new();
    match kept + broken {
        0 => {}
        1 if broken == 0 => parts.push("The claim was tested and not refuted.".to_string()),
        all if broken == 0 => parts.push(format!("Claims were tested {all} times; none was refuted.")),
        1 => parts.push("The claim IS REFUTED.".into()),
        all => parts.push(format!("{broken} of {all} tests REFUTE a claim.")),
    }
    let weak = report.lines.iter().filter(|line| line.as_expected() && is_weak(line)).count();
    match weak {
        0 => {}
        1 => parts.push("One test by events is weak: alone it would miss a modest fault.".into()),
        weak => parts.push(format!("{weak} tests by events are weak: alone they would miss a modest fault.")),
    }
    match caught + missed {
        0 => {}
        1 if missed == 0 => parts.push("The one claim that is known to be false was caught.".into()),
        2 if missed == 0 => parts.push("Both claims that are known to be false were caught.".into()),
        all if missed == 0 => parts.push(format!("All {all} claims that are known to be false were caught.")),
        all => parts.push(format!("{missed} of {all} claims that are known to be false WERE MISSED.")),
    }
    parts.join(" ")
}

/// One line in full, where it is the only one.
pub fn in_words(line: &Line) -> String {
    let row = Row::of(line);
    let mut text = format!("{} ({})\nClaim: {}.\n", line.name, line.setting, line.promise);
    let ending = match line.verdict {
        Verdict::NotBroken => "Nothing was found against the claim. An audit can refute a claim; it cannot prove one.",
        Verdict::Broken => "More is lost than claimed.",
    };
    match &line.measure {
        Measure::Events(finding) => {
            text.push_str(&format!(
                "Lower bound on the loss: ε = {}; claimed: {} (probability of error at most {}; {} runs on each input).\n",
                row.lost,
                row.promised,
                short(finding.alpha),
                finding.runs
            ));
            text.push_str(&format!("Inputs: {}.\n\n", finding.pair));
            let mut table = Table::new(&["δ", "claimed ε", "lower bound", "event", "seen", "on the other", "of"]);
            for point in &finding.curve {
                table.row([
                    short(point.delta),
                    point.allowed.map_or("nothing".into(), short),
                    short_down(point.at_least),
                    point.event.clone(),
                    point.hits[0].to_string(),
                    point.hits[1].to_string(),
                    point.of.to_string(),
                ]);
            }
            text.push_str(&table.to_string());
            text.push('\n');
            if finding.curve.len() > 1 {
                text.push_str("A claim of ε allows less at a larger δ; each line is a test of the same claim.\n");
            }
            if finding.curve.iter().all(|point| point.event == NOTHING_VARIES) {
                text.push_str("WARNING: every run on either input printed the same numbers, which shows nothing about noise. Does the program read its data?\n");
            } else if is_weak(line) {
                text.push_str("WARNING: the lower bound is well below the claimed ε, so a modest fault would be missed. More runs show more.\n");
            }
        }
        Measure::Enumeration { at, .. } | Measure::DensityRatio { at, .. } => text.push_str(&format!(
            "Loss: {} = {}; claimed: {} ({}).\nWorst case: {at}.\n",
            row.unit, row.lost, row.promised, row.how_in_full
        )),
        Measure::Releases { at, compared, faults, .. } => {
            text.push_str(&format!(
                "Loss: {} times the charge ({}).\nWorst case: {at}. Compared: {compared}.\n",
                row.lost, row.how_in_full
            ));
            faults.iter().for_each(|fault| text.push_str(&format!("Fault: {fault}.\n")));
        }
        Measure::SamplerLaw { .. } | Measure::Lattice { .. } => {
            text.push_str(&format!("Tested: {}. Found: {}.\n", row.how_in_full, row.lost));
        }
    }
    text.push_str(&format!("{}: {ending}\n", row.verdict.to_uppercase()));
    if !line.remark.is_empty() {
        text.push_str(&format!("{}\n", line.remark));
    }
    text
}
