//! Whole runs: what they find, odd input, and the same bits however they are run.

use super::*;

#[test]
fn separated_groups_are_found() {
    let places: [&[f64]; 3] = [&[-0.6, -0.6], &[0.6, -0.5], &[0.0, 0.6]];
    let rows = groups(&places, 3000);
    let found = |epsilon: &str| {
        (0..20)
            .filter(|&seed| {
                let outcome = run(params(3, epsilon, 9000), 2, &rows, seed);
                let near = |c: &[BoxPosition], p: &[f64]| (c[0].0 - p[0]).abs() < 0.05 && (c[1].0 - p[1]).abs() < 0.05;
                places.iter().all(|p| outcome.centres.iter().any(|c| near(c, p)))
            })
            .count()
    };
    assert!(found("1") >= 19, "found in {} of 20 runs", found("1"));
    assert!(found("0.001") <= 2, "noise alone found them in {} of 20 runs", found("0.001"));
}

#[test]
fn odd_tables_and_budgets_give_a_valid_answer() {
    let tables: [(&str, usize, Vec<Vec<i16>>); 8] = [
        ("no rows", 2, vec![]),
        ("one row", 2, vec![vec![100, -100]]),
        ("fewer rows than clusters", 2, vec![vec![100, -100], vec![-9000, 32_767]]),
        ("constant column", 2, (0..500).map(|i| vec![i * 60, 7]).collect()),
        ("all at a corner", 3, vec![vec![32_767, -32_767, 32_767]; 50]),
        ("one attribute", 1, (0..500).map(|i| vec![i * 60 - 15_000]).collect()),
        ("twenty attributes", 20, scattered(300, 20)),
        ("no rows, twenty attributes", 20, vec![]),
    ];
    for (what, dims, rows) in &tables {
        for epsilon in ["0.000001", "0.5", "1000"] {
            for size in [DesignSize::Public(300), DesignSize::bought()] {
                let given = EugkmParams { size, ..params(5, epsilon, 1) };
                let kmeans = SynopsisKMeans { inits: 3, ..given.kmeans };
                let grid = GridRule { most_cells: 20_000, ..given.grid };
                let outcome = run(EugkmParams { kmeans, grid, ..given }, *dims, rows, 3);
                assert_valid(&outcome, 5, *dims);
                assert_eq!(outcome.charged, Loss::Pure(epsilon.parse().unwrap()), "{what}");
                let synopsis = outcome.synopsis.as_ref().unwrap();
                assert_eq!(synopsis.counts.len(), synopsis.cells.count());
            }
        }
    }
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5], &[0.0, 0.6]], 3001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    for size in [DesignSize::Public(9000), DesignSize::bought()] {
        let with = |rows: &[Vec<i16>]| run(EugkmParams { size: size.clone(), ..params(3, "1", 1) }, 2, rows, 5);
        let expected = with(&rows);
        assert_eq!(with(&reversed), expected);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| with(&rows)), expected);
        }
    }
}

#[test]
fn many_cells_give_the_same_bits_on_any_number_of_threads() {
    // More cells than one task of the error sums takes.
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5]], 500);
    let given = params(2, "10", 100_000);
    let given =
        EugkmParams { kmeans: SynopsisKMeans { inits: 2, rounds: 5, reruns: 0, ..SynopsisKMeans::new(2) }, ..given };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(given.clone(), 2, &rows, 5))
    };
    let expected = with(1);
    assert!(expected.synopsis.as_ref().unwrap().counts.len() > 90_000);
    assert_eq!(with(3), expected);
}

#[test]
fn a_streamed_table_gives_the_same_bits_as_one_in_memory() {
    let mut text = String::from("a,b,c\n");
    for i in 0..5000usize {
        let x = |salt: usize| ((i * 7919 + salt) * 104_729 % 100_003) as f64 / 100_003.0;
        text.push_str(&format!("{},{},{}\n", x(1), x(2), x(3)));
    }
    let load = |memory: usize, chunk_rows: Option<usize>| {
        let table = Table::open(Source::Memory(text.clone().into_bytes()), &ReadOptions::default()).unwrap();
        let bounds = BoundsSpec::parse("0,1").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
        let options = LoadOptions { memory, chunk_rows, ..LoadOptions::default() };
        load_points(table, LatticeMap::new(&bounds), &options, &Silent).unwrap()
    };
    let (whole, streamed) = (load(1 << 30, None), load(1024, Some(160)));
    assert!(matches!((&whole, &streamed), (PointStore::InMemory(_), PointStore::Streaming(_))));
    let given = EugkmParams { size: DesignSize::bought(), ..params(4, "1", 1) };
    let expected = run_on(given.clone(), &LocalScan::new(whole), 8);
    assert_eq!(run_on(given, &LocalScan::new(streamed).with_memory(4096), 8), expected);
}

#[test]
fn a_grid_that_would_not_fit_is_capped_and_says_so() {
    let chosen = GridRule::default().choose(10_000_000, 1.0, 10).unwrap();
    assert!(chosen.capped && chosen.grid.cells() <= MOST_CELLS && chosen.grid.dims() == 10);
    let note = chosen.decision().to_string();
    assert!(note.contains("10.0 billion") && note.contains("`max-cells`"), "{note}");

    let rows = scattered(500, 10);
    let given = params(3, "1", 10_000_000);
    let capped = GridRule { most_cells: 5000, ..given.grid };
    let outcome = run(EugkmParams { grid: capped, ..given }, 10, &rows, 1);
    assert_valid(&outcome, 3, 10);
    let cells = outcome.synopsis.as_ref().unwrap().as_grid().unwrap().cells();
    assert!(cells <= 5000 && cells > 1000, "{cells}");
    assert!(
        outcome.decisions.iter().any(|it| matches!(it, Decision::Grid { asked: Some(_), .. })),
        "{:?}",
        outcome.decisions
    );
    // A grid that fits says nothing of a limit.
    let outcome = run(params(3, "1", 500), 10, &rows, 1);
    assert!(
        outcome.decisions.iter().all(|it| !matches!(it, Decision::Grid { asked: Some(_), .. })),
        "{:?}",
        outcome.decisions
    );
}

/// The number of cells is public: it changes the shape of the release and not what it costs.
#[test]
fn cells_given_by_hand_are_the_cells_that_are_released() {
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5]], 500);
    let usual = params(2, "1", 1000);
    let by_hand = EugkmParams { grid: GridRule { cells: Some(36), ..usual.grid }, ..usual.clone() };
    let counts = |given: &EugkmParams| run(given.clone(), 2, &rows, 5).synopsis.unwrap().counts.len();
    assert_eq!((counts(&usual), counts(&by_hand)), (100, 36));
    let claim = |given: &EugkmParams| Eugkm::new(given.clone(), 2).unwrap().claim();
    assert_eq!(claim(&usual), claim(&by_hand));
}

#[test]
fn senseless_parameters_are_refused() {
    assert!(matches!(Eugkm::new(params(0, "1", 10), 2), Err(FitError::NoCentres)));
    assert!(matches!(Eugkm::new(params(20_000, "1", 10), 2), Err(FitError::TooManyCentres { .. })));
    assert!(matches!(Eugkm::new(params(2, "0", 10), 2), Err(FitError::NoBudget)));
    assert!(matches!(Eugkm::new(params(2, "1", 10), 0), Err(FitError::NoAttributes)));
    for theta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let grid = GridRule { theta, ..GridRule::default() };
        let refused = Eugkm::new(EugkmParams { grid, ..params(2, "1", 10) }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::THETA, .. })), "θ = {theta}");
    }
    let kmeans = SynopsisKMeans::new(2);
    for kmeans in [SynopsisKMeans { inits: 0, ..kmeans }, SynopsisKMeans { rounds: 0, ..kmeans }] {
        let refused = Eugkm::new(EugkmParams { kmeans, ..params(2, "1", 10) }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { .. })));
    }
    let grid = GridRule { cells: Some(0), ..GridRule::default() };
    let refused = Eugkm::new(EugkmParams { grid, ..params(2, "1", 10) }, 2);
    assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::CELLS, .. })));
    let grid = GridRule { most_cells: 0, ..GridRule::default() };
    let refused = Eugkm::new(EugkmParams { grid, ..params(2, "1", 10) }, 2);
    assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::MAX_CELLS, .. })));
}
