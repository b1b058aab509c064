//! How the choices of a simulated mdp are resolved: by chance, or by a scheduler that `check --export-scheduler` wrote.
//!
//! Files of schedulers are read in the formats of `docs/witnesses.md`, version 1: memoryless and deterministic. Files that say
//! more than that are refused by name.

use crate::language::Document;
use std::fmt;
use volvelle_diagnostics::{Diagnostic, codes};
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
enum Saved {
    Bool(bool),
    Int(i64),
}

/// A scheduler as it stands in a file.
#[derive(Clone, Debug)]
pub struct SavedScheduler {
    file: String,
    variables: Vec<String>,
    decisions: Vec<SavedDecision>,
}

#[derive(Clone, Debug)]
struct SavedDecision {
    /// Line, or for JSON place in the list, from 1.
    place: usize,
    values: Vec<Saved>,
    choice: u32,
    action: String,
}

/// The only version of the formats.
const VERSION: u64 = 1;

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
        read.map(|(variables, decisions)| SavedScheduler { file: file.to_owned(), variables, decisions })
            .map_err(|why| {
                Diagnostic::error(codes::BAD_SCHEDULER, format!("`{file}` is not a usable scheduler: {why}"))
                    .help("write one: volvelle check MODEL --prop PROPERTY --export-scheduler FILE")
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
    /// For paths of a program.
    ///
    /// # Errors
    /// The scheduler is for another model.
    pub(super) fn resolution(&self, program: &Program) -> Result<Resolution, Diagnostic> {
        Ok(match self {
            Choices::Unresolved => Resolution::Model,
            Choices::Uniform => Resolution::Uniform,
            Choices::Scheduler(saved) => Resolution::Scheduler(saved.decisions(program)?),
        })
    }

    /// Why decisions do not fit.
    pub(super) fn of_mismatch(
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

type Read = (Vec<String>, Vec<SavedDecision>);

/// The columns, separated by tabulators.
fn table(text: &str) -> Result<Read, String> {
    let mut lines = text.lines().enumerate();
    let version = lines.next().and_then(|(_, line)| line.trim().strip_prefix("# volvelle scheduler "));
    match version.map(str::parse) {
        Some(Ok(VERSION)) => {}
        Some(_) => return Err(format!("its version is not {VERSION}")),
        None => return Err("it does not begin with `# volvelle scheduler 1`".to_owned()),
    }
    let lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    rows(lines.map(|(i, line)| (i + 1, line.split('\t').map(str::to_owned).collect())))
}

/// The same columns, separated by commas. No cell has a line break.
fn csv(text: &str) -> Result<Read, String> {
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
fn rows(mut rows: impl Iterator<Item = (usize, Vec<String>)>) -> Result<Read, String> {
    let heads = rows.next().map_or(Vec::new(), |(_, cells)| cells);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let (["state", variables @ .., "choice", "action", "place", "command"]
    | ["state", variables @ .., "choice", "action"]) = heads.as_slice()
    else {
        return Err("its columns are not `state`, the variables, `choice`, `action`, `place` and `command`"
            .to_owned());
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
        let [values, [choice, action, ..]] = [&cells[1..=variables.len()], &cells[1 + variables.len()..]]
        else {
            return Err(bad(&cells.join(" ")));
        };
        Ok(SavedDecision {
            place: line,
            values: values.iter().map(value).collect::<Result<_, _>>()?,
            choice: choice.parse().map_err(|_| bad(choice))?,
            action: if action == "-" { String::new() } else { action.clone() },
        })
    };
    let decisions: Result<Vec<SavedDecision>, String> = rows.map(decision).collect();
    Ok((variables.iter().map(|name| (*name).to_owned()).collect(), decisions?))
}

/// The same as JSON.
fn json(text: &str) -> Result<Read, String> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if document["scheduler"].as_u64() != Some(VERSION) {
        return Err(format!("its version is not {VERSION}"));
    }
    let list = |name: &str| document[name].as_array().ok_or_else(|| format!("it has no `{name}` list"));
    let variables: Option<Vec<String>> =
        list("variables")?.iter().map(|name| Some(name.as_str()?.to_owned())).collect();
    let variables = variables.ok_or("a variable has no name")?;
    let decision = |(i, entry): (usize, &serde_json::Value)| {
        let known = ["number", "values", "choice", "action", "commands"];
        if let Some(more) =
            entry.as_object().and_then(|o| o.keys().find(|key| !known.contains(&key.as_str())))
        {
            return Err(format!("decision {} has `{more}`: a scheduler may depend on the state only", i + 1));
        }
        let value = |value: &serde_json::Value| match value {
            serde_json::Value::Bool(value) => Some(Saved::Bool(*value)),
            value => value.as_i64().map(Saved::Int),
        };
        let values: Option<Vec<Saved>> =
            entry["values"].as_array().and_then(|values| values.iter().map(value).collect());
        let values = values.filter(|values| values.len() == variables.len());
        let choice = entry["choice"].as_u64().and_then(|choice| u32::try_from(choice).ok());
        match (values, choice) {
            (Some(values), Some(choice)) => {
                let action = entry["action"].as_str().unwrap_or("").to_owned();
                Ok(SavedDecision { place: i + 1, values, choice, action })
            }
            _ => Err(format!("decision {} has no values or no choice", i + 1)),
        }
    };
    let decisions: Result<Vec<SavedDecision>, String> =
        list("choices")?.iter().enumerate().map(decision).collect();
    Ok((variables, decisions?))
}

#[cfg(test)]
mod tests {
    use super::SavedScheduler;

    #[test]
    fn both_formats_are_read() {
        let table = "# volvelle scheduler 1\n# property: x\nstate\tx\tb\tchoice\taction\n0\t-3\ttrue\t1\tgo\n\n1\t2\tfalse\t0\t-\n";
        let json = r#"{ "scheduler": 1, "variables": ["x", "b"], "choices": [
            { "number": 0, "values": [-3, true], "choice": 1, "action": "go" },
            { "number": 1, "values": [2, false], "choice": 0 } ] }"#;
        let [a, b] = [table, json].map(|text| SavedScheduler::read("f", text).expect("a scheduler"));
        assert_eq!(a.variables, b.variables);
        for (a, b) in a.decisions.iter().zip(&b.decisions) {
            assert_eq!((&a.values, a.choice, &a.action), (&b.values, b.choice, &b.action));
        }
        assert_eq!((a.decisions.len(), b.decisions.len()), (2, 2));
        // With the texts of commands, which are for readers.
        let wide = "# volvelle scheduler 1\nstate\tx\tb\tchoice\taction\tplace\tcommand\n0\t-3\ttrue\t1\tgo\tm:1\t[go] x, 1\n1\t2\tfalse\t0\t-\t-\t-\n";
        let csv = "state,x,b,choice,action,place,command\n0,-3,true,1,go,m:1,\"[go] x, \"\"1\"\"\"\n1,2,false,0,-,-,-\n";
        for text in [wide, csv] {
            let c = SavedScheduler::read("f", text).expect("a scheduler");
            for (a, c) in a.decisions.iter().zip(&c.decisions) {
                assert_eq!((&a.values, a.choice, &a.action), (&c.values, c.choice, &c.action));
            }
            assert_eq!((&a.variables, c.decisions.len()), (&c.variables, 2));
        }
    }

    #[test]
    fn what_is_no_scheduler_says_why() {
        for (text, why) in [
            ("", "does not begin"),
            ("x\ty\n", "does not begin"),
            ("# volvelle scheduler 2\n", "version"),
            ("# volvelle scheduler 1\n", "columns"),
            ("# volvelle scheduler 1\nstate\tx\tchoice\n", "columns"),
            ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\t1\t0\n", "line 3 has 3 columns"),
            ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\tone\t0\t-\n", "`one` in line 3"),
            ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\t1\t-1\t-\n", "`-1`"),
            ("{", "EOF"),
            ("{}", "version"),
            ("{ \"scheduler\": 1 }", "`variables`"),
            ("{ \"scheduler\": 1, \"variables\": [], \"choices\": [{ \"memory\": 0 }] }", "`memory`"),
            (
                "{ \"scheduler\": 1, \"variables\": [\"x\"], \"choices\": [{ \"values\": [], \"choice\": 0 }] }",
                "has no values",
            ),
        ] {
            let complaint = SavedScheduler::read("f", text).expect_err(text);
            assert!(complaint.message.contains(why), "{text}: {}", complaint.message);
        }
    }
}
