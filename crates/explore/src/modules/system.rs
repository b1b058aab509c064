//! A program of modules with its kernels, and the results that searches record.

use super::split::{CommandOf, split};
use super::stubborn::Stubborn;
use crate::canonical::Canonicalizer;
use crate::error::ExploreError;
use crate::initial::initial_states;
use crate::overflow::outgrown;
use crate::scene::Scene;
use crate::widening::widen;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, PoisonError};
use volvelle_control::Control;
use volvelle_kernel::{Code, Compiler, Site};
use volvelle_model::kernels::{self, Selection, StepKernel, StepOptions};
use volvelle_model::symmetry::{Orbit, interchangeable_components};
use volvelle_model::{FieldId, Layout, Program};
use volvelle_search::Outcome;

/// Most labels that a search observes.
pub const MAX_LABELS: usize = 62;

/// Options of a search of a program of modules: its observations and reductions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModulesOptions {
    /// Labels of the program, in the order of their bits in observations; at most [`MAX_LABELS`].
    pub labels: Vec<usize>,
    /// Whether a state without successors is an error, at [`Modules::deadlock_site`].
    pub deadlocks: bool,
    /// Whether `System::partial_order_reducing_expander` leaves out successors. All labels stay observable up
    /// to stuttering.
    pub reduce: bool,
    /// Whether one state stands for all that differ by a permutation of interchangeable components. Trails
    /// then pass through such states: [`Modules::run_behind`].
    pub symmetry: bool,
}

/// A program of modules, ready to be searched.
pub struct Modules<'p> {
    pub(super) program: Program,
    pub(super) commands: Vec<CommandOf>,
    pub(super) compiler: &'p dyn Compiler,
    pub(super) options: ModulesOptions,
    pub(super) layout: Layout,
    pub(super) initial: Vec<u64>,
    pub(super) step: StepKernel,
    pub(super) step_code: Box<dyn Code>,
    /// Evaluates the labels; `None` without labels.
    pub(super) label_code: Option<Box<dyn Code>>,
    pub(super) stubborn: Option<Stubborn>,
    orbits: Vec<Orbit>,
    pub(super) canonicalizer: Option<Canonicalizer>,
    /// The value for which a field had no room, if a search found one.
    pub(super) overflow: Mutex<Option<(FieldId, i64)>>,
    /// The least state in which evaluation failed during a search, and the site.
    pub(super) failure: Mutex<Option<(Vec<u64>, Site)>>,
}

impl<'p> Modules<'p> {
    /// Finds the initial states and compiles the kernels.
    ///
    /// # Errors
    /// The program has processes, too large synchronisations, or no initial state.
    pub fn new(
        program: &Program,
        options: ModulesOptions,
        compiler: &'p dyn Compiler,
        control: &Control<'_>,
    ) -> Result<Self, ExploreError> {
        assert!(options.labels.len() <= MAX_LABELS, "observations have room for the labels");
        let (program, commands) = split(program);
        let orbits = match options.symmetry {
            true => {
                let observe = Selection { labels: options.labels.clone(), ..Selection::default() };
                interchangeable_components(&program, &observe)
            }
            false => Vec::new(),
        };
        Self::with_layout((program, commands), orbits, options, compiler, control)
    }

    fn with_layout(
        (program, commands): (Program, Vec<CommandOf>),
        orbits: Vec<Orbit>,
        options: ModulesOptions,
        compiler: &'p dyn Compiler,
        control: &Control<'_>,
    ) -> Result<Self, ExploreError> {
        let layout = Layout::new(&program);
        let with_choices = StepOptions { choices: true, ..StepOptions::default() };
        let step = kernels::step(&program, &layout, &with_choices)?;
        let step_code = compiler.compile(&step.kernel)?;
        let label_code = match options.labels.is_empty() {
            true => None,
            false => {
                let selection = Selection { labels: options.labels.clone(), ..Selection::default() };
                Some(compiler.compile(&kernels::observe(&program, &layout, &selection).kernel)?)
            }
        };
        let stubborn = match options.reduce {
            true => Stubborn::new(&program, &layout, &options.labels, compiler)?,
            false => None,
        };
        let mut initial = initial_states(&program, &layout, control)?;
        let mut canonicalizer = Canonicalizer::of(&orbits, &layout);
        if let Some(canonicalizer) = &mut canonicalizer {
            canonicalizer.canonicalize(&mut initial);
            initial = distinct(&initial, layout.words());
        }
        Ok(Modules {
            initial,
            orbits,
            canonicalizer,
            program,
            commands,
            compiler,
            options,
            layout,
            step,
            step_code,
            label_code,
            stubborn,
            overflow: Mutex::new(None),
            failure: Mutex::new(None),
        })
    }

    /// Searches, and repeats this with a larger layout while a field without declared bounds outgrows its
    /// window. Also returns the system whose layout the states of the last search have.
    ///
    /// # Errors
    /// Those of [`Modules::new`].
    pub fn searched<T>(
        mut self,
        control: &Control<'_>,
        mut search: impl FnMut(&Self) -> T,
        outcome: impl Fn(&T) -> Outcome,
    ) -> Result<(Self, T), ExploreError> {
        loop {
            let found = search(&self);
            if !matches!(outcome(&found), Outcome::LayoutOverflow { .. }) {
                return Ok((self, found));
            }
            let overflow = self.overflow.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Some((field, value)) = overflow {
                widen(&mut self.program, &self.orbits, field, value);
            }
            let program = (self.program, self.commands);
            self = Self::with_layout(program, self.orbits, self.options, self.compiler, control)?;
        }
    }

    /// How states are packed.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The command of a step of a trail.
    pub fn command(&self, step: u32) -> CommandOf {
        self.commands[step as usize]
    }

    /// The site of deadlocks: the one after those of the program.
    pub fn deadlock_site(&self) -> u32 {
        self.program.sites.len() as u32
    }

    /// Whether successors may be left out.
    pub fn is_reduced(&self) -> bool {
        self.stubborn.is_some()
    }

    /// The components by whose permutations states are merged.
    pub fn orbits(&self) -> &[Orbit] {
        &self.orbits
    }

    /// The least state in which evaluation failed during searches, and the site. A search for violations of a
    /// claim treats such a state as the end of a run.
    pub fn failure(&self) -> Option<(Site, Vec<u64>)> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(|(state, site)| (*site, state.clone()))
    }

    pub(super) fn note_failure(&self, site: Site, state: &[u64]) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(known, _)| state < known.as_slice()) {
            *failure = Some((state.to_vec(), site));
        }
    }

    /// Records that a field needs room for a value. Returns whether this is why evaluation failed.
    pub(super) fn needs_room(&self, site: Site, state: &[u64]) -> bool {
        let Some(overflow) =
            outgrown(&self.program, site, &Scene::of_state(&self.program, &self.layout.unpack(state)))
        else {
            return false;
        };
        *self.overflow.lock().unwrap_or_else(PoisonError::into_inner) = Some(overflow);
        true
    }
}

/// States, concatenated, each once.
fn distinct(states: &[u64], words: usize) -> Vec<u64> {
    let mut seen: FxHashSet<&[u64]> = FxHashSet::default();
    states.chunks_exact(words).filter(|state| seen.insert(state)).flatten().copied().collect()
}
