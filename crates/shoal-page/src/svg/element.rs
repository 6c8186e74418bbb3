//! Elements of a drawing.

use std::fmt::Write;

use maud::{Escaper, Render};

/// A part of the frame, for drawings that follow the width of their page: 0.5 is written as `50.00%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

/// What an attribute may be: a number, a share of the frame, or text, which is escaped.
pub trait Value {
    /// Writes the value as it stands between the quotation marks.
    fn write(&self, out: &mut String);
}

impl Value for f64 {
    /// To a hundredth. What is no number is zero: a drawing has no place for it.
    fn write(&self, out: &mut String) {
        write_number(*self, 2, out);
    }
}

impl Value for Share {
    fn write(&self, out: &mut String) {
        let share = if self.0.is_finite() { self.0 } else { 0.0 };
        write_fixed(share * 100.0, 2, out);
        out.push('%');
    }
}

impl Value for str {
    fn write(&self, out: &mut String) {
        escape(self, out);
    }
}

impl Value for String {
    fn write(&self, out: &mut String) {
        escape(self, out);
    }
}

impl<V: Value + ?Sized> Value for &V {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

/// An element with its attributes and content.
#[derive(Clone, Debug)]
#[must_use = "an element is drawn where it is added"]
pub struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

impl Element {
    /// An element of this name.
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), content: String::new() }
    }

    /// Sets an attribute.
    pub fn set(mut self, name: &str, value: impl Value) -> Self {
        self.attributes.push(' ');
        self.attributes.push_str(name);
        self.attributes.push_str("=\"");
        value.write(&mut self.attributes);
        self.attributes.push('"');
        self
    }

    /// Sets an attribute where there is a value for it.
    pub fn set_some(self, name: &str, value: Option<impl Value>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    /// Its class, for styles.
    pub fn class(self, class: &str) -> Self {
        self.set("class", class)
    }

    /// The colour inside.
    pub fn fill(self, colour: &str) -> Self {
        self.set("fill", colour)
    }

    /// The colour and width of its line.
    pub fn stroke(self, colour: &str, width: f64) -> Self {
        self.set("stroke", colour).set("stroke-width", width)
    }

    /// Text that viewers show to whoever points at it.
    pub fn title(self, title: &str) -> Self {
        let element = Element::new("title").says(title);
        self.with(element)
    }

    /// Adds text inside.
    pub fn says(mut self, text: &str) -> Self {
        escape(text, &mut self.content);
        self
    }

    /// Adds what is drawn inside.
    pub fn with(mut self, content: impl Render) -> Self {
        content.render_to(&mut self.content);
        self
    }
}

impl Render for Element {
    fn render_to(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.name);
        out.push_str(&self.attributes);
        if self.content.is_empty() {
            out.push_str("/>");
        } else {
            out.push('>');
            out.push_str(&self.content);
            // Writing into a string does not fail.
            let _ = write!(out, "</{}>", self.name);
        }
    }
}

/// Elements one after another.
#[derive(Clone, Debug, Default)]
pub struct Fragment(String);

impl Fragment {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what comes next, over what is there.
    pub fn add(&mut self, content: impl Render) {
        content.render_to(&mut self.0);
    }

    /// The text of all of it.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Render for Fragment {
    fn render_to(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl<R: Render> FromIterator<R> for Fragment {
    fn from_iter<I: IntoIterator<Item = R>>(contents: I) -> Self {
        let mut fragment = Self::new();
        contents.into_iter().for_each(|content| fragment.add(content));
        fragment
    }
}

/// A straight line between two places.
pub fn line(x1: impl Value, y1: impl Value, x2: impl Value, y2: impl Value) -> Element {
    Element::new("line").set("x1", x1).set("y1", y1).set("x2", x2).set("y2", y2)
}

/// A rectangle from its upper left corner.
pub fn rect(x: impl Value, y: impl Value, width: impl Value, height: impl Value) -> Element {
    Element::new("rect").set("x", x).set("y", y).set("width", width).set("height", height)
}

/// A circle.
pub fn circle(x: impl Value, y: impl Value, radius: impl Value) -> Element {
    Element::new("circle").set("cx", x).set("cy", y).set("r", radius)
}

/// An ellipse along the axes.
pub fn ellipse(x: impl Value, y: impl Value, across: impl Value, up: impl Value) -> Element {
    Element::new("ellipse").set("cx", x).set("cy", y).set("rx", across).set("ry", up)
}

/// Text that starts at a place.
pub fn text(x: impl Value, y: impl Value, text: &str) -> Element {
    Element::new("text").set("x", x).set("y", y).says(text)
}

/// Elements that belong together.
pub fn group() -> Element {
    Element::new("g")
}

/// A drawing of this size, which scales with its place on a page; `label` describes it to those who cannot see it.
pub fn view(width: f64, height: f64, label: &str) -> Element {
    let mut frame = String::from("0 0 ");
    width.write(&mut frame);
    frame.push(' ');
    height.write(&mut frame);
    Element::new("svg").set("viewBox", frame).set("role", "img").set("aria-label", label)
}

/// A number with at most so many decimals, without zeros at the end.
pub(super) fn write_number(value: f64, decimals: usize, out: &mut String) {
    let value = if value.is_finite() { value } else { 0.0 };
    let start = out.len();
    write_fixed(value, decimals, out);
    let tidy = crate::text::trimmed(&out[start..]).len();
    out.truncate(start + tidy);
    if &out[start..] == "-0" {
        out.replace_range(start.., "0");
    }
}

fn write_fixed(value: f64, decimals: usize, out: &mut String) {
    // Writing into a string does not fail.
    let _ = write!(out, "{value:.decimals$}");
}

/// Text with everything escaped that means something in XML, in elements and in quoted attributes.
fn escape(text: &str, out: &mut String) {
    let _ = Escaper::new(out).write_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(content: impl Render) -> String {
        content.render().into_string()
    }

    #[test]
    fn numbers_are_short_and_always_numbers() {
        assert_eq!(drawn(circle(1.0, 0.126, f64::NAN)), r#"<circle cx="1" cy="0.13" r="0"/>"#);
        assert_eq!(
            drawn(line(Share(0.5), -0.001, f64::INFINITY, 10.0)),
            r#"<line x1="50.00%" y1="0" x2="0" y2="10"/>"#
        );
    }

    #[test]
    fn text_cannot_break_out() {
        let evil = "</text><script>\" onload=\"x & y";
        let element = group().class(evil).with(text(0.0, 0.0, evil)).title(evil);
        let out = drawn(&element);
        assert!(!out.contains("<script") && !out.contains("onload=\""), "{out}");
        assert_eq!(out.matches('<').count(), 6, "{out}");
    }

    #[test]
    fn later_elements_lie_over_earlier_ones() {
        let all: Fragment = [circle(0.0, 0.0, 1.0), rect(0.0, 0.0, 1.0, 1.0)].into_iter().collect();
        assert!(drawn(group().with(all)).starts_with("<g><circle"));
    }
}
