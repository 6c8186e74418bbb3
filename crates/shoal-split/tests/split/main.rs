//! Tests of split trust, one module for each subject.

mod algebra;
mod charter;
mod messages;
mod model_check;
mod parts;
mod rules;
mod transcript;
mod view;
