//! Lower bounds of cycles, whatever is predicted.

use crate::limits::MOST_IN_FLIGHT;
use crate::machine::{Latencies, Machine, MemoryOrder, Mode};
use crate::stage::{Op, Stage};

/// Least numbers of cycles of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Bounds {
    /// The longest chain of instructions that depend on each other, through registers and memory. 0, a
    /// trivial bound, if dependences across cores are ignored.
    pub dataflow_cycles: u64,
    /// Instructions over the widths of all cores.
    pub width_cycles: u64,
    /// Instructions that do not access memory, divided by the units of all cores.
    pub alu_cycles: u64,
    /// Instructions that access memory over the units of all cores.
    pub memory_cycles: u64,
}

impl Bounds {
    /// Bounds of a machine for a stream.
    pub(crate) fn new(machine: &Machine, instructions: u64, accesses: u64, dataflow_cycles: u64) -> Self {
        let units =
            |of: fn(&crate::machine::Core) -> u32| machine.cores.iter().map(|core| u64::from(of(core))).sum();
        let alus: u64 = units(|core| core.alus);
        let load_store: u64 = units(|core| core.load_store);
        // Chains are cut where cores or accesses do not wait for each other.
        let is_cut = machine.mode == Mode::Optimistic && machine.cores.len() > 1
            || machine.memory_order != MemoryOrder::Exact;
        Bounds {
            dataflow_cycles: if is_cut { 0 } else { dataflow_cycles },
            width_cycles: instructions.div_ceil(machine.total_width()),
            alu_cycles: (instructions - accesses).div_ceil(alus),
            memory_cycles: accesses.div_ceil(load_store),
        }
    }

    /// The largest of them.
    pub fn cycles(&self) -> u64 {
        self.dataflow_cycles.max(self.width_cycles).max(self.alu_cycles).max(self.memory_cycles)
    }
}

/// When each instruction would complete if it waited for its operands only.
#[derive(Debug)]
pub(crate) struct Dataflow {
    latencies: Latencies,
    registers: [u64; 256],
    /// The last instructions, by number modulo their count.
    complete: Vec<u64>,
    now: usize,
    pub cycles: u64,
    /// Instructions so far.
    pub instructions: u64,
    /// Those that access memory.
    pub accesses: u64,
}

impl Dataflow {
    pub fn new(latencies: Latencies) -> Self {
        Dataflow {
            latencies,
            registers: [0; 256],
            complete: vec![0; MOST_IN_FLIGHT],
            now: 0,
            cycles: 0,
            instructions: 0,
            accesses: 0,
        }
    }

    pub fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    /// Continues with the instructions of the stage from `from` on; `access` is their first access.
    pub fn advance(&mut self, stage: &Stage, from: u32, access: u32) {
        let mut access = access as usize;
        for step in &stage.steps[from as usize..] {
            let op = &stage.ops[step.instruction() as usize];
            let mut ready = 0;
            for source in op.sources {
                ready = self.registers[usize::from(source)].max(ready);
            }
            if op.is_memory() {
                for &distance in stage.producers_of(access) {
                    ready = self.complete[(self.now + MOST_IN_FLIGHT - distance as usize) % MOST_IN_FLIGHT]
                        .max(ready);
                }
                access += 1;
                self.accesses += 1;
            }
            let complete = ready + u64::from(self.latencies.of(op.class));
            self.cycles = self.cycles.max(complete);
            self.complete[self.now] = complete;
            self.now = (self.now + 1) % MOST_IN_FLIGHT;
            self.instructions += 1;
            debug_assert!(op.destination <= Op::NO_REGISTER);
            self.registers[usize::from(op.destination)] = complete;
        }
    }
}
