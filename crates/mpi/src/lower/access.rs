//! Accesses to shared variables.

use super::cache::Outcome;
use super::expressions::{Env, Value};
use super::{Location, Lowering, View, Writes};
use crate::machine::Atomicity;
use crate::system::{Access, Mistake, NodeId, NodeKind, Operation, ProcessId, VariableId};
use volvelle_diagnostics::Span;
use volvelle_kernel::{BinaryOp, ExprId, Type};
use volvelle_model::{ActionId, Class, SortId};

/// What an operation makes of a variable.
struct Operated {
    /// The new value.
    stored: ExprId,
    /// The result of the operation.
    result: ExprId,
    /// Whether all values exist, and whether the new one is in its range.
    exists: ExprId,
    fits: ExprId,
    /// Values in the label.
    shown: Vec<ExprId>,
}

impl Lowering<'_> {
    /// The access of a node.
    pub fn access_of(&self, process: ProcessId, node: NodeId) -> (Access, Span) {
        let node = &self.system.processes[process.index()].nodes[node.index()];
        match &node.kind {
            NodeKind::Access(access) => (access.clone(), node.span),
            other => unreachable!("{other:?} is no access"),
        }
    }

    /// The first step of an access, for each variable that it may mean.
    pub fn begin_access(&mut self, process: ProcessId, node: NodeId) {
        let (access, span) = self.access_of(process, node);
        let here = self.is_at(process, Location::Ready(node));
        let env = self.locals(process);
        let (variables, index) = self.resolved(access.variable.base.0, &access.variable.indices, &env);
        let class = self.class_of_access(process);
        self.bad_index(process, node, here, index, class);
        for (variable, cond) in variables {
            let guard = self.program.exprs.and(here, cond);
            self.begin(process, node, (&access, span), VariableId(variable), guard, &env);
        }
    }

    fn class_of_access(&self, process: ProcessId) -> Class {
        // Where time does not pass, an access is what other processes may come before.
        if matches!(self.view, View::Untimed { .. }) { self.patient() } else { self.urgent(process) }
    }

    /// An index that is outside of its array, or does not exist.
    pub fn bad_index(&mut self, process: ProcessId, node: NodeId, here: ExprId, index: Value, class: Class) {
        let span = self.system.processes[process.index()].nodes[node.index()].span;
        let exprs = &mut self.program.exprs;
        let missing = exprs.not(index.exists);
        let missing = exprs.and(here, missing);
        self.fail(process, node, missing, Mistake::Arithmetic, class, span);
        let exprs = &mut self.program.exprs;
        let outside = exprs.not(index.value);
        let outside = exprs.and(index.exists, outside);
        let outside = exprs.and(here, outside);
        self.fail(process, node, outside, Mistake::Index, class, span);
    }

    /// A step to a mistake; none where its guard never holds.
    pub fn fail(
        &mut self,
        process: ProcessId,
        node: NodeId,
        guard: ExprId,
        mistake: Mistake,
        class: Class,
        span: Span,
    ) {
        if self.program.exprs.as_const(guard).and_then(|c| c.as_bool()) == Some(false) {
            return;
        }
        let location = self.mistake(process, node, mistake);
        let mut writes = vec![(self.of(process).location, self.program.exprs.i64(location))];
        self.forget(process, &mut writes);
        // Nobody reads its locals any more.
        let values = self.initial_locals(process);
        let fields = self.of(process).locals.clone();
        writes.extend(fields.into_iter().zip(values).filter_map(|(field, value)| Some((field?, value))));
        self.step(process, (ActionId::SILENT, class), guard, Vec::new(), writes, span);
    }

    /// Nothing is under way any more.
    pub fn forget(&mut self, process: ProcessId, writes: &mut Writes) {
        let of = self.of(process);
        let fields = [of.journey, of.stage, of.variable, of.decision];
        for field in fields.into_iter().flatten() {
            writes.push((field, self.program.exprs.i64(0)));
        }
    }

    /// Steps to mistakes unless conditions hold; the guard under which all of them do.
    fn guarded(
        &mut self,
        process: ProcessId,
        node: NodeId,
        mut guard: ExprId,
        conditions: &[(ExprId, Mistake)],
        class: Class,
        span: Span,
    ) -> ExprId {
        for &(holds, mistake) in conditions {
            let exprs = &mut self.program.exprs;
            let fails = exprs.not(holds);
            let fails = exprs.and(guard, fails);
            self.fail(process, node, fails, mistake, class, span);
            guard = self.program.exprs.and(guard, holds);
        }
        guard
    }

    fn begin(
        &mut self,
        process: ProcessId,
        node: NodeId,
        (access, span): (&Access, Span),
        variable: VariableId,
        guard: ExprId,
        env: &Env,
    ) {
        let line = self.system.variables[variable.index()].line;
        let on_cache = access.operation.on_cache();
        let class = self.class_of_access(process);
        let mut outcome = self.decided(process, line, on_cache);
        let of = self.of(process);
        let (location, journey, pending, decision) = (of.location, of.journey, of.variable, of.decision);
        if self.machine.atomicity != Atomicity::Atomic {
            // Memory and caches change later; operands have their values from the beginning on.
            let operated = self.operated(access, variable, env);
            outcome.conditions.insert(0, (operated.exists, Mistake::Arithmetic));
            let guard = self.guarded(process, node, guard, &outcome.conditions, class, span);
            let action = self.access_action("ACTION");
            let items = self.items(process, access, variable, &operated, Some(outcome.journey));
            let next = match self.view {
                View::Untimed { .. } => Location::Updating(node),
                _ => Location::Waiting(node),
            };
            let mut writes = vec![(location, self.number(process, next))];
            writes.extend(journey.map(|field| (field, outcome.journey)));
            writes.extend(decision.map(|field| (field, outcome.situation)));
            writes.extend(self.pending(pending, access, variable));
            self.step(process, (action, class), guard, items, writes, span);
            return;
        }
        let situation = outcome.situation;
        self.applied(process, line, on_cache, situation, &mut outcome);
        self.change(process, node, (access, span), variable, guard, env, outcome, class, "ACTION");
    }

    /// The number of a location as an expression.
    pub fn number(&mut self, process: ProcessId, location: Location) -> ExprId {
        let number = self.location(process, location);
        self.program.exprs.i64(number)
    }

    /// The variable of an access under way, where it is computed.
    fn pending(
        &mut self,
        field: Option<volvelle_model::FieldId>,
        access: &Access,
        variable: VariableId,
    ) -> Option<(volvelle_model::FieldId, ExprId)> {
        let field = field.filter(|_| !access.variable.indices.is_empty())?;
        Some((field, self.program.exprs.i64(i64::from(variable.0) + 1)))
    }

    /// The step in which memory and caches change: at the beginning of an access, or in its middle.
    #[expect(clippy::too_many_arguments, reason = "they are what an access is about")]
    fn change(
        &mut self,
        process: ProcessId,
        node: NodeId,
        (access, span): (&Access, Span),
        variable: VariableId,
        guard: ExprId,
        env: &Env,
        outcome: Outcome,
        class: Class,
        action: &str,
    ) {
        let operated = self.operated(access, variable, env);
        let mut conditions = vec![(operated.exists, Mistake::Arithmetic), (operated.fits, Mistake::Range)];
        conditions.extend(outcome.conditions.iter().copied());
        let is_update = action == "UPDATE";
        let (next, result) = (access.next, access.result);
        let mut env = env.clone();
        let mut fits_local = self.program.exprs.bool(true);
        if let Some(local) = result {
            let of = &self.system.processes[process.index()].locals[local.index()];
            fits_local = self.is_within_known(operated.result, of.lo, of.hi);
            env[local.index()] = operated.result;
        }
        conditions.push((fits_local, Mistake::Range));
        let guard = self.guarded(process, node, guard, &conditions, class, span);
        let of = self.of(process);
        let (location, journey, pending, decision, locals) =
            (of.location, of.journey, of.variable, of.decision, of.locals.clone());
        let shown = (!is_update).then_some(outcome.journey);
        let items = self.items(process, access, variable, &operated, shown);
        let mut writes = outcome.writes;
        if let Some(field) = self.fields.variables[variable.index()] {
            writes.push((field, operated.stored));
        }
        match self.view {
            View::Untimed { .. } => {
                if self.machine.atomicity != Atomicity::Atomic {
                    self.forget(process, &mut writes);
                }
                writes.extend(self.zero_time(process, next, env, true));
            }
            _ => {
                let then = if is_update { Location::WaitingAgain(node) } else { Location::Waiting(node) };
                writes.push((location, self.number(process, then)));
                if !is_update {
                    writes.extend(journey.map(|field| (field, outcome.journey)));
                    writes.extend(self.pending(pending, access, variable));
                } else if let Some(field) = decision {
                    writes.push((field, self.program.exprs.i64(0)));
                }
                let changed = result.and_then(|local| Some((locals[local.index()]?, env[local.index()])));
                writes.extend(changed);
            }
        }
        let action = self.access_action(action);
        self.step(process, (action, class), guard, items, writes, span);
    }

    /// The middle of an access that changes caches there.
    pub fn updating(&mut self, process: ProcessId, node: NodeId) {
        let (access, span) = self.access_of(process, node);
        let here = self.is_at(process, Location::Updating(node));
        let env = self.locals(process);
        let (variables, _) = self.resolved(access.variable.base.0, &access.variable.indices, &env);
        let class = self.class_of_access(process);
        for (variable, cond) in variables {
            let variable = VariableId(variable);
            let guard = self.program.exprs.and(here, cond);
            let line = self.system.variables[variable.index()].line;
            let on_cache = access.operation.on_cache();
            let mut outcome = self.decided(process, line, on_cache);
            let situation = match self.of(process).decision {
                // There was a row for what was decided, whatever caches are like now.
                Some(field) => {
                    outcome.conditions.clear();
                    outcome.journey = self.journey_under_way(process);
                    self.program.field(field)
                }
                None => outcome.situation,
            };
            self.applied(process, line, on_cache, situation, &mut outcome);
            self.change(process, node, (&access, span), variable, guard, &env, outcome, class, "UPDATE");
        }
    }

    fn access_action(&mut self, name: &str) -> ActionId {
        if matches!(self.view, View::Timed { .. }) { ActionId::SILENT } else { self.action(name) }
    }

    /// The values in the label of an access: process, operation, variable, values, transfer.
    fn items(
        &mut self,
        process: ProcessId,
        access: &Access,
        variable: VariableId,
        operated: &Operated,
        journey: Option<ExprId>,
    ) -> Vec<(ExprId, SortId)> {
        if matches!(self.view, View::Timed { .. }) {
            return Vec::new();
        }
        let name = access.operation.name();
        let place = super::OPERATIONS.iter().position(|&known| known == name).expect("a known operation");
        let exprs = &mut self.program.exprs;
        let operation = (exprs.i64(place as i64), self.sorts.operation);
        let variable = (exprs.i64(i64::from(variable.0)), self.sorts.variable);
        let mut items = vec![self.process_item(process), operation, variable];
        items.extend(operated.shown.iter().map(|&value| (value, SortId::INTEGER)));
        if let Some(journey) = journey {
            items.push(self.transfer_item(process, journey));
        }
        items
    }

    /// What an operation makes of a variable.
    fn operated(&mut self, access: &Access, variable: VariableId, env: &Env) -> Operated {
        let of = self.system.variables[variable.index()].clone();
        let old = match self.fields.variables[variable.index()] {
            Some(field) => self.program.field(field),
            None => self.program.exprs.i64(of.lo),
        };
        let truth = self.program.exprs.bool(true);
        let one = self.program.exprs.i64(1);
        let (stored, result, exists) = match &access.operation {
            Operation::Load => (old, old, truth),
            Operation::Store(value) => {
                let Value { value, exists } = self.value(value, env);
                (value, value, exists)
            }
            Operation::TestAndSet => (one, old, truth),
            Operation::Swap(value) => {
                let Value { value, exists } = self.value(value, env);
                (value, old, exists)
            }
            Operation::CompareAndSwap(expected, new) => {
                let expected = self.value(expected, env);
                let new = self.value(new, env);
                let exprs = &mut self.program.exprs;
                let equal = exprs.binary(BinaryOp::Eq, old, expected.value);
                let stored = exprs.select(equal, new.value, old);
                (stored, exprs.convert(Type::I64, equal), exprs.and(expected.exists, new.exists))
            }
            Operation::FetchAdd(value) => {
                let value = self.value(value, env);
                let old_value = Value { value: old, exists: truth };
                let Value { value: mut sum, mut exists } = self.arithmetic(BinaryOp::Add, old_value, value);
                if of.wraps {
                    let size = values_in(of.lo, of.hi);
                    let exprs = &mut self.program.exprs;
                    let (lo, size) = (exprs.i64(of.lo), exprs.i64(size));
                    let (sum_value, least) =
                        (Value { value: sum, exists }, Value { value: lo, exists: truth });
                    let Value { value: offset, exists: both } =
                        self.arithmetic(BinaryOp::Sub, sum_value, least);
                    exists = both;
                    let rest = self.remainder(offset, size);
                    sum = self.program.exprs.binary(BinaryOp::Add, lo, rest);
                }
                (sum, old, exists)
            }
        };
        let fits = match access.operation {
            Operation::Load => truth,
            _ if of.lo == of.hi => truth,
            _ => self.is_within_known(stored, of.lo, of.hi),
        };
        let shown = match &access.operation {
            Operation::Load | Operation::Store(_) | Operation::TestAndSet => vec![result],
            _ => vec![old, stored],
        };
        Operated { stored, result, exists, fits, shown }
    }

    fn remainder(&mut self, lhs: ExprId, size: ExprId) -> ExprId {
        let info = volvelle_model::SiteInfo {
            kind: volvelle_kernel::FailKind::Division,
            subject: volvelle_model::SiteSubject::Expression,
            origin: volvelle_model::Origin(0),
            command: None,
        };
        let site = self.program.site(info);
        self.program.exprs.checked(volvelle_kernel::CheckedOp::Mod, lhs, size, site)
    }
}

/// The number of values of a range.
fn values_in(lo: i64, hi: i64) -> i64 {
    hi - lo + 1
}
