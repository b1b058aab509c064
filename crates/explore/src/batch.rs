//! Expansion of many states at once: buffers around the step kernel.

use std::ops::Range;
use volvelle_control::Stop;
use volvelle_kernel::interp::{Interpreted, Recover};
use volvelle_kernel::{BufferMut, Code, Const, Exit, Site, Type};
use volvelle_model::GroupId;
use volvelle_model::kernels::StepKernel;
use volvelle_model::tables::Table;

/// Initial capacity for successors; small enough for the second-level cache.
const CAPACITY: usize = 4096;

/// The successors of a run of states. Reused from batch to batch.
pub struct Batch {
    words: usize,
    rewards_per_choice: usize,
    /// Words of the data of a choice's label.
    pub label_words: usize,
    scratch: Vec<ScratchBuffer>,
    /// The values of parameters, for a kernel that takes some.
    pub parameters: Option<Vec<f64>>,
    /// Packed successors.
    pub successors: Vec<u64>,
    /// Weight of each successor.
    pub weights: Vec<f64>,
    /// Successors up to the end of each choice.
    pub choice_ends: Vec<u32>,
    /// Group of each choice.
    pub choice_groups: Vec<u32>,
    /// Choices (without choices: successors) up to the end of each state.
    pub state_ends: Vec<u32>,
    /// Transition rewards of each choice, one for each selected structure.
    pub rewards: Vec<f64>,
    /// The data of each choice's label.
    pub labels: Vec<u64>,
    /// Numbers of the successors, once looked up.
    pub numbers: Vec<u32>,
    /// The next `choice_ends`, while choices are left out.
    kept_ends: Vec<u32>,
}

enum ScratchBuffer {
    U64(Vec<u64>),
    U32(Vec<u32>),
    F64(Vec<f64>),
}

impl Batch {
    /// Buffers for a kernel.
    pub fn new(kernel: &StepKernel) -> Self {
        let scratch = |s: &volvelle_model::kernels::Scratch| match s.ty {
            Type::U64 => ScratchBuffer::U64(Vec::with_capacity(s.capacity)),
            Type::U32 => ScratchBuffer::U32(Vec::with_capacity(s.capacity)),
            _ => ScratchBuffer::F64(Vec::with_capacity(s.capacity)),
        };
        let mut batch = Batch {
            words: kernel.words,
            rewards_per_choice: kernel.rewards,
            label_words: kernel.label_words,
            scratch: kernel.scratch.iter().map(scratch).collect(),
            parameters: kernel.parametric.then(Vec::new),
            successors: Vec::new(),
            weights: Vec::new(),
            choice_ends: Vec::new(),
            choice_groups: Vec::new(),
            state_ends: Vec::new(),
            rewards: Vec::new(),
            labels: Vec::new(),
            numbers: Vec::new(),
            kept_ends: Vec::new(),
        };
        batch.make_room(CAPACITY);
        batch
    }

    fn make_room(&mut self, capacity: usize) {
        fn grow<T>(buffer: &mut Vec<T>, capacity: usize) {
            buffer.clear();
            buffer.reserve_exact(capacity);
        }
        grow(&mut self.successors, capacity * self.words);
        grow(&mut self.weights, capacity);
        grow(&mut self.choice_ends, capacity);
        grow(&mut self.kept_ends, capacity);
        grow(&mut self.choice_groups, capacity);
        grow(&mut self.state_ends, capacity);
        grow(&mut self.rewards, capacity);
        grow(&mut self.labels, capacity * self.label_words);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let eight = self.successors.capacity()
            + self.weights.capacity()
            + self.rewards.capacity()
            + self.labels.capacity();
        let four = self.choice_ends.capacity()
            + self.choice_groups.capacity()
            + self.state_ends.capacity()
            + self.numbers.capacity()
            + self.kept_ends.capacity();
        (8 * eight + 4 * four) as u64
    }

    /// Expands states from the start of `packed`: as many as the buffers have room for, at least one.
    /// Afterwards `state_ends` has one element per complete state, and the other buffers contain only data of
    /// these. An exit other than `Done` and `Full` is about the state after the complete ones.
    pub fn expand(&mut self, code: &dyn Code, packed: &[u64]) -> Exit {
        self.expand_with(code, packed, &[])
    }

    /// The same with the tables of functions.
    pub fn expand_with(&mut self, code: &dyn Code, packed: &[u64], tables: &[Table]) -> Exit {
        match self.expand_within(code, packed, tables, &mut |_| Ok(())) {
            Ok(exit) => exit,
            Err(stop) => unreachable!("without a limit there is no stop: {stop}"),
        }
    }

    /// Like [`Batch::expand`], within limits: calls `may_hold` before the buffers grow to a number of bytes.
    pub fn expand_within(
        &mut self,
        code: &dyn Code,
        packed: &[u64],
        tables: &[Table],
        may_hold: &mut dyn FnMut(u64) -> Result<(), Stop>,
    ) -> Result<Exit, Stop> {
        let states = packed.len() / self.words;
        loop {
            let exit = self.lend(packed, states, tables, |buffers| code.run(&[], buffers));
            let complete = self.state_ends.len();
            if let Exit::Full(_) = exit
                && complete == 0
            {
                // A single state with more successors than there is room for.
                may_hold(4 * self.bytes())?;
                self.make_room(self.weights.capacity() * 4);
                continue;
            }
            self.cut(complete);
            return Ok(exit);
        }
    }

    /// The kernel's locals where expanding a state fails, found by the interpreter; `None` if it does not
    /// fail.
    pub fn locals_at_failure(
        &mut self,
        code: &Interpreted,
        packed: &[u64],
        tables: &[Table],
    ) -> Option<(Site, Vec<Const>)> {
        loop {
            match self.lend(packed, 1, tables, |buffers| code.run_to_locals(&[], buffers)) {
                (Exit::Failed(site), locals) => return Some((site, locals)),
                (Exit::Full(_), _) => self.make_room(self.weights.capacity() * 4),
                _ => return None,
            }
        }
    }

    /// Interprets the expansion of a state; `recover` supplies values that failing checks lack.
    pub fn expand_recovering(
        &mut self,
        code: &Interpreted,
        packed: &[u64],
        tables: &[Table],
        recover: &Recover<'_>,
    ) {
        while let Exit::Full(_) =
            self.lend(packed, 1, tables, |buffers| code.run_recovering(&[], buffers, recover))
        {
            self.make_room(self.weights.capacity() * 4);
        }
    }

    fn lend<T>(
        &mut self,
        packed: &[u64],
        states: usize,
        tables: &[Table],
        run: impl FnOnce(&mut [BufferMut<'_>]) -> T,
    ) -> T {
        let range = [0, states as u64];
        let mut buffers = Vec::with_capacity(10 + tables.len() + self.scratch.len());
        buffers.push(BufferMut::ReadU64(packed));
        buffers.push(BufferMut::ReadU64(&range));
        buffers.push(BufferMut::AppendU64(&mut self.successors));
        buffers.push(BufferMut::AppendF64(&mut self.weights));
        buffers.push(BufferMut::AppendU32(&mut self.choice_ends));
        buffers.push(BufferMut::AppendU32(&mut self.choice_groups));
        buffers.push(BufferMut::AppendU32(&mut self.state_ends));
        buffers.push(BufferMut::AppendF64(&mut self.rewards));
        if self.label_words > 0 {
            buffers.push(BufferMut::AppendU64(&mut self.labels));
        }
        buffers.extend(tables.iter().map(|table| BufferMut::ReadI64(table.words())));
        buffers.extend(self.parameters.as_deref().map(BufferMut::ReadF64));
        buffers.extend(self.scratch.iter_mut().map(|s| match s {
            ScratchBuffer::U64(v) => BufferMut::AppendU64(v),
            ScratchBuffer::U32(v) => BufferMut::AppendU32(v),
            ScratchBuffer::F64(v) => BufferMut::AppendF64(v),
        }));
        run(&mut buffers)
    }

    /// Words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The choices of a complete state.
    pub fn choices(&self, state: usize) -> Range<usize> {
        let first = state.checked_sub(1).map_or(0, |before| self.state_ends[before] as usize);
        first..self.state_ends[state] as usize
    }

    /// The successors of some choices.
    pub fn successors_of(&self, choices: Range<usize>) -> Range<usize> {
        let end_of = |choice: usize| choice.checked_sub(1).map_or(0, |last| self.choice_ends[last] as usize);
        end_of(choices.start)..end_of(choices.end)
    }

    /// Numbers and weights of some successors.
    pub fn numbered(&self, successors: Range<usize>) -> (&[u32], &[f64]) {
        (&self.numbers[successors.clone()], &self.weights[successors])
    }

    /// The group of a choice.
    pub fn group(&self, choice: usize) -> GroupId {
        GroupId(self.choice_groups[choice])
    }

    /// The data of a choice's label.
    pub fn label(&self, choice: usize) -> &[u64] {
        self.labels(choice..choice + 1)
    }

    /// The data of the labels of some choices.
    pub fn labels(&self, choices: Range<usize>) -> &[u64] {
        &self.labels[choices.start * self.label_words..choices.end * self.label_words]
    }

    /// Keeps all choices of each state, or only the given one, with the numbers of their successors. The
    /// packed successors are no longer needed.
    pub fn retain(&mut self, kept: &[Option<usize>]) {
        let (mut choices, mut successors, mut first) = (0, 0, 0);
        for (state, kept) in kept.iter().enumerate() {
            let all = first..self.state_ends[state] as usize;
            first = all.end;
            for choice in kept.map_or(all, |choice| choice..choice + 1) {
                let of_choice = self.moved_successors(choice, successors);
                successors = of_choice;
                self.choice_groups[choices] = self.choice_groups[choice];
                let rewards = choice * self.rewards_per_choice..(choice + 1) * self.rewards_per_choice;
                self.rewards.copy_within(rewards, choices * self.rewards_per_choice);
                let label = choice * self.label_words..(choice + 1) * self.label_words;
                self.labels.copy_within(label, choices * self.label_words);
                self.kept_ends.push(successors as u32);
                choices += 1;
            }
            self.state_ends[state] = choices as u32;
        }
        std::mem::swap(&mut self.choice_ends, &mut self.kept_ends);
        self.kept_ends.clear();
        self.choice_groups.truncate(choices);
        self.rewards.truncate(choices * self.rewards_per_choice);
        self.labels.truncate(choices * self.label_words);
        self.numbers.truncate(successors);
        self.weights.truncate(successors);
        self.successors.clear();
    }

    /// Moves the numbers and weights of a choice's successors to the front. Returns where they end.
    fn moved_successors(&mut self, choice: usize, to: usize) -> usize {
        let range = self.successors_of(choice..choice + 1);
        self.numbers.copy_within(range.clone(), to);
        self.weights.copy_within(range.clone(), to);
        to + range.len()
    }

    /// Drops the data of an incomplete state.
    fn cut(&mut self, complete: usize) {
        let last = if complete == 0 { 0 } else { self.state_ends[complete - 1] as usize };
        let choices = !self.choice_ends.is_empty();
        let successors = match (choices, last) {
            (false, _) => last,
            (true, 0) => 0,
            (true, _) => self.choice_ends[last - 1] as usize,
        };
        if choices {
            self.choice_ends.truncate(last);
            self.choice_groups.truncate(last);
            self.rewards.truncate(last * self.rewards_per_choice);
            self.labels.truncate(last * self.label_words);
        }
        self.weights.truncate(successors);
        self.successors.truncate(successors * self.words);
    }
}
