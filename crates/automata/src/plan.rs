//! The components of an automaton, and its acceptance condition in terms of them.
//!
//! The formula is taken apart at its root: safety and co-safety parts need no guesses, and a disjunction of other
//! parts has the pairs of one part or of the other, where guessing about the whole would multiply them.

use rustc_hash::FxHashMap;

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};
use crate::master_theorem::{Guessed, guesses};
use crate::normal::TooLarge;
use crate::substitute::{Into, Substitution};

/// Pairs that an acceptance condition may have.
const PAIRS_LIMIT: usize = 4096;

/// The condition under which a part of the formula accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafAcceptance {
    /// Accepted unless it turns into falsity.
    Safety,
    /// Accepted when it turns into truth.
    Cosafety,
    /// By guesses.
    Guesses,
}

/// A part of the formula whose derivatives are a component of the state.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub root: FormulaId,
    pub acceptance: LeafAcceptance,
    /// The operators that guesses are about, by one bit each.
    pub candidates: FxHashMap<FormulaId, u32>,
}

/// The Boolean structure above the leaves; operands come later in the list than their users.
#[derive(Clone, Debug)]
pub(crate) enum Branch {
    Leaf(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// Condition 1 of the Master Theorem for a guess.
#[derive(Clone, Debug)]
pub(crate) struct Stable {
    pub leaf: usize,
    pub substitution: Substitution,
}

/// A generalised Rabin pair, as conditions on components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairPlan {
    /// Leaves that must not be falsity, and the candidates that must still occur in them.
    pub parts: Vec<(usize, u32)>,
    /// Leaves that must turn into truth.
    pub reached: Vec<usize>,
    /// Stable components that must restart only finitely often.
    pub stable: Vec<usize>,
    /// Formulas that must be satisfied infinitely often.
    pub often: Vec<usize>,
    /// Formulas that must be violated only finitely often.
    pub almost: Vec<usize>,
}

/// The plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub leaves: Vec<Leaf>,
    /// The root is the first.
    pub branches: Vec<Branch>,
    pub stables: Vec<Stable>,
    /// `F φ` for every φ that has to hold infinitely often.
    pub often: Vec<FormulaId>,
    /// `G φ` for every φ that has to hold almost always.
    pub almost: Vec<FormulaId>,
    pub pairs: Vec<PairPlan>,
}

impl Plan {
    pub fn new(formulas: &mut Formulas, root: FormulaId) -> Result<Self, TooLarge> {
        let mut plan = Plan::default();
        plan.take_apart(formulas, root);
        let mut pairs: Vec<Vec<PairPlan>> = vec![Vec::new(); plan.branches.len()];
        for i in (0..plan.branches.len()).rev() {
            pairs[i] = match plan.branches[i].clone() {
                Branch::Leaf(leaf) => plan.leaf_pairs(formulas, leaf)?,
                Branch::Any(operands) => {
                    operands.iter().flat_map(|&o| std::mem::take(&mut pairs[o])).collect()
                }
                Branch::All(operands) => {
                    let mut product = vec![PairPlan::default()];
                    for o in operands {
                        let factor = std::mem::take(&mut pairs[o]);
                        too_many(product.len() * factor.len())?;
                        product = product.iter().flat_map(|a| factor.iter().map(|b| a.with(b))).collect();
                    }
                    product
                }
            };
            too_many(pairs[i].len())?;
        }
        plan.pairs = std::mem::take(&mut pairs[0]);
        Ok(plan)
    }

    /// Leaves and branches.
    fn take_apart(&mut self, formulas: &mut Formulas, root: FormulaId) {
        let mut work = vec![(root, None)];
        while let Some((id, user)) = work.pop() {
            let place = self.branches.len();
            if let Some(user) = user {
                match &mut self.branches[user] {
                    Branch::All(operands) | Branch::Any(operands) => operands.push(place),
                    Branch::Leaf(_) => {}
                }
            }
            let traits = formulas.traits(id);
            let (operands, all) = match formulas.get(id) {
                Node::And(operands) if !traits.is_safety() && !traits.is_cosafety() => (operands, true),
                Node::Or(operands) if !traits.is_safety() && !traits.is_cosafety() => (operands, false),
                _ => {
                    let acceptance = match (traits.is_safety(), traits.is_cosafety()) {
                        (true, _) => LeafAcceptance::Safety,
                        (_, true) => LeafAcceptance::Cosafety,
                        _ => LeafAcceptance::Guesses,
                    };
                    self.branches.push(Branch::Leaf(self.leaves.len()));
                    self.leaves.push(Leaf { root: id, acceptance, candidates: FxHashMap::default() });
                    continue;
                }
            };
            let (simple, mut parts): (Vec<FormulaId>, Vec<FormulaId>) = operands
                .iter()
                .partition(|&&o| formulas.traits(o).is_safety() || formulas.traits(o).is_cosafety());
            let (safety, cosafety): (Vec<FormulaId>, Vec<FormulaId>) =
                simple.into_iter().partition(|&o| formulas.traits(o).is_safety());
            for group in [safety, cosafety] {
                if !group.is_empty() {
                    parts.push(formulas.junction(group, all));
                }
            }
            self.branches.push(if all { Branch::All(Vec::new()) } else { Branch::Any(Vec::new()) });
            work.extend(parts.into_iter().map(|part| (part, Some(place))));
        }
    }

    fn leaf_pairs(&mut self, formulas: &mut Formulas, leaf: usize) -> Result<Vec<PairPlan>, TooLarge> {
        let root = self.leaves[leaf].root;
        let alone = PairPlan { parts: vec![(leaf, 0)], ..PairPlan::default() };
        match self.leaves[leaf].acceptance {
            LeafAcceptance::Safety => return Ok(vec![alone]),
            LeafAcceptance::Cosafety => return Ok(vec![PairPlan { reached: vec![leaf], ..alone }]),
            LeafAcceptance::Guesses => {}
        }
        let (guesses, candidates) = guesses(formulas, root)?;
        self.leaves[leaf].candidates = candidates;
        // Guesses that make the same of whatever the leaf can turn into share a stable component.
        let below = below(formulas, root);
        let mut shared: FxHashMap<Vec<FormulaId>, usize> = FxHashMap::default();
        let mut found: Vec<(Guessed, Option<usize>)> = Vec::new();
        for guessed in guesses {
            let mut substitution = Substitution::new(guessed.guess.clone(), Into::Safety);
            let stable = if formulas.traits(root).limit {
                // Never changes, and is truth by the guess or in vain.
                if substitution.formula(formulas, root) == Formulas::FALSE {
                    continue;
                }
                None
            } else {
                let image: Vec<FormulaId> =
                    below.iter().map(|&id| substitution.formula(formulas, id)).collect();
                let stables = &mut self.stables;
                Some(*shared.entry(image).or_insert_with(|| {
                    stables.push(Stable { leaf, substitution });
                    stables.len() - 1
                }))
            };
            found.push((guessed, stable));
        }
        let mut pairs = Vec::new();
        for (i, (guessed, stable)) in found.iter().enumerate() {
            let easier = |(j, (other, other_stable)): (usize, &(Guessed, Option<usize>))| {
                let within = other.mask & !guessed.mask == 0
                    && other_stable == stable
                    && other.often.iter().all(|o| guessed.often.contains(o))
                    && other.almost.iter().all(|o| guessed.almost.contains(o));
                let same = other.mask == guessed.mask
                    && other.often.len() == guessed.often.len()
                    && other.almost.len() == guessed.almost.len();
                j != i && within && (!same || j < i)
            };
            if found.iter().enumerate().any(easier) {
                continue;
            }
            let mut pair = PairPlan { parts: vec![(leaf, guessed.mask)], ..PairPlan::default() };
            pair.stable.extend(stable);
            for &id in &guessed.often {
                let eventually = formulas.until_within(Formulas::TRUE, id, UNBOUNDED);
                pair.often.push(place_of(&mut self.often, eventually));
            }
            for &id in &guessed.almost {
                let always = formulas.release_within(Formulas::FALSE, id, UNBOUNDED);
                pair.almost.push(place_of(&mut self.almost, always));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

impl PairPlan {
    /// The pair that demands both.
    fn with(&self, other: &PairPlan) -> PairPlan {
        let union = |a: &[usize], b: &[usize]| {
            let mut all: Vec<usize> = a.iter().chain(b).copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        PairPlan {
            parts: self.parts.iter().chain(&other.parts).copied().collect(),
            reached: union(&self.reached, &other.reached),
            stable: union(&self.stable, &other.stable),
            often: union(&self.often, &other.often),
            almost: union(&self.almost, &other.almost),
        }
    }
}

fn too_many(pairs: usize) -> Result<(), TooLarge> {
    if pairs > PAIRS_LIMIT {
        return Err(TooLarge { what: "cases in the acceptance condition of the path formula" });
    }
    Ok(())
}

fn place_of(list: &mut Vec<FormulaId>, id: FormulaId) -> usize {
    list.iter().position(|&known| known == id).unwrap_or_else(|| {
        list.push(id);
        list.len() - 1
    })
}

/// A formula and all formulas below it, sorted.
fn below(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        if found.insert(id) {
            work.extend(formulas.operands(id));
        }
    }
    let mut found: Vec<FormulaId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
