//! What a search looks for, and what follows from that for the system and its reduction.

use super::claims::Automaton;
use crate::settings::SearchSettings;
use std::borrow::Cow;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::visible_transitions::ObservedPropositions;
use volvelle_search::{liveness, probe};

/// The violations that one search looks for.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// Assertions and end states.
    Errors,
    /// Beginnings of runs that the automaton accepts whatever follows.
    Beginnings(Automaton),
    /// Infinite runs that the automaton accepts.
    Claim(Automaton),
    /// Runs that pass accepting locations without end.
    Acceptance,
    /// Infinite runs that pass progress locations finitely often only.
    NonProgress,
}

/// Whether some states of a model are accepting by themselves.
pub(super) fn is_marked(program: &Program) -> bool {
    program.network.locations.iter().any(|location| location.is_accepting)
}

impl Subject {
    /// The automaton of the violations, where there is one.
    pub fn automaton(&self) -> Option<&Automaton> {
        match self {
            Subject::Beginnings(automaton) | Subject::Claim(automaton) => Some(automaton),
            _ => None,
        }
    }

    /// The cycles that are violations; `None` where finite runs are.
    pub fn cycles(&self) -> Option<liveness::Goal<'_>> {
        match self {
            Subject::Errors | Subject::Beginnings(_) => None,
            Subject::Claim(automaton) => Some(liveness::Goal::Claim(&automaton.claim)),
            Subject::Acceptance => Some(liveness::Goal::Acceptance),
            Subject::NonProgress => Some(liveness::Goal::NonProgress),
        }
    }

    /// The same for a probe.
    pub fn goal(&self) -> probe::Goal<'_> {
        match (self, self.cycles()) {
            (_, Some(goal)) => probe::Goal::Cycles(goal),
            (Subject::Beginnings(automaton), _) => probe::Goal::Beginnings(&automaton.claim),
            _ => probe::Goal::Errors,
        }
    }

    /// The labels that are observed, in the order of their bits.
    fn labels(&self) -> Vec<usize> {
        self.automaton().map_or_else(Vec::new, |automaton| automaton.labels.clone())
    }

    /// Whether it matters which states are accepting or progress.
    fn has_marks(&self, program: &Program) -> bool {
        match self {
            Subject::Errors | Subject::Beginnings(_) => false,
            Subject::Claim(_) => is_marked(program),
            Subject::Acceptance | Subject::NonProgress => true,
        }
    }

    /// Options of the system.
    pub fn options(&self, program: &Program) -> NetworkOptions {
        NetworkOptions { labels: self.labels(), marks: self.has_marks(program), ..NetworkOptions::default() }
    }

    /// Whether steps may be left out.
    pub fn allows_reduction(&self, settings: &SearchSettings) -> bool {
        !settings.no_reduction
            && match self {
                Subject::Beginnings(automaton) => automaton.ignores_stuttering,
                Subject::Claim(automaton) => automaton.repeats_alike,
                Subject::Errors | Subject::Acceptance | Subject::NonProgress => true,
            }
    }

    /// The propositions whose changes a reduction must preserve.
    pub fn observed(&self, program: &Program) -> ObservedPropositions {
        let is_progress = matches!(self, Subject::NonProgress);
        let accepting = self.has_marks(program) && !is_progress;
        ObservedPropositions {
            labels: self.labels(),
            accepting,
            progress: is_progress,
            ..ObservedPropositions::default()
        }
    }

    /// Leaves out of a program what does not matter for the violations.
    pub fn reduce(&self, program: &mut Cow<'_, Program>, settings: &SearchSettings) {
        if matches!(self, Subject::Errors) && self.allows_reduction(settings) {
            volvelle_model::dead::reset_dead(program.to_mut());
            volvelle_model::merge::merge(program.to_mut());
        }
    }

    /// What a run of it is; the failure itself for an error.
    pub fn reason(&self) -> &'static str {
        match self {
            Subject::Errors => "an error",
            Subject::Beginnings(_) => "a run that violates the claim however it continues",
            Subject::Claim(_) => "a run that violates the claim",
            Subject::Acceptance => "a run that passes an accept-state label infinitely often",
            Subject::NonProgress => "an infinite run that makes no progress",
        }
    }
}
