//! Rewriting of formulas into equivalent ones with smaller automata.
//!
//! Rules of F. Somenzi, R. Bloem, CAV 2000, and K. Etessami, G. Holzmann, CONCUR 2000: operands that follow from others
//! are removed, where implication is decided by comparing syntax. `simplify` has those rules that need no such comparison.

use rustc_hash::FxHashMap;

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};

/// Rewriting; known results are kept.
struct Rewriter<'a> {
    formulas: &'a mut Formulas,
    rewritten: FxHashMap<FormulaId, FormulaId>,
    implied: FxHashMap<(FormulaId, FormulaId), bool>,
    comparisons: usize,
}

/// Limit on comparisons; beyond it no implication is found.
const COMPARISONS_LIMIT: usize = 200_000;

/// Operands of a junction that are compared with each other.
const OPERANDS_LIMIT: usize = 64;

/// Rounds of rewriting: one may make room for another.
const ROUNDS: usize = 4;

/// An equivalent formula.
pub(crate) fn rewritten(formulas: &mut Formulas, mut id: FormulaId) -> FormulaId {
    let (rewritten, implied) = Default::default();
    let mut rewriter = Rewriter { formulas, rewritten, implied, comparisons: 0 };
    for _ in 0..ROUNDS {
        let next = rewriter.rewrite(id);
        if next == id {
            break;
        }
        id = next;
        rewriter.rewritten.clear();
    }
    id
}

impl Rewriter<'_> {
    fn rewrite(&mut self, id: FormulaId) -> FormulaId {
        if let Some(&known) = self.rewritten.get(&id) {
            return known;
        }
        let result = match self.formulas.get(id).clone() {
            Node::True | Node::False | Node::Literal { .. } => id,
            Node::And(operands) => {
                let operands: Vec<FormulaId> = operands.iter().map(|&o| self.rewrite(o)).collect();
                self.junction(operands, true)
            }
            Node::Or(operands) => {
                let operands: Vec<FormulaId> = operands.iter().map(|&o| self.rewrite(o)).collect();
                self.junction(operands, false)
            }
            Node::Delay { steps, hold, then, all } => {
                let (hold, then) = (self.rewrite(hold), self.rewrite(then));
                self.formulas.delay(steps, hold, then, all)
            }
            Node::Until { hold, goal, bound } => {
                let (hold, goal) = (self.rewrite(hold), self.rewrite(goal));
                self.until(hold, goal, bound)
            }
            Node::Release { release, goal, bound } => {
                // By duality there is one set of rules.
                let (release, goal) = (self.rewrite(release), self.rewrite(goal));
                let (hold, opposite) = (self.formulas.not(release), self.formulas.not(goal));
                let until = self.until(hold, opposite, bound);
                self.formulas.not(until)
            }
            Node::InfinitelyOften(inner) => {
                let inner = self.rewrite(inner);
                self.again_and_again(inner)
            }
            Node::AlmostAlways(inner) => {
                let inner = self.rewrite(inner);
                let opposite = self.formulas.not(inner);
                let again = self.again_and_again(opposite);
                self.formulas.not(again)
            }
        };
        self.rewritten.insert(id, result);
        result
    }

    fn until(&mut self, mut hold: FormulaId, goal: FormulaId, bound: u64) -> FormulaId {
        if self.implies(hold, goal) {
            return goal;
        }
        let not_hold = self.formulas.not(hold);
        if hold != Formulas::TRUE && self.implies(not_hold, goal) {
            hold = Formulas::TRUE;
        }
        if bound == UNBOUNDED {
            match self.formulas.get(goal).clone() {
                // α U (β U γ) = β U γ, if α implies β.
                Node::Until { hold: inner, bound: UNBOUNDED, .. } if self.implies(hold, inner) => {
                    return goal;
                }
                // X α U X β = X (α U β), and the same where α is true.
                Node::Delay { steps, hold: Formulas::TRUE, then, all: true } => {
                    let before = match self.formulas.get(hold).clone() {
                        Node::True => Some(hold),
                        Node::Delay { steps: same, hold: Formulas::TRUE, then: before, all: true }
                            if steps == same =>
                        {
                            Some(before)
                        }
                        _ => None,
                    };
                    if let Some(before) = before {
                        let until = self.until(before, then, bound);
                        return self.formulas.delay(steps, Formulas::TRUE, until, true);
                    }
                }
                _ => {}
            }
            // (α U β) U β = α U β.
            if let Node::Until { goal: inner, bound: UNBOUNDED, .. } = *self.formulas.get(hold)
                && inner == goal
            {
                return hold;
            }
        }
        self.formulas.until_within(hold, goal, bound)
    }

    /// `G F (α & F β) = G F α & G F β`, and so with steps before the `F`.
    fn again_and_again(&mut self, id: FormulaId) -> FormulaId {
        let mut parts = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            let operands = match self.formulas.get(id) {
                Node::And(operands) => operands.to_vec(),
                _ => vec![id],
            };
            let mut others = Vec::new();
            for operand in operands {
                match *self.after_steps(operand) {
                    Node::Until { hold: Formulas::TRUE, goal, bound: UNBOUNDED } => work.push(goal),
                    _ => others.push(operand),
                }
            }
            let others = self.formulas.junction(others, true);
            parts.push(self.formulas.infinitely_often(others));
        }
        self.formulas.junction(parts, true)
    }

    /// The formula that has to hold after plain steps, if there are any.
    fn after_steps(&self, id: FormulaId) -> &Node {
        match *self.formulas.get(id) {
            Node::Delay { hold: Formulas::TRUE, then, all: true, .. } => self.formulas.get(then),
            _ => self.formulas.get(id),
        }
    }

    /// Removes operands that follow from others (`all`), or from which others follow.
    fn junction(&mut self, operands: Vec<FormulaId>, all: bool) -> FormulaId {
        let id = self.formulas.junction(operands, all);
        let operands = match self.formulas.get(id) {
            Node::And(operands) if all => operands.to_vec(),
            Node::Or(operands) if !all => operands.to_vec(),
            _ => return id,
        };
        if operands.len() > OPERANDS_LIMIT {
            return id;
        }
        let mut kept = operands.clone();
        for &operand in &operands {
            let mut others = kept.iter().copied().filter(|&o| o != operand).collect::<Vec<_>>().into_iter();
            if others.any(|o| if all { self.implies(o, operand) } else { self.implies(operand, o) }) {
                kept.retain(|&o| o != operand);
            }
        }
        for (i, &a) in kept.iter().enumerate() {
            let not_a = self.formulas.not(a);
            for &b in &kept[..i] {
                let clash = if all {
                    let not_b = self.formulas.not(b);
                    self.implies(a, not_b)
                } else {
                    self.implies(not_a, b)
                };
                if clash {
                    return self.formulas.constant(!all);
                }
            }
        }
        let kept = self.joined(kept, all);
        self.formulas.junction(kept, all)
    }

    /// Joins operands with the same operator and one operand in common: `(α U γ) & (β U γ) = (α & β) U γ`,
    /// `(α U β) | (α U γ) = α U (β | γ)`, the duals of both, and the same for limits.
    fn joined(&mut self, operands: Vec<FormulaId>, all: bool) -> Vec<FormulaId> {
        /// The operator, and the operand in common.
        #[derive(PartialEq, Eq, Hash)]
        enum Kind {
            Until(FormulaId),
            Release(FormulaId),
            Limit,
        }
        let mut groups: FxHashMap<Kind, Vec<FormulaId>> = FxHashMap::default();
        let mut result = Vec::new();
        // In the order of operands, so that the result does not depend on the table.
        let mut order: Vec<FormulaId> = Vec::new();
        let kind_of = |formulas: &Formulas, id: FormulaId| match *formulas.get(id) {
            Node::Until { hold, goal, bound: UNBOUNDED } => {
                Some(if all { (Kind::Until(goal), hold) } else { (Kind::Until(hold), goal) })
            }
            Node::Release { release, goal, bound: UNBOUNDED } => {
                Some(if all { (Kind::Release(release), goal) } else { (Kind::Release(goal), release) })
            }
            Node::InfinitelyOften(inner) if !all => Some((Kind::Limit, inner)),
            Node::AlmostAlways(inner) if all => Some((Kind::Limit, inner)),
            _ => None,
        };
        for &id in &operands {
            match kind_of(self.formulas, id) {
                Some((kind, inner)) => {
                    let group = groups.entry(kind).or_default();
                    if group.is_empty() {
                        order.push(id);
                    }
                    group.push(inner);
                }
                None => result.push(id),
            }
        }
        for id in order {
            let Some((kind, _)) = kind_of(self.formulas, id) else { continue };
            let inner = groups.remove(&kind).unwrap_or_default();
            if inner.len() == 1 {
                result.push(id);
                continue;
            }
            let inner = self.formulas.junction(inner, all);
            result.push(match kind {
                Kind::Until(goal) if all => self.formulas.until_within(inner, goal, UNBOUNDED),
                Kind::Until(hold) => self.formulas.until_within(hold, inner, UNBOUNDED),
                Kind::Release(release) if all => self.formulas.release_within(release, inner, UNBOUNDED),
                Kind::Release(goal) => self.formulas.release_within(inner, goal, UNBOUNDED),
                Kind::Limit if all => self.formulas.almost_always(inner),
                Kind::Limit => self.formulas.infinitely_often(inner),
            });
        }
        result
    }

    /// Whether `b` follows from `a` by syntax; `false` may be wrong.
    fn implies(&mut self, a: FormulaId, b: FormulaId) -> bool {
        if a == b || a == Formulas::FALSE || b == Formulas::TRUE {
            return true;
        }
        if a == Formulas::TRUE || b == Formulas::FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(a, b)) {
            return known;
        }
        self.comparisons += 1;
        if self.comparisons > COMPARISONS_LIMIT {
            return false;
        }
        let result = self.follows_by_left(a, b) || self.follows_by_right(a, b);
        self.implied.insert((a, b), result);
        result
    }

    /// The formulas that follow by taking `a` apart.
    fn follows_by_left(&mut self, a: FormulaId, b: FormulaId) -> bool {
        // Once `b` is true some time, it was true before.
        let lasting = match *self.formulas.get(b) {
            Node::Until { hold: Formulas::TRUE, bound: UNBOUNDED, .. } => true,
            _ => self.formulas.traits(b).limit,
        };
        match self.formulas.get(a).clone() {
            Node::And(operands) => operands.iter().any(|&o| self.implies(o, b)),
            Node::Or(operands) => operands.iter().all(|&o| self.implies(o, b)),
            Node::Until { hold, goal, .. } => self.implies(goal, b) && (lasting || self.implies(hold, b)),
            Node::Release { goal, .. } if self.implies(goal, b) => true,
            Node::Delay { hold: Formulas::TRUE, then, all: true, .. } => lasting && self.implies(then, b),
            Node::InfinitelyOften(inner) => lasting && self.implies(inner, b),
            Node::AlmostAlways(inner) if lasting => {
                let always = self.formulas.release_within(Formulas::FALSE, inner, UNBOUNDED);
                // The formula may be its own simplification.
                always != a && self.implies(always, b)
            }
            _ => false,
        }
    }

    /// The formulas that follow by taking `b` apart, or both.
    fn follows_by_right(&mut self, a: FormulaId, b: FormulaId) -> bool {
        // If `a` is true, it stays true.
        let staying = match *self.formulas.get(a) {
            Node::Release { release: Formulas::FALSE, bound: UNBOUNDED, .. } => true,
            _ => self.formulas.traits(a).limit,
        };
        match (self.formulas.get(b).clone(), self.formulas.get(a).clone()) {
            (Node::And(operands), _) => operands.iter().all(|&o| self.implies(a, o)),
            (Node::Or(operands), _) => operands.iter().any(|&o| self.implies(a, o)),
            (Node::Until { goal, .. }, _) if self.implies(a, goal) => true,
            (
                Node::Until { hold, goal, bound: UNBOUNDED },
                Node::Until { hold: other_hold, goal: other_goal, .. },
            ) => self.implies(other_hold, hold) && self.implies(other_goal, goal),
            (Node::Release { release, goal, bound }, other) => {
                if self.implies(a, goal) && (staying || self.implies(a, release)) {
                    return true;
                }
                match other {
                    Node::Release { release: other_release, goal: other_goal, bound: UNBOUNDED }
                        if bound == UNBOUNDED =>
                    {
                        self.implies(other_release, release) && self.implies(other_goal, goal)
                    }
                    _ => false,
                }
            }
            (Node::Delay { hold: Formulas::TRUE, then, all: true, .. }, _) if staying => {
                self.implies(a, then)
            }
            (
                Node::Delay { steps, hold: Formulas::TRUE, then, all: true },
                Node::Delay { steps: same, hold: Formulas::TRUE, then: other, all: true },
            ) => steps == same && self.implies(other, then),
            (Node::InfinitelyOften(inner), Node::InfinitelyOften(other)) => self.implies(other, inner),
            (Node::AlmostAlways(inner), Node::AlmostAlways(other)) => self.implies(other, inner),
            (Node::InfinitelyOften(inner) | Node::AlmostAlways(inner), _) if staying => {
                self.implies(a, inner)
            }
            _ => false,
        }
    }
}
