//! The rules one by one, each with what happens when it is broken.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use shoal_privacy::{Allowance, Claim, Sensitive};
use shoal_release::{Releaser, Step, StepBudget, Take};
use shoal_scan::{Answer, Grid, LocalScan, Question, Scan, ScanError};
use shoal_split::shares::Share;
use shoal_split::{
    AgreeToAll, Asked, Body, Charter, CharterText, Custodian, Delivered, Driver, Gate, Helper, Message, Party, Post,
    Purse, Rehearsal, SplitReleaser, Why,
};

use super::parts::*;

fn tables() -> [LocalScan; 2] {
    [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])]
}

/// Every message of a run of so many rounds.
fn run(charter: &Arc<Charter>, tables: &[LocalScan], steps: &[Step]) -> Vec<Delivered> {
    let mut seen = Vec::new();
    let mut watch = |message: &Delivered| seen.push(message.clone());
    let rehearsal = rehearsal(charter, tables).watched(&mut watch);
    let mut releaser = SplitReleaser::begin(driver(charter, "2"), rehearsal, &epsilon("2"), true).unwrap();
    for step in steps {
        releaser.release(step).unwrap();
    }
    let (_, mut rehearsal) = releaser.close();
    rehearsal.settle();
    drop(rehearsal);
    seen
}

fn of(seen: &[Delivered], from: Party, to: Party, which: fn(&Body) -> bool) -> Vec<Message> {
    let to_and_from = seen.iter().filter(|it| it.from == from && it.post.to == to);
    let messages = to_and_from.map(|it| Message::from_bytes(&it.post.bytes).unwrap());
    messages.filter(|it| which(&it.body)).collect()
}

/// Gives a party everything that it got in a run, up to the first message that `last` picks; that one is left to the caller.
fn replayed<T>(
    seen: &[Delivered],
    to: Party,
    last: fn(&Body) -> bool,
    mut take: impl FnMut(Party, &[u8]) -> T,
) -> (Party, Message) {
    for it in seen.iter().filter(|it| it.post.to == to) {
        let message = Message::from_bytes(&it.post.bytes).unwrap();
        if last(&message.body) {
            return (it.from, message);
        }
        take(it.from, &it.post.bytes);
    }
    panic!("there was no such message");
}

fn is_ask(body: &Body) -> bool {
    matches!(body, Body::Ask { .. })
}

fn is_share(body: &Body) -> bool {
    matches!(body, Body::Share(_))
}

fn ends(posts: &[Post], why: Why) -> bool {
    !posts.is_empty()
        && posts.iter().all(
            |post| matches!(Message::from_bytes(&post.bytes).unwrap().body, Body::End { why: it, .. } if it == why),
        )
}

/// R2: a message of another charter, run, round or history ends the run.
#[test]
fn r2_any_mismatch_ends_the_run() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let changes: [fn(&mut Message); 4] = [
        |it| it.header.charter.0[0] ^= 1,
        |it| it.header.run.0[0] ^= 1,
        |it| it.header.round += 1,
        |it| it.header.bound.0[31] ^= 1,
    ];
    for change in changes {
        let mut helper = helper(&charter, 0);
        let (from, mut share) = replayed(&seen, Party::Helper(0), is_share, |from, bytes| helper.take(from, bytes));
        change(&mut share);
        assert!(ends(&helper.take(from, &share.to_bytes()), Why::Mismatch));
        let mut helper2 = self::helper(&charter, 0);
        let (from, mut ask) = replayed(&seen, Party::Helper(0), is_ask, |from, bytes| helper2.take(from, bytes));
        change(&mut ask);
        assert!(
            !helper2.take(from, &ask.to_bytes()).iter().any(|it| is_ask(&Message::from_bytes(&it.bytes).unwrap().body))
        );
        assert!(helper2.ended().is_some());
    }
}

/// R2: two helpers that pass on different questions get no answer, whichever comes first.
#[test]
fn r2_a_custodian_answers_only_what_all_helpers_passed_on() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let mut custodian = custodian(&charter, 0, &tables[0], Books::open());
    let (from, ask) = replayed(&seen, Party::Custodian(0), is_ask, |from, bytes| custodian.take(from, bytes));
    // One helper alone, again and again, gets nothing.
    for _ in 0..3 {
        assert!(custodian.take(from, &ask.to_bytes()).is_empty());
    }
    assert_eq!(custodian.purse().debits, 0);
    let mut other = ask.clone();
    let Body::Ask { step, .. } = &mut other.body else { unreachable!() };
    *step = count_rows("1").to_bytes();
    let posts = custodian.take(Party::Helper(1), &other.to_bytes());
    assert!(ends(&posts, Why::TwoVersions));
    assert_eq!((custodian.purse().debits, custodian.rounds()), (0, 0));
}

/// R3: the run begins with all members and none is left out later.
#[test]
fn r3_no_answer_without_all_members() {
    let charter = charter(3, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4]]), scan(&[[5, 6]])];
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let mut helper = helper(&charter, 0);
    let (from, share) = replayed(&seen, Party::Helper(0), is_share, |from, bytes| helper.take(from, bytes));
    // The same share again does not stand for that of another member.
    for _ in 0..3 {
        assert!(helper.take(from, &share.to_bytes()).is_empty());
    }
    let others = of(&seen, Party::Custodian(1), Party::Helper(0), is_share);
    assert!(helper.take(Party::Custodian(1), &others[0].to_bytes()).is_empty());
    assert_eq!(helper.waits_for(), Some((Some(0), vec![Party::Custodian(2)])));
    let last = of(&seen, Party::Custodian(2), Party::Helper(0), is_share);
    let posts = helper.take(Party::Custodian(2), &last[0].to_bytes());
    assert!(matches!(Message::from_bytes(&posts[0].bytes).unwrap().body, Body::Answer(_)));
}

/// R4: a repeat gets the same bytes and costs nothing; another question under the same number ends the run.
#[test]
fn r4_a_custodian_answers_a_round_once() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let mut custodian = custodian(&charter, 0, &tables[0], Books::open());
    let (_, ask) = replayed(&seen, Party::Custodian(0), is_ask, |from, bytes| custodian.take(from, bytes));
    custodian.take(Party::Helper(0), &ask.to_bytes());
    let first = custodian.take(Party::Helper(1), &ask.to_bytes());
    assert_eq!(first.len(), 2);
    for helper in 0..2 {
        let again = custodian.take(Party::Helper(helper), &ask.to_bytes());
        assert_eq!(again, [first[usize::from(helper)].clone()]);
    }
    assert_eq!(custodian.purse().debits, 1);
    let mut other = ask;
    let Body::Ask { step, .. } = &mut other.body else { unreachable!() };
    *step = count_rows("1/4").to_bytes();
    assert!(ends(&custodian.take(Party::Helper(0), &other.to_bytes()), Why::TwoVersions));
    assert_eq!(custodian.purse().debits, 1);
}

/// R4: pads of two questions under the same number differ. Without the hash in the seed, the first helper would learn the
/// difference of two exact answers.
#[test]
fn r4_pads_are_bound_to_the_question() {
    use shoal_split::shares::Seed;
    use shoal_split::{Hash, RunId};
    let learns = |seed: &dyn Fn(&Hash) -> Seed| {
        let one = shoal_split::shares::split(vec![1000], &[seed(&Hash([1; 32]))]);
        let two = shoal_split::shares::split(vec![1007], &[seed(&Hash([2; 32]))]);
        let (Share::Words(one), Share::Words(two)) = (&one[0], &two[0]) else { unreachable!() };
        two[0].wrapping_sub(one[0]) == 7
    };
    let run = RunId([3; 16]);
    assert!(!learns(&|bound| Seed::derived(&[9; 32], &run, 0, bound, 1)));
    assert!(learns(&|_| Seed::derived(&[9; 32], &run, 0, &Hash::default(), 1)), "the mutant must be found");
}

/// R5: a helper answers a round once, with the same bytes for a repeat. A helper that was put back to an earlier state, which
/// R6 rules out by keeping nothing on disk, would answer with fresh noise.
#[test]
fn r5_a_helper_answers_a_round_once() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[moments("1/2")]);
    let mut helper = Helper::new(charter.clone(), 0, Shared::new(1000));
    let (from, ask) = replayed(&seen, Party::Helper(0), is_ask, |from, bytes| helper.take(from, bytes));
    let answer = |helper: &mut Helper<Shared>| {
        helper.take(from, &ask.to_bytes());
        let mut last = Vec::new();
        for i in 0..2 {
            let share = of(&seen, Party::Custodian(i), Party::Helper(0), is_share);
            last = helper.take(Party::Custodian(i), &share[0].to_bytes());
        }
        last
    };
    let mut put_back = helper.clone();
    let first = answer(&mut helper);
    for _ in 0..3 {
        assert_eq!(helper.take(from, &ask.to_bytes()), first, "a repeat gets the same bytes");
    }
    assert_ne!(answer(&mut put_back), first, "the mutant must be found");
    // Rounds come in order, and other bytes under this number end the run.
    let mut later = ask.clone();
    later.header.round = 2;
    assert!(ends(&helper.clone().take(from, &later.to_bytes()), Why::OutOfOrder));
    let mut other = ask.clone();
    let Body::Ask { step, .. } = &mut other.body else { unreachable!() };
    *step = count_rows("1/4").to_bytes();
    assert!(ends(&helper.take(from, &other.to_bytes()), Why::TwoVersions));
}

/// R6: a helper that was started anew is another incarnation, and nobody goes on with it.
#[test]
fn r6_a_restarted_helper_ends_the_run() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let anew = Helper::new(charter.clone(), 0, Words(77));
    let hello = anew.greet(Party::Custodian(0)).remove(0).bytes;
    let mut custodian = custodian(&charter, 0, &tables[0], Books::open());
    replayed(&seen, Party::Custodian(0), is_ask, |from, bytes| custodian.take(from, bytes));
    assert!(ends(&custodian.take(Party::Helper(0), &hello), Why::Restarted));
    let mut driver = driver(&charter, "2");
    replayed(&seen, DRIVER, |body| matches!(body, Body::Answer(_)), |from, bytes| driver.take(from, bytes));
    assert!(ends(&driver.take(Party::Helper(0), &hello), Why::Restarted));
    // An order for the old incarnation does not begin a run with the new one.
    let mut anew = anew;
    let order = of(&seen, DRIVER, Party::Helper(0), |body| matches!(body, Body::Order(_)));
    assert!(ends(&anew.take(DRIVER, &order[0].to_bytes()), Why::Restarted) || anew.ended().is_some());
    assert_eq!(anew.ended().unwrap().why, Why::Restarted);
}

/// R7: a deadline ends the run, and everyone learns which party was late.
#[test]
fn r7_who_is_late_is_named() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let mut helper = helper(&charter, 0);
    let (from, share) = replayed(&seen, Party::Helper(0), is_share, |from, bytes| helper.take(from, bytes));
    helper.take(from, &share.to_bytes());
    let posts = helper.late();
    assert!(ends(&posts, Why::Late));
    let to: Vec<Party> = posts.iter().map(|post| post.to).collect();
    assert_eq!(to, [Party::Custodian(0), Party::Custodian(1), DRIVER]);
    let ended = helper.ended().unwrap();
    assert_eq!((ended.why, ended.by != from), (Why::Late, true));
    // Shares that come after the deadline are not answered.
    let late = of(&seen, ended.by, Party::Helper(0), is_share);
    assert!(ends(&helper.take(ended.by, &late[0].to_bytes()), Why::Late));
}

/// R8: a run that the budget does not cover is refused before anything is spent.
#[test]
fn r8_a_run_beyond_the_budget_is_refused_at_joining() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let mut custodian = custodian(&charter, 0, &tables[0], Books::default());
    let (_, order) = replayed(
        &seen,
        Party::Custodian(0),
        |body| matches!(body, Body::Order(_)),
        |from, bytes| custodian.take(from, bytes),
    );
    custodian.take(Party::Helper(0), &order.to_bytes());
    assert!(ends(&custodian.take(Party::Helper(1), &order.to_bytes()), Why::Budget));
    assert_eq!(custodian.purse().debits, 0);
}

/// A table that writes down when it is asked.
struct Logged<'a>(&'a LocalScan, Arc<Mutex<Vec<&'static str>>>);

impl Scan for Logged<'_> {
    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        self.1.lock().unwrap().push("rows");
        self.0.ask(question)
    }
}

/// R8: the debit comes first, and without it nothing is asked about the rows and nothing is sent.
#[test]
fn r8_debit_before_answer() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    let log = Arc::new(Mutex::default());
    let table = Logged(&tables[0], log.clone());
    fn attempt(charter: &Arc<Charter>, seen: &[Delivered], table: &Logged<'_>, purse: impl Purse) -> Vec<Post> {
        let mut custodian = Custodian::new(charter.clone(), 0, table, purse, &AgreeToAll, Words(2000));
        let (_, ask) = replayed(seen, Party::Custodian(0), is_ask, |from, bytes| custodian.take(from, bytes));
        custodian.take(Party::Helper(0), &ask.to_bytes());
        custodian.take(Party::Helper(1), &ask.to_bytes())
    }
    // Nothing leaves without a debit on record. The rows are not even asked.
    let posts = attempt(&charter, &seen, &table, Books { fails: true, ..Books::open() });
    assert!(ends(&posts, Why::Ledger));
    assert!(log.lock().unwrap().is_empty());
    let posts = attempt(&charter, &seen, &table, Books { log: Some(log.clone()), ..Books::open() });
    assert!(posts.iter().all(|post| is_share(&Message::from_bytes(&post.bytes).unwrap().body)));
    let paid_first = |events: &[&str]| events == ["debit", "rows"];
    assert!(paid_first(&std::mem::take(&mut *log.lock().unwrap())));
    // Mutant: a custodian whose ledger is written only once it has answered.
    attempt(&charter, &seen, &table, PaysLater(log.clone()));
    let events = log.lock().unwrap();
    assert!(!paid_first(&events) && events.len() == 2, "the mutant must be found: {events:?}");
}

/// A purse that hands out the allowance at once and debits afterwards.
struct PaysLater(Arc<Mutex<Vec<&'static str>>>);

impl Purse for PaysLater {
    fn covers(&self, _: &Claim) -> Result<(), Why> {
        Ok(())
    }

    fn debit(&mut self, round: &Claim, _: &str) -> Result<Allowance, Why> {
        Ok(Allowance::without_ledger(round.clone()))
    }

    fn answered(&mut self) {
        self.0.lock().unwrap().push("debit");
    }
}

/// R8, R13: rounds that would exceed the order's ε are refused by custodians and helpers, whatever the driver says.
#[test]
fn r13_rounds_never_exceed_the_order() {
    let (charter, tables) = (charter(2, 2), tables());
    let driver = driver(&charter, "1");
    let rehearsal = rehearsal(&charter, &tables);
    let mut releaser = SplitReleaser::begin(driver, rehearsal, &epsilon("1"), true).unwrap();
    releaser.release(&count_rows("3/4")).unwrap();
    assert!(releaser.release(&count_rows("1/2")).is_err());
    // A driver that does not keep to it is refused by everyone else.
    let seen = run(&charter, &tables, &[count_rows("3/4"), count_rows("1")]);
    let mut custodian = custodian(&charter, 0, &tables[0], Books::open());
    let (_, mut order) = replayed(
        &seen,
        Party::Custodian(0),
        |body| matches!(body, Body::Order(_)),
        |from, bytes| custodian.take(from, bytes),
    );
    let Body::Order(inside) = &mut order.body else { unreachable!() };
    inside.epsilon = "1".into();
    let budget = shoal_split::Budget::of(&charter, inside).unwrap();
    assert_eq!(budget.admit(&charter, &count_rows("5/4").to_bytes()).unwrap_err(), Why::Budget);
    assert!(budget.admit(&charter, &count_rows("1").to_bytes()).is_ok());
    inside.epsilon = "3".into();
    assert_eq!(shoal_split::Budget::of(&charter, inside).unwrap_err(), Why::Budget, "more than the charter allows");
    inside.epsilon = "1.0".into();
    assert_eq!(shoal_split::Budget::of(&charter, inside).unwrap_err(), Why::Malformed, "one spelling for each number");
}

/// R11: questions that are too large, about other columns, or no sums are refused before anything is computed.
#[test]
fn r11_only_questions_with_bounded_answers() {
    let charter = charter(2, 2);
    let order = shoal_split::Order {
        incarnations: vec![[0; 16]; 2],
        nonce: [0; 16],
        epsilon: "1".into(),
        settings: String::new(),
    };
    let budget = shoal_split::Budget::of(&charter, &order).unwrap();
    let step = |question, take| Step::for_budget(question, take, &StepBudget::Pure(epsilon("1"))).unwrap();
    let refused = |step: &Step| budget.admit(&charter, &step.to_bytes()).unwrap_err();
    let grid = |cells: u32| Question::CellCounts { grid: Grid::new(vec![cells; DIMS], 1 << 20).unwrap() };
    assert_eq!(refused(&step(grid(513), Take::Whole)), Why::Question);
    assert!(budget.admit(&charter, &step(grid(512), Take::Whole).to_bytes()).is_ok());
    assert_eq!(refused(&step(Question::Moments { dims: 3 }, Take::EachVariance)), Why::Question);
    assert_eq!(budget.admit(&charter, b"no step").unwrap_err(), Why::Question);
    let gaussian =
        Step::for_budget(Question::RowCount, Take::Whole, &StepBudget::Concentrated("1/8".parse().unwrap())).unwrap();
    assert_eq!(refused(&gaussian), Why::Question, "a loss that is not pure does not add to the others");
}

/// R12: released numbers that contradict each other stop the run.
#[test]
fn r12_a_spoilt_sum_is_noticed() {
    let (charter, tables) = (charter(2, 2), tables());
    let mut releaser = releaser(&charter, &tables, "2");
    releaser.release(&count_rows("1/2")).unwrap();
    assert!(releaser.release(&counts_of_clusters("1/2")).is_ok());
    // A custodian invents rows in the middle of the run.
    let many = scan(&vec![[1, 1]; 5000]);
    let helpers = (0..2).map(|i| helper(&charter, i)).collect();
    struct Changing<'a>(&'a LocalScan, &'a LocalScan);
    impl Scan for Changing<'_> {
        fn dims(&self) -> usize {
            DIMS
        }
        fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
            if matches!(question, Question::RowCount) { self.0.ask(question) } else { self.1.ask(question) }
        }
    }
    let liar = Changing(&tables[0], &many);
    let custodians = vec![
        Custodian::new(charter.clone(), 0, &liar, Books::open(), &AgreeToAll, Words(1)),
        Custodian::new(charter.clone(), 1, &tables[1], Books::open(), &AgreeToAll, Words(2)),
    ];
    let rehearsal = Rehearsal::new(helpers, custodians, DRIVER);
    let mut releaser = SplitReleaser::begin(driver(&charter, "2"), rehearsal, &epsilon("2"), true).unwrap();
    releaser.release(&count_rows("1/2")).unwrap();
    assert!(releaser.release(&counts_of_clusters("1/2")).is_err());
    assert_eq!(releaser.ended().unwrap().why, Why::Implausible);
}

/// A person who is asked.
struct Asks(RefCell<Vec<String>>, u32);

impl Gate for Asks {
    fn agrees(&self, asked: Asked<'_>) -> bool {
        let mut seen = self.0.borrow_mut();
        seen.push(match asked {
            Asked::Run { order, epsilon } => format!("{} for ε = {epsilon}", order.settings),
            Asked::Question { step, epsilon, .. } => format!("{} for ε = {epsilon}", step.sentence()),
            _ => String::new(),
        });
        seen.len() as u32 <= self.1
    }
}

/// A custodian that declines a question pays nothing for it and answers nothing.
#[test]
fn a_person_may_decline_every_question() {
    let (charter, tables) = (charter(2, 2), tables());
    for agrees in 0..2 {
        let gate = Asks(RefCell::default(), agrees);
        let helpers = (0..2).map(|i| helper(&charter, i)).collect();
        let custodians = vec![
            Custodian::new(charter.clone(), 0, &tables[0], Books::open(), &gate, Words(1)),
            Custodian::new(charter.clone(), 1, &tables[1], Books::open(), &AgreeToAll, Words(2)),
        ];
        let rehearsal = Rehearsal::new(helpers, custodians, DRIVER);
        let begun = SplitReleaser::begin(driver(&charter, "2"), rehearsal, &epsilon("2"), true);
        match begun {
            Err(ended) => assert_eq!((agrees, ended.by, ended.why), (0, Party::Custodian(0), Why::Stopped)),
            Ok(mut releaser) => {
                assert!(releaser.release(&count_rows("1/2")).is_err());
                let (_, rehearsal) = releaser.abandon(Why::Stopped);
                assert_eq!(rehearsal.custodians[0].purse().debits, 0);
                assert!(gate.0.borrow()[1].contains("0.5"), "{:?}", gate.0.borrow());
            }
        }
    }
}

/// Nobody may send what only others may, and nobody speaks for another party.
#[test]
fn parties_keep_to_their_roles() {
    let (charter, tables) = (charter(2, 2), tables());
    let seen = run(&charter, &tables, &[count_rows("1/2")]);
    for to in [Party::Helper(0), Party::Helper(1)] {
        let Party::Helper(me) = to else { unreachable!() };
        for it in seen.iter().filter(|it| it.post.to == to) {
            for from in [Party::Custodian(0), Party::Helper(1 - me), DRIVER] {
                let right = matches!(
                    (it.from, from),
                    (Party::Custodian(_), Party::Custodian(_)) | (Party::Driver(_), Party::Driver(_))
                );
                if !right {
                    let mut helper = helper(&charter, usize::from(me));
                    helper.take(from, &it.post.bytes);
                    assert_eq!(helper.ended().map(|it| it.why), Some(Why::Malformed));
                }
            }
        }
    }
    let header = Message::from_bytes(&seen[0].post.bytes).unwrap().header;
    let blame = Message { header, body: Body::End { by: Party::Custodian(1), why: Why::Late } };
    let mut helper = helper(&charter, 0);
    helper.take(Party::Custodian(0), &blame.to_bytes());
    assert_eq!(helper.ended().unwrap().by, Party::Helper(0));
}

/// A driver asks for no more than the charter allows.
#[test]
fn a_driver_keeps_to_the_charter() {
    let charter = Arc::new(Charter::new(CharterText { max_epsilon: "1/2".into(), ..charter_text(2, 2) }).unwrap());
    let new = |budget: &str| Driver::new(charter.clone(), 0, &epsilon(budget), "", &mut Words(1));
    assert_eq!(new("1").err(), Some(Why::Budget));
    assert_eq!(new("0").err(), Some(Why::Budget));
    assert!(new("1/2").is_ok());
}
