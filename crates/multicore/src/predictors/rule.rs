//! What a predictor does: it predicts, and it learns.

use super::history::History;

/// What is known when a task is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Half of the address: instructions begin at even addresses.
    pub address: u64,
    /// Outcomes before it.
    pub history: History,
}

/// When a predictor learns an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Training {
    /// When its group ends (P8): the default.
    #[default]
    AtOnce,
    /// When the last instruction of the task completes. Predictions in the same cycle or earlier do not use
    /// its outcome.
    Resolve,
    /// When it has retired.
    Commit,
}

/// A predictor of outcomes.
pub(super) trait Rule {
    /// Whether the transfer at the end of the task is predicted to be taken.
    fn predict(&self, at: &Moment) -> bool;

    /// Learns an outcome. `predicted` is the prediction, perhaps made before other outcomes were learnt.
    fn train(&mut self, at: &Moment, taken: bool, predicted: bool);

    /// Predicts and learns at once, which may be cheaper than both calls.
    #[inline]
    fn step(&mut self, at: &Moment, taken: bool) -> bool {
        let predicted = self.predict(at);
        self.train(at, taken, predicted);
        predicted
    }
}

/// Always predicts the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Same(pub bool);

impl Rule for Same {
    fn predict(&self, _: &Moment) -> bool {
        self.0
    }

    fn train(&mut self, _: &Moment, _: bool, _: bool) {}
}
