//! Exploring a program: the driver.

use crate::accuracy::{Errors, RowOperations, resolve};
use crate::assemble::Assembler;
use crate::batch::Batch;
use crate::canonical::Canonicalizer;
use crate::error::{ExploreError, Reached};
use crate::initial::initial_states;
use crate::levels::{Levels, StepLimit, append_unexpanded};
use crate::memo::{Known, Memo};
use crate::modules::{Stubborn, split};
use crate::observe::Observing;
use crate::overflow::outgrown;
use crate::patience;
use crate::row_permutations::RowPermutations;
use crate::rows::RowShape;
use crate::scene::Scene;
use crate::store::{Index, StateTable, UNKNOWN};
use crate::tiers::{Patience, Tiers};
use crate::trace;
use crate::widening::widen;
use crate::workers::{self, Expansion, Frontier, Outcome};
use std::borrow::Cow;
use volvelle_control::{Control, Stop};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Effort, ExprId};
use volvelle_model::kernels::{self, KernelError, Selection, StepKernel, StepOptions};
use volvelle_model::rounding::Plan;
use volvelle_model::symmetry::{Orbit, interchangeable_components};
use volvelle_model::{Initial, Kind, Layout, Program, Terms};
use volvelle_space::{BitSet, Choices, ExactSpace, Space, StateId, ValuesBuilder};

/// Selects the results besides the matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The observations to evaluate in every state. Reward structures include transition rewards.
    pub observe: Selection,
    /// Whether to record what [`Reusable`](crate::Reusable) needs, if memory allows. It takes about a byte
    /// for each successor of states whose successors are not found in the order of their numbers. Nothing is
    /// recorded where choices of a nondeterministic model are merged: in Markov automata.
    pub reusable: bool,
    /// Whether one state stands for all that differ by a permutation of interchangeable components
    /// ([`interchangeable_components`]). Observations have the same values as in the full space:
    /// probabilities, rewards, formulas of all logics. But states lose their identity, and nothing is
    /// reusable.
    pub symmetry: bool,
    /// A limit of steps from the initial states, for step-bounded properties. States at the limit keep a
    /// loop, and earn their rewards. Nothing is reusable.
    pub steps: Option<StepLimit>,
    /// Compiles machine code of this kind from the first state on, for tests. By default, small models are
    /// interpreted, and code is compiled quickly or well depending on the amount of work.
    pub code: Option<Effort>,
}

/// An explored program.
#[derive(Debug)]
pub struct Explored {
    /// Matrix, labels, rewards. `labels[i]` belongs to observation `i` of the program and `rewards[i]` to
    /// reward structure `i`; those not selected are empty.
    pub space: Space,
    /// Values of the numeric observations in all states; empty if not selected.
    pub numbers: Vec<Vec<f64>>,
    /// For every number, the first state in which it only has a value because a division by zero gives
    /// infinity or NaN.
    pub replaced: Vec<Option<StateId>>,
    /// The packed states.
    pub states: StateTable,
    /// The index that found the states: `array` over the whole domain, or `hash table`.
    pub index: &'static str,
    /// The states without successors because the program stops there, or because of the limit of steps;
    /// `None` without such a limit. They have loops, and are no deadlocks. If the program stops there, they
    /// earn nothing.
    pub unexpanded: Option<BitSet>,
    /// The packing of states. It differs from `Layout::new` of the program if fields have grown.
    pub layout: Layout,
    pub(crate) slots: Option<RowPermutations>,
    /// Components by whose permutations states were merged.
    pub orbits: Vec<Orbit>,
    /// The same numbers as rationals.
    pub rationals: Rationals,
    /// Errors of its numbers relative to the program; for rewards, see [`volvelle_space::Accuracy`].
    pub errors: Errors,
    pub(crate) operations: RowOperations,
    /// Whether machine code ran; otherwise everything was interpreted.
    pub compiled: bool,
}

/// The source of the rational numbers of a space.
#[derive(Clone, Debug, PartialEq)]
pub enum Rationals {
    /// The program computes them.
    Computed,
    /// They were read with the space.
    Read(ExactSpace),
    /// The space was read, and its file has rounded numbers only.
    Missing,
}

impl Explored {
    /// Bytes held, except numeric observations.
    pub fn bytes(&self) -> u64 {
        let unexpanded = self.unexpanded.as_ref().map_or(0, |set| set.len().div_ceil(8) as u64);
        self.states.bytes()
            + self.space.bytes()
            + self.slots.as_ref().map_or(0, RowPermutations::bytes)
            + unexpanded
    }

    /// Another space whose states are states of this one (`state_of`), such as the chain of a scheduler.
    /// Projects `numbers`. Its rows are sums over at most `mixed` choices of this space.
    pub fn followed(&self, space: Space, state_of: &[u32], mixed: u32) -> Explored {
        let mut states = StateTable::new(self.states.words());
        for &state in state_of {
            states.append(self.states.get(state as usize));
        }
        let project = |numbers: &Vec<f64>| -> Vec<f64> {
            if numbers.is_empty() {
                return Vec::new();
            }
            state_of.iter().map(|&s| numbers[s as usize]).collect()
        };
        let unexpanded = self.unexpanded.as_ref().map(|set| {
            let members = (0..state_of.len()).filter(|&i| set.contains(state_of[i] as usize));
            BitSet::of(state_of.len(), members)
        });
        let number_of =
            |state: StateId| state_of.iter().position(|&s| s == state.0).map(|at| StateId(at as u32));
        Explored {
            space,
            numbers: self.numbers.iter().map(project).collect(),
            states,
            index: self.index,
            unexpanded,
            layout: self.layout.clone(),
            slots: None,
            orbits: Vec::new(),
            rationals: Rationals::Missing,
            replaced: self.replaced.iter().map(|replaced| (*replaced).and_then(number_of)).collect(),
            errors: self.errors.projected(state_of, mixed),
            operations: self.operations,
            compiled: self.compiled,
        }
    }

    /// The sizes of the space, for error reports.
    pub(crate) fn reached(&self) -> Reached {
        let (states, transitions) = (self.space.num_states() as u64, self.space.num_transitions() as u64);
        Reached { states, expanded: states, transitions, bytes: self.bytes() }
    }
}

/// Bits of a state up to which there are so few states that quickly compiled code suffices. (Replacing it
/// later does not pay: a model large enough for the difference deserves better code from the beginning.)
const FEW_BITS: u32 = 12;

/// A step kernel with its code.
struct TieredStep {
    kernel: StepKernel,
    tiers: Tiers,
}

/// Explores all states that can be reached.
pub fn explore(
    program: &Program,
    compiler: &dyn Compiler,
    options: &Options,
    control: &Control<'_>,
) -> Result<Explored, ExploreError> {
    run(program, None, None, compiler, options, control)
}

/// Like [`explore`], for a program that applies functions of the front end ([`Program::apply`]). Calls
/// `terms` once for each application, in an order that does not depend on threads, and for the texts of terms
/// in labels. Observations and the condition under which a program stops must not apply functions.
/// [`Options::symmetry`] has no effect, and nothing is reusable.
///
/// # Errors
/// [`ExploreError::Undefined`] where `terms` has no value, and [`KernelError::Functions`] where an observation applies functions.
pub fn explore_with_terms(
    program: &Program,
    terms: &mut dyn Terms,
    compiler: &dyn Compiler,
    options: &Options,
    control: &Control<'_>,
) -> Result<Explored, ExploreError> {
    run(program, None, Some(Memo::new(program, terms)), compiler, options, control)
}

/// Explores an MDP without the choices for which others stand (a single choice that is a stubborn set: C.
/// Baier, M. Größer, F. Ciesinski, *Partial order reduction for probabilistic systems*, QEST 2004). This
/// preserves the minimal and maximal probabilities of formulas over the observed labels that do not depend on
/// repetitions of a state (no next, no step bounds). It does not preserve rewards or branching time. `None`
/// if nothing can be left out: for other kinds of programs, or if rewards or numbers are observed.
pub fn explore_reduced(
    program: &Program,
    compiler: &dyn Compiler,
    options: &Options,
    control: &Control<'_>,
) -> Option<Result<Explored, ExploreError>> {
    let Selection { rewards, numbers, .. } = &options.observe;
    let fits = program.kind() == Kind::Mdp
        && !RowShape::new(program, 0).merges()
        && rewards.is_empty()
        && numbers.is_empty()
        && !options.reusable;
    if !fits || !program.is_static() || !program.applications.is_empty() {
        return None;
    }
    let (split, commands) = split(program);
    let stubborn = match Stubborn::new(&split, &Layout::new(&split), &options.observe.labels, compiler) {
        Ok(stubborn) => stubborn?,
        Err(error) => return Some(Err(error.into())),
    };
    let explored = run(&split, Some(stubborn), None, compiler, options, control);
    Some(explored.map_err(|error| match error {
        ExploreError::Failed { site, values, state, mut path } => {
            path.iter_mut().for_each(|step| step.group = commands[step.group.index()].group);
            ExploreError::Failed { site, values, state, path }
        }
        error => error,
    }))
}

/// `reduction` is for the program in its first layout.
fn run(
    program: &Program,
    mut reduction: Option<Stubborn>,
    memo: Option<Memo<'_>>,
    compiler: &dyn Compiler,
    options: &Options,
    control: &Control<'_>,
) -> Result<Explored, ExploreError> {
    let orbits = match options.symmetry {
        true => interchangeable_components(program, &options.observe),
        false => Vec::new(),
    };
    if program.applies_functions(outside_steps(program, &options.observe)) {
        return Err(KernelError::Functions.into());
    }
    let mut plan = Plan::new(program, &options.observe);
    let mut program = match plan.program.take() {
        Some(with_twins) => Cow::Owned(with_twins),
        None => Cow::Borrowed(program),
    };
    let options = &Options { observe: plan.observe.clone(), ..options.clone() };
    let structures = structures(&program, &options.observe);
    let mut layout = Layout::new(&program);
    let mut canonicalizer = Canonicalizer::of(&orbits, &layout);
    let functions = memo.is_some();
    let mut step = step_with_code(&program, &layout, &structures, functions, options.code, compiler)?;
    let shape = RowShape::new(&program, structures.len());
    let reusable = options.reusable
        && !shape.merges()
        && orbits.is_empty()
        && options.steps.is_none()
        && program.applications.is_empty();
    let mut packed = initial_states(&program, &layout, control)?;
    canonicalizer.iter_mut().for_each(|canonicalizer| canonicalizer.canonicalize(&mut packed));
    let mut frontier = start(&packed, &layout, &shape, reusable, control)?;
    frontier.levels = options.steps.map(Levels::new);
    loop {
        let expansion = Expansion {
            program: &program,
            step: &step.kernel,
            tiers: &step.tiers,
            compiler,
            reduction: reduction.as_ref(),
            canonicalizer: canonicalizer.as_ref(),
            memo: memo.as_ref(),
        };
        match workers::run(&mut frontier, expansion, &shape, control) {
            Outcome::Done => break,
            Outcome::Stopped(stop) => return Err(stopped(stop, &frontier)),
            Outcome::TooLarge(what) => return Err(ExploreError::TooLarge { what }),
            Outcome::Failed { site, state } => {
                let mut known = memo.as_ref().map(Memo::write);
                let tables = known.as_ref().map_or(&[][..], |known| &known.tables);
                let (code, packed) = (step.tiers.interpreted(), frontier.states.get(state));
                let batch = &mut Batch::new(&step.kernel);
                let scene = Scene::of_failure(&program, &step.kernel, code, batch, packed, tables);
                let grown = scene.and_then(|(_, scene)| outgrown(&program, site, &scene));
                let Some((field, value)) = grown else {
                    let arrival = trace::arrival(&frontier, &program, &layout, tables, canonicalizer, state);
                    let (site, values) = (arrival.site.unwrap_or(site), layout.unpack(&arrival.state));
                    let (state, path) = (StateId(state as u32), arrival.path);
                    return Err(match known.as_mut().and_then(|known| known.undefined.take()) {
                        Some(application) => {
                            ExploreError::Undefined { site, application, values, state, path }
                        }
                        None => ExploreError::Failed { site, values, state: Some(state), path },
                    });
                };
                drop(known);
                widen(program.to_mut(), &orbits, field, value);
                let wider = Layout::new(&program);
                canonicalizer = Canonicalizer::of(&orbits, &wider);
                (frontier.states, frontier.index) =
                    repack(&frontier.states, &layout, &wider, &mut canonicalizer);
                layout = wider;
                step = step_with_code(&program, &layout, &structures, functions, options.code, compiler)?;
                if reduction.is_some() {
                    reduction = Stubborn::new(&program, &layout, &options.observe.labels, compiler)?;
                }
            }
        }
    }
    let expanded = frontier.matrix.states;
    if !append_unexpanded(&mut frontier.matrix, frontier.states.len(), &step.kernel, &shape) {
        return Err(ExploreError::TooLarge { what: "transitions" });
    }
    let known = memo.map(Memo::into_inner);
    let terms = known.as_ref().map(Known::terms);
    let mut explored =
        finish(&program, terms, layout, frontier, expanded, &structures, compiler, options, control)?;
    let Explored { space, numbers, operations, .. } = &mut explored;
    let errors = resolve(&plan, program.kind(), *operations, space, numbers);
    let compiled = explored.compiled || step.tiers.are_compiled();
    Ok(Explored { orbits, compiled, errors, ..explored })
}

/// A state with several choices, if the first `states` states contain one.
pub fn state_with_choices(program: &Program, states: u64, control: &Control<'_>) -> Option<Vec<i64>> {
    let mut control = *control;
    control.limits.states = Some(states);
    let mut program = Cow::Borrowed(program);
    let mut layout = Layout::new(&program);
    let shape = RowShape::new(&program, 0);
    let packed = initial_states(&program, &layout, &control).ok()?;
    let mut frontier = start(&packed, &layout, &shape, false, &control).ok()?;
    loop {
        let step = step_with_code(&program, &layout, &[], false, None, &Interpreter).ok()?;
        let expansion = Expansion {
            program: &program,
            step: &step.kernel,
            tiers: &step.tiers,
            compiler: &Interpreter,
            reduction: None,
            canonicalizer: None,
            memo: None,
        };
        let outcome = workers::run(&mut frontier, expansion, &shape, &control);
        if let Some(state) = frontier.matrix.choice_start.windows(2).position(|ends| ends[1] - ends[0] > 1) {
            return Some(layout.unpack(frontier.states.get(state)));
        }
        let Outcome::Failed { site, state } = outcome else { return None };
        let packed = frontier.states.get(state);
        let (code, batch) = (step.tiers.interpreted(), &mut Batch::new(&step.kernel));
        let (_, scene) = Scene::of_failure(&program, &step.kernel, code, batch, packed, &[])?;
        let (field, value) = outgrown(&program, site, &scene)?;
        widen(program.to_mut(), &[], field, value);
        let wider = Layout::new(&program);
        (frontier.states, frontier.index) = repack(&frontier.states, &layout, &wider, &mut None);
        layout = wider;
    }
}

/// The kind of the state space for a kind of program: a labelled transition system is an MDP without
/// probabilities, an interactive Markov chain a Markov automaton without them.
pub fn kind_of_space(kind: Kind) -> volvelle_space::Kind {
    match kind {
        Kind::Dtmc => volvelle_space::Kind::Dtmc,
        Kind::Ctmc => volvelle_space::Kind::Ctmc,
        Kind::Mdp | Kind::Lts => volvelle_space::Kind::Mdp,
        Kind::InteractiveMarkovChain | Kind::MarkovAutomaton => volvelle_space::Kind::MarkovAutomaton,
    }
}

/// The selected structures that have transition rewards.
pub(crate) fn structures(program: &Program, observe: &Selection) -> Vec<usize> {
    observe.rewards.iter().copied().filter(|&r| !program.rewards[r].transitions.is_empty()).collect()
}

/// The expressions evaluated outside of steps: initial states, observations, and where the program stops.
fn outside_steps(program: &Program, observe: &Selection) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = program.stop_condition().into_iter().collect();
    if let Initial::Predicate(predicate) = program.initial {
        roots.push(predicate);
    }
    roots.extend(observe.labels.iter().map(|&label| program.labels[label].expr));
    for &structure in &observe.rewards {
        roots
            .extend(program.rewards[structure].states.iter().flat_map(|reward| [reward.guard, reward.value]));
    }
    let numbers = observe.numbers.iter().map(|&number| &program.numbers[number]);
    roots.extend(numbers.flat_map(|number| std::iter::once(number.expr).chain(number.otherwise)));
    roots
}

/// Whether the step kernel must distinguish choices.
pub(crate) fn with_choices(kind: Kind, structures: &[usize]) -> bool {
    kernels::needs_choices(kind) || !structures.is_empty()
}

fn step_with_code(
    program: &Program,
    layout: &Layout,
    structures: &[usize],
    functions: bool,
    code: Option<Effort>,
    compiler: &dyn Compiler,
) -> Result<TieredStep, ExploreError> {
    let options = StepOptions {
        choices: with_choices(program.kind(), structures),
        rewards: structures.to_vec(),
        functions,
        dynamic_only: false,
    };
    let kernel = kernels::step(program, layout, &options)?;
    let effort = if layout.bits() <= FEW_BITS { Effort::Quick } else { Effort::Usual };
    let interpreted = patience::interpreted(program, &kernel.kernel.body);
    let patience = match code {
        None => Patience { interpreted, first: u64::MAX, efforts: [effort; 2] },
        Some(effort) => Patience { interpreted: 0, first: 0, efforts: [effort; 2] },
    };
    let tiers = Tiers::new(&kernel.kernel, compiler, patience)?;
    Ok(TieredStep { kernel, tiers })
}

fn start(
    packed: &[u64],
    layout: &Layout,
    shape: &RowShape,
    reusable: bool,
    control: &Control<'_>,
) -> Result<Frontier, ExploreError> {
    let states = StateTable::new(layout.words());
    let mut index = Index::new(layout.words(), layout.bits());
    let count = packed.len() / layout.words();
    if let Some(larger) = index.reserve(&states, count) {
        index = larger;
    }
    let limit = control.limits.states.unwrap_or(u64::MAX).min(crate::store::MAX_STATES as u64) as usize;
    let mut numbers = vec![UNKNOWN; count];
    // SAFETY: no other thread has access to the table.
    let complete = unsafe { index.find_or_insert(&states, packed, &mut numbers, limit) };
    let initial = states.len();
    let matrix = Assembler::new(shape, reusable);
    let frontier = Frontier { states, index, matrix, initial, levels: None };
    if complete { Ok(frontier) } else { Err(stopped(Stop::States, &frontier)) }
}

fn stopped(stop: Stop, frontier: &Frontier) -> ExploreError {
    ExploreError::Stopped { stop, reached: frontier.reached() }
}

/// The same states in another layout, with the same numbers.
fn repack(
    states: &StateTable,
    from: &Layout,
    to: &Layout,
    canonicalizer: &mut Option<Canonicalizer>,
) -> (StateTable, Index) {
    let wider = StateTable::new(to.words());
    let mut index = Index::new(to.words(), to.bits());
    if let Some(larger) = index.reserve(&wider, states.len()) {
        index = larger;
    }
    let mut packed = Vec::new();
    let mut first = 0;
    while first < states.len() {
        let run = states.run(first, 4096);
        packed.clear();
        for state in run.chunks_exact(from.words()) {
            packed.extend(to.pack(&from.unpack(state)));
        }
        // The choice of canonical states depends on the layout.
        canonicalizer.iter_mut().for_each(|canonicalizer| canonicalizer.canonicalize(&mut packed));
        let count = run.len() / from.words();
        let mut numbers = vec![UNKNOWN; count];
        // SAFETY: no other thread has access to the table.
        unsafe { index.find_or_insert(&wider, &packed, &mut numbers, usize::MAX) };
        first += count;
    }
    (wider, index)
}

#[expect(clippy::too_many_arguments, reason = "everything that exploration left")]
fn finish(
    program: &Program,
    terms: Option<&dyn Terms>,
    layout: Layout,
    frontier: Frontier,
    expanded: usize,
    structures: &[usize],
    compiler: &dyn Compiler,
    options: &Options,
    control: &Control<'_>,
) -> Result<Explored, ExploreError> {
    let reached = frontier.reached();
    let Frontier { states, index, mut matrix, initial, levels } = frontier;
    let index_name = match &index {
        Index::Direct(_) => "array",
        Index::Hashed(_) => "hash table",
    };
    drop(index);
    let transition_rewards = matrix.rewards.into_iter().map(ValuesBuilder::finish).collect();
    let observing =
        Observing { program, layout: &layout, states: &states, structures, reached, code: options.code };
    let mut observe = options.observe.clone();
    let only_here = program.stop.filter(|stop| !observe.labels.contains(stop));
    observe.labels.extend(only_here);
    observe.labels.sort_unstable();
    let mut observed = observing.all(transition_rewards, compiler, &observe, control)?;
    for (&structure, mixed) in structures.iter().zip(matrix.mixed) {
        observed.rewards[structure].mixed = mixed;
    }
    let mut unexpanded = match only_here {
        Some(stop) => Some(std::mem::replace(&mut observed.labels[stop].1, BitSet::new(states.len()))),
        None => program.stop.map(|stop| observed.labels[stop].1.clone()),
    };
    if levels.is_some() && expanded < states.len() {
        let set = unexpanded.get_or_insert_with(|| BitSet::new(states.len()));
        (expanded..states.len()).for_each(|state| _ = set.insert(state));
    }
    let mut deadlocks = BitSet::new(states.len());
    for &state in &matrix.deadlocks {
        if unexpanded.as_ref().is_none_or(|set| !set.contains(state as usize)) {
            deadlocks.insert(state as usize);
        }
    }
    let kind = kind_of_space(program.kind());
    let actions = matrix.labels.finish(program, terms, &mut matrix.choice_action);
    let markovian = (kind == volvelle_space::Kind::MarkovAutomaton).then(|| {
        BitSet::of(matrix.row_start.len() - 1, matrix.markovian.iter().map(|&choice| choice as usize))
    });
    let space = Space {
        kind,
        choices: program.kind().is_nondeterministic().then_some(Choices {
            start: matrix.choice_start,
            action: matrix.choice_action,
            markovian,
        }),
        row_start: matrix.row_start,
        columns: matrix.columns,
        values: matrix.values.finish(),
        initial: (0..initial as u32).map(StateId).collect(),
        deadlocks,
        labels: observed.labels,
        rewards: observed.rewards,
        actions,
    };
    let (numbers, replaced) = (observed.numbers, observed.replaced);
    let (errors, operations) = (Errors::of_read(&space.values, Vec::new()), matrix.operations);
    let rationals = Rationals::Computed;
    let slots = matrix.slots;
    let orbits = Vec::new();
    let compiled = observed.compiled;
    let index = index_name;
    Ok(Explored {
        space,
        numbers,
        replaced,
        states,
        index,
        unexpanded,
        layout,
        slots,
        orbits,
        rationals,
        errors,
        operations,
        compiled,
    })
}
