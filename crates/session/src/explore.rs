//! Exploring a model, with the diagnostics that this brings.

use crate::engine::{self, Tier};
use crate::failure;
use crate::language::Formalism;
use crate::limits;
use crate::model::{Model, mentions};
use crate::report::{ModelReport, Report};
use crate::settings::Settings;
use crate::symmetric;
use crate::transition_system::make_transition_system;
use crate::ways;
use volvelle_control::{Control, Fact, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_explore::{ExactError, ExploreError, Explored, Options, Reached, StepLimit};
use volvelle_kernel::Site;
use volvelle_model::kernels::Selection;
use volvelle_model::{Layout, Program};
use volvelle_space::{BitSet, StateId};

/// Results of an exploration.
#[derive(Default)]
pub struct Outcome {
    /// The state space, or how much of it was reached.
    pub model: Option<ModelReport>,
    /// The states, if all that are needed were found.
    pub explored: Option<Explored>,
    /// What exploring told.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that ended it.
    pub stop: Option<Stop>,
    /// The site that failed, where one did.
    pub failed: Option<Site>,
}

impl Outcome {
    /// Says so if symmetry was asked for, and all states were explored. `fits`: whether it was looked for.
    pub fn or_full_space(mut self, fits: bool, settings: &Settings) -> Self {
        let has_effect = self.explored.as_ref().is_none_or(|explored| !explored.orbits.is_empty());
        if settings.symmetry && !has_effect {
            self.diagnostics.push(symmetric::no_effect(fits));
        }
        self
    }
}

impl Model {
    /// Explores all states and observes everything that the model itself names.
    pub fn explore(&mut self, settings: &Settings, control: &Control<'_>) -> (Report, Option<Explored>) {
        self.explore_first(usize::MAX, settings, control)
    }

    /// The same, but once more states than `enough` are known, no more levels of a breadth-first walk are expanded.
    pub fn explore_first(
        &mut self,
        enough: usize,
        settings: &Settings,
        control: &Control<'_>,
    ) -> (Report, Option<Explored>) {
        self.refuse_sweeps();
        let lowered = self.lower();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if lowered || mentions(&report.diagnostics, codes::OPEN_CONSTANT) {
            // A constant without a value and a value without a constant are often the same mistake.
            report.diagnostics.extend(self.unmentioned_constants());
        }
        let Some(program) = self.program().filter(|_| !has_errors(&report.diagnostics)) else {
            return (report, None);
        };
        if let Some(model) = self.explicit() {
            report.model = Some(self.as_read(model, program));
            return (report, None);
        }
        let symmetry = settings.symmetry;
        let steps = (enough < usize::MAX).then_some(StepLimit { steps: 0, spared: enough });
        let options = Options { observe: Selection::all(program), symmetry, steps, ..Options::default() };
        let outcome = self.run_exploration(program, false, &options, settings, control);
        let mut outcome = outcome.or_full_space(symmetry, settings);
        if outcome.stop.is_some_and(ways::is_about_states) {
            let ways = ways::ways_out(self, program, &[], &options.observe, settings);
            ways::add(&mut outcome.diagnostics, ways);
        }
        report.model = outcome.model;
        report.diagnostics.extend(outcome.diagnostics);
        report.stop = outcome.stop;
        let mut explored = outcome.explored.filter(|_| !has_errors(&report.diagnostics));
        if self.formalism() == Some(Formalism::Behaviours)
            && let (Some(explored), Some(model)) = (&mut explored, &mut report.model)
        {
            make_transition_system(&mut explored.space);
            model.choices = None;
            model.transitions = explored.space.num_transitions() as u64;
        }
        (report, explored)
    }

    /// Explores with a selection of observations. `program` is that of the model, perhaps with a condition on which
    /// to stop. With `reduce`, choices that others stand for are left out.
    pub fn run_exploration(
        &self,
        program: &Program,
        reduce: bool,
        options: &Options,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Outcome {
        let Some(document) = &self.document else { return Outcome::default() };
        if let Some(outcome) = self.explored_exactly(program, &options.observe, settings, control) {
            return outcome;
        }
        let (result, tier) = match document.given(control) {
            None => {
                let mut terms = document.terms();
                engine::run(program, terms.as_deref_mut(), settings.tier, reduce, options, control)
            }
            Some(Ok(given)) => engine::observe(program, given, settings.tier, options, control),
            Some(Err(diagnostic)) => {
                return Outcome { diagnostics: vec![diagnostic], ..Outcome::default() };
            }
        };
        match result {
            Ok(explored) => {
                let outcome = self.explored(&explored, tier, settings, control);
                Outcome { explored: Some(explored), ..outcome }
            }
            Err(error) => {
                let mut outcome = Outcome::default();
                match &error {
                    ExploreError::Stopped { stop, reached } => {
                        outcome.stop = Some(*stop);
                        outcome.model = Some(self.partial(program, reached, tier));
                    }
                    ExploreError::Failed { site, .. } => outcome.failed = Some(*site),
                    _ => {}
                }
                outcome.diagnostics.push(failure::of_exploration(
                    &error,
                    &**document,
                    program,
                    &self.sources,
                    &settings.allowance,
                ));
                outcome
            }
        }
    }

    /// Explores in rational arithmetic, where rounding could change what is found. `None` where some state has no rational
    /// successors, which the properties that need them tell.
    fn explored_exactly(
        &self,
        program: &Program,
        selection: &Selection,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Option<Outcome> {
        if !settings.exact
            || self.explicit().is_some()
            || !volvelle_explore::rounding_matters(program, selection)
        {
            return None;
        }
        match volvelle_explore::explore_exactly(program, selection, control) {
            Ok(explored) => {
                let outcome = self.explored(&explored, "rational arithmetic", settings, control);
                Some(Outcome { explored: Some(explored), ..outcome })
            }
            Err(ExactError::Stopped(stop)) => {
                let diagnostics = vec![limits::stopped(stop, &settings.allowance)];
                Some(Outcome { stop: Some(stop), diagnostics, ..Outcome::default() })
            }
            Err(_) => None,
        }
    }

    /// The report and the diagnostics of an explored model.
    pub fn explored(
        &self,
        explored: &Explored,
        tier: &'static str,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Outcome {
        Outcome {
            model: Some(self.complete(explored, tier, settings, control)),
            diagnostics: self
                .deadlocks(explored, settings.fix_deadlocks)
                .into_iter()
                .chain(self.scaled(explored))
                .collect(),
            ..Outcome::default()
        }
    }

    /// The warning that probabilities of some state are scaled, as they do not sum to one as they are written.
    fn scaled(&self, explored: &Explored) -> Option<Diagnostic> {
        let (document, program) = (self.document.as_deref()?, self.program()?);
        let values = explored.layout.unpack(explored.states.get(explored.errors.scaled? as usize));
        let site = volvelle_model::row_sums::farthest(program, &values)?;
        let warning = document.explain_failure(&self.sources, site, &values);
        let warning = warning.note(format!("in state {}", document.state_text(&values)));
        let warning = Diagnostic { severity: volvelle_diagnostics::Severity::Warning, ..warning };
        Some(warning.note("they are shares: each is divided by their sum"))
    }

    fn complete(
        &self,
        explored: &Explored,
        tier: &'static str,
        settings: &Settings,
        control: &Control<'_>,
    ) -> ModelReport {
        let space = &explored.space;
        ModelReport {
            file: self.file.clone(),
            kind: self.program().map_or(space.kind.name(), kind_name).to_owned(),
            constants: self.document.as_ref().map_or(Vec::new(), |d| d.constants()),
            complete: true,
            ended_by_error: false,
            states: space.num_states() as u64,
            is_product: false,
            first_of: None,
            choices: space.choices.as_ref().map(|_| space.num_choices() as u64),
            transitions: space.num_transitions() as u64,
            initial_states: Some(space.initial.len() as u64),
            deadlocks: Some(space.deadlocks.count() as u64),
            unexpanded: explored.unexpanded.as_ref().map(|set| set.count() as u64).filter(|&n| n > 0),
            bits: explored.layout.bits(),
            bytes: explored.bytes(),
            tier: tier.into(),
            time: self.started.elapsed(),
            facts: self.facts(explored, tier, settings, control),
        }
    }

    fn facts(
        &self,
        explored: &Explored,
        tier: &'static str,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Vec<Fact> {
        let mut facts = facts(explored, tier, settings, control);
        if settings.symmetry {
            facts.insert(1, symmetric::fact(self.program(), &explored.orbits));
        }
        facts
    }

    /// A model that was read with its states.
    fn as_read(&self, model: &volvelle_explicit::Model, program: &Program) -> ModelReport {
        let summary = model.summary();
        ModelReport {
            file: self.file.clone(),
            kind: summary.kind,
            constants: Vec::new(),
            complete: true,
            ended_by_error: false,
            states: summary.states as u64,
            is_product: false,
            first_of: None,
            choices: (model.control != volvelle_explicit::Control::Chance).then_some(summary.choices as u64),
            transitions: summary.branches as u64,
            initial_states: Some(summary.initial as u64),
            deadlocks: Some(summary.deadlocks as u64),
            unexpanded: None,
            bits: Layout::new(program).bits(),
            bytes: summary.bytes,
            tier: "read from a file".into(),
            time: self.started.elapsed(),
            facts: Vec::new(),
        }
    }

    fn partial(&self, program: &Program, reached: &Reached, tier: &'static str) -> ModelReport {
        ModelReport {
            file: self.file.clone(),
            kind: kind_name(program).to_owned(),
            constants: self.document.as_ref().map_or(Vec::new(), |d| d.constants()),
            complete: false,
            ended_by_error: false,
            states: reached.states,
            is_product: false,
            first_of: None,
            choices: None,
            transitions: reached.transitions,
            initial_states: None,
            deadlocks: None,
            unexpanded: None,
            bits: Layout::new(program).bits(),
            bytes: reached.bytes,
            tier: tier.into(),
            time: self.started.elapsed(),
            facts: Vec::new(),
        }
    }

    fn deadlocks(&self, explored: &Explored, fixed: bool) -> Option<Diagnostic> {
        let first = explored.space.deadlocks.iter().next()?;
        // Behaviours may stop.
        let document =
            self.document.as_ref().filter(|document| document.offers().formalism != Formalism::Behaviours)?;
        let state = document.state_text(&explored.layout.unpack(explored.states.get(first)));
        let count = explored.space.deadlocks.count() as u64;
        Some(failure::of_deadlocks(count, StateId(first as u32), &state, fixed))
    }
}

/// How a state space was built and is kept.
fn facts(explored: &Explored, tier: &'static str, settings: &Settings, control: &Control<'_>) -> Vec<Fact> {
    let space = &explored.space;
    let (bits, words) = (explored.layout.bits(), explored.layout.words());
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let why = match (settings.tier, tier) {
        (Tier::Interpreter, _) => "requested",
        (Tier::Auto, "interpreter") => "native code cannot be generated on this machine",
        (Tier::Auto, _) => "this machine has a code generator",
    };
    let visited = match explored.index {
        "none" => "the states were read from a file",
        "array" => {
            "the packed domain is small: an array entry per valuation takes no more memory than a hash table"
        }
        _ => "the packed domain is too large for an array",
    };
    let per =
        |bytes: u64, n: usize| if n == 0 { 0.0 } else { (bytes as f64 / n as f64 * 100.0).round() / 100.0 };
    let mut facts = vec![
        Fact::text("evaluated by", tier).because(why),
        Fact::text("state", format!("{} in {}", plural(bits as usize, "bit"), plural(words, "word"))),
        Fact::text("visited set", explored.index).because(visited),
        Fact::count("threads allowed", control.threads as u64),
        Fact::number("bytes per state", per(explored.states.bytes(), space.num_states()))
            .because("packed states, without the visited set"),
        Fact::number("bytes per transition", per(space.bytes(), space.num_transitions()))
            .because("matrix, labels and rewards"),
    ];
    if let Some(unexpanded) = explored.unexpanded.as_ref().map(BitSet::count).filter(|&n| n > 0) {
        let why = "nothing that was asked needs them; --full-space expands them";
        facts.insert(1, Fact::count("not expanded", unexpanded as u64).because(why));
    }
    if let Some(distinct) = space.values.distinct() {
        let why = "few distinct values: a code is stored instead of each number";
        facts.push(Fact::count("different weights", distinct.len() as u64).because(why));
    }
    facts
}

/// `DTMC`
pub fn kind_name(program: &Program) -> &'static str {
    match program.kind() {
        volvelle_model::Kind::Lts => volvelle_model::Kind::Lts.name(),
        kind => volvelle_explore::kind_of_space(kind).name(),
    }
}
