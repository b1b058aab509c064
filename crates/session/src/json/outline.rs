//! The contents of a model, without its states.

use super::values::constant;
use crate::outline::Outline;
use serde::Serialize;

#[derive(Serialize)]
pub struct OutlineShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<SizeShape<'a>>,
    constants: Vec<ConstantShape<'a>>,
    variables: Vec<VariableShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_condition: Option<&'a str>,
    modules: Vec<ModuleShape<'a>>,
    actions: &'a [String],
    rewards: Vec<RewardShape<'a>>,
    labels: &'a [String],
    properties: Vec<PropertyShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processes: Vec<ProcessShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<ChannelShape<'a>>,
}

#[derive(Serialize)]
pub struct SizeShape<'a> {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<&'static str>,
    states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<u64>,
    transitions: u64,
    initial_states: u64,
    deadlocks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    markovian: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    players: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<u64>,
}

#[derive(Serialize)]
pub struct ProcessShape<'a> {
    name: &'a str,
    active: usize,
    parameters: &'a [String],
    locations: usize,
}

#[derive(Serialize)]
pub struct ChannelShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<&'a str>,
    holds: &'a str,
}

#[derive(Serialize)]
pub struct ConstantShape<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    open: bool,
    in_properties: bool,
}

#[derive(Serialize)]
pub struct VariableShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    range: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<serde_json::Value>,
}

#[derive(Serialize)]
pub struct RewardShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    states: bool,
    transitions: bool,
}

#[derive(Serialize)]
pub struct ModuleShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_of: Option<&'a str>,
    commands: usize,
}

#[derive(Serialize)]
pub struct PropertyShape<'a> {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    property: &'a str,
}

pub fn outline_shape(outline: &Outline) -> OutlineShape<'_> {
    OutlineShape {
        size: outline.size.as_ref().map(|size| SizeShape {
            format: size.format,
            numbers: size.numbers,
            states: size.states,
            choices: size.choices,
            transitions: size.transitions,
            initial_states: size.initial_states,
            deadlocks: size.deadlocks,
            markovian: size.markovian,
            players: &size.players,
            observations: size.observations,
        }),
        constants: (outline.constants.iter())
            .map(|c| ConstantShape {
                name: &c.name,
                ty: c.ty.name(),
                value: c.value.as_ref().map(constant),
                open: c.open,
                in_properties: c.in_properties,
            })
            .collect(),
        variables: (outline.variables.iter())
            .map(|v| VariableShape {
                name: &v.name,
                module: v.component.as_deref(),
                range: &v.range,
                initial: v.initial.as_ref().map(constant),
            })
            .collect(),
        initial_condition: outline.initial_condition.as_deref(),
        modules: (outline.components.iter())
            .map(|m| ModuleShape { name: &m.name, copy_of: m.copy_of.as_deref(), commands: m.commands })
            .collect(),
        actions: &outline.actions,
        rewards: (outline.rewards.iter())
            .map(|r| RewardShape { name: r.name.as_deref(), states: r.states, transitions: r.transitions })
            .collect(),
        labels: &outline.labels,
        properties: (outline.properties.iter())
            .map(|p| PropertyShape { number: p.number, name: p.name.as_deref(), property: &p.text })
            .collect(),
        processes: (outline.processes.iter())
            .map(|p| ProcessShape {
                name: &p.name,
                active: p.active,
                parameters: &p.parameters,
                locations: p.locations,
            })
            .collect(),
        channels: (outline.channels.iter())
            .map(|c| ChannelShape { name: &c.name, process: c.component.as_deref(), holds: &c.holds })
            .collect(),
    }
}
