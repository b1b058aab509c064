//! Successors of processes part by part: the steps of one process after the other.

use crate::engine::{Engine, MARKS};
use crate::processes::{FEW, Machine, Processes};
use volvelle_model::kernels::{RELEASE, ordered_mode};
use volvelle_search::{Exit, Expander, Order, OrderedExpander, Part, Position, Successors, reverse};

/// Bit of a position that is not the first one; and bit of the timeout. The slot follows.
const RESUMED: u32 = 2;
const TIMEOUT: u32 = 4;
const SLOT: u32 = 4;

/// A machine for one search.
pub(crate) struct OrderedMachine<'s> {
    machine: Machine<'s>,
    order: Order,
    reach: u64,
    /// Whether handshakes of a process are found after its other transitions, and must be sorted.
    sorts: bool,
    unsorted: Successors,
    places: Vec<u32>,
}

impl<'s> OrderedMachine<'s> {
    /// A machine with an ordered kernel. Its notes count only once confirmed.
    pub fn new(system: &'s Processes<'s>, engine: &'s Engine, order: Order) -> Self {
        let mut machine = system.machine_for(engine, FEW);
        machine.open_notes = Some(Vec::new());
        let sorts = engine.kernel.offers > 0;
        OrderedMachine {
            machine,
            order,
            reach: 0,
            sorts,
            unsorted: Successors::default(),
            places: Vec::new(),
        }
    }

    /// The steps of one process; returns whether it has some.
    pub fn process(&mut self, state: &[u64], slot: usize, out: &mut Successors) -> bool {
        self.machine.begin = [slot as u64 + 1, ordered_mode::RESUMED];
        let exit = self.machine.expand(state, out);
        let has_failed = out.errors.iter().any(|error| error.successor.is_none());
        let is_complete = exit == Exit::Done && !self.machine.ran_stepwise && !has_failed;
        out.ends.iter_mut().for_each(|end| *end &= !MARKS);
        let is_its = |step: u32| (step >> 16 & 0x7fff) as usize == slot && step & 0xffff != RELEASE;
        is_complete && !out.steps.is_empty() && out.steps.iter().all(|&step| is_its(step))
    }

    fn is_ascending(&self) -> bool {
        self.order == Order::Ascending
    }

    /// Puts transitions in the order in which they are written. Of several partners, the last comes first.
    fn sort(&mut self, words: usize, out: &mut Successors) {
        let number = |step: u32| step & 0xffff;
        if out.steps.is_sorted_by(|&a, &b| number(a) < number(b)) {
            return;
        }
        std::mem::swap(out, &mut self.unsorted);
        let from = &self.unsorted;
        self.places.clear();
        self.places.extend(0..from.steps.len() as u32);
        self.places.sort_by_key(|&at| (number(from.steps[at as usize]), std::cmp::Reverse(at)));
        out.clear();
        for &at in &self.places {
            let at = at as usize;
            out.steps.push(from.steps[at]);
            out.states.extend_from_slice(&from.states[at * words..(at + 1) * words]);
        }
        out.ends.extend_from_slice(&from.ends);
        out.observations.extend_from_slice(&from.observations);
        out.errors.extend_from_slice(&from.errors);
        for error in &mut out.errors {
            let place = |at: u32| self.places.iter().position(|&from| from == at).map(|at| at as u32);
            error.successor = error.successor.and_then(place);
        }
    }
}

impl OrderedExpander for OrderedMachine<'_> {
    fn part(&mut self, state: &[u64], at: Position, out: &mut Part) -> Exit {
        let mut mode = if self.is_ascending() { ordered_mode::ASCENDING } else { 0 };
        match at {
            Position::START => {}
            Position::START_IN_FULL => mode |= ordered_mode::NO_PRECEDENCE,
            Position(at) => {
                mode |= ordered_mode::RESUMED;
                if at & TIMEOUT != 0 {
                    mode |= ordered_mode::TIMEOUT;
                }
            }
        }
        self.machine.begin = [u64::from(at.0 >> SLOT), mode];
        let exit = self.machine.expand_within(state, &[self.reach], &mut out.successors);
        out.next = Position::END;
        out.precedes = false;
        let (Exit::Done, Some(end)) = (exit, out.successors.ends.first_mut()) else { return exit };
        let marks = *end & MARKS;
        *end &= !MARKS;
        if self.machine.ran_stepwise {
            // All processes at once.
        } else if let Some(&step) = out.successors.steps.first()
            && step & 0xffff != RELEASE
        {
            out.precedes = marks & ordered_mode::PRECEDES != 0;
            let slot = step >> 16 & 0x7fff;
            let timeout = if marks & ordered_mode::AT_TIMEOUT != 0 { TIMEOUT } else { 0 };
            if self.is_ascending() {
                out.next = Position((slot + 1) << SLOT | RESUMED | timeout);
            } else if slot > 0 {
                out.next = Position(slot << SLOT | RESUMED | timeout);
            }
        }
        if self.sorts && !self.machine.ran_stepwise {
            self.sort(state.len(), &mut out.successors);
        }
        if self.is_ascending() && out.successors.steps.len() > 1 {
            reverse(&out.successors, state.len(), &mut self.unsorted);
            std::mem::swap(&mut out.successors, &mut self.unsorted);
        }
        exit
    }

    fn set_reach(&mut self, reach: u64) {
        self.reach = reach;
    }

    fn confirm_notes(&mut self) {
        self.machine.confirm_notes();
    }
}
