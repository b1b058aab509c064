//! Positive Boolean combinations of temporal formulas and literals, in a normal form.
//!
//! A combination is a disjunction of conjunctions, each a sorted set of formulas that are no conjunctions or
//! disjunctions themselves; a conjunction that implies another one is left out. Without the implications below
//! this is the unique form of a monotone function, so combinations with equal ids are propositionally equivalent
//! and the other way round. In addition `α U[0,k] β` implies `α U[0,m] β` for k <= m, `α R[0,m] β` implies
//! `α R[0,k] β`, and a literal excludes its negation. These implications are simulations: the derivative of the one by
//! any word implies that of the other. Hence a co-safety formula still turns into truth, and a safety formula into
//! falsity, at the moment when it would without them. They also hold between the formulas under a guess. That is why no
//! implication is used for an until without a bound: a guess may turn it into falsity, and then a conjunction with a bounded
//! until in its place, which may still be satisfied, must not have been removed. Finally `α R β` implies `β`, and a
//! co-safety formula `β` implies `α U β`: it is satisfied within finite time, and the until with it.

use rustc_hash::FxHashMap;
use volvelle_entity::{EntityVec, entity};

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};

entity!(
    /// Index of a combination in [`Normals`].
    pub(crate) NormalId
);

/// A formula whose automaton would be too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The thing of which there is too much.
    pub what: &'static str,
}

/// Conjunctions that a combination may have.
const CONJUNCTIONS_LIMIT: usize = 1024;

type Conjunction = Box<[FormulaId]>;

/// The arena of combinations.
#[derive(Clone, Debug)]
pub(crate) struct Normals {
    combinations: EntityVec<NormalId, Box<[Conjunction]>>,
    ids: FxHashMap<Box<[Conjunction]>, NormalId>,
    of_formula: FxHashMap<FormulaId, NormalId>,
    joined: FxHashMap<(NormalId, NormalId, bool), NormalId>,
    bytes: usize,
}

impl Normals {
    pub const TRUE: NormalId = NormalId(0);
    pub const FALSE: NormalId = NormalId(1);

    pub fn new() -> Self {
        let mut normals = Normals {
            combinations: EntityVec::new(),
            ids: FxHashMap::default(),
            of_formula: FxHashMap::default(),
            joined: FxHashMap::default(),
            bytes: 0,
        };
        normals.intern(vec![Box::default()]);
        normals.intern(vec![]);
        normals
    }

    pub fn constant(value: bool) -> NormalId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The conjunctions of a combination.
    pub fn get(&self, id: NormalId) -> &[Conjunction] {
        &self.combinations[id]
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.bytes + 40 * (self.joined.len() + self.of_formula.len())
    }

    /// The normal form of a formula.
    pub fn of(&mut self, formulas: &Formulas, id: FormulaId) -> Result<NormalId, TooLarge> {
        if let Some(&known) = self.of_formula.get(&id) {
            return Ok(known);
        }
        let normal = match formulas.get(id) {
            Node::True => Self::TRUE,
            Node::False => Self::FALSE,
            Node::And(operands) | Node::Or(operands) => {
                let all = matches!(formulas.get(id), Node::And(_));
                let mut result = Self::constant(all);
                for &operand in operands {
                    let operand = self.of(formulas, operand)?;
                    result = self.join(formulas, result, operand, all)?;
                }
                result
            }
            _ => self.intern(vec![Box::new([id])]),
        };
        self.of_formula.insert(id, normal);
        Ok(normal)
    }

    /// The conjunction (`all`) or the disjunction of two combinations.
    pub fn join(
        &mut self,
        formulas: &Formulas,
        a: NormalId,
        b: NormalId,
        all: bool,
    ) -> Result<NormalId, TooLarge> {
        let (neutral, absorbing) = (Self::constant(all), Self::constant(!all));
        if a == b || b == neutral {
            return Ok(a);
        }
        if a == neutral {
            return Ok(b);
        }
        if a == absorbing || b == absorbing {
            return Ok(absorbing);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&known) = self.joined.get(&(a, b, all)) {
            return Ok(known);
        }
        let (left, right) = (self.get(a), self.get(b));
        let size = if all { left.len() * right.len() } else { left.len() + right.len() };
        if size > CONJUNCTIONS_LIMIT {
            return Err(TooLarge { what: "alternatives in a state of the automaton of the path formula" });
        }
        let mut conjunctions: Vec<Conjunction> = Vec::with_capacity(size);
        if all {
            for x in left {
                conjunctions.extend(right.iter().filter_map(|y| merge(formulas, x, y)));
            }
        } else {
            conjunctions.extend(left.iter().chain(right).cloned());
        }
        let id = self.intern(minimal(formulas, conjunctions));
        self.joined.insert((a, b, all), id);
        Ok(id)
    }

    fn intern(&mut self, conjunctions: Vec<Conjunction>) -> NormalId {
        let combination: Box<[Conjunction]> = conjunctions.into();
        if let Some(&known) = self.ids.get(&combination) {
            return known;
        }
        let id = NormalId(self.combinations.len() as u32);
        self.bytes += 112 + combination.iter().map(|c| 2 * (32 + 4 * c.len())).sum::<usize>();
        self.combinations.push(combination.clone());
        self.ids.insert(combination, id);
        id
    }
}

/// Whether one formula implies another by the implications of the module's comment.
fn implies(formulas: &Formulas, a: FormulaId, b: FormulaId) -> bool {
    if a == b {
        return true;
    }
    match (formulas.get(a), formulas.get(b)) {
        (
            Node::Until { hold, goal, bound },
            Node::Until { hold: other_hold, goal: other_goal, bound: other },
        ) if hold == other_hold && goal == other_goal => bound <= other && *other != UNBOUNDED,
        (
            Node::Release { release, goal, bound },
            Node::Release { release: other_release, goal: other_goal, bound: other },
        ) if release == other_release && goal == other_goal => bound >= other,
        (&Node::Release { goal, .. }, _) if goal == b => true,
        (_, &Node::Until { goal, .. }) if goal == a => formulas.traits(a).is_cosafety(),
        _ => false,
    }
}

/// The union of two conjunctions without what its other members imply; nothing if it is contradictory.
fn merge(formulas: &Formulas, a: &[FormulaId], b: &[FormulaId]) -> Option<Conjunction> {
    let mut all: Vec<FormulaId> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    for (i, &x) in all.iter().enumerate() {
        if let Node::Literal { proposition, positive } = *formulas.get(x) {
            let excluded = |&y: &FormulaId| match *formulas.get(y) {
                Node::Literal { proposition: p, positive: q } => p == proposition && q != positive,
                _ => false,
            };
            if all[i + 1..].iter().any(excluded) {
                return None;
            }
        }
    }
    let kept = |&x: &FormulaId| !all.iter().any(|&y| y != x && implies(formulas, y, x));
    Some(all.iter().copied().filter(kept).collect())
}

/// Removes conjunctions that imply another one, and sorts.
fn minimal(formulas: &Formulas, mut conjunctions: Vec<Conjunction>) -> Vec<Conjunction> {
    let stronger = |x: &[FormulaId], y: &[FormulaId]| {
        y.iter().all(|&wanted| x.iter().any(|&given| implies(formulas, given, wanted)))
    };
    // Short ones first: they are implied by others rather than the other way round.
    conjunctions.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    conjunctions.dedup();
    let mut kept: Vec<Conjunction> = Vec::new();
    for x in conjunctions {
        if !kept.iter().any(|y| stronger(&x, y)) {
            kept.retain(|y| !stronger(y, &x));
            kept.push(x);
        }
    }
    kept.sort_unstable();
    kept
}
