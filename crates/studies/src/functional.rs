//! What may go wrong in a program: mistakes, races on what annotations protect, processes that wait for ever. Time plays no part.
//!
//! All interleavings of accesses are explored; marks and annotations follow the access before them at once. "For ever" is decided on
//! bottom components, so that a process which may go on does so in the end: with probability one, whatever the latencies are.

use super::report::{Verdict, VerdictStep, Verified};
use super::timed;
use std::collections::VecDeque;
use volvelle_coherence::{Checked, check};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_explore::Explored;
use volvelle_model::FieldId;
use volvelle_mpi::lower::{Location, Lowered, View, label_name, lower};
use volvelle_mpi::machine::Atomicity;
use volvelle_mpi::system::{Event, Mistake, NodeId, NodeKind, ProcessId, System};
use volvelle_session::settings::Settings;
use volvelle_session::study::Ready;
use volvelle_session::study::place_of;
use volvelle_space::Lts;

/// Verifications that were made.
#[derive(Default)]
pub struct Known {
    programs: Vec<(volvelle_model::Program, String)>,
    /// Their results.
    pub all: Vec<Verified>,
}

impl Known {
    /// The number of the verification of a configuration.
    pub fn verify(
        &mut self,
        ready: &Ready,
        sources: &Sources,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<(usize, Vec<Diagnostic>), (Diagnostic, Option<Stop>)> {
        let checked = check(&ready.machine.protocol);
        // A protocol that is coherent by itself is so in every program, unless accesses are no longer atomic.
        let tracks_copies = !checked.is_proved() || ready.machine.atomicity == Atomicity::Raced;
        let lowered = lower(&ready.system, &ready.machine, View::Untimed { tracks_copies });
        let key = (lowered.program.clone(), ready.protocol.clone());
        if let Some(number) = self.programs.iter().position(|known| *known == key) {
            return Ok((number, Vec::new()));
        }
        let (lts, explored) = timed::explored(&lowered.program, settings, control)?;
        let system = &ready.system;
        let run = Run { system, lowered: &lowered, lts: &lts, explored: &explored, sources };
        let mut verified = Verified {
            states: lts.num_states() as u64,
            transitions: lts.num_transitions() as u64,
            protocol: ready.protocol.clone(),
            verdicts: vec![coherence(&checked, ready)],
        };
        // A table without a row is no protocol; one that is not coherent is one, and is told as a verdict.
        let diagnostics = checked.diagnostics(&ready.machine.protocol);
        let diagnostics = diagnostics.into_iter().filter(|found| found.code == codes::PROTOCOL_INCOMPLETE);
        let diagnostics = diagnostics.collect();
        verified.verdicts.extend(run.mistakes(tracks_copies));
        let has_mistakes = verified.verdicts[1..].iter().any(|verdict| verdict.holds == Some(false));
        verified.verdicts.extend(run.for_ever(has_mistakes));
        self.programs.push(key);
        self.all.push(verified);
        Ok((self.all.len() - 1, diagnostics))
    }
}

/// The verdict on the protocol.
fn coherence(checked: &Checked, ready: &Ready) -> Verdict {
    let mut verdict = Verdict {
        name: "coherence",
        statement: format!("protocol {} is coherent, for any number of caches", ready.protocol),
        holds: Some(true),
        ..Verdict::default()
    };
    for diagnostic in checked.diagnostics(&ready.machine.protocol) {
        if diagnostic.severity == volvelle_diagnostics::Severity::Error {
            verdict.holds = Some(false);
            verdict.reason = diagnostic.message.clone();
            verdict.steps = diagnostic
                .notes
                .iter()
                .map(|note| VerdictStep { what: note.clone(), ..VerdictStep::default() })
                .collect();
        }
    }
    if verdict.holds == Some(true) && !checked.is_proved() {
        verdict.holds = None;
        verdict.reason = "proved for few caches only".to_owned();
    }
    verdict
}

/// A transition that was taken: source, label, target.
type Taken = (u32, u32, u32);

/// A run.
type Path = Vec<Taken>;

/// An explored program.
struct Run<'a> {
    system: &'a System,
    lowered: &'a Lowered,
    lts: &'a Lts,
    explored: &'a Explored,
    sources: &'a Sources,
}

/// Groups of mistakes, each with a verdict.
const GROUPS: &[(&str, &str, &[Mistake])] = &[
    (
        "copies",
        "every access sees the latest value, and writers are alone",
        &[Mistake::Stale, Mistake::Writers, Mistake::NoRow],
    ),
    (
        "exclusion",
        "no two processes are in the same critical section",
        &[Mistake::Exclusion, Mistake::NotInside],
    ),
    (
        "messages",
        "no message is received that was not sent, and all arrive in order",
        &[Mistake::NotSent, Mistake::Overflow],
    ),
    ("assertions", "assertions hold", &[Mistake::Assertion]),
    (
        "ranges",
        "indices and values stay in their ranges",
        &[Mistake::Index, Mistake::Range, Mistake::Arithmetic],
    ),
];

/// A mistake as a sentence.
fn sentence(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::Index => "an index is outside of its array",
        Mistake::Range => "a value is outside of the range of its variable",
        Mistake::Arithmetic => "a division by zero",
        Mistake::Assertion => "the assertion does not hold",
        Mistake::Exclusion => "another process is in the critical section",
        Mistake::NotInside => "the process is not in the critical section that it leaves",
        Mistake::NotSent => "no such message is under way",
        Mistake::Overflow => "more messages are under way than the channel has room for",
        Mistake::Stale => "the copy that is read is not the latest",
        Mistake::Writers => "another cache has the line, too, or nobody is responsible for it",
        Mistake::NoRow => "the protocol has no row for this",
    }
}

impl Run<'_> {
    /// Verdicts on what goes wrong in single steps.
    fn mistakes(&self, tracks_copies: bool) -> Vec<Verdict> {
        let nodes = || self.system.processes.iter().flat_map(|process| &process.nodes).map(|node| &node.kind);
        let is_asked = |name: &str| match name {
            "copies" => tracks_copies,
            "exclusion" => {
                nodes().any(|kind| matches!(kind, NodeKind::Event(Event::Enter(_) | Event::Leave(_), _)))
            }
            "messages" => {
                nodes().any(|kind| matches!(kind, NodeKind::Event(Event::Sent(..) | Event::Received(..), _)))
            }
            "assertions" => nodes().any(|kind| matches!(kind, NodeKind::Assert(..))),
            _ => true,
        };
        let mut verdicts = Vec::new();
        for &(name, statement, mistakes) in GROUPS {
            if !is_asked(name) {
                continue;
            }
            let mut verdict =
                Verdict { name, statement: statement.to_owned(), holds: Some(true), ..Verdict::default() };
            if let Some((path, mistake)) = self.first_mistake(mistakes) {
                let (process, node, mistake) = self.lowered.mistakes[mistake as usize];
                verdict.holds = Some(false);
                let ((file, line), text) = place_of(self.system, process, node, self.sources);
                let name = &self.system.processes[process.index()].name;
                verdict.reason = format!("{name} at {file}:{line}, `{text}`: {}", sentence(mistake));
                verdict.steps = self.steps(&path);
            }
            verdicts.push(verdict);
        }
        verdicts
    }

    /// A shortest run to a mistake of some kind.
    fn first_mistake(&self, kinds: &[Mistake]) -> Option<(Path, u32)> {
        let is_wanted = |text: &str| {
            let number: u32 = text.strip_prefix("ERROR !")?.split(" !").nth(1)?.parse().ok()?;
            kinds.contains(&self.lowered.mistakes[number as usize].2).then_some(number)
        };
        let wanted: Vec<Option<u32>> = self.lts.labels.texts().iter().map(|text| is_wanted(text)).collect();
        if wanted.iter().all(Option::is_none) {
            return None;
        }
        let mut number = None;
        let ends = |edge: volvelle_space::Edge| {
            number = wanted[edge.label as usize];
            number.is_some()
        };
        let path = self.shortest(ends, |_| false)?;
        Some((path, number?))
    }

    /// A shortest run to a step or a state.
    fn shortest(
        &self,
        mut ends: impl FnMut(volvelle_space::Edge) -> bool,
        is_end: impl Fn(u32) -> bool,
    ) -> Option<Path> {
        let n = self.lts.num_states();
        let mut parent: Vec<(u32, u32)> = vec![(u32::MAX, 0); n];
        let initial = self.lts.initial;
        if is_end(initial) {
            return Some(Vec::new());
        }
        parent[initial as usize].0 = initial;
        let mut queue = VecDeque::from([initial]);
        while let Some(state) = queue.pop_front() {
            for &edge in self.lts.outgoing(state) {
                let is_last = ends(edge) || is_end(edge.target);
                if is_last {
                    let mut path = vec![(state, edge.label, edge.target)];
                    let mut at = state;
                    while at != initial {
                        let (before, label) = parent[at as usize];
                        path.push((before, label, at));
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                let known = &mut parent[edge.target as usize];
                if known.0 == u32::MAX {
                    *known = (state, edge.label);
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }

    fn field(&self, state: u32, field: FieldId) -> i64 {
        self.explored.layout.get(self.explored.states.get(state as usize), field)
    }

    fn location(&self, state: u32, process: usize) -> Location {
        let number = self.field(state, self.lowered.location_fields[process]);
        self.lowered.locations[process][number as usize]
    }

    /// Steps of a run for people; the last one of a run to a mistake is left out, which only says so.
    fn steps(&self, path: &[Taken]) -> Vec<VerdictStep> {
        path.iter().filter_map(|&(from, label, to)| self.step(from, label, to)).collect()
    }

    fn step(&self, from: u32, label: u32, to: u32) -> Option<VerdictStep> {
        let text = self.lts.labels.text(label);
        let mut words = text.split(" !");
        let action = words.next().unwrap_or_default();
        if action == "ERROR" {
            return None;
        }
        let named = words.next();
        let is_named = |process: &volvelle_mpi::system::Process| Some(&*label_name(&process.name)) == named;
        let process = match self.system.processes.iter().position(is_named) {
            Some(process) => process,
            None => (0..self.system.processes.len())
                .find(|&process| self.location(from, process) != self.location(to, process))?,
        };
        let node = node_of(self.location(from, process))?;
        let rest: Vec<&str> = words.collect();
        let what = match (action, &rest[..]) {
            ("ACTION", [operation, variable, values @ .., transfer]) => {
                let transfer = transfer.to_lowercase();
                if let ("CAS", [old, new]) = (*operation, values)
                    && old == new
                {
                    let variable = self.variable(variable);
                    return Some(self.told(
                        process,
                        node,
                        format!("compare and swap {variable}: it has {old} ({transfer})"),
                    ));
                }
                let operation = match *operation {
                    "LD" => "load",
                    "ST" => "store",
                    "TAS" => "test and set",
                    "SWAP" => "swap",
                    "CAS" => "compare and swap",
                    "FADD" => "fetch and add",
                    other => other,
                };
                format!("{operation} {} {} ({})", self.variable(variable), values.join(" to "), transfer)
            }
            ("ENTER" | "LEAVE", [variable]) => {
                format!(
                    "{} the section of {}",
                    if action == "ENTER" { "enters" } else { "leaves" },
                    self.variable(variable)
                )
            }
            ("SENT" | "RECEIVED", [channel, content @ ..]) => {
                let channel = self.channel(channel);
                format!("{} {channel} {}", action.to_lowercase(), content.join(" ")).trim_end().to_owned()
            }
            ("UPDATE", [_, variable, ..]) => {
                format!("the access to {} takes effect", self.variable(variable))
            }
            // The statement says it.
            _ => String::new(),
        };
        Some(self.told(process, node, what))
    }

    /// A step of a process for people.
    fn told(&self, process: usize, node: NodeId, what: String) -> VerdictStep {
        let (place, statement) = place_of(self.system, ProcessId(process as u32), node, self.sources);
        VerdictStep { process: self.system.processes[process].name.clone(), place, statement, what }
    }

    /// The name of a variable behind its name in labels.
    fn variable<'t>(&'t self, label: &'t str) -> &'t str {
        let found = self.system.variables.iter().find(|variable| label_name(&variable.name) == label);
        found.map_or(label, |variable| &variable.name)
    }

    /// The name of a channel behind its name in labels.
    fn channel<'t>(&'t self, label: &'t str) -> &'t str {
        let found = self.system.channels.iter().find(|channel| label_name(&channel.name) == label);
        found.map_or(label, |channel| &channel.name)
    }

    /// Verdicts on what goes on for ever.
    fn for_ever(&self, has_mistakes: bool) -> Vec<Verdict> {
        let bottoms = self.bottoms();
        let mut progress = Verdict {
            name: "progress",
            statement: "no process waits for ever: each passes its marks again and again, or ends".to_owned(),
            holds: Some(true),
            ..Verdict::default()
        };
        let mut released = Verdict {
            name: "release",
            statement: "every critical section that is entered is left".to_owned(),
            holds: Some(true),
            ..Verdict::default()
        };
        let mut arrive = Verdict {
            name: "arrival",
            statement: "every message that is sent is received".to_owned(),
            holds: Some(true),
            ..Verdict::default()
        };
        for bottom in &bottoms {
            let is_stopped = bottom.states.iter().any(|&state| {
                (0..self.system.processes.len()).any(|process| {
                    matches!(self.location(state, process), Location::Stopped | Location::Failed(_))
                })
            });
            // After a mistake others may well wait for ever.
            if is_stopped {
                continue;
            }
            self.look_for_progress(bottom, &mut progress);
            self.look_for_sections(bottom, &mut released);
            self.look_for_messages(bottom, &mut arrive);
        }
        if has_mistakes && progress.holds == Some(true) {
            for verdict in [&mut progress, &mut released, &mut arrive] {
                if verdict.holds == Some(true) {
                    verdict.holds = None;
                    verdict.reason = "open: some runs end with a mistake before it can be told".to_owned();
                }
            }
        }
        let nodes = || self.system.processes.iter().flat_map(|process| &process.nodes).map(|node| &node.kind);
        let has_sections = nodes().any(|kind| matches!(kind, NodeKind::Event(Event::Enter(_), _)));
        let has_messages = nodes().any(|kind| matches!(kind, NodeKind::Event(Event::Sent(..), _)));
        let mut verdicts = vec![progress];
        verdicts.extend(has_sections.then_some(released));
        verdicts.extend(has_messages.then_some(arrive));
        verdicts
    }

    fn bottoms(&self) -> Vec<Bottom> {
        let bottom = |states: Vec<u32>| {
            let mut occurs = vec![false; self.lts.labels.len()];
            for &state in &states {
                self.lts.outgoing(state).iter().for_each(|edge| occurs[edge.label as usize] = true);
            }
            let labels = self.lts.labels.texts().iter().zip(occurs).filter(|(_, occurs)| *occurs);
            Bottom { states, labels: labels.map(|(text, _)| text.clone()).collect() }
        };
        self.lts.bottom_components().into_iter().map(bottom).collect()
    }

    fn look_for_progress(&self, bottom: &Bottom, verdict: &mut Verdict) {
        if verdict.holds == Some(false) {
            return;
        }
        let mut waiting = Vec::new();
        for (number, process) in self.system.processes.iter().enumerate() {
            let name = label_name(&process.name);
            let marks: Vec<String> = process
                .nodes
                .iter()
                .filter_map(|node| match node.kind {
                    NodeKind::Event(Event::Mark(mark), _) => {
                        Some(format!("{} !{name}", label_name(&self.system.marks[mark.index()])))
                    }
                    _ => None,
                })
                .collect();
            let has_ended = bottom.states.iter().all(|&state| match node_of(self.location(state, number)) {
                Some(node) => matches!(process.nodes[node.index()].kind, NodeKind::End),
                None => true,
            });
            if has_ended || marks.is_empty() {
                continue;
            }
            if !bottom.labels.iter().any(|label| marks.contains(label)) {
                waiting.push(number);
            }
        }
        let marked = |number: &usize| {
            let nodes = &self.system.processes[*number].nodes;
            nodes.iter().any(|node| matches!(node.kind, NodeKind::Event(Event::Mark(_), _)))
        };
        if waiting.is_empty() {
            return;
        }
        let all_marked = (0..self.system.processes.len()).filter(marked).count();
        verdict.holds = Some(false);
        let names: Vec<&str> = waiting.iter().map(|&number| &*self.system.processes[number].name).collect();
        let names = names.join(", ");
        verdict.reason = match (waiting.len() == all_marked, waiting.len()) {
            (true, 1) => format!("{names} waits for ever"),
            (true, _) => format!("deadlock: {names} wait for ever"),
            (false, 1) => format!("{names} waits for ever, while others go on"),
            (false, _) => format!("{names} wait for ever, while others go on"),
        };
        self.show(bottom, verdict);
    }

    fn look_for_sections(&self, bottom: &Bottom, verdict: &mut Verdict) {
        if verdict.holds == Some(false) {
            return;
        }
        for (number, variable) in self.system.variables.iter().enumerate() {
            let Some(field) = self.lowered.section_fields[number] else { continue };
            let holder = self.field(bottom.states[0], field);
            let is_left = bottom.labels.iter().any(|label| {
                label.starts_with("LEAVE !") && label.ends_with(&format!(" !{}", label_name(&variable.name)))
            });
            if holder == 0 || is_left {
                continue;
            }
            let process = &self.system.processes[holder as usize - 1].name;
            verdict.holds = Some(false);
            verdict.reason = format!("{process} never leaves the section of {}", variable.name);
            return self.show(bottom, verdict);
        }
    }

    fn look_for_messages(&self, bottom: &Bottom, verdict: &mut Verdict) {
        if verdict.holds == Some(false) {
            return;
        }
        for (number, channel) in self.system.channels.iter().enumerate() {
            let Some(field) = self.lowered.channel_fields[number] else { continue };
            let name = format!(" !{}", label_name(&channel.name));
            let is_received = bottom.labels.iter().any(|label| {
                label.starts_with("RECEIVED !")
                    && (label.ends_with(&name) || label.contains(&format!("{name} !")))
            });
            let waits = bottom.states.iter().all(|&state| self.field(state, field) > 0);
            if is_received || !waits {
                continue;
            }
            verdict.holds = Some(false);
            verdict.reason = format!("a message in {} is never received", channel.name);
            return self.show(bottom, verdict);
        }
    }

    /// A shortest run into a component, and what happens there.
    fn show(&self, bottom: &Bottom, verdict: &mut Verdict) {
        let is_end = |state: u32| bottom.states.binary_search(&state).is_ok();
        let path = self.shortest(|_| false, is_end).unwrap_or_default();
        verdict.steps = self.steps(&path);
        let mut steps: Vec<VerdictStep> = Vec::new();
        for &state in &bottom.states {
            for edge in self.lts.outgoing(state) {
                if steps.len() >= MOST_STEPS {
                    break;
                }
                if let Some(step) = self.step(state, edge.label, edge.target)
                    && !steps.contains(&step)
                {
                    steps.push(step);
                }
            }
        }
        steps.sort_by(|a, b| a.process.cmp(&b.process));
        verdict.for_ever = steps;
    }
}

/// Steps for ever that are shown.
const MOST_STEPS: usize = 24;

/// States that are not left.
struct Bottom {
    /// Increasing.
    states: Vec<u32>,
    /// Labels of transitions between them.
    labels: Vec<String>,
}

/// The step that a process is about to take, or that it is in.
fn node_of(location: Location) -> Option<NodeId> {
    match location {
        Location::Ready(node)
        | Location::Waiting(node)
        | Location::Updating(node)
        | Location::WaitingAgain(node)
        | Location::Done(node) => Some(node),
        Location::Failed(_) | Location::Stopped => None,
    }
}
