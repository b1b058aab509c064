//! `.drn`: the direct encoding that Storm reads and writes.
//!
//! ```text
//! @type: MDP
//! @parameters
//!
//! @reward_models
//! cost steps
//! @nr_states
//! 2
//! @nr_choices
//! 3
//! @model
//! state 0 [1, 0] init
//!     action go [0, 1]
//!         1 : 1
//! ```
//!
//! Transitions of a CTMC are rates, and every state shows its exit rate behind `!`. The reward of an action is the
//! expected reward of its transition; a CTMC's is per jump. A reward structure without a name is called
//! `reward1`, `reward2`, … after its place, since the format has no other way to refer to it.

use crate::labels;
use crate::number::Number;
use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;
use volvelle_space::{Kind, Space};

pub fn write(model: Model<'_>, out: &mut dyn Write, control: &Control<'_>) -> Result<(), ExportError> {
    let space = &model.explored.space;
    let labels = labels::sets(model);
    // Storm takes the words behind `action` for names or for numbers, all of them.
    let named = space.choices.as_ref().is_some_and(|c| c.action.iter().any(|&a| a != 0));
    write_header(model, out)?;
    for state in each_state(space.num_states(), control) {
        let state = state?;
        write!(out, "state {state}")?;
        let exit_rate = (space.kind == Kind::Ctmc).then(|| exit_rate(space, state));
        if let Some(rate) = exit_rate {
            write!(out, " !{}", Number(rate))?;
        }
        write_tuple(space, out, |r| r.state.as_ref().map_or(0.0, |rewards| rewards.get(state)))?;
        for (name, _) in labels.iter().filter(|(_, set)| set.contains(state)) {
            write!(out, " {name}")?;
        }
        writeln!(out)?;
        for (i, choice) in space.choices_of(state).enumerate() {
            match &space.choices {
                None => write!(out, "\taction 0")?,
                Some(choices) => match space.actions[choices.action[choice] as usize].as_str() {
                    "" if named => write!(out, "\taction __NOLABEL__")?,
                    "" => write!(out, "\taction {i}")?,
                    action => write!(out, "\taction {action}")?,
                },
            }
            write_tuple(space, out, |r| {
                let reward = r.choice.as_ref().map_or(0.0, |rewards| rewards.get(choice));
                match exit_rate {
                    Some(rate) if reward != 0.0 => reward / rate,
                    _ => reward,
                }
            })?;
            writeln!(out)?;
            for (target, value) in space.transitions(choice) {
                writeln!(out, "\t\t{target} : {}", Number(value))?;
            }
        }
    }
    Ok(())
}

fn write_header(model: Model<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let space = &model.explored.space;
    let names: Vec<String> = (model.program.rewards.iter().enumerate())
        .map(|(i, r)| r.name.clone().unwrap_or_else(|| format!("reward{}", i + 1)))
        .collect();
    writeln!(out, "// Exported by volvelle\n@type: {}\n@parameters\n", space.kind.name())?;
    writeln!(out, "@reward_models\n{}", names.join(" "))?;
    writeln!(out, "@nr_states\n{}\n@nr_choices\n{}", space.num_states(), space.num_choices())?;
    writeln!(out, "@model")?;
    Ok(())
}

fn exit_rate(space: &Space, state: usize) -> f64 {
    space.transitions(state).map(|(_, rate)| rate).sum()
}

fn write_tuple(
    space: &Space,
    out: &mut dyn Write,
    reward: impl Fn(&volvelle_space::RewardVectors) -> f64,
) -> Result<(), ExportError> {
    for (i, r) in space.rewards.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { " [" } else { ", " }, Number(reward(r)))?;
    }
    if !space.rewards.is_empty() {
        write!(out, "]")?;
    }
    Ok(())
}
