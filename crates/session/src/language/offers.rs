//! What a model offers: the analyses that it allows, and the options that its language knows.
//!
//! Questions say of which models they are by a predicate over this value. A front end gives the values that its documents may have, so
//! that help can be about one language; a document gives its own.

use volvelle_diagnostics::{Diagnostic, codes};

/// The building blocks of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formalism {
    /// Modules with guarded commands, whose choices have probabilities or rates.
    Modules,
    /// Processes with statements.
    Processes,
    /// States and transitions.
    Explicit,
    /// Behaviours of a process algebra, whose actions have labels.
    Behaviours,
    /// States and steps with weights, or terms of a weighted process algebra.
    Weighted,
}

impl Formalism {
    /// Its models, for people.
    pub fn models(self) -> &'static str {
        match self {
            Formalism::Modules => "a PRISM model",
            Formalism::Processes => "a Promela model",
            Formalism::Explicit => "an explicit model",
            Formalism::Behaviours => "a LOTOS specification",
            Formalism::Weighted => "a weighted system",
        }
    }
}

/// Analyses of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Numbers: probabilities and rewards, by numerical methods and on the explored state space.
    Numbers,
    /// Estimates from sampled paths, and single paths step by step.
    Sampling,
    /// Verdicts on all runs: assertions, end states, and claims, by search; labelled transition systems.
    Search,
    /// A single run of processes.
    Run,
    /// Parts of the text that no run executes.
    Coverage,
}

/// The refusal of an analysis that a model does not allow; it is for the caller to say what applies instead.
pub(super) fn refused(name: &str, is: &str, analysis: Analysis) -> Diagnostic {
    let what = match analysis {
        Analysis::Numbers => "its properties have no numerical values",
        Analysis::Sampling => "it has no random paths to sample",
        Analysis::Search => "it cannot be searched",
        Analysis::Run => "it cannot be run step by step",
        Analysis::Coverage => "dead statements are not defined for it",
    };
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, format!("`{name}` {is}: {what}"))
}

/// Options that depend on the language of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageOption {
    /// Constants take values.
    Constants,
    /// Macros are defined for a preprocessor.
    Macros,
    /// Properties stand in files of their own.
    PropertyFiles,
    /// Files with labels, rewards, observations accompany the model.
    Parts,
    /// The model is read as one of another kind.
    Kind,
    /// Probabilities are written down, and may not sum to one.
    Sums,
    /// States without transitions are given a self-loop, or not.
    Deadlocks,
    /// Choices that others represent are omitted.
    Reduction,
    /// Interchangeable modules or processes are exploited.
    Symmetry,
    /// Counterexamples are made shorter.
    Shortening,
    /// Steps are given weights, and states propositions.
    Weights,
}

/// What a model offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    /// Its building blocks.
    pub formalism: Formalism,
    /// The analyses that it allows.
    pub analyses: &'static [Analysis],
    /// The options that its language knows.
    pub options: &'static [LanguageOption],
    /// Whether it is a labelled transition system, or a network of some, and has no program.
    pub is_labelled: bool,
}

impl Offers {
    /// Modules with all that the PRISM language has.
    pub const MODULES: Offers = Offers {
        formalism: Formalism::Modules,
        analyses: &[Analysis::Numbers, Analysis::Sampling, Analysis::Search],
        options: &[
            LanguageOption::Constants,
            LanguageOption::PropertyFiles,
            LanguageOption::Kind,
            LanguageOption::Sums,
            LanguageOption::Deadlocks,
            LanguageOption::Reduction,
            LanguageOption::Symmetry,
            LanguageOption::Weights,
        ],
        is_labelled: false,
    };

    /// Processes.
    pub const PROCESSES: Offers = Offers {
        formalism: Formalism::Processes,
        analyses: &[Analysis::Search, Analysis::Run, Analysis::Coverage],
        options: &[
            LanguageOption::Macros,
            LanguageOption::Symmetry,
            LanguageOption::Shortening,
            LanguageOption::Weights,
        ],
        is_labelled: false,
    };

    /// A model that is given by its states, with probabilities or rates.
    pub const EXPLICIT: Offers = Offers {
        formalism: Formalism::Explicit,
        analyses: &[Analysis::Numbers, Analysis::Sampling],
        options: &[
            LanguageOption::Constants,
            LanguageOption::PropertyFiles,
            LanguageOption::Parts,
            LanguageOption::Kind,
            LanguageOption::Deadlocks,
        ],
        is_labelled: false,
    };

    /// A model that is given by its states, without an engine for its numbers: it is shown, converted, reduced.
    pub const STATES: Offers = Offers { analyses: &[], ..Offers::EXPLICIT };

    /// A labelled transition system.
    pub const SYSTEM: Offers = Offers { is_labelled: true, ..Offers::STATES };

    /// Behaviours of a process algebra: they have labels.
    pub const BEHAVIOURS: Offers = Offers {
        formalism: Formalism::Behaviours,
        analyses: &[],
        options: &[LanguageOption::Constants],
        is_labelled: false,
    };

    /// A network of labelled transition systems.
    pub const NETWORK: Offers = Offers { is_labelled: true, ..Offers::BEHAVIOURS };

    /// A weighted system.
    pub const WEIGHTED: Offers = Offers { formalism: Formalism::Weighted, ..Offers::BEHAVIOURS };

    /// Whether the model allows an analysis.
    pub fn allows(&self, analysis: Analysis) -> bool {
        self.analyses.contains(&analysis)
    }

    /// Whether the language knows an option.
    pub fn knows(&self, option: LanguageOption) -> bool {
        self.options.contains(&option)
    }

    /// Its models, for people.
    pub fn models(&self) -> &'static str {
        match self.formalism {
            Formalism::Behaviours if self.is_labelled => "a network of labelled transition systems",
            _ if self.is_labelled => "a labelled transition system",
            formalism => formalism.models(),
        }
    }

    /// Whether a program stands behind its states, which have values then.
    pub fn has_program(&self) -> bool {
        !self.is_labelled && !self.is_weighted()
    }

    /// Whether it is a weighted system.
    pub fn is_weighted(&self) -> bool {
        self.formalism == Formalism::Weighted
    }

    /// Whether it is a weighted structure, or becomes one.
    pub fn has_weights(&self) -> bool {
        self.is_weighted() || self.knows(LanguageOption::Weights)
    }
}
