//! The log of an operator names every step and no value of a record.

use crate::common::Place;

#[test]
fn a_log_has_the_steps_and_no_values() {
    let place = Place::new();
    let secret = "31.41592";
    place.write("people.csv", format!("age\n{}", format!("{secret}\n27.18281\n").repeat(300)));
    place.run(&["ledger", "init", "people", "-e", "2"]).ok();
    let method = ["-m", "refined-tree"];
    let fit = ["fit", "people.csv", "-k", "2", "-e", "1", "-b", "age=17:90", "--ledger", "shoal.ledger"];
    let fit = [&fit[..], &method].concat();
    let log = place.run(&[&fit[..], &["--log"]].concat()).ok().err();
    for step in ["read", "debit", "ask", "release", "people", "ε = "] {
        assert!(log.contains(step), "{step} is missing:\n{log}");
    }
    // Times may have any digits.
    let timeless: Vec<&str> =
        log.split_whitespace().filter(|word| !word.contains("time.") && !word.contains('T')).collect();
    let timeless = timeless.join(" ");
    assert!(!timeless.contains(secret) && !timeless.contains("27.18") && !timeless.contains("600"), "{log}");
    // Reruns on simulated rows are no steps of the run: one debit, one tree, at most eight rounds.
    assert!(log.matches("question=\"moments\"").count() == 1, "{log}");
    let quiet = place.run(&fit).ok().err();
    assert!(!quiet.contains("release"), "{quiet}");
}
