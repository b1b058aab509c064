//! Schedulers and witnesses of properties, with the names of states and actions.
//!
//! In: what `volvelle_markov::witness` finds, as numbers of states and choices. Out: [`Evidence`] for screens and JSON,
//! and the text of a scheduler, whose format `docs/witnesses.md` describes.

use crate::commands::Commands;
use crate::csv;
use crate::evidence::{
    CommandReport, DecisionReport, Evidence, PathReport, SchedulerFormat, SchedulerReport, StepReport,
    SubsystemReport, command_places, command_text,
};
use crate::session::Session;
use std::fmt::Write;
use std::sync::Arc;
use volvelle_explore::Explored;
use volvelle_logic::{Optimum, Property};
use volvelle_markov::{Path, Scheduler, Witness};
use volvelle_model::{Domain, Program};

/// Version of the text form of schedulers.
const FORMAT: u32 = 1;

/// Decisions that a report has in words; the file has all.
const MOST_DECISIONS: usize = 10_000;

impl Session {
    /// Puts names to what the engine found.
    pub(crate) fn evidence(
        &self,
        explored: &Explored,
        property: &Property,
        found: Witness,
        format: SchedulerFormat,
        is_false: bool,
    ) -> Evidence {
        let space = &explored.space;
        let text = |state: u32| {
            let values = explored.layout.unpack(explored.states.get(state as usize));
            self.document.as_ref().map_or(String::new(), |d| d.state_text(&values))
        };
        let mut commands = match (self.program(), self.document.as_deref()) {
            (Some(program), Some(document)) => {
                Some(Commands::new(program, explored, document, &self.sources))
            }
            _ => None,
        };
        let mut report = |path: Path| {
            let steps = path.steps.iter().map(|step| {
                let choice = step.choice.filter(|_| space.choices.is_some());
                let named = commands.as_mut().zip(choice);
                let (of_choice, same) = named.map_or((Arc::default(), 1), |(commands, choice)| {
                    (commands.of(step.state, choice), commands.with_same_action(step.state, choice))
                });
                StepReport {
                    number: step.state,
                    state: text(step.state),
                    action: step.choice.and_then(|c| action(explored, c)).map(str::to_owned),
                    choice: choice.map(|c| c - space.choices_of(step.state as usize).start as u32),
                    commands: of_choice,
                    is_ambiguous: same > 1,
                    probability: step.choice.map(|_| step.probability),
                }
            });
            PathReport {
                steps: steps.collect(),
                probability: path.probability,
                log10: path.log10,
                negated: found.negated,
            }
        };
        let path = found.path.map(&mut report);
        let further = found.further.into_iter().map(&mut report).collect();
        let subsystem = found.subsystem.map(|part| SubsystemReport {
            states: part.states.iter().map(|&s| (s, text(s))).collect(),
            of: space.num_states() as u64,
            bounds: part.bounds,
            threshold: part.threshold,
        });
        let scheduler = match (&found.scheduler, found.optimum, commands) {
            (Some(scheduler), Some(optimum), Some(mut commands)) => {
                let program = commands.program;
                let writer =
                    Writer { explored, program, property, scheduler, optimum, negated: found.negated };
                Some(SchedulerReport {
                    text: match format {
                        SchedulerFormat::Table => writer.table(&mut commands),
                        SchedulerFormat::Csv => writer.csv(&mut commands),
                        SchedulerFormat::Json => writer.json(&mut commands),
                    },
                    optimum: writer.optimum(),
                    bounds: writer.bounds(),
                    states: space.num_states() as u64,
                    deciding: writer.deciding().count() as u64,
                    decisions: writer.decisions(&mut commands, text),
                })
            }
            _ => None,
        };
        let against = is_false && subsystem.is_some();
        Evidence { path, further, subsystem, scheduler, against }
    }
}

/// The name of a choice's action, if it has one.
fn action(explored: &Explored, choice: u32) -> Option<&str> {
    let levels = explored.space.choices.as_ref()?;
    let name = &explored.space.actions[levels.action[choice as usize] as usize];
    (!name.is_empty()).then_some(name.as_str())
}

struct Writer<'a> {
    explored: &'a Explored,
    program: &'a Program,
    property: &'a Property,
    scheduler: &'a Scheduler,
    optimum: Optimum,
    negated: bool,
}

/// What a scheduler does in a state.
struct Line<'a> {
    state: usize,
    values: Vec<i64>,
    /// Counted within the state.
    choice: u32,
    action: Option<&'a str>,
    commands: Arc<[CommandReport]>,
}

impl<'a> Writer<'a> {
    /// What it does in each state.
    fn lines(&self, commands: &mut Commands<'_>) -> impl Iterator<Item = Line<'a>> {
        let explored = self.explored;
        self.scheduler.choices.iter().enumerate().map(move |(state, &choice)| Line {
            state,
            values: explored.layout.unpack(explored.states.get(state)),
            choice: choice - explored.space.choices_of(state).start as u32,
            action: action(explored, choice),
            commands: commands.of(state as u32, choice),
        })
    }

    /// The states with several choices.
    fn deciding(&self) -> impl Iterator<Item = usize> {
        (0..self.scheduler.choices.len()).filter(|&s| self.explored.space.choices_of(s).len() > 1)
    }

    /// What it does in the first of these states, in words.
    fn decisions(&self, commands: &mut Commands<'_>, text: impl Fn(u32) -> String) -> Vec<DecisionReport> {
        let decision = |state: usize| {
            let choice = self.scheduler.choices[state];
            let all = self.explored.space.choices_of(state);
            DecisionReport {
                number: state as u32,
                state: text(state as u32),
                choice: choice - all.start as u32,
                of: all.len() as u32,
                action: action(self.explored, choice).map(str::to_owned),
                commands: commands.of(state as u32, choice),
            }
        };
        self.deciding().take(MOST_DECISIONS).map(decision).collect()
    }

    /// The fields that are variables: a field with a quoted name says where a label holds.
    fn fields(&self) -> impl Iterator<Item = usize> {
        let fields = self.program.fields.iter().enumerate();
        fields.filter(|(_, field)| !field.name.starts_with('"')).map(|(number, _)| number)
    }

    fn value(&self, field: usize, value: i64) -> String {
        match self.program.fields[field].domain {
            Domain::Bool => (value != 0).to_string(),
            _ => value.to_string(),
        }
    }

    /// `max` or `min`: of the property itself.
    fn optimum(&self) -> &'static str {
        match (self.optimum, self.negated) {
            (Optimum::Max, false) | (Optimum::Min, true) => "max",
            _ => "min",
        }
    }

    /// Bounds of the property's value under the scheduler, where there is one initial state.
    fn bounds(&self) -> Option<[f64; 2]> {
        let [initial] = self.explored.space.initial.as_slice() else { return None };
        let [lo, hi] = self.scheduler.value[initial.0 as usize];
        Some(if self.negated {
            [(1.0 - hi).next_down().max(0.0), (1.0 - lo).next_up().min(1.0)]
        } else {
            [lo, hi]
        })
    }

    /// Its columns: the state, the variables, and what is done.
    fn heads(&self) -> Vec<String> {
        let names = self.fields().map(|field| self.program.fields[field].name.as_str());
        let all = std::iter::once("state").chain(names).chain(["choice", "action", "place", "command"]);
        all.map(str::to_owned).collect()
    }

    /// The cells of a state, in the same order. What is not known is `-`.
    fn cells(&self, line: &Line<'_>) -> Vec<String> {
        let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text.replace('\t', " ") };
        let mut cells = vec![line.state.to_string()];
        cells.extend(self.fields().map(|field| self.value(field, line.values[field])));
        cells.push(line.choice.to_string());
        cells.push(line.action.unwrap_or("-").to_owned());
        cells.push(or_dash(command_places(&line.commands)));
        cells.push(or_dash(command_text(&line.commands)));
        cells
    }

    fn table(&self, commands: &mut Commands<'_>) -> String {
        let mut out = format!("# volvelle scheduler {FORMAT}\n# property: {}\n", self.property.text.trim());
        let _ = writeln!(out, "# optimum: {}", self.optimum());
        if let Some([lo, hi]) = self.bounds() {
            let _ = writeln!(out, "# value: {lo:?} .. {hi:?}");
        }
        let _ = writeln!(out, "{}", self.heads().join("\t"));
        for line in self.lines(commands) {
            let _ = writeln!(out, "{}", self.cells(&line).join("\t"));
        }
        out
    }

    fn csv(&self, commands: &mut Commands<'_>) -> String {
        let mut out = String::new();
        csv::line(&mut out, &self.heads());
        self.lines(commands).for_each(|line| csv::line(&mut out, &self.cells(&line)));
        out
    }

    fn json(&self, commands: &mut Commands<'_>) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let mut out =
            format!("{{\n  \"scheduler\": {FORMAT},\n  \"property\": {},\n", text(self.property.text.trim()));
        let _ = writeln!(out, "  \"optimum\": \"{}\",", self.optimum());
        if let Some([lo, hi]) = self.bounds() {
            let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { "\"inf\"".to_owned() };
            let _ = writeln!(out, "  \"lo\": {}, \"hi\": {},", number(lo), number(hi));
        }
        let names: Vec<String> = self.fields().map(|f| text(&self.program.fields[f].name)).collect();
        let _ = writeln!(out, "  \"variables\": [{}],\n  \"choices\": [", names.join(", "));
        let mut first = true;
        for line in self.lines(commands) {
            let values = self.fields().map(|field| self.value(field, line.values[field]));
            let values = values.collect::<Vec<_>>().join(", ");
            let _ = write!(out, "{}    {{ ", if first { "" } else { ",\n" });
            let _ = write!(
                out,
                "\"number\": {}, \"values\": [{values}], \"choice\": {}",
                line.state, line.choice
            );
            if let Some(action) = line.action {
                let _ = write!(out, ", \"action\": {}", text(action));
            }
            if !line.commands.is_empty() {
                let commands = line.commands.iter().map(|command| {
                    format!(
                        "{{ \"module\": {}, \"file\": {}, \"line\": {}, \"command\": {} }}",
                        text(&command.module),
                        text(&command.file),
                        command.line,
                        text(&command.text)
                    )
                });
                let _ = write!(out, ", \"commands\": [{}]", commands.collect::<Vec<_>>().join(", "));
            }
            out.push_str(" }");
            first = false;
        }
        out.push_str("\n  ]\n}\n");
        out
    }
}
