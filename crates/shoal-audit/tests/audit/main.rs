//! The auditor: it must catch every known fault and raise no false alarm.

mod columns;
mod consortium;
mod consortium_attack;
mod crowd;
mod curator;
mod exact;
mod known_bad;
mod lattice;
mod laws;
mod no_false_alarms;
mod noise_targets;
mod persons;
mod pieces;
mod power;
mod releases;
mod words;
