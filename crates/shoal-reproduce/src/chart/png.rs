//! Pixels of a picture.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::Failure;

/// Pixels for each unit of the picture: sharp on screens and in slides.
const SCALE: f32 = 2.0;

/// A PNG of an SVG. The typeface comes with the program, so that pictures are the same on every machine.
pub fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.load_font_data(dejavu::sans::oblique().to_vec());
    let options = Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let (width, height) = ((size.width() as f32 * SCALE) as u32, (size.height() as f32 * SCALE) as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("the picture is too large")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}
