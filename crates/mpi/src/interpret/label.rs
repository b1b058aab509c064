//! What a step shows.

use super::Interpreter;
use crate::lower::label_name;
use crate::machine::Journey;
use crate::system::{ChannelId, MarkId, Mistake, NodeId, ProcessId, VariableId, WorkId};
use volvelle_coherence::Source;

/// What a step shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Label {
    /// Nothing.
    Internal,
    /// A process passes a mark.
    Mark(ProcessId, MarkId),
    /// An access begins, or changes caches in its middle; with time it shows nothing.
    Access {
        /// Who.
        process: ProcessId,
        /// Name of the operation.
        operation: &'static str,
        /// What it accesses.
        variable: VariableId,
        /// Values, and how many of them there are.
        shown: ([i64; 2], usize),
        /// The transfer; `None` in the middle of an access.
        journey: Option<Journey>,
    },
    /// A latency is over.
    Latency {
        /// Who waited.
        process: ProcessId,
        /// For what.
        variable: VariableId,
        /// How it came.
        journey: Journey,
        /// Which half, where there are two.
        half: Option<u32>,
    },
    /// A stage of a latency is over.
    Stage {
        /// Who waited.
        process: ProcessId,
        /// For what.
        variable: VariableId,
        /// The access.
        node: NodeId,
        /// How it came.
        journey: Journey,
        /// The stage.
        stage: u32,
        /// How many transfers shared the station.
        sharers: u32,
        /// Whether another stage follows.
        goes_on: bool,
    },
    /// An access is over.
    EndAction(ProcessId),
    /// A delay is over.
    Work(ProcessId, WorkId),
    /// A way of a choice, from 0.
    Choice(ProcessId, u32),
    /// A process enters or leaves a critical section.
    Section {
        /// Whether it enters.
        enters: bool,
        /// Who.
        process: ProcessId,
        /// The section.
        variable: VariableId,
    },
    /// A message is sent or received.
    Message {
        /// Whether it is sent.
        sends: bool,
        /// By whom.
        process: ProcessId,
        /// Where.
        channel: ChannelId,
        /// Its content, where messages have one.
        content: Option<i64>,
    },
    /// A process has made a mistake.
    Error(ProcessId, NodeId, Mistake),
}

/// The numbers of things in labels: as [`crate::lower::Lowered`] has them.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// By process, the journeys 1, 2, ...
    pub journeys: &'a [Vec<Journey>],
    /// The mistakes 0, 1, ...
    pub mistakes: &'a [(ProcessId, NodeId, Mistake)],
}

impl Interpreter<'_> {
    /// The text of a label, as a transition system of this view has it; `i` for what shows nothing.
    ///
    /// # Panics
    /// A journey or mistake has no number.
    pub fn text(&self, label: &Label, names: Names<'_>) -> String {
        let process = |process: ProcessId| label_name(&self.system.processes[process.index()].name);
        let variable = |variable: VariableId| label_name(&self.system.variables[variable.index()].name);
        let number = |process: ProcessId, journey: Journey| {
            let place = names.journeys[process.index()].iter().position(|&known| known == journey);
            1 + place.unwrap_or_else(|| panic!("{journey:?} has a number"))
        };
        match *label {
            Label::Internal => "i".to_owned(),
            Label::Mark(p, mark) => {
                format!("{} !{}", label_name(&self.system.marks[mark.index()]), process(p))
            }
            Label::Access { .. } if self.is_timed() => "i".to_owned(),
            Label::Access { process: p, operation, variable: v, shown: (values, count), journey } => {
                let name = if journey.is_some() { "ACTION" } else { "UPDATE" };
                let mut text = format!("{name} !{} !{operation} !{}", process(p), variable(v));
                for value in &values[..count] {
                    text += &format!(" !{value}");
                }
                if let Some(journey) = journey {
                    text += &format!(" !{}", self.transfer(p, journey));
                }
                text
            }
            Label::Latency { process: p, variable: v, journey, half } => {
                let half = half.map_or(String::new(), |half| format!(" !{half}"));
                format!("LATENCY !{} !{} !{}{half}", process(p), variable(v), self.transfer(p, journey))
            }
            Label::Stage { process: p, variable, node, journey, stage, sharers, goes_on } => {
                let journey = number(p, journey);
                let goes_on = u8::from(goes_on);
                format!(
                    "LATENCY !{} !{} !{} !{journey} !{stage} !{sharers} !{goes_on}",
                    p.0, variable.0, node.0
                )
            }
            Label::EndAction(p) => format!("END_ACTION !{}", process(p)),
            Label::Work(p, work) => format!("WORK !{} !{}", process(p), work.0),
            Label::Choice(p, way) => format!("CHOICE !{} !{}", process(p), way + 1),
            Label::Section { enters, process: p, variable: v } => {
                format!("{} !{} !{}", if enters { "ENTER" } else { "LEAVE" }, process(p), variable(v))
            }
            Label::Message { sends, process: p, channel, content } => {
                let channel = label_name(&self.system.channels[channel.index()].name);
                let name = if sends { "SENT" } else { "RECEIVED" };
                let content = content.map_or(String::new(), |content| format!(" !{content}"));
                format!("{name} !{} !{channel}{content}", process(p))
            }
            Label::Error(p, node, mistake) => {
                let place = names.mistakes.iter().position(|&known| known == (p, node, mistake));
                let place = place.unwrap_or_else(|| panic!("{mistake:?} has a number"));
                format!("ERROR !{} !{place}", process(p))
            }
        }
    }

    /// A transfer with its distance, which counts up to the last one that has a latency of its own; without time, distances mean nothing.
    fn transfer(&self, process: ProcessId, journey: Journey) -> String {
        let name = label_name(&self.machine.protocol.transfer(journey.transfer).name);
        if self.is_untimed() || self.machine.source(journey.transfer) == Source::None {
            return name;
        }
        let farthest = self.machine.latencies[journey.transfer.index()].len() as u32 - 1;
        format!("{name}_{}", self.machine.distance(process, journey).min(farthest))
    }
}
