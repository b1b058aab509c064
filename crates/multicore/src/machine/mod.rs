//! Machines: cores, their widths and units, latencies, caches, and how tasks come to cores.
//!
//! A [`Machine`] is the paper's (`Machine::default()`: one core, rules T1 to T10), a preset such as `paper-quad-8`, or read from TOML; each
//! key can be set by name. Every reading of the paper besides the default one is a key of its own.

mod keys;
mod preset;
mod read;

use crate::caches::{CacheShape, ProtocolTable};
use crate::predictors::TargetKind;
use crate::tasks::Selection;
use volvelle_coherence::{Protocol, read as read_protocol, shipped};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_instructions::Class;

pub use keys::KEYS;

/// Most cores of a machine.
pub const MOST_CORES: usize = 64;
/// Most instructions between the oldest that has not retired and the youngest that was fetched.
pub const MOST_IN_FLIGHT: usize = 4096;

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    /// Instructions that are fetched, issued and retired per cycle, at most.
    pub width: u32,
    /// Units for instructions that do not access memory.
    pub alus: u32,
    /// Units for those that do.
    pub load_store: u32,
}

/// Cycles from issue to completion, with hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Latencies {
    /// Integers, besides products and quotients.
    pub alu: u32,
    /// Products.
    pub mul: u32,
    /// Quotients.
    pub div: u32,
    /// Floating point.
    pub fp: u32,
    /// Loads that hit; atomic operations, too.
    pub load: u32,
    /// Stores that hit.
    pub store: u32,
    /// Branches.
    pub branch: u32,
    /// Jumps, calls and returns.
    pub jump: u32,
}

impl Latencies {
    /// That of a class.
    pub fn of(&self, class: Class) -> u32 {
        match class {
            Class::Alu => self.alu,
            Class::Mul => self.mul,
            Class::Div => self.div,
            Class::Fp => self.fp,
            Class::Load | Class::Atomic => self.load,
            Class::Store => self.store,
            Class::Branch => self.branch,
            _ => self.jump,
        }
    }
}

/// When cores get new tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// All together, when all are empty: the paper's text, IV.B.
    #[default]
    Rounds,
    /// Each when it is empty: IV.A. The core that is free first takes as many tasks as it holds.
    Rolling,
    /// As rolling, and no instruction waits for one on another core.
    Optimistic,
}

/// What a wrong target of a transfer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Targets {
    /// Whether it is a misprediction; otherwise it is only counted.
    pub is_charged: bool,
    /// What foretells targets.
    pub kind: TargetKind,
    /// Whether returns come from a stack.
    pub has_return_stack: bool,
}

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its cores, 1 to [`MOST_CORES`].
    pub cores: Vec<Core>,
    /// Tasks that a core takes at once.
    pub tasks_per_core: u32,
    /// Instructions of a task, at most.
    pub task_length: u32,
    /// Where tasks end.
    pub selection: Selection,
    /// Whether accesses can miss.
    pub has_caches: bool,
    /// Cycles of a miss.
    pub miss: u32,
    /// Cycles until a block may be written that others held.
    pub upgrade: u32,
    /// Cycles that a value of a register takes to another core.
    pub forward: u32,
    /// Cycles that a misprediction costs beside the tasks that are lost.
    pub squash: u32,
    /// Predictions made at once.
    pub group: u32,
    /// The protocol that keeps the data caches coherent.
    pub protocol: Protocol,
    /// Data caches, one for each core.
    pub l1d: CacheShape,
    /// Caches of instructions, one for each core.
    pub l1i: CacheShape,
    /// Latencies of instructions.
    pub latencies: Latencies,
    /// When cores get new tasks.
    pub mode: Mode,
    /// Wrong targets.
    pub targets: Targets,
}

impl Default for Machine {
    /// One core with the defaults of rules T1 to T10.
    fn default() -> Self {
        Machine {
            name: "paper".to_owned(),
            cores: vec![Core { width: 2, alus: 2, load_store: 1 }],
            tasks_per_core: 1,
            task_length: 4,
            selection: Selection::FirstBranch,
            has_caches: false,
            miss: 10,
            upgrade: 0,
            forward: 0,
            squash: 0,
            group: 1,
            protocol: mesi(),
            l1d: CacheShape::paper(32),
            l1i: CacheShape::paper(16),
            latencies: Latencies { alu: 1, mul: 3, div: 20, fp: 4, load: 1, store: 1, branch: 1, jump: 1 },
            mode: Mode::Rounds,
            targets: Targets::default(),
        }
    }
}

fn mesi() -> Protocol {
    let protocol = named_protocol("mesi").and_then(Result::ok);
    protocol.expect("the protocol that is shipped is right")
}

/// A protocol that is shipped.
fn named_protocol(name: &str) -> Option<Result<Protocol, Diagnostic>> {
    let text = shipped(name)?;
    let (protocol, found) = read_protocol(Sources::new().add("protocol", text), text);
    let wrong = || {
        let message = format!("the protocol `{name}` cannot be read");
        found.into_iter().next().unwrap_or_else(|| Diagnostic::error(codes::MACHINE_VALUE, message))
    };
    Some(protocol.ok_or_else(wrong))
}

impl Machine {
    /// Checks what no key alone can say.
    ///
    /// # Errors
    /// Caches whose sizes do not fit, more instructions in flight than can be held, a protocol that is not coherent.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.l1d.check("l1d")?;
        self.l1i.check("l1i")?;
        let lines = self.l1d.size_bytes / self.l1d.block_bytes + self.l1i.size_bytes / self.l1i.block_bytes;
        const MOST_LINES: u64 = 1 << 24;
        if lines * self.cores.len() as u64 > MOST_LINES {
            let message =
                format!("the caches of {} cores have more than {MOST_LINES} blocks", self.cores.len());
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help("make them smaller"));
        }
        let window = self.cores.len() as u64 * u64::from(self.tasks_per_core) * u64::from(self.task_length);
        if window > MOST_IN_FLIGHT as u64 {
            let message =
                format!("the tasks of all cores hold {window} instructions, more than {MOST_IN_FLIGHT}");
            let help = "take fewer cores, fewer tasks per core, or shorter tasks";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        ProtocolTable::new(&self.protocol).map(drop)
    }

    /// Instructions per cycle that all cores together can take.
    pub fn total_width(&self) -> u64 {
        self.cores.iter().map(|core| u64::from(core.width)).sum()
    }
}
