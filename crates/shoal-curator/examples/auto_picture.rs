//! Draws docs/auto.svg: made-up rows, the tree that `refined-tree` releases of them, and the centres before and after the
//! round on the rows. Writes the picture to standard output.

use std::fmt::Write as _;
use std::io::Write as _;

use shoal_curator::{Auto, AutoParams, DesignSize, Outcome, Route, Synopsis, SynopsisKMeans, System};
use shoal_files::PointStore;
use shoal_lattice::{BoxPosition, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_privacy::Allowance;
use shoal_scan::LocalScan;

/// Width of a panel in pixels.
const PANEL: f64 = 300.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows = made_up(6000);
    let mut points = LatticePoints::new(2);
    rows.iter().for_each(|row| points.push_row(row));
    let size = DesignSize::Public(rows.len() as u64);
    let params = AutoParams { route: Some(Route::RefinedTree), ..AutoParams::new(4, "0.5".parse()?, size) };
    let fit = Auto::new(params, 2)?;
    let scan = LocalScan::new(PointStore::InMemory(points));
    // A picture has to be repeatable, and protects nobody.
    let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(3))?;
    let synopsis = outcome.synopsis.as_ref().ok_or("the route releases a tree")?;
    let on_cells = synopsis.cluster(&SynopsisKMeans::new(4), &mut SeededNoise::new(1)).centres;
    std::io::stdout().write_all(picture(&rows, synopsis, &on_cells, &outcome).as_bytes())?;
    Ok(())
}

/// Four groups of different sizes and shapes, and a few rows anywhere.
fn made_up(count: usize) -> Vec<[i16; 2]> {
    let mut noise = SeededNoise::new(7);
    let groups =
        [(-0.55, 0.45, 0.08, 0.08), (0.5, 0.55, 0.16, 0.05), (0.45, -0.45, 0.07, 0.14), (-0.5, -0.5, 0.12, 0.12)];
    let row = |i: usize| {
        let (x, y, wide, high) = groups[i % 4];
        let place = if i.is_multiple_of(25) {
            [2.0 * unit_f64(&mut noise) - 1.0, 2.0 * unit_f64(&mut noise) - 1.0]
        } else {
            [x + wide * normal_f64(&mut noise), y + high * normal_f64(&mut noise)]
        };
        place.map(|x| (x.clamp(-1.0, 1.0) * 32_767.0) as i16)
    };
    (0..count).map(row).collect()
}

fn picture(rows: &[[i16; 2]], synopsis: &Synopsis, on_cells: &[Vec<BoxPosition>], outcome: &Outcome) -> String {
    let boxes = synopsis.cells.boxes();
    let (width, height) = (3.0 * PANEL + 80.0, PANEL + 70.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let titles = ["the rows (never leave)", "what the tree lets out", "centres: on the boxes ○, after a round ✚"];
    for (panel, title) in titles.iter().enumerate() {
        let left = 20.0 + panel as f64 * (PANEL + 20.0);
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"24\" fill=\"#333\">{title}</text>");
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"36\" width=\"{PANEL}\" height=\"{PANEL}\" fill=\"none\" stroke=\"#999\"/>"
        );
    }
    let dots = |panel: usize, colour: &str, svg: &mut String| {
        let _ = write!(svg, "<path stroke=\"{colour}\" stroke-width=\"2\" stroke-linecap=\"round\" d=\"");
        // Every other row: a picture of all would be no clearer, and twice as large.
        for row in rows.iter().step_by(2) {
            let (x, y) = place(panel, row[0].into(), row[1].into());
            let _ = write!(svg, "M{x:.0} {y:.0}h0");
        }
        svg.push_str("\"/>\n");
    };
    dots(0, "#4477aa", &mut svg);
    dots(2, "#c8d6e5", &mut svg);
    let density = |leaf: usize| {
        let (low, high) = (boxes.low(leaf), boxes.high(leaf));
        let side = |axis: usize| f64::from(i32::from(high[axis]) - i32::from(low[axis]) + 1) / 65_535.0;
        synopsis.counts[leaf].max(0) as f64 / (side(0) * side(1))
    };
    for leaf in 0..boxes.count() {
        let (low, high) = (boxes.low(leaf), boxes.high(leaf));
        let (x, bottom) = place(1, low[0].into(), low[1].into());
        let (right, y) = place(1, high[0].into(), high[1].into());
        let shade = (density(leaf) / 60_000.0).sqrt().min(1.0);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#4477aa\" fill-opacity=\"{shade:.2}\" stroke=\"#bbb\" stroke-width=\"0.4\"/>",
            right - x,
            bottom - y
        );
    }
    for centre in on_cells {
        let (x, y) = place(2, centre[0].0 * 32_767.0, centre[1].0 * 32_767.0);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"/>"
        );
    }
    for centre in &outcome.centres {
        let (x, y) = place(2, centre[0].0 * 32_767.0, centre[1].0 * 32_767.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {y:.1}h14M{x:.1} {:.1}v14\" stroke=\"#cc3311\" stroke-width=\"2.5\"/>",
            x - 7.0,
            y - 7.0
        );
    }
    let boxes = boxes.count();
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" fill=\"#666\" font-size=\"12\">{boxes} boxes; darker: more rows per area, as the noisy counts say</text>",
        20.0 + PANEL + 20.0,
        PANEL + 56.0
    );
    svg.push_str("</svg>\n");
    svg
}

/// Where a lattice point is drawn.
fn place(panel: usize, x: f64, y: f64) -> (f64, f64) {
    let unit = |x: f64| (x / 32_767.0 + 1.0) / 2.0 * PANEL;
    (20.0 + panel as f64 * (PANEL + 20.0) + unit(x), 36.0 + PANEL - unit(y))
}
