//! Statements as transitions of control locations.

use super::expression::Access;
use super::flow::{Flow, Kind, NodeId, Work};
use super::types::Scalar;
use super::variables::{Scope, VarId};
use super::{Lowering, ProcessId};
use crate::ast::{self, ExprKind, Initial, Place, StatementKind};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Local, Stmt, Type as Ty};
use volvelle_model::{Condition, Location, LocationId, Origin, Role, SiteSubject, Tier, Touch, Transition};

/// One way in which a statement happens.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// `bool`
    pub guard: ExprId,
    pub role: Role,
    pub effect: Block,
}

/// An operation of a location with where it leads.
struct Move {
    op: Op,
    next: NodeId,
    atomic: bool,
    origin: Origin,
    touches: Vec<Touch>,
    creates: Vec<usize>,
}

/// Moves of a location that are looked at together.
struct Group {
    moves: Vec<Move>,
    is_escape: bool,
    condition: Condition,
}

/// Rounds of a loop inside a `d_step` after which it counts as endless.
const D_STEP_ROUNDS: i64 = 100_000_000;

/// Which nodes of a process are control locations, by number within the process.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    pub nodes: Vec<NodeId>,
    pub numbers: FxHashMap<NodeId, u32>,
}

impl Locations {
    fn number(&mut self, node: NodeId) -> u32 {
        if let Some(&n) = self.numbers.get(&node) {
            return n;
        }
        let n = self.nodes.len() as u32;
        self.nodes.push(node);
        self.numbers.insert(node, n);
        n
    }
}

/// The locations of a process: those that can be reached by its control flow, from its entry.
pub(super) fn locations(flow: &Flow<'_>) -> Locations {
    let mut locations = Locations::default();
    locations.number(flow.resolve(flow.entry));
    let mut at = 0;
    while at < locations.nodes.len() {
        let node = locations.nodes[at];
        at += 1;
        let mut stack = vec![node];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(n) = stack.pop() {
            if !seen.insert(n) {
                continue;
            }
            let info = flow.get(n);
            stack.extend(info.escapes.iter().copied());
            match &info.kind {
                Kind::Basic { work: Work::DStep(first), next, .. } => {
                    for exit in d_step_exits(flow, *first, *next) {
                        locations.number(flow.resolve(exit));
                    }
                }
                Kind::Basic { next, .. } | Kind::Jump(next) => {
                    locations.number(flow.resolve(*next));
                }
                Kind::Choice(options) => stack.extend(options.iter().copied()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::End => {}
            }
        }
    }
    locations
}

/// The nodes at which a `d_step` is left: `next`, and targets of jumps out of it.
fn d_step_exits(flow: &Flow<'_>, first: NodeId, next: NodeId) -> Vec<NodeId> {
    let inside = flow.get(first).d_step;
    let mut exits = vec![next];
    let (mut stack, mut seen) = (vec![first], rustc_hash::FxHashSet::default());
    while let Some(n) = stack.pop() {
        if !seen.insert(n) {
            continue;
        }
        let info = flow.get(n);
        if info.d_step != inside {
            if !exits.contains(&n) {
                exits.push(n);
            }
            continue;
        }
        match &info.kind {
            Kind::Basic { next, .. } | Kind::Jump(next) => stack.push(*next),
            Kind::Choice(options) => stack.extend(options.iter().copied()),
            Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
            Kind::End => {}
        }
    }
    exits.retain(|&e| e == next || flow.resolve(e) != flow.resolve(next));
    exits
}

impl<'a> Lowering<'a> {
    /// The transitions of a location. `first` is the number of the process's first location.
    pub(super) fn location(
        &mut self,
        process: ProcessId,
        flow: &Flow<'a>,
        locations: &Locations,
        node: NodeId,
        first: u32,
    ) -> Location {
        let mut groups = Vec::new();
        let escapes = flow.get(flow.inside(node)).escapes.clone();
        for &escape in escapes.iter() {
            let mut found = Vec::new();
            self.collect(process, flow, escape, &mut found, false);
            for mut group in found {
                group.is_escape = true;
                group.condition = Condition::NothingBefore;
                groups.push(group);
            }
        }
        self.collect(process, flow, node, &mut groups, false);
        let target = |n: NodeId| LocationId(first + locations.numbers[&flow.resolve(n)]);
        let mut tiers = Vec::new();
        for group in groups {
            let mut transitions = Vec::new();
            for m in group.moves {
                // An effect that ends the process, or leaves a `d_step` by several ways, knows where to go.
                let ends = m.next == NodeId(u32::MAX);
                transitions.push(Transition {
                    guard: m.op.guard,
                    role: m.op.role,
                    effect: m.op.effect,
                    target: if ends { LocationId::NOWHERE } else { target(m.next) },
                    atomic: m.atomic,
                    origin: m.origin,
                    touches: m.touches,
                    creates: m.creates,
                });
            }
            if !transitions.is_empty() {
                tiers.push(Tier { transitions, is_escape: group.is_escape, condition: group.condition });
            }
        }
        let info = flow.get(node);
        // A label before a block means its first statement, too.
        Location {
            tiers,
            is_end: info.is_end,
            is_accepting: info.is_accepting,
            is_progress: info.is_progress,
            is_observed: info.is_asked_for,
            origin: (!matches!(info.kind, Kind::End)).then(|| self.origin(info.place)),
        }
    }

    /// The moves that start at a node. Nested alternatives are met in the order of the text, each `else` behind the
    /// other alternatives of its own `if` or `do`.
    ///
    /// Recursion is as deep as the parser lets statements nest.
    fn collect(
        &mut self,
        process: ProcessId,
        flow: &Flow<'a>,
        node: NodeId,
        out: &mut Vec<Group>,
        as_else: bool,
    ) {
        let info = &flow.nodes[node.0 as usize];
        match &info.kind {
            Kind::Choice(options) => {
                let is_else = |n: NodeId| matches!(flow.get(n).kind, Kind::Basic { work: Work::Else, .. });
                let outer = self.beside_else;
                self.beside_else |= options.iter().any(|&o| is_else(o));
                for &option in options.iter().filter(|&&o| !is_else(o)) {
                    self.collect(process, flow, option, out, false);
                }
                for &option in options.iter().filter(|&&o| is_else(o)) {
                    self.collect(process, flow, option, out, true);
                }
                self.beside_else = outer;
            }
            Kind::Into(first) | Kind::Guarded(first) => self.collect(process, flow, *first, out, false),
            Kind::End => {
                self.begin_touches();
                let op = self.end_of_process(process);
                let origin = self.origin(info.place);
                let next = NodeId(u32::MAX);
                let (touches, creates) = self.end_touches();
                push(out, false, Move { op, next, atomic: false, origin, touches, creates });
            }
            Kind::Jump(next) => {
                self.begin_touches();
                let op = self.nothing();
                self.push_move(flow, node, op, *next, out, false);
            }
            Kind::Basic { work: Work::DStep(first), next, scope } => {
                let exits = d_step_exits(flow, *first, *next);
                self.begin_touches();
                if let Some(op) = self.d_step(flow, *first, &exits, scope, info.place) {
                    if exits.len() == 1 {
                        self.push_move(flow, node, op, *next, out, false);
                    } else {
                        self.error(
                            codes::UNSUPPORTED_CONSTRUCT,
                            "this `d_step` is left in several ways",
                            info.place,
                            "let it end at its last statement only",
                        );
                    }
                }
            }
            Kind::Basic { work, scope, next } => {
                self.begin_touches();
                self.statement = info.place;
                let ops = self.work(work, scope, info.place);
                for op in ops.unwrap_or_default() {
                    self.push_move(flow, node, op, *next, out, as_else);
                }
            }
        }
    }

    fn push_move(
        &mut self,
        flow: &Flow<'a>,
        node: NodeId,
        op: Op,
        next: NodeId,
        out: &mut Vec<Group>,
        as_else: bool,
    ) {
        let info = flow.get(node);
        let atomic = info.atomic && flow.get(flow.resolve(next)).atomic;
        let origin = self.origin(info.place);
        let (touches, creates) = (self.touches.clone(), self.creates.clone());
        push(out, as_else, Move { op, next, atomic, origin, touches, creates });
    }

    fn begin_touches(&mut self) {
        self.touches.clear();
        self.creates.clear();
    }

    fn end_touches(&mut self) -> (Vec<Touch>, Vec<usize>) {
        (std::mem::take(&mut self.touches), std::mem::take(&mut self.creates))
    }

    fn nothing(&mut self) -> Op {
        Op { guard: self.program.exprs.bool(true), role: Role::Alone, effect: Vec::new() }
    }

    fn guarded(&mut self, guard: ExprId) -> Vec<Op> {
        vec![Op { guard, role: Role::Alone, effect: Vec::new() }]
    }

    fn doing(&mut self, statement: Stmt) -> Vec<Op> {
        let op = self.nothing();
        vec![Op { effect: vec![statement], ..op }]
    }

    /// The operations of a piece of work.
    fn work(&mut self, work: &Work<'a>, scope: &Scope, place: Place) -> Option<Vec<Op>> {
        match *work {
            Work::Skip | Work::Else => Some(vec![self.nothing()]),
            Work::Statement(statement) => self.statement(scope, &statement.kind, place),
            Work::Assign(variable, value) => {
                let access = self.access(scope, variable)?;
                let value = self.expr(scope, value)?;
                let statement = self.write(access, value);
                Some(self.doing(statement))
            }
            Work::AssignConstant(variable, value) => {
                let access = self.access(scope, variable)?;
                let value = self.number(value);
                let statement = self.write(access, value);
                Some(self.doing(statement))
            }
            Work::Increment(variable) => self.add(scope, variable, 1),
            Work::AtMost(variable, value) => self.compare(BinaryOp::Le, scope, variable, value),
            Work::Below(variable, value) => self.compare(BinaryOp::Lt, scope, variable, value),
            Work::AtMostConstant(variable, value) => {
                let a = self.expr(scope, variable)?;
                let b = self.program.exprs.i64(value);
                let guard = self.program.exprs.binary(BinaryOp::Le, a.id, b);
                Some(self.guarded(guard))
            }
            Work::Declare(variable) => self.late_initial(scope, variable),
            Work::ChannelBegin(at) => {
                let access = self.counter(at);
                let zero = self.number(0);
                let statement = self.write(access, zero);
                Some(self.doing(statement))
            }
            Work::ChannelTest(at, channel) => {
                let access = self.counter(at);
                let (i, length) = (self.read(access), self.channel_length(scope, channel)?);
                let guard = self.program.exprs.binary(BinaryOp::Lt, i.id, length.id);
                Some(self.guarded(guard))
            }
            Work::ChannelTake(channel, variable) => {
                self.receive(scope, channel, false, false, &[variable], place)
            }
            Work::ChannelGive(channel, variable) => self.send(scope, channel, false, &[variable], place),
            Work::ChannelNext(at) => {
                let access = self.counter(at);
                let (value, one) = (self.read(access), self.number(1));
                let id = self.program.exprs.binary(BinaryOp::Add, value.id, one.id);
                let sum = super::expression::Value { id, lo: value.lo + 1, hi: value.hi + 1 };
                let statement = self.write(access, sum);
                Some(self.doing(statement))
            }
            Work::DStep(_) => unreachable!("handled where locations are made"),
        }
    }

    fn counter(&self, at: Place) -> Access {
        let field = self.loop_counters[&at];
        Access::own(field, Scalar::Byte, None)
    }

    fn compare(
        &mut self,
        op: BinaryOp,
        scope: &Scope,
        variable: ast::ExprId,
        value: ast::ExprId,
    ) -> Option<Vec<Op>> {
        let (a, b) = (self.expr(scope, variable)?, self.expr(scope, value)?);
        if op == BinaryOp::Le {
            self.check_counter(scope, variable, value);
        }
        let guard = self.program.exprs.binary(op, a.id, b.id);
        Some(self.guarded(guard))
    }

    fn add(&mut self, scope: &Scope, variable: ast::ExprId, amount: i64) -> Option<Vec<Op>> {
        if self.is_own_priority(scope, variable) {
            let effect = self.add_to_own_priority(scope, variable, amount)?;
            let op = self.nothing();
            return Some(vec![Op { effect, ..op }]);
        }
        let access = self.access(scope, variable)?;
        let statement = self.add_to(access, amount);
        Some(self.doing(statement))
    }

    /// The step of a declaration behind a statement: SPIN assigns the first element of an array only.
    fn late_initial(&mut self, scope: &Scope, variable: VarId) -> Option<Vec<Op>> {
        let info = self.variables[variable.0 as usize].clone();
        let mut effect = Vec::new();
        if let [leaf] = info.leaves.as_slice()
            && leaf.path.is_empty()
        {
            let value = match &info.initial {
                Some(Initial::Value(value)) => self.expr(scope, *value)?,
                Some(Initial::Channel(_)) => {
                    let help = "declare it before the first statement";
                    self.error(
                        codes::TYPE_MISMATCH,
                        "a channel is made where its process starts",
                        info.place,
                        help,
                    );
                    return None;
                }
                Some(Initial::List(values)) => {
                    for (i, &value) in values.iter().enumerate().take(leaf.lengths[0] as usize) {
                        let element = Some(self.program.exprs.i64(i as i64));
                        let access = Access::own(leaf.field, leaf.ty, element);
                        let value = self.expr(scope, value)?;
                        effect.push(self.write(access, value));
                    }
                    let op = self.nothing();
                    return Some(vec![Op { effect, ..op }]);
                }
                None => self.number(0),
            };
            let element = (leaf.lengths[0] > 1).then(|| self.program.exprs.i64(0));
            let access = Access::own(leaf.field, leaf.ty, element);
            effect.push(self.write(access, value));
        }
        let op = self.nothing();
        Some(vec![Op { effect, ..op }])
    }

    fn statement(&mut self, scope: &Scope, kind: &'a StatementKind, place: Place) -> Option<Vec<Op>> {
        let model = self.model;
        match kind {
            StatementKind::Expression(e) => match &model.exprs.get(*e).kind {
                ExprKind::Run { name, args, priority } => {
                    let (mut op, _) = self.run(scope, name, args, *priority)?;
                    op.guard = self.program.exprs.bool(true);
                    Some(vec![op])
                }
                ExprKind::SetPriority(pid, priority) => {
                    let effect = self.set_priority(scope, *pid, *priority)?;
                    let op = self.nothing();
                    Some(vec![Op { effect, ..op }])
                }
                _ => {
                    self.waited_for = !self.beside_else;
                    let guard = self.condition(scope, *e);
                    self.waited_for = false;
                    Some(self.guarded(guard?))
                }
            },
            StatementKind::Assign { target, value } => {
                if let ExprKind::Run { name, args, priority } = &model.exprs.get(*value).kind {
                    let (mut op, slot) = self.run(scope, name, args, *priority)?;
                    let access = self.access(scope, *target)?;
                    let (lo, hi) = Scalar::Pid.bounds();
                    let statement = self.write(access, super::expression::Value { id: slot, lo, hi });
                    op.effect.push(statement);
                    return Some(vec![op]);
                }
                if let ExprKind::Name(name) = &model.exprs.get(*target).kind
                    && name.text == "_"
                {
                    self.expr(scope, *value)?;
                    return Some(vec![self.nothing()]);
                }
                if self.is_own_priority(scope, *target) {
                    let effect = self.set_own_priority(scope, *value)?;
                    let op = self.nothing();
                    return Some(vec![Op { effect, ..op }]);
                }
                let access = self.access(scope, *target)?;
                let value = self.expr(scope, *value)?;
                self.check_fit(access.ty, value, place);
                let statement = self.write(access, value);
                Some(self.doing(statement))
            }
            StatementKind::Increment(target) => self.add(scope, *target, 1),
            StatementKind::Decrement(target) => self.add(scope, *target, -1),
            StatementKind::Send { channel, sorted, args } => self.send(scope, *channel, *sorted, args, place),
            StatementKind::Receive { channel, random, keep, args } => {
                self.receive(scope, *channel, *random, *keep, args, place)
            }
            StatementKind::Printf { format, args } => self.print(scope, format, args),
            StatementKind::Printm(arg) => self.print(scope, "%e", std::slice::from_ref(arg)),
            StatementKind::Assert(e) => {
                let holds = self.condition(scope, *e)?;
                let site = self.site(FailKind::Assertion, SiteSubject::Assertion, place);
                let cond = self.program.exprs.not(holds);
                let statement = Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] };
                Some(self.doing(statement))
            }
            StatementKind::Error => None,
            _ => unreachable!("control flow is made of nodes"),
        }
    }

    /// A `d_step` as one operation: the first executable alternative counts wherever there are several, and what is
    /// inside must not block.
    fn d_step(
        &mut self,
        flow: &Flow<'a>,
        first: NodeId,
        exits: &[NodeId],
        scope: &Scope,
        place: Place,
    ) -> Option<Op> {
        let process = scope.process?;
        let exits: Vec<NodeId> = exits.iter().map(|&e| flow.resolve(e)).collect();
        let inside = flow.get(first).d_step;
        if inside.is_none() || flow.get(flow.resolve(first)).d_step != inside {
            let help = "leave the `d_step` out";
            self.error(
                codes::UNSUPPORTED_CONSTRUCT,
                "this `d_step` begins with a jump out of it",
                place,
                help,
            );
            return None;
        }
        let mut locations = Locations::default();
        locations.number(flow.resolve(first));
        let mut cases = Vec::new();
        let (pc, rounds) = (self.d_step_local(0), self.d_step_local(1));
        let pc_value = self.program.exprs.local(pc, Ty::I64);
        let mut start = None;
        let site = self.site(FailKind::Assertion, SiteSubject::Expression, place);
        let mut at = 0;
        let mut straight = true;
        let (mut touches, mut creates) = (Vec::new(), Vec::new());
        while at < locations.nodes.len() {
            let node = locations.nodes[at];
            let mut groups = Vec::new();
            self.collect(process, flow, node, &mut groups, false);
            let moves: Vec<Move> = groups.into_iter().flat_map(|g| g.moves).collect();
            for m in &moves {
                touches.extend(m.touches.iter().copied());
                creates.extend(m.creates.iter().copied());
            }
            if moves.iter().any(|m| m.op.role != Role::Alone) {
                let help = "use `atomic`";
                self.error(codes::TYPE_MISMATCH, "a rendezvous inside a `d_step`", place, help);
                return None;
            }
            if at == 0 {
                let mut any = self.program.exprs.bool(false);
                for m in &moves {
                    any = self.program.exprs.or(any, m.op.guard);
                }
                start = Some(any);
            }
            straight &= moves.len() <= 1;
            // The first that can: from the last on, each behind the failure of those before.
            let mut block: Block = vec![Stmt::Fail { site }];
            for m in moves.into_iter().rev() {
                let target = flow.resolve(m.next);
                let number = match exits.iter().position(|&e| e == target) {
                    Some(exit) => -1 - exit as i64,
                    None => {
                        let known = locations.nodes.len();
                        let number = locations.number(target);
                        // Straight code goes on with what comes next, and never back.
                        straight &= number as usize == known && number as usize == at + 1;
                        i64::from(number)
                    }
                };
                let mut then = m.op.effect;
                let value = self.program.exprs.i64(number);
                then.push(Stmt::Set { local: pc, value });
                let always = self.program.exprs.as_const(m.op.guard).and_then(|c| c.as_bool()) == Some(true);
                block =
                    if always { then } else { vec![Stmt::If { cond: m.op.guard, then, otherwise: block }] };
            }
            cases.push((at as i64, block));
            at += 1;
        }
        let guard = start?;
        touches.sort_unstable();
        touches.dedup();
        self.touches = touches;
        self.creates = creates;
        let mut effect = Vec::new();
        if straight {
            effect.extend(cases.into_iter().flat_map(|(_, block)| block));
            return Some(Op { guard, role: Role::Alone, effect });
        }
        let e = &mut self.program.exprs;
        let (zero, most) = (e.i64(0), e.i64(D_STEP_ROUNDS));
        let left = e.binary(BinaryOp::Lt, pc_value, zero);
        let stays = e.binary(BinaryOp::Ge, pc_value, zero);
        effect.push(Stmt::Set { local: pc, value: zero });
        let body = vec![
            Stmt::Switch { on: pc_value, cases, default: vec![] },
            Stmt::If { cond: left, then: vec![Stmt::Break], otherwise: vec![] },
        ];
        effect.push(Stmt::For { local: rounds, from: zero, to: most, body });
        effect.push(Stmt::If { cond: stays, then: vec![Stmt::Fail { site }], otherwise: vec![] });
        Some(Op { guard, role: Role::Alone, effect })
    }

    fn d_step_local(&mut self, number: usize) -> Local {
        while self.d_step_locals.len() <= number {
            let local = self.program.temporary(Ty::I64);
            self.d_step_locals.push(local);
        }
        self.d_step_locals[number]
    }
}

fn push(out: &mut Vec<Group>, as_else: bool, m: Move) {
    let condition = if as_else { Condition::NothingBefore } else { Condition::NoEscape };
    match out.last_mut() {
        Some(group) if group.condition == condition && !group.is_escape && !as_else => group.moves.push(m),
        _ => out.push(Group { moves: vec![m], is_escape: false, condition }),
    }
}
