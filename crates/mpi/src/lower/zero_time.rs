//! Zero-time code: from a step on, through computations and decisions, to where the next step begins.
//!
//! All ways through the code are followed at once, in topological order: where they meet, values are selected by the conditions under which
//! the ways are taken (if-conversion; J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, *Conversion of control dependence to data dependence*,
//! POPL 1983, doi:10.1145/567067.567085). So the size of the result is that of the code, and not that of its ways.

use super::expressions::{Env, Value};
use super::{Location, Lowering, Writes};
use crate::system::{Mistake, NodeId, NodeKind, ProcessId, System};
use rustc_hash::FxHashMap;
use volvelle_kernel::ExprId;
use volvelle_model::interval;

/// Where zero-time code may end.
struct Ending {
    condition: ExprId,
    env: Env,
    location: i64,
}

impl Lowering<'_> {
    /// The effect of zero-time code that begins at a node with these values of locals: the next location, and the locals. A node where code
    /// ends is passed over if it is the head of a loop whose step this is, and not if the code comes to it (`is_entry`).
    pub fn zero_time(&mut self, process: ProcessId, start: NodeId, env: Env, is_entry: bool) -> Writes {
        let endings = self.endings(process, start, env, is_entry);
        let fields = self.of(process).locals.clone();
        let location = self.of(process).location;
        let mut writes = Writes::new();
        let mut at = None;
        let mut values: Option<Env> = None;
        // The last ending needs no condition.
        for ending in endings.into_iter().rev() {
            let exprs = &mut self.program.exprs;
            let number = exprs.i64(ending.location);
            at = Some(match at {
                None => number,
                Some(other) => exprs.select(ending.condition, number, other),
            });
            values = Some(match values {
                None => ending.env,
                Some(others) => {
                    let pairs = ending.env.into_iter().zip(others);
                    pairs.map(|(value, other)| exprs.select(ending.condition, value, other)).collect()
                }
            });
        }
        writes.push((location, at.expect("code ends somewhere")));
        for (value, field) in values.unwrap_or_default().into_iter().zip(fields) {
            writes.extend(field.map(|field| (field, value)));
        }
        writes
    }

    fn endings(&mut self, process: ProcessId, start: NodeId, env: Env, is_entry: bool) -> Vec<Ending> {
        let system = self.system;
        let nodes = &system.processes[process.index()].nodes;
        let truth = self.program.exprs.bool(true);
        if is_entry && self.cuts[process.index()][start.index()] {
            let location = self.location(process, Location::Ready(start));
            return vec![Ending { condition: truth, env, location }];
        }
        let mut endings: Vec<Ending> = Vec::new();
        let mut arrived: FxHashMap<NodeId, (ExprId, Env)> = FxHashMap::from_iter([(start, (truth, env))]);
        for (place, node) in self.order(process, start).into_iter().enumerate() {
            let Some((condition, mut env)) = arrived.remove(&node) else { continue };
            if self.is_never(condition) {
                continue;
            }
            if place > 0 && self.cuts[process.index()][node.index()] {
                let location = self.location(process, Location::Ready(node));
                endings.push(Ending { condition, env, location });
                continue;
            }
            match &nodes[node.index()].kind {
                NodeKind::Assign(local, expr, next) => {
                    let of = &system.processes[process.index()].locals[local.index()];
                    let Value { value, exists } = self.value(expr, &env);
                    let fits = self.is_within_known(value, of.lo, of.hi);
                    let condition =
                        self.unless(process, node, condition, exists, Mistake::Arithmetic, &mut endings);
                    let condition = self.unless(process, node, condition, fits, Mistake::Range, &mut endings);
                    env[local.index()] = value;
                    self.arrive(&mut arrived, *next, condition, env);
                }
                NodeKind::Assert(expr, next) => {
                    let Value { value, exists } = self.value(expr, &env);
                    let holds = self.is_true(value);
                    let condition =
                        self.unless(process, node, condition, exists, Mistake::Arithmetic, &mut endings);
                    let condition =
                        self.unless(process, node, condition, holds, Mistake::Assertion, &mut endings);
                    self.arrive(&mut arrived, *next, condition, env);
                }
                NodeKind::Branch(expr, yes, no) => {
                    let Value { value, exists } = self.value(expr, &env);
                    let condition =
                        self.unless(process, node, condition, exists, Mistake::Arithmetic, &mut endings);
                    let holds = self.is_true(value);
                    let exprs = &mut self.program.exprs;
                    let fails = exprs.not(holds);
                    let (taken, not_taken) = (exprs.and(condition, holds), exprs.and(condition, fails));
                    self.arrive(&mut arrived, *yes, taken, env.clone());
                    self.arrive(&mut arrived, *no, not_taken, env);
                }
                // An annotation that this view does not look at.
                NodeKind::Event(_, next) => self.arrive(&mut arrived, *next, condition, env),
                NodeKind::Access(_) | NodeKind::Work(..) | NodeKind::Choice(_) | NodeKind::End => {
                    unreachable!("steps end zero-time code")
                }
            }
        }
        endings
    }

    fn is_never(&self, condition: ExprId) -> bool {
        self.program.exprs.as_const(condition).and_then(|c| c.as_bool()) == Some(false)
    }

    /// Another way comes to a node.
    fn arrive(
        &mut self,
        arrived: &mut FxHashMap<NodeId, (ExprId, Env)>,
        node: NodeId,
        condition: ExprId,
        env: Env,
    ) {
        if self.is_never(condition) {
            return;
        }
        let exprs = &mut self.program.exprs;
        match arrived.remove(&node) {
            None => {
                arrived.insert(node, (condition, env));
            }
            Some((other_condition, others)) => {
                let pairs = env.into_iter().zip(others);
                let env = pairs.map(|(value, other)| exprs.select(condition, value, other)).collect();
                arrived.insert(node, (exprs.or(condition, other_condition), env));
            }
        }
    }

    /// The condition under which code goes on that makes a mistake unless something holds.
    fn unless(
        &mut self,
        process: ProcessId,
        node: NodeId,
        condition: ExprId,
        holds: ExprId,
        mistake: Mistake,
        endings: &mut Vec<Ending>,
    ) -> ExprId {
        let exprs = &mut self.program.exprs;
        let fails = exprs.not(holds);
        let fails = exprs.and(condition, fails);
        if self.is_never(fails) {
            return condition;
        }
        let location = self.mistake(process, node, mistake);
        let env = self.initial_locals(process);
        endings.push(Ending { condition: fails, env, location });
        self.program.exprs.and(condition, holds)
    }

    /// Whether a value lies in a range; true at once where nothing else is possible.
    pub fn is_within_known(&mut self, value: ExprId, lo: i64, hi: i64) -> ExprId {
        let env = interval::Env::new(&self.program);
        if interval::of(&self.program.exprs, value, &env).is_some_and(|bounds| bounds.within(lo, hi)) {
            return self.program.exprs.bool(true);
        }
        self.is_within(value, lo, hi)
    }

    /// The nodes of zero-time code in topological order, with the nodes where it ends.
    fn order(&self, process: ProcessId, start: NodeId) -> Vec<NodeId> {
        let nodes = &self.system.processes[process.index()].nodes;
        let cuts = &self.cuts[process.index()];
        let successors = |node: NodeId| {
            if node != start && cuts[node.index()] {
                Vec::new()
            } else {
                System::successors(&nodes[node.index()])
            }
        };
        let mut order = Vec::new();
        let mut seen = rustc_hash::FxHashSet::from_iter([start]);
        let mut stack = vec![(start, successors(start), 0)];
        let mut returns = false;
        while let Some((node, next, place)) = stack.last_mut() {
            let Some(&successor) = next.get(*place) else {
                order.push(*node);
                stack.pop();
                continue;
            };
            *place += 1;
            returns |= successor == start;
            if seen.insert(successor) {
                let next = successors(successor);
                stack.push((successor, next, 0));
            }
        }
        order.reverse();
        // A loop comes back to its head, where the code ends.
        if returns {
            order.push(start);
        }
        order
    }
}
