//! Evidence that an answer is right: paths, subsystems, schedulers.

use std::sync::Arc;
use volvelle_markov::WitnessRequest;

/// How a scheduler is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulerFormat {
    /// Columns, separated by tabulators.
    Table,
    /// Columns, separated by commas.
    Csv,
    /// JSON.
    Json,
    /// A graph for Graphviz.
    Dot,
}

/// The kinds of evidence that are asked for besides answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidences {
    /// An optimal scheduler of every property that has one.
    pub scheduler: Option<SchedulerFormat>,
    /// The Markov chain that the scheduler makes.
    pub induced: bool,
    /// The same as a graph for Graphviz.
    pub induced_graph: bool,
    /// Paths and subsystems.
    pub witness: bool,
    /// Paths besides the most probable one.
    pub further: usize,
}

impl Evidences {
    /// Whether schedulers are wanted, or what they make.
    pub fn wants_scheduler(self) -> bool {
        self.scheduler.is_some() || self.wants_chain()
    }

    /// Whether the states that a scheduler comes to are wanted.
    pub fn wants_chain(self) -> bool {
        self.induced || self.induced_graph || self.scheduler == Some(SchedulerFormat::Dot)
    }

    /// For the engine.
    pub fn wanted(self) -> Option<WitnessRequest> {
        let wanted = WitnessRequest {
            scheduler: self.wants_scheduler(),
            witness: self.witness,
            further: self.further,
        };
        (wanted != WitnessRequest::default()).then_some(wanted)
    }
}

/// Evidence that an answer is right.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The most probable path to the target.
    pub path: Option<PathReport>,
    /// The paths that are next in probability.
    pub further: Vec<PathReport>,
    /// States that suffice to exceed the bound of the property.
    pub subsystem: Option<SubsystemReport>,
    /// An optimal scheduler.
    pub scheduler: Option<SchedulerReport>,
    /// The property is false, and path and subsystem show why.
    pub against: bool,
}

impl Evidence {
    /// The probability of all paths together. They are different paths to the target, hence disjoint.
    pub fn paths_together(&self) -> f64 {
        self.path.iter().chain(&self.further).map(|path| path.probability).sum()
    }
}

/// A path.
#[derive(Clone, Debug)]
pub struct PathReport {
    /// State by state.
    pub steps: Vec<StepReport>,
    /// Probability; zero where it is too small for a double.
    pub probability: f64,
    /// Its decimal logarithm.
    pub log10: f64,
    /// It leads to where the path formula of the property fails.
    pub negated: bool,
}

/// A state of a path, and how it goes on.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Number of the state.
    pub number: u32,
    /// The state: `q=5 open=true`.
    pub state: String,
    /// The values of the variables in it.
    pub values: Vec<i64>,
    /// The action taken there, where it has a name.
    pub action: Option<String>,
    /// The choice taken, counted within the state; for an MDP.
    pub choice: Option<u32>,
    /// The commands of that choice; empty where they are not known.
    pub commands: Arc<[CommandReport]>,
    /// Whether other choices of the state have the same action.
    pub is_ambiguous: bool,
    /// Probability of the next state; `None` at the end.
    pub probability: Option<f64>,
}

impl StepReport {
    /// `[up]`, `[up] line 7` where several choices are called so, `[] line 7` or `[] #2` where none is; empty for a chain.
    pub fn title(&self) -> String {
        let Some(choice) = self.choice else {
            return self.action.as_ref().map_or(String::new(), |action| format!("[{action}]"));
        };
        let action = self.action.as_deref().unwrap_or("");
        match (self.is_ambiguous || action.is_empty(), &*self.commands) {
            (false, _) => format!("[{action}]"),
            (true, []) => format!("[{action}] #{choice}"),
            (true, commands) => format!("[{action}] {}", lines(commands)),
        }
    }
}

/// `line 7`, `lines 7 and 12`, `lines 7, 12 and 20`
fn lines(commands: &[CommandReport]) -> String {
    let lines: Vec<String> = commands.iter().map(|command| command.line.to_string()).collect();
    match lines.as_slice() {
        [] => String::new(),
        [only] => format!("line {only}"),
        [rest @ .., last] => format!("lines {} and {last}", rest.join(", ")),
    }
}

/// An optimal scheduler.
#[derive(Clone, Debug)]
pub struct SchedulerReport {
    /// The decisions, as the text of a file in the format asked for.
    pub text: String,
    /// `max` or `min`; `multi` where it meets several objectives.
    pub optimum: &'static str,
    /// Bounds of the value under it, where there is one initial state.
    pub bounds: Option<[f64; 2]>,
    /// How many states there are.
    pub states: u64,
    /// Its memory; `None` if there is neither memory nor chance.
    pub memory: Option<MemoryReport>,
    /// States with several choices; with memory, decisions in such states.
    pub deciding: u64,
    /// What it does in the first of them.
    pub decisions: Vec<DecisionReport>,
    /// The Markov chain that it makes, where it was asked for.
    pub induced: Option<Arc<volvelle_explicit::Model>>,
    /// The same as the text of a graph.
    pub induced_graph: String,
}

/// The memory of a scheduler.
#[derive(Clone, Debug)]
pub struct MemoryReport {
    /// Its kind in files: `none`, `steps-left`, `amounts`, `automata`, `mix`.
    pub kind: &'static str,
    /// The same in words.
    pub what: &'static str,
    /// The number of its values.
    pub count: u32,
    /// The value at the beginning.
    pub initial: u32,
}

/// What a scheduler does in a state with several choices.
#[derive(Clone, Debug)]
pub struct DecisionReport {
    /// Number of the state.
    pub number: u32,
    /// The state: `q=5 open=true`.
    pub state: String,
    /// The memory with which this is decided, in words: `2..5 steps left`; `None` where it does not matter.
    pub memory: Option<String>,
    /// The probability of the decision; `None` if it is certain.
    pub probability: Option<f64>,
    /// The choice, counted within the state from 0.
    pub choice: u32,
    /// Of how many.
    pub of: u32,
    /// Its action, where it has a name.
    pub action: Option<String>,
    /// The commands that make it, one for each module that moves; empty where they are not known.
    pub commands: Arc<[CommandReport]>,
}

impl DecisionReport {
    /// The commands in words: `[up] x<3 -> (x'=x+1)`, `a: [go] x=0 -> true || b: [go] true -> true`; without commands its
    /// action, or its number.
    pub fn text(&self) -> String {
        match (&*self.commands, &self.action) {
            ([], Some(action)) => format!("[{action}] (choice {} of {})", self.choice + 1, self.of),
            ([], None) => format!("choice {} of {}", self.choice + 1, self.of),
            (commands, _) => command_text(commands),
        }
    }

    /// `model.prism:7`, `model.prism:7, model.prism:12`
    pub fn place(&self) -> String {
        command_places(&self.commands)
    }
}

/// A command of a module, as the model has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandReport {
    /// The module that moves; a copy of a module has the text of the original.
    pub module: String,
    /// The file of the text.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The text, on one line.
    pub text: String,
}

/// The texts of commands that happen together.
pub fn command_text(commands: &[CommandReport]) -> String {
    match commands {
        [only] => only.text.clone(),
        several => {
            let texts: Vec<String> = several.iter().map(|c| format!("{}: {}", c.module, c.text)).collect();
            texts.join(" || ")
        }
    }
}

/// The places of commands that happen together.
pub fn command_places(commands: &[CommandReport]) -> String {
    let places: Vec<String> = commands.iter().map(|c| format!("{}:{}", c.file, c.line)).collect();
    places.join(", ")
}

/// A critical subsystem.
#[derive(Clone, Debug)]
pub struct SubsystemReport {
    /// Its states: number, and what they are.
    pub states: Vec<(u32, String)>,
    /// Of how many.
    pub of: u64,
    /// Bounds of the probability of reaching the target within it.
    pub bounds: [f64; 2],
    /// The bound that this probability exceeds.
    pub threshold: f64,
}
