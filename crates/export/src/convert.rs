//! The explicit model of an exploration, which the writers of the formats take.

use crate::{ExportError, Format, Model, rewards, states};
use volvelle_control::Control;
use volvelle_explicit::{Entity, Label, Numbers, Valuations};
use volvelle_space::BitSet;

/// The model, with the parts that a format writes: values of variables and the rewards of transitions cost time.
pub fn model(
    model: Model<'_>,
    format: Format,
    structure: usize,
    control: &Control<'_>,
) -> Result<volvelle_explicit::Model, ExportError> {
    let Model { program, explored } = model;
    let mut converted = volvelle_explicit::Model::from_space(&explored.space, None, Vec::new());
    // Of what was observed, only what the program calls a label.
    let label = |name: &str, states: &BitSet| Label {
        name: name.to_owned(),
        description: None,
        states: states.clone(),
    };
    let named = program.labels.iter().zip(&explored.space.labels);
    let named = named.filter_map(|(label, (_, states))| Some((label.name.as_deref()?, states)));
    converted.labels = named
        .filter(|(name, _)| !matches!(*name, "init" | "deadlock"))
        .map(|(name, states)| label(name, states))
        .collect();
    converted.labels.push(label("deadlock", &explored.space.deadlocks));
    for (reward, of_program) in converted.rewards.iter_mut().zip(&program.rewards) {
        reward.name = of_program.name.clone().unwrap_or_default();
    }
    if format == Format::Sta {
        let variables = states::variables(model);
        converted.valuations = vec![Valuations { on: Entity::States, unique: true, variables }];
    }
    if format == Format::Trew && explored.space.choices.is_none() {
        let reward = &mut converted.rewards[structure];
        reward.choices = None;
        reward.branches = rewards::of_transitions(model, structure, control)?.map(Numbers::Double);
    }
    Ok(converted)
}
