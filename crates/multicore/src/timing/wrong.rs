//! Tasks behind a misprediction, which are executed until it is detected.
//!
//! They use places that the round leaves, and units that older instructions leave. Their only effect is on
//! cached blocks: blocks of instructions that are fetched before the misprediction would be detected if
//! accesses cost what is guessed, and blocks of data that are loaded before it is detected. Their stores have
//! no effect.

use super::engine::{Engine, Piece};
use super::slots::Slots;
use crate::stage::Stage;
use crate::tasks::Task;

impl Engine {
    /// Gives the tasks of the wrong path behind a mispredicted one to cores. A task that ends without a
    /// transfer has no wrong path.
    pub(super) fn take_wrong_path(&mut self, stage: &Stage, task: &Task) {
        if !stage.op(task.end - 1).transfers() || task.transfers as usize > stage.wrong.ends.len() {
            return;
        }
        let (path, mut addresses) = stage.wrong.of(task.transfers as usize - 1);
        let most = self.retired.len() as u32 * self.machine().tasks_per_core;
        let (selection, length) = (self.machine().selection, self.machine().task_length);
        let held = self.held;
        self.real = self.flying.len();
        let until = self.flying[self.real - 1].complete;
        let mut steps = path;
        selection.cut_wrong(&stage.ops, path, length, |count| {
            if self.held == most {
                return false;
            }
            let core = self.assign(count);
            self.held += 1;
            let (own, rest) = steps.split_at(count);
            steps = rest;
            let from = self.flying.len();
            // A core whose fetch has ended does not hold up others.
            self.fetch_piece(Piece { ops: &stage.ops, steps: own, addresses }, core, until, |_| &[]);
            self.schedule(from, core);
            let accesses = own.iter().filter(|step| stage.ops[step.instruction() as usize].is_memory());
            addresses = &addresses[accesses.count()..];
            true
        });
        self.held = held;
    }

    /// Whether an instruction of the wrong path issues only after the misprediction was detected.
    pub(super) fn is_squashed(&self, at: usize) -> bool {
        self.flying[at].issue >= self.flying[self.real - 1].complete
    }

    /// Removes the wrong path after its accesses were performed.
    pub(super) fn squash(&mut self) {
        let real = std::mem::replace(&mut self.real, usize::MAX);
        if real >= self.flying.len() {
            return;
        }
        if let Some(bus) = &mut self.bus {
            bus.undo(real, &self.flying, u64::MAX, self.first);
            bus.forget(self.flying.len() - real);
        }
        for flying in self.flying[real..].iter().rev() {
            self.registers[usize::from(flying.destination)] = flying.overwritten;
            self.retired[usize::from(flying.core)] = flying.before;
        }
        if let Some(windows) = &mut self.windows {
            windows.forget(self.flying.len() - real);
        }
        self.flying.truncate(real);
        // Squashed instructions may have issued after the end of the round.
        self.slots.iter_mut().for_each(Slots::clear);
    }
}
