//! Programs of processes as transition systems that are searched on the fly.
//!
//! Makes the successor kernel of a program whose processes come and go, has it compiled, and runs it for a search. The
//! layout has room for what was met so far: where a state needs more, the search ends with `NeedsRoom` and
//! [`Processes::grow`] makes the layout larger.

use crate::reduction::{Independence, Reducer, movers};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use volvelle_kernel::{BufferMut, Code, CompileError, Compiler, Site};
use volvelle_model::kernels::{self, KernelError, NetworkKernel, NetworkOptions};
use volvelle_model::visibility::Watched;
use volvelle_model::{Arrangement, ComponentId, PoolId, Program, Shape, SiteSubject};
use volvelle_search::{Exit, Expander, Outcome, StepError, Successors, System};

/// Successors that the buffers hold at first.
const CAPACITY: usize = 4096;

/// Why a system cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessesError {
    /// The program has something that kernels cannot express.
    Kernel(KernelError),
    /// The back end gave up.
    Compile(CompileError),
    /// Making the initial state failed at a site.
    Boot(Site),
    /// More processes or channels than slots are numbered.
    TooMany(PoolId),
}

/// A slot that has too little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wish {
    pool: PoolId,
    slot: usize,
    component: ComponentId,
}

/// A program of processes, ready to be searched.
pub struct Processes<'p> {
    program: &'p Program,
    compiler: &'p dyn Compiler,
    options: NetworkOptions,
    arrangement: Arrangement,
    kernel: NetworkKernel,
    code: Box<dyn Code>,
    initial: Vec<u64>,
    wish: Mutex<Option<Wish>>,
    /// By site: the least value that was noted there, or [`NOTHING`].
    notes: Vec<AtomicI64>,
    independence: Option<Independence>,
    /// What is not to change unseen, where states are reduced.
    watched: Option<Watched>,
}

/// Where nothing was noted.
const NOTHING: i64 = i64::MAX;

/// Most slots of a pool: what step numbers have room for.
const MAX_SLOTS: usize = 32_767;

impl<'p> Processes<'p> {
    /// Makes the initial state, and the code for the layout that it needs.
    pub fn new(
        program: &'p Program,
        options: NetworkOptions,
        compiler: &'p dyn Compiler,
    ) -> Result<Self, ProcessesError> {
        Self::with_shape(program, options, compiler, Shape::new(program))
    }

    fn with_shape(
        program: &'p Program,
        options: NetworkOptions,
        compiler: &'p dyn Compiler,
        mut shape: Shape,
    ) -> Result<Self, ProcessesError> {
        loop {
            let arrangement = Arrangement::new(program, shape);
            let kernel = kernels::network(program, &arrangement, &options).map_err(ProcessesError::Kernel)?;
            match boot(program, &arrangement, &kernel)? {
                Booted::State(initial) => {
                    let code = compiler.compile(&kernel.kernel).map_err(ProcessesError::Compile)?;
                    return Ok(Processes {
                        program,
                        compiler,
                        options,
                        arrangement,
                        kernel,
                        code,
                        initial,
                        wish: Mutex::new(None),
                        notes: program.sites.iter().map(|_| AtomicI64::new(NOTHING)).collect(),
                        independence: None,
                        watched: None,
                    });
                }
                Booted::Lacks(wish) => shape = larger(&arrangement, wish)?,
            }
        }
    }

    /// Searches, and again with a larger layout as long as the outcome of what was found is that room is lacking. Also
    /// gives the system in whose layout the states of the last search are packed.
    pub fn searched<T>(
        mut self,
        mut search: impl FnMut(&Self) -> T,
        outcome: impl Fn(&T) -> Outcome,
    ) -> Result<(Self, T), ProcessesError> {
        loop {
            let found = search(&self);
            if !matches!(outcome(&found), Outcome::NeedsRoom { .. }) {
                return Ok((self, found));
            }
            self = self.grow()?;
        }
    }

    /// The same with room for what a search lacked.
    pub fn grow(self) -> Result<Self, ProcessesError> {
        let wish = self.wish.into_inner().unwrap_or_else(PoisonError::into_inner);
        let shape = match wish {
            Some(wish) => larger(&self.arrangement, wish)?,
            None => self.arrangement.shape().clone(),
        };
        let grown = Self::with_shape(self.program, self.options, self.compiler, shape)?;
        Ok(match self.watched {
            Some(watched) => grown.reduced(watched),
            None => grown,
        })
    }

    /// The same, where steps that commute with what others do stand for all orders, unless they change what is
    /// watched (module `reduction`).
    pub fn reduced(mut self, watched: Watched) -> Self {
        self.independence = Independence::new(self.program, &self.arrangement, &watched);
        self.watched = Some(watched);
        self
    }

    /// What was noted in all states that were expanded so far: sites of subject [`SiteSubject::Note`], with the least
    /// value at each.
    pub fn notes(&self) -> Vec<(Site, i64)> {
        let noted = self.notes.iter().enumerate().map(|(i, n)| (Site(i as u32), n.load(Ordering::Relaxed)));
        noted.filter(|&(_, value)| value != NOTHING).collect()
    }

    /// Whether anything can be left out.
    pub fn is_reduced(&self) -> bool {
        self.independence.is_some()
    }

    /// How states are packed.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// The kernel that expands states.
    pub fn kernel(&self) -> &NetworkKernel {
        &self.kernel
    }
}

fn larger(arrangement: &Arrangement, wish: Wish) -> Result<Shape, ProcessesError> {
    if wish.slot >= MAX_SLOTS {
        return Err(ProcessesError::TooMany(wish.pool));
    }
    let mut shape = arrangement.shape().clone();
    let words = arrangement.component_words(wish.component);
    shape.make_room(wish.pool, wish.slot, words);
    Ok(shape)
}

enum Booted {
    State(Vec<u64>),
    Lacks(Wish),
}

/// The component that lacks room at a site.
fn lacking(program: &Program, site: Site) -> Option<(PoolId, ComponentId)> {
    let SiteSubject::Room(component) = program.sites[site.index()].subject else { return None };
    let pool = program.network.pools.iter().position(|p| p.members.contains(&component))?;
    Some((PoolId(pool as u32), component))
}

/// What lacks room, by the state in the making at the end of the successors.
fn wish(program: &Program, arrangement: &Arrangement, site: Site, successors: &[u64]) -> Option<Wish> {
    let (pool, component) = lacking(program, site)?;
    let count = program.network.pools[pool.index()].count;
    let state = successors.rchunks(arrangement.words()).next()?;
    let slot = arrangement.get(state, count, 0, 0) as usize;
    Some(Wish { pool, slot, component })
}

fn boot(
    program: &Program,
    arrangement: &Arrangement,
    kernel: &NetworkKernel,
) -> Result<Booted, ProcessesError> {
    let interpreter = volvelle_kernel::interp::Interpreter;
    let code = interpreter.compile(&kernel.boot).map_err(ProcessesError::Compile)?;
    let mut buffers = Buffers::new(kernel, 1);
    let exit = buffers.run(&*code, kernel, &[]);
    match exit {
        volvelle_kernel::Exit::Done => Ok(Booted::State(buffers.out.states)),
        volvelle_kernel::Exit::Failed(site) => match wish(program, arrangement, site, &buffers.out.states) {
            Some(wish) => Ok(Booted::Lacks(wish)),
            None => Err(ProcessesError::Boot(site)),
        },
        exit => unreachable!("the kernel of the initial state ended with {exit:?}"),
    }
}

/// What a kernel works with.
struct Buffers {
    out: Successors,
    errors: Vec<u64>,
    offers: Vec<i64>,
}

impl Buffers {
    fn new(kernel: &NetworkKernel, capacity: usize) -> Self {
        let mut buffers = Buffers { out: Successors::default(), errors: Vec::new(), offers: Vec::new() };
        buffers.offers.reserve_exact(kernel.offers.max(1));
        buffers.make_room(kernel, capacity);
        buffers
    }

    fn make_room(&mut self, kernel: &NetworkKernel, capacity: usize) {
        fn grow<T>(buffer: &mut Vec<T>, capacity: usize) {
            buffer.clear();
            buffer.reserve_exact(capacity);
        }
        grow(&mut self.out.states, capacity * kernel.words);
        grow(&mut self.out.steps, capacity);
        grow(&mut self.out.ends, capacity);
        grow(&mut self.out.observations, capacity);
        grow(&mut self.errors, 4 * capacity);
    }

    fn run(&mut self, code: &dyn Code, kernel: &NetworkKernel, states: &[u64]) -> volvelle_kernel::Exit {
        let range = [0, (states.len() / kernel.words) as u64];
        let mut buffers = Vec::with_capacity(kernels::network_buffer::TABLES + kernel.tables.len());
        buffers.push(BufferMut::ReadU64(states));
        buffers.push(BufferMut::ReadU64(&range));
        buffers.push(BufferMut::AppendU64(&mut self.out.states));
        buffers.push(BufferMut::AppendU32(&mut self.out.steps));
        buffers.push(BufferMut::AppendU32(&mut self.out.ends));
        buffers.push(BufferMut::AppendU64(&mut self.out.observations));
        buffers.push(BufferMut::AppendU64(&mut self.errors));
        buffers.push(BufferMut::AppendI64(&mut self.offers));
        buffers.extend(kernel.tables.iter().map(|table| BufferMut::ReadU64(table)));
        code.run(&[], &mut buffers)
    }

    /// Forgets what is not of a complete state.
    fn cut(&mut self, words: usize) {
        let complete = self.out.ends.len();
        let successors = self.out.ends.last().map_or(0, |&end| end as usize);
        self.out.observations.truncate(complete);
        self.out.steps.truncate(successors);
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

impl System for Processes<'_> {
    fn words(&self) -> usize {
        self.kernel.words
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine { system: self, capacity: CAPACITY, buffers: Buffers::new(&self.kernel, CAPACITY) })
    }

    fn reducing_expander(&self) -> Box<dyn Expander + '_> {
        let Some(independence) = &self.independence else { return self.expander() };
        let machine =
            Machine { system: self, capacity: CAPACITY, buffers: Buffers::new(&self.kernel, CAPACITY) };
        let reducer = Reducer::new(self.program, &self.arrangement, independence);
        let all = Successors::default();
        Box::new(ReducingMachine { machine, reducer, all, movers: Vec::new() })
    }

    fn num_processes(&self) -> usize {
        self.arrangement.shape().slots.first().map_or(1, |slots| slots.len().max(1))
    }

    fn process_of(&self, step: u32) -> u32 {
        step >> 16 & 0x7fff
    }
}

struct Machine<'s> {
    system: &'s Processes<'s>,
    capacity: usize,
    buffers: Buffers,
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        let kernel = &self.system.kernel;
        let words = kernel.words;
        loop {
            let exit = self.buffers.run(&*self.system.code, kernel, states);
            let result = match exit {
                volvelle_kernel::Exit::Done => Exit::Done,
                volvelle_kernel::Exit::Full(_) if self.buffers.out.ends.is_empty() => {
                    // A single state with more successors than there is room for.
                    self.capacity *= 4;
                    self.buffers.make_room(kernel, self.capacity);
                    continue;
                }
                volvelle_kernel::Exit::Full(_) => Exit::Full,
                volvelle_kernel::Exit::Failed(site) => {
                    let system = self.system;
                    let lacks = wish(system.program, &system.arrangement, site, &self.buffers.out.states);
                    match lacks {
                        Some(wish) => {
                            *system.wish.lock().unwrap_or_else(PoisonError::into_inner) = Some(wish);
                            Exit::NeedsRoom { code: site.0 }
                        }
                        None => {
                            self.failed(site);
                            if self.buffers.out.ends.len() * words == states.len() {
                                Exit::Done
                            } else {
                                Exit::Full
                            }
                        }
                    }
                }
                volvelle_kernel::Exit::OutOfBounds(buffer) => {
                    unreachable!("the successor kernel left buffer {}", buffer.0)
                }
            };
            self.take_notes();
            self.buffers.cut(words);
            std::mem::swap(&mut self.buffers.out, out);
            // The buffers keep their room, whoever brought them.
            if self.buffers.out.steps.capacity() < self.capacity
                || self.buffers.out.states.capacity() < self.capacity * words
            {
                self.buffers.make_room(kernel, self.capacity);
            }
            return result;
        }
    }
}

impl Machine<'_> {
    /// Takes what is no error out of the errors.
    fn take_notes(&mut self) {
        let system = self.system;
        if system.program.network.noted.is_none() || self.buffers.errors.is_empty() {
            return;
        }
        let is_note = |site: u64| system.program.sites[site as usize].subject == SiteSubject::Note;
        let mut kept = 0;
        for at in (0..self.buffers.errors.len()).step_by(4) {
            let (value, site) = (self.buffers.errors[at + 1], self.buffers.errors[at + 2]);
            if is_note(site) {
                system.notes[site as usize].fetch_min(value as i64, Ordering::Relaxed);
            } else {
                self.buffers.errors.copy_within(at..at + 4, kept);
                kept += 4;
            }
        }
        self.buffers.errors.truncate(kept);
    }

    /// Evaluating the model failed in a state: it ends there, with the successors that it had so far.
    fn failed(&mut self, site: Site) {
        let out = &mut self.buffers.out;
        let complete = out.ends.len() as u64;
        out.ends.push(out.steps.len() as u32);
        out.observations.push(0);
        self.buffers.errors.extend([complete, u64::MAX, u64::from(site.0), 0]);
    }
}

/// A machine that leaves successors out.
struct ReducingMachine<'s> {
    machine: Machine<'s>,
    reducer: Reducer<'s>,
    all: Successors,
    movers: Vec<(usize, usize)>,
}

impl Expander for ReducingMachine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        let exit = self.machine.expand(states, &mut self.all);
        out.clear();
        let words = self.machine.system.kernel.words;
        let owner = self.machine.system.program.network.owner;
        let arrangement = &self.machine.system.arrangement;
        let mut from = 0;
        let mut errors = self.all.errors.iter().peekable();
        for (source, &end) in self.all.ends.iter().enumerate() {
            let steps = &self.all.steps[from..end as usize];
            let state = &states[source * words..(source + 1) * words];
            let free = owner.is_none_or(|owner| arrangement.get(state, owner, 0, 0) == 0);
            let mut chosen = None;
            let timeout = steps.iter().any(|&step| self.reducer.independence().is_timeout(step));
            if free && steps.len() > 1 && !timeout {
                movers(steps, &mut self.movers);
                chosen = self.reducer.sufficient(state, steps, &self.movers);
            }
            let kept = |step: u32| chosen.is_none_or(|set| set >> (step >> 16 & 0x7fff) & 1 != 0);
            let before = out.steps.len();
            while let Some(error) = errors.next_if(|e| e.source as usize == source) {
                match error.successor {
                    Some(at) if !kept(self.all.steps[at as usize]) => {}
                    Some(at) => {
                        let skipped = self.all.steps[from..at as usize].iter().filter(|&&s| !kept(s)).count();
                        let successor = Some((before + at as usize - from - skipped) as u32);
                        out.errors.push(StepError { successor, ..*error });
                    }
                    None => out.errors.push(*error),
                }
            }
            if chosen.is_some() {
                out.reduced.push(source as u32);
            }
            for (at, &step) in (from..).zip(steps) {
                if kept(step) {
                    out.steps.push(step);
                    out.states.extend_from_slice(&self.all.states[at * words..(at + 1) * words]);
                }
            }
            out.ends.push(out.steps.len() as u32);
            out.observations.push(self.all.observations[source]);
            from = end as usize;
        }
        exit
    }
}
