//! The successor kernel.
//!
//! For every state of the batch, in order, and every group of the program, in order: all combinations of
//! enabled alternatives (first participant slowest), and for each the combinations of outcomes. Each
//! combination of alternatives is one *choice*. Weights of the outcomes multiply from the first
//! participant to the last, those without a choice first.
//!
//! Buffers after `states` and `range`: see [`step_buffer`]. If an append buffer is full, the kernel exits in
//! the middle of a state; `state_end` tells how many states are complete.
//!
//! If some groups yield to others ([`Class`](crate::Class)), the more urgent come first. Those that yield are
//! evaluated only if nothing more urgent was found (module `urgency`).
//!
//! A state in which the program stops has no choices; its guards are not evaluated.
//!
//! Only guards are evaluated until all participants of a step are enabled. An effect is evaluated only if its
//! weight is positive: a rate of zero protects an update that would leave its range.
//!
//! Commands that compare one field with different values are found by a jump (module `dispatch`).
//!
//! Small combinations are multiplied out in the code; larger ones ([`STATIC_LIMIT`]) by loops over what is
//! enabled (module `dynamic`). Both give the same sequence of successors.

use super::builder::{Builder, Scratch, StepOptions};
use super::dispatch::dispatch_inside;
use super::dynamic;
use super::label::label_words;
use super::state::Write;
use super::{KernelError, MAX_PARTICIPANTS, MAX_VARYING_PARTICIPANTS};
use crate::ids::ActionId;
use crate::layout::Layout;
use crate::program::Program;
use crate::steps::{Alternative, Group, Kind, Participant};
use crate::underflow;
use volvelle_kernel::{Block, ExprId, Kernel, Local, Node, Site, Stmt};

/// Indices of the buffers that every step kernel has.
pub mod step_buffer {
    /// `read u64`: packed states.
    pub const STATES: usize = 0;
    /// `read u64`: `[first, end)`, the states to expand.
    pub const RANGE: usize = 1;
    /// `append u64`: packed successors.
    pub const SUCCESSORS: usize = 2;
    /// `append f64`: probability or rate of each successor.
    pub const WEIGHTS: usize = 3;
    /// `append u32`: per choice, the number of successors so far. Empty without `choices`.
    pub const CHOICE_ENDS: usize = 4;
    /// `append u32`: per choice, the group. Empty without `choices`.
    pub const CHOICE_GROUPS: usize = 5;
    /// `append u32`: per state, the number of choices so far (without `choices`: of successors).
    pub const STATE_ENDS: usize = 6;
    /// `append f64`: per choice, one transition reward for each selected reward structure.
    pub const REWARDS: usize = 7;
    /// Scratch buffers start here: [`super::StepKernel::scratch`]. Kernels that need them have further
    /// buffers before: the data of labels (`append u64`: per choice, [`super::StepKernel::label_words`]), the
    /// tables of functions (`read i64`), and parameters (`read f64`).
    pub const SCRATCH: usize = 8;
}

/// Number of combinations of outcomes up to which a group is multiplied out in the code.
pub const STATIC_LIMIT: usize = 16;

/// The successor kernel of a program.
#[derive(Clone, Debug)]
pub struct StepKernel {
    /// The code.
    pub kernel: Kernel,
    /// Scratch buffers, at [`step_buffer::SCRATCH`] and up.
    pub scratch: Vec<Scratch>,
    /// Words of a state.
    pub words: usize,
    /// Rewards of a choice.
    pub rewards: usize,
    /// Words of a choice's label data ([`label_values`](super::label_values)); 0 if labels have none.
    pub label_words: usize,
    /// The locals of values that participants exchange.
    pub offered: Vec<Local>,
    /// Number of function tables ([`Table`](crate::tables::Table), `read i64`), which come after label data
    /// and before parameters.
    pub tables: usize,
    /// Whether it takes the values of parameters.
    pub parametric: bool,
    /// In a kernel with parameters: the site of failure if a weight is zero here but not in the base, or vice
    /// versa.
    pub turned: Option<Site>,
}

/// Makes the successor kernel.
pub fn step(program: &Program, layout: &Layout, options: &StepOptions) -> Result<StepKernel, KernelError> {
    if !program.is_static() {
        return Err(KernelError::Processes);
    }
    if !program.applications.is_empty() && !options.functions {
        return Err(KernelError::Functions);
    }
    finish(Builder::new(program, layout, options, None))
}

pub(super) fn finish(mut builder: Builder<'_>) -> Result<StepKernel, KernelError> {
    let program = builder.state.program;
    let mut body = match program.has_classes() {
        true => builder.by_urgency()?,
        false => builder.groups(0..program.groups.len())?,
    };
    // Steps do not assign to the locals of fields.
    let fields = program.fields.len();
    let is_field = |node| matches!(node, Node::Local(local, _) if local.index() < fields);
    body = dispatch_inside(body, builder.state.exprs(), &is_field);
    if let Some(stop) = program.stop_condition() {
        let goes_on = builder.state.exprs().not(stop);
        body = builder.when(goes_on, body);
    }
    body.push(builder.state_end());
    let Builder { state, scratch, options, parametric, turned, label_data, .. } = builder;
    let label_words = label_data.map_or(0, |_| label_words(program, state.offered.len()));
    let (offered, tables) = (state.offered.clone(), state.tables.len());
    Ok(StepKernel {
        words: state.layout.words(),
        kernel: state.finish(body),
        scratch,
        rewards: options.rewards.len(),
        label_words,
        offered,
        tables,
        parametric: parametric.is_some(),
        turned,
    })
}

impl Builder<'_> {
    /// Some groups, one after the other.
    pub fn groups(&mut self, groups: impl IntoIterator<Item = usize>) -> Result<Block, KernelError> {
        let program = self.state.program;
        let mut block = Vec::new();
        for number in groups {
            block.extend(self.group(number, &program.groups[number])?);
        }
        Ok(block)
    }

    fn group(&mut self, number: usize, group: &Group) -> Result<Block, KernelError> {
        let (fixed, varying): (Vec<&Participant>, Vec<&Participant>) =
            group.participants.iter().partition(|p| is_fixed(p));
        if varying.len() > MAX_VARYING_PARTICIPANTS {
            return Err(KernelError::TooManyParticipants { group: number, varying: varying.len() });
        }
        if group.participants.len() > MAX_PARTICIPANTS {
            let varying = group.participants.len();
            return Err(KernelError::TooManyParticipants { group: number, varying });
        }
        self.leaves_doubles = self.parametric.is_some() && group.participants.len() > 1
            || underflow::may_leave(self.state.program, &self.surroundings, group);
        if group.negotiates() {
            let ordered: Vec<&Participant> = fixed.into_iter().chain(varying).collect();
            return self.negotiated(number, group.action, &ordered);
        }
        // A single component moves alone, so nothing is multiplied out.
        let combinations = varying
            .iter()
            .map(|p| p.alternatives.iter().map(|a| a.outcomes.len()).sum::<usize>())
            .fold(1usize, usize::saturating_mul);
        let alone = group.participants.len() == 1;
        let inner = if alone || (combinations <= STATIC_LIMIT && !self.options.dynamic_only) {
            let fixed: Vec<&Alternative> = fixed.iter().map(|p| &p.alternatives[0]).collect();
            self.alternatives(number, group.action, &varying, fixed.clone())
        } else {
            dynamic::group(self, number, group.action, &fixed, &varying)
        };
        Ok(self.when_enabled(fixed.iter().map(|p| &p.alternatives[0]), inner))
    }

    /// Multiplied-out choice of one alternative per varying participant.
    fn alternatives(
        &mut self,
        number: usize,
        action: ActionId,
        varying: &[&Participant],
        chosen: Vec<&Alternative>,
    ) -> Block {
        let Some((participant, rest)) = varying.split_first() else {
            return self.choice(number, action, &chosen);
        };
        let mut block = Vec::new();
        for alternative in &participant.alternatives {
            let mut chosen = chosen.clone();
            chosen.push(alternative);
            let inner = self.alternatives(number, action, rest, chosen);
            block.extend(self.when_enabled(std::iter::once(alternative), inner));
        }
        block
    }

    /// All successors of one choice, and its record.
    pub fn choice(&mut self, number: usize, action: ActionId, chosen: &[&Alternative]) -> Block {
        let one = self.state.exprs().f64(1.0);
        let mut block: Block = chosen.iter().filter_map(|a| self.sum_check(a)).collect();
        block.extend(self.outcomes(chosen, chosen, one, Vec::new()));
        let data = chosen.first().map_or(Vec::new(), |a| self.state.program.item_sorts(a));
        block.extend(self.choice_end(number, action, &data));
        block
    }

    fn outcomes(
        &mut self,
        chosen: &[&Alternative],
        left: &[&Alternative],
        weight: ExprId,
        assignments: Vec<Write>,
    ) -> Block {
        let Some((alternative, rest)) = left.split_first() else {
            return self.successor(weight, &assignments);
        };
        let mut block = Vec::new();
        let level = chosen.len() - left.len();
        for outcome in &alternative.outcomes {
            let mut assignments = assignments.clone();
            assignments.extend(self.writes(alternative, outcome));
            // Recursion is as deep as there are participants: see `MAX_PARTICIPANTS`.
            let recurse = |b: &mut Self, w: ExprId| b.outcomes(chosen, rest, w, assignments);
            block.extend(self.weighted(level, weight, &outcome.weight, recurse));
        }
        block
    }

    fn successor(&mut self, weight: ExprId, assignments: &[Write]) -> Block {
        let mut block = self.zero_width(assignments);
        for k in 0..self.emitted_words() {
            let value = self.state.next_word(k, assignments);
            block.push(Stmt::Emit { buffer: self.successors, value });
        }
        block.push(Stmt::Emit { buffer: self.weights, value: weight });
        block
    }
}

/// Whether a participant has no choice: one alternative with one outcome.
fn is_fixed(participant: &Participant) -> bool {
    participant.alternatives.len() == 1 && participant.alternatives[0].outcomes.len() == 1
}

/// Whether choices must be distinguished in programs of this kind.
pub fn needs_choices(kind: Kind) -> bool {
    kind != Kind::Ctmc
}
