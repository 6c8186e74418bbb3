//! The page as a whole.

use shoal::model::{Certainty, Kind, Model, VERSION};
use shoal_curator::{Evidence, ExpectedError, Explained, GapOfK};
use shoal_lattice::{Interval, Widths};
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics, Published, Spent};

use super::*;

/// A text as it stands on a page.
fn escape(text: &str) -> String {
    html! { (text) }.into_string()
}

fn claim() -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: Loss::Pure("1".parse().unwrap()),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    }
}

/// A model with `k` centres spread over `dims` attributes, noise of `sd` interval widths.
fn model(dims: usize, k: usize, sd: f64) -> Model {
    let place = |c: usize, a: usize| ((c * 37 + a * 53 + c * a * 11) % 101) as f64;
    Model {
        version: VERSION,
        kind: Kind::Curator,
        method: "dplloyd-impr".into(),
        columns: (0..dims).map(|a| format!("column {a}")).collect(),
        bounds: vec![Interval::new(0.0, 100.0).unwrap(); dims],
        centres: (0..k).map(|c| (0..dims).map(|a| place(c, a)).collect()).collect(),
        size_sd: vec![1.0; k],
        decisions: vec![shoal_curator::Decision::Grid { cells_per_axis: vec![3, 3], asked: None }.into()],
        nicv_estimate: None,
        certainty: None,
        k_asked: None,
        numbering: None,
        also: Vec::new(),
        from_reports: None,
        merged_from: None,
        split: None,
        scales: Vec::new(),
        weights: Vec::new(),
        categories: Vec::new(),
        reading: Default::default(),
        sizes: (0..k).map(|c| 1000.0 * (c + 1) as f64 + 0.25).collect(),
        centre_sd: vec![vec![100.0 * sd; dims]; k],
        guarantee: Guarantee::Holds(claim()),
        published: Published::new("ε-DP", "SCL16"),
        spent: Some(Spent { epsilon: "1".parse().unwrap(), delta: None }),
        paid_before: None,
        expected_error: ExpectedError::of(&vec![vec![Widths(sd); dims]; k], &vec![1.0; k]),
        seeded: false,
        shoal: "0.1.0".into(),
    }
}

fn page(model: &Model) -> String {
    let budget = Budget { dataset: "people", total: "ε = 3".into(), spent: "ε = 1".into(), left: "ε = 2".into() };
    render(
        model,
        &About {
            source: "people.csv",
            command: "shoal fit people.csv -k 5 --epsilon 1",
            written_at: "2026-01-31 12:00 UTC",
            method_summary: "Lloyd's algorithm with noisy sums and counts",
            budget: Some(budget),
        },
    )
}

/// The drawings and all that has a place or width.
fn drawn(html: &str) -> String {
    let svgs = html.split("<svg").skip(1).filter_map(|rest| rest.split("</svg>").next());
    let styles = html.split("style=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let places = html.split("id=\"places\">").skip(1).filter_map(|rest| rest.split("</script>").next());
    svgs.chain(styles).chain(places).collect::<Vec<_>>().join("\n")
}

/// Every element that is opened is closed, in order.
fn assert_well_formed(html: &str) {
    const EMPTY: [&str; 5] = ["meta", "br", "wbr", "input", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("every tag ends");
        rest = after;
        let element = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "near {:.80}", rest);
        } else if !tag.ends_with('/') && !EMPTY.contains(&element) {
            if matches!(element, "script" | "style") {
                let (_, after) = rest.split_once(&format!("</{element}>")).expect("it is closed");
                rest = after;
            } else {
                open.push(element);
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

fn assert_sound(model: &Model) -> String {
    let html = page(model);
    assert_well_formed(&html);
    assert!(!html.contains("NaN"), "a number is none");
    assert!(!drawn(&html).contains("inf"), "a place is infinite");
    assert!(!html.contains("http:") && !html.contains("https:"), "the page points outside");
    assert!(
        !html.contains("src=\"") && !html.contains("url(") && !html.contains("@import"),
        "the page loads something"
    );
    for column in &model.columns {
        assert!(html.contains(&escape(column)), "{column} is missing");
    }
    for number in 1..=model.k() {
        assert!(
            html.contains(&format!(">{number}</text>")) || model.columns.len() == 1,
            "centre {number} is not drawn"
        );
        assert!(html.contains(&chip(number).into_string()), "centre {number} is not in the table");
    }
    html
}

#[test]
fn every_shape_gives_a_sound_page() {
    for dims in [1, 2, 3, 64] {
        for k in [1, 2, 5, 50] {
            for sd in [0.0, 1e-9, 0.01, 0.4, 7.0] {
                assert_sound(&model(dims, k, sd));
            }
        }
    }
}

#[test]
fn sizes_may_be_nothing_less_than_nothing_or_lost() {
    for size in [0.0, -3.5, f64::NAN, f64::INFINITY, 1e300] {
        let mut model = model(3, 4, 0.02);
        model.sizes = vec![size; 4];
        assert_sound(&model);
    }
    let mut model = model(2, 2, 0.02);
    model.sizes = vec![40.0, -3.5];
    assert!(assert_sound(&model).contains("A size below zero comes from noise"));
}

#[test]
fn extreme_values_are_drawn_within_the_frame() {
    let mut model = model(3, 3, 0.02);
    model.bounds =
        [(0.0, 5e-324), (-8e307, 8e307), (1e15, 1e15 + 1.0)].map(|(lo, hi)| Interval::new(lo, hi).unwrap()).into();
    model.centres = vec![vec![0.0; 3], vec![f64::MAX; 3], vec![f64::MIN; 3]];
    model.centre_sd = vec![vec![f64::INFINITY; 3], vec![f64::NAN; 3], vec![f64::MIN_POSITIVE; 3]];
    model.expected_error.center_rmse = Widths(f64::INFINITY);
    assert_sound(&model);
}

#[test]
fn names_cannot_break_out() {
    let mut model = model(4, 3, 0.02);
    let evil = "<script>alert(1)</script>";
    model.columns = vec![
        evil.into(),
        "\"'><img src=x onerror=alert(1)>".into(),
        "{{script}}".into(),
        "年齢 \u{202e} age".repeat(60),
    ];
    model.method = evil.into();
    model.published = Published::new(evil, evil);
    let about = About { source: evil, command: evil, written_at: evil, method_summary: evil, budget: None };
    for html in [page(&model), render(&model, &about)] {
        assert_well_formed(&html);
        assert!(!html.contains("<script>alert") && !html.contains("<img"));
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && html.contains("\\u003cscript\\u003e"));
        assert_eq!(html.matches("<script").count(), 2);
    }
}

/// The same model with intervals, spreads and stability.
fn certain(mut model: Model, stability: &[f64]) -> Model {
    let (k, dims) = (model.k(), model.columns.len());
    let interval = |x: &f64| [x - 2.0, x + 2.0];
    model.certainty = Some(Certainty {
        intervals: model.centres.iter().map(|row| row.iter().map(interval).collect()).collect(),
        rerun_distance: vec![vec![3.0; dims]; k],
        size_intervals: model.sizes.iter().map(|n| [n - 100.0, n + 100.0]).collect(),
        stability: (0..k).map(|j| stability[j % stability.len()]).collect(),
        spread: vec![vec![6.0; dims]; k],
        sampling_distance: Vec::new(),
        explained: Some(Explained { share: 0.62, low: 0.58, high: 0.66 }),
        intervals_at_least: false,
        evidence: Some(Evidence {
            tried: (1..=6)
                .map(|k| GapOfK { k, gap: 0.1 * k as f64, error: 0.01, explained: 1.0 - 1.0 / k as f64 })
                .collect(),
            needed: 0.15,
            supported: k,
            undecided: vec![],
        }),
    });
    model
}

/// The part of the page with this class of element and text.
fn table_of(html: &str) -> &str {
    html.split("<table class=\"clusters\">").nth(1).unwrap().split("</table>").next().unwrap()
}

#[test]
fn a_promise_that_holds_is_given_in_its_own_words() {
    let html = page(&model(2, 5, 0.004));
    let statement = claim().statement();
    assert!(html.contains(&escape(&statement.plain)) && html.contains(&escape(&statement.formal)));
    assert!(html.contains(&escape(&statement.holds_if().unwrap())));
    assert!(html.contains("can make them at most 73.2 % sure") && html.contains("class=\"card holds\""));
    assert!(!html.contains("NO PRIVACY") && !html.contains("mostly noise"));
    assert!(html.contains("no record of any person is in it"));
    assert!(html.contains("What may I publish?") && html.contains("the synopsis") && html.contains("the ledger"));
}

#[test]
fn a_weak_promise_has_no_green_tick() {
    for (epsilon, class) in [("7", "card weak\""), ("1000", "card weak very\"")] {
        let mut model = model(2, 5, 0.004);
        model.guarantee = Guarantee::Holds(Claim { loss: Loss::Pure(epsilon.parse().unwrap()), ..claim() });
        let html = assert_sound(&model);
        assert!(html.contains(class) && !html.contains("card holds") && !html.contains('✓'), "{epsilon}");
    }
}

#[test]
fn without_intervals_no_number_has_an_error() {
    let html = page(&model(2, 5, 0.004));
    assert!(html.contains("noise of the last step only") && html.contains("not the error of a centre"));
    assert!(!table_of(&html).contains('±') && table_of(&html).contains("(0."));
    assert!(!html.contains("explain"), "nothing is known about quality");
}

#[test]
fn intervals_spreads_quality_and_evidence_are_shown_where_they_are_known() {
    let html = assert_sound(&certain(model(3, 5, 0.004), &[1.0]));
    assert!(table_of(&html).contains("±\u{a0}2") && !html.contains("noise of the last step only"));
    assert!(table_of(&html).contains("±\u{a0}100"), "sizes have intervals");
    assert!(html.contains("62\u{a0}% (95\u{a0}% interval 58–66\u{a0}%)"));
    assert!(html.contains("How many clusters are there?") && html.contains("class=\"elbow\""));
    assert!(html.contains("How far the people of a cluster are spread"));
    assert!(table_of(&html).contains("than average"));
}

#[test]
fn what_is_not_reproducible_has_no_interval_and_is_not_drawn() {
    let doubtful = certain(model(2, 4, 0.004), &[1.0, 0.7, 0.3, 1.0]);
    let html = assert_sound(&doubtful);
    let rows: Vec<&str> = table_of(&html).split("scope=\"row\"").collect();
    assert!(rows[3].contains("not reproducible") && !rows[3].contains('±'), "{}", rows[3]);
    assert!(rows[2].contains("unstable") && rows[2].contains('±'));
    assert!(html.contains("Not drawn, because they are noise or unstable: clusters 2 and 3."));
    assert_eq!(html.matches("doubtful\" data-body").count(), 2);
    for note in &doubtful.facts().notes {
        assert!(html.contains(&escape(&note.text)), "{note:?}");
    }
}

#[test]
fn numbers_and_colours_of_an_earlier_model_are_kept() {
    let mut later = model(2, 3, 0.004);
    later.numbering = Some(shoal::model::Numbering { numbers: vec![2, 5, 6], new: vec![6], gone: vec![1, 3, 4] });
    let html = page(&later);
    for number in [2, 5, 6] {
        assert!(html.contains(&chip(number).into_string()));
    }
    assert!(html.contains("Cluster 6 is new.") && html.contains(&format!("chip {}", colour_class(5))));
}

#[test]
fn without_a_guarantee_the_page_says_so_and_promises_nothing() {
    for none in [NoGuarantee::Seeded, NoGuarantee::Unsound, NoGuarantee::NotPrivate] {
        let mut model = model(2, 5, 0.004);
        model.guarantee = Guarantee::Void { none };
        let html = assert_sound(&model);
        assert!(
            html.contains("NO PRIVACY")
                && !html.contains("If someone is unsure")
                && !html.contains("only released numbers")
        );
    }
    // A file that says both is taken at its worst.
    let mut model = model(2, 5, 0.004);
    model.seeded = true;
    let html = assert_sound(&model);
    assert!(html.contains("NO PRIVACY") && !html.contains("If someone is unsure"));
}

#[test]
fn every_kind_of_promise_has_words() {
    let epsilon = || "1".parse().unwrap();
    let losses = [
        Loss::Approximate { epsilon: epsilon(), delta: "0.000001".parse().unwrap() },
        Loss::Zcdp("0.5".parse().unwrap()),
        Loss::PerDistance(epsilon()),
        Loss::Pure("1000".parse().unwrap()),
    ];
    for loss in losses {
        for numerics in [Numerics::Exact, Numerics::Lattice, Numerics::IdealReals] {
            let mut model = model(2, 2, 0.02);
            let claim = Claim { loss: loss.clone(), numerics, ..claim() };
            model.guarantee = Guarantee::Holds(claim.clone());
            let html = assert_sound(&model);
            assert!(
                html.contains(&escape(&claim.statement().plain)) && html.contains(&escape(&claim.statement().formal))
            );
        }
    }
}

#[test]
fn noise_that_swamps_is_called_so() {
    let html = page(&model(2, 5, 0.2));
    assert!(html.contains("These centres are mostly noise") && html.contains("card warning strong"));
}

/// `SHOAL_PAGES=FOLDER cargo test -p shoal-report pages_to_look_at -- --ignored` renders every model (`*.json`) of a folder.
#[test]
#[ignore = "for people who change the page, to look at it"]
fn pages_to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("SHOAL_PAGES").expect("SHOAL_PAGES names a folder"));
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let model = Model::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
            std::fs::write(path.with_extension("html"), page(&model)).unwrap();
        }
    }
}
