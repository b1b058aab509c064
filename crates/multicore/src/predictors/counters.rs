//! Two-bit counters, found by address, by global history, by both, or by histories per address; and a choice
//! between two of these.
//!
//! J. E. Smith, *A study of branch prediction strategies*, ISCA 1981 (counters). T.-Y. Yeh, Y. N. Patt, *Alternative implementations of
//! two-level adaptive branch prediction*, ISCA 1992, doi:10.1145/139669.139709 (GAg and PAg). S. McFarling, *Combining branch predictors*,
//! WRL Technical Note TN-36, 1993 (gshare and the choice).

use super::history::low;
use super::rule::{Moment, Rule};

/// A counter moved towards an outcome.
#[inline]
pub(super) fn moved(counter: u8, taken: bool) -> u8 {
    if taken { (counter + 1).min(3) } else { counter.saturating_sub(1) }
}

/// A table of counters, which start at 2 and predict "taken" from 2 on.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    table: Vec<u8>,
    mask: u64,
}

impl Counters {
    pub fn new(bits: u32) -> Self {
        Counters { table: vec![2; 1 << bits], mask: low(bits) }
    }

    #[inline]
    pub fn predict(&self, index: u64) -> bool {
        self.table[(index & self.mask) as usize] >= 2
    }

    #[inline]
    pub fn train(&mut self, index: u64, taken: bool) {
        let counter = &mut self.table[(index & self.mask) as usize];
        *counter = moved(*counter, taken);
    }
}

/// Finds the counter of a task.
pub(super) trait Index {
    fn index(at: &Moment) -> u64;
}

/// The address.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByAddress;
/// The newest outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByHistory;
/// The exclusive or of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByBoth;

impl Index for ByAddress {
    #[inline]
    fn index(at: &Moment) -> u64 {
        at.address
    }
}

impl Index for ByHistory {
    #[inline]
    fn index(at: &Moment) -> u64 {
        at.history.newest()
    }
}

impl Index for ByBoth {
    #[inline]
    fn index(at: &Moment) -> u64 {
        at.address ^ at.history.newest()
    }
}

/// Counters found by an [`Index`]: bimodal, GAg, gshare.
#[derive(Clone, Debug)]
pub(super) struct Indexed<I> {
    counters: Counters,
    by: std::marker::PhantomData<I>,
}

impl<I> Indexed<I> {
    pub fn new(bits: u32) -> Self {
        Indexed { counters: Counters::new(bits), by: std::marker::PhantomData }
    }
}

impl<I: Index> Rule for Indexed<I> {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        self.counters.predict(I::index(at))
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, _: bool) {
        self.counters.train(I::index(at), taken);
    }
}

/// PAg: a history for each of 1,024 addresses, and counters found by it.
#[derive(Clone, Debug)]
pub(super) struct Local {
    histories: Vec<u32>,
    counters: Counters,
}

impl Local {
    /// The number of histories is two to the power of this.
    pub const HISTORIES: u32 = 10;

    pub fn new(bits: u32) -> Self {
        Local { histories: vec![0; 1 << Self::HISTORIES], counters: Counters::new(bits) }
    }

    #[inline]
    fn slot(at: &Moment) -> usize {
        (at.address & low(Self::HISTORIES)) as usize
    }
}

impl Rule for Local {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        self.counters.predict(u64::from(self.histories[Self::slot(at)]))
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, _: bool) {
        let history = &mut self.histories[Self::slot(at)];
        self.counters.train(u64::from(*history), taken);
        *history = *history << 1 | u32::from(taken);
    }
}

/// gshare or bimodal: counters found by address choose between them, and move if exactly one of them was
/// right.
#[derive(Clone, Debug)]
pub(super) struct Tournament {
    shared: Indexed<ByBoth>,
    plain: Indexed<ByAddress>,
    choice: Counters,
}

impl Tournament {
    pub fn new(bits: u32) -> Self {
        Tournament { shared: Indexed::new(bits), plain: Indexed::new(bits), choice: Counters::new(bits) }
    }
}

impl Rule for Tournament {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        match self.choice.predict(at.address) {
            true => self.shared.predict(at),
            false => self.plain.predict(at),
        }
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, _: bool) {
        let (shared, plain) = (self.shared.predict(at), self.plain.predict(at));
        if shared != plain {
            self.choice.train(at.address, shared == taken);
        }
        self.shared.train(at, taken, shared);
        self.plain.train(at, taken, plain);
    }
}
