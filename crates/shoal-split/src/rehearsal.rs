//! All roles in one process: for trying out, for tests, and for verifying that nothing depends on a network.

use std::collections::VecDeque;

use shoal_noise::NoiseSource;

use crate::custodian::Custodian;
use crate::helper::Helper;
use crate::party::{Party, Post};
use crate::purse::Purse;
use crate::releaser::Courier;
use crate::why::{Ended, Why};

/// One message that was delivered.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// Who sent it.
    pub from: Party,
    /// To whom, and what.
    pub post: Post,
}

/// Helpers and custodians that exchange messages without a network, in the order in which they are sent.
pub struct Rehearsal<'a, P, N> {
    /// The helpers.
    pub helpers: Vec<Helper<N>>,
    /// The custodians.
    pub custodians: Vec<Custodian<'a, P, N>>,
    driver: Party,
    queue: VecDeque<Delivered>,
    watch: Option<&'a mut dyn FnMut(&Delivered)>,
}

impl<'a, P: Purse, N: NoiseSource> Rehearsal<'a, P, N> {
    /// Brings everyone together.
    pub fn new(helpers: Vec<Helper<N>>, custodians: Vec<Custodian<'a, P, N>>, driver: Party) -> Self {
        let mut this = Self { helpers, custodians, driver, queue: VecDeque::new(), watch: None };
        for helper in 0..this.helpers.len() {
            let everyone = (0..this.custodians.len() as u8).map(Party::Custodian).chain([driver]);
            let posts: Vec<Post> = everyone.flat_map(|party| this.helpers[helper].greet(party)).collect();
            this.queue(Party::Helper(helper as u8), posts);
        }
        this
    }

    /// Shows every message that is delivered.
    #[must_use]
    pub fn watched(self, watch: &'a mut dyn FnMut(&Delivered)) -> Self {
        Self { watch: Some(watch), ..self }
    }

    fn queue(&mut self, from: Party, posts: Vec<Post>) {
        self.queue.extend(posts.into_iter().map(|post| Delivered { from, post }));
    }

    /// Delivers everything that is on its way among helpers and custodians.
    pub fn settle(&mut self) {
        while let Some(message) = self.queue.pop_front() {
            self.deliver(message);
        }
    }

    /// Delivers one message; hands it back if it is for the driver.
    fn deliver(&mut self, message: Delivered) -> Option<Delivered> {
        if let Some(watch) = &mut self.watch {
            watch(&message);
        }
        let (to, bytes) = (message.post.to, &message.post.bytes);
        let posts = match to {
            Party::Helper(i) => self.helpers.get_mut(usize::from(i)).map(|it| it.take(message.from, bytes)),
            Party::Custodian(i) => self.custodians.get_mut(usize::from(i)).map(|it| it.take(message.from, bytes)),
            Party::Driver(_) => return Some(message),
        };
        self.queue(to, posts.unwrap_or_default());
        None
    }
}

impl<P: Purse, N: NoiseSource> Courier for Rehearsal<'_, P, N> {
    fn send(&mut self, posts: Vec<Post>) {
        let driver = self.driver;
        self.queue(driver, posts);
    }

    fn receive(&mut self) -> Result<(Party, Vec<u8>), Ended> {
        while let Some(message) = self.queue.pop_front() {
            if let Some(Delivered { from, post }) = self.deliver(message) {
                return Ok((from, post.bytes));
            }
        }
        // Nothing is on its way: whoever is waited for will not answer.
        let late = self.helpers.iter().filter_map(Helper::waits_for).flat_map(|(_, parties)| parties).next();
        Err(Ended { by: late.unwrap_or(Party::Helper(0)), why: Why::Late })
    }
}
