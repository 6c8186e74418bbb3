//! `shoal reproduce`: files, lists, repeats, interruptions and refusals.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::Place;

/// A figure that needs no data and little time.
const QUICK: &[&str] = &["reproduce", "sun19-fig9", "--quick"];

/// Every figure and table of the papers, and our own.
fn expected() -> Vec<String> {
    let numbered = |prefix: &str, numbers: std::ops::RangeInclusive<u32>| {
        numbers.map(|n| format!("{prefix}-fig{n}")).collect::<Vec<_>>()
    };
    let mut all = numbered("su16", 1..=7);
    all.extend(numbered("ni21", 3..=14));
    all.extend(numbered("yang22", 1..=5));
    all.extend(numbered("chen25", 3..=7));
    all.extend(numbered("sun19", 2..=11));
    all.extend(["sun19-table3", "shoal-utility", "shoal-crowd"].map(String::from));
    all
}

#[test]
fn the_list_has_every_figure_with_its_status() {
    let place = Place::new();
    let listed = place.run(&["reproduce", "--list", "--format", "json"]).ok().json();
    let mut names: Vec<String> =
        listed.as_array().unwrap().iter().map(|figure| figure["figure"].as_str().unwrap().into()).collect();
    let mut all = expected();
    names.sort();
    all.sort();
    assert_eq!(names, all);
    for figure in listed.as_array().unwrap() {
        for field in ["verdict", "headline", "data", "protocol", "privacy", "title"] {
            assert!(!figure[field].as_str().unwrap().is_empty(), "{figure}");
        }
        assert!(figure["hold"].as_u64().is_some() && figure["undecided"].as_u64().is_some(), "{figure}");
    }
    // A line for each, which fits a terminal.
    let text = place.run(&["reproduce", "--list"]).ok().out();
    for name in expected() {
        let lines: Vec<&str> = text.lines().filter(|line| line.split_whitespace().next() == Some(&*name)).collect();
        assert_eq!(lines.len(), 1, "{name}: {text}");
        assert!(lines[0].chars().count() <= 80, "{}", lines[0]);
    }
}

#[test]
fn a_figure_leaves_numbers_pictures_and_a_page_of_its_own() {
    let place = Place::new();
    let shown = place.run(QUICK).ok().out();
    assert!(shown.contains("SZY19 Fig. 9") && shown.contains("sun19-fig9.html"), "{shown}");
    let page = place.read("reproduced/sun19-fig9.html");
    for words in ["<svg", "data-tip=", "REDUCED RUN", "log scale", "shoal reproduce sun19-fig9 --quick", "data-series="]
    {
        assert!(page.contains(words), "“{words}” is not on the page");
    }
    // Nothing is fetched from anywhere: the only address is the name of the SVG language.
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"), "the page fetches something");
    assert!(page.contains("default-src 'none'"));
    assert!(place.read("reproduced/sun19-fig9.csv").lines().count() > 5);
    assert!(place.read("reproduced/sun19-fig9.svg").starts_with("<svg"));
    assert!(std::fs::read(place.path("reproduced/sun19-fig9.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn the_same_seed_gives_the_same_files_and_names_may_begin_with_the_papers_key() {
    let place = Place::new();
    place.run(&["reproduce", "sun19-fig3", "--quick", "--out", "a"]).ok();
    place.run(&["reproduce", "SZY19-fig3", "--quick", "--out", "b", "--threads", "1"]).ok();
    place.run(&["reproduce", "sun19-fig3", "--quick", "--out", "c", "--seed", "2"]).ok();
    for ending in ["csv", "svg"] {
        let of = |folder: &str| place.read(&format!("{folder}/sun19-fig3.{ending}"));
        assert_eq!(of("a"), of("b"), "{ending}");
        assert_ne!(of("a"), of("c"), "{ending}");
    }
    let png = |folder: &str| std::fs::read(place.path(&format!("{folder}/sun19-fig3.png"))).unwrap();
    assert_eq!(png("a"), png("b"));
}

#[test]
fn a_killed_run_goes_on_and_ends_as_if_nothing_had_happened() {
    let place = Place::new();
    let args = |out: &'static str| ["reproduce", "chen25-fig5", "--quick", "--out", out, "--threads", "1"];
    let mut child = place.command(&args("killed")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let kept = || std::fs::read_dir(place.path("killed/.runs")).map_or(0, Iterator::count);
    let patience = Instant::now();
    while kept() < 3 && patience.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let in_time = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(kept() >= 3, "nothing was kept");
    assert!(!in_time || !place.path("killed/chen25-fig5.html").exists());
    place.run(&args("killed")).ok();
    place.run(&args("whole")).ok();
    assert_eq!(place.read("killed/chen25-fig5.csv"), place.read("whole/chen25-fig5.csv"));
    assert_eq!(place.read("killed/chen25-fig5.svg"), place.read("whole/chen25-fig5.svg"));
}

#[test]
fn several_figures_are_each_made_once_and_leave_the_index_of_all_alone() {
    let place = Place::new();
    let shown = place.run(&["reproduce", "sun19-fig9", "sun19-fig10", "sun19-fig9", "--quick"]).ok().out();
    assert_eq!(shown.matches("sun19-fig9.html").count(), 1, "{shown}");
    assert!(place.path("reproduced/sun19-fig10.html").exists() && !place.path("reproduced/index.html").exists());
    // The record has the lines of each figure once, in the order of the list.
    place.run(&["reproduce", "sun19-fig10", "sun19-fig3", "--quick"]).ok();
    let figures = |name: &str| -> Vec<String> {
        let text = place.read(&format!("reproduced/{name}"));
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_string()).collect()
    };
    assert_eq!(figures("reproduced.csv"), ["sun19-fig3", "sun19-fig9", "sun19-fig10"]);
    assert!(figures("compared.csv").iter().all(|figure| figure == "sun19-fig3"));
    // No link to an index that is not there, and one to an index that is.
    assert!(!place.read("reproduced/sun19-fig10.html").contains("index.html"));
    place.write("reproduced/index.html", "");
    place.run(&["reproduce", "sun19-fig10", "--quick"]).ok();
    assert!(place.read("reproduced/sun19-fig10.html").contains("href=\"index.html\""));
}

#[test]
fn programs_get_json() {
    let printed = Place::new().run(&[QUICK, &["--format", "json"]].concat()).ok().json();
    assert_eq!(printed[0]["figure"]["figure"], "sun19-fig9");
    assert!(printed[0]["statements"][0]["found"].as_str().unwrap().len() > 10);
}

#[test]
fn refusals_say_what_to_do() {
    let place = Place::new();
    place.run(&["reproduce"]).fails(2, &["FIGURE"]);
    place.run(&["reproduce", "su16-fig99"]).fails(2, &["no figure su16-fig99", "su16-fig1", "--list"]);
    place.run(&["reproduce", "nonsense"]).fails(2, &["no figure nonsense", "--list"]);
    place.run(&["reproduce", "--all", "su16-fig1"]).fails(2, &["cannot be used"]);
    place.write("file", "");
    place.run(&[QUICK, &["--out", "file"]].concat()).fails(1, &["file"]);
}

#[test]
fn a_figure_runs_without_its_data_and_says_so() {
    let place = Place::new();
    let shown = place.run(&["reproduce", "sun19-fig7", "--quick"]).ok().out();
    assert!(shown.contains("made up") && shown.contains("MADE UP"), "{shown}");
    assert!(place.read("reproduced/sun19-fig7.svg").contains("MADE UP"));
}

#[test]
fn downloads_are_converted_and_checked() {
    let place = Place::new();
    std::fs::create_dir(place.path("downloads")).unwrap();
    place.write("downloads/transfusion.data", "Recency\n2,50,12500,98,1\n");
    let shown = place.run(&["reproduce", "data", "downloads"]).ok().out();
    assert!(shown.contains("seeds_dataset.txt") && shown.contains("ANOTHER TABLE"), "{shown}");
    assert!(place.read("downloads/blood_transfusion.csv").starts_with("recency,frequency"));
}
