//! Models of modules, whose rewards are weights.

use super::super::model::WeightedModel;
use super::super::unknown::{listed, unknown};
use super::super::values::Values;
use super::{Making, negative};
use crate::STEPS;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::Integers;
use volvelle_explore::{Explored, Options};
use volvelle_model::exact::{Evaluator, Inexact, Stepper};
use volvelle_model::kernels::Selection;
use volvelle_model::{Domain, Field, FieldId, Kind, Program};
use volvelle_session::limits;
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};

/// A name that tells states apart.
#[derive(Clone, Copy)]
enum Observed {
    /// A label, by its number.
    Label(usize),
    /// A variable.
    Field(FieldId),
}

/// A model of modules as a weighted structure; `names` are those of labels and variables by which states are told apart.
pub(super) fn modules_weighed(
    session: &Session,
    names: Option<&[String]>,
    settings: &Settings,
    control: &Control<'_>,
    report: &mut Report,
) -> Result<Option<WeightedModel>, Diagnostic> {
    let (Some(program), Some(document)) = (session.model.program(), &session.model.document) else {
        return Ok(None);
    };
    let structure = reward_structure(session, program)?;
    let (names, observed) = observed(program, names)?;
    let labels = observed.iter().filter_map(|observed| match observed {
        Observed::Label(label) => Some(*label),
        Observed::Field(_) => None,
    });
    let selection = Selection { labels: labels.collect(), ..Selection::default() };
    let options = Options { observe: selection, ..Options::default() };
    let outcome = session.model.run_exploration(program, false, &options, settings, control);
    report.stop = outcome.stop;
    let Some(explored) = outcome.explored else {
        report.model = outcome.model;
        report.diagnostics.extend(outcome.diagnostics);
        return Ok(None);
    };
    let [initial] = explored.space.initial[..] else {
        let count = explored.space.initial.len();
        let message = format!("the model has {count} initial states, and a weighted structure has one");
        return Err(Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help("let a first step choose among them"));
    };
    let rows = Rows { program, explored: &explored, structure, observed: &observed };
    let made = rows.all(control).map_err(|trouble| match trouble {
        Trouble::Stopped(stop) => {
            report.stop = Some(stop);
            limits::stopped(stop, &settings.allowance)
        }
        Trouble::Inexact(why, state) => {
            let message = format!("a step has no exact weight: {why}");
            let state = document.state_text(&values(&explored, state));
            Diagnostic::error(codes::WKS_WEIGHT, message)
                .note(format!("it leaves the state {state}"))
                .help("write rewards, probabilities and conditions with integers and fractions")
        }
        Trouble::Negative(weight, state) => {
            let state = document.state_text(&values(&explored, state));
            negative(&weight, &state).help("give weights by another reward structure: --weights NAME")
        }
    })?;
    let structure = made.finish(initial.0, names)?;
    Ok(Some(WeightedModel::valued(structure, columns(program, &explored))))
}

/// The reward structure that gives weights; `None`: each step weighs 1.
fn reward_structure(session: &Session, program: &Program) -> Result<Option<usize>, Diagnostic> {
    let known: Vec<&str> = program.rewards.iter().filter_map(|rewards| rewards.name.as_deref()).collect();
    let steps = format!("--weights {STEPS} gives each step the weight 1");
    let found = match session.run.weighting.weights.as_deref() {
        Some(name) => {
            let by_name = program.rewards.iter().position(|rewards| rewards.name.as_deref() == Some(name));
            let by_number = name.parse().ok().filter(|number| (1..=program.rewards.len()).contains(number));
            match by_name.or_else(|| by_number.map(|number: usize| number - 1)) {
                Some(found) => found,
                None if name == STEPS => return Ok(None),
                None => return Err(unknown("reward structure", name, &known).help(steps)),
            }
        }
        None => match program.rewards.len() {
            1 => 0,
            0 => {
                let message = "the model has no rewards that could be weights";
                return Err(Diagnostic::error(codes::WKS_WEIGHT, message).help(steps));
            }
            count => {
                let message = format!("the model has {count} reward structures");
                return Err(Diagnostic::error(codes::WKS_WEIGHT, message)
                    .note(format!("they are {}", listed(&known)))
                    .help(format!("say which one gives weights: --weights {}", known.first().unwrap_or(&"1")))
                    .help(steps));
            }
        },
    };
    let is_timed = !matches!(program.kind(), Kind::Dtmc | Kind::Mdp | Kind::Lts);
    if is_timed && !program.rewards[found].states.is_empty() {
        let message = "rewards of states are earned over time, and are no weights of steps";
        return Err(Diagnostic::error(codes::WKS_WEIGHT, message)
            .note("how long a state of a model with rates is occupied is random")
            .help("give rewards to transitions: `[action] true : 1;`")
            .help(steps));
    }
    Ok(Some(found))
}

/// The labels and the variables of a program, by name.
fn nameable(program: &Program) -> [Vec<(&str, Observed)>; 2] {
    let labels = program.labels.iter().enumerate();
    let labels = labels.filter_map(|(number, label)| Some((label.name.as_deref()?, Observed::Label(number))));
    let fields = variables(program).map(|(id, field)| (field.name.as_str(), Observed::Field(id)));
    [labels.collect(), fields.collect()]
}

/// The variables of the text: fields with quoted names stand for labels.
fn variables(program: &Program) -> impl Iterator<Item = (FieldId, &Field)> {
    let fields = (0..).map(FieldId).zip(&program.fields);
    fields.filter(|(_, field)| !field.name.starts_with('"'))
}

/// What tells the states of a program apart can be named so.
pub(super) fn names(program: &Program) -> Vec<String> {
    nameable(program).into_iter().flatten().map(|(name, _)| name.to_owned()).collect()
}

/// Names with what they stand for: labels first, then variables.
fn observed(program: &Program, names: Option<&[String]>) -> Result<(Vec<String>, Vec<Observed>), Diagnostic> {
    let [mut labels, fields] = nameable(program);
    let Some(names) = names else {
        labels.retain(|(name, _)| !["init", "deadlock"].contains(name));
        let all = if labels.is_empty() { fields } else { labels };
        return Ok(all.into_iter().map(|(name, observed)| (name.to_owned(), observed)).unzip());
    };
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let Some(&(_, observed)) = labels.iter().chain(&fields).find(|(known, _)| known == name) else {
            let known: Vec<&str> = labels.iter().chain(&fields).map(|&(name, _)| name).collect();
            return Err(unknown("label or variable", name, &known));
        };
        found.push(observed);
    }
    Ok((names.to_vec(), found))
}

fn values(explored: &Explored, state: u32) -> Vec<i64> {
    explored.layout.unpack(explored.states.get(state as usize))
}

/// The variables of all states.
fn columns(program: &Program, explored: &Explored) -> Values {
    let variables = variables(program).map(|(id, field)| {
        let get = |state| explored.layout.get(explored.states.get(state), id);
        let values: Integers = (0..explored.states.len()).map(get).collect();
        (field.name.clone(), field.domain == Domain::Bool, values)
    });
    Values { variables: variables.collect(), places: None }
}

/// Why there is no structure.
enum Trouble {
    Stopped(Stop),
    Inexact(String, u32),
    Negative(RBig, u32),
}

struct Rows<'a> {
    program: &'a Program,
    explored: &'a Explored,
    /// The reward structure.
    structure: Option<usize>,
    observed: &'a [Observed],
}

impl Rows<'_> {
    fn all(&self, control: &Control<'_>) -> Result<Making, Trouble> {
        let mut making = Making::default();
        let Some(structure) = self.structure else {
            let one = making.weight(RBig::ONE);
            self.each(&mut making, control, |making, state| {
                let (space, rows) = (&self.explored.space, self.explored.space.choices_of(state));
                let targets = rows.flat_map(|row| &space.columns[space.row(row)]);
                targets.for_each(|&target| making.step(one, target));
                Ok(())
            })?;
            return Ok(making);
        };
        let rewards = &self.program.rewards[structure];
        // Where several commands share a row, their actions are to be told apart again.
        let is_merged = self.explored.space.choices.is_none() || self.program.kind() == Kind::MarkovAutomaton;
        if is_merged && !rewards.transitions.is_empty() {
            self.by_commands(structure, &mut making, control)?;
        } else {
            self.by_rows(structure, &mut making, control)?;
        }
        Ok(making)
    }

    /// Adds all states; `steps` adds the steps of those that have some.
    fn each(
        &self,
        making: &mut Making,
        control: &Control<'_>,
        mut steps: impl FnMut(&mut Making, usize) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let others = self.explored.bytes();
        for state in 0..self.explored.states.len() {
            making.look(state, others, control).map_err(Trouble::Stopped)?;
            if !self.explored.space.deadlocks.contains(state) {
                steps(making, state)?;
            }
            let packed = self.explored.states.get(state);
            let value = |observed: &Observed| match *observed {
                Observed::Label(label) => i64::from(self.explored.space.labels[label].1.contains(state)),
                Observed::Field(field) => self.explored.layout.get(packed, field),
            };
            making.state((0..).zip(self.observed.iter().map(value)));
        }
        Ok(())
    }

    /// Rows whose steps have an action each, so that the rewards of a state and an action are its weight.
    fn by_rows(&self, structure: usize, making: &mut Making, control: &Control<'_>) -> Result<(), Trouble> {
        let (rewards, space) = (&self.program.rewards[structure], &self.explored.space);
        let items = rewards.states.iter().map(|r| (r.guard, r.value));
        let items: Vec<_> = items.chain(rewards.transitions.iter().map(|r| (r.guard, r.value))).collect();
        let mut evaluator =
            Evaluator::new(self.program, items.iter().flat_map(|&(guard, value)| [guard, value]));
        let name = |action: usize| self.program.actions[action].name.as_str();
        // The rewards of the actions by which rows are named.
        let of_action: Vec<Vec<_>> = space
            .actions
            .iter()
            .map(|named| rewards.transitions.iter().filter(|r| name(r.action.index()) == named).collect())
            .collect();
        let mut weights: FxHashMap<u32, u64> = FxHashMap::default();
        self.each(making, control, |making, state| {
            let inexact = |why: Inexact| Trouble::Inexact(why.to_string(), state as u32);
            evaluator.load(&values(self.explored, state as u32));
            let mut own = RBig::ZERO;
            for reward in &rewards.states {
                if evaluator.truth(reward.guard).map_err(inexact)? {
                    own += evaluator.ratio(reward.value).map_err(inexact)?;
                }
            }
            weights.clear();
            for row in space.choices_of(state) {
                let action = space.choices.as_ref().map_or(0, |choices| choices.action[row]);
                let weight = match weights.get(&action) {
                    Some(&weight) => weight,
                    None => {
                        let mut weight = own.clone();
                        for reward in of_action.get(action as usize).into_iter().flatten() {
                            if evaluator.truth(reward.guard).map_err(inexact)? {
                                weight += evaluator.ratio(reward.value).map_err(inexact)?;
                            }
                        }
                        let number = self.checked(weight, state, making)?;
                        weights.insert(action, number);
                        number
                    }
                };
                space.columns[space.row(row)].iter().for_each(|&target| making.step(weight, target));
            }
            Ok(())
        })
    }

    /// Every command of a state for itself, in rational arithmetic.
    fn by_commands(
        &self,
        structure: usize,
        making: &mut Making,
        control: &Control<'_>,
    ) -> Result<(), Trouble> {
        let mut stepper = Stepper::new(self.program, &[structure]);
        let layout = &self.explored.layout;
        let states = (0u32..).zip(0..self.explored.states.len());
        let number_of: FxHashMap<&[u64], u32> =
            states.map(|(number, at)| (self.explored.states.get(at), number)).collect();
        self.each(making, control, |making, state| {
            let inexact = |why: Inexact| Trouble::Inexact(why.to_string(), state as u32);
            stepper.load(&values(self.explored, state as u32));
            let own = stepper.state_rewards().map_err(inexact)?.pop().unwrap_or_default();
            for choice in stepper.choices().map_err(inexact)? {
                let weight = &own + choice.rewards.first().unwrap_or(&RBig::ZERO);
                let weight = self.checked(weight, state, making)?;
                for (target, _) in &choice.successors {
                    let packed = layout.pack(target);
                    let number =
                        number_of.get(packed.as_slice()).filter(|_| layout.unpack(&packed) == *target);
                    let number = number.ok_or_else(|| {
                        Trouble::Inexact("rounding affects a successor state".to_owned(), state as u32)
                    })?;
                    making.step(weight, *number);
                }
            }
            Ok(())
        })
    }

    /// The number of a weight that is not negative.
    fn checked(&self, weight: RBig, state: usize, making: &mut Making) -> Result<u64, Trouble> {
        if weight < RBig::ZERO {
            return Err(Trouble::Negative(weight, state as u32));
        }
        Ok(making.weight(weight))
    }
}
