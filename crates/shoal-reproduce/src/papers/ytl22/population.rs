//! Fig. 5: RE and SSE against the number of people.

use super::setting::{BASELINE, DKDP, LAPLACE, Place, dkdp};
use crate::Failure;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::figure::{Drawing, Figure, Info, Paper, Places, Statement, Verdict};
use crate::lab::{Cell, Key, Lab, Results};
use crate::measure::crowd::{Noise, Radius, Server, Way};
use crate::papers::words::{percent, short};
use crate::statistics::{Summary, fall};

/// RE and SSE against the number of people.
pub struct Population;

/// Numbers of people.
const PEOPLE: [usize; 3] = [1_000, 10_000, 100_000];
/// Budgets.
const EPSILONS: [&str; 3] = ["0.1", "1", "4"];
/// The paper's radius.
const RADIUS: f64 = 10.0;
/// What a run reports: SSE for each person, so that numbers of people can be compared.
const MEASURES: &[&str] = &["re", "re_matched", "centres", "sse_per_person", "nicv"];

/// Our server on the same reports.
const AWARE: Way = Way { noise: Noise::Bpm(Radius::Given(RADIUS)), server: Server::NoiseAware };
const AWARE_NAME: &str = "Ours: noise-aware on BPM reports";

impl Figure for Population {
    fn info(&self) -> Info {
        Info {
            id: "yang22-fig5".into(),
            paper: Paper::Ytl22,
            label: "Fig. 5".into(),
            title: "Relative error and SSE against the number of people".into(),
            protocol:
                "50 runs a point; 1,000, 10,000 and 100,000 people drawn from the roads of the whole area; L = 10; \
                       ε = 0.1, 1, 4. SSE is divided by the number of people, and RE compares the records of each true \
                       cluster with the same people's reports. Bounds are the table's own limits, taken as public."
                    .into(),
            quick: "12, 4 and 2 runs with 1,000, 10,000 and 100,000 people".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let place = Place::whole_country(lab)?;
        let mut cells = Vec::new();
        for (people, quick) in PEOPLE.into_iter().zip([12, 4, 2]) {
            for epsilon in EPSILONS {
                for (way, cost) in [(dkdp(RADIUS), 0.005), (LAPLACE, 0.005), (AWARE, 0.05)] {
                    let crowd = place.crowd.clone();
                    let run = move |run: &mut crate::Run| {
                        let score = crowd.draw(people, &mut run.noise).run(&way, epsilon, &mut run.noise)?;
                        Ok(vec![score.re, score.re_matched, score.centres, score.sse / people as f64, score.nicv])
                    };
                    let cell = Cell::new(key(&place, people, &way, epsilon), MEASURES, lab.effort.pick(50, quick), run);
                    cells.push(cell.costing(people as f64 * cost));
                }
            }
        }
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let place = Place::whole_country(lab)?;
        let rows = place.crowd.rows();
        let mut panels = Vec::new();
        for (measure, name, unit) in
            [("re", "RE", "RE, same members (widths)"), ("sse_per_person", "SSE", "SSE per person (widths²)")]
        {
            for epsilon in EPSILONS {
                let mut series = Vec::new();
                for (name, way) in [(DKDP, dkdp(RADIUS)), (BASELINE, LAPLACE), (AWARE_NAME, AWARE)] {
                    // RE is of the reports: no server changes it.
                    if measure == "re" && way == AWARE {
                        continue;
                    }
                    let curve = curve(&place, results, &way, epsilon, measure)?;
                    let points = PEOPLE.iter().zip(&curve).map(|(&n, s)| Point::mean(n as f64, s)).collect();
                    series.push(Series { name: name.into(), style: Style::Marked, points });
                }
                let x = Axis::log("people").ticks(&PEOPLE.map(|n| n as f64));
                let body = Body::Lines(Lines { x, y: Axis::log(unit), series });
                panels.push(Panel { title: format!("{name}, ε = {epsilon}"), note: place.whole_note(), body });
            }
        }
        let mut caveats: Vec<String> = place.caveats();
        let short_of: Vec<String> = PEOPLE.iter().filter(|&&n| n > rows).map(usize::to_string).collect();
        if !short_of.is_empty() {
            caveats.push(format!("{} people are drawn from the {rows} rows with replacement", short_of.join(" and ")));
        }
        let (re, sse) = (shrinks(&place, results, "re")?, shrinks(&place, results, "sse_per_person")?);
        let paragraph = paragraph(&place, results, (re.verdict, sse.verdict))?;
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements: vec![re, sse], paragraph, caveats })
    }
}

fn key(place: &Place, people: usize, way: &Way, epsilon: &str) -> Key {
    place.key_of("ytl22-population", people, way, epsilon)
}

fn curve(place: &Place, results: &Results, way: &Way, epsilon: &str, measure: &str) -> Result<Vec<Summary>, Failure> {
    PEOPLE.iter().map(|&people| results.summary(&key(place, people, way, epsilon), measure)).collect()
}

/// Whether a measure of DKdP gets smaller with more people.
fn shrinks(place: &Place, results: &Results, measure: &str) -> Result<Statement, Failure> {
    let (mut all, mut told) = (Places::default(), Vec::new());
    for epsilon in EPSILONS {
        let curve = curve(place, results, &dkdp(RADIUS), epsilon, measure)?;
        all += fall(&curve);
        let means: Vec<String> = curve.iter().map(|s| short(s.mean)).collect();
        told.push(format!("ε = {epsilon}: {}", means.join(", ")));
    }
    let what = if measure == "re" { "relative error" } else { "SSE for each person" };
    let says = format!("More people make the average {what} smaller");
    let found = format!("DKdP with 1,000, 10,000 and 100,000 people: {}", told.join("; "));
    Ok(Statement::over(says, all, found))
}

fn paragraph(place: &Place, results: &Results, (re, sse): (Verdict, Verdict)) -> Result<String, Failure> {
    let blind = place.crowd.blind_sse() / place.crowd.rows() as f64;
    let most = PEOPLE[PEOPLE.len() - 1];
    let mut told = Vec::new();
    for epsilon in EPSILONS {
        let re = curve(place, results, &dkdp(RADIUS), epsilon, "re")?;
        let sse = curve(place, results, &dkdp(RADIUS), epsilon, "sse_per_person")?;
        let nicv = |way: Way| Ok::<_, Failure>(results.summary(&key(place, most, &way, epsilon), "nicv")?.mean);
        told.push(format!(
            "at ε = {epsilon} ({} of the reports depend on the record) RE goes from {} to {}, SSE for each person from {} \
             to {}, and with 100,000 people the mean squared distance to the nearest centre is {} for k-means and {} for the \
             noise-aware server",
            percent(place.telling(RADIUS, epsilon)?),
            short(re[0].mean),
            short(re[re.len() - 1].mean),
            short(sse[0].mean),
            short(sse[sse.len() - 1].mean),
            short(nicv(dkdp(RADIUS))?),
            short(nicv(AWARE)?),
        ));
    }
    let of_reports = match re {
        Verdict::Holds => {
            "RE falls at every ε: the mean of many reports gets nearer to its expectation, which is between the true mean \
             and the middle of the box."
        }
        _ => {
            "RE does not fall at every ε: the mean of many reports gets nearer to its expectation, but where many reports \
             are independent of the record that is the middle of the box."
        }
    };
    let of_clusters = match sse {
        Verdict::Holds => "SSE for each person falls at every ε: the centres get better with more reports.",
        _ => {
            "SSE for each person does not fall at every ε: where the clusters that k-means finds are those of the noise, no \
             number of people makes their spread smaller."
        }
    };
    Ok(format!(
        "From 1,000 to 100,000 people: {}. One centre in the middle of the box has {}. {of_reports} {of_clusters}",
        told.join("; "),
        short(blind)
    ))
}
