//! Figures of the papers, measured again.

mod clz25;
mod consortium_digits;
mod data;
mod lab;
mod pages;
mod pictures;
mod printed;
mod scl16_nqc21;
mod szy19;
mod ytl22;
