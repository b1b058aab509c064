//! A formula of WCTL that holds in only one of two states, derived from the history of the refinement.
//!
//! R. Cleaveland, *On automatically explaining bisimulation inequivalence*, CAV 1990, doi:10.1007/BFb0023750;
//! for branching bisimulation H. Korver, *Computing distinguishing formulas for branching bisimulation*, CAV
//! 1991, doi:10.1007/3-540-55179-4_3. The states of a block X that reach a block B through X with weight w
//! are the states of X with `E(x U[w,w] b)`, where `x` and `b` hold exactly in these blocks. So each block
//! made by a split has a formula: that of the block that was split, and as many of these formulas or their
//! negations as distinguish it from its siblings.

use super::block::DIVERGES;
use super::refine::{History, Refiner};
use super::{Options, Pair, bisimulation};
use crate::Failure;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_control::Control;
use volvelle_logic::{
    AmountPart, Atom, AtomId, Limit, Quantifier, Relational, Wctl, WctlFormula, WctlId, WeightInterval,
};
use volvelle_space::{Valuation, WeightedStructure};

/// The difference between two states.
#[derive(Clone, Debug, PartialEq)]
pub enum Distinction {
    /// None: they are related.
    Related,
    /// A formula without next and without universal quantifiers that holds in the first state only. Like all
    /// formulas, it reads blocking states as having loops of weight 0. Its text may be much longer than its
    /// number of nodes.
    Formula(WctlFormula),
    /// They are related by Definition 4. But one of them, or one of two states that they reach by equal
    /// weights, can stay in its class forever by steps of weight 0, and the other cannot.
    Divergence,
}

/// Finds the difference between the states `s` and `t`.
///
/// # Errors
/// Those of [`bisimulation`].
pub fn distinguish(
    structure: &WeightedStructure,
    s: u32,
    t: u32,
    options: Options,
    control: &Control,
) -> Result<Distinction, Failure> {
    if structure.largest_weight() == u64::MAX {
        return Err(Failure::Overflow);
    }
    let literal = Options { divergence: false, ..options };
    let mut refiner = Refiner::new(structure, literal, true);
    let apart = |block_of: &[u32]| block_of[s as usize] != block_of[t as usize];
    refiner.run(control, apart)?;
    if apart(&refiner.block_of) {
        let (first, second) = (refiner.block_of[s as usize], refiner.block_of[t as usize]);
        let history = refiner.history.take().unwrap_or_default();
        return Ok(Distinction::Formula(formula(structure, &history, [s, t], [first, second])));
    }
    if options.divergence && apart(&bisimulation(structure, options, control)?.block_of) {
        return Ok(Distinction::Divergence);
    }
    Ok(Distinction::Related)
}

/// A formula, and whether it is negated.
type Literal<T> = (T, bool);

fn formula(
    structure: &WeightedStructure,
    history: &History,
    states: [u32; 2],
    blocks: [u32; 2],
) -> WctlFormula {
    // The split that separated them. Nodes are numbered in order of creation.
    let mut nodes = blocks.map(|block| history.node_of[block as usize]);
    let origin = |node: u32| history.origin[node as usize];
    let split = loop {
        match nodes.map(origin) {
            [None, None] => break None,
            [Some((first, _)), Some((second, _))] if first == second => break Some(first),
            _ => {
                let later = usize::from(nodes[1] > nodes[0]);
                if let Some((split, _)) = origin(nodes[later]) {
                    nodes[later] = history.splits[split as usize].parent;
                }
            }
        }
    };
    let mut writer = Writer::new(structure, history);
    let Some(split) = split else {
        let valuations = states.map(|state| structure.valuation_of(state));
        let literals = writer.propositions(valuations[0], &[valuations[1]]);
        let root = writer.conjunction(None, &literals);
        return writer.finish(root);
    };
    let pairs = nodes.map(|node| {
        let place = origin(node).map_or(0, |(_, place)| place);
        &history.splits[split as usize].children[place as usize].1
    });
    let separating = separating(pairs[0], &[pairs[1]]);
    let parent = history.splits[split as usize].parent;
    let blocks = writer.blocks([parent].into_iter().chain(separating.iter().map(|&(pair, _)| pair.0)));
    let literals: Vec<Literal<WctlId>> =
        separating.iter().map(|&(pair, holds)| (writer.reaches(parent, pair, &blocks), holds)).collect();
    let root = writer.conjunction(None, &literals);
    writer.finish(root)
}

/// Pairs that distinguish the first set from each of the others, each with whether it is in the first. Chosen
/// greedily: few, positive if possible, and of old blocks, whose formulas are small.
fn separating(own: &[Pair], others: &[&Vec<Pair>]) -> Vec<Literal<Pair>> {
    let mut left: Vec<&Vec<Pair>> = others.to_vec();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let mut counts: FxHashMap<Pair, usize> = own.iter().map(|&pair| (pair, 0)).collect();
        left.iter().flat_map(|pairs| pairs.iter()).for_each(|&pair| *counts.entry(pair).or_default() += 1);
        let separates = |(&pair, &count): (&Pair, &usize)| {
            let inside = own.binary_search(&pair).is_ok();
            (if inside { left.len() - count } else { count }, inside, std::cmp::Reverse(pair))
        };
        let Some((count, inside, std::cmp::Reverse(pair))) = counts.iter().map(separates).max() else {
            break;
        };
        if count == 0 {
            break;
        }
        left.retain(|pairs| pairs.contains(&pair) == inside);
        chosen.push((pair, inside));
    }
    chosen
}

struct Writer<'a> {
    structure: &'a WeightedStructure,
    history: &'a History,
    nodes: Vec<Wctl>,
    atoms: Vec<Atom>,
    names: Vec<String>,
    /// Nodes by proposition with a least multiplicity; `of_pair` has those by block and pair.
    of_atom: FxHashMap<(u32, i64), WctlId>,
    of_pair: FxHashMap<(u32, Pair), WctlId>,
    negated: FxHashMap<WctlId, WctlId>,
}

impl<'a> Writer<'a> {
    fn new(structure: &'a WeightedStructure, history: &'a History) -> Self {
        Writer {
            structure,
            history,
            nodes: Vec::new(),
            atoms: Vec::new(),
            names: Vec::new(),
            of_atom: FxHashMap::default(),
            of_pair: FxHashMap::default(),
            negated: FxHashMap::default(),
        }
    }

    fn push(&mut self, node: Wctl) -> WctlId {
        self.nodes.push(node);
        WctlId::from_index(self.nodes.len() - 1)
    }

    fn finish(self, root: WctlId) -> WctlFormula {
        WctlFormula { nodes: self.nodes, root, atoms: self.atoms, names: self.names }
    }

    /// The conjunction of a formula (unless it is `true` or missing) and literals; `true` if it is empty.
    fn conjunction(&mut self, first: Option<WctlId>, literals: &[Literal<WctlId>]) -> WctlId {
        let is_true = |id: &WctlId| self.nodes[id.index()] == Wctl::Constant(true);
        let mut all = first.filter(|id| !is_true(id));
        for &(id, holds) in literals {
            let id = if holds { id } else { self.not(id) };
            all = Some(match all {
                Some(before) => self.push(Wctl::And(before, id)),
                None => id,
            });
        }
        match (all, first) {
            (Some(all), _) => all,
            (None, Some(first)) => first,
            (None, None) => self.push(Wctl::Constant(true)),
        }
    }

    fn not(&mut self, id: WctlId) -> WctlId {
        if let Some(&known) = self.negated.get(&id) {
            return known;
        }
        let not = self.push(Wctl::Not(id));
        self.negated.insert(id, not);
        not
    }

    /// The condition that a proposition has at least a multiplicity.
    fn atom(&mut self, proposition: u32, least: i64) -> WctlId {
        if let Some(&known) = self.of_atom.get(&(proposition, least)) {
            return known;
        }
        let name = &self.structure.propositions[proposition as usize];
        let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        }) as u32;
        let of_valuation =
            |valuation: &Valuation| valuation.iter().any(|&(known, n)| known == proposition && n < 0);
        let may_be_negative = self.structure.valuations().iter().any(of_valuation);
        self.atoms.push(match least {
            1 if !may_be_negative => Atom::Holds(index),
            _ => {
                Atom::Compares(vec![AmountPart::Name(index)], Relational::Ge, vec![AmountPart::Number(least)])
            }
        });
        let id = self.push(Wctl::Atom(AtomId::from_index(self.atoms.len() - 1)));
        self.of_atom.insert((proposition, least), id);
        id
    }

    /// Literals that distinguish a valuation from others.
    fn propositions(&mut self, own: u32, others: &[u32]) -> Vec<Literal<WctlId>> {
        let valuation = |number: u32| &self.structure.valuations()[number as usize];
        let times = |number: u32, proposition: u32| {
            let valuation = valuation(number);
            let place = valuation.binary_search_by_key(&proposition, |&(known, _)| known);
            place.map_or(0, |place| valuation[place].1)
        };
        let mut candidates: Vec<Literal<(u32, i64)>> = Vec::new();
        for proposition in 0..self.structure.propositions.len() as u32 {
            let own = times(own, proposition);
            candidates.push(((proposition, own), true));
            if own < i64::MAX {
                candidates.push(((proposition, own + 1), false));
            }
        }
        let mut left = others.to_vec();
        let mut chosen = Vec::new();
        while !left.is_empty() {
            let fails = |&((proposition, least), holds): &Literal<(u32, i64)>, other: u32| {
                (times(other, proposition) >= least) != holds
            };
            let count = |candidate| left.iter().filter(|&&other| fails(candidate, other)).count();
            // The first of those that exclude most others.
            let best = candidates.iter().rev().max_by_key(|&candidate| count(candidate));
            let Some(&best) = best else { break };
            left.retain(|&other| !fails(&best, other));
            chosen.push(best);
        }
        chosen
            .into_iter()
            .map(|((proposition, least), holds)| (self.atom(proposition, least), holds))
            .collect()
    }

    /// The formulas of blocks, which are given by their nodes in the history.
    fn blocks(&mut self, wanted: impl Iterator<Item = u32>) -> FxHashMap<u32, WctlId> {
        // A part comes after the blocks that its formula mentions.
        let mut needed: FxHashSet<u32> = wanted.filter(|&node| node != DIVERGES).collect();
        let mut heap: std::collections::BinaryHeap<u32> = needed.iter().copied().collect();
        let mut plans: Vec<(u32, Vec<Literal<Pair>>)> = Vec::new();
        while let Some(node) = heap.pop() {
            let mut plan = Vec::new();
            if let Some((split, place)) = self.history.origin[node as usize] {
                let split = &self.history.splits[split as usize];
                let siblings =
                    split.children.iter().enumerate().filter(|&(other, _)| other != place as usize);
                let siblings: Vec<&Vec<Pair>> = siblings.map(|(_, (_, pairs))| pairs).collect();
                plan = separating(&split.children[place as usize].1, &siblings);
                for other in plan.iter().map(|&(pair, _)| pair.0).chain([split.parent]) {
                    if needed.insert(other) {
                        heap.push(other);
                    }
                }
            }
            plans.push((node, plan));
        }
        let mut formulas = FxHashMap::default();
        for (node, plan) in plans.into_iter().rev() {
            let id = match self.history.origin[node as usize] {
                None => {
                    let own = self.valuation_of_root(node);
                    let others: Vec<u32> =
                        (0..self.structure.valuations().len() as u32).filter(|&other| other != own).collect();
                    let literals = self.propositions(own, &others);
                    self.conjunction(None, &literals)
                }
                Some((split, _)) => {
                    let parent = self.history.splits[split as usize].parent;
                    let literals: Vec<Literal<WctlId>> = plan
                        .iter()
                        .map(|&(pair, holds)| (self.reaches(parent, pair, &formulas), holds))
                        .collect();
                    self.conjunction(formulas.get(&parent).copied(), &literals)
                }
            };
            formulas.insert(node, id);
        }
        formulas
    }

    /// Blocks by propositions are numbered by their first states.
    fn valuation_of_root(&self, node: u32) -> u32 {
        let mut seen = FxHashSet::default();
        let numbers = (0..self.structure.num_states() as u32).map(|state| self.structure.valuation_of(state));
        numbers.into_iter().filter(|&number| seen.insert(number)).nth(node as usize).unwrap_or(0)
    }

    /// `E(block U[w,w] target)`
    fn reaches(&mut self, block: u32, pair: Pair, formulas: &FxHashMap<u32, WctlId>) -> WctlId {
        if let Some(&known) = self.of_pair.get(&(block, pair)) {
            return known;
        }
        let limit = || Limit { amount: self.structure.number(pair.1), strict: false };
        let interval = WeightInterval { lower: limit(), upper: Some(limit()) };
        let until = Wctl::Until(Quantifier::Exists, formulas[&block], interval, formulas[&pair.0]);
        let id = self.push(until);
        self.of_pair.insert((block, pair), id);
        id
    }
}
