//! Composition and reduction of members of a network.

use super::flat::{Flat, Vector};
use super::product::{Action, product};
use super::{NetworkError, Product, Strategy, smart};
use crate::reduce::{ReduceOptions, Relation, diverges, reduce};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_control::Control;
use volvelle_labels::{Meaning, meaning};
use volvelle_space::{Labels, Lts};

/// A network of which members become one, step by step.
pub(super) struct Work<'a, 'c> {
    /// Systems by number; those that were put together are gone. New ones come behind.
    members: Vec<Option<Lts>>,
    vectors: Vec<Vector>,
    results: &'a mut Labels,
    products: &'a mut Vec<Product>,
    /// States of a product above which no more are expanded, and how many of the last one were.
    enough: usize,
    expanded: usize,
    control: &'a Control<'c>,
}

/// The system of a network, without reduction; once more states than `enough` are known, no more of them are expanded. Also gives
/// how many are.
pub(super) fn generated(
    flat: Flat,
    enough: usize,
    results: &mut Labels,
    products: &mut Vec<Product>,
    control: &Control<'_>,
) -> Result<(Lts, usize), NetworkError> {
    let mut work = Work { enough, ..Work::new(flat, results, products, control) };
    let all = work.alive();
    let whole = work.merge(&all, None)?;
    Ok((work.members[whole as usize].take().expect("it was made just now"), work.expanded))
}

/// The system of a network, reduced.
pub(super) fn reduced(
    flat: Flat,
    options: ReduceOptions,
    strategy: Strategy,
    results: &mut Labels,
    products: &mut Vec<Product>,
    control: &Control<'_>,
) -> Result<Lts, NetworkError> {
    // Reduction forgets how often an action can be taken, so it must not come before actions that become rates together.
    let becomes_rate = |vector: &Vector| {
        vector.parts.len() > 1 && !matches!(meaning(results.text(vector.result)), Meaning::Action(_))
    };
    let is_early = options.relation.is_stochastic() && flat.vectors.iter().any(becomes_rate);
    let strategy = if is_early { Strategy::Root } else { strategy };
    let groups = flat.groups.clone();
    let mut work = Work::new(flat, results, products, control);
    let leaves = work.alive();
    // Which member each leaf is part of. Inner groups come before outer ones, so a group is made of whole members.
    let mut part_of = leaves.clone();
    if strategy != Strategy::Root && leaves.len() > 1 {
        for &leaf in &leaves {
            part_of[leaf as usize] = work.merge(&[leaf], Some(options))?;
        }
    }
    match strategy {
        Strategy::Root | Strategy::Leaf => {}
        Strategy::Node => {
            for group in &groups {
                let mut members: Vec<u32> = group.clone().map(|leaf| part_of[leaf as usize]).collect();
                members.sort_unstable();
                members.dedup();
                if members.len() > 1 {
                    let new = work.merge(&members, Some(options))?;
                    group.clone().for_each(|leaf| part_of[leaf as usize] = new);
                }
            }
        }
        Strategy::Smart => {
            while let Some(pair) = smart::best_pair(&work.members, &work.vectors) {
                work.merge(&pair, Some(options))?;
            }
        }
    }
    let rest = work.alive();
    let is_done = rest.len() == 1 && leaves.len() > 1;
    let whole = work.merge(&rest, (!is_done).then_some(options))?;
    Ok(work.members[whole as usize].take().expect("it was made just now"))
}

impl<'a, 'c> Work<'a, 'c> {
    fn new(
        flat: Flat,
        results: &'a mut Labels,
        products: &'a mut Vec<Product>,
        control: &'a Control<'c>,
    ) -> Self {
        let members = flat.members.into_iter().map(Some).collect();
        Work { members, vectors: flat.vectors, results, products, enough: usize::MAX, expanded: 0, control }
    }

    /// Members that are there.
    fn alive(&self) -> Vec<u32> {
        (0u32..).zip(&self.members).filter(|(_, lts)| lts.is_some()).map(|(member, _)| member).collect()
    }

    /// Puts members together, and reduces the product. A step that needs others has a label of its own, which stands for what the members do
    /// in it; one that needs none has its label in the whole, so that hidden ones are internal from here on.
    fn merge(&mut self, ids: &[u32], options: Option<ReduceOptions>) -> Result<u32, NetworkError> {
        let is_whole = ids.len() == self.alive().len();
        let new = self.members.len() as u32;
        let mut mark = "#".to_owned();
        while self.results.texts().iter().any(|text| text.starts_with(&mark)) {
            mark.push('#');
        }
        let mut labels = Labels::new();
        let mut actions: Vec<Action> = Vec::new();
        let mut named = FxHashSet::default();
        let mut shared: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
        let mut vectors = Vec::with_capacity(self.vectors.len());
        for vector in std::mem::take(&mut self.vectors) {
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for &(member, label) in &vector.parts {
                match ids.binary_search(&member) {
                    Ok(place) => inside.push((place as u32, label)),
                    Err(_) => outside.push((member, label)),
                }
            }
            let result = vector.result;
            if inside.is_empty() {
                vectors.push(vector);
            } else if outside.is_empty() {
                let label = labels.number(self.results.text(result));
                actions.push(Action { parts: inside, label });
                if named.insert(label) {
                    vectors.push(Vector { parts: vec![(new, label)], result });
                }
            } else {
                let label = *shared.entry(inside).or_insert_with_key(|parts| {
                    let label = labels.number(&format!("{mark}{}", labels.len()));
                    actions.push(Action { parts: parts.clone(), label });
                    label
                });
                outside.push((new, label));
                vectors.push(Vector { parts: outside, result });
            }
        }
        let known = labels.len();
        let mut taken: Vec<Lts> = ids
            .iter()
            .map(|&id| self.members[id as usize].take().expect("members are put together once"))
            .collect();
        let (mut lts, expanded) = product(&mut taken, &actions, labels, self.enough, self.control)?;
        self.expanded = expanded;
        drop(taken);
        let (states, transitions) = (lts.num_states(), lts.num_transitions());
        if let Some(options) = options {
            let options = if is_whole { options } else { for_a_part(&lts, options) };
            lts = reduce(lts, options, self.control).map_err(NetworkError::Reduce)?.lts;
            // Sums of rates are new labels.
            let sums = (known as u32..).zip(&lts.labels.texts()[known..]);
            vectors.extend(sums.map(|(label, text)| Vector {
                parts: vec![(new, label)],
                result: self.results.number(text),
            }));
        }
        if ids.len() > 1 {
            let reduced = lts.num_states();
            self.products.push(Product { members: ids.len(), states, transitions, reduced });
        }
        self.vectors = vectors;
        self.members.push(Some(lts));
        Ok(new)
    }
}

/// The relation by which a part of a network is reduced.
///
/// Endless internal activity preempts rates (maximal progress) of whatever runs beside it. Stochastic branching bisimulation forgets it
/// in states that have no rates themselves, so a part that has some is reduced by strong bisimulation, which is finer.
fn for_a_part(lts: &Lts, options: ReduceOptions) -> ReduceOptions {
    let is_finer = options.relation == Relation::StochasticBranching && diverges(lts);
    if is_finer { ReduceOptions { relation: Relation::StochasticStrong, ..options } } else { options }
}
