//! Formulas in negation normal form, hash-consed: equal formulas have equal ids.

use rustc_hash::FxHashMap;
use volvelle_entity::{EntityVec, entity};

entity!(
    /// Index of a formula in [`Formulas`].
    FormulaId
);

/// The bound of an operator that has none.
pub const UNBOUNDED: u64 = u64::MAX;

/// Greatest depth of a formula.
const DEPTH_LIMIT: u16 = 300;

/// A formula. Operands have smaller ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Truth.
    True,
    /// Falsity.
    False,
    /// A proposition, or its negation.
    Literal {
        /// Number of the proposition.
        proposition: u32,
        /// Whether it is not negated.
        positive: bool,
    },
    /// All of at least two operands: sorted, distinct, no conjunctions among them.
    And(Box<[FormulaId]>),
    /// One of at least two operands: sorted, distinct, no disjunctions among them.
    Or(Box<[FormulaId]>),
    /// `then` after `steps` steps (at least one), and `hold` before that: at all of the steps, or, if not `all`,
    /// at one of them instead. `X φ` is one step with `hold` true.
    Delay {
        /// The number of steps.
        steps: u64,
        /// The formula that the steps before have to satisfy.
        hold: FormulaId,
        /// The formula that has to hold after them.
        then: FormulaId,
        /// "And" rather than "or".
        all: bool,
    },
    /// `goal` within `bound` steps, and `hold` until then.
    Until {
        /// Left side.
        hold: FormulaId,
        /// Right side.
        goal: FormulaId,
        /// At least 1; [`UNBOUNDED`] is none.
        bound: u64,
    },
    /// `goal` for `bound` steps, or until and while `release` holds.
    Release {
        /// Left side.
        release: FormulaId,
        /// Right side.
        goal: FormulaId,
        /// At least 1; [`UNBOUNDED`] is none.
        bound: u64,
    },
    /// `G F φ`.
    InfinitelyOften(FormulaId),
    /// `F G φ`.
    AlmostAlways(FormulaId),
}

/// Syntactic properties of a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// An unbounded until inside, or a limit operator.
    pub least: bool,
    /// An unbounded release inside, or a limit operator.
    pub greatest: bool,
    /// A temporal operator inside.
    pub temporal: bool,
    /// Made of limit operators by "and" and "or": a finite prefix of the word does not matter.
    pub limit: bool,
    depth: u16,
}

impl Traits {
    /// It is a safety formula: words that violate it do so within finite time.
    pub fn is_safety(self) -> bool {
        !self.least
    }

    /// It is a co-safety formula: words that satisfy it do so within finite time.
    pub fn is_cosafety(self) -> bool {
        !self.greatest
    }
}

/// The arena of formulas.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: EntityVec<FormulaId, Node>,
    traits: EntityVec<FormulaId, Traits>,
    ids: FxHashMap<Node, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
    deepest: u16,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// Truth.
    pub const TRUE: FormulaId = FormulaId(0);
    /// Falsity.
    pub const FALSE: FormulaId = FormulaId(1);

    /// Truth and falsity only.
    pub fn new() -> Self {
        let mut formulas = Formulas {
            nodes: EntityVec::new(),
            traits: EntityVec::new(),
            ids: FxHashMap::default(),
            negations: FxHashMap::default(),
            deepest: 0,
        };
        formulas.intern(Node::True);
        formulas.intern(Node::False);
        formulas
    }

    /// The formula behind an id.
    pub fn get(&self, id: FormulaId) -> &Node {
        &self.nodes[id]
    }

    /// Number of formulas made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always `false`: there is truth.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether words that satisfy a formula do so within finite time, by its syntax.
    pub fn is_cosafety(&self, id: FormulaId) -> bool {
        self.traits(id).is_cosafety()
    }

    /// Whether a formula was made that is too deep to be translated. A caller that makes formulas from input asks
    /// after each one, and stops.
    pub fn too_deep(&self) -> bool {
        self.deepest > DEPTH_LIMIT
    }

    /// Whether this formula is too deep to be translated.
    pub(crate) fn is_too_deep(&self, id: FormulaId) -> bool {
        self.traits(id).depth > DEPTH_LIMIT
    }

    pub(crate) fn traits(&self, id: FormulaId) -> Traits {
        self.traits[id]
    }

    /// Truth or falsity.
    pub fn constant(&self, value: bool) -> FormulaId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// A proposition or its negation.
    pub fn literal(&mut self, proposition: u32, positive: bool) -> FormulaId {
        self.intern(Node::Literal { proposition, positive })
    }

    /// The conjunction of two formulas.
    pub fn and(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.junction([a, b], true)
    }

    /// The disjunction of two formulas.
    pub fn or(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.junction([a, b], false)
    }

    /// The conjunction (`all`) or the disjunction of formulas.
    pub(crate) fn junction(&mut self, ids: impl IntoIterator<Item = FormulaId>, all: bool) -> FormulaId {
        let (neutral, absorbing) = (self.constant(all), self.constant(!all));
        let mut operands = Vec::new();
        for id in ids {
            match self.get(id) {
                Node::And(inner) if all => operands.extend_from_slice(inner),
                Node::Or(inner) if !all => operands.extend_from_slice(inner),
                _ if id == neutral => {}
                _ => operands.push(id),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        let contradiction = |&id: &FormulaId| match *self.get(id) {
            Node::Literal { proposition, positive } => {
                let other = Node::Literal { proposition, positive: !positive };
                self.ids.get(&other).is_some_and(|other| operands.binary_search(other).is_ok())
            }
            _ => id == absorbing,
        };
        if operands.iter().any(contradiction) {
            return absorbing;
        }
        match operands[..] {
            [] => neutral,
            [id] => id,
            _ if all => self.intern(Node::And(operands.into())),
            _ => self.intern(Node::Or(operands.into())),
        }
    }

    /// The negation, in negation normal form.
    pub fn not(&mut self, id: FormulaId) -> FormulaId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negation = match self.get(id).clone() {
            Node::True => Self::FALSE,
            Node::False => Self::TRUE,
            Node::Literal { proposition, positive } => self.literal(proposition, !positive),
            Node::And(operands) => {
                let negated: Vec<FormulaId> = operands.iter().map(|&o| self.not(o)).collect();
                self.junction(negated, false)
            }
            Node::Or(operands) => {
                let negated: Vec<FormulaId> = operands.iter().map(|&o| self.not(o)).collect();
                self.junction(negated, true)
            }
            Node::Delay { steps, hold, then, all } => {
                let (hold, then) = (self.not(hold), self.not(then));
                self.delay(steps, hold, then, !all)
            }
            Node::Until { hold, goal, bound } => {
                let (release, goal) = (self.not(hold), self.not(goal));
                self.release_within(release, goal, bound)
            }
            Node::Release { release, goal, bound } => {
                let (hold, goal) = (self.not(release), self.not(goal));
                self.until_within(hold, goal, bound)
            }
            Node::InfinitelyOften(inner) => {
                let inner = self.not(inner);
                self.almost_always(inner)
            }
            Node::AlmostAlways(inner) => {
                let inner = self.not(inner);
                self.infinitely_often(inner)
            }
        };
        self.negations.insert(id, negation);
        negation
    }

    /// The direct operands.
    pub(crate) fn operands(&self, id: FormulaId) -> impl Iterator<Item = FormulaId> + '_ {
        let (list, pair): (&[FormulaId], [Option<FormulaId>; 2]) = match self.get(id) {
            Node::True | Node::False | Node::Literal { .. } => (&[], [None, None]),
            Node::And(operands) | Node::Or(operands) => (operands, [None, None]),
            Node::Delay { hold: a, then: b, .. }
            | Node::Until { hold: a, goal: b, .. }
            | Node::Release { release: a, goal: b, .. } => (&[], [Some(*a), Some(*b)]),
            Node::InfinitelyOften(a) | Node::AlmostAlways(a) => (&[], [Some(*a), None]),
        };
        list.iter().copied().chain(pair.into_iter().flatten())
    }

    pub(crate) fn intern(&mut self, node: Node) -> FormulaId {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = self.nodes.push(node.clone());
        let mut traits = Traits::default();
        let mut all_limits = true;
        for operand in self.operands(id) {
            let inner = self.traits(operand);
            traits.least |= inner.least;
            traits.greatest |= inner.greatest;
            traits.temporal |= inner.temporal;
            traits.depth = traits.depth.max(inner.depth.saturating_add(1));
            all_limits &= inner.limit;
        }
        match node {
            Node::True | Node::False | Node::Literal { .. } => {}
            Node::And(_) | Node::Or(_) => traits.limit = all_limits,
            Node::Delay { .. } => traits.temporal = true,
            Node::Until { bound, .. } => {
                traits.temporal = true;
                traits.least |= bound == UNBOUNDED;
            }
            Node::Release { bound, .. } => {
                traits.temporal = true;
                traits.greatest |= bound == UNBOUNDED;
            }
            Node::InfinitelyOften(_) | Node::AlmostAlways(_) => {
                traits = Traits { least: true, greatest: true, temporal: true, limit: true, ..traits };
            }
        }
        self.deepest = self.deepest.max(traits.depth);
        self.traits.push(traits);
        self.ids.insert(node, id);
        id
    }
}
