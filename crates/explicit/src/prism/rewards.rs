//! `.srew`, `.trew` and the older `.rew`: the rewards of one structure that are not zero.
//!
//! ```text
//! # Reward structure "cost"      # Reward structure "cost"
//! # State rewards                # Transition rewards
//! states entries                 states entries                    (with choices: states choices entries)
//! state reward                   source target reward              (with choices: source choice target reward)
//! ```
//!
//! Files of PRISM before version 4.8 have no comments. With choices, all transitions of a choice have the same reward;
//! one line counts for the whole choice.

use super::labels::skip_comments;
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Control, Model, Numbers, Reward};
use crate::text::{Arithmetic, Cursor, Gathered, Halt, Script, Sign, join, show};
use dashu_ratio::RBig;
use std::ops::Range;
use volvelle_diagnostics::codes;
use volvelle_space::Ratios;

/// The part of a reward structure that a file holds.
pub(super) struct Part {
    /// The name; `None` in files without comments.
    pub name: Option<String>,
    /// Where it stands that this is a reward structure.
    pub at: Range<usize>,
    pub rewards: PartRewards,
}

pub(super) enum PartRewards {
    States(Numbers),
    Choices(Numbers),
    Branches(Numbers),
}

/// What the caller takes a file for; a comment in the file decides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    States,
    Transitions,
}

/// Reads a section with rewards.
pub(super) fn read(
    script: Script<'_>,
    range: Range<usize>,
    expected: Expected,
    model: &Model,
    arithmetic: Arithmetic,
    allowance: &Allowance<'_>,
) -> Result<Part, Halt> {
    let mut cursor = script.cursor(range);
    let (name, said) = comments(&mut cursor)?;
    skip_comments(&mut cursor);
    let line = cursor.rest_of_line();
    let mut counts = Vec::new();
    while !cursor.end_line() {
        cursor.skip_blanks();
        let start = cursor.at;
        let Some(count) = cursor.index().filter(|_| cursor.is_separated()) else {
            cursor.at = start;
            return Err(cursor.expected("the numbers of states and entries").into());
        };
        counts.push((count, start..cursor.at));
    }
    let has_choices = model.control != Control::Chance;
    // Without a comment, three numbers are those of transition rewards.
    let of_states = match said {
        Some(said) => said == Expected::States,
        None => expected == Expected::States && counts.len() != 3,
    };
    let wanted = if of_states || !has_choices { 2 } else { 3 };
    if counts.len() != wanted {
        let form = match (of_states, has_choices) {
            (true, _) => "`states entries`",
            (false, true) => "`states choices entries`",
            (false, false) => "`states entries`, because the model has no choices",
        };
        let message = format!("the first line of these rewards must be {form}");
        return Err(script.refuse(codes::EXPLICIT_SYNTAX, line, message).into());
    }
    let sizes = [(model.num_states(), "states"), (model.num_choices(), "choices")];
    for ((says, at), (there, what)) in counts[..wanted - 1].iter().zip(sizes) {
        if *says != there as u64 {
            let message =
                format!("the rewards belong to a model with {says} {what}, but this model has {there}");
            return Err(script.refuse(codes::EXPLICIT_COUNT, at.clone(), message).into());
        }
    }
    let mut entries = Entries {
        model,
        values: Gathered::new(arithmetic, "a reward", Sign::Any),
        places: Vec::new(),
        offsets: Vec::new(),
        near: 0,
    };
    let (says, at) = counts[wanted - 1].clone();
    let there = entries.read(&mut cursor, of_states, allowance)?;
    if says != there {
        let message = format!("the header declares {says} entries, but the file has {there}");
        return Err(script.refuse(codes::EXPLICIT_COUNT, at, message).into());
    }
    let rewards = if of_states {
        PartRewards::States(entries.finish(script, model.num_states(), false, allowance)?)
    } else if has_choices {
        PartRewards::Choices(entries.finish(script, model.num_choices(), true, allowance)?)
    } else {
        PartRewards::Branches(entries.finish(script, model.num_branches(), false, allowance)?)
    };
    Ok(Part { name, at: line, rewards })
}

/// Comments in front of the first line: the name of the structure, and whose rewards follow.
fn comments(cursor: &mut Cursor<'_>) -> Result<(Option<String>, Option<Expected>), Finding> {
    let (mut name, mut said) = (None, None);
    while !cursor.is_done() {
        let line = cursor.rest_of_line();
        let text = &cursor.bytes[line.clone()];
        let Some(comment) = text.strip_prefix(b"#") else {
            if !text.is_empty() {
                break;
            }
            cursor.next_line();
            continue;
        };
        let comment = comment.trim_ascii();
        if let Some(rest) = comment.strip_prefix(b"Reward structure") {
            let rest = rest.trim_ascii();
            let inside = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
            name = Some(String::from_utf8_lossy(inside.unwrap_or(rest)).into_owned());
        } else if comment == b"State rewards" {
            said = Some(Expected::States);
        } else if comment == b"Transition rewards" {
            said = Some(Expected::Transitions);
        }
        cursor.next_line();
    }
    Ok((name, said))
}

/// Entries of a file.
struct Entries<'a, 't> {
    model: &'a Model,
    values: Gathered<'t>,
    /// The state, choice or branch of every entry.
    places: Vec<u32>,
    /// Where entries of choices stand in the text.
    offsets: Vec<usize>,
    /// A branch near which the next one is looked for.
    near: usize,
}

impl<'t> Entries<'_, 't> {
    /// Reads all lines; the number of lines.
    fn read(
        &mut self,
        cursor: &mut Cursor<'t>,
        of_states: bool,
        allowance: &Allowance<'_>,
    ) -> Result<u64, Halt> {
        let mut lines = 0u64;
        loop {
            skip_comments(cursor);
            if cursor.is_done() {
                return Ok(lines);
            }
            if lines.is_multiple_of(1 << 16) {
                allowance.check()?;
            }
            lines += 1;
            let start = cursor.at;
            let source = below(cursor, "the state", self.model.num_states(), "states")?;
            if of_states {
                self.places.push(source as u32);
                self.value(cursor)?;
                continue;
            }
            let choice = if self.model.control != Control::Chance {
                let choices = self.model.choices.range(source);
                choices.start + below(cursor, "the choice", choices.len(), "choices of this state")?
            } else if self.model.choices.range(source).is_empty() {
                let message = format!("state {source} has no transition");
                return Err(cursor.script.refuse(codes::EXPLICIT_RANGE, start..cursor.at, message).into());
            } else {
                self.model.choices.range(source).start
            };
            let target = below(cursor, "the target", self.model.num_states(), "states")?;
            let at = start..cursor.at;
            let branches = self.branches(choice, target as u32);
            if branches.is_empty() {
                let message = format!("there is no such transition from state {source} to state {target}");
                return Err(cursor.script.refuse(codes::EXPLICIT_RANGE, at, message).into());
            }
            if self.model.control != Control::Chance {
                self.places.push(choice as u32);
                self.offsets.push(start);
                self.value(cursor)?;
            } else {
                // Further branches to the same target have the same reward.
                let back = cursor.at;
                for branch in branches {
                    cursor.at = back;
                    self.places.push(branch as u32);
                    self.value(cursor)?;
                }
            }
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Halt> {
        self.values.read(cursor)?;
        match cursor.end_line() {
            true => Ok(()),
            false => Err(cursor.expected("the end of the line").into()),
        }
    }

    /// The branches of a choice to a target. Entries have the order of branches as a rule.
    fn branches(&mut self, choice: usize, target: u32) -> Vec<usize> {
        let targets = &self.model.targets;
        let range = self.model.branches.range(choice);
        let near = if range.contains(&self.near) { self.near } else { range.start };
        if targets.get(near) == Some(&target) && self.model.branches.range(choice).len() == 1 {
            self.near = near + 1;
            return vec![near];
        }
        let found: Vec<usize> = range.filter(|&branch| targets[branch] == target).collect();
        self.near = found.last().map_or(near, |last| last + 1);
        found
    }

    /// A column with the entries at their places and zeros elsewhere. A place may be repeated with the same value if
    /// `repeats`.
    fn finish(
        self,
        script: Script<'_>,
        count: usize,
        repeats: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Numbers, Finding> {
        let values = join(vec![self.values], allowance)?;
        let mut first: Vec<u32> = allowance.vec(count)?;
        first.resize(count, u32::MAX);
        for (entry, &place) in self.places.iter().enumerate() {
            let known = &mut first[place as usize];
            if *known == u32::MAX {
                *known = entry as u32;
                continue;
            }
            if repeats && values.get(entry) == values.get(*known as usize) {
                continue;
            }
            let message = if repeats {
                "the transitions of a choice must have the same reward, but this one differs from an earlier line"
            } else {
                "this state or transition already has a reward on an earlier line"
            };
            let line = self
                .offsets
                .get(entry)
                .map(|&start| start..start + script.cursor(start..script.bytes.len()).rest_of_line().len());
            let finding = Finding::error(codes::EXPLICIT_STRUCTURE, message);
            return Err(match line {
                Some(at) => finding.at(script.place(at)),
                None => finding
                    .at(crate::finding::Place::File(script.file.to_owned()))
                    .note(format!("it is entry {entry}")),
            });
        }
        let numbers = match &values {
            Numbers::Double(values) => {
                let mut column: Vec<f64> = allowance.vec(count)?;
                column.extend(first.iter().map(|&entry| values.get(entry as usize).copied().unwrap_or(0.0)));
                Numbers::Double(column)
            }
            Numbers::Exact(values) => {
                let mut distinct = vec![RBig::ZERO];
                distinct.extend_from_slice(values.distinct());
                let mut codes: Vec<u32> = allowance.vec(count)?;
                codes.extend(
                    first.iter().map(|&entry| values.codes().get(entry as usize).map_or(0, |code| code + 1)),
                );
                Numbers::Exact(Ratios::new(distinct, codes))
            }
            _ => {
                let at = crate::finding::Place::File(script.file.to_owned());
                return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, "interval rewards").at(at));
            }
        };
        allowance.give_back(4 * first.capacity() as u64 + values.bytes());
        Ok(numbers)
    }
}

/// A number below `count`, which is the number of `things`, and a blank behind it.
fn below(cursor: &mut Cursor<'_>, what: &str, count: usize, things: &str) -> Result<usize, Finding> {
    cursor.skip_blanks();
    let start = cursor.at;
    match cursor.index() {
        Some(number) if !cursor.is_separated() => {
            let _ = number;
            cursor.at = start;
            Err(cursor.expected(what))
        }
        Some(number) if number < count as u64 => Ok(number as usize),
        Some(_) => {
            let at = start..cursor.at;
            let message =
                format!("{what} is {}, but there are {count} {things}", show(&cursor.bytes[at.clone()]));
            Err(cursor.script.refuse(codes::EXPLICIT_RANGE, at, message))
        }
        None => Err(cursor.expected(what)),
    }
}

/// Puts the parts together: by name where files say it, by their order otherwise.
pub(super) fn combine(parts: Vec<(Part, Script<'_>)>) -> Result<Vec<Reward>, Finding> {
    let mut rewards: Vec<Reward> = Vec::new();
    let (mut unnamed_states, mut unnamed_transitions) = (0, 0);
    let mut unnamed: Vec<usize> = Vec::new();
    for (part, script) in parts {
        let of_states = matches!(part.rewards, PartRewards::States(_));
        let has = |reward: &Reward| match of_states {
            true => reward.states.is_some(),
            false => reward.choices.is_some() || reward.branches.is_some(),
        };
        let place = match &part.name {
            Some(name) => {
                let same: Vec<usize> = (0..rewards.len())
                    .filter(|&i| rewards[i].name == *name && !unnamed.contains(&i))
                    .collect();
                let free = same.iter().copied().find(|&i| !has(&rewards[i]));
                if free.is_none() && !same.is_empty() && !name.is_empty() {
                    let message = format!("a second part of the reward structure {}", show(name.as_bytes()));
                    return Err(script.refuse(codes::EXPLICIT_STRUCTURE, part.at, message));
                }
                free
            }
            None => {
                let next = if of_states { &mut unnamed_states } else { &mut unnamed_transitions };
                *next += 1;
                unnamed.get(*next - 1).copied()
            }
        };
        let place = place.unwrap_or_else(|| {
            if part.name.is_none() {
                unnamed.push(rewards.len());
            }
            rewards.push(Reward { name: part.name.clone().unwrap_or_default(), ..Reward::default() });
            rewards.len() - 1
        });
        let reward = &mut rewards[place];
        match part.rewards {
            PartRewards::States(numbers) => reward.states = Some(numbers),
            PartRewards::Choices(numbers) => reward.choices = Some(numbers),
            PartRewards::Branches(numbers) => reward.branches = Some(numbers),
        }
    }
    // Parts without rewards count for their order only.
    for reward in &mut rewards {
        for part in [&mut reward.states, &mut reward.choices, &mut reward.branches] {
            if part.as_ref().is_some_and(|numbers| numbers.iter().all(|number| number.is_zero())) {
                *part = None;
            }
        }
    }
    Ok(rewards)
}
