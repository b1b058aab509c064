//! Parts of a stream without cycles, and marks in those with cycles.

use super::engine::Engine;
use super::front::below;
use super::marks::Mark;
use super::stack::Stack;
use crate::machine::Mode;
use crate::sampling::Window;
use crate::stage::Stage;
use crate::tasks::Task;

impl Engine {
    /// Records cycles before an instruction, which comes next.
    pub fn mark(&mut self, instruction: u64) {
        self.marks.is_used = true;
        self.marks.waiting.push_back(instruction);
        self.marks.next = self.marks.waiting[0];
        if self.flying.is_empty() {
            // All before it has retired.
            self.marks.pass(instruction, &self.stack);
        }
    }

    /// Lets everything in flight retire, and passes the marks after it.
    pub fn drain(&mut self) {
        self.retire_all();
        self.pass_marks();
    }

    /// Passes marks after the last instruction, since everything in flight has retired.
    pub(super) fn pass_marks(&mut self) {
        self.marks.pass(self.first, &self.stack);
    }

    /// The core of a task that is followed without cycles: cores take turns.
    #[inline]
    pub fn assign_followed(&mut self) -> usize {
        let cores = self.retired.len();
        match self.machine().mode {
            Mode::Rounds => {
                if self.held == 0 {
                    self.rounds += 1;
                    self.start_dealing();
                }
                self.deal()
            }
            Mode::Rolling | Mode::Optimistic => {
                if self.held == 0 {
                    self.filling = (self.filling + 1) % cores;
                }
                self.filling
            }
        }
    }

    /// Caches follow a task, in the order of the program.
    pub fn follow(&mut self, stage: &Stage, task: &Task, is_wrong: bool, core: usize) {
        self.held += 1;
        let is_last = match self.machine().mode {
            Mode::Rounds => self.ends_round(is_wrong, core),
            Mode::Rolling | Mode::Optimistic => is_wrong || self.held == self.machine().tasks_per_core,
        };
        if is_last {
            self.held = 0;
        }
        self.first += u64::from(task.end - task.start);
        let Some(mut dcache) = self.dcache.take() else { return };
        let mut access = task.accesses as usize;
        for step in &stage.steps[task.start as usize..task.end as usize] {
            let op = &stage.ops[step.instruction() as usize];
            self.fronts[core].stall(op, self.costs, &mut self.l2);
            let Some(operation) = op.operation else { continue };
            let address = stage.addresses[access];
            access += 1;
            if dcache.access(core, operation, address, op.size).is_from_below {
                below(&mut self.l2, address, op.size, self.costs);
            }
        }
        self.dcache = Some(dcache);
    }

    /// The windows; empty without marks.
    pub fn windows(&self) -> Vec<Window> {
        let window = |pair: &[Mark]| Window {
            instructions: pair[1].instruction - pair[0].instruction,
            cycles: pair[1].cycles - pair[0].cycles,
        };
        self.marks.passed.chunks_exact(2).map(window).collect()
    }

    /// Where the cycles inside of windows went.
    pub fn stack_of_windows(&self) -> Stack {
        let mut stack = Stack::default();
        for pair in self.marks.passed.chunks_exact(2) {
            stack.add(&pair[1].stack, &pair[0].stack);
        }
        stack
    }
}
