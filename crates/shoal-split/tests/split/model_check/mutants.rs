//! The check of the model finds what must not happen: parties of a run that went well are put back or lied to, and go on.

use super::*;

/// Runs that went well, from whose parties mutants are made.
struct Played<'a> {
    world: World<'a, Shared>,
    /// Before anybody was asked.
    before: World<'a, Shared>,
    letters: Letters,
}

fn played<'a>(charter: &Arc<Charter>, tables: &'a [LocalScan]) -> Played<'a> {
    let mut letters = Letters::default();
    let helpers = (0..2).map(|i| Helper::new(charter.clone(), i, Shared::new(1000 + u64::from(i)))).collect();
    let mut world = World::of(charter, helpers, tables, 1, false, &mut letters);
    let (mut delivered, mut before) = (Sent::new(), None);
    while let Some((from, to, letter)) = next_in_order(&world, &delivered) {
        if before.is_none() && matches!(letters.message(letter).body, Body::Ask { .. }) {
            before = Some(world.clone());
        }
        delivered.insert((from, to, letter));
        let bytes = letters.bytes(letter);
        world.deliver(from, to, &bytes, &mut letters);
    }
    assert_eq!(check(&world.sent, &world.forged, &letters), Ok(()));
    assert!(world.driver.record().is_some());
    Played { world, before: before.unwrap(), letters }
}

/// What was sent to a party in the round.
fn of_the_round(played: &Played<'_>, to: Party) -> Vec<(Party, u32)> {
    let asked_or_share = |letter| matches!(played.letters.message(letter).body, Body::Ask { .. } | Body::Share(_));
    let mut round: Vec<_> = played.world.sent.iter().filter(|it| it.1 == to && asked_or_share(it.2)).collect();
    round.sort_by_key(|it| it.2);
    round.into_iter().map(|it| (it.0, it.2)).collect()
}

/// Mutant: a helper that was put back to its state before the question, with fresh noise.
#[test]
fn the_check_finds_a_helper_that_answers_again() {
    let (charter, tables) = (charter(2, 2), [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])]);
    let mut played = played(&charter, &tables);
    played.world.helpers[0] = played.before.helpers[0].clone();
    for (from, letter) in of_the_round(&played, Party::Helper(0)) {
        let bytes = played.letters.bytes(letter);
        played.world.deliver(from, Party::Helper(0), &bytes, &mut played.letters);
    }
    assert_eq!(check(&played.world.sent, &Sent::new(), &played.letters), Err("two answers to a round"));
}

/// Mutant: a custodian that was put back to its state before the question, and gets another question under its number.
#[test]
fn the_check_finds_a_custodian_that_answers_twice() {
    let (charter, tables) = (charter(2, 2), [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])]);
    let mut played = played(&charter, &tables);
    played.world.custodians[0] = played.before.custodians[0].clone();
    let posts = driver_before(&played).ask(&count_rows("1/4")).unwrap();
    for post in posts {
        let Party::Helper(_) = post.to else { unreachable!() };
        played.world.deliver(post.to, Party::Custodian(0), &post.bytes, &mut played.letters);
    }
    assert_eq!(check(&played.world.sent, &Sent::new(), &played.letters), Err("two shares of a round"));
}

/// The driver as it was when it could ask: all that helpers had sent it until then, and nothing since.
fn driver_before(played: &Played<'_>) -> Driver {
    let mut driver = driver(played.world.driver.charter(), "2");
    for &(from, to, letter) in &played.before.sent {
        if to == DRIVER && matches!(played.letters.message(letter).body, Body::Hello(_)) {
            driver.take(from, &played.letters.bytes(letter));
        }
    }
    for &(from, to, letter) in &played.before.sent {
        if to == DRIVER && matches!(played.letters.message(letter).body, Body::Joined(_)) {
            driver.take(from, &played.letters.bytes(letter));
        }
    }
    assert!(driver.is_ready());
    driver
}

/// Mutant: a helper that does not wait for a member, and counts it as zero.
#[test]
fn the_check_finds_a_helper_that_leaves_a_member_out() {
    let (charter, tables) = (charter(2, 2), [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])]);
    let Played { before: mut world, world: done, mut letters } = played(&charter, &tables);
    let sent: Vec<_> = done.sent.iter().filter(|it| it.1 == Party::Helper(0)).copied().collect();
    let ask = *sent.iter().find(|it| matches!(letters.message(it.2).body, Body::Ask { .. })).unwrap();
    let bytes = letters.bytes(ask.2);
    world.deliver(ask.0, Party::Helper(0), &bytes, &mut letters);
    let is_share = |letters: &Letters, letter| matches!(letters.message(letter).body, Body::Share(_));
    let share = *sent.iter().find(|it| it.0 == Party::Custodian(0) && is_share(&letters, it.2)).unwrap();
    // What custodian 0 sent, to both helpers.
    world.sent.extend(done.sent.iter().filter(|it| it.0 == Party::Custodian(0) && is_share(&letters, it.2)));
    let (bytes, header) = (letters.bytes(share.2), letters.message(share.2).header);
    world.deliver(Party::Custodian(0), Party::Helper(0), &bytes, &mut letters);
    assert_eq!(check(&world.sent, &Sent::new(), &letters), Ok(()));
    let nothing = Message { header, body: Body::Share(Share::Words(vec![0])) };
    world.deliver(Party::Custodian(1), Party::Helper(0), &nothing.to_bytes(), &mut letters);
    assert_eq!(check(&world.sent, &Sent::new(), &letters), Err("an answer without a share of every member"));
}
