//! The figures of SZY19.

mod digits;
mod fig10;
mod fig11;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod table3;

use crate::{Figure, Info, Paper, Statement, Verdict};

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    vec![
        Box::new(fig2::Fig2),
        Box::new(fig3::Fig3),
        Box::new(fig4::Fig4),
        Box::new(fig5::Fig5),
        Box::new(fig6::Fig6),
        Box::new(table3::Table3),
        Box::new(fig7::Fig7),
        Box::new(fig8::Fig8),
        Box::new(fig9::Fig9),
        Box::new(fig10::Fig10),
        Box::new(fig11::Fig11),
    ]
}

/// What is known of a figure of this paper.
fn info(id: &str, label: &str, title: &str, protocol: &str, quick: &str) -> Info {
    Info {
        id: id.into(),
        paper: Paper::Szy19,
        label: label.into(),
        title: title.into(),
        protocol: protocol.into(),
        quick: quick.into(),
    }
}

/// How much of what the paper says of a figure came out, as a sentence.
fn message(statements: &[Statement]) -> String {
    let count = |verdict| statements.iter().filter(|statement| statement.verdict == verdict).count();
    let (all, holds, partly) = (statements.len(), count(Verdict::Holds), count(Verdict::Partly));
    if holds == all {
        "All that the paper says of this figure holds here.".into()
    } else if holds + partly == 0 {
        "Nothing that the paper says of this figure holds here.".into()
    } else {
        format!(
            "Of {all} things that the paper says or implies of this figure, {holds} hold here and {partly} in part."
        )
    }
}

/// Three digits.
pub(super) fn three(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = 2 - value.abs().log10().floor() as i32;
    if (0..=5).contains(&decimals) {
        format!("{value:.*}", decimals as usize)
    } else if (-4..0).contains(&decimals) {
        format!("{value:.0}")
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::three;

    #[test]
    fn three_digits_are_shown() {
        assert_eq!(three(0.0123456), "0.0123");
        assert_eq!(three(12.3456), "12.3");
        assert_eq!(three(123_456.0), "123456");
        assert_eq!(three(12_345_678.0), "1.2e7");
        assert_eq!(three(8.9e-137), "8.9e-137");
        assert_eq!(three(-0.5), "-0.500");
        assert_eq!(three(0.0), "0");
    }
}
