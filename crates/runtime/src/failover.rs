//! The assignment of work to devices: each device of a context works on its own part until it fails and
//! another one takes over.

use crate::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A part of the work that has moved permanently from one device to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failover {
    /// The part: the number of the device of this process that had it first.
    pub part: usize,
    /// The number of the device that did its work.
    pub from: usize,
    /// The number of the device that took over.
    pub to: usize,
    /// Why.
    pub error: Error,
}

/// The devices of this process, and which parts they work on.
pub(crate) struct Roster {
    /// Relative sizes of the parts.
    weights: Vec<u64>,
    state: Mutex<State>,
}

struct State {
    /// For each part, the device that does its work.
    acting: Vec<usize>,
    /// For each failed device, its error.
    failed: Vec<Option<Error>>,
    failovers: Vec<Failover>,
}

impl Roster {
    /// As many devices as weights, each with its own part.
    pub fn new(weights: Vec<u64>) -> Self {
        let count = weights.len();
        let state = State { acting: (0..count).collect(), failed: vec![None; count], failovers: Vec::new() };
        Roster { weights, state: Mutex::new(state) }
    }

    /// The device that does the work of a part. It has not failed, unless all have.
    pub fn acting(&self, part: usize) -> usize {
        let mut state = self.lock();
        let from = state.acting[part];
        if let Some(error) = state.failed[from].clone()
            && let Some(to) = self.free(&state, &[])
        {
            state.hand_over(Failover { part, from, to, error });
        }
        state.acting[part]
    }

    /// Whether a device failed.
    pub fn has_failed(&self, device: usize) -> bool {
        self.lock().failed[device].is_some()
    }

    /// Records that a device failed: it gets no more work.
    pub fn fail(&self, device: usize, error: &Error) {
        self.lock().failed[device].get_or_insert_with(|| error.clone());
    }

    /// Assigns a part to a device that has not failed and is not in `tried`; `None` if there is none.
    pub fn fail_over(&self, part: usize, error: &Error, tried: &[usize]) -> Option<usize> {
        let mut state = self.lock();
        let to = self.free(&state, tried)?;
        let from = state.acting[part];
        state.hand_over(Failover { part, from, to, error: error.clone() });
        Some(to)
    }

    /// The failovers so far, in order.
    pub fn failovers(&self) -> Vec<Failover> {
        self.lock().failovers.clone()
    }

    /// The least loaded device: devices of weight zero are spares.
    fn free(&self, state: &State, tried: &[usize]) -> Option<usize> {
        let weight = |(part, &device): (usize, &usize), of| match device == of {
            true => u128::from(self.weights[part]),
            false => 0,
        };
        let load = |of: usize| state.acting.iter().enumerate().map(|it| weight(it, of)).sum::<u128>();
        let devices = 0..self.weights.len();
        devices
            .filter(|&device| state.failed[device].is_none() && !tried.contains(&device))
            .min_by_key(|&device| load(device))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn hand_over(&mut self, it: Failover) {
        self.acting[it.part] = it.to;
        self.failovers.push(it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Error {
        Error::Launch("it burns".to_owned())
    }

    #[test]
    fn who_has_least_to_do_takes_over() {
        let roster = Roster::new(vec![5, 2, 2, 0]);
        let acting = |roster: &Roster| (0..4).map(|part| roster.acting(part)).collect::<Vec<_>>();
        assert_eq!(acting(&roster), [0, 1, 2, 3]);
        roster.fail(0, &error());
        assert!(roster.has_failed(0) && !roster.has_failed(3));
        // The spare first; then it has most.
        assert_eq!(roster.fail_over(0, &error(), &[0]), Some(3));
        roster.fail(1, &error());
        assert_eq!(acting(&roster), [3, 2, 2, 3]);
        // A device without room for this part is skipped, but continues with its own.
        assert_eq!(roster.fail_over(0, &error(), &[0, 3]), Some(2));
        assert_eq!(acting(&roster), [2, 2, 2, 3]);
        let failovers = roster.failovers().iter().map(|it| (it.part, it.from, it.to)).collect::<Vec<_>>();
        assert_eq!(failovers, [(0, 0, 3), (1, 1, 2), (0, 3, 2)]);
    }

    #[test]
    fn the_last_one_keeps_what_it_has() {
        let roster = Roster::new(vec![1, 1]);
        roster.fail(0, &error());
        assert_eq!(roster.acting(0), 1);
        roster.fail(1, &error());
        assert_eq!(roster.fail_over(1, &error(), &[1]), None);
        assert_eq!([roster.acting(0), roster.acting(1)], [1, 1]);
    }
}
