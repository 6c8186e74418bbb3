//! Paths.

use super::element::{Element, Value, write_number};

/// A line with corners, as its data say it. Places are kept to a tenth, which nobody sees and which keeps files small.
#[derive(Clone, Debug, Default)]
pub struct Path(String);

impl Path {
    /// A path that starts here.
    #[must_use]
    pub fn at(x: f64, y: f64) -> Self {
        Self::default().then('M', &[x, y])
    }

    /// Through these points; nothing when there are none.
    #[must_use]
    pub fn through(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut path = Self::default();
        for (x, y) in points {
            let command = if path.0.is_empty() { 'M' } else { 'L' };
            path = path.then(command, &[x, y]);
        }
        path
    }

    /// Lifts the pen and goes on from here.
    #[must_use]
    pub fn jump(self, x: f64, y: f64) -> Self {
        self.then('M', &[x, y])
    }

    /// A line to a place.
    #[must_use]
    pub fn line_to(self, x: f64, y: f64) -> Self {
        self.then('L', &[x, y])
    }

    /// A line by so much.
    #[must_use]
    pub fn line_by(self, x: f64, y: f64) -> Self {
        self.then('l', &[x, y])
    }

    /// Across to a place.
    #[must_use]
    pub fn across_to(self, x: f64) -> Self {
        self.then('H', &[x])
    }

    /// Up or down to a place.
    #[must_use]
    pub fn up_to(self, y: f64) -> Self {
        self.then('V', &[y])
    }

    /// Back to the start.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.0.push('Z');
        self
    }

    /// The element that draws it.
    pub fn draw(self) -> Element {
        Element::new("path").set("d", self)
    }

    fn then(mut self, command: char, numbers: &[f64]) -> Self {
        self.0.push(command);
        for (i, number) in numbers.iter().enumerate() {
            if i > 0 {
                self.0.push(' ');
            }
            write_number(*number, 1, &mut self.0);
        }
        self
    }
}

impl Value for Path {
    fn write(&self, out: &mut String) {
        // Letters and digits alone.
        out.push_str(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_commands() {
        let path = Path::at(1.0, 2.04).line_to(3.0, f64::NAN).across_to(4.25).up_to(-1.0).line_by(0.5, 0.5).closed();
        assert_eq!(path.0, "M1 2L3 0H4.2V-1l0.5 0.5Z");
        assert_eq!(Path::through([(0.0, 0.0), (1.0, 1.0)]).jump(2.0, 2.0).0, "M0 0L1 1M2 2");
    }
}
