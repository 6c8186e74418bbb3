//! The figures of SZY19.

mod claim;
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

use crate::papers::words::hold;
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

/// How much of what the paper says of a figure was found, as a sentence.
fn message(statements: &[Statement]) -> String {
    let of_paper = || statements.iter().filter(|statement| !statement.ours);
    let count = |verdict| of_paper().filter(|statement| statement.verdict == verdict).count();
    let (all, holds, partly) = (of_paper().count(), count(Verdict::Holds), count(Verdict::Partly));
    if holds == all {
        "All that the paper says of this figure holds here.".into()
    } else if count(Verdict::Fails) == all {
        "Nothing that the paper says of this figure holds here.".into()
    } else {
        format!(
            "Of {all} things that the paper says or implies of this figure, {} here and {partly} in part.",
            hold(holds)
        )
    }
}
