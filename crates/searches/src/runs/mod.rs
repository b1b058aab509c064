//! One run, step by step: the possible steps, their effects, and the text that they print.
//!
//! A run is the sequence of its choices, each an index into the steps that its state has, in the order of the expander.
//! That order depends on nothing but the state, so the same choices give the same run; where the layout of states has
//! to grow, the run is taken again from its beginning.

mod replay;
mod spin_trail;

pub(crate) use replay::mismatch;
pub use replay::show;
pub use replay::{SavedStep, SavedTrail, fits_model, save_trail};
pub(crate) use spin_trail::spin_trail;
pub use spin_trail::{is_named_for_spin, is_spin_trail, read_spin_trail, save_as_spin_trail};

use crate::failures;
use crate::settings::PATIENCE;
use volvelle_diagnostics::{Diagnostic, Sources, Span, has_errors};
use volvelle_explore::Processes;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Site};
use volvelle_lts::{ProcessStep, positions};
use volvelle_model::kernels::{self, NetworkOptions};
use volvelle_model::{LocationId, Origin, Program};
use volvelle_native::Native;
use volvelle_search::{Exit, Successors, System, TRANSIENT};
use volvelle_session::Model;
use volvelle_session::engine::{self, Tier};
use volvelle_session::language::{Document, ProcessDocument, ShowSteps, StateCondition};
use volvelle_session::trace::{Standing, TraceStep, VariableValue};

/// A model that can be run, with what there is to say about its text.
pub struct Runnable {
    document: Option<Box<dyn Document>>,
    /// Makes code if a step takes long, or if there are many.
    native: Option<Native>,
    /// Diagnostics; errors if it cannot be run.
    pub diagnostics: Vec<Diagnostic>,
}

impl Runnable {
    /// The model, lowered for runs.
    pub(crate) fn document(&self) -> Option<&dyn Document> {
        self.document.as_deref()
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step, with what it printed.
    pub step: TraceStep,
    /// Violations by the step, and errors of the state that it leads to.
    pub faults: Vec<Diagnostic>,
}

/// The layout has no room for a successor.
struct NoRoom;

/// A run.
pub struct Simulation<'a> {
    model: &'a Model,
    program: &'a Program,
    document: &'a dyn ProcessDocument,
    /// `None` only while the layout grows.
    system: Option<Processes<'a>>,
    state: Vec<u64>,
    /// Successors of the state.
    out: Successors,
    /// The choices so far, each with the process whose steps alone were offered: it counts among those.
    taken: Vec<(usize, Option<usize>)>,
    /// The process that moves next, where that is known: only its steps are found, if it has some.
    mover: Option<usize>,
    /// The one for which the successors of the state were found.
    offered: Option<usize>,
    /// The source of characters, those that it has given, and how many of them the run has read.
    source: Option<Characters<'a>>,
    read: Vec<Option<u8>>,
    met: usize,
    /// Whether the state is inside an atomic sequence, where claims do not read it.
    is_inside: bool,
    /// The labels that hold, as bits, in each state that a claim has read since the last choice.
    letters: Vec<u64>,
}

/// The next character of an input; `None` behind the last.
pub type Characters<'a> = Box<dyn FnMut() -> Option<u8> + 'a>;

/// Prepares a Promela model for runs.
pub fn runnable(model: &mut Model) -> Runnable {
    let mut diagnostics = std::mem::take(&mut model.diagnostics);
    if has_errors(&diagnostics) {
        return Runnable { document: None, native: None, diagnostics };
    }
    let mut runnable = runnable_again(model);
    diagnostics.append(&mut runnable.diagnostics);
    Runnable { diagnostics, ..runnable }
}

/// The same for a model whose diagnostics were told.
fn runnable_again(model: &Model) -> Runnable {
    let (document, diagnostics) = model.processes().map(|document| document.for_runs()).unwrap_or_default();
    Runnable { document, native: engine::native(Tier::Auto), diagnostics }
}

/// Starts a run. `None` if the model has errors. Without an input there are no characters to read.
pub fn simulate<'a>(
    model: &'a Model,
    runnable: &'a Runnable,
    source: Option<Characters<'a>>,
) -> Option<Result<Simulation<'a>, Diagnostic>> {
    simulate_observed(model, runnable, source, Vec::new())
}

/// The same, with labels of the program that are observed.
pub(crate) fn simulate_observed<'a>(
    model: &'a Model,
    runnable: &'a Runnable,
    source: Option<Characters<'a>>,
    labels: Vec<usize>,
) -> Option<Result<Simulation<'a>, Diagnostic>> {
    let document = runnable.document.as_ref()?;
    let (program, document) = (document.program()?, document.processes()?);
    let compiler: &dyn Compiler = runnable.native.as_ref().map_or(&Interpreter, |native| native);
    let options = NetworkOptions { labels, ..NetworkOptions::default() };
    let system = Processes::new(program, options, compiler, PATIENCE)
        .map_err(|error| failures::not_made(document, &model.sources, &error));
    Some(system.and_then(|system| {
        let state = system.initial();
        let (out, taken) = (Successors::default(), Vec::new());
        let (model, system, read) = (model, Some(system), Vec::new());
        let (mover, offered, met) = (None, None, 0);
        let mut run = Simulation {
            model,
            program,
            document,
            system,
            state,
            out,
            taken,
            mover,
            offered,
            source,
            read,
            met,
            is_inside: false,
            letters: Vec::new(),
        };
        run.ready()?;
        Ok(run)
    }))
}

impl<'a> Simulation<'a> {
    /// Whether the model reads characters.
    pub fn reads(&self) -> bool {
        self.document.console().reading.is_some()
    }

    /// What a claim has read since the last choice: the labels that hold, as bits, in the state, and in those from which a process only gave
    /// control back. Nothing inside an atomic sequence.
    pub(crate) fn letters(&self) -> &[u64] {
        &self.letters
    }

    /// How many steps there are to choose from.
    pub fn choices(&self) -> usize {
        self.out.steps.len()
    }

    /// The number of a step: which transition, of which process.
    pub(super) fn number(&self, choice: usize) -> u32 {
        self.out.steps[choice] & !TRANSIENT
    }

    /// The process that moves in a step.
    fn mover(&self, choice: usize) -> usize {
        ProcessStep::of_number(self.out.steps[choice]).slot
    }

    /// The process that moves in a step, and the one that receives, each with the origin of its transition.
    fn movers(&self, choice: usize) -> Vec<(usize, Origin)> {
        let after = self.out.states.chunks_exact(self.state.len()).nth(choice);
        let shown = self.shown().zip(after).zip(self.out.steps.get(choice));
        shown.map_or(Vec::new(), |((shown, after), &number)| {
            shown.movers(ProcessStep::of_number(number), &self.state, after)
        })
    }

    /// Where the processes are.
    fn locations_now(&self) -> Vec<LocationId> {
        self.positions(&self.state).unwrap_or_default()
    }

    /// Where the processes would be behind a step.
    pub(super) fn locations(&self, choice: usize) -> Vec<LocationId> {
        let after = self.out.states.chunks_exact(self.state.len()).nth(choice);
        after.and_then(|after| self.positions(after)).unwrap_or_default()
    }

    /// The effect of a choice, without taking it; `None` if there is no such choice.
    pub fn look(&self, choice: usize) -> Option<TraceStep> {
        let words = self.state.len();
        let after = self.out.states.chunks_exact(words).nth(choice)?;
        self.shown()?.step(ProcessStep::of_number(*self.out.steps.get(choice)?), &self.state, after)
    }

    /// Takes a step; `None` if there is no such choice.
    pub fn take(&mut self, choice: usize) -> Option<Result<Taken, Diagnostic>> {
        let mut step = self.look(choice)?;
        let at_step = |e: &&volvelle_search::StepError| e.successor == Some(choice as u32);
        let sites: Vec<u32> = self.out.errors.iter().filter(at_step).map(|e| e.site).collect();
        step.printed = self.go(choice);
        self.taken.push((choice, self.offered));
        Some(self.ready().map(|()| {
            let mut faults: Vec<Diagnostic> = sites.iter().map(|&site| self.failure(site)).collect();
            faults.extend(self.faults());
            Taken { step, faults }
        }))
    }

    /// Errors of the state itself.
    pub fn faults(&self) -> Vec<Diagnostic> {
        let of_state = self.out.errors.iter().filter(|e| e.successor.is_none());
        of_state.map(|e| self.failure(e.site)).collect()
    }

    /// Where every process is.
    pub fn standings(&self) -> Vec<Standing> {
        self.shown().map_or(Vec::new(), |steps| steps.standings(&self.state))
    }

    /// The places before which processes may stand.
    pub fn places(&self) -> Vec<Span> {
        let locations = self.program.network.locations.iter();
        locations.filter_map(|location| self.document.place(location.origin?)).collect()
    }

    /// All variables with their values, then the contents of channels.
    pub fn values(&self) -> Vec<(String, VariableValue)> {
        self.shown().map_or(Vec::new(), |steps| steps.values(&self.state))
    }

    /// Reads a condition on states.
    ///
    /// # Errors
    /// What is wrong with it, and the texts that this is about.
    pub fn condition(&self, text: &str) -> Result<Box<dyn StateCondition>, (Vec<Diagnostic>, Sources)> {
        let mut sources = self.model.sources.clone();
        let found = self.document.condition(&mut sources, text);
        found.map_err(|diagnostics| (diagnostics, sources))
    }

    /// Whether a condition holds in the state; `None` where evaluating it fails.
    pub fn holds(&self, condition: &dyn StateCondition) -> Option<bool> {
        condition.holds(self.system.as_ref()?.layout(), &self.state)
    }

    /// The value of an expression that was read as a condition; `None` where evaluating it fails.
    pub fn value(&self, condition: &dyn StateCondition) -> Option<VariableValue> {
        condition.value(self.system.as_ref()?.layout(), &self.state)
    }

    fn shown(&self) -> Option<Box<dyn ShowSteps + '_>> {
        self.document.steps(&self.model.sources, self.system.as_ref()?.layout())
    }

    fn positions(&self, state: &[u64]) -> Option<Vec<LocationId>> {
        Some(positions(self.program, self.system.as_ref()?.layout(), state))
    }

    fn failure(&self, site: u32) -> Diagnostic {
        self.document.explain_failure(&self.model.sources, Site(site), &[])
    }

    /// Whether all expressions of the state have values: claims read no other states.
    fn is_evaluated(&self) -> bool {
        let mut of_state = self.out.errors.iter().filter(|error| error.successor.is_none());
        of_state.all(|error| self.document.is_end(Site(error.site)))
    }

    /// Finds the successors of the state.
    fn settle(&mut self) -> Result<(), NoRoom> {
        loop {
            self.read();
            if let (Some(mover), Some(system)) = (self.mover, &self.system)
                && system.expand_process(&self.state, mover, &mut self.out)
            {
                return Ok(());
            }
            if let Some(system) = &self.system
                && let Exit::LayoutOverflow { .. } =
                    system.small_expander().expand(&self.state, &mut self.out)
            {
                return Err(NoRoom);
            }
            if !self.is_inside && self.is_evaluated() {
                self.letters.extend(self.out.observations.first());
            }
            // A step in which a process only gives control back is no choice, and belongs to no statement.
            match self.out.steps.as_slice() {
                [step] if step & 0xffff == kernels::RELEASE => self.go(0),
                _ => return Ok(()),
            };
        }
    }

    /// The same with a layout that has room.
    fn ready(&mut self) -> Result<(), Diagnostic> {
        self.offered = self.mover;
        loop {
            self.letters.clear();
            if self.settle().is_ok() {
                return Ok(());
            }
            loop {
                let Some(system) = self.system.take() else { return Ok(()) };
                let system = system
                    .grow()
                    .map_err(|error| failures::not_made(self.document, &self.model.sources, &error))?;
                self.system = Some(system);
                if self.take_again() {
                    break;
                }
            }
        }
    }

    /// Takes all choices again, from the beginning; whether the layout has room for that.
    fn take_again(&mut self) -> bool {
        let Some(system) = &self.system else { return true };
        self.state = system.initial();
        (self.met, self.is_inside) = (0, false);
        let taken = std::mem::take(&mut self.taken);
        let mover = self.mover;
        let again = taken.iter().all(|&(choice, offered)| {
            self.mover = offered;
            self.settle().map(|()| self.go(choice)).is_ok()
        });
        (self.taken, self.mover) = (taken, mover);
        again
    }

    /// Returns to where the first choices led, by taking them again from the beginning.
    ///
    /// # Errors
    /// The states cannot be made.
    pub fn retake(&mut self, choices: usize) -> Result<(), Diagnostic> {
        self.taken.truncate(choices);
        // The layout had room for these steps before.
        self.take_again();
        self.ready()
    }

    /// Puts the next character into the state, where a process waits for one.
    fn read(&mut self) {
        let (Some(system), Some(reading)) = (&self.system, self.document.console().reading) else { return };
        let layout = system.layout();
        let positions = positions(self.program, layout, &self.state);
        let waits = positions.iter().any(|location| reading.readers.contains(location));
        if !waits || layout.get(&self.state, reading.field, 0, 0) != 0 {
            return;
        }
        // A run that is taken again meets the same characters.
        let known = self.read.get(self.met).copied();
        let next = known.unwrap_or_else(|| self.source.as_mut().and_then(|source| source()));
        if known.is_none() {
            self.read.push(next);
        }
        self.met += 1;
        let value = next.map_or(reading.end, |byte| i64::from(byte) + 1);
        layout.set(&mut self.state, reading.field, 0, 0, value);
    }

    /// Moves to a successor; gives what the step printed.
    fn go(&mut self, choice: usize) -> String {
        let words = self.state.len();
        self.state = self.out.states[choice * words..(choice + 1) * words].to_vec();
        self.is_inside = self.out.steps[choice] & TRANSIENT != 0;
        let (Some(system), Some((length, log))) = (&self.system, self.document.console().printing) else {
            return String::new();
        };
        let layout = system.layout();
        let count = layout.get(&self.state, length, 0, 0) as usize;
        if count == 0 {
            return String::new();
        }
        let noted: Vec<i64> = (0..count).map(|i| layout.get(&self.state, log, 0, i)).collect();
        layout.set(&mut self.state, length, 0, 0, 0);
        for element in 0..count {
            layout.set(&mut self.state, log, 0, element, 0);
        }
        self.document.printed(&noted)
    }
}
