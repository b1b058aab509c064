//! Walks through weighted systems: steps have weights, and a walk has their sum.
//!
//! Terms are unfolded only as far as the walk comes. Conditions are formulas of weighted CTL without `[<=?]`; most are about the state alone.

use crate::check::{Terms, unknown_names};
use crate::making::{process, unfolding};
use crate::{Assumed, SelectedState, WeightedModel, failed};
use dashu_ratio::RBig;
use std::borrow::Cow;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Sources, codes, has_errors};
use volvelle_logic::WctlFormula;
use volvelle_session::language::WeightedSource;
use volvelle_session::trace::{Change, VariableValue};
use volvelle_session::{Session, Settings};
use volvelle_space::{WeightedStep, WeightedStructure};
use volvelle_stepping::{
    Effect, Enabled, End, Field, Misread, Part, StepText, Taken, Variable, Walk, Weights, mismatch,
};
use volvelle_weighted::wctl::{Blocking, check_local};
use volvelle_weighted::{Failure, System};
use volvelle_wks::wccs::Unfolding;
use volvelle_wks::wctl::formula;

/// Why a walk ends.
const NO_STEP: &str = "no step leaves the state";

/// Characters of the usual weight, and of the usual name.
const WEIGHT: usize = 6;
const NAME: usize = 24;

/// A walk through a weighted system.
pub struct WeightedWalk<'a> {
    sources: &'a Sources,
    file: &'a str,
    system: Generated,
    settings: &'a Settings,
    control: &'a Control<'a>,
    /// The steps of the last state.
    outgoing: Vec<WeightedStep>,
    /// The steps that were taken.
    taken: Vec<WeightedStep>,
    conditions: Vec<Condition>,
}

/// A condition as it was read.
struct Condition {
    text: String,
    formula: WctlFormula,
}

/// A step of a walk by names: where it began, its weight, where it led.
pub type NamedStep = (String, String, String);

/// The states and steps.
enum Generated {
    /// All of them.
    Structure(Box<WeightedModel>),
    /// Those that were met.
    Terms(Box<Unfolding>),
}

/// The system of a model as it is walked through. What there is to say about the model comes with it; without a system this says why.
pub struct Walkable(Option<Generated>, Vec<Diagnostic>);

impl Walkable {
    /// Opens the system of a model in the selected state.
    pub fn of(
        session: &mut Session,
        selected: &SelectedState,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Self {
        let source = session.model.document.as_ref().and_then(|document| document.weighted()).cloned();
        let Some(WeightedSource::Terms(terms)) = source else {
            let (report, model) = crate::weighted_model(session, selected, settings, control);
            return Walkable(model.map(|model| Generated::Structure(Box::new(model))), report.diagnostics);
        };
        session.model.refuse_sweeps();
        let mut said = std::mem::take(&mut session.model.diagnostics);
        said.extend(Assumed::unused(&session.model.file, &[], &session.model.given).remarks());
        if has_errors(&said) {
            return Walkable(None, said);
        }
        let begun =
            process(&session.model.file, &terms, selected).and_then(|number| unfolding(&terms, number));
        match begun {
            Ok(begun) => Walkable(Some(Generated::Terms(Box::new(begun))), said),
            Err(diagnostic) => {
                said.push(diagnostic);
                Walkable(None, said)
            }
        }
    }
}

impl Generated {
    fn initial(&self) -> u32 {
        match self {
            Generated::Structure(model) => model.structure.initial,
            Generated::Terms(terms) => terms.initial(),
        }
    }

    fn unit(&self) -> &RBig {
        match self {
            Generated::Structure(model) => &model.structure.unit,
            Generated::Terms(terms) => &terms.system().unit,
        }
    }

    fn name(&self, state: u32) -> Cow<'_, str> {
        match self {
            Generated::Structure(model) => model.name(state),
            Generated::Terms(terms) => Cow::Owned(terms.text(state)),
        }
    }

    /// The names of propositions, by number.
    fn propositions(&self) -> &[String] {
        match self {
            Generated::Structure(model) => &model.structure.propositions,
            Generated::Terms(terms) => &terms.system().propositions,
        }
    }

    fn multiplicity(&self, state: u32, proposition: u32) -> i64 {
        match self {
            Generated::Structure(model) => model.structure.multiplicity(state, proposition),
            Generated::Terms(terms) => i64::from(terms.multiplicity(state, proposition)),
        }
    }
}

impl<'a> WeightedWalk<'a> {
    /// A walk that begins, and what there is to say about the model; without a walk this says why.
    pub fn new(
        session: &'a Session,
        walkable: Walkable,
        settings: &'a Settings,
        control: &'a Control<'a>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let Walkable(system, mut said) = walkable;
        let Some(system) = system.filter(|_| !has_errors(&said)) else { return (None, said) };
        let mut walk = WeightedWalk {
            sources: &session.model.sources,
            file: &session.model.file,
            system,
            settings,
            control,
            outgoing: Vec::new(),
            taken: Vec::new(),
            conditions: Vec::new(),
        };
        match walk.steps_of(walk.system.initial()) {
            Ok(outgoing) => {
                walk.outgoing = outgoing;
                (Some(walk), said)
            }
            Err(diagnostic) => {
                said.push(diagnostic);
                (None, said)
            }
        }
    }

    /// The name of the initial state.
    pub fn first(&self) -> String {
        self.system.name(self.system.initial()).into_owned()
    }

    /// The steps that were taken.
    pub fn steps(&self) -> Vec<NamedStep> {
        let name = |state: u32| self.system.name(state).into_owned();
        let mut before = name(self.system.initial());
        let step = |step: &WeightedStep| {
            let after = name(step.target);
            (std::mem::replace(&mut before, after.clone()), self.number(step.weight.into()), after)
        };
        self.taken.iter().map(step).collect()
    }

    /// The sum of the weights of so many steps.
    pub fn total(&self, steps: usize) -> String {
        // Not more than 2^32 steps of 64 bits.
        self.number(self.taken[..steps].iter().map(|step| u128::from(step.weight)).sum())
    }

    /// A weight as the number that it stands for.
    fn number(&self, weight: u128) -> String {
        (RBig::from(weight) * self.system.unit()).to_string()
    }

    fn state_now(&self) -> u32 {
        self.taken.last().map_or(self.system.initial(), |step| step.target)
    }

    fn steps_of(&mut self, state: u32) -> Result<Vec<WeightedStep>, Diagnostic> {
        let mut steps = Vec::new();
        match &mut self.system {
            Generated::Structure(model) => steps.extend_from_slice(model.structure.outgoing(state)),
            Generated::Terms(terms) => terms
                .steps(state, &mut steps)
                .map_err(|reason| Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, reason.to_string()))?,
        }
        Ok(steps)
    }

    /// The name of a state, unless its variables say the same.
    fn own_name(&self, state: u32) -> Option<String> {
        let has_variables = matches!(&self.system, Generated::Structure(model) if model.has_variables());
        (!has_variables).then(|| self.system.name(state).into_owned())
    }

    /// The variables and the propositions of a state.
    fn described(&self, state: u32) -> Vec<Variable> {
        let mut all = match &self.system {
            Generated::Structure(model) => model.variables(state),
            Generated::Terms(_) => Vec::new(),
        };
        let named: Vec<_> = (0..).zip(self.system.propositions()).collect();
        for (number, name) in named {
            if all.iter().all(|known: &(String, VariableValue)| known.0 != *name) {
                all.push((name.clone(), VariableValue::Int(self.system.multiplicity(state, number))));
            }
        }
        all.into_iter().map(|(name, value)| Variable { name, value }).collect()
    }

    fn changes(&self, before: u32, after: u32) -> Vec<Change> {
        let pairs = self.described(before).into_iter().zip(self.described(after));
        let changed = pairs.filter(|(old, new)| old.value != new.value);
        changed.map(|(old, new)| Change { name: old.name, before: old.value, after: new.value }).collect()
    }

    fn what(&self, step: WeightedStep) -> StepText {
        let text = self.system.name(step.target).into_owned();
        StepText { action: self.number(step.weight.into()), text, ..StepText::default() }
    }
}

impl Walk for WeightedWalk<'_> {
    fn sources(&self) -> &Sources {
        self.sources
    }

    fn file(&self) -> &str {
        self.file
    }

    fn about(&self) -> Vec<String> {
        vec!["WKS".to_owned()]
    }

    fn parts(&self) -> Vec<Part> {
        let part = |field, title, width| Part { field, title, width };
        let state = self.own_name(self.system.initial()).map(|_| part(Field::Text, "state", NAME));
        let weights = [part(Field::Label, "weight", WEIGHT), part(Field::Total, "total", WEIGHT)];
        weights.into_iter().chain(state).collect()
    }

    fn beginning(&self) -> Taken {
        let initial = self.system.initial();
        let name = self.own_name(initial).map(|name| ("state".to_owned(), VariableValue::Text(name)));
        let parts = self.described(initial).into_iter().map(|variable| (variable.name, variable.value));
        let is_proposition = |name: &str| self.system.propositions().iter().any(|known| known == name);
        // A proposition that a state does not have is like one that there is not.
        let is_there = |(name, value): &(String, VariableValue)| {
            *value != VariableValue::Int(0) || !is_proposition(name)
        };
        let changes = name.into_iter().chain(parts.filter(is_there));
        let changes = changes.map(|(name, value)| Change { name, before: value.clone(), after: value });
        Taken { changes: changes.collect(), total: self.total(0), ..Taken::default() }
    }

    fn enabled(&mut self) -> Result<Vec<Enabled>, Diagnostic> {
        let state = self.state_now();
        let step = |&step: &WeightedStep| Enabled {
            what: self.what(step),
            weight: None,
            effect: match self.changes(state, step.target) {
                none if none.is_empty() && step.target != state => Effect::Elsewhere,
                changes => Effect::Changes(changes),
            },
            messages: Vec::new(),
            is_scheduled: false,
        };
        Ok(self.outgoing.iter().map(step).collect())
    }

    fn weights(&mut self) -> Result<Weights, Diagnostic> {
        Ok(Weights::Equal(self.outgoing.len()))
    }

    fn take(&mut self, step: usize) -> Result<Taken, Diagnostic> {
        let chosen = self.outgoing.get(step).copied();
        let chosen = chosen.ok_or_else(|| mismatch(format!("there is no step {}", step + 1)))?;
        self.outgoing = self.steps_of(chosen.target)?;
        let changes = self.changes(self.state_now(), chosen.target);
        self.taken.push(chosen);
        let total = self.total(self.taken.len());
        Ok(Taken { what: self.what(chosen), changes, total, ..Taken::default() })
    }

    fn back_to(&mut self, steps: usize) -> Result<(), Diagnostic> {
        self.taken.truncate(steps);
        self.outgoing = self.steps_of(self.state_now())?;
        Ok(())
    }

    fn state(&mut self) -> Vec<Variable> {
        let text =
            |name: &str, value: String| Variable { name: name.to_owned(), value: VariableValue::Text(value) };
        let name = self.own_name(self.state_now()).map(|name| text("state", name));
        let total = text("total weight", self.total(self.taken.len()));
        name.into_iter().chain(self.described(self.state_now())).chain([total]).collect()
    }

    fn end(&mut self) -> Option<End> {
        let is_over = self.outgoing.is_empty();
        is_over.then(|| End { message: NO_STEP.to_owned(), faults: Vec::new(), is_deadlock: true })
    }

    fn condition(&mut self, text: &str) -> Result<usize, Misread> {
        if let Some(known) = self.conditions.iter().position(|known| known.text == text) {
            return Ok(known);
        }
        let mut sources = Sources::new();
        let file = sources.add("the condition", text.to_owned());
        let (parsed, mut diagnostics) = formula(file, text);
        let Some(parsed) = parsed else { return Err(Misread { diagnostics, sources }) };
        let mut known = self.system.propositions().to_vec();
        known.sort_unstable();
        diagnostics.extend(unknown_names(&parsed, &known));
        if parsed.asks {
            let refusal = Diagnostic::error(codes::BAD_USAGE, "a condition holds in a state or does not");
            diagnostics.push(refusal.help("write a bound in place of `?`: u EF[<=5] p"));
        }
        if has_errors(&diagnostics) {
            return Err(Misread { diagnostics, sources });
        }
        self.conditions.push(Condition { text: text.to_owned(), formula: parsed.formula });
        Ok(self.conditions.len() - 1)
    }

    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic> {
        let formula = &self.conditions[condition].formula;
        let (state, unit) = (Some(self.state_now()), self.system.unit().clone());
        let (blocking, control) = (Blocking::Loop, self.control);
        let answer = match &mut self.system {
            Generated::Structure(model) => {
                let structure = &model.structure;
                let numbers = formula.names.iter().map(|name| structure.proposition(name)).collect();
                let mut system = Conditions { structure, formula, numbers };
                check_local(&mut system, formula, state, blocking, &unit, control)
            }
            Generated::Terms(terms) => {
                let mut system = Terms::new(terms, formula, control.limits.memory_bytes);
                check_local(&mut system, formula, state, blocking, &unit, control)
            }
        };
        answer.map(|answer| answer.holds).map_err(|failure| failed(failure, &self.settings.allowance).0)
    }
}

/// A structure whose states are asked for conditions one by one: a walk comes to few of them.
struct Conditions<'a> {
    structure: &'a WeightedStructure,
    formula: &'a WctlFormula,
    /// The propositions of the formula's names.
    numbers: Vec<Option<u32>>,
}

impl System for Conditions<'_> {
    fn initial(&self) -> u32 {
        self.structure.initial
    }

    fn num_known(&self) -> usize {
        self.structure.num_states()
    }

    fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), Failure> {
        into.extend_from_slice(self.structure.outgoing(state));
        Ok(())
    }

    fn holds(&mut self, state: u32, atom: usize) -> Result<bool, Failure> {
        let amount = |name: u32| {
            self.numbers[name as usize].map_or(0, |number| self.structure.multiplicity(state, number))
        };
        self.formula.atoms[atom].evaluate(amount).ok_or(Failure::Overflow)
    }

    fn is_generated(&self) -> bool {
        true
    }
}
