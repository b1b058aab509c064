//! One run, step by step: who can move, what a step does and prints.
//!
//! A run is the sequence of its choices, each an index into the steps that its state has, in the order of the expander.
//! That order depends on nothing but the state, so the same choices give the same run; where the layout of states has
//! to grow, the run is taken again from its beginning.

use super::ProcessSession;
use super::complaints;
use super::trail::{Shower, Standing, TraceStep};
use super::words::Words;
use crate::session::has_errors;
use volvelle_diagnostics::Diagnostic;
use volvelle_explore::Processes;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::LocationId;
use volvelle_model::kernels::{self, NetworkOptions};
use volvelle_promela::{Lowered, lower_printing};
use volvelle_search::{Exit, Successors, System, TRANSIENT};

/// A model that can be run, with what there is to say about its text.
pub struct Runnable {
    lowered: Option<Lowered>,
    /// Complaints; errors if it cannot be run.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step, with what it printed.
    pub step: TraceStep,
    /// What it violated, and what is wrong with the state behind it.
    pub faults: Vec<Diagnostic>,
}

/// The layout has no room for a successor.
struct NoRoom;

/// A run.
pub struct Simulation<'a> {
    session: &'a ProcessSession,
    lowered: &'a Lowered,
    /// There is always one, but while it grows.
    system: Option<Processes<'a>>,
    state: Vec<u64>,
    /// Successors of the state.
    out: Successors,
    /// The choices so far.
    taken: Vec<usize>,
}

impl ProcessSession {
    /// Prepares the model for runs.
    pub fn runnable(&mut self) -> Runnable {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        if has_errors(&diagnostics) {
            return Runnable { lowered: None, diagnostics };
        }
        let mut runnable = self.runnable_again();
        diagnostics.append(&mut runnable.diagnostics);
        Runnable { diagnostics, ..runnable }
    }

    /// The same for a model whose complaints were told.
    pub(super) fn runnable_again(&self) -> Runnable {
        let (found, diagnostics) = lower_printing(&self.model);
        let lowered = found.filter(|_| !has_errors(&diagnostics));
        Runnable { lowered, diagnostics }
    }

    /// Starts a run. `None` if the model has errors.
    pub fn simulate<'a>(&'a self, runnable: &'a Runnable) -> Option<Result<Simulation<'a>, Diagnostic>> {
        let lowered = runnable.lowered.as_ref()?;
        let system = Processes::new(&lowered.program, NetworkOptions::default(), &Interpreter, u64::MAX)
            .map_err(|error| complaints::not_made(self, lowered, &error));
        Some(system.and_then(|system| {
            let state = system.initial();
            let (out, taken) = (Successors::default(), Vec::new());
            let mut run = Simulation { session: self, lowered, system: Some(system), state, out, taken };
            run.ready()?;
            Ok(run)
        }))
    }
}

impl<'a> Simulation<'a> {
    /// How many steps there are to choose from.
    pub fn choices(&self) -> usize {
        self.out.steps.len()
    }

    /// The number of a step: which transition, of which process.
    pub(super) fn number(&self, choice: usize) -> u32 {
        self.out.steps[choice] & !TRANSIENT
    }

    /// Where the processes would be behind a step.
    pub(super) fn locations(&self, choice: usize) -> Vec<LocationId> {
        let after = self.out.states.chunks_exact(self.state.len()).nth(choice);
        after.and_then(|after| Some(self.words()?.locations(after))).unwrap_or_default()
    }

    /// What a choice would do; `None` if there is no such choice.
    pub fn look(&self, choice: usize) -> Option<TraceStep> {
        let words = self.state.len();
        let after = self.out.states.chunks_exact(words).nth(choice)?;
        self.shower()?.step(*self.out.steps.get(choice)?, &self.state, after)
    }

    /// Takes a step; `None` if there is no such choice.
    pub fn take(&mut self, choice: usize) -> Option<Result<Taken, Diagnostic>> {
        let mut step = self.look(choice)?;
        let at_step = |e: &&volvelle_search::StepError| e.successor == Some(choice as u32);
        let sites: Vec<u32> = self.out.errors.iter().filter(at_step).map(|e| e.site).collect();
        step.printed = self.go(choice);
        self.taken.push(choice);
        Some(self.ready().map(|()| {
            let mut faults: Vec<Diagnostic> =
                sites.iter().map(|&site| complaints::failure(self.session, self.lowered, site)).collect();
            faults.extend(self.faults());
            Taken { step, faults }
        }))
    }

    /// What is wrong with the state itself.
    pub fn faults(&self) -> Vec<Diagnostic> {
        let of_state = self.out.errors.iter().filter(|e| e.successor.is_none());
        of_state.map(|e| complaints::failure(self.session, self.lowered, e.site)).collect()
    }

    /// Where every process is.
    pub fn standings(&self) -> Vec<Standing> {
        self.shower().map_or(Vec::new(), |shower| shower.standings(&self.state))
    }

    fn words(&self) -> Option<Words<'_>> {
        let arrangement = self.system.as_ref()?.arrangement();
        Some(Words { session: self.session, lowered: self.lowered, arrangement })
    }

    fn shower(&self) -> Option<Shower<'_>> {
        self.words().map(Shower::new)
    }

    /// Finds the successors of the state.
    fn settle(&mut self) -> Result<(), NoRoom> {
        loop {
            if let Some(system) = &self.system
                && let Exit::NeedsRoom { .. } = system.expander().expand(&self.state, &mut self.out)
            {
                return Err(NoRoom);
            }
            // That a process gives control back is no choice, and nobody's statement.
            match self.out.steps.as_slice() {
                [step] if step & 0xffff == kernels::RELEASE => self.go(0),
                _ => return Ok(()),
            };
        }
    }

    /// The same with a layout that has room.
    fn ready(&mut self) -> Result<(), Diagnostic> {
        while self.settle().is_err() {
            loop {
                let Some(system) = self.system.take() else { return Ok(()) };
                let system = system
                    .grow()
                    .map_err(|error| complaints::not_made(self.session, self.lowered, &error))?;
                self.state = system.initial();
                self.system = Some(system);
                let taken = std::mem::take(&mut self.taken);
                let again = taken.iter().all(|&choice| self.settle().map(|()| self.go(choice)).is_ok());
                self.taken = taken;
                if again {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Moves to a successor; gives what the step printed.
    fn go(&mut self, choice: usize) -> String {
        let words = self.state.len();
        self.state = self.out.states[choice * words..(choice + 1) * words].to_vec();
        let fields = self.lowered.printing.as_ref().and_then(|p| p.length.zip(p.log));
        let (Some(system), Some((length, log))) = (&self.system, fields) else { return String::new() };
        let arrangement = system.arrangement();
        let count = arrangement.get(&self.state, length, 0, 0) as usize;
        if count == 0 {
            return String::new();
        }
        let noted: Vec<i64> = (0..count).map(|i| arrangement.get(&self.state, log, 0, i)).collect();
        arrangement.set(&mut self.state, length, 0, 0, 0);
        for element in 0..count {
            arrangement.set(&mut self.state, log, 0, element, 0);
        }
        self.lowered.printed(&noted)
    }
}

/// Random choices: SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same choices for the same seed, on every machine.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // The upper bits of a product: choices from a few are equally probable, but for 2^-60.
        ((u128::from(z) * bound as u128) >> 64) as usize
    }
}
