//! The plan of a formula: closed intervals, and the order of evaluation of operands.

use super::interval::closed;
use crate::Failure;
use dashu_ratio::RBig;
use volvelle_logic::{Wctl, WctlFormula, WctlId, wctl_operands};

/// Limit of nested calls that a formula may need: one for each nested temporal operator, and one for the
/// operand of a Boolean operator that is evaluated first. Parsers limit nesting below this.
const DEEPEST: u32 = 250;

/// Bound of searches for weights without an interval.
pub(super) const FAR: u64 = (1 << 62) - 1;

/// A closed interval of multiples of the unit; `None` if it is empty.
pub(super) type Closed = Option<(u64, Option<u64>)>;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Nodes that the root needs.
    pub needed: Vec<bool>,
    /// By node; also `None` for nodes without an interval.
    pub intervals: Vec<Closed>,
    /// By node: whether it contains no temporal operator with a lower bound.
    light: Vec<bool>,
    /// By node: nesting depth of temporal operators, and of all operators.
    ranks: Vec<(u32, u32)>,
    deepest: u32,
}

impl Plan {
    pub fn new(formula: &WctlFormula, unit: &RBig) -> Self {
        let len = formula.nodes.len();
        let mut plan = Plan {
            needed: vec![false; len],
            intervals: Vec::new(),
            light: Vec::new(),
            ranks: Vec::new(),
            deepest: 0,
        };
        let mut calls: Vec<u32> = Vec::with_capacity(len);
        for node in &formula.nodes {
            let rank = wctl_operands(node).map(|operand| plan.ranks[operand.index()]).max().unwrap_or((0, 0));
            let inner = wctl_operands(node).map(|operand| calls[operand.index()]).max().unwrap_or(0);
            let (interval, is_temporal) = match node {
                Wctl::Next(_, interval, _) | Wctl::Until(_, _, interval, _) => (closed(interval, unit), 1),
                _ => (None, 0),
            };
            let is_light = wctl_operands(node).all(|operand| plan.light[operand.index()]);
            plan.light.push(is_light && interval.is_none_or(|(lower, _)| lower == 0));
            plan.intervals.push(interval);
            plan.ranks.push((rank.0 + is_temporal, rank.1 + 1));
            calls.push(match node {
                Wctl::And(a, b) | Wctl::Or(a, b) => {
                    let (first, second) = plan.order(*a, *b);
                    (calls[first.index()] + 1).max(calls[second.index()])
                }
                _ => inner + is_temporal,
            });
        }
        plan.deepest = calls.get(formula.root.index()).copied().unwrap_or(0);
        plan.needed[formula.root.index()] = true;
        for index in (0..len).rev().filter(|&index| index <= formula.root.index()) {
            if plan.needed[index] {
                for operand in wctl_operands(&formula.nodes[index]) {
                    plan.needed[operand.index()] = true;
                }
            }
        }
        plan
    }

    /// The plan for the least bound of the root: all weights count that can be added.
    pub fn asking(formula: &WctlFormula, unit: &RBig) -> Self {
        let mut plan = Plan::new(formula, unit);
        plan.intervals[formula.root.index()] = Some((0, Some(FAR)));
        plan
    }

    /// Whether a node contains no temporal operator.
    pub fn is_local(&self, node: WctlId) -> bool {
        self.ranks[node.index()].0 == 0
    }

    /// Whether a node contains no temporal operator with a lower bound.
    pub fn is_light(&self, node: WctlId) -> bool {
        self.light[node.index()]
    }

    /// Two operands, the one with less work first.
    pub fn order(&self, left: WctlId, right: WctlId) -> (WctlId, WctlId) {
        if self.ranks[left.index()] <= self.ranks[right.index()] { (left, right) } else { (right, left) }
    }

    /// Fails if local searches, which call each other, would nest too deeply.
    pub fn check(&self) -> Result<(), Failure> {
        if self.deepest > DEEPEST {
            let reason =
                format!("the formula has more than {DEEPEST} temporal operators inside of each other");
            return Err(Failure::System(reason));
        }
        Ok(())
    }
}
