//! Reading: the index first, then every member as it comes.

use super::arrays::{Content, Raw, Scalar, Type, narrowed, zeros};
use super::attached::{Shape, Strings, Values};
use super::index::{self, Annotated, Index, System};
use super::records;
use crate::allowance::Allowance;
use crate::archive::Archive;
use crate::finding::{Finding, Place};
use crate::input::Input;
use crate::model::{
    Actions, Annotation, Column, Control, Distribution, Entity, Label, Measure, Model, Numbers, Observations,
    Players, Reward, Rows, Time, Valuations,
};
use std::collections::{HashMap, HashSet};
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Reads a model, and what is odd about its file.
pub fn read(input: Input<'_>, allowance: &Allowance<'_>) -> Result<(Model, Vec<Finding>), Finding> {
    let mut index = find_index(input, allowance)?;
    check_index(input.name, &index)?;
    let parts = std::thread::scope(|scope| {
        read_members(Archive::ahead(input.name, input.bytes, allowance, scope), input.name, &index, allowance)
    })?;
    let mut findings = std::mem::take(&mut index.findings);
    if !parts.unknown.is_empty() {
        let names: Vec<String> = parts.unknown.iter().take(5).map(|name| format!("`{name}`")).collect();
        let more = if parts.unknown.len() > 5 { ", …" } else { "" };
        findings.push(
            Finding::remark(
                codes::EXPLICIT_UNUSUAL,
                "the archive has members that are not part of the format",
            )
            .at(Place::File(input.name.to_owned()))
            .note(format!("{}{more}", names.join(", "))),
        );
    }
    let assembly = Assembly { file: input.name, allowance, findings };
    assembly.model(index, parts)
}

/// Reads all members, in their order.
fn read_members<'a, 'c>(
    mut archive: Archive<'a, 'c>,
    file: &'a str,
    index: &Index,
    allowance: &'a Allowance<'c>,
) -> Result<Parts, Finding> {
    let mut parts = Parts::default();
    while let Some(member) = archive.next()? {
        if !parts.seen.insert(member.name.clone()) {
            return Err(Finding::error(
                codes::EXPLICIT_ARCHIVE,
                format!("the archive has two members named `{}`", member.name),
            )
            .at(Place::in_member(file, &member.name, None))
            .note("tools disagree about which of them to use")
            .help("export the file again"));
        }
        let content = Content { file, archive: &mut archive, member: &member, allowance };
        if !parts.accept(index, content)? {
            parts.unknown.push(member.name);
        }
    }
    Ok(parts)
}

/// Finds the index, which comes first where tools are kind.
fn find_index(input: Input<'_>, allowance: &Allowance<'_>) -> Result<Index, Finding> {
    let mut archive = Archive::new(input.name, input.bytes, allowance);
    while let Some(member) = archive.next()? {
        if member.name != index::NAME {
            continue;
        }
        if member.bytes > index::LONGEST {
            let message = format!("the index has {} bytes, more than {}", member.bytes, index::LONGEST);
            return Err(Finding::error(codes::EXPLICIT_TOO_LARGE, message)
                .at(Place::in_member(input.name, index::NAME, None))
                .help("export the file again"));
        }
        let bytes = archive.rest()?;
        return index::parse(input.name, &bytes);
    }
    Err(Finding::error(codes::EXPLICIT_INDEX, "the archive has no `index.json`")
        .at(Place::File(input.name.to_owned()))
        .note("every UMB file has one")
        .help("export the file again, or read it in its actual format"))
}

fn check_index(file: &str, index: &Index) -> Result<(), Finding> {
    let system = &index.system;
    let types = [
        ("branch-probability-type", system.probability),
        ("exit-rate-type", system.exit_rate),
        ("observation-probability-type", system.observation_probability),
    ];
    let types = types.into_iter().filter_map(|(name, of)| Some((name.to_owned(), of?)));
    let annotations = index.annotations.iter().flat_map(|a| {
        let name = format!("annotations/{}/{}", a.group, a.id);
        [Some((name.clone(), a.of)), a.drawn.map(|(of, _)| (name, of))].into_iter().flatten()
    });
    for (name, of) in types.chain(annotations) {
        if !of.is_for_arrays() {
            let message = format!("`{name}` has type `{}` with {} bits", of.scalar.name(), of.bits);
            return Err(index::wrong(file, message));
        }
    }
    Ok(())
}

/// Arrays of the archive, as they come.
#[derive(Default)]
struct Parts {
    seen: HashSet<String>,
    unknown: Vec<String>,
    choices: Option<Rows>,
    branches: Option<Rows>,
    player: Option<Vec<u32>>,
    initial: Option<BitSet>,
    markovian: Option<BitSet>,
    exit_rates: Option<Numbers>,
    targets: Option<Vec<u32>>,
    probabilities: Option<Numbers>,
    choice_actions: ActionParts,
    branch_actions: ActionParts,
    observations: ObservationParts,
    annotations: HashMap<(usize, Entity), Values>,
    valuations: HashMap<usize, ValuationParts>,
}

#[derive(Default)]
struct ActionParts {
    of: Option<Vec<u32>>,
    strings: Strings,
}

#[derive(Default)]
struct ObservationParts {
    of: Option<Vec<u32>>,
    rows: Option<Rows>,
    probabilities: Option<Numbers>,
}

#[derive(Default)]
struct ValuationParts {
    records: Vec<u8>,
    classes: Option<Vec<u32>>,
    strings: Strings,
}

impl System {
    fn count(&self, entity: Entity) -> u32 {
        match entity {
            Entity::States => self.states,
            Entity::Choices => self.choices,
            Entity::Branches => self.branches,
            Entity::Observations => self.observations,
            Entity::Players => self.players,
        }
    }
}

impl Annotated {
    fn shape(&self, system: &System, on: Entity) -> Shape {
        Shape { members: system.count(on), of: self.of, strings: self.strings, drawn: self.drawn }
    }
}

impl Parts {
    /// Reads a member; tells whether it belongs to the format.
    fn accept(&mut self, index: &Index, mut content: Content<'_, '_, '_>) -> Result<bool, Finding> {
        let system = &index.system;
        let (states, choices, branches) =
            (u64::from(system.states), u64::from(system.choices), u64::from(system.branches));
        let name = content.member.name.clone();
        let path: Vec<&str> = name.split('/').collect();
        match path[..] {
            [index::NAME] => {}
            ["state-to-choices.bin"] => self.choices = Some(content.rows(system.states, choices)?),
            ["choice-to-branches.bin"] => self.branches = Some(content.rows(system.choices, branches)?),
            ["state-to-player.bin"] => {
                self.player = Some(content.indices32(states, u64::from(system.players).max(1), "player")?);
            }
            ["state-is-initial.bin"] => self.initial = Some(content.bits(states)?),
            ["state-is-markovian.bin"] => self.markovian = Some(content.bits(states)?),
            ["state-to-exit-rate.bin"] => match system.exit_rate {
                Some(of) => self.exit_rates = Some(content.numbers(of, states)?),
                None => return Ok(false),
            },
            ["branch-to-target.bin"] => self.targets = Some(content.indices64(branches, states, "state")?),
            ["branch-to-probability.bin"] => match system.probability {
                Some(of) => self.probabilities = Some(content.numbers(of, branches)?),
                None => return Ok(false),
            },
            ["actions", on @ ("choices" | "branches"), member] => {
                let (parts, entries, actions) = match on {
                    "choices" => (&mut self.choice_actions, choices, system.choice_actions),
                    _ => (&mut self.branch_actions, branches, system.branch_actions),
                };
                match member {
                    "values.bin" => parts.of = Some(content.indices32(entries, actions.into(), "action")?),
                    _ => return parts.strings.accept(member, Some(actions.into()), &mut content),
                }
            }
            ["observations", on @ ("states" | "branches"), member] => {
                if system.observed.map(Entity::name) != Some(on) {
                    return Ok(false);
                }
                let members = system.count(system.observed.unwrap_or(Entity::States));
                let drawn = system.observation_probability;
                let entries = match drawn {
                    // How many there are is not in the index.
                    Some(_) if member == "values.bin" => content.member.bytes / 8,
                    _ => u64::from(members),
                };
                let parts = &mut self.observations;
                match (member, drawn) {
                    ("values.bin", _) => {
                        let bound = system.observations.into();
                        parts.of = Some(content.indices64(entries, bound, "observation")?);
                    }
                    ("distribution-mapping.bin", Some(_)) => {
                        parts.rows = Some(content.open_rows(members)?);
                    }
                    ("probabilities.bin", Some(of)) => {
                        let entries = content.member.bytes / (of.bits / 8);
                        parts.probabilities = Some(content.numbers(of, entries)?);
                    }
                    _ => return Ok(false),
                }
            }
            ["annotations", group, id, on, member] => {
                let Some(on) = Entity::ALL.into_iter().find(|entity| entity.name() == on) else {
                    return Ok(false);
                };
                let at = index.annotations.iter().position(|a| a.group == group && a.id == id);
                let Some((at, annotated)) = at.map(|at| (at, &index.annotations[at])) else {
                    return Ok(false);
                };
                if !annotated.on.contains(&on) {
                    return Ok(false);
                }
                let values = self.annotations.entry((at, on)).or_default();
                return values.accept(member, &annotated.shape(system, on), &mut content);
            }
            ["valuations", on, member] => {
                let at = index.valuations.iter().position(|v| v.on.name() == on);
                let Some((at, described)) = at.map(|at| (at, &index.valuations[at])) else {
                    return Ok(false);
                };
                let members = u64::from(system.count(described.on));
                let sizes = described.record_bytes(content.file)?;
                let parts = self.valuations.entry(at).or_default();
                match member {
                    "valuations.bin" => {
                        let largest = sizes.iter().copied().max().unwrap_or(0);
                        let least = sizes.iter().copied().min().unwrap_or(0);
                        let bytes = content.member.bytes;
                        let nearest = bytes.clamp(members * least, members.saturating_mul(largest));
                        content.expect(nearest)?;
                        parts.records = content.archive.rest()?;
                    }
                    "valuation-to-class.bin" => {
                        let bound = described.classes.len() as u64;
                        parts.classes = Some(content.indices32(members, bound, "class")?);
                    }
                    _ => return parts.strings.accept(member, described.strings, &mut content),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Puts the arrays together.
struct Assembly<'a, 'c> {
    file: &'a str,
    allowance: &'a Allowance<'c>,
    findings: Vec<Finding>,
}

impl Assembly<'_, '_> {
    fn missing(&self, member: &str, why: String) -> Finding {
        Finding::error(codes::EXPLICIT_COUNT, format!("the archive has no `{member}`, and {why}"))
            .at(Place::in_member(self.file, member, None))
            .help("export the file again: its counts and its arrays disagree")
    }

    fn unusual(&mut self, message: String) {
        let finding =
            Finding::warning(codes::EXPLICIT_UNUSUAL, message).at(Place::File(self.file.to_owned()));
        self.findings.push(finding);
    }

    fn model(mut self, index: Index, mut parts: Parts) -> Result<(Model, Vec<Finding>), Finding> {
        let Index { facts, system, annotations, valuations, .. } = index;
        let choices =
            self.level(parts.choices.take(), system.states, system.choices, "state-to-choices.bin")?;
        let branches =
            self.level(parts.branches.take(), system.choices, system.branches, "choice-to-branches.bin")?;
        let targets = match parts.targets.take() {
            Some(targets) => targets,
            None => {
                let mut zeros = self.allowance.vec(system.branches as usize)?;
                zeros.resize(system.branches as usize, 0);
                zeros
            }
        };
        let control = match system.players {
            0 => Control::Chance,
            1 => Control::Nondeterminism,
            _ => Control::Game,
        };
        let mut model = Model::new(system.time, control, choices, branches, targets);
        model.facts = facts;
        model.measure = Measure::Probabilities;
        model.values = self.probabilities(&system, control, parts.probabilities.take())?;
        if system.time != Time::Discrete {
            model.exit_rates = Some(parts.exit_rates.take().ok_or_else(|| {
                self.missing(
                    "state-to-exit-rate.bin",
                    "the exit rates of states determine the time".to_owned(),
                )
            })?);
        } else if parts.exit_rates.is_some() {
            self.unusual("exit rates of a discrete-time model are ignored".to_owned());
        }
        if system.time == Time::UrgentStochastic {
            let none = || BitSet::new(system.states as usize);
            model.markovian = Some(parts.markovian.take().unwrap_or_else(none));
        }
        if control == Control::Game {
            model.players = Some(self.players(&system, parts.player.take())?);
        }
        model.initial = parts.initial.take().unwrap_or_else(|| BitSet::new(system.states as usize));
        if model.initial.count() != system.initial as usize {
            let message = format!(
                "{} initial states are announced, but {} are marked",
                system.initial,
                model.initial.count()
            );
            return Err(Finding::error(codes::EXPLICIT_COUNT, message)
                .at(Place::in_member(self.file, "state-is-initial.bin", None))
                .help("export the file again: its counts and its arrays disagree"));
        }
        model.choice_actions =
            self.actions(parts.choice_actions, "actions/choices", system.choices, system.choice_actions)?;
        model.branch_actions =
            self.actions(parts.branch_actions, "actions/branches", system.branches, system.branch_actions)?;
        if system.observations > 0 {
            model.observations = Some(self.observations(&system, parts.observations)?);
        }
        for (i, annotated) in annotations.iter().enumerate() {
            let collected = annotated.on.iter().map(|&on| (on, parts.annotations.remove(&(i, on)))).collect();
            self.annotation(&mut model, &system, annotated, collected)?;
        }
        for (i, described) in valuations.iter().enumerate() {
            let parts = parts.valuations.remove(&i).unwrap_or_default();
            let folder = format!("valuations/{}", described.on.name());
            let strings = parts.strings.texts(self.file, &folder)?.unwrap_or_default();
            let members = system.count(described.on) as usize;
            let classes = parts.classes.as_deref();
            let bytes = parts.records.len() as u64;
            let found = records::columns(
                described,
                members,
                &parts.records,
                classes,
                &strings,
                self.file,
                self.allowance,
            )?;
            self.allowance.give_back(bytes);
            model.valuations.push(found);
        }
        // The members of JSON objects have no order; entities have.
        model.valuations.sort_by_key(|valuations: &Valuations| valuations.on);
        Ok((model, self.findings))
    }

    fn level(&self, rows: Option<Rows>, members: u32, entries: u32, member: &str) -> Result<Rows, Finding> {
        match rows {
            Some(rows) => Ok(rows),
            None if members == entries => Ok(Rows::OneEach(members)),
            None => Err(self.missing(member, format!("{entries} entries do not match {members}"))),
        }
    }

    fn probabilities(
        &mut self,
        system: &System,
        control: Control,
        read: Option<Numbers>,
    ) -> Result<Option<Numbers>, Finding> {
        if read.is_some() {
            return Ok(read);
        }
        let of = match system.probability {
            Some(of) => of,
            // A labelled transition system or a game without chance.
            None if system.time == Time::Discrete && control != Control::Chance => return Ok(None),
            None => Type { scalar: Scalar::Double, bits: 64 },
        };
        let branches = system.branches as usize;
        self.allowance.take(of.bytes(branches as u64))?;
        let one = |count| volvelle_space::Ratios::new(vec![dashu_ratio::RBig::ONE], vec![0; count]);
        Ok(Some(match of.scalar {
            Scalar::Rational => Numbers::Exact(one(branches)),
            Scalar::RationalInterval => Numbers::ExactInterval(one(2 * branches)),
            Scalar::DoubleInterval => Numbers::DoubleInterval(vec![[1.0; 2]; branches]),
            _ => Numbers::Double(vec![1.0; branches]),
        }))
    }

    fn players(&mut self, system: &System, of: Option<Vec<u32>>) -> Result<Players, Finding> {
        let mut names = system.player_names.clone();
        if names.is_empty() {
            self.unusual(format!("the {} players have no names", system.players));
            self.allowance.take(32 * u64::from(system.players))?;
            names = (0..system.players).map(|i| format!("player{}", i + 1)).collect();
        }
        let of = of.map_or_else(|| self.zeros(system.states), Ok)?;
        Ok(Players { names, of })
    }

    fn zeros(&self, count: u32) -> Result<Vec<u32>, Finding> {
        let mut zeros = self.allowance.vec(count as usize)?;
        zeros.resize(count as usize, 0);
        Ok(zeros)
    }

    fn actions(
        &self,
        parts: ActionParts,
        folder: &str,
        entries: u32,
        count: u32,
    ) -> Result<Option<Actions>, Finding> {
        if count == 0 {
            return Ok(None);
        }
        let names = match parts.strings.texts(self.file, folder)? {
            Some(names) => names,
            // A single action without a name says nothing.
            None if count == 1 => vec![String::new()],
            None => {
                self.allowance.take(32 * u64::from(count))?;
                (0..count).map(|i| format!("a{i}")).collect()
            }
        };
        let of = parts.of.map_or_else(|| self.zeros(entries), Ok)?;
        Ok(Some(Actions { names, of }))
    }

    fn observations(&self, system: &System, parts: ObservationParts) -> Result<Observations, Finding> {
        let on = system.observed.unwrap_or(Entity::States);
        let members = system.count(on);
        let folder = format!("observations/{}", on.name());
        let of = match (parts.of, system.observation_probability) {
            (Some(of), _) => of,
            (None, None) => self.zeros(members)?,
            (None, Some(_)) => {
                return Err(
                    self.missing(&format!("{folder}/values.bin"), "observations are random".to_owned())
                );
            }
        };
        let distribution = match system.observation_probability {
            None => None,
            Some(_) => {
                let rows = parts.rows.unwrap_or(Rows::OneEach(members));
                let probabilities = parts.probabilities.ok_or_else(|| {
                    self.missing(&format!("{folder}/probabilities.bin"), "observations are random".to_owned())
                })?;
                if rows.entries() != of.len() || probabilities.len() != of.len() {
                    let (rows, values, drawn) = (rows.entries(), of.len(), probabilities.len());
                    let message = format!(
                        "{values} observations do not match {rows} entries and {drawn} probabilities"
                    );
                    return Err(Finding::error(codes::EXPLICIT_COUNT, message)
                        .at(Place::in_member(self.file, &folder, None)));
                }
                Some(Distribution { rows, probabilities })
            }
        };
        Ok(Observations { count: system.observations, on, of, distribution })
    }

    fn annotation(
        &mut self,
        model: &mut Model,
        system: &System,
        annotated: &Annotated,
        parts: Vec<(Entity, Option<Values>)>,
    ) -> Result<(), Finding> {
        let is_label = annotated.group == "aps";
        let is_reward = annotated.group == "rewards";
        let mut reward = Reward {
            name: annotated.name.clone(),
            description: annotated.description.clone(),
            ..Reward::default()
        };
        let mut has_rewards = false;
        for (on, values) in parts {
            let members = system.count(on);
            let folder = format!("annotations/{}/{}/{}", annotated.group, annotated.id, on.name());
            let mut values = values.unwrap_or_default();
            let shape = annotated.shape(system, on);
            let distribution = values.distribution(&shape, self.file, &folder)?;
            let raw = match values.values {
                Some(raw) => raw,
                None if annotated.of.scalar == Scalar::String => {
                    self.unusual(format!("`{folder}` has no values and is left out"));
                    continue;
                }
                None => {
                    if !is_label {
                        self.unusual(format!("`{folder}` has no values and is zero everywhere"));
                    }
                    self.allowance.take(annotated.of.bytes(u64::from(members)))?;
                    zeros(annotated.of, members as usize)
                }
            };
            let strings = match raw {
                Raw::Texts(_) => values.strings.texts(self.file, &folder)?.unwrap_or_default(),
                Raw::Column(_) => Vec::new(),
            };
            let column = narrowed(raw.column(&strings, self.file, &format!("{folder}/values.bin"))?);
            match (column, on) {
                (Column::Bool(states), Entity::States) if is_label && distribution.is_none() => {
                    let (name, description) = (annotated.name.clone(), annotated.description.clone());
                    if name == "init" {
                        if states != model.initial {
                            self.unusual(
                                "the label `init` differs from the initial states and is left out".to_owned(),
                            );
                        }
                        continue;
                    }
                    model.labels.push(Label { name, description, states });
                }
                (Column::Numbers(numbers), Entity::States | Entity::Choices | Entity::Branches)
                    if is_reward && distribution.is_none() =>
                {
                    has_rewards = true;
                    match on {
                        Entity::States => reward.states = Some(numbers),
                        Entity::Choices => reward.choices = Some(numbers),
                        _ => reward.branches = Some(numbers),
                    }
                }
                (values, on) => model.annotations.push(Annotation {
                    group: annotated.group.clone(),
                    name: annotated.name.clone(),
                    description: annotated.description.clone(),
                    on,
                    values,
                    distribution,
                }),
            }
        }
        if is_reward && (has_rewards || annotated.on.is_empty()) {
            model.rewards.push(reward);
        }
        Ok(())
    }
}
