//! Programs of processes as transition systems that are searched on the fly.
//!
//! Generates the successor kernel of a program of processes, has it compiled, and runs it for a search. The
//! layout has room for what was found so far. If a state needs more, the search ends with `LayoutOverflow`,
//! and [`Processes::grow`] enlarges the layout.

use crate::engine::{Buffers, Engine};
use crate::reduction::{Independence, Lookahead, Reducer, movers};
use crate::slots::{MAX_SLOTS, last_slot};
use crate::symmetry::{Exchange, Sorter, exchange};
use crate::tabulate::{States, TabulateError, Tabulated, tabulate};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use volvelle_control::Control;
use volvelle_kernel::{CompileError, Compiler, Site};
use volvelle_model::kernels::{self, KernelError, NetworkKernel, NetworkOptions};
use volvelle_model::symmetry::Symmetry;
use volvelle_model::visible_transitions::ObservedPropositions;
use volvelle_model::{ComponentId, NetworkLayout, Place, PoolId, Program, Shape, SiteSubject};
use volvelle_search::{Exit, Expander, Outcome, StepError, Successors, System, TRANSIENT, Trail};

/// Successors that the buffers hold at first.
const CAPACITY: usize = 4096;

/// The same when states are expanded one at a time.
pub(crate) const FEW: usize = 64;

/// The reason why a system cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessesError {
    /// The program has something that kernels cannot express.
    Kernel(KernelError),
    /// The back end gave up.
    Compile(CompileError),
    /// Making the initial state failed at a site.
    Initialisation(Site),
    /// More processes or channels than slots are numbered.
    TooMany(Growth),
}

/// How far a pool has grown, and for which component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The pool.
    pub pool: PoolId,
    /// The component that was being created when room was lacking.
    pub component: ComponentId,
    /// Instances that there were then.
    pub instances: usize,
}

/// A slot that has too little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GrowthRequest {
    pool: PoolId,
    slot: usize,
    component: ComponentId,
}

/// A program of processes, ready to be searched.
pub struct Processes<'p> {
    pub(crate) program: &'p Program,
    compiler: &'p dyn Compiler,
    options: NetworkOptions,
    patience: u64,
    pub(crate) layout: NetworkLayout,
    growth: Option<Growth>,
    /// Takes steps of atomic sequences together if possible.
    pub(crate) swift: Engine,
    /// Like `swift`, and counts steps. Created when needed.
    counting: OnceLock<Option<Engine>>,
    /// Takes steps one by one: for trails, and where `swift` failed. Created when needed.
    stepwise: OnceLock<Engine>,
    /// Find the steps of one process after the other: several steps of an atomic sequence at once, or step by
    /// step. Created when needed; `None` if there is no such order.
    ordered: [OnceLock<Option<Engine>>; 2],
    pub(crate) initial: Vec<u64>,
    request: Mutex<Option<GrowthRequest>>,
    /// By site: the least value noted there, or [`NOTHING`].
    notes: Vec<AtomicI64>,
    /// By site: whether a proposition may fail there. Created at the first failure.
    observing: OnceLock<Vec<bool>>,
    /// The first site at which a proposition had no value in a state.
    undefined: Mutex<Option<Site>>,
    pub(crate) independence: Option<Independence>,
    /// The propositions whose changes a reduction must preserve; `None` without a reduction.
    watched: Option<(ObservedPropositions, Lookahead)>,
    /// The interchangeable processes, if symmetry is used.
    exchange: Option<Exchange>,
}

/// Means that nothing was noted.
const NOTHING: i64 = i64::MAX;

/// Limit of words in successor buffers, unless that would be few for a single state.
const BUFFER_WORDS: usize = 1 << 22;

impl<'p> Processes<'p> {
    /// Computes the initial state, and the kernel for the layout that it needs. `patience` is the number of
    /// states that are interpreted before code is compiled.
    pub fn new(
        program: &'p Program,
        options: NetworkOptions,
        compiler: &'p dyn Compiler,
        patience: u64,
    ) -> Result<Self, ProcessesError> {
        let made = Self::with_shape(program, options.clone(), compiler, patience, Shape::new(program))?;
        // Making the initial state took more room than it needs, perhaps.
        let mut shape = made.layout.shape().clone();
        for (pool, info) in program.network.pools.iter().enumerate() {
            let used = made.layout.get(&made.initial, info.count, 0, 0) as usize;
            shape.slots[PoolId(pool as u32)].truncate(used);
        }
        if shape == *made.layout.shape() {
            return Ok(made);
        }
        Self::with_shape(program, options, compiler, patience, shape)
    }

    fn with_shape(
        program: &'p Program,
        options: NetworkOptions,
        compiler: &'p dyn Compiler,
        patience: u64,
        mut shape: Shape,
    ) -> Result<Self, ProcessesError> {
        let options = NetworkOptions { fused: true, ..options };
        loop {
            let layout = NetworkLayout::new(program, shape);
            let kernel = kernels::network(program, &layout, &options).map_err(ProcessesError::Kernel)?;
            match initialise(program, &layout, &kernel)? {
                Initialised::State(initial) => {
                    let swift = Engine::new(kernel, compiler, patience).map_err(ProcessesError::Compile)?;
                    return Ok(Processes {
                        program,
                        compiler,
                        options,
                        patience,
                        layout,
                        growth: None,
                        swift,
                        counting: OnceLock::new(),
                        stepwise: OnceLock::new(),
                        ordered: Default::default(),
                        initial,
                        request: Mutex::new(None),
                        notes: program.sites.iter().map(|_| AtomicI64::new(NOTHING)).collect(),
                        observing: OnceLock::new(),
                        undefined: Mutex::new(None),
                        independence: None,
                        watched: None,
                        exchange: None,
                    });
                }
                Initialised::Lacks(request) => shape = larger(&layout, request, 0)?,
            }
        }
    }

    /// A site at which a proposition has no value in an expanded state. A claim cannot read such a state, and
    /// no search continues there, so a search that finds nothing proves nothing.
    pub fn undefined(&self) -> Option<Site> {
        *self.undefined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a failure at a site, if it belongs to an observed proposition.
    fn note_undefined(&self, site: Site) {
        let made = || {
            let program = self.program;
            let mut observing = vec![false; program.sites.len()];
            for label in self.options.labels.iter().map(|&label| program.labels[label].expr) {
                program.sites_of(label).into_iter().for_each(|site| observing[site.index()] = true);
            }
            observing
        };
        if self.observing.get_or_init(made)[site.index()] {
            let mut undefined = self.undefined.lock().unwrap_or_else(PoisonError::into_inner);
            *undefined = Some(undefined.map_or(site, |known| known.min(site)));
        }
    }

    /// Searches, and repeats this with a larger layout while the outcome is that room is lacking. Also
    /// returns the system whose layout the states of the last search have.
    pub fn searched<T>(
        mut self,
        mut search: impl FnMut(&Self) -> T,
        outcome: impl Fn(&T) -> Outcome,
    ) -> Result<(Self, T), ProcessesError> {
        loop {
            let found = search(&self);
            if !matches!(outcome(&found), Outcome::LayoutOverflow { .. }) {
                return Ok((self, found));
            }
            self = self.grow()?;
        }
    }

    /// The state space as a matrix, from the system that has room for all of it. Bit `i` of observations is
    /// `labels[i]`.
    ///
    /// # Errors
    /// There are more processes or channels than slots can be numbered.
    pub fn tabulated(
        mut self,
        labels: &[String],
        states: States,
        enough: usize,
        control: &Control<'_>,
    ) -> Result<(Self, Result<Tabulated, TabulateError>), ProcessesError> {
        loop {
            match tabulate(&self, labels, states, enough, control) {
                Err(TabulateError::LayoutOverflow) => self = self.grow()?,
                found => return Ok((self, found)),
            }
        }
    }

    /// The system with room for what a search lacked.
    pub fn grow(self) -> Result<Self, ProcessesError> {
        let request = self.request.into_inner().unwrap_or_else(PoisonError::into_inner);
        let shape = match request {
            Some(request) => larger(&self.layout, request, self.swift.expanded())?,
            None => self.layout.shape().clone(),
        };
        let mut grown = Self::with_shape(self.program, self.options, self.compiler, self.patience, shape)?;
        grown.swift.resume(&self.swift);
        grown.growth = request.map(GrowthRequest::growth).or(self.growth);
        grown.exchange = self.exchange;
        Ok(match self.watched {
            Some((watched, lookahead)) => grown.reduced_by(watched, lookahead),
            None => grown,
        })
    }

    /// Adds symmetry reduction: one state stands for all that differ by an exchange of processes (module
    /// `symmetry`). The program must be [without ends](Symmetry::without_ends).
    pub fn symmetric(mut self, symmetry: Symmetry) -> Self {
        self.exchange = Some(Exchange::new(self.program, symmetry));
        self
    }

    /// The run of a trail of canonical states; `None` if there is none, which would be a bug.
    pub fn run_behind(&self, trail: &Trail) -> Option<Trail> {
        let Some(known) = &self.exchange else { return Some(trail.clone()) };
        let mut machine = self.machine(self.stepwise());
        let mut sorter = Sorter::new(self.program, &self.layout, known);
        let words = self.words();
        // The position of each process of the present state in the run.
        let mut to: Vec<usize> = (0..self.num_processes()).collect();
        let mut run = Trail::starting(trail.states.first()?);
        let mut found = Successors::default();
        for (pair, &step) in trail.states.windows(2).zip(&trail.steps) {
            machine.expand(&pair[0], &mut found);
            let mut all = found.steps.iter().zip(found.states.chunks_exact(words));
            let (target, went) = all.find_map(|(&taken, target)| {
                let mut state = target.to_vec();
                let went = match taken & TRANSIENT {
                    0 => sorter.sort(&mut state).map(<[usize]>::to_vec),
                    _ => None,
                };
                (taken & !TRANSIENT == step & !TRANSIENT && state == pair[1]).then(|| (target.to_vec(), went))
            })?;
            let mut state = target.clone();
            exchange(self.program, &self.layout, known, &target, &to, &mut state);
            let slot = to[self.process_of(step) as usize] as u32;
            run.states.push(state);
            run.steps.push(step & !(0x7fff << 16) | slot << 16);
            if let Some(went) = went {
                let mut next = to.clone();
                for (from, &at) in went.iter().enumerate() {
                    next[at] = to[from];
                }
                to = next;
            }
        }
        Some(run)
    }

    /// Wraps an expander so that it returns canonical states.
    pub(crate) fn sorted<'s>(&'s self, expander: Box<dyn Expander + 's>) -> Box<dyn Expander + 's> {
        match &self.exchange {
            None => expander,
            Some(known) => {
                let sorter = Sorter::new(self.program, &self.layout, known);
                Box::new(SortingMachine { expander, sorter, words: self.words() })
            }
        }
    }

    /// Adds partial-order reduction: one order stands for all orders of commuting steps, unless they change
    /// what is watched (module `reduction`).
    pub fn reduced(self, watched: ObservedPropositions) -> Self {
        self.reduced_by(watched, Lookahead::ByLocation)
    }

    /// Like [`Processes::reduced`], with a given analysis of what other processes may do.
    pub fn reduced_by(mut self, watched: ObservedPropositions, lookahead: Lookahead) -> Self {
        self.independence = Independence::new(self.program, &self.layout, &watched, lookahead);
        self.watched = Some((watched, lookahead));
        self
    }

    /// The same without a reduction.
    pub fn unreduced(mut self) -> Self {
        (self.independence, self.watched) = (None, None);
        self
    }

    /// The notes of all states expanded so far: sites of subject [`SiteSubject::Note`], each with its least
    /// value.
    pub fn notes(&self) -> Vec<(Site, i64)> {
        let noted = self.notes.iter().enumerate().map(|(i, n)| (Site(i as u32), n.load(Ordering::Relaxed)));
        noted.filter(|&(_, value)| value != NOTHING).collect()
    }

    /// Whether anything can be left out.
    pub fn is_reduced(&self) -> bool {
        self.independence.is_some()
    }

    /// The last growth of a pool, if a search began again for it.
    pub fn growth(&self) -> Option<Growth> {
        self.growth
    }

    /// How states are packed.
    pub fn layout(&self) -> &NetworkLayout {
        &self.layout
    }

    /// The kernel that expands states.
    pub fn kernel(&self) -> &NetworkKernel {
        &self.swift.kernel
    }

    /// The engine that counts steps through atomic sequences.
    pub(crate) fn counting(&self) -> Option<&Engine> {
        let make = || {
            let options = NetworkOptions { fused: false, counted: true, ..self.options.clone() };
            let kernel = kernels::network(self.program, &self.layout, &options).ok()?;
            Engine::new(kernel, self.compiler, self.patience).ok()
        };
        self.counting.get_or_init(make).as_ref()
    }

    pub(crate) fn stepwise(&self) -> &Engine {
        self.stepwise.get_or_init(|| {
            let options = NetworkOptions { fused: false, ..self.options.clone() };
            let kernel = kernels::network(self.program, &self.layout, &options);
            let kernel = kernel.expect("the same program had a kernel with more in it");
            // If code cannot be compiled, interpretation continues.
            let made = Engine::new(kernel.clone(), self.compiler, self.patience);
            made.or_else(|_| Engine::new(kernel, self.compiler, u64::MAX))
                .expect("interpreters take every kernel")
        })
    }

    pub(crate) fn ordered(&self, fused: bool) -> Option<&Engine> {
        let make = || {
            // With priority classes, each step depends on all processes.
            if self.exchange.is_some() || self.program.network.priority.is_some() {
                return None;
            }
            let options = NetworkOptions { ordered: true, fused, ..self.options.clone() };
            let kernel = kernels::network(self.program, &self.layout, &options).ok()?;
            Engine::new(kernel, self.compiler, self.patience).ok()
        };
        self.ordered[usize::from(fused)].get_or_init(make).as_ref()
    }

    /// An expander for one state, or few of them: with small buffers.
    pub fn small_expander(&self) -> Box<dyn Expander + '_> {
        self.sorted(Box::new(self.machine_for(self.stepwise(), FEW)))
    }

    pub(crate) fn machine<'s>(&'s self, engine: &'s Engine) -> Machine<'s> {
        let capacity = (BUFFER_WORDS / engine.kernel.words).clamp(CAPACITY / 64, CAPACITY);
        self.machine_for(engine, capacity)
    }

    pub(crate) fn machine_for<'s>(&'s self, engine: &'s Engine, capacity: usize) -> Machine<'s> {
        let buffers = Buffers::new(&engine.kernel, capacity);
        Machine {
            system: self,
            engine,
            capacity,
            buffers,
            begin: [0; 2],
            open_notes: None,
            ran_stepwise: false,
        }
    }
}

impl GrowthRequest {
    fn growth(self) -> Growth {
        Growth { pool: self.pool, component: self.component, instances: self.slot }
    }
}

/// The shape of a layout with room for a request. Adds spare room if the search has come so far that
/// restarting is expensive, so that all searches together cost a small multiple of the last one.
fn larger(layout: &NetworkLayout, request: GrowthRequest, states: u64) -> Result<Shape, ProcessesError> {
    let GrowthRequest { pool, slot, component } = request;
    if slot >= MAX_SLOTS {
        return Err(ProcessesError::TooMany(request.growth()));
    }
    let mut shape = layout.shape().clone();
    let bits = layout.component_bits(component);
    let last = last_slot(slot, shape.slots[pool].len(), states);
    for slot in slot..=last {
        shape.make_room(pool, slot, bits);
    }
    Ok(shape)
}

enum Initialised {
    State(Vec<u64>),
    Lacks(GrowthRequest),
}

/// The component that lacks room at a site.
fn lacking(program: &Program, site: Site) -> Option<(PoolId, ComponentId)> {
    let SiteSubject::Room(component) = program.sites[site.index()].subject else { return None };
    let pool = program.network.pools.iter().position(|p| p.members.contains(&component))?;
    Some((PoolId(pool as u32), component))
}

/// The growth request for a site without room. The state under construction is the last successor.
fn request(
    program: &Program,
    layout: &NetworkLayout,
    site: Site,
    successors: &[u64],
) -> Option<GrowthRequest> {
    let (pool, component) = lacking(program, site)?;
    let count = program.network.pools[pool.index()].count;
    let state = successors.rchunks(layout.words()).next()?;
    let slot = layout.get(state, count, 0, 0) as usize;
    Some(GrowthRequest { pool, slot, component })
}

fn initialise(
    program: &Program,
    layout: &NetworkLayout,
    kernel: &NetworkKernel,
) -> Result<Initialised, ProcessesError> {
    let interpreter = volvelle_kernel::interp::Interpreter;
    let code = interpreter.compile(&kernel.initialisation).map_err(ProcessesError::Compile)?;
    let mut buffers = Buffers::new(kernel, 1);
    let exit = buffers.run(&*code, kernel, &[], [0; 2]);
    match exit {
        volvelle_kernel::Exit::Done => Ok(Initialised::State(buffers.out.states)),
        volvelle_kernel::Exit::Failed(site) => match request(program, layout, site, &buffers.out.states) {
            Some(request) => Ok(Initialised::Lacks(request)),
            None => Err(ProcessesError::Initialisation(site)),
        },
        exit => unreachable!("the kernel of the initial state ended with {exit:?}"),
    }
}

pub(crate) struct Machine<'s> {
    pub system: &'s Processes<'s>,
    engine: &'s Engine,
    capacity: usize,
    buffers: Buffers,
    /// Where an ordered kernel begins: slot and mode.
    pub begin: [u64; 2],
    /// Unconfirmed notes: the least value by site.
    pub open_notes: Option<Vec<(u32, i64)>>,
    /// Whether the last states were expanded by the stepwise kernel, because a step failed.
    pub ran_stepwise: bool,
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        self.expand_within(states, &[], out)
    }

    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let kernel = &self.engine.kernel;
        let words = kernel.words;
        self.ran_stepwise = false;
        self.buffers.reach.clear();
        if kernel.runs_on {
            self.buffers.reach.extend_from_slice(reach);
        }
        loop {
            let exit = self.engine.run(self.system.compiler, &mut self.buffers, states, self.begin);
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
                    let lacks = request(system.program, &system.layout, site, &self.buffers.out.states);
                    match lacks {
                        Some(request) => {
                            *system.request.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
                            Exit::LayoutOverflow { code: site.0 }
                        }
                        None if self.is_swift() => {
                            // The stepwise kernel shows which step failed, and what else is possible.
                            let complete = self.buffers.out.ends.len();
                            if complete == 0 {
                                let mut stepwise = system.machine(system.stepwise());
                                self.ran_stepwise = true;
                                return match stepwise.expand(&states[..words], out) {
                                    Exit::Done if states.len() > words => Exit::Full,
                                    exit => exit,
                                };
                            }
                            Exit::Full
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
            // The buffers were swapped with the caller's, which may be smaller.
            if self.buffers.out.steps.capacity() < self.capacity
                || self.buffers.out.states.capacity() < self.capacity * words
                || kernel.is_counting && self.buffers.out.lengths.capacity() < self.capacity
            {
                self.buffers.make_room(kernel, self.capacity);
            }
            return result;
        }
    }
}

impl Machine<'_> {
    /// Whether its kernel may take several steps at once.
    fn is_swift(&self) -> bool {
        self.engine.kernel.is_fused
    }

    /// Confirms the notes so far.
    pub fn confirm_notes(&mut self) {
        for (site, value) in self.open_notes.as_mut().map(std::mem::take).unwrap_or_default() {
            self.system.notes[site as usize].fetch_min(value, Ordering::Relaxed);
        }
    }

    /// Removes notes from the errors.
    fn take_notes(&mut self) {
        let system = self.system;
        if !system.program.places.contains(Place::Noted) || self.buffers.errors.is_empty() {
            return;
        }
        let is_note = |site: u64| system.program.sites[site as usize].subject == SiteSubject::Note;
        let mut kept = 0;
        for at in (0..self.buffers.errors.len()).step_by(4) {
            let (value, site) = (self.buffers.errors[at + 1], self.buffers.errors[at + 2]);
            if is_note(site) {
                match &mut self.open_notes {
                    None => _ = system.notes[site as usize].fetch_min(value as i64, Ordering::Relaxed),
                    Some(open) => match open.iter_mut().find(|note| u64::from(note.0) == site) {
                        Some(note) => note.1 = note.1.min(value as i64),
                        None => open.push((site as u32, value as i64)),
                    },
                }
            } else {
                self.buffers.errors.copy_within(at..at + 4, kept);
                kept += 4;
            }
        }
        self.buffers.errors.truncate(kept);
    }

    /// Evaluation failed in a state: it ends there, with the successors found so far.
    fn failed(&mut self, site: Site) {
        self.system.note_undefined(site);
        let out = &mut self.buffers.out;
        let complete = out.ends.len() as u64;
        out.ends.push(out.steps.len() as u32);
        out.observations.push(0);
        // The failed step has no successor to which earlier errors of the same step could belong.
        let (sites, known) = (&self.system.program.sites, out.steps.len() as u64);
        for error in self.buffers.errors.chunks_exact_mut(4) {
            let is_note = sites[error[2] as usize].subject == SiteSubject::Note;
            if error[0] == complete && !is_note && error[1] >= known {
                error[1] = u64::MAX;
            }
        }
        self.buffers.errors.extend([complete, u64::MAX, u64::from(site.0), 0]);
    }
}

/// A machine that leaves successors out.
pub(crate) struct ReducingMachine<'s> {
    pub(crate) machine: Machine<'s>,
    pub(crate) reducer: Reducer<'s>,
    pub(crate) all: Successors,
    pub(crate) movers: Vec<(usize, usize)>,
}

impl Expander for ReducingMachine<'_> {
    fn looked_at(&self) -> u64 {
        self.reducer.looked_at()
    }

    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        self.expand_within(states, &[], out)
    }

    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let exit = self.machine.expand_within(states, reach, &mut self.all);
        out.clear();
        let words = self.machine.system.words();
        let owner = self.machine.system.program.network.owner;
        let layout = &self.machine.system.layout;
        let mut from = 0;
        let mut errors = self.all.errors.iter().peekable();
        for (source, &end) in self.all.ends.iter().enumerate() {
            let steps = &self.all.steps[from..end as usize];
            let state = &states[source * words..(source + 1) * words];
            let free = owner.is_none_or(|owner| layout.get(state, owner, 0, 0) == 0);
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

/// A machine that returns canonical states under exchange of processes.
struct SortingMachine<'s> {
    expander: Box<dyn Expander + 's>,
    sorter: Sorter<'s>,
    words: usize,
}

impl Expander for SortingMachine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        self.expand_within(states, &[], out)
    }

    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let exit = self.expander.expand_within(states, reach, out);
        for (state, &step) in out.states.chunks_exact_mut(self.words).zip(&out.steps) {
            // States inside an atomic sequence are not stored.
            if step & TRANSIENT == 0 {
                self.sorter.sort(state);
            }
        }
        exit
    }
}
