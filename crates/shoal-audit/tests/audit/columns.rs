//! What every method loses on one row of stretched, weighted and categorical columns, and a mutant that must be found.

use shoal_audit::releases::columns::Setting;
use shoal_audit::targets::curator::for_releases;
use shoal_curator::methods;
use shoal_files::Missing;

fn settings(copies: usize) -> [Setting; 3] {
    let all = |scales, weights, missing, seed| Setting { scales, weights, missing, copies, seed };
    [
        all("income=log", "x=2", Missing::Refuse, 31),
        all("income=sqrt", "kind=1", Missing::Category, 32),
        all("income=rank:0,10,1000,1000000", "income=0.2,kind=0.1", Missing::Middle, 33),
    ]
}

#[test]
fn no_method_loses_more_on_a_row_than_it_is_charged() {
    for method in methods() {
        for (number, setting) in settings(1).iter().enumerate() {
            let dims = setting.bounds().unwrap().dims();
            for case in for_releases(&method.info, dims) {
                let words = format!("{}, {number}, {case:?}", method.info.name);
                let system = case.make_with(method, ["1", "0.2", "4"][number].parse().unwrap())().unwrap();
                let tally = setting.check(&*system).unwrap();
                assert!(tally.faults.is_empty(), "{words}: {:#?}", tally.faults);
                assert!(tally.compared > 0, "{words}: nothing was compared");
                assert!(tally.worst <= 1.0, "{words}: {} at {}", tally.worst, tally.at);
                assert!(tally.worst > 0.0, "{words}: no row changes anything");
            }
        }
    }
}

#[test]
fn a_row_that_is_counted_twice_is_found() {
    for name in ["dplloyd", "eugkm", "knorm-lloyd", "grid", "mean"] {
        let method = shoal_curator::find_method(name).unwrap();
        let [setting, ..] = settings(2);
        let dims = setting.bounds().unwrap().dims();
        let found = for_releases(&method.info, dims).iter().any(|case| {
            let system = case.make_with(method, "1".parse().unwrap())().unwrap();
            let tally = setting.check(&*system).unwrap();
            tally.worst > 1.0 || !tally.faults.is_empty()
        });
        assert!(found, "{name}");
    }
}
