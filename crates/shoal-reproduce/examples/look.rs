use shoal_reproduce::chart::*;
fn main() {
    let eps = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0];
    let names = ["DPLloyd", "DPLloyd-Impr", "GkM", "GkM-3K", "PGkM", "EUGkM", "Hybrid", "DP-KCCM", "auto"];
    let series = |f: f64| -> Vec<Series> {
        names.iter().enumerate().map(|(i, n)| Series { name: n.to_string(), style: Style::Marked, points: eps.iter().map(|&x| { let y = f * (0.01 + 0.02 * (i as f64 + 1.0) / (x + 0.05)); Point { x, y, low: y * 0.93, high: y * 1.07 } }).collect() })
            .chain([Series { name: "no privacy".into(), style: Style::Dashed, points: vec![Point::exact(0.05, f*0.01), Point::exact(2.0, f*0.01)] },
             Series { name: "printed".into(), style: Style::Printed, points: vec![Point::exact(0.7, f*0.1)] }]).collect()
    };
    let panel = |t: &str, note: Option<&str>, f: f64| Panel { title: t.into(), note: note.map(Into::into), body: Body::Lines(Lines { x: Axis::log("privacy budget ε"), y: Axis::log("NICV (box units²)"), series: series(f) }) };
    let heading = Heading { title: "DPLloyd, EUGkM, PGkM and GkM on six data sets".into(), facts: "SCL16 Fig. 1, measured again with Shoal. 30 starts × 100 runs for DPLloyd, 10 synopses × 30 starts for EUGkM, 100 runs for the others".into(), warning: Some("QUICK LOOK, not the paper's protocol: 5 runs of each".into()) };
    let stand = Some("stand-in for Gowalla: 107,091 points drawn from a published histogram of check-ins, not the paper's unique places");
    let c = Chart { panels: vec![panel("S1", None, 1.0), panel("Gowalla", stand, 3.0), panel("TIGER", None, 0.3), panel("Adult-num", None, 10.0)], columns: 3 };
    let out = |name: &str, c: &Chart| { let s = svg(c, &heading, Scales::default(), Hover::Titles); std::fs::write(format!("/tmp/look/{name}.svg"), &s).unwrap(); std::fs::write(format!("/tmp/look/{name}.png"), png(&s).unwrap()).unwrap(); };
    out("lines", &c);
    let bars = Body::Bars(Bars { x: "privacy budget ε".into(), y: Axis::linear("ARI"), groups: ["0.1","0.5","1","2","3","4","5","6","7","8","9","10"].iter().map(|s| s.to_string()).collect(), series: ["BPGT ℓ = 1 (claim does not hold)","BPGT ℓ = 10","BPM","nD-Laplace","K-means"].iter().enumerate().map(|(i, n)| (n.to_string(), (0..12).map(|g| { let y = 0.05 * g as f64 + 0.03 * i as f64 - 0.02; Some(Point { x: 0.0, y, low: y - 0.03, high: y + 0.03 }) }).collect())).collect() });
    let boxes = Body::Boxes(Boxes { x: "privacy budget ε".into(), y: Axis::log("RE"), groups: ["0.1","0.5","1","2","4","8"].iter().enumerate().map(|(g, s)| BoxGroup { label: s.to_string(), boxes: ["DKdP","Baseline","noise-aware"].iter().enumerate().map(|(i, n)| (n.to_string(), (0..50).map(|r| ((r * 37 % 50) as f64 / 10.0 + 1.0 + i as f64) / (g as f64 + 1.0)).collect())).collect() }).collect() });
    let heat = Body::HeatMap(HeatMap { x: "dimensions d".into(), y: "clusters k".into(), value: "NICV above baseline".into(), columns: (2..=10).map(|i| i.to_string()).collect(), rows: (2..=10).rev().map(|i| i.to_string()).collect(), values: (0..9).map(|r| (0..9).map(|c| 0.001 * ((r + 1) * (c + 1)) as f64).collect()).collect(), range: None, scale: Scale::Log });
    let heat2 = Body::HeatMap(HeatMap { x: "privacy budget ε".into(), y: "".into(), value: "NMI".into(), columns: ["0.1","0.5","1","2","3","4","5","6","7","8","9","10"].iter().map(|s| s.to_string()).collect(), rows: ["BPGT ℓ = 1 (claim does not hold)","BPM","K-means"].iter().map(|s| s.to_string()).collect(), values: (0..3).map(|r| (0..12).map(|c| 0.03 * ((r + 1) * (c + 1)) as f64).collect()).collect(), range: Some((0.0, 1.0)), scale: Scale::Linear });
    let scatter = Body::Scatter(Scatter { x: "x".into(), y: "y".into(), points: (0..600).map(|i| { let a = i as f64; ScatterPoint { x: (a * 0.7).sin() * 10.0, y: (a * 1.3).cos() * 5.0, class: if i % 9 == 8 { None } else { Some(i % 9) } } }).collect() });
    let p = |t: &str, b: Body| Panel { title: t.into(), note: None, body: b };
    out("bars", &Chart { panels: vec![p("Iris", bars.clone()), p("Seeds", bars)], columns: 1 });
    out("boxes", &Chart { panels: vec![p("L = 2", boxes.clone()), p("L = 6", boxes.clone()), p("L = 10", boxes)], columns: 3 });
    out("heat", &Chart { panels: vec![p("EUGkM", heat.clone()), p("DPLloyd", heat.clone()), p("GkM", heat), p("Iris", heat2)], columns: 2 });
    out("scatter", &Chart { panels: vec![p("kCluster", scatter.clone()), p("DBSCAN", scatter.clone()), p("DPBV", scatter)], columns: 3 });
}
