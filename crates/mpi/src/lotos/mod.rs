//! A system on a machine as a LOTOS specification (ISO 8807, in the dialect of CADP), as it would be written by hand: after G. Chehaibar,
//! M. Zidouni, R. Mateescu, *Modeling Multiprocessor Cache Protocol Impact on MPI Performance*, 2009.
//!
//! - Each cache line is a process with the values of its variables and the states of its copies. It offers `ACTION` for each process and
//!   operation, with the value and the transfer.
//! - The protocol is a set of functions of the own state and the strongest state among the others, with the rows of its table as equations.
//! - Each step of a process of the program is a process of the specification, with those locals as parameters that are used later. Code that
//!   takes no time is conditions before the action that it is part of.
//!
//! The labelled transition system is strongly equivalent to that of the lowering with [`View::Interleaved`](crate::lower::View), label by
//! label. It has no more states, as locals that are not used any more are forgotten.

mod access;
mod behaviour;
mod context;
mod elements;
mod line;
mod lines;
mod live;
mod names;
mod protocol;
mod refusal;
mod steps;
mod types;
pub mod values;

pub use refusal::Refusal;

use crate::lower::{View, label_name, lower};
use crate::machine::{Atomicity, Machine};
use crate::system::{Event, Mistake, NodeId, NodeKind, ProcessId, System};
use context::{Context, Functions, Variables, comment};
use elements::Elements;
use lines::Lines;
use names::Names;
use refusal::MOST_NUMBER;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use steps::Steps;
use values::Values;

/// Largest numbers, unless they are given.
const LARGEST_NATURAL: i64 = 255;
const LARGEST_INTEGER: i64 = 127;

/// A specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The text.
    pub text: String,
    /// The largest natural number that it needs (`--const NAT=...`), at least 255, which is the default.
    pub nat: i64,
    /// Integers lie in `-int - 1..=int` (`--const INT=...`); at least 127, which is the default.
    pub int: i64,
}

/// Writes a system on a machine as a specification.
///
/// Natural numbers are used if all values are, and integers otherwise. The numbers in labels `ERROR` are those of
/// [`Lowered::mistakes`](crate::lower::Lowered).
///
/// # Errors
/// Names that cannot be told apart or written, values that may be beyond a million, and zero-time code with too many ways.
pub fn specification(system: &System, machine: &Machine) -> Result<Specification, Refusal> {
    let mistakes = lower(system, machine, View::Interleaved).mistakes;
    let natural = Context::new(system, machine, "NAT", &mistakes)?;
    let mut text = natural.text()?;
    let (least, greatest) = natural.values.extent();
    if greatest.max(-least) > MOST_NUMBER {
        return Err(Refusal::Number);
    }
    if least >= 0 {
        let nat = (greatest as i64).max(LARGEST_NATURAL);
        if nat > LARGEST_NATURAL {
            text.insert_str(0, &format!("(* For natural numbers up to {nat}: --const NAT={nat} *)\n\n"));
        }
        return Ok(Specification { text, nat, int: LARGEST_INTEGER });
    }
    let integer = Context::new(system, machine, "INT", &mistakes)?;
    let mut text = integer.text()?;
    let (least, greatest) = integer.values.extent();
    let most = greatest.max(-least) as i64;
    let (nat, int) = (most.max(LARGEST_NATURAL), most.max(LARGEST_INTEGER));
    if nat > LARGEST_NATURAL || int > LARGEST_INTEGER {
        text.insert_str(
            0,
            &format!("(* For numbers up to {most}: --const NAT={nat} --const INT={int} *)\n\n"),
        );
    }
    Ok(Specification { text, nat, int })
}

impl<'a> Context<'a> {
    fn new(
        system: &'a System,
        machine: &'a Machine,
        sort: &'static str,
        mistakes: &[(ProcessId, NodeId, Mistake)],
    ) -> Result<Self, Refusal> {
        let mut names = Names::new(system, machine)?;
        let mut fresh = |name: &str| names.fresh(name);
        let many = |name: &str, count: usize, fresh: &mut dyn FnMut(&str) -> String| -> Vec<String> {
            let number = |number: usize| if count == 1 { String::new() } else { number.to_string() };
            (0..count).map(|place| fresh(&format!("{name}{}", number(place)))).collect()
        };
        let processes = system.processes.len();
        // Variables on the line with most of them, and indices of the array with most of them.
        let on_line =
            |line: usize| system.variables.iter().filter(|variable| variable.line.index() == line).count();
        let most_on_line = (0..system.lines.len()).map(on_line).max().unwrap_or(0);
        let variables = Variables {
            own: fresh("OWN_STATE"),
            strongest: fresh("STRONGEST_STATE"),
            other: fresh("OTHER_STATE"),
            access: fresh("ANY_ACCESS"),
            home: fresh("D_HOME"),
            cache: fresh("D_CACHE"),
            values: many("N", 2 + most_indices(system), &mut fresh),
            names: many("V", most_on_line, &mut fresh),
            contents: many("X", most_on_line, &mut fresh),
            copies: many("C", processes, &mut fresh),
            decided_own: many("OWN", processes, &mut fresh),
            decided_strongest: many("TOP", processes, &mut fresh),
            old: fresh("OLD"),
            new: fresh("NEW"),
            transfer: fresh("T"),
        };
        let functions = Functions {
            strongest: fresh("STRONGEST"),
            own: fresh("OWN"),
            other: fresh("OTHER"),
            transfer: fresh("TRANSFER"),
            has_row: fresh("HAS_ROW"),
            home: fresh("HOME"),
            distance: fresh("DISTANCE"),
            choose: fresh("CHOOSE"),
            number: fresh("NUMBER"),
            transfers: Self::transfer_functions(machine, &mut names),
        };
        let elements = Elements::new(system, &mut names);
        let is_coherent = || {
            matches!(
                volvelle_coherence::check(&machine.protocol).verdict,
                volvelle_coherence::Verdict::Proved { .. }
            )
        };
        let may_lack_rows = machine.atomicity == Atomicity::Raced || !is_coherent();
        Ok(Context {
            system,
            machine,
            names,
            values: Values::new(sort),
            elements,
            functions,
            variables,
            may_lack_rows,
            uses_choose: Cell::new(false),
            uses_nearest: Cell::new(false),
            uses_strongest: Cell::new(false),
            mistakes: RefCell::new(mistakes.to_vec()),
        })
    }

    /// The number of a mistake in labels.
    fn mistake(&self, process: ProcessId, node: NodeId, mistake: Mistake) -> usize {
        let mut all = self.mistakes.borrow_mut();
        let wanted = (process, node, mistake);
        let number = all.iter().position(|known| *known == wanted).unwrap_or_else(|| {
            all.push(wanted);
            all.len() - 1
        });
        self.values.note((0, number as i128));
        number
    }

    /// Gates of the processes of the program, in the order in which they are declared.
    fn gates(&self) -> Result<Vec<String>, Refusal> {
        let nodes = || self.system.processes.iter().flat_map(|process| &process.nodes);
        let has = |wanted: &dyn Fn(&NodeKind) -> bool| nodes().any(|node| wanted(&node.kind));
        let mut gates: Vec<String> = ["ACTION", "LATENCY", "END_ACTION"].map(str::to_owned).to_vec();
        if self.machine.atomicity != Atomicity::Atomic {
            gates.push("UPDATE".to_owned());
        }
        let event = |wanted: fn(&Event) -> bool| {
            has(&|kind| matches!(kind, NodeKind::Event(event, _) if wanted(event)))
        };
        let sections = event(|event| matches!(event, Event::Enter(_) | Event::Leave(_)));
        let messages = event(|event| matches!(event, Event::Sent(..) | Event::Received(..)));
        if sections {
            gates.extend(["ENTER", "LEAVE"].map(str::to_owned));
        }
        if messages {
            gates.extend(["SENT", "RECEIVED"].map(str::to_owned));
        }
        if has(&|kind| matches!(kind, NodeKind::Work(..))) {
            gates.push("WORK".to_owned());
        }
        if has(&|kind| matches!(kind, NodeKind::Choice(_))) {
            gates.push("CHOICE".to_owned());
        }
        gates.push("ERROR".to_owned());
        for mark in &self.system.marks {
            let name = label_name(mark);
            if ["ACTION", "UPDATE", "FAULT"].contains(&name.as_str()) {
                return Err(Refusal::Mark(name));
            }
            if names::is_no_gate(&name) {
                return Err(Refusal::Name(name));
            }
            if !gates.contains(&name) {
                gates.push(name);
            }
        }
        Ok(gates)
    }

    fn text(&self) -> Result<String, Refusal> {
        let gates = self.gates()?;
        let visible = gates.join(", ");
        let all = format!("{visible}, FAULT");
        let meeting = if self.machine.atomicity == Atomicity::Atomic {
            "ACTION, FAULT"
        } else {
            "ACTION, UPDATE, FAULT"
        };
        let mut faults = FxHashSet::default();
        let (mut starts, mut definitions) = (Vec::new(), String::new());
        for process in 0..self.system.processes.len() as u32 {
            let mut steps = Steps::new(self, ProcessId(process), &all);
            let (start, steps_text) = steps.define()?;
            faults.extend(steps.faults);
            starts.push(start.trim().to_owned());
            let name = comment(&self.system.processes[process as usize].name);
            let _ = writeln!(definitions, "  (* Process {name}. *)\n\n{steps_text}");
        }
        let lines = Lines::new(self);
        let defined = lines.define(self, meeting, &faults);
        // Without faults there is no gate for them.
        let has_faults = !faults.is_empty();
        let mut text = self.head();
        let _ = writeln!(
            text,
            "specification MODEL [{visible}] : noexit\n\nlibrary X_BOOLEAN, X_NATURAL{} endlib\n",
            if self.values.sort == "INT" { ", X_INTEGER" } else { "" }
        );
        if !lines.is_empty() {
            text.push_str(&self.protocol_type());
            text.push('\n');
        }
        text.push_str(&self.machine_type());
        text.push('\n');
        if let Some(values) = self.values_type() {
            text.push_str(&values);
            text.push('\n');
        }
        text.push_str("behaviour\n");
        let _ = writeln!(
            text,
            "  (* Processes of the program, and beside them the cache lines with which they do accesses. *)"
        );
        if has_faults {
            text.push_str("  hide FAULT in\n");
        }
        let mut composed = String::new();
        interleaved(&starts, 4, &mut composed);
        if !lines.is_empty() {
            let _ = writeln!(composed, "    |[{meeting}]|");
            interleaved(&defined.calls, 4, &mut composed);
        }
        text.push_str(&composed);
        text.push_str("where\n\n");
        text.push_str(&definitions);
        if !lines.is_empty() {
            text.push_str(
                "  (* Cache lines: names and contents of variables, states of copies by process. *)\n\n",
            );
        }
        text.push_str(&defined.definitions);
        text.push_str("endspec\n");
        if !has_faults {
            text = text.replace(", FAULT]", "]");
        }
        Ok(text)
    }

    fn head(&self) -> String {
        let mut text = String::from(
            "(* Processes that exchange messages over a machine with coherent caches.\n\n   ACTION !process !operation !variable !values !transfer   an access begins: it reads or writes memory, and changes caches\n",
        );
        match self.machine.atomicity {
            Atomicity::Atomic => text.push_str(
                "   LATENCY !process !variable !transfer                     its latency passes\n   END_ACTION !process                                      it ends: the process computes, and takes its next step\n",
            ),
            _ => text.push_str(
                "   LATENCY !process !variable !transfer !part               half of its latency passes\n   UPDATE !process !operation !variable !values             memory and caches change\n   END_ACTION !process                                      it ends: the process computes, and takes its next step\n",
            ),
        }
        text.push_str(
            "\n   Values are the one that is loaded or stored, or that before test-and-set; for others the one before and the one behind. *)\n\n",
        );
        text
    }
}

/// The largest number of indices of a reference.
fn most_indices(system: &System) -> usize {
    let of = |kind: &NodeKind| match kind {
        NodeKind::Access(access) => access.variable.indices.len(),
        NodeKind::Event(Event::Enter(place) | Event::Leave(place), _) => place.indices.len(),
        NodeKind::Event(Event::Sent(channel, _) | Event::Received(channel, _), _) => channel.indices.len(),
        _ => 0,
    };
    system.processes.iter().flat_map(|process| &process.nodes).map(|node| of(&node.kind)).max().unwrap_or(0)
}

/// Behaviours beside each other; many of them in groups, as compositions nest.
fn interleaved(all: &[String], indent: usize, text: &mut String) {
    const GROUP: usize = 32;
    let space = " ".repeat(indent);
    let _ = writeln!(text, "{space}(");
    let size = if all.len() <= GROUP { 1 } else { all.len().div_ceil(GROUP) };
    for (number, group) in all.chunks(size).enumerate() {
        if number > 0 {
            let _ = writeln!(text, "{space}  |||");
        }
        match group {
            [one] => {
                let _ = writeln!(text, "{space}  {one}");
            }
            _ => interleaved(group, indent + 2, text),
        }
    }
    let _ = writeln!(text, "{space})");
}

/// Constructors in lines of moderate length.
fn constants(names: &[String], indent: usize) -> String {
    let space = " ".repeat(indent);
    let mut text = space.clone();
    let mut width = indent;
    for (number, name) in names.iter().enumerate() {
        let one = format!("{name} (*! constructor *)");
        if number > 0 {
            text.push_str(", ");
            if width + one.len() > 120 {
                text.truncate(text.len() - 1);
                let _ = write!(text, "\n{space}");
                width = indent;
            }
        }
        width += one.len() + 2;
        text.push_str(&one);
    }
    text
}
