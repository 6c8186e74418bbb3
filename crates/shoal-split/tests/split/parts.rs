//! A small charter, tables, noise that can be cloned, and everyone brought together.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use shoal_files::PointStore;
use shoal_kernel::LatticeCentres;
use shoal_lattice::LatticePoints;
use shoal_noise::NoiseSource;
use shoal_privacy::{Allowance, Claim, Epsilon};
use shoal_release::{Step, StepBudget, Take};
use shoal_scan::{LocalScan, Question};
use shoal_split::{
    AgreeToAll, Charter, CharterText, ColumnEntry, Custodian, Driver, Helper, HelperEntry, Member, Party, PublicKey,
    Purse, Rehearsal, SplitReleaser, Why,
};

pub const DIMS: usize = 2;

/// SplitMix64: repeatable words that can be cloned, so that a whole state can be tried twice.
#[derive(Clone)]
pub struct Words(pub u64);

impl NoiseSource for Words {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }

    fn fork(&mut self, label: u64) -> Self {
        Self(self.next_u64() ^ label)
    }
}

/// Words that all copies of a state share: a state that is put back draws fresh ones.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<Words>>);

impl Shared {
    pub fn new(seed: u64) -> Self {
        Self(Rc::new(RefCell::new(Words(seed))))
    }
}

impl NoiseSource for Shared {
    fn next_u64(&mut self) -> u64 {
        self.0.borrow_mut().next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.borrow_mut().fill_bytes(bytes);
    }

    fn fork(&mut self, label: u64) -> Self {
        Self(Rc::new(RefCell::new(self.0.borrow_mut().fork(label))))
    }
}

/// A key that is one byte again and again.
pub fn key(byte: u8) -> String {
    PublicKey([byte; 32]).to_text()
}

pub fn charter_text(custodians: usize, helpers: usize) -> CharterText {
    let custodian = |i: usize| Member { name: format!("custodian-{i}"), key: key(1 + i as u8) };
    let helper = |i: usize| HelperEntry {
        name: format!("helper-{i}"),
        operator: format!("Operator {i}"),
        at: format!("helper{i}.example:7443"),
        key: key(100 + i as u8),
    };
    let column = |i: usize| ColumnEntry { name: format!("x{i}"), lowest: -1.0, highest: 1.0 };
    CharterText {
        version: 1,
        least_custodians: 2,
        max_epsilon: "2".into(),
        fallback: "none".into(),
        round_seconds: 60,
        columns: (0..DIMS).map(column).collect(),
        custodians: (0..custodians).map(custodian).collect(),
        helpers: (0..helpers).map(helper).collect(),
        drivers: vec![Member { name: "study".into(), key: key(200) }],
    }
}

pub fn charter(custodians: usize, helpers: usize) -> Arc<Charter> {
    Arc::new(Charter::new(charter_text(custodians, helpers)).unwrap())
}

pub fn scan(rows: &[[i16; DIMS]]) -> LocalScan {
    let mut points = LatticePoints::new(DIMS);
    rows.iter().for_each(|row| points.push_row(row));
    LocalScan::new(PointStore::InMemory(points))
}

pub fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn step(question: Question, take: Take, budget: &str) -> Step {
    Step::for_budget(question, take, &StepBudget::Pure(epsilon(budget))).unwrap()
}

pub fn count_rows(budget: &str) -> Step {
    step(Question::RowCount, Take::Whole, budget)
}

pub fn moments(budget: &str) -> Step {
    step(Question::Moments { dims: DIMS }, Take::EachVariance, budget)
}

pub fn counts_of_clusters(budget: &str) -> Step {
    let centres = LatticeCentres::new(DIMS, vec![-20_000, 0, 0, 0, 20_000, 0]);
    step(Question::SumsAndCounts { centres }, Take::Counts, budget)
}

/// What happened to a custodian's budget, and when.
#[derive(Clone, Default)]
pub struct Books {
    pub covers: bool,
    pub debits: u32,
    pub fails: bool,
    pub log: Option<Arc<Mutex<Vec<&'static str>>>>,
}

impl Books {
    pub fn open() -> Self {
        Self { covers: true, ..Self::default() }
    }
}

impl Purse for Books {
    fn covers(&self, _: &Claim) -> Result<(), Why> {
        if self.covers { Ok(()) } else { Err(Why::Budget) }
    }

    fn debit(&mut self, round: &Claim, _: &str) -> Result<Allowance, Why> {
        if self.fails {
            return Err(Why::Ledger);
        }
        self.debits += 1;
        if let Some(log) = &self.log {
            log.lock().unwrap().push("debit");
        }
        Ok(Allowance::without_ledger(round.clone()))
    }
}

pub const DRIVER: Party = Party::Driver(0);

/// Seeds of the parties' noise: helpers 1000, 1001, …; custodians 2000, …
pub fn helper(charter: &Arc<Charter>, i: usize) -> Helper<Words> {
    Helper::new(charter.clone(), i as u8, Words(1000 + i as u64))
}

pub fn custodian<'a>(
    charter: &Arc<Charter>,
    i: usize,
    scan: &'a LocalScan,
    purse: Books,
) -> Custodian<'a, Books, Words> {
    Custodian::new(charter.clone(), i as u8, scan, purse, &AgreeToAll, Words(2000 + i as u64))
}

pub fn driver(charter: &Arc<Charter>, budget: &str) -> Driver {
    Driver::new(charter.clone(), 0, &epsilon(budget), "a test", &mut Words(3000)).unwrap()
}

/// Everyone in one process.
pub fn rehearsal<'a>(charter: &Arc<Charter>, tables: &'a [LocalScan]) -> Rehearsal<'a, Books, Words> {
    let helpers = (0..charter.helpers()).map(|i| helper(charter, i)).collect();
    let custodians = tables.iter().enumerate().map(|(i, scan)| custodian(charter, i, scan, Books::open())).collect();
    Rehearsal::new(helpers, custodians, DRIVER)
}

pub fn releaser<'a>(
    charter: &Arc<Charter>,
    tables: &'a [LocalScan],
    budget: &str,
) -> SplitReleaser<Rehearsal<'a, Books, Words>> {
    SplitReleaser::begin(driver(charter, budget), rehearsal(charter, tables), &epsilon(budget), true).unwrap()
}
