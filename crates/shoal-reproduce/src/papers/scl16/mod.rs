//! The figures of SCL16.

mod block_means;
mod columns;
mod cost;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod growth;
mod made_up;
mod panels;
mod tables;

use crate::Figure;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    vec![
        Box::new(fig1::Fig1),
        Box::new(fig2::Fig2),
        Box::new(fig3::Fig3),
        Box::new(fig4::Fig4),
        Box::new(fig5::Fig5),
        Box::new(fig6::Fig6),
        Box::new(fig7::Fig7),
    ]
}
