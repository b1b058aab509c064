//! Schedulers and witnesses of properties, with the names of states and actions.
//!
//! In: what `volvelle_markov::witness` finds, as numbers of states and choices. Out: [`Evidence`] for screens and JSON,
//! and the text of a scheduler, whose format `docs/witnesses.md` describes.

use crate::evidence::{Evidence, PathReport, SchedulerFormat, StepReport, SubsystemReport};
use crate::session::Session;
use std::fmt::Write;
use volvelle_explore::Explored;
use volvelle_logic::{Optimum, Property};
use volvelle_markov::{Path, Scheduler, Witness};
use volvelle_model::{Domain, Program};

/// Version of the text form of schedulers.
const FORMAT: u32 = 1;

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
        let report = |path: Path| {
            let steps = path.steps.iter().map(|step| StepReport {
                number: step.state,
                state: text(step.state),
                action: step.choice.and_then(|c| action(explored, c)).map(str::to_owned),
                choice: step
                    .choice
                    .filter(|_| space.choices.is_some())
                    .map(|c| c - space.choices_of(step.state as usize).start as u32),
                probability: step.choice.map(|_| step.probability),
            });
            PathReport {
                steps: steps.collect(),
                probability: path.probability,
                log10: path.log10,
                negated: found.negated,
            }
        };
        let path = found.path.map(report);
        let further = found.further.into_iter().map(report).collect();
        let subsystem = found.subsystem.map(|part| SubsystemReport {
            states: part.states.iter().map(|&s| (s, text(s))).collect(),
            of: space.num_states() as u64,
            bounds: part.bounds,
            threshold: part.threshold,
        });
        let scheduler = match (&found.scheduler, found.optimum, self.program()) {
            (Some(scheduler), Some(optimum), Some(program)) => {
                let writer =
                    Writer { explored, program, property, scheduler, optimum, negated: found.negated };
                Some(match format {
                    SchedulerFormat::Table => writer.table(),
                    SchedulerFormat::Json => writer.json(),
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

impl Writer<'_> {
    /// Number of each state with its values and the choice taken, counted within the state.
    fn lines(&self) -> impl Iterator<Item = (usize, Vec<i64>, u32, Option<&str>)> {
        self.scheduler.choices.iter().enumerate().map(|(s, &choice)| {
            let values = self.explored.layout.unpack(self.explored.states.get(s));
            let first = self.explored.space.choices_of(s).start as u32;
            (s, values, choice - first, action(self.explored, choice))
        })
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

    fn table(&self) -> String {
        let mut out = format!("# volvelle scheduler {FORMAT}\n# property: {}\n", self.property.text.trim());
        let _ = writeln!(out, "# optimum: {}", self.optimum());
        if let Some([lo, hi]) = self.bounds() {
            let _ = writeln!(out, "# value: {lo:?} .. {hi:?}");
        }
        out.push_str("state");
        for field in self.fields() {
            let _ = write!(out, "\t{}", self.program.fields[field].name);
        }
        out.push_str("\tchoice\taction\n");
        for (s, values, choice, action) in self.lines() {
            let _ = write!(out, "{s}");
            for field in self.fields() {
                let _ = write!(out, "\t{}", self.value(field, values[field]));
            }
            let _ = writeln!(out, "\t{choice}\t{}", action.unwrap_or("-"));
        }
        out
    }

    fn json(&self) -> String {
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
        for (s, values, choice, action) in self.lines() {
            let values = self.fields().map(|field| self.value(field, values[field]));
            let values = values.collect::<Vec<_>>().join(", ");
            let _ = write!(out, "{}    {{ ", if first { "" } else { ",\n" });
            let _ = write!(out, "\"number\": {s}, \"values\": [{values}], \"choice\": {choice}");
            if let Some(action) = action {
                let _ = write!(out, ", \"action\": {}", text(action));
            }
            out.push_str(" }");
            first = false;
        }
        out.push_str("\n  ]\n}\n");
        out
    }
}
