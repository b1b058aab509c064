//! The state space of one program, reused for another that differs in weights, rewards and observations.
//!
//! The steps are the same, and so are states, targets and their order. Only weights are evaluated again,
//! state by state in the order of exploration, and go to the recorded positions ([`RowPermutations`]); no
//! state is looked up. Equality of the steps is verified: programs are compared node by node
//! ([`Parametric`]), and the kernel of weights fails if a weight is zero in only one program. The result is
//! bit for bit that of exploring the other program; or a [`Mismatch`], after which the other program must be
//! explored. Errors in the other program are mismatches, too.

use crate::accuracy::resolve;
use crate::batch::Batch;
use crate::error::ExploreError;
use crate::explorer::{Explored, Options, structures, with_choices};
use crate::observe::Observing;
use crate::row_permutations::{Mark, RowPermutations};
use crate::rows::{mean_rewards, rate_rewards};
use volvelle_control::{Control, Monitor};
use volvelle_kernel::{Code, Compiler, Const, Exit, Site};
use volvelle_model::kernels::{self, Selection, StepKernel, StepOptions};
use volvelle_model::rounding::Plan;
use volvelle_model::{Difference, Domain, Layout, Parametric, Program};
use volvelle_space::{Kind, Values, ValuesBuilder};

/// An explored program whose space can be reused.
pub struct Reusable {
    explored: Explored,
    parametric: Parametric,
    /// The parameters under which the weights in the space were computed.
    values: Vec<Const>,
    kernel: Option<Kernel>,
    /// A program with twins on its steps ([`Plan::changes_steps`]), and the kernel for them.
    twins: Option<(Parametric, Kernel)>,
}

/// The kernel of the weights.
struct Kernel {
    /// Structures whose transition rewards it evaluates.
    structures: Vec<usize>,
    step: StepKernel,
    code: Box<dyn Code>,
}

/// Why a space cannot serve another program.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// The programs differ in more than numbers.
    Differs(Difference),
    /// In some state, a weight is zero in only one of the programs.
    Zero,
    /// Evaluating the other program failed, or was stopped.
    Failed(Box<ExploreError>),
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mismatch::Differs(difference) => difference.fmt(f),
            Mismatch::Zero => f.write_str("a probability or rate is zero at only one of the points"),
            Mismatch::Failed(_) => f.write_str("evaluating the model failed"),
        }
    }
}

impl From<ExploreError> for Mismatch {
    fn from(error: ExploreError) -> Self {
        Mismatch::Failed(Box::new(error))
    }
}

impl Reusable {
    /// Prepares an explored program for reuse. `Err` if exploration did not record what is needed
    /// ([`Options::reusable`], and enough memory for it).
    #[expect(clippy::result_large_err, reason = "what was given is given back")]
    pub fn new(program: Program, explored: Explored) -> Result<Self, Explored> {
        if explored.slots.is_none() {
            return Err(explored);
        }
        Ok(Reusable {
            explored,
            parametric: Parametric::new(program),
            values: Vec::new(),
            kernel: None,
            twins: None,
        })
    }

    /// The explored program that it is at present.
    pub fn explored(&self) -> &Explored {
        &self.explored
    }

    /// Turns the space into that of another program: bit for bit the result of exploring it with the same
    /// options. After a mismatch, the space is gone.
    pub fn again(
        mut self,
        program: &Program,
        compiler: &dyn Compiler,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Self, Mismatch> {
        let plan = Plan::new(program, &options.observe);
        let mut structures = structures(program, &options.observe);
        let fit = self.parametric.fit(program, &structures).map_err(Mismatch::Differs)?;
        let known = |(i, r): (usize, &volvelle_space::RewardVectors)| r.choice.as_ref().map(|_| i);
        let same_structures =
            self.explored.space.rewards.iter().enumerate().filter_map(known).eq(structures.clone());
        let mut transition_rewards: Vec<Values>;
        let mut mixed = vec![false; self.explored.space.rewards.len()];
        // New parameters only arise where numbers differ.
        if same_structures && !fit.grown && self.values == fit.values {
            mixed = self.explored.space.rewards.iter().map(|rewards| rewards.mixed).collect();
            let rewards = self.explored.space.rewards.iter_mut();
            transition_rewards = rewards.filter_map(|r| r.choice.take()).collect();
        } else {
            if fit.grown || self.kernel.as_ref().is_none_or(|kernel| kernel.structures != structures) {
                self.kernel = None;
            }
            let kernel = match self.kernel.take() {
                Some(kernel) => kernel,
                None => compile(&self.parametric, &self.explored.layout, structures.clone(), compiler)?,
            };
            let parameters = fit.values.iter().map(as_double).collect();
            // The old weights go before the new ones come.
            self.explored.space.values = Values::from(Vec::new());
            self.explored.space.rewards.clear();
            let weights = evaluate_weights(&self.explored, &kernel, parameters, control)?;
            self.explored.space.values = weights.values;
            transition_rewards = weights.rewards;
            structures
                .iter()
                .zip(weights.mixed)
                .for_each(|(&structure, is_mixed)| mixed[structure] = is_mixed);
            self.kernel = Some(kernel);
        }
        self.values = fit.values;
        if let (Some(with_twins), true) = (&plan.program, plan.changes_steps()) {
            let (twins, values) = self.twins_on_steps(with_twins, &plan.observe, compiler, control)?;
            structures.extend(twins);
            transition_rewards.extend(values);
        }
        let reached = self.explored.reached();
        let operations = self.explored.operations;
        let Explored { space, states, layout, .. } = &mut self.explored;
        let program = &with_room(plan.program.as_ref().unwrap_or(program), layout);
        let observing = Observing { program, layout, states, structures: &structures, reached, code: None };
        let observed = observing.all(transition_rewards, compiler, &plan.observe, control)?;
        space.labels = observed.labels;
        space.rewards = observed.rewards;
        space.rewards.iter_mut().zip(mixed).for_each(|(rewards, mixed)| rewards.mixed = mixed);
        let mut numbers = observed.numbers;
        self.explored.errors = resolve(&plan, program.kind(), operations, space, &mut numbers);
        self.explored.numbers = numbers;
        self.explored.replaced = observed.replaced;
        Ok(self)
    }

    /// The twins of transition rewards in a program, by number of structure. The program was verified to have
    /// the steps of this space.
    fn twins_on_steps(
        &mut self,
        program: &Program,
        observe: &Selection,
        compiler: &dyn Compiler,
        control: &Control<'_>,
    ) -> Result<(Vec<usize>, Vec<Values>), Mismatch> {
        let mut twins = structures(program, observe);
        twins.retain(|&structure| structure >= self.parametric.program().rewards.len());
        let known = self.twins.take().filter(|(_, kernel)| kernel.structures == twins);
        let fitted = known.and_then(|(mut parametric, kernel)| {
            let fit = parametric.fit(program, &twins).ok()?;
            Some((parametric, kernel, fit))
        });
        let (parametric, kernel, values) = match fitted {
            Some((parametric, kernel, fit)) if !fit.grown => (parametric, kernel, fit.values),
            grown => {
                // If twins differ in more than numbers, they form a new program; weights are known to be zero
                // in the same states.
                let (parametric, values) = match grown {
                    Some((parametric, _, fit)) => (parametric, fit.values),
                    None => (Parametric::new(program.clone()), Vec::new()),
                };
                let kernel = compile(&parametric, &self.explored.layout, twins.clone(), compiler)?;
                (parametric, kernel, values)
            }
        };
        let parameters = values.iter().map(as_double).collect();
        let weights = evaluate_weights(&self.explored, &kernel, parameters, control)?;
        self.twins = Some((parametric, kernel));
        Ok((twins, weights.rewards))
    }
}

/// A program whose growing fields have the ranges of a layout.
fn with_room(program: &Program, layout: &Layout) -> Program {
    let mut program = program.clone();
    for (field, slot) in program.fields.iter_mut().zip(layout.slots().values()) {
        if let Domain::Growing { lo, hi } = &mut field.domain {
            *lo = slot.lo;
            *hi = slot.lo.saturating_add_unsigned(slot.mask() >> slot.shift);
        }
    }
    program
}

/// Parameters are doubles or integers that doubles hold.
fn as_double(value: &Const) -> f64 {
    value.as_f64().or(value.as_i64().map(|v| v as f64)).unwrap_or(f64::NAN)
}

fn compile(
    parametric: &Parametric,
    layout: &Layout,
    structures: Vec<usize>,
    compiler: &dyn Compiler,
) -> Result<Kernel, ExploreError> {
    let options = StepOptions {
        choices: with_choices(parametric.program().kind(), &structures),
        rewards: structures.clone(),
        ..StepOptions::default()
    };
    let step = kernels::weights(parametric, layout, &options)?;
    let code = compiler.compile(&step.kernel)?;
    Ok(Kernel { structures, step, code })
}

/// The state that threads share. They take turns in the order of the marks.
struct Turns {
    /// Marks given out.
    taken: usize,
    /// Marks whose weights were appended.
    appended: usize,
    values: ValuesBuilder,
    rewards: Vec<ValuesBuilder>,
    mixed: Vec<bool>,
    refusal: Option<Mismatch>,
}

impl Turns {
    /// Appends finished rows, and checks the limits.
    fn append(&mut self, rows: &Rows<'_>, control: &Control<'_>) -> Result<(), Mismatch> {
        self.values.extend(&rows.values);
        let structures = self.rewards.len();
        for (k, rewards) in self.rewards.iter_mut().enumerate() {
            rows.rewards.iter().skip(k).step_by(structures).for_each(|&reward| rewards.push(reward));
        }
        self.mixed.iter_mut().zip(&rows.mixed).for_each(|(all, &more)| *all |= more);
        let new =
            self.rewards.iter().chain([&self.values]).map(|values| values.so_far().bytes()).sum::<u64>();
        let reached = rows.explored.reached();
        let go_on = control.check().and_then(|()| control.check_memory(reached.bytes + new));
        go_on.map_err(|stop| ExploreError::Stopped { stop, reached }.into())
    }
}

/// The weights and transition rewards of all states.
struct Weights {
    values: Values,
    /// For each structure of the kernel.
    rewards: Vec<Values>,
    /// Whether means of different rewards are among them, for each structure.
    mixed: Vec<bool>,
}

/// The weights and transition rewards of all states, for given values of the parameters.
fn evaluate_weights(
    explored: &Explored,
    kernel: &Kernel,
    parameters: Vec<f64>,
    control: &Control<'_>,
) -> Result<Weights, Mismatch> {
    let Some(slots) = &explored.slots else { return Err(Mismatch::Differs(Difference::Commands)) };
    let structures = kernel.structures.len();
    let turns = Monitor::new(Turns {
        taken: 0,
        appended: 0,
        values: ValuesBuilder::new(),
        rewards: vec![ValuesBuilder::new(); structures],
        mixed: vec![false; structures],
        refusal: None,
    });
    let marks = slots.marks();
    let work = || {
        let _guard = turns.guard();
        let mut rows = Rows::new(explored, slots, kernel);
        let mut batch = Batch::new(&kernel.step);
        batch.parameters = Some(parameters.clone());
        loop {
            let mut turn = turns.lock();
            let number = turn.taken;
            if number == marks.len() || turn.refusal.is_some() {
                break;
            }
            turn.taken += 1;
            drop(turn);
            let end = marks.get(number + 1).map_or(explored.states.len(), |mark| mark.state);
            let done = rows.compute(&mut batch, marks[number], end);
            let Some(mut turn) = turns.wait_until(|turns| turns.appended == number) else { break };
            turn.appended += 1;
            // The first mismatch in the order of states counts; later ones also wait for their turn.
            if turn.refusal.is_none() {
                turn.refusal = done.and_then(|()| turn.append(&rows, control)).err();
            }
            drop(turn);
            turns.notify();
        }
    };
    let threads = control.threads.clamp(1, marks.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let turns = turns.into_inner();
    match turns.refusal {
        Some(refusal) => Err(refusal),
        None => Ok(Weights {
            values: turns.values.finish(),
            rewards: turns.rewards.into_iter().map(ValuesBuilder::finish).collect(),
            mixed: turns.mixed,
        }),
    }
}

/// The weights of consecutive rows, under construction.
struct Rows<'a> {
    explored: &'a Explored,
    slots: &'a RowPermutations,
    kernel: &'a Kernel,
    values: Vec<f64>,
    rewards: Vec<f64>,
    mixed: Vec<bool>,
    /// The next row, and the next slot.
    row: usize,
    slot: usize,
}

impl<'a> Rows<'a> {
    fn new(explored: &'a Explored, slots: &'a RowPermutations, kernel: &'a Kernel) -> Self {
        let (values, rewards, mixed) = (Vec::new(), Vec::new(), Vec::new());
        Rows { explored, slots, kernel, values, rewards, mixed, row: 0, slot: 0 }
    }

    /// Computes the rows from a mark up to state `end`.
    fn compute(&mut self, batch: &mut Batch, mark: Mark, end: usize) -> Result<(), Mismatch> {
        self.values.clear();
        self.rewards.clear();
        self.mixed.clear();
        (self.row, self.slot) = (mark.row, mark.slot);
        let mut at = mark.state;
        while at < end {
            let exit = batch.expand(&*self.kernel.code, self.explored.states.run(at, end - at));
            at += batch.state_ends.len();
            self.add(batch).ok_or(Mismatch::Differs(Difference::Commands))?;
            match exit {
                Exit::Done | Exit::Full(_) => {}
                Exit::Failed(site) => return Err(self.failed(site)),
                Exit::OutOfBounds(buffer) => unreachable!("the kernel of weights left buffer {}", buffer.0),
            }
        }
        Ok(())
    }

    fn failed(&self, site: Site) -> Mismatch {
        if Some(site) == self.kernel.step.turned {
            return Mismatch::Zero;
        }
        // The site belongs to the base program and is not reported: exploring the other program finds its
        // own.
        let error = ExploreError::Failed { site, values: Vec::new(), state: None, path: Vec::new() };
        error.into()
    }

    /// Adds the states of a batch. `None` if its weights do not belong to these rows.
    fn add(&mut self, batch: &Batch) -> Option<()> {
        let (kind, structures) = (self.explored.space.kind, self.kernel.structures.len());
        let with_choices = kind != Kind::Ctmc || structures > 0;
        let (mut choice, mut successor) = (0usize, 0usize);
        for &end in &batch.state_ends {
            let (first_choice, first) = (choice, successor);
            if with_choices {
                choice = end as usize;
                successor = if choice == 0 { 0 } else { batch.choice_ends[choice - 1] as usize };
            } else {
                successor = end as usize;
            }
            let (choices, weights) = (first_choice..choice, &batch.weights[first..successor]);
            match kind {
                // Nothing is recorded for automata: see `Options::reusable`.
                Kind::MarkovAutomaton => return None,
                Kind::Mdp if choices.is_empty() => {
                    self.rewards.extend(std::iter::repeat_n(0.0, structures));
                    self.end_without_successors()?;
                }
                Kind::Mdp => {
                    let mut begin = first;
                    for choice in choices {
                        let end = batch.choice_ends[choice] as usize;
                        self.add_row(&batch.weights[begin..end], 1.0)?;
                        self.rewards.extend(&batch.rewards[choice * structures..(choice + 1) * structures]);
                        begin = end;
                    }
                }
                Kind::Dtmc => {
                    let count = choices.len().max(1) as f64;
                    mean_rewards(&mut self.rewards, &mut self.mixed, structures, batch, choices);
                    self.add_chain_row(weights, count)?;
                }
                Kind::Ctmc => {
                    if with_choices {
                        rate_rewards(&mut self.rewards, structures, batch, choices, first);
                    }
                    self.add_chain_row(weights, 1.0)?;
                }
            }
        }
        Some(())
    }

    fn add_chain_row(&mut self, weights: &[f64], divisor: f64) -> Option<()> {
        if weights.is_empty() { self.end_without_successors() } else { self.add_row(weights, divisor) }
    }

    /// The loop of a state without successors.
    fn end_without_successors(&mut self) -> Option<()> {
        let length = self.length()?;
        self.row += 1;
        self.values.push(1.0);
        (length == 1).then_some(())
    }

    /// Number of transitions of the next row; `None` after the last.
    fn length(&self) -> Option<usize> {
        let space = &self.explored.space;
        (self.row < space.num_choices()).then(|| space.row(self.row).len())
    }

    /// As in [`crate::rows::Rows`]: weights of equal targets are added in the order of discovery, then
    /// divided.
    fn add_row(&mut self, weights: &[f64], divisor: f64) -> Option<()> {
        let length = self.length()?;
        let start = self.values.len();
        if self.slots.is_ordered(self.row) {
            self.values.extend_from_slice(weights);
            if weights.len() != length {
                return None;
            }
        } else {
            self.values.resize(start + length, 0.0);
            // Zero plus the first weight is the first weight.
            self.slots.scatter(self.slot, weights, &mut self.values[start..])?;
            self.slot += weights.len();
        }
        if divisor != 1.0 {
            self.values[start..].iter_mut().for_each(|value| *value /= divisor);
        }
        self.row += 1;
        Some(())
    }
}
