//! How the conditions of some parameters are solved: the order in which parameters get values, and of
//! evaluation.
//!
//! A node is evaluated as soon as its last parameter has a value, once for all deeper choices and for all
//! conditions that contain it. A condition is checked as soon as it is evaluated. Before that, bounds over
//! all values of the remaining parameters tell whether it can still be met; where such checks do not pay,
//! they stop.

use super::operation::Interval;
use super::tree::{Node, NodeId, Tree};
use super::value::Scalar;
use std::ops::Range;

/// The possible values of a parameter, each with its position in the list of values.
pub(crate) type Domain = Vec<(u16, Scalar)>;

/// The order in which the parameters of a part of a space get their values.
pub(crate) struct Plan {
    levels: Vec<Level>,
    /// Values of constants; other slots are filled later.
    slots: Vec<Scalar>,
    /// Bounds of parameters over their domains and of constants.
    bounds: Vec<Interval>,
}

struct Level {
    parameter: u16,
    domain: Domain,
    /// Slot of the parameter's value, if a condition has it.
    slot: Option<u32>,
    /// The nodes that can be evaluated once the parameter has a value, each with its slot.
    steps: Vec<(u32, Node)>,
    /// Slots of conditions that are decided here.
    checks: Vec<u32>,
    /// For conditions decided later: slots with known values, and nodes that are bounded with their help.
    known: Vec<u32>,
    bounded: Vec<(u32, Node)>,
    doubtful: Vec<u32>,
}

/// Finds an order, greedily. Next is the parameter that decides most conditions; among equals, the one in
/// most conditions already begun; then the one with the fewest values.
fn order(parameters: &[u16], conditions: &[Vec<u16>], size: impl Fn(u16) -> usize) -> Vec<u16> {
    let mut left = parameters.to_vec();
    let mut chosen: Vec<u16> = Vec::new();
    while !left.is_empty() {
        let score = |parameter: u16| {
            let mut decided = 0;
            let mut touched = 0;
            for condition in conditions.iter().filter(|condition| condition.contains(&parameter)) {
                let open = condition.iter().filter(|other| !chosen.contains(other)).count();
                decided += usize::from(open == 1);
                touched += usize::from(open < condition.len() || chosen.is_empty());
            }
            (decided, touched, std::cmp::Reverse(size(parameter)))
        };
        let best = (0..left.len()).max_by_key(|i| (score(left[*i]), std::cmp::Reverse(left[*i])));
        chosen.push(left.remove(best.expect("a parameter is left")));
    }
    chosen
}

impl Plan {
    /// A plan for parameters that are connected by conditions.
    pub(crate) fn new(tree: &Tree, parameters: &[u16], roots: &[NodeId], domains: &[Domain]) -> Self {
        let conditions: Vec<Vec<u16>> = roots.iter().map(|root| tree.parameters(*root)).collect();
        let order = order(parameters, &conditions, |parameter| domains[parameter as usize].len());
        let nodes = tree.within(roots);
        let slot_of = |id: NodeId| nodes.binary_search(&id).expect("a node of a condition") as u32;
        let local = |node: Node| match node {
            Node::Apply(op, a, b) => Node::Apply(op, NodeId(slot_of(a)), NodeId(slot_of(b))),
            Node::Select(c, a, b) => Node::Select(NodeId(slot_of(c)), NodeId(slot_of(a)), NodeId(slot_of(b))),
            node => node,
        };
        let locals: Vec<Node> = nodes.iter().map(|id| local(tree.node(*id))).collect();
        // One more than the level of the last parameter; 0 for constants.
        let mut depth = vec![0_usize; nodes.len()];
        let mut slots = vec![Scalar::Undefined; nodes.len()];
        let mut bounds = vec![Interval::ANYTHING; nodes.len()];
        for (i, node) in locals.iter().enumerate() {
            let of = |id: &NodeId| depth[id.0 as usize];
            depth[i] = match node {
                Node::Constant(value) => {
                    slots[i] = *value;
                    bounds[i] = Interval::of(*value);
                    0
                }
                Node::Parameter(parameter) => {
                    let all = domains[*parameter as usize].iter().map(|(_, value)| Interval::of(*value));
                    bounds[i] = all.reduce(Interval::hull).unwrap_or(Interval::ANYTHING);
                    1 + order.iter().position(|other| other == parameter).expect("a parameter of this part")
                }
                Node::Apply(_, a, b) => of(a).max(of(b)),
                Node::Select(c, a, b) => of(c).max(of(a)).max(of(b)),
            };
        }
        let roots: Vec<u32> = roots.iter().map(|root| slot_of(*root)).collect();
        let levels = order.iter().enumerate().map(|(level, parameter)| {
            let at = |i: &usize| depth[*i] == level + 1;
            let is_slot = |i: &usize| matches!(locals[*i], Node::Parameter(other) if other == *parameter);
            let doubtful: Vec<u32> = (0..roots.len())
                .filter(|i| depth[roots[*i] as usize] > level + 1 && conditions[*i].contains(parameter))
                .map(|i| roots[i])
                .collect();
            let (known, bounded) = cone(&locals, &depth, level + 1, &doubtful);
            Level {
                parameter: *parameter,
                domain: domains[*parameter as usize].clone(),
                slot: (0..nodes.len()).find(is_slot).map(|i| i as u32),
                steps: (0..nodes.len())
                    .filter(at)
                    .filter(|i| !matches!(locals[*i], Node::Parameter(_)))
                    .map(|i| (i as u32, locals[i]))
                    .collect(),
                checks: roots.iter().copied().filter(|root| at(&(*root as usize))).collect(),
                known,
                bounded,
                doubtful,
            }
        });
        Plan { levels: levels.collect(), slots, bounds }
    }

    /// The parameters, in the order in which they get their values.
    pub(crate) fn parameters(&self) -> Vec<u16> {
        self.levels.iter().map(|level| level.parameter).collect()
    }

    /// How many values the first parameter has: solving can be split there.
    pub(crate) fn width(&self) -> usize {
        self.levels.first().map_or(1, |level| level.domain.len())
    }

    /// An upper bound on the combinations.
    pub(crate) fn work(&self) -> f64 {
        self.levels.iter().map(|level| level.domain.len() as f64).product()
    }

    /// All combinations, as columns of positions of values, in lexicographic order. The first parameter takes
    /// only values from `first`. Calls `goes_on` now and then, and stops if it returns false.
    pub(crate) fn solve(
        &self,
        first: Range<usize>,
        goes_on: &(dyn Fn(usize) -> bool + Sync),
    ) -> Vec<Vec<u16>> {
        let deepest = self.levels.len() - 1;
        let mut columns = vec![Vec::new(); self.levels.len()];
        let mut slots = self.slots.clone();
        let mut bounds = self.bounds.clone();
        let mut pays = vec![Payoff::default(); self.levels.len()];
        let end = |level: usize| if level == 0 { first.end } else { self.levels[level].domain.len() };
        // The next value of each open level.
        let mut next = vec![0_usize; self.levels.len()];
        next[0] = first.start;
        let mut current = vec![0_u16; self.levels.len()];
        let mut level = 0;
        let mut rounds = 0_u32;
        loop {
            if next[level] >= end(level) {
                if level == 0 {
                    return columns;
                }
                level -= 1;
                continue;
            }
            let this = &self.levels[level];
            let (index, value) = this.domain[next[level]];
            next[level] += 1;
            if let Some(slot) = this.slot {
                slots[slot as usize] = value;
            }
            for (slot, node) in &this.steps {
                slots[*slot as usize] = Tree::value(*node, &slots, |_| Scalar::Undefined);
            }
            if !this.checks.iter().all(|check| slots[*check as usize].is_true()) {
                continue;
            }
            if !this.doubtful.is_empty() && pays[level].is_worth_it() {
                let is_hopeless = this.is_hopeless(&slots, &mut bounds);
                pays[level].note(is_hopeless);
                if is_hopeless {
                    continue;
                }
            }
            current[level] = index;
            if level < deepest {
                level += 1;
                next[level] = 0;
                continue;
            }
            for (column, value) in columns.iter_mut().zip(&current) {
                column.push(*value);
            }
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(1 << 16) && !goes_on(columns[0].len()) {
                return columns;
            }
        }
    }
}

/// The nodes to be bounded for some conditions at a depth: those evaluated later, and the known ones that
/// they use.
fn cone(nodes: &[Node], depth: &[usize], now: usize, roots: &[u32]) -> (Vec<u32>, Vec<(u32, Node)>) {
    let mut is_inside = vec![false; nodes.len()];
    let mut left: Vec<u32> = roots.to_vec();
    while let Some(slot) = left.pop() {
        let i = slot as usize;
        if std::mem::replace(&mut is_inside[i], true) || depth[i] <= now {
            continue;
        }
        match nodes[i] {
            Node::Constant(_) | Node::Parameter(_) => {}
            Node::Apply(_, a, b) => left.extend([a.0, b.0]),
            Node::Select(c, a, b) => left.extend([c.0, a.0, b.0]),
        }
    }
    let inside = |i: &usize| is_inside[*i];
    let known =
        (0..nodes.len()).filter(inside).filter(|i| depth[*i] <= now && depth[*i] > 0).map(|i| i as u32);
    let is_operation = |i: &usize| !matches!(nodes[*i], Node::Parameter(_) | Node::Constant(_));
    let bounded = (0..nodes.len()).filter(inside).filter(|i| depth[*i] > now).filter(is_operation);
    (known.collect(), bounded.map(|i| (i as u32, nodes[i])).collect())
}

impl Level {
    /// Whether a condition that is decided later cannot be met any more.
    fn is_hopeless(&self, slots: &[Scalar], bounds: &mut [Interval]) -> bool {
        // Restored below, so that parameters without a value always have the bounds of their domains.
        let saved: Vec<Interval> = self.known.iter().map(|slot| bounds[*slot as usize]).collect();
        for slot in &self.known {
            bounds[*slot as usize] = Interval::of(slots[*slot as usize]);
        }
        for (slot, node) in &self.bounded {
            bounds[*slot as usize] = Tree::bounds(*node, |id| bounds[id.0 as usize]);
        }
        let is_hopeless = self.doubtful.iter().any(|slot| bounds[*slot as usize].is_false());
        for (slot, interval) in self.known.iter().zip(saved) {
            bounds[*slot as usize] = interval;
        }
        is_hopeless
    }
}

/// Whether checks of bounds at a level have excluded enough so far.
#[derive(Clone, Copy, Debug, Default)]
struct Payoff {
    asked: u32,
    excluded: u32,
}

impl Payoff {
    fn is_worth_it(self) -> bool {
        self.asked < 256 || self.excluded >= self.asked / 16
    }

    fn note(&mut self, excluded: bool) {
        if self.asked == u32::MAX {
            *self = Payoff { asked: self.asked / 2, excluded: self.excluded / 2 };
        }
        self.asked += 1;
        self.excluded += u32::from(excluded);
    }
}
