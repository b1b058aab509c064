//! Transitions of control locations: the operations of the statements that can come next at a location.

use super::builder::Builder;
use super::code::{Code, Context, Footprint, Op};
use super::environment::Environment;
use super::flow::{First, Flow, Kind, NodeId, Work};
use super::locations::{Locations, d_step_exits};
use super::statement_numbers::{StatementNumbers, StepPart};
use super::symbols::ProcessId;
use crate::ast::Place;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, Const, FailKind, Stmt, Type as Ty};
use volvelle_model::{
    self as model, Access, AccessMode, Condition, Location, LocationId, Origin, PriorityBlock, SiteSubject,
};

/// An operation of a location, with the node that it leads to.
struct Move {
    op: Op,
    /// The node that it leads to; `None` where it ends the process.
    next: Option<NodeId>,
    atomic: bool,
    origin: Origin,
    footprint: Footprint,
}

/// Moves of a location under one condition.
struct Group {
    moves: Vec<Move>,
    is_escape: bool,
    condition: Condition,
}

/// Work inside a `d_step` after which it counts as endless: a hundred million iterations of a short loop.
const D_STEP_WORK: i64 = 400_000_000;

/// Iterations of a `d_step` without a way out.
const ENDLESS_ROUNDS: i64 = 10_000;

/// The transitions of one control flow in the making.
pub(super) struct Transitions<'e, 'a> {
    pub env: &'e Environment<'a>,
    pub out: &'e mut Builder<'a>,
    /// The process type; `None` in a claim.
    pub process: Option<ProcessId>,
    pub flow: &'e Flow<'a>,
    pub numbers: &'e StatementNumbers,
}

impl<'a> Transitions<'_, 'a> {
    /// The transitions of a location. `first` is the number of the first location of the control flow.
    pub fn location(&mut self, locations: &Locations, node: NodeId, first: u32) -> Location {
        let flow = self.flow;
        let mut groups = Vec::new();
        for mut level in flow.escapes_at(node) {
            // An `else` is one to all that interrupts at the same level.
            level.sort_by_key(|first| first.position.is_else);
            let mut found = Vec::new();
            for first in level {
                self.moves(first, &mut found);
            }
            for mut group in found {
                group.is_escape = true;
                group.condition = Condition::NothingBefore;
                groups.push(group);
            }
        }
        for first in flow.firsts(node) {
            self.moves(first, &mut groups);
        }
        let target = |n: NodeId| LocationId(first + locations.numbers[&flow.resolve(n)]);
        let mut blocks = Vec::new();
        for group in groups {
            let alternatives: Vec<model::Alternative> = group
                .moves
                .into_iter()
                .map(|m| model::Alternative {
                    guard: m.op.guard,
                    offer: m.op.offer,
                    outcomes: vec![model::Outcome {
                        weight: model::Weight::ONE,
                        share: None,
                        effect: model::Effect::Block(m.op.effect),
                        target: m.next.map_or(LocationId::NOWHERE, target),
                        then_exclusive: m.atomic,
                        origin: m.origin,
                    }],
                    sum: None,
                    accesses: m.footprint.accesses,
                    creates: m.footprint.creates,
                    origin: m.origin,
                })
                .collect();
            if !alternatives.is_empty() {
                let (is_escape, condition) = (group.is_escape, group.condition);
                blocks.push(PriorityBlock { alternatives, is_escape, condition });
            }
        }
        let info = flow.get(node);
        // A label before a block means its first statement, too.
        Location {
            blocks,
            is_end: info.is_end,
            is_accepting: info.is_accepting,
            is_progress: info.is_progress,
            is_observed: info.is_observed,
            origin: (!matches!(info.kind, Kind::End)).then(|| self.out.origin(info.place)),
        }
    }

    /// The moves of a statement.
    fn moves(&mut self, First { node, position }: First, out: &mut Vec<Group>) {
        let flow = self.flow;
        let info = flow.get(node);
        match &info.kind {
            Kind::Choice(_) | Kind::Into(_) | Kind::Guarded(_) => {
                unreachable!("alternatives and blocks are no statements that come first")
            }
            Kind::End => {
                let Some(process) = self.process else { return };
                let mut code = Code::new(self.env, self.out, info.place);
                let op = code.end_of_process(process);
                let footprint = code.footprint;
                let number = self.numbers.get(info.place, StepPart::End);
                let origin = self.out.origin_of_step(info.place, number);
                push(out, false, Move { op, next: None, atomic: false, origin, footprint });
            }
            Kind::Jump(next) => {
                let op = Code::new(self.env, self.out, info.place).nothing();
                self.push_move(node, op, *next, Footprint::default(), false, out);
            }
            Kind::Basic { work: Work::DStep(first), next, .. } => {
                let exits = d_step_exits(flow, *first, *next);
                if let Some((op, footprint)) = self.d_step(*first, &exits, info.place) {
                    if exits.len() == 1 {
                        self.push_move(node, op, *next, footprint, false, out);
                    } else {
                        self.out.reports.error(
                            codes::UNSUPPORTED_CONSTRUCT,
                            "this `d_step` has several exits",
                            info.place,
                            "let it end at its last statement only",
                        );
                    }
                }
            }
            Kind::Basic { work, scope, next } => {
                let mut code = Code::new(self.env, self.out, info.place);
                code.inside_d_step = info.d_step.is_some();
                let ops = code.work(work, Context::of(scope), position.beside_else, info.place);
                let footprint = code.footprint;
                for op in ops.unwrap_or_default() {
                    self.push_move(node, op, *next, footprint.clone(), position.is_else, out);
                }
            }
        }
    }

    fn push_move(
        &mut self,
        node: NodeId,
        op: Op,
        next: NodeId,
        footprint: Footprint,
        is_else: bool,
        out: &mut Vec<Group>,
    ) {
        let info = self.flow.get(node);
        let atomic = info.atomic && self.flow.get(self.flow.resolve(next)).atomic;
        let (place, part) = match &info.kind {
            // Each variable of a declaration has a number.
            Kind::Basic { work: Work::Declare(variable), .. } => {
                (self.env.variables[*variable].place, StepPart::Whole)
            }
            Kind::Basic { work, .. } => (info.place, StepPart::of(work)),
            _ if info.is_labelled() => (info.place, StepPart::Label),
            _ => (info.place, StepPart::Whole),
        };
        let origin = self.out.origin_of_step(info.place, self.numbers.get(place, part));
        push(out, is_else, Move { op, next: Some(next), atomic, origin, footprint });
    }

    /// A `d_step` as one operation: of several executable alternatives the first is taken, and the statements inside must
    /// not block.
    fn d_step(&mut self, first: NodeId, exits: &[NodeId], place: Place) -> Option<(Op, Footprint)> {
        let flow = self.flow;
        let exits: Vec<NodeId> = exits.iter().map(|&e| flow.resolve(e)).collect();
        let inside = flow.get(first).d_step;
        if inside.is_none() || flow.get(flow.resolve(first)).d_step != inside {
            let help = "leave the `d_step` out";
            self.out.reports.error(
                codes::UNSUPPORTED_CONSTRUCT,
                "this `d_step` starts with a jump out of it",
                place,
                help,
            );
            return None;
        }
        let mut locations = Locations::default();
        locations.number(flow.resolve(first));
        let mut blocks = Vec::new();
        let rounds = self.out.d_step_local();
        let (mut start, mut offer) = (None, None);
        let site = self.out.site(FailKind::Assertion, SiteSubject::Expression, place);
        let mut at = 0;
        let mut straight = true;
        let mut is_left = false;
        let mut footprint = Footprint::default();
        while at < locations.nodes.len() {
            let node = locations.nodes[at];
            let mut groups = Vec::new();
            for first in flow.firsts(node) {
                self.moves(first, &mut groups);
            }
            let moves: Vec<Move> = groups.into_iter().flat_map(|g| g.moves).collect();
            let is_alone = at == 0 && moves.len() == 1;
            add_footprints(&mut footprint, &moves, !is_alone);
            let takes = is_alone && moves[0].op.offer.as_ref().is_some_and(|offer| !offer.gives());
            let is_back = |m: &Move| m.next.is_some_and(|next| flow.resolve(next) == locations.nodes[0]);
            if !takes && moves.iter().any(|m| m.op.offer.is_some() || offer.is_some() && is_back(m)) {
                let help =
                    "use `atomic`: a rendezvous in a `d_step` can only be a receive with which it begins";
                self.out.reports.error(codes::TYPE_MISMATCH, "a rendezvous inside a `d_step`", place, help);
                return None;
            }
            if at == 0 {
                offer = moves.first().and_then(|m| m.op.offer.clone());
                let mut any = self.out.program.exprs.bool(false);
                for m in &moves {
                    any = self.out.program.exprs.or(any, m.op.guard);
                }
                start = Some(any);
            }
            straight &= moves.len() <= 1;
            // The first executable one: built from the last on, each in the `otherwise` of the one before.
            let mut block: Block = vec![Stmt::Fail { site }];
            for m in moves.into_iter().rev() {
                let target = flow.resolve(m.next?);
                let mut then = m.op.effect;
                is_left |= exits.contains(&target);
                if !exits.contains(&target) {
                    let known = locations.nodes.len();
                    let number = locations.number(target);
                    // Straight code continues with the next node, and never goes back.
                    straight &= number as usize == known && number as usize == at + 1;
                    then.push(Stmt::Goto { block: number });
                }
                // What is received was compared when it was taken.
                let always = m.op.offer.is_some()
                    || self.out.program.exprs.as_const(m.op.guard).and_then(|c| c.as_bool()) == Some(true);
                block =
                    if always { then } else { vec![Stmt::If { cond: m.op.guard, then, otherwise: block }] };
            }
            blocks.push(block);
            at += 1;
        }
        let guard = start?;
        if !straight {
            let again: Vec<Access> = footprint.accesses.iter().filter_map(decides).collect();
            footprint.accesses.extend(again);
        }
        footprint.accesses.sort_unstable();
        footprint.accesses.dedup();
        let mut effect = Vec::new();
        if straight {
            effect.extend(blocks.into_iter().flat_map(without_jump));
            return Some((Op { guard, offer, effect }, footprint));
        }
        let e = &mut self.out.program.exprs;
        let start = e.constant(Const::int(Ty::U32, 0));
        let most = if is_left { D_STEP_WORK / work(&blocks).max(4) } else { ENDLESS_ROUNDS };
        let (zero, last, done) = (e.i64(0), e.i64(most), e.local(rounds, Ty::I64));
        let is_endless = e.binary(BinaryOp::Ge, done, last);
        effect.push(Stmt::Machine { local: rounds, from: zero, to: last, start, blocks });
        let endless = self.out.site(FailKind::Assertion, SiteSubject::Expression, place);
        self.out.endless_sites.insert(endless.0, most);
        effect.push(Stmt::If {
            cond: is_endless,
            then: vec![Stmt::Fail { site: endless }],
            otherwise: vec![],
        });
        Some((Op { guard, offer, effect }, footprint))
    }
}

/// Adds what moves touch; `decide`: which of them is made depends on it, too.
fn add_footprints(footprint: &mut Footprint, moves: &[Move], decide: bool) {
    for m in moves {
        footprint.accesses.extend(m.footprint.accesses.iter().copied());
        if decide {
            footprint.accesses.extend(m.footprint.accesses.iter().filter_map(decides));
        }
        footprint.creates.extend(m.footprint.creates.iter().copied());
    }
}

/// Statements of a round, those of loops as often as they are done at most.
fn work(blocks: &[Block]) -> i64 {
    /// Times that the body of a loop is done, where that is not known.
    const TIMES: i64 = 16;
    let (mut most, mut todo) = (1i64, Vec::new());
    for block in blocks {
        let mut sum = 0i64;
        todo.push((block, 1i64));
        while let Some((block, times)) = todo.pop() {
            for statement in block {
                sum = sum.saturating_add(times);
                match statement {
                    Stmt::If { then, otherwise, .. } => todo.extend([(then, times), (otherwise, times)]),
                    Stmt::For { body, .. } => todo.push((body, times.saturating_mul(TIMES))),
                    _ => {}
                }
            }
        }
        most = most.max(sum);
    }
    most
}

/// Inside of a `d_step`, whether a queue is full or empty decides which statement happens, or that none can: that does not
/// commute with what others put there and take.
fn decides(access: &Access) -> Option<Access> {
    let is_queued = matches!(access.mode, AccessMode::Put | AccessMode::Take);
    is_queued.then_some(Access { mode: AccessMode::Write, ..*access })
}

/// A block of straight code: what it jumps to follows in any case.
fn without_jump(mut block: Block) -> Block {
    let end = match block.last_mut() {
        Some(Stmt::If { then, .. }) if matches!(then.last(), Some(Stmt::Goto { .. })) => then,
        _ => &mut block,
    };
    if matches!(end.last(), Some(Stmt::Goto { .. })) {
        end.pop();
    }
    block
}

/// Adds a move, to the last group where that has the same condition.
fn push(out: &mut Vec<Group>, is_else: bool, m: Move) {
    let condition = if is_else { Condition::NothingBefore } else { Condition::NoEscape };
    match out.last_mut() {
        Some(group) if group.condition == condition && !group.is_escape && !is_else => group.moves.push(m),
        _ => out.push(Group { moves: vec![m], is_escape: false, condition }),
    }
}
