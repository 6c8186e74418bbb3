//! The log of an operator names every step and no value of a record.

use crate::common::Place;

#[test]
fn a_log_has_the_steps_and_no_values() {
    let place = Place::new();
    let secret = "31.41592";
    place.write("people.csv", format!("age\n{}", format!("{secret}\n27.18281\n").repeat(300)));
    place.run(&["ledger", "init", "people", "-e", "2"]).ok();
    let fit = ["fit", "people.csv", "-k", "2", "-e", "1", "-b", "age=17:90", "--ledger", "shoal.ledger"];
    let log = place.run(&[&fit[..], &["--log"]].concat()).ok().err();
    for step in ["read", "debit", "ask", "release", "people", "ε = "] {
        assert!(log.contains(step), "{step} is missing:\n{log}");
    }
    assert!(!log.contains(secret) && !log.contains("27.18") && !log.contains("600"), "{log}");
    let quiet = place.run(&fit).ok().err();
    assert!(!quiet.contains("release"), "{quiet}");
}
