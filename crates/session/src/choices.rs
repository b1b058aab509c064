//! How the choices of a simulated mdp are resolved: by chance, or by a scheduler that `check --export-scheduler` wrote.
//!
//! Files of schedulers are read in the formats of `docs/witnesses.md`: version 1, memoryless and deterministic, and version 2,
//! with memory and chance. Files that say more than that are refused by name.

use crate::language::Document;
use crate::saved_strategy::{PLAIN, SavedMove, Unfit, Valued, WITH_MEMORY, strategy_of};
use std::fmt;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_markov::{Memory, Strategy};
use volvelle_model::{Domain, Program};
use volvelle_simulate::error::{Mismatch, MismatchKind};
use volvelle_simulate::scheduler::{Decision, Resolution};

/// How choices are resolved.
#[derive(Clone, Debug, Default)]
pub enum Choices {
    /// The model alone: models that leave choices open are not simulated.
    #[default]
    Unresolved,
    /// Every choice that is enabled is equally likely.
    Uniform,
    /// A scheduler.
    Scheduler(SavedScheduler),
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choices::Unresolved => Ok(()),
            Choices::Uniform => f.write_str("choices uniformly at random"),
            Choices::Scheduler(saved) => write!(f, "choices of {}", saved.file),
        }
    }
}

/// A value in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
}

/// A scheduler as it stands in a file.
#[derive(Clone, Debug)]
pub struct SavedScheduler {
    file: String,
    /// The variables whose values tell states apart.
    pub variables: Vec<String>,
    /// What is decided, in the order of the file.
    pub decisions: Vec<SavedDecision>,
    /// The memory, and its value at the beginning; `None` in version 1.
    memory: Option<(Memory, u32)>,
}

/// A decision as it stands in a file.
#[derive(Clone, Debug)]
pub struct SavedDecision {
    /// Line, or for JSON place in the list, from 1.
    place: usize,
    /// The values of the variables.
    pub values: Vec<Saved>,
    /// The number of the choice.
    pub choice: u32,
    /// The action of the choice, as a check.
    pub action: String,
    /// First and last memory.
    memory: [u32; 2],
    probability: f64,
    /// The memory after it; `None` where it counts steps.
    next: Option<u32>,
}

impl SavedScheduler {
    /// Reads a scheduler.
    ///
    /// # Errors
    /// It is none, or says more than which choice to take in a state.
    pub fn read(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let read = match text.trim_start() {
            start if start.starts_with('{') => json(text),
            start if start.starts_with("state,") => csv(text),
            _ => table(text),
        };
        read.map(|read| SavedScheduler { file: file.to_owned(), ..read }).map_err(|why| {
            Diagnostic::error(codes::BAD_SCHEDULER, format!("`{file}` is not a usable scheduler: {why}"))
                .help("write one: volvelle check MODEL --prop PROPERTY --export-scheduler FILE")
        })
    }

    /// Whether it has neither memory nor chance.
    pub fn is_plain(&self) -> bool {
        self.memory.is_none()
    }

    /// As a strategy of an explored model.
    pub fn strategy(&self, program: &Program, model: Valued<'_>) -> Result<Strategy, Diagnostic> {
        let mut named = program.clone();
        named.fields.retain(|field| !field.name.starts_with('"'));
        let decisions = self.decisions(&named)?;
        let moves: Vec<SavedMove> = (self.decisions.iter().zip(decisions))
            .map(|(saved, decision)| SavedMove {
                values: decision.state,
                memory: saved.memory,
                choice: saved.choice,
                action: decision.action,
                probability: saved.probability,
                next: saved.next.unwrap_or(0),
            })
            .collect();
        let (memory, initial) = self.memory.unwrap_or((Memory::None, 0));
        strategy_of(program, model, memory, initial, &moves).map_err(|Unfit { index, why }| {
            Diagnostic::error(
                codes::BAD_SCHEDULER,
                format!("the scheduler in `{}` is for another model", self.file),
            )
            .note(format!("{}: {why}", self.at(self.decisions[index].place)))
        })
    }

    /// Its decisions over the fields of a program.
    fn decisions(&self, program: &Program) -> Result<Vec<Decision>, Diagnostic> {
        let bad = |why: String| {
            Diagnostic::error(
                codes::BAD_SCHEDULER,
                format!("the scheduler in `{}` is for another model", self.file),
            )
            .note(why)
        };
        let mut columns = Vec::with_capacity(program.fields.len());
        for field in &program.fields {
            let column = self.variables.iter().position(|name| *name == field.name);
            columns.push(column.ok_or_else(|| bad(format!("it lacks the variable `{}`", field.name)))?);
        }
        if let Some(more) = self.variables.iter().find(|name| program.fields.iter().all(|f| f.name != **name))
        {
            return Err(bad(format!(
                "the model has no variable `{more}`: a scheduler may depend on the state only"
            )));
        }
        let decision = |saved: &SavedDecision| {
            let values = program.fields.iter().zip(&columns).map(|(field, &column)| {
                match (field.domain, saved.values[column]) {
                    (Domain::Bool, Saved::Bool(value)) => Ok(i64::from(value)),
                    (domain @ (Domain::Int { .. } | Domain::Growing { .. }), Saved::Int(value)) => {
                        let (lo, hi) = match domain {
                            Domain::Growing { .. } => (i32::MIN.into(), i32::MAX.into()),
                            domain => domain.bounds(),
                        };
                        let outside = || {
                            bad(format!(
                                "{} the variable `{}` is {value}, but its range is {lo}..{hi}",
                                self.at(saved.place),
                                field.name
                            ))
                        };
                        if (lo..=hi).contains(&value) { Ok(value) } else { Err(outside()) }
                    }
                    _ => Err(bad(format!(
                        "{} the variable `{}` has a value of the wrong type",
                        self.at(saved.place),
                        field.name
                    ))),
                }
            });
            let state: Result<Vec<i64>, Diagnostic> = values.collect();
            Ok(Decision { state: state?, choice: saved.choice, action: saved.action.clone() })
        };
        self.decisions.iter().map(decision).collect()
    }

    fn at(&self, place: usize) -> String {
        format!("in line {place}")
    }

    /// Why its decisions do not fit.
    fn mismatch(
        &self,
        mismatch: &Mismatch,
        program: &Program,
        document: &dyn Document,
        state: &[i64],
    ) -> Diagnostic {
        let saved = &self.decisions[mismatch.decision];
        let what = match mismatch.why {
            MismatchKind::NoSuchChoice(enabled) => {
                format!(
                    "it takes choice {} (counted from 0), but the model has only {enabled} there",
                    saved.choice
                )
            }
            MismatchKind::OtherAction(action) => format!(
                "it takes choice {} with the action `{}`, which is `{}` in the model",
                saved.choice,
                saved.action,
                program.actions[action.index()].name
            ),
            MismatchKind::Twice => "there are two decisions for this state".to_owned(),
        };
        Diagnostic::error(
            codes::BAD_SCHEDULER,
            format!("the scheduler in `{}` is for another model", self.file),
        )
        .note(format!("{}, in state {}: {what}", self.at(saved.place), document.state_text(state)))
    }
}

impl Choices {
    /// The scheduler says nothing about a state that it comes to.
    pub fn undecided(&self, state: &str, memory: u32, kind: Memory) -> Diagnostic {
        let file = match self {
            Choices::Scheduler(saved) => saved.file.as_str(),
            _ => "",
        };
        let with = match kind {
            Memory::None => String::new(),
            _ => format!(" with memory {memory}"),
        };
        Diagnostic::error(codes::BAD_SCHEDULER, format!("the scheduler in `{file}` is for another model"))
            .note(format!("it says nothing about state {state}{with}, to which it leads"))
    }

    /// For paths of a program.
    ///
    /// # Errors
    /// The scheduler is for another model.
    pub fn resolution(&self, program: &Program) -> Result<Resolution, Diagnostic> {
        Ok(match self {
            Choices::Unresolved => Resolution::Model,
            Choices::Uniform => Resolution::Uniform,
            Choices::Scheduler(saved) => Resolution::Scheduler(saved.decisions(program)?),
        })
    }

    /// Why decisions do not fit.
    pub fn of_mismatch(
        &self,
        mismatch: &Mismatch,
        program: &Program,
        document: &dyn Document,
    ) -> Option<Diagnostic> {
        let Choices::Scheduler(saved) = self else { return None };
        let decisions = saved.decisions(program).ok()?;
        let state = &decisions.get(mismatch.decision)?.state;
        Some(saved.mismatch(mismatch, program, document, state))
    }
}

/// The columns, separated by tabulators.
fn table(text: &str) -> Result<SavedScheduler, String> {
    let mut lines = text.lines().enumerate();
    let version = lines.next().and_then(|(_, line)| line.trim().strip_prefix("# volvelle scheduler "));
    let version = match version.map(str::parse) {
        Some(Ok(version @ (PLAIN | WITH_MEMORY))) => version,
        Some(_) => return Err(format!("its version is neither {PLAIN} nor {WITH_MEMORY}")),
        None => return Err(format!("it does not begin with `# volvelle scheduler {PLAIN}`")),
    };
    let lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let read = rows(lines.map(|(i, line)| (i + 1, line.split('\t').map(str::to_owned).collect())))?;
    match (version == WITH_MEMORY) == read.memory.is_some() {
        true => Ok(read),
        false => Err(format!("its columns are not those of version {version}")),
    }
}

/// The same columns, separated by commas. No cell has a line break.
fn csv(text: &str) -> Result<SavedScheduler, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    rows(lines.map(|(i, line)| (i + 1, csv_cells(line))))
}

/// The cells of a line of CSV.
fn csv_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => {
                letters.next();
                cells.last_mut().into_iter().for_each(|cell| cell.push('"'));
            }
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => cells.push(String::new()),
            _ => cells.last_mut().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells
}

/// Rows of cells with the numbers of their lines, the heads first. Texts of commands are for readers.
fn rows(mut rows: impl Iterator<Item = (usize, Vec<String>)>) -> Result<SavedScheduler, String> {
    let heads = rows.next().map_or(Vec::new(), |(_, cells)| cells);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let heads_of_commands = ["place", "command"];
    let known = heads.strip_suffix(&heads_of_commands).unwrap_or(&heads);
    let with_memory = ["memory", "choice", "probability", "next", "action"];
    let (variables, has_memory) = match known {
        ["state", variables @ ..] => match variables.strip_suffix(&with_memory) {
            Some(variables) => (Some(variables), true),
            None => (variables.strip_suffix(&["choice", "action"]), false),
        },
        _ => (None, false),
    };
    let Some(variables) = variables else {
        let without = "`state`, the variables, `choice`, `action`, `place` and `command`";
        return Err(format!(
            "its columns are not {without}, nor those with `memory`, `probability` and `next`"
        ));
    };
    let decision = |(line, cells): (usize, Vec<String>)| {
        if cells.len() != heads.len() {
            return Err(format!("line {line} has {} columns instead of {}", cells.len(), heads.len()));
        }
        let bad = |cell: &str| format!("`{cell}` in line {line} is not a value");
        let value = |cell: &String| match cell.as_str() {
            "true" => Ok(Saved::Bool(true)),
            "false" => Ok(Saved::Bool(false)),
            cell => cell.parse().map(Saved::Int).map_err(|_| bad(cell)),
        };
        let number = |cell: &str| cell.parse::<u32>().map_err(|_| bad(cell));
        let decided = &cells[1 + variables.len()..known.len()];
        let (memory, choice, probability, next, action) = match decided {
            [memory, choice, probability, next, action] => {
                let (from, to) = memory.split_once("..").unwrap_or((memory, memory));
                let next = if next == "-" { None } else { Some(number(next)?) };
                let probability = probability.parse().map_err(|_| bad(probability))?;
                ([number(from)?, number(to)?], choice, probability, next, action)
            }
            [choice, action] => ([0; 2], choice, 1.0, Some(0), action),
            _ => return Err(bad(&cells.join(" "))),
        };
        if !(probability > 0.0 && probability <= 1.0) {
            return Err(format!("`{probability}` in line {line} is not a probability"));
        }
        Ok(SavedDecision {
            place: line,
            values: cells[1..=variables.len()].iter().map(value).collect::<Result<_, _>>()?,
            choice: number(choice)?,
            action: if action == "-" { String::new() } else { action.clone() },
            memory,
            probability,
            next,
        })
    };
    let decisions: Vec<SavedDecision> = rows.map(decision).collect::<Result<_, String>>()?;
    let variables = variables.iter().map(|name| (*name).to_owned()).collect();
    let memory = has_memory.then(|| remembered(&decisions)).transpose()?;
    Ok(SavedScheduler { file: String::new(), variables, decisions, memory })
}

/// The memory of decisions: the steps that are left, where no decision says what is remembered next, all of them at first; else
/// numbers, the first of which is 0.
fn remembered(decisions: &[SavedDecision]) -> Result<(Memory, u32), String> {
    match decisions.iter().filter(|decision| decision.next.is_none()).count() {
        0 => Ok((Memory::Automata, 0)),
        count if count == decisions.len() => {
            if let Some(by_chance) = decisions.iter().find(|decision| decision.probability != 1.0) {
                return Err(format!("line {} is drawn by chance, but steps are counted", by_chance.place));
            }
            let most = decisions.iter().map(|decision| decision.memory[1]).max();
            Ok((Memory::StepsLeft, most.unwrap_or(0)))
        }
        _ => Err("some of its decisions say what is remembered next, and others do not".to_owned()),
    }
}

/// The same as JSON.
fn json(text: &str) -> Result<SavedScheduler, String> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let version = document["scheduler"].as_u64();
    if version != Some(PLAIN) && version != Some(WITH_MEMORY) {
        return Err(format!("its version is neither {PLAIN} nor {WITH_MEMORY}"));
    }
    let has_memory = version == Some(WITH_MEMORY);
    let list = |name: &str| document[name].as_array().ok_or_else(|| format!("it has no `{name}` list"));
    let variables: Option<Vec<String>> =
        list("variables")?.iter().map(|name| Some(name.as_str()?.to_owned())).collect();
    let variables = variables.ok_or("a variable has no name")?;
    let number = |value: &serde_json::Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    let decision = |(i, entry): (usize, &serde_json::Value)| {
        let mut known = vec!["number", "values", "choice", "action", "commands"];
        if has_memory {
            known.extend(["memory", "probability", "next"]);
        }
        if let Some(more) =
            entry.as_object().and_then(|o| o.keys().find(|key| !known.contains(&key.as_str())))
        {
            return Err(format!("decision {} has `{more}`, which version 1 does not know", i + 1));
        }
        let value = |value: &serde_json::Value| match value {
            serde_json::Value::Bool(value) => Some(Saved::Bool(*value)),
            value => value.as_i64().map(Saved::Int),
        };
        let values: Option<Vec<Saved>> =
            entry["values"].as_array().and_then(|values| values.iter().map(value).collect());
        let values = values.filter(|values| values.len() == variables.len());
        let memory = match &entry["memory"] {
            _ if !has_memory => Some([0; 2]),
            serde_json::Value::Array(ends) => match ends.as_slice() {
                [from, to] => number(from).zip(number(to)).map(|(from, to)| [from, to]),
                _ => None,
            },
            one => number(one).map(|memory| [memory; 2]),
        };
        let Some(memory) = memory else { return Err(format!("decision {} has no memory", i + 1)) };
        let probability = entry.get("probability").map_or(Some(1.0), serde_json::Value::as_f64);
        let Some(probability) = probability.filter(|p| *p > 0.0 && *p <= 1.0) else {
            return Err(format!("decision {} has no probability", i + 1));
        };
        let next = if has_memory { entry.get("next").and_then(number) } else { Some(0) };
        match (values, number(&entry["choice"])) {
            (Some(values), Some(choice)) => {
                let action = entry["action"].as_str().unwrap_or("").to_owned();
                Ok(SavedDecision { place: i + 1, values, choice, action, memory, probability, next })
            }
            _ => Err(format!("decision {} has no values or no choice", i + 1)),
        }
    };
    let decisions: Vec<SavedDecision> =
        list("choices")?.iter().enumerate().map(decision).collect::<Result<_, String>>()?;
    let memory = has_memory.then(|| remembered(&decisions)).transpose()?;
    Ok(SavedScheduler { file: String::new(), variables, decisions, memory })
}
