//! Failures that were kept for another environment.
//!
//! Whether something fails is the same in each environment with the mappings that were read. What is said about it is not: messages show
//! the whole environment. Such a failure is *borrowed*. Most are the failures of alternatives, and nobody asks what they say; where a rule
//! or a report does, the question is asked once more, and only failures of the same environment are taken.

use super::{AGAIN, Ended, Machine, Trouble};
use crate::memo::Outcome;
use crate::value::{EnvId, FailureId, Value};

impl Machine<'_> {
    /// Makes a run, and once more where it ended with what was borrowed. Runs that changed fields are not made twice.
    pub(super) fn told_exactly(&mut self, run: impl Fn(&mut Self) -> Ended) -> Ended {
        self.before = self.effects;
        let ended = run(self);
        let again = match ended {
            Ended::Fails(failure) => self.is_borrowed(failure) && self.effects == self.before,
            Ended::Stopped(why) => why == AGAIN,
            Ended::Holds(_) | Ended::Broke(_) => false,
        };
        if !again {
            return ended;
        }
        self.is_exact = true;
        let ended = run(self);
        self.is_exact = false;
        ended
    }

    /// Whether an outcome that was kept may be taken in an environment.
    pub(super) fn lends(&self, outcome: Outcome, env: EnvId) -> bool {
        match outcome {
            Outcome::Fails(kept) if self.is_exact => self.is_of(kept, env) && !self.is_borrowed(kept),
            Outcome::Fails(_) | Outcome::Holds(..) => true,
        }
    }

    /// A failure that was kept, as one of this environment.
    pub(super) fn lent(&mut self, kept: FailureId, env: EnvId) -> FailureId {
        if self.is_of(kept, env) {
            return kept;
        }
        let failure = self.failures[kept.index()];
        self.failures.push(crate::failure::Failure { is_borrowed: true, ..failure });
        FailureId::from_index(self.failures.len() - 1)
    }

    /// Whether the environment of a failure is this one; those of functions have none.
    fn is_of(&self, failure: FailureId, env: EnvId) -> bool {
        let (from, to) = self.failures[failure.index()].args;
        match self.failure_args[from as usize..to as usize].first() {
            Some(&Value::Env(own)) => own == env,
            _ => true,
        }
    }

    /// A rule asks what is said about a failure.
    pub(super) fn asked_about(&mut self, failure: FailureId) -> Result<(), Trouble> {
        if !self.is_exact && self.effects == self.before && self.is_borrowed(failure) {
            return Err(Trouble::Inexact);
        }
        let (from, to) = self.failures[failure.index()].args;
        for at in from..to {
            self.leaks(self.failure_args[at as usize]);
        }
        Ok(())
    }

    fn is_borrowed(&self, failure: FailureId) -> bool {
        let mut at = Some(failure);
        while let Some(failure) = at {
            let failure = &self.failures[failure.index()];
            if failure.is_borrowed {
                return true;
            }
            at = failure.cause;
        }
        false
    }
}
