//! The numbers that SPIN gives to the statements of a model, by which its trails name them.
//!
//! SPIN numbers the elements of its control flow graphs over the whole model from 0, in the order in which its parser completes
//! them: the statements in a construct come before the construct, the tests of loops before their bodies. A construct
//! takes numbers for itself that no step has: two for `if` and `unless`, three for `do`, one for a block. `pan -d` prints the
//! numbers of steps in its column `id` (SPIN 6.5.2; the order is that of `add_seq` in its `flow.c` and of the actions in its
//! grammar).
//!
//! What is not here: a label before a `goto` that a claim names (`P@label`) takes a number where the claim is parsed; statements
//! of processes behind such a claim have numbers that are too small here.

use super::environment::Environment;
use super::flow::{Kind, Work, bare_main, constant_choices};
use super::locations::ProcessFlow;
use crate::ast::{Declaration, Initial, Place, Sequence, Statement, StatementKind, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of a statement, or of a process, that is a step of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepPart {
    /// All of it.
    Whole,
    /// The step at a `goto` with a label that makes it a location.
    Label,
    /// The first assignment of a loop, or that of a `select`.
    Start,
    /// The test of a loop.
    Test,
    /// The receive and the send of a loop over a channel.
    Receive,
    Send,
    /// The step to the next iteration.
    Next,
    /// The way out of a loop.
    Leave,
    /// A choice of `select`.
    Value(i64),
    /// The end of a process.
    End,
}

impl StepPart {
    /// The part of its statement that a node of the control flow is.
    pub fn of(work: &Work<'_>) -> StepPart {
        match *work {
            Work::Statement(_) | Work::Declare(_) | Work::DStep(_) => StepPart::Whole,
            Work::Assign(..) | Work::ChannelBegin(_) => StepPart::Start,
            Work::AssignConstant(_, value) => StepPart::Value(value),
            Work::AtMost(..) | Work::AtMostConstant(..) | Work::Below(..) | Work::ChannelTest(..) => {
                StepPart::Test
            }
            Work::Increment(_) | Work::ChannelNext(_) => StepPart::Next,
            Work::ChannelReceive(..) => StepPart::Receive,
            Work::ChannelSend(..) => StepPart::Send,
            Work::Skip | Work::Else => StepPart::Leave,
        }
    }
}

/// The numbers, by the places of statements.
#[derive(Clone, Debug, Default)]
pub(super) struct StatementNumbers {
    numbers: FxHashMap<(Place, StepPart), u32>,
    next: u32,
    /// The loops that run over channels, not over arrays.
    channel_loops: FxHashSet<Place>,
}

impl StatementNumbers {
    /// Numbers all statements of a model. The control flow says which loops run over channels.
    pub fn of(env: &Environment<'_>, flows: &[ProcessFlow<'_>]) -> Self {
        let works = flows.iter().flat_map(|flow| flow.flow.nodes.values());
        let channel_loops = works.filter_map(|node| match &node.kind {
            Kind::Basic { work: Work::ChannelBegin(place), .. } => Some(*place),
            _ => None,
        });
        let mut numbers = StatementNumbers { channel_loops: channel_loops.collect(), ..Self::default() };
        for unit in &env.model.units {
            match unit {
                Unit::Proctype(process) => numbers.body(env, &process.body, process.name.place),
                Unit::Never { body, place, .. } | Unit::Trace { body, place, .. } => {
                    numbers.body(env, body, *place);
                }
                // Formulas become claims behind the end of the text.
                _ => {}
            }
        }
        numbers
    }

    /// The number of a step.
    pub fn get(&self, place: Place, part: StepPart) -> Option<u32> {
        let number = self.numbers.get(&(place, part));
        // An `else` that is no part of a loop is a statement.
        number.or_else(|| self.numbers.get(&(place, StepPart::Whole))).copied()
    }

    /// How many numbers there are.
    pub fn count(&self) -> u32 {
        self.next
    }

    fn step(&mut self, place: Place, part: StepPart) {
        self.numbers.insert((place, part), self.next);
        self.next += 1;
    }

    /// The body of a process: its first declarations are no steps.
    fn body(&mut self, env: &Environment<'_>, body: &Sequence, place: Place) {
        let is_initial = |s: &&Statement| {
            matches!(s.kind, StatementKind::Declaration(_) | StatementKind::Exclusive { .. })
        };
        let initial = body.statements.iter().take_while(is_initial).count();
        for statement in &body.statements[initial..] {
            self.statement(env, statement);
        }
        self.step(place, StepPart::End);
    }

    fn sequence(&mut self, env: &Environment<'_>, sequence: &Sequence) {
        for statement in &sequence.statements {
            self.statement(env, statement);
        }
    }

    /// A statement with all that is in it. The parser limits the depth of the recursion.
    fn statement(&mut self, env: &Environment<'_>, statement: &Statement) {
        self.inside(env, statement);
        self.complete(env, statement);
    }

    /// What has numbers before the statement itself does.
    fn inside(&mut self, env: &Environment<'_>, statement: &Statement) {
        let place = statement.place;
        match &statement.kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(env, option));
            }
            StatementKind::For { body, .. } => {
                self.step(place, StepPart::Start);
                self.step(place, StepPart::Test);
                self.sequence(env, body);
                self.loop_end(place);
            }
            StatementKind::ForIn { body, .. } => {
                let is_channel = self.channel_loops.contains(&place);
                self.step(place, if is_channel { StepPart::Start } else { StepPart::Value(0) });
                self.step(place, StepPart::Test);
                if is_channel {
                    self.step(place, StepPart::Receive);
                    self.step(place, StepPart::Send);
                }
                self.sequence(env, body);
                self.loop_end(place);
            }
            StatementKind::Select { from, to, .. } => match constant_choices(env.model, place, *from, *to) {
                Some(choices) => choices.for_each(|value| self.step(place, StepPart::Value(value))),
                None => {
                    let parts = [StepPart::Start, StepPart::Test, StepPart::Next, StepPart::Leave];
                    parts.into_iter().for_each(|part| self.step(place, part));
                }
            },
            StatementKind::Atomic(body) | StatementKind::Block(body) | StatementKind::DStep(body) => {
                self.sequence(env, body);
            }
            StatementKind::Unless { main, escape } => self.unless(env, statement, main, escape),
            _ => {}
        }
    }

    /// The numbers of a statement itself.
    fn complete(&mut self, env: &Environment<'_>, statement: &Statement) {
        let place = statement.place;
        match &statement.kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { .. } => {}
            StatementKind::If(_) => self.next += 2,
            StatementKind::Do(_) | StatementKind::For { .. } | StatementKind::ForIn { .. } => self.next += 3,
            StatementKind::Select { from, to, .. } => {
                let is_choice = constant_choices(env.model, place, *from, *to).is_some();
                self.next += if is_choice { 2 } else { 3 };
            }
            // Counted with its sides.
            StatementKind::Unless { .. } => {}
            StatementKind::Goto(_) | StatementKind::Break => {
                self.step(place, StepPart::Whole);
                let has_meaning =
                    |label: &str| ["accept", "end", "progress"].iter().any(|word| label.starts_with(word));
                if statement.labels.iter().any(|label| has_meaning(&label.text)) {
                    self.step(place, StepPart::Label);
                }
            }
            _ => self.step(place, StepPart::Whole),
        }
    }

    /// The end of a loop: its next iteration, and its way out with a jump, which is no step.
    fn loop_end(&mut self, place: Place) {
        self.step(place, StepPart::Next);
        self.step(place, StepPart::Leave);
        self.next += 1;
    }

    /// Variables that are declared behind the first statement have initial values by steps; channels have none.
    fn declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            if !matches!(variable.initial, Some(Initial::Channel(_))) {
                self.step(variable.name.place, StepPart::Whole);
            }
        }
    }

    /// A main side that is no block is completed behind the escape.
    fn unless(&mut self, env: &Environment<'_>, whole: &Statement, main: &Sequence, escape: &Sequence) {
        // With a label, the construct is put into a block of its own, or into the `atomic` that is its main side.
        let is_labelled = !whole.labels.is_empty();
        match bare_main(env.model, whole, main) {
            None => {
                self.sequence(env, main);
                self.sequence(env, escape);
                self.next += 2 + u32::from(is_labelled);
            }
            Some(only) => {
                self.inside(env, only);
                self.sequence(env, escape);
                let is_outermost =
                    is_labelled && matches!(only.kind, StatementKind::Atomic(_) | StatementKind::DStep(_));
                self.next += if is_outermost { 2 } else { 0 };
                self.complete(env, only);
                self.next += if is_outermost { 0 } else { 2 };
            }
        }
    }
}
