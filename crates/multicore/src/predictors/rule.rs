//! What a predictor is: it predicts, and it learns.

use super::history::History;

/// What is known when a task is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Half of the address: instructions begin at even addresses.
    pub address: u64,
    /// Outcomes before it.
    pub history: History,
}

/// A predictor of outcomes.
pub(super) trait Rule {
    /// Whether the transfer at the end of the task is predicted to be taken.
    fn predict(&self, at: &Moment) -> bool;

    /// Learns an outcome. `predicted` is what was predicted, perhaps before other outcomes were learnt.
    fn train(&mut self, at: &Moment, taken: bool, predicted: bool);

    /// Predicts and learns at once, which may be had for less than both.
    #[inline]
    fn step(&mut self, at: &Moment, taken: bool) -> bool {
        let predicted = self.predict(at);
        self.train(at, taken, predicted);
        predicted
    }
}
