//! A model from transitions and what belongs to them.

use super::combined;
use super::labels;
use super::rewards::{self, Expected};
use super::states;
use super::transitions::{self, settle_observations};
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::input::{Companions, Input};
use crate::model::{Entity, Label, Model};
use crate::options::{Precision, ReadOptions};
use crate::text::{Arithmetic, Halt, Script, exact_if_needed};
use std::ops::Range;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// A text, or a part of one.
type Section<'t> = (Script<'t>, Range<usize>);

/// All texts of a model.
struct Files<'t> {
    transitions: Section<'t>,
    states: Option<Section<'t>>,
    observations: Option<Section<'t>>,
    labels: Option<Section<'t>>,
    state_rewards: Vec<Section<'t>>,
    transition_rewards: Vec<Section<'t>>,
}

/// Reads a model from a `.tra` file and the files beside it; with it come findings that do not refuse the files.
pub(crate) fn read(
    transitions: Input<'_>,
    companions: &Companions<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    fn whole<'t>(input: &Input<'t>) -> Result<Section<'t>, Finding> {
        Ok((Script::new(input.name, input.bytes)?, 0..input.bytes.len()))
    }
    let files = Files {
        transitions: (Script::in_pieces(transitions.name, transitions.bytes)?, 0..transitions.bytes.len()),
        states: companions.states.as_ref().map(whole).transpose()?,
        observations: companions.observations.as_ref().map(whole).transpose()?,
        labels: companions.labels.as_ref().map(whole).transpose()?,
        state_rewards: companions.state_rewards.iter().map(whole).collect::<Result<_, _>>()?,
        transition_rewards: companions.transition_rewards.iter().map(whole).collect::<Result<_, _>>()?,
    };
    read_files(&files, options, allowance)
}

/// Reads a model from a `.pexp` file.
pub(crate) fn read_combined(
    input: Input<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    let script = Script::new(input.name, input.bytes)?;
    let sections = combined::split(script)?;
    let Some(transitions) = sections.transitions else {
        let at = script.cursor(0..script.bytes.len()).rest_of_line();
        return Err(script.refuse(codes::EXPLICIT_SYNTAX, at, "the file has no part `# Transitions`"));
    };
    let section = |range: Range<usize>| (script, range);
    let files = Files {
        transitions: section(transitions),
        states: sections.states.map(section),
        observations: sections.observations.map(section),
        labels: sections.labels.map(section),
        state_rewards: sections.state_rewards.into_iter().map(section).collect(),
        transition_rewards: sections.transition_rewards.into_iter().map(section).collect(),
    };
    read_files(&files, options, allowance)
}

fn read_files(
    files: &Files<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    let arithmetic = match options.numbers {
        Precision::AsWritten => Arithmetic::DoubleUntilFraction,
        Precision::Double => Arithmetic::Double,
        Precision::Exact => Arithmetic::Exact,
    };
    exact_if_needed(arithmetic, |arithmetic| files.model(options, arithmetic, allowance))
}

impl Files<'_> {
    fn model(
        &self,
        options: &ReadOptions,
        arithmetic: Arithmetic,
        allowance: &Allowance<'_>,
    ) -> Result<(Model, Vec<Finding>), Halt> {
        let mut remarks = Vec::new();
        let (script, range) = self.transitions.clone();
        let transitions::Transitions { mut model, names_initial } =
            transitions::read(script, range, arithmetic, options.kind, allowance, &mut remarks)?;
        self.read_labels(&mut model, names_initial, allowance)?;
        let (script, range) = self.transitions.clone();
        settle_observations(script, range, &mut model, &mut remarks)?;
        if let Some((script, range)) = self.states.clone() {
            let count = model.num_states();
            model.valuations.push(states::read(script, range, Entity::States, count, allowance)?);
        }
        if let Some((script, range)) = self.observations.clone() {
            let Some(observations) = &model.observations else {
                let at = script.cursor(range).rest_of_line();
                let message = "observations for a model that is not partially observable";
                let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
                return Err(finding
                    .help("leave the file out, or give the transitions of a partially observable model")
                    .into());
            };
            let count = observations.count as usize;
            model.valuations.push(states::read(script, range, Entity::Observations, count, allowance)?);
        }
        let mut parts = Vec::new();
        let of_states = self.state_rewards.iter().map(|section| (section, Expected::States));
        let of_transitions = self.transition_rewards.iter().map(|section| (section, Expected::Transitions));
        for ((script, range), expected) in of_states.chain(of_transitions) {
            let part = rewards::read(*script, range.clone(), expected, &model, arithmetic, allowance)?;
            parts.push((part, *script));
        }
        model.rewards = rewards::combine(parts)?;
        Ok((model, remarks))
    }

    /// Labels and initial states. Without a file for labels, state 0 is initial.
    fn read_labels(
        &self,
        model: &mut Model,
        names_initial: bool,
        allowance: &Allowance<'_>,
    ) -> Result<(), Finding> {
        let Some((script, range)) = self.labels.clone() else {
            if !names_initial && model.num_states() > 0 {
                model.initial.insert(0);
            }
            return Ok(());
        };
        let mut has_initial = names_initial;
        for (name, set) in labels::read(script, range.clone(), model.num_states(), allowance)? {
            if name == "init" {
                self.initial(model, has_initial, set)?;
                has_initial = true;
            } else if name != "deadlock" || set.iter().any(|state| !model.is_deadlock(state)) {
                model.labels.push(Label { name, description: None, states: set });
            }
        }
        if has_initial && model.initial.iter().next().is_some() {
            return Ok(());
        }
        let at = script.cursor(range).rest_of_line();
        let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, "no state has the label `init`");
        Err(finding.help("declare it on the first line, `0=\"init\"`, and assign it to the initial states"))
    }

    fn initial(&self, model: &mut Model, named: bool, set: BitSet) -> Result<(), Finding> {
        if named && model.initial != set {
            let (script, range) = self.transitions.clone();
            let at = script.cursor(range).rest_of_line();
            let message = "the initial states of this file differ from the states with the label `init`";
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, at, message));
        }
        model.initial = set;
        Ok(())
    }
}
