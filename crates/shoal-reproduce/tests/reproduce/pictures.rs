//! Pictures are well-formed, say what they must, and can be turned into pixels.

use shoal_reproduce::chart::{
    Axis, Bars, Body, BoxGroup, Boxes, Chart, Heading, HeatMap, Hover, Lines, Panel, Point, Scale, Scales, Scatter,
    ScatterPoint, Series, Style, png, svg,
};

fn heading() -> Heading {
    Heading { title: "A & B <c>".into(), facts: "SCL16 Fig. 1".into(), warning: Some("QUICK LOOK: 3 runs".into()) }
}

fn panel(body: Body) -> Panel {
    Panel { title: "Gowalla".into(), note: Some("stand-in for Gowalla".into()), body }
}

fn lines() -> Body {
    let points = [(0.1, 2.0), (1.0, 0.5), (2.0, 0.0)];
    let series = |name: &str, style| Series {
        name: name.into(),
        style,
        points: points.iter().map(|&(x, y)| Point { x, y, low: y * 0.9, high: y * 1.1 }).collect(),
    };
    Body::Lines(Lines {
        x: Axis::log("privacy budget ε"),
        y: Axis::log("NICV"),
        series: vec![
            series("EUGkM", Style::Marked),
            series("no privacy", Style::Dashed),
            series("printed", Style::Printed),
        ],
    })
}

fn everything() -> Chart {
    let groups = vec!["0.1".to_string(), "1".into()];
    let bars = Bars {
        x: "ε".into(),
        y: Axis::linear("ARI"),
        groups: groups.clone(),
        series: vec![("BPM".into(), vec![Some(Point::exact(0.0, -0.1)), None])],
    };
    let boxes = Boxes {
        x: "ε".into(),
        y: Axis::log("RE"),
        groups: vec![BoxGroup {
            label: "1".into(),
            boxes: vec![("BPM".into(), vec![1.0, 2.0, 2.5, 3.0, 40.0]), ("empty".into(), vec![])],
        }],
    };
    let map = HeatMap {
        x: "ε".into(),
        y: "k".into(),
        value: "NMI".into(),
        columns: groups.clone(),
        rows: groups,
        values: vec![vec![0.1, f64::NAN], vec![0.0, 5.0]],
        range: None,
        scale: Scale::Log,
    };
    let points = [None, Some(0), Some(11)].map(|class| ScatterPoint { x: 1.0, y: 1.0, class }).to_vec();
    let scatter = Scatter { x: "x".into(), y: "y".into(), points };
    let bodies = [lines(), Body::Bars(bars), Body::Boxes(boxes), Body::HeatMap(map), Body::Scatter(scatter)];
    Chart { panels: bodies.map(panel).to_vec(), columns: 3 }
}

#[test]
fn every_kind_of_picture_becomes_pixels_in_every_scale() {
    for x in [None, Some(Scale::Linear), Some(Scale::Log)] {
        for y in [None, Some(Scale::Linear), Some(Scale::Log)] {
            for hover in [Hover::Titles, Hover::Attributes] {
                let picture = svg(&everything(), &heading(), Scales { x, y }, hover);
                assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
                let pixels = png(&picture).unwrap();
                assert!(pixels.starts_with(b"\x89PNG") && pixels.len() > 10_000);
            }
        }
    }
}

#[test]
fn pictures_are_the_same_each_time() {
    let draw = || svg(&everything(), &heading(), Scales::default(), Hover::Titles);
    assert_eq!(draw(), draw());
    assert_eq!(png(&draw()).unwrap(), png(&draw()).unwrap());
}

#[test]
fn a_picture_says_what_stands_in_and_that_it_is_quick() {
    let picture = svg(&everything(), &heading(), Scales::default(), Hover::Titles);
    for text in ["A &amp; B &lt;c&gt;", "QUICK LOOK: 3 runs", "stand-in for Gowalla", "EUGkM", "privacy budget ε"] {
        assert!(picture.contains(text), "{text}");
    }
}

#[test]
fn pointing_at_a_mark_tells_its_value_and_its_band() {
    let chart = Chart { panels: vec![panel(lines())], columns: 1 };
    let with_titles = svg(&chart, &heading(), Scales::default(), Hover::Titles);
    assert!(with_titles.contains("<title>EUGkM\nprivacy budget ε: 0.1\nNICV: 2 (1.8 to 2.2)</title>"), "{with_titles}");
    let with_attributes = svg(&chart, &heading(), Scales::default(), Hover::Attributes);
    assert!(with_attributes.contains("data-tip=\"EUGkM\nprivacy budget ε: 0.1"));
}

/// A value of zero has no place on a log scale; it must not be drawn as if it had.
#[test]
fn a_log_scale_leaves_zero_out() {
    let chart = Chart { panels: vec![panel(lines())], columns: 1 };
    let told =
        |y| svg(&chart, &heading(), Scales { x: None, y }, Hover::Titles).matches("privacy budget ε: 2\n").count();
    assert_eq!((told(None), told(Some(Scale::Linear))), (0, 3));
}
