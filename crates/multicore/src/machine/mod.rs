//! Machines: cores, their widths and units, latencies, caches, and how cores get tasks.
//!
//! A [`Machine`] is the paper's (`Machine::default()`: one core, rules T1 to T10), a preset such as
//! `paper-quad-8`, or read from TOML. Each key can be set by name. Each reading of the paper other than the
//! default one has a key.

mod form;
mod keys;
mod preset;
mod protocols;
mod read;

use crate::caches::{CacheShape, Policy, ProtocolTable};
use crate::limits::MOST_IN_FLIGHT;
use crate::predictors::{TargetKind, Training};
use crate::tasks::Selection;
use volvelle_coherence::Protocol;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_instructions::Class;

pub use form::MACHINE;
pub(crate) use form::SETTABLE;
pub use keys::KEYS;
pub use protocols::{Protocols, ShippedProtocols};

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    /// Limit of instructions fetched, issued and retired per cycle.
    pub width: u32,
    /// Units for instructions that do not access memory.
    pub alus: u32,
    /// Units for instructions that access memory.
    pub load_store: u32,
}

/// Cycles from issue to completion, with hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Latencies {
    /// Operations on integers other than products and quotients.
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
    /// Each core takes tasks when it is empty (IV.A). The core that is free first takes as many tasks as it
    /// holds.
    Rolling,
    /// As rolling, and no instruction waits for one on another core.
    Optimistic,
}

/// Which core takes the next task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Placement {
    /// In rounds, cores in turn (T4); otherwise the core that is free first.
    #[default]
    Usual,
    /// Cores in turn.
    RoundRobin,
    /// The core that is free first. In rounds: among the cores that may take another task, the one that would
    /// have fetched its tasks first.
    FirstFree,
}

/// Which accesses to the same bytes are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MemoryOrder {
    /// The later one of two waits, if one of them is a store (T6).
    #[default]
    Exact,
    /// The later access waits if the earlier one is a store: the pairs that the paper names.
    AfterStores,
    /// No access waits.
    Free,
}

/// A second-level cache, which all cores share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SecondLevel {
    /// Its size; 0 bytes: it always hits.
    pub shape: CacheShape,
    /// Cycles of a miss in it, in addition to those of a miss in a first-level cache.
    pub memory: u32,
}

/// The cost of a wrong target of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Targets {
    /// Whether it is a misprediction; otherwise it is only counted.
    pub is_charged: bool,
    /// The predictor of targets.
    pub kind: TargetKind,
    /// Whether returns come from a stack.
    pub has_return_stack: bool,
}

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its cores, 1 to [`MOST_CORES`](crate::MOST_CORES).
    pub cores: Vec<Core>,
    /// Tasks that a core takes at once.
    pub tasks_per_core: u32,
    /// Limit of instructions in a task.
    pub task_length: u32,
    /// Where tasks end.
    pub selection: Selection,
    /// Whether accesses can miss.
    pub has_caches: bool,
    /// Cycles of a miss.
    pub miss: u32,
    /// Cycles until a core may write to a block that others held.
    pub upgrade: u32,
    /// Cycles that a value of a register takes to another core.
    pub forward: u32,
    /// Cycles that a misprediction costs in addition to the lost tasks.
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
    /// Which core takes the next task.
    pub placement: Placement,
    /// Limit of instructions of a core between fetch and retirement; 0: as many as its tasks have.
    pub reorder_buffer: u32,
    /// Limit of register values sent to other cores per cycle; 0: no limit.
    pub forward_bus: u32,
    /// The second-level cache.
    pub l2: SecondLevel,
    /// When predictors learn.
    pub training: Training,
    /// Whether a mispredicted outcome is corrected in the history.
    pub is_history_repaired: bool,
    /// Whether a misprediction delays only its own core: others keep their tasks and get new ones.
    pub keeps_younger: bool,
    /// Which accesses are ordered.
    pub memory_order: MemoryOrder,
    /// Whether tasks behind a misprediction are executed until it is detected.
    pub has_wrong_paths: bool,
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
            protocol: protocols::mesi(),
            l1d: CacheShape::paper(32),
            l1i: CacheShape::paper(16),
            latencies: Latencies { alu: 1, mul: 3, div: 20, fp: 4, load: 1, store: 1, branch: 1, jump: 1 },
            mode: Mode::Rounds,
            targets: Targets::default(),
            placement: Placement::Usual,
            reorder_buffer: 0,
            forward_bus: 0,
            l2: SecondLevel {
                shape: CacheShape { size_bytes: 0, ways: 8, block_bytes: 64, policy: Policy::Lru },
                memory: 100,
            },
            training: Training::AtOnce,
            is_history_repaired: true,
            keeps_younger: false,
            memory_order: MemoryOrder::Exact,
            has_wrong_paths: false,
        }
    }
}

impl Machine {
    /// Checks what no single key can violate.
    ///
    /// # Errors
    /// Caches whose sizes do not fit, more instructions in flight than can be held, an incoherent protocol.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.l1d.check("l1d")?;
        self.l1i.check("l1i")?;
        if self.has_l2() {
            self.l2.shape.check("l2")?;
            let largest = self.l1d.block_bytes.max(self.l1i.block_bytes);
            if self.l2.shape.block_bytes < largest {
                let message = format!("`l2.block` is less than {largest}, the bytes of a first-level block");
                let help = format!("write `l2.block = {largest}` or more");
                return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
            }
        }
        let lines = |shape: &CacheShape| shape.size_bytes / shape.block_bytes;
        const MOST_LINES: u64 = 1 << 24;
        if (lines(&self.l1d) + lines(&self.l1i)) * self.cores.len() as u64 + lines(&self.l2.shape)
            > MOST_LINES
        {
            let message =
                format!("the caches of {} cores have more than {MOST_LINES} blocks", self.cores.len());
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help("make them smaller"));
        }
        let window = self.in_flight();
        if window > MOST_IN_FLIGHT as u64 {
            let message =
                format!("the tasks of all cores hold {window} instructions, more than {MOST_IN_FLIGHT}");
            let help = "take fewer cores, fewer tasks per core, or shorter tasks";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        if !self.has_l2() && self.l2 != Machine::default().l2 {
            let message = "`l2` has no size, so that nothing else about it has an effect";
            let help = "write `l2.size = 1048576`, or leave out the other keys of `l2`";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        if self.has_l2() && !self.has_caches {
            let message = "`l2` has a size, but accesses hit before they come to it";
            let help = "write `caches = \"real\"` as well";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        if self.has_wrong_paths && self.mode != Mode::Rounds {
            let message = "wrong paths are followed in rounds only";
            let help = "write `mode = \"rounds\"`, or leave out `wrong_path`";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        if self.has_wrong_paths && self.keeps_younger {
            let message = "wrong paths have no cores where tasks behind a misprediction are kept";
            let help = "leave out `wrong_path` or `younger`";
            return Err(Diagnostic::error(codes::MACHINE_VALUE, message).help(help));
        }
        ProtocolTable::new(&self.protocol).map(drop)
    }

    /// Limit of instructions in all tasks that cores hold.
    pub fn in_flight(&self) -> u64 {
        self.cores.len() as u64 * u64::from(self.tasks_per_core) * u64::from(self.task_length)
    }

    /// Whether accesses can miss in the second-level cache.
    pub fn has_l2(&self) -> bool {
        self.l2.shape.size_bytes > 0
    }

    /// Instructions per cycle that all cores together can take.
    pub fn total_width(&self) -> u64 {
        self.cores.iter().map(|core| u64::from(core.width)).sum()
    }
}
