//! What the client has set: breakpoints, and where the model goes wrong. It stays when a model is opened again.

use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Breakpoints that a client may set in all.
const MOST: usize = 1000;

/// A kind of states that walks stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Nothing can move, and that is not meant.
    Deadlock,
    /// An assertion is violated, or an expression has no value.
    Fault,
    /// A claim or a property is decided.
    Claim,
}

impl Filter {
    /// All of them.
    pub const ALL: [Filter; 3] = [Filter::Deadlock, Filter::Fault, Filter::Claim];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Filter::Deadlock => "deadlock",
            Filter::Fault => "assertion",
            Filter::Claim => "claim",
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Filter::Deadlock => "Deadlocks",
            Filter::Fault => "Violated assertions",
            Filter::Claim => "Decided claims",
        }
    }

    /// What it stops at.
    pub fn description(self) -> &'static str {
        match self {
            Filter::Deadlock => "Stops where nothing can move any more: deadlocks, and invalid end states",
            Filter::Fault => "Stops where an assertion is violated, or an expression has no value",
            Filter::Claim => "Stops where a claim or a property is decided",
        }
    }
}

/// A breakpoint on a line.
#[derive(Clone, Debug)]
pub struct LineBreakpoint {
    /// Its number.
    pub id: i64,
    /// The line that was asked for, from 1.
    pub line: usize,
    /// What has to hold besides.
    pub condition: Option<String>,
}

/// A breakpoint on a condition, or on a step.
#[derive(Clone, Debug)]
pub struct FunctionBreakpoint {
    /// Its number.
    pub id: i64,
    /// The condition of the model's language, or `[NAME]`.
    pub name: String,
    /// What has to hold besides.
    pub condition: Option<String>,
}

/// What the client has set.
#[derive(Debug)]
pub struct Setup {
    /// Whether it has said that this is all, so that the walk may begin.
    pub is_complete: bool,
    /// Breakpoints by the path of the text.
    pub lines: BTreeMap<String, Vec<LineBreakpoint>>,
    /// Breakpoints on conditions.
    pub functions: Vec<FunctionBreakpoint>,
    /// Where walks stop besides.
    pub filters: Vec<Filter>,
    /// The number of the first line and column.
    pub first: (i64, i64),
    next_id: i64,
}

impl Default for Setup {
    fn default() -> Self {
        let (lines, functions) = (BTreeMap::new(), Vec::new());
        let filters = Filter::ALL.to_vec();
        Setup { is_complete: false, lines, functions, filters, first: (1, 1), next_id: 0 }
    }
}

#[derive(Deserialize)]
struct SetLines {
    source: SourceField,
    #[serde(default)]
    breakpoints: Vec<LineField>,
}

#[derive(Deserialize)]
struct SourceField {
    path: Option<String>,
}

#[derive(Deserialize)]
struct LineField {
    line: i64,
    condition: Option<String>,
}

#[derive(Deserialize)]
struct SetFunctions {
    breakpoints: Vec<FunctionField>,
}

#[derive(Deserialize)]
struct FunctionField {
    name: String,
    condition: Option<String>,
}

#[derive(Deserialize)]
struct SetFilters {
    filters: Vec<String>,
}

/// Reads the arguments of a request.
///
/// # Errors
/// They are others.
pub fn arguments<T: for<'d> Deserialize<'d>>(command: &str, arguments: &Value) -> Result<T, Failure> {
    T::deserialize(arguments).map_err(|error| Failure::new(format!("the arguments of `{command}`: {error}")))
}

/// The path of the text in the arguments of a request.
///
/// # Errors
/// There is none.
pub fn path_of(command: &str, given: &Value) -> Result<String, Failure> {
    let source = given.get("source").cloned().unwrap_or_default();
    let SourceField { path } = arguments(command, &source)?;
    path.ok_or_else(|| Failure::new(format!("the source of `{command}` has no path")))
}

impl Setup {
    /// How the client counts lines and columns.
    pub fn counts_from(&mut self, line: i64, column: i64) {
        self.first = (line, column);
    }

    /// Does what a request wants to be set; `None` where it is another request.
    pub fn set(&mut self, command: &str, given: &Value) -> Option<Result<(), Failure>> {
        match command {
            "setBreakpoints" => Some(self.set_lines(command, given)),
            "setFunctionBreakpoints" => Some(self.set_functions(command, given)),
            "setExceptionBreakpoints" => Some(self.set_filters(command, given)),
            _ => None,
        }
    }

    fn set_lines(&mut self, command: &str, given: &Value) -> Result<(), Failure> {
        let SetLines { source, breakpoints } = arguments(command, given)?;
        let path = source.path.ok_or_else(|| Failure::new("breakpoints are set in a file: `source.path`"))?;
        let others: usize =
            self.lines.iter().filter(|(other, _)| **other != path).map(|(_, l)| l.len()).sum();
        few(others + breakpoints.len())?;
        let set = breakpoints.into_iter().map(|field| LineBreakpoint {
            id: self.new_id(),
            line: usize::try_from(field.line.saturating_sub(self.first.0 - 1)).unwrap_or(0),
            condition: field.condition.filter(|condition| !condition.trim().is_empty()),
        });
        let set: Vec<LineBreakpoint> = set.collect();
        match set.is_empty() {
            true => self.lines.remove(&path),
            false => self.lines.insert(path, set),
        };
        Ok(())
    }

    fn set_functions(&mut self, command: &str, given: &Value) -> Result<(), Failure> {
        let SetFunctions { breakpoints } = arguments(command, given)?;
        few(breakpoints.len())?;
        let set = breakpoints.into_iter().map(|field| FunctionBreakpoint {
            id: self.new_id(),
            name: field.name,
            condition: field.condition.filter(|condition| !condition.trim().is_empty()),
        });
        self.functions = set.collect();
        Ok(())
    }

    fn set_filters(&mut self, command: &str, given: &Value) -> Result<(), Failure> {
        let SetFilters { filters } = arguments(command, given)?;
        let filter = |name: &String| {
            let known = Filter::ALL.into_iter().find(|filter| filter.name() == name);
            known.ok_or_else(|| Failure::new(format!("there is no filter `{name}`")))
        };
        self.filters = filters.iter().map(filter).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn new_id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id
    }

    /// The answer to a request that sets something while nothing is debugged: whether it has an effect is not known.
    pub fn pending(&self, command: &str, given: &Value) -> Value {
        let unknown = |id: i64| json!({ "id": id, "verified": false, "message": "it is known when the model is opened" });
        match command {
            "setBreakpoints" => {
                let set = path_of(command, given).ok().and_then(|path| self.lines.get(&path));
                let all = set.into_iter().flatten().map(|breakpoint| unknown(breakpoint.id));
                json!({ "breakpoints": all.collect::<Vec<_>>() })
            }
            "setFunctionBreakpoints" => {
                let all = self.functions.iter().map(|breakpoint| unknown(breakpoint.id));
                json!({ "breakpoints": all.collect::<Vec<_>>() })
            }
            _ => Value::Null,
        }
    }
}

fn few(count: usize) -> Result<(), Failure> {
    match count > MOST {
        true => Err(Failure::new(format!("{count} breakpoints are too many"))),
        false => Ok(()),
    }
}
