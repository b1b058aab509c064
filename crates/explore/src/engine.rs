//! A successor kernel of processes with its code and buffers.

use crate::patience;
use crate::tiers::{Patience, Tiers};
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_kernel::interp::Interpreted;
use volvelle_kernel::{BufferMut, Code, CompileError, Compiler, Effort, Exit};
use volvelle_model::kernels::{self, NetworkKernel, ordered_mode};
use volvelle_search::{StepError, Successors};

/// The second compilation happens after this many times as many states as the first.
const MORE_PATIENCE: u64 = 400;

/// Successors that are as much work as a usual state.
const SUCCESSORS_PER_STATE: u64 = 4;

/// Steps inside an atomic sequence that take as much work as a usual state.
const STEPS_PER_STATE: u64 = 64;

/// Rounds of loops that take as much work as a usual state, for large states or moved messages.
const ROUNDS_PER_STATE: u64 = 32;

/// The marks in the ends of an ordered kernel, besides the number.
pub(crate) const MARKS: u32 = ordered_mode::PRECEDES | ordered_mode::AT_TIMEOUT;

/// A kernel ready to run.
pub(crate) struct Engine {
    pub kernel: NetworkKernel,
    tiers: Tiers,
    /// The weight of a state, which grows with the slots that the kernel visits.
    weight: u64,
    expanded: AtomicU64,
}

/// Slots with which a state counts once.
const SLOTS: u64 = 16;

/// Limit of rounds of loops before interpretation is given up: for any batch, plus as many for each slot of a
/// state. A single step can take millions, if a `d_step` contains a loop.
const ROUNDS: u64 = 30_000;
const ROUNDS_PER_SLOT: u64 = 8;

impl Engine {
    /// An engine that first interprets a given number of states; with zero, it compiles at once. States with
    /// many slots count several times.
    pub fn new(kernel: NetworkKernel, compiler: &dyn Compiler, patience: u64) -> Result<Self, CompileError> {
        // Each pool has a table with an entry for each slot, and one more.
        let weight = 1 + kernel.tables.first().map_or(0, |slots| slots.len() as u64 - 1) / SLOTS;
        let interpreted = patience::stretched(patience, &kernel.kernel.body);
        let first = interpreted.saturating_mul(MORE_PATIENCE);
        let patience = Patience { interpreted, first, efforts: [Effort::Usual, Effort::Thorough] };
        let tiers = Tiers::new(&kernel.kernel, compiler, patience)?;
        Ok(Engine { kernel, tiers, weight, expanded: AtomicU64::new(0) })
    }

    /// Continues with the counts of another engine for the same program.
    pub fn resume(&self, before: &Engine) {
        let expanded = before.expanded();
        self.expanded.store(expanded, Ordering::Relaxed);
        self.tiers.count(expanded.saturating_mul(self.weight));
    }

    /// Number of states expanded so far, including those of earlier engines.
    pub fn expanded(&self) -> u64 {
        self.expanded.load(Ordering::Relaxed)
    }

    /// Expands states into the buffers. The compiler must always be the same; an ordered kernel begins at a
    /// slot, in a mode.
    pub fn run(
        &self,
        compiler: &dyn Compiler,
        buffers: &mut Buffers,
        states: &[u64],
        begin: [u64; 2],
    ) -> Exit {
        let count = states.len() / self.kernel.words;
        buffers.reach.resize(count, 0);
        let exit = self.execute(compiler, buffers, states, begin);
        // States with many successors or slots count as more work.
        let (states, successors) = (buffers.out.ends.len() as u64, buffers.out.steps.len() as u64);
        self.expanded.fetch_add(states, Ordering::Relaxed);
        self.tiers.count((states * self.weight).max(successors / SUCCESSORS_PER_STATE));
        if self.kernel.runs_on {
            self.tiers.count(buffers.reach.iter().sum::<u64>() / STEPS_PER_STATE);
        }
        exit
    }

    fn execute(
        &self,
        compiler: &dyn Compiler,
        buffers: &mut Buffers,
        states: &[u64],
        begin: [u64; 2],
    ) -> Exit {
        let kernel = &self.kernel;
        if let Some(code) = self.tiers.compiled(&kernel.kernel, compiler) {
            return buffers.run(code, kernel, states, begin);
        }
        if self.tiers.will_compile() {
            let slots = kernel.tables.first().map_or(1, |slots| slots.len() as u64);
            let most = ROUNDS + ROUNDS_PER_SLOT * slots * (states.len() / kernel.words) as u64;
            let mut rounds = most;
            let exit = buffers.interpret(self.tiers.interpreted(), &mut rounds, kernel, states, begin);
            let usual = buffers.out.ends.len() as u64 * self.weight;
            self.tiers.count(((most - rounds) / ROUNDS_PER_STATE).saturating_sub(usual));
            if let Some(exit) = exit {
                return exit;
            }
            return buffers.run(self.tiers.code_at_once(&kernel.kernel, compiler), kernel, states, begin);
        }
        buffers.run(self.tiers.interpreted(), kernel, states, begin)
    }
}

/// The buffers that a kernel reads and writes.
pub(crate) struct Buffers {
    pub out: Successors,
    pub errors: Vec<u64>,
    /// For each state, the limit of further steps in an atomic sequence.
    pub reach: Vec<u64>,
    offers: Vec<i64>,
}

impl Buffers {
    pub fn new(kernel: &NetworkKernel, capacity: usize) -> Self {
        let mut buffers =
            Buffers { out: Successors::default(), errors: Vec::new(), reach: Vec::new(), offers: Vec::new() };
        buffers.offers.reserve_exact(kernel.offers.max(1));
        buffers.make_room(kernel, capacity);
        buffers
    }

    pub fn make_room(&mut self, kernel: &NetworkKernel, capacity: usize) {
        fn grow<T>(buffer: &mut Vec<T>, capacity: usize) {
            buffer.clear();
            buffer.reserve_exact(capacity);
        }
        grow(&mut self.out.states, capacity * kernel.words);
        grow(&mut self.out.steps, capacity);
        if kernel.is_counting {
            grow(&mut self.out.lengths, capacity);
        }
        grow(&mut self.out.ends, capacity);
        grow(&mut self.out.observations, capacity);
        grow(&mut self.errors, 4 * capacity);
    }

    /// Runs code. Overwrites the contents of the buffers.
    pub fn run(&mut self, code: &dyn Code, kernel: &NetworkKernel, states: &[u64], begin: [u64; 2]) -> Exit {
        self.lend(kernel, states, begin, |buffers| code.run(&[], buffers))
    }

    /// Like [`Buffers::run`], for at most this many rounds of loops; `None` if they do not suffice.
    fn interpret(
        &mut self,
        code: &Interpreted,
        rounds: &mut u64,
        kernel: &NetworkKernel,
        states: &[u64],
        begin: [u64; 2],
    ) -> Option<Exit> {
        self.lend(kernel, states, begin, |buffers| code.run_within(rounds, &[], buffers))
    }

    fn lend<T>(
        &mut self,
        kernel: &NetworkKernel,
        states: &[u64],
        begin: [u64; 2],
        run: impl FnOnce(&mut [BufferMut<'_>]) -> T,
    ) -> T {
        let range = [0, (states.len() / kernel.words) as u64, begin[0], begin[1]];
        let mut buffers = Vec::with_capacity(kernels::network_buffer::TABLES + kernel.tables.len());
        buffers.push(BufferMut::ReadU64(states));
        buffers.push(BufferMut::ReadU64(&range));
        buffers.push(BufferMut::AppendU64(&mut self.out.states));
        buffers.push(BufferMut::AppendU32(&mut self.out.steps));
        buffers.push(BufferMut::AppendU32(&mut self.out.ends));
        buffers.push(BufferMut::AppendU64(&mut self.out.observations));
        buffers.push(BufferMut::AppendU64(&mut self.errors));
        buffers.push(BufferMut::AppendI64(&mut self.offers));
        buffers.push(BufferMut::ReadU64(&self.reach));
        buffers.push(BufferMut::AppendU32(&mut self.out.lengths));
        buffers.extend(kernel.tables.iter().map(|table| BufferMut::ReadU64(table)));
        run(&mut buffers)
    }

    /// Drops the data of incomplete states.
    pub fn cut(&mut self, words: usize) {
        let complete = self.out.ends.len();
        let successors = self.out.ends.last().map_or(0, |&end| (end & !MARKS) as usize);
        self.out.observations.truncate(complete);
        self.out.steps.truncate(successors);
        self.out.lengths.truncate(successors);
        self.out.states.truncate(successors * words);
        let errors = self.errors.chunks_exact(4).filter(|e| (e[0] as usize) < complete);
        self.out.errors.clear();
        self.out.errors.extend(errors.map(|e| StepError {
            source: e[0] as u32,
            successor: (e[1] != u64::MAX).then_some(e[1] as u32),
            site: e[2] as u32,
            step: e[3] as u32,
        }));
    }
}
