//! The product without its end components, in which every objective is a reward that is earned on the way to one last
//! state.
//!
//! A run ends in an end component almost surely. There it must not pay for ever where a reward is minimised, and what
//! it meets again and again decides which of the path formulas are satisfied. So each maximal end component without
//! rewards becomes one state, with a choice to end for every largest set of formulas that a scheduler can satisfy inside
//! of it (Etessami, Kwiatkowska, Vardi, Yannakakis, LMCS 4(4), 2008; Forejt et al., TACAS 2011). A scheduler of the
//! quotient that ends almost surely corresponds to one of the MDP with the same values; other schedulers have infinite cost.

use dashu_ratio::RBig;
use volvelle_solver::collapsed::END;
use volvelle_solver::graph::{EndComponents, end_components};
use volvelle_solver::reach::prob01_until;
use volvelle_solver::rounding::Sum;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Choices, Space};

use super::product::Product;
use crate::strategy::Policy;

/// Ways to choose formulas and acceptance pairs that are tried.
const COMBINATIONS: usize = 4096;

/// A reward objective on the product: of every choice.
pub struct Reward {
    /// Per choice.
    pub of_choice: Vec<f64>,
    /// Whether it is collected for an unlimited time.
    pub endless: bool,
    /// Whether it is minimised.
    pub cost: bool,
    /// What counts is not the reward, but how often a run leaves a state of the quotient in which it can be collected again and
    /// again.
    pub visits: bool,
    /// The states of the quotient in which it can be collected again and again are avoided.
    pub avoided: bool,
    /// Its name, for messages.
    pub name: String,
}

impl Reward {
    /// Whether a choice makes the objective worse.
    pub fn pays(&self, choice: usize) -> bool {
        if self.cost { self.of_choice[choice] > 0.0 } else { self.of_choice[choice] < 0.0 }
    }

    /// Whether a choice makes the objective better.
    pub fn gains(&self, choice: usize) -> bool {
        if self.cost { self.of_choice[choice] < 0.0 } else { self.of_choice[choice] > 0.0 }
    }
}

/// The quotient. All runs end in its last state.
pub struct Quotient {
    /// The MDP; choices within a state of the quotient are left out.
    pub space: Space,
    /// For every objective (first the path formulas, then the rewards) the reward of every choice.
    pub rewards: Vec<Vec<f64>>,
    /// Number of the objectives that are path formulas.
    pub formulas: usize,
    /// The state where runs begin.
    pub initial: usize,
    /// Whether probabilities were added up with rounding.
    pub merged: bool,
    /// For every choice that of the product; [`END`] where a run ends.
    pub choice_of: Vec<u32>,
    /// The class of every state of the product; [`END`] where not every run can end.
    pub class_of: Vec<u32>,
    /// The end components that were collapsed.
    pub free: EndComponents,
    /// The rewards that a scheduler can collect again and again at no cost, by their numbers among the rewards.
    pub endless: Vec<usize>,
}

impl Quotient {
    /// Builds the quotient; `None` if every scheduler has an infinite cost for an objective that is minimised.
    ///
    /// # Errors
    /// Something can be gained again and again, but not without losses of some objective: [`CheckError::EndlessReward`].
    pub fn new(
        context: &Context,
        product: &Product,
        formulas: usize,
        rewards: &[Reward],
    ) -> Result<Option<Self>, CheckError> {
        let space = &product.space;
        let n = space.num_states();
        let inner = context.inner(space, context.options, context.control);
        let everywhere = BitSet::full(n);
        let pays = |choice: usize| rewards.iter().any(|r| r.endless && !r.visits && r.pays(choice));
        let all = end_components(space, &everywhere, |_| true);
        let mut free = if all.staying.iter().any(pays) {
            end_components(space, &everywhere, |choice| !pays(choice))
        } else {
            all.clone()
        };
        let mut inside = everywhere;
        let gains_in = |free: &EndComponents, reward: &Reward, members: &[u32]| {
            let mut choices = members.iter().flat_map(|&s| space.choices_of(s as usize));
            reward.endless && choices.any(|choice| free.staying.contains(choice) && reward.gains(choice))
        };
        for reward in rewards.iter().filter(|r| r.avoided) {
            let gaining = free.iter().filter(|members| gains_in(&free, reward, members));
            gaining.flatten().for_each(|&s| {
                inside.remove(s as usize);
            });
        }
        if rewards.iter().any(|r| r.avoided) {
            free = end_components(space, &inside, |choice| !pays(choice));
        }
        let target = BitSet::of(n, free.states.iter().map(|&s| s as usize));
        let ending = prob01_until(&inner, &inside, &target, volvelle_logic::Optimum::Max).one;
        if !ending.contains(0) {
            return Ok(None);
        }
        let reached = reached(space, &ending);
        let can_gain = |reward: &Reward| {
            free.iter()
                .any(|members| reached.contains(members[0] as usize) && gains_in(&free, reward, members))
        };
        let endless: Vec<usize> =
            (0..rewards.len()).filter(|&i| !rewards[i].visits && can_gain(&rewards[i])).collect();
        let mut left = None;
        for (i, reward) in rewards.iter().enumerate().filter(|(_, r)| r.endless && !r.visits) {
            if endless.contains(&i) || !all.staying.iter().any(|choice| reward.gains(choice)) {
                continue;
            }
            let left = left.get_or_insert_with(|| end_components(space, &reached, |_| true));
            if left.staying.iter().any(|choice| reward.gains(choice)) {
                return Err(CheckError::EndlessReward { rewards: reward.name.clone() });
            }
        }
        let satisfiable = satisfiable(context, product, formulas, &free)?;
        let visited: Vec<Vec<bool>> = (rewards.iter())
            .map(|r| free.iter().map(|members| r.visits && gains_in(&free, r, members)).collect())
            .collect();
        let (satisfiable, visited) = (satisfiable.as_slice(), visited.as_slice());
        Ok(Some(build(space, formulas, rewards, (free, endless), (satisfiable, visited), &ending)))
    }

    /// The probabilities of a choice in rational arithmetic, in the order of its transitions: those of the choice of the
    /// space that it is made of, added by classes. `of` gives the probability of a choice to arrive at a state.
    pub fn exactly(&self, product: &Product, choice: usize, of: impl Fn(u32, u32) -> RBig) -> Vec<RBig> {
        let columns = &self.space.columns[self.space.row(choice)];
        let origin = self.choice_of[choice];
        if origin == END {
            return vec![RBig::ONE; columns.len()];
        }
        let mut sums = vec![RBig::ZERO; columns.len()];
        let targets = &product.space.columns[product.space.row(origin as usize)];
        for (i, &target) in targets.iter().enumerate() {
            // Targets increase; several transitions may have one.
            if i > 0 && targets[i - 1] == target {
                continue;
            }
            if let Ok(place) = columns.binary_search(&self.class_of[target as usize]) {
                sums[place] += of(product.choice_of[origin as usize], product.state_of(target as usize));
            }
        }
        sums
    }
}

/// The states that are reached from the first one by choices that do not leave a set.
fn reached(space: &Space, inside: &BitSet) -> BitSet {
    let mut reached = BitSet::of(space.num_states(), [0]);
    let mut work = vec![0];
    while let Some(s) = work.pop() {
        for choice in space.choices_of(s) {
            let targets = &space.columns[space.row(choice)];
            if targets.iter().all(|&t| inside.contains(t as usize)) {
                work.extend(targets.iter().map(|&t| t as usize).filter(|&t| reached.insert(t)));
            }
        }
    }
    reached
}

/// For every end component the largest sets of formulas that can be satisfied inside, as bits.
fn satisfiable(
    context: &Context,
    product: &Product,
    formulas: usize,
    free: &EndComponents,
) -> Result<Vec<Vec<u32>>, CheckError> {
    let n = product.space.num_states();
    let mut component_of = vec![u32::MAX; n];
    for (c, members) in free.iter().enumerate() {
        members.iter().for_each(|&s| component_of[s as usize] = c as u32);
    }
    let mut found: Vec<Vec<u32>> = vec![vec![0]; free.iter().count()];
    let combinations = (0..formulas).try_fold(1usize, |product_so_far, i| {
        product_so_far.checked_mul(1 + product.pairs(i)).filter(|&count| count <= COMBINATIONS)
    });
    let too_large = || CheckError::TooLarge {
        what: "acceptance conditions in the path formulas of multi(...)".to_string(),
    };
    if formulas > 31 {
        return Err(too_large());
    }
    for combination in 1..combinations.ok_or_else(too_large)? {
        context.control.check()?;
        let wanted = wanted_pairs(product, formulas, combination);
        let mask = wanted.iter().fold(0u32, |mask, &(i, _)| mask | 1 << i);
        let mut inside = BitSet::new(n);
        for &s in &free.states {
            if wanted.iter().all(|&(i, pair)| product.may_stay(s as usize, i, pair)) {
                inside.insert(s as usize);
            }
        }
        let parts = end_components(&product.space, &inside, |choice| free.staying.contains(choice));
        for members in parts.iter() {
            if wanted.iter().all(|&(i, pair)| product.satisfies(members, i, pair)) {
                let masks = &mut found[component_of[members[0] as usize] as usize];
                if masks.iter().all(|known| known & mask != mask) {
                    masks.retain(|known| known & mask != *known);
                    masks.push(mask);
                }
            }
        }
    }
    Ok(found)
}

/// The pairs that a combination stands for, each with its formula. Digit 0: the formula does not matter; digit k: satisfied by
/// pair k - 1.
fn wanted_pairs(product: &Product, formulas: usize, combination: usize) -> Vec<(usize, usize)> {
    let mut rest = combination;
    let mut wanted = Vec::new();
    for i in 0..formulas {
        let base = 1 + product.pairs(i);
        match rest % base {
            0 => {}
            digit => wanted.push((i, digit - 1)),
        }
        rest /= base;
    }
    wanted
}

impl Quotient {
    /// The policy on the product behind a policy of the quotient: one choice for each of its states.
    pub fn policy(&self, context: &Context, product: &Product, taken: &[u32]) -> Result<Policy, CheckError> {
        let space = &product.space;
        let inner = context.inner(space, context.options, context.control);
        let predecessors = inner.predecessors();
        let mut policy = Policy::first(space);
        let staying = |choice: usize| self.free.staying.contains(choice);
        for members in self.free.iter() {
            policy.stay(space, members, staying);
        }
        // Where runs end, by the set of formulas that they are to satisfy there.
        let mut ends: Vec<(u32, Vec<u32>)> = Vec::new();
        for members in self.free.iter() {
            let choice = taken[self.class_of[members[0] as usize] as usize] as usize;
            if self.choice_of[choice] != END {
                continue;
            }
            let satisfied = (0..self.formulas).filter(|&i| self.rewards[i][choice] > 0.0);
            let mask = satisfied.fold(0u32, |mask, i| mask | 1 << i);
            match ends.iter_mut().find(|(known, _)| *known == mask) {
                Some((_, states)) => states.extend_from_slice(members),
                None => ends.push((mask, members.to_vec())),
            }
        }
        for (mask, states) in ends.into_iter().filter(|(mask, _)| *mask != 0) {
            self.satisfy(&inner, product, mask, &states, &mut policy)?;
        }
        policy.leave_classes(&predecessors, &self.class_of, taken, &self.choice_of, staying);
        Ok(policy)
    }

    /// Stays in the end components of these states, and satisfies the formulas of a set there.
    fn satisfy(
        &self,
        inner: &Context,
        product: &Product,
        mask: u32,
        states: &[u32],
        policy: &mut Policy,
    ) -> Result<(), CheckError> {
        let space = &product.space;
        let predecessors = inner.predecessors();
        let staying = |choice: usize| self.free.staying.contains(choice);
        let combinations: usize = (0..self.formulas).map(|i| 1 + product.pairs(i)).product();
        // Classes that have their place to stay.
        let mut done = BitSet::new(self.space.num_states());
        let mut places: Vec<u32> = Vec::new();
        for combination in 1..combinations {
            inner.control.check()?;
            let wanted = wanted_pairs(product, self.formulas, combination);
            if wanted.iter().fold(0u32, |mask, &(i, _)| mask | 1 << i) != mask {
                continue;
            }
            let may_stay = |s: usize| wanted.iter().all(|&(i, pair)| product.may_stay(s, i, pair));
            let candidates = states.iter().map(|&s| s as usize);
            let open = candidates.filter(|&s| !done.contains(self.class_of[s] as usize) && may_stay(s));
            let inside = BitSet::of(space.num_states(), open);
            let found = end_components(space, &inside, staying);
            for members in found.iter() {
                let class = self.class_of[members[0] as usize] as usize;
                let fits = wanted.iter().all(|&(i, pair)| product.satisfies(members, i, pair));
                if !fits || !done.insert(class) {
                    continue;
                }
                let within = |choice: usize| found.staying.contains(choice);
                let marks: Vec<(usize, u32)> = (wanted.iter())
                    .flat_map(|&(i, pair)| product.marks_to_meet(i, pair).iter().map(move |&mark| (i, mark)))
                    .collect();
                match marks.as_slice() {
                    [] => policy.stay(space, members, within),
                    [(i, mark)] => {
                        let met = |s: &u32| product.meets(*s as usize, *i, *mark);
                        policy.stay(space, members, within);
                        policy.lead(&predecessors, members.iter().copied().filter(met), within);
                    }
                    _ => policy.roam(space, members, within),
                }
                places.extend_from_slice(members);
            }
        }
        // From elsewhere in the component, go there.
        policy.lead(&predecessors, places.into_iter(), staying);
        Ok(())
    }
}

fn build(
    space: &Space,
    formulas: usize,
    rewards: &[Reward],
    (free, endless): (EndComponents, Vec<usize>),
    (satisfiable, visited): (&[Vec<u32>], &[Vec<bool>]),
    ending: &BitSet,
) -> Quotient {
    const NONE: u32 = END;
    let n = space.num_states();
    let mut class_of = vec![NONE; n];
    let mut choice_of = Vec::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    for component in free.iter() {
        component.iter().for_each(|&s| class_of[s as usize] = members.len() as u32);
        members.push(component.to_vec());
    }
    for s in ending.iter() {
        if class_of[s] == NONE {
            class_of[s] = members.len() as u32;
            members.push(vec![s as u32]);
        }
    }
    let last = members.len() as u32;
    let (mut start, mut row_start, mut columns, mut values) =
        (vec![0u32], vec![0u32], Vec::new(), Vec::new());
    let mut earned: Vec<Vec<f64>> = vec![Vec::new(); formulas + rewards.len()];
    let mut row: Vec<(u32, f64)> = Vec::new();
    let mut merged = false;
    let mut end_choice = |columns: &mut Vec<u32>| row_start.push(columns.len() as u32);
    for (class, states) in members.iter().enumerate() {
        let mut count = 0;
        for &s in states {
            for choice in space.choices_of(s as usize) {
                row.clear();
                row.extend(space.transitions(choice).map(|(t, v)| (class_of[t], v)));
                // Choices that may not end, and those that lead nowhere else, are no use.
                if row.iter().any(|e| e.0 == NONE) || row.iter().all(|e| e.0 == class as u32) {
                    continue;
                }
                row.sort_by_key(|e| e.0);
                let mut at = 0;
                while at < row.len() {
                    let group = row[at..].iter().take_while(|e| e.0 == row[at].0).count();
                    let mut sum = Sum::default();
                    row[at..at + group].iter().for_each(|e| sum.add(e.1));
                    merged |= !sum.is_exact();
                    columns.push(row[at].0);
                    values.push(sum.value());
                    at += group;
                }
                end_choice(&mut columns);
                choice_of.push(choice as u32);
                earned[..formulas].iter_mut().for_each(|list| list.push(0.0));
                for (list, (reward, visited)) in
                    earned[formulas..].iter_mut().zip(rewards.iter().zip(visited))
                {
                    let visit = || visited.get(class).map_or(0.0, |&counts| f64::from(u8::from(counts)));
                    list.push(if reward.visits { visit() } else { reward.of_choice[choice] });
                }
                count += 1;
            }
        }
        for &mask in satisfiable.get(class).into_iter().flatten() {
            columns.push(last);
            values.push(1.0);
            end_choice(&mut columns);
            choice_of.push(END);
            for (i, list) in earned.iter_mut().enumerate() {
                let counts = match i.checked_sub(formulas) {
                    None => mask >> i & 1 == 1,
                    Some(reward) => visited[reward].get(class) == Some(&true),
                };
                list.push(f64::from(u8::from(counts)));
            }
            count += 1;
        }
        start.push(start[class] + count);
    }
    columns.push(last);
    values.push(1.0);
    end_choice(&mut columns);
    choice_of.push(END);
    earned.iter_mut().for_each(|list| list.push(0.0));
    start.push(start[last as usize] + 1);
    let choices = row_start.len() - 1;
    let space = Space {
        kind: space.kind,
        choices: Some(Choices::new(start, vec![0; choices])),
        row_start,
        columns,
        values: values.into(),
        initial: vec![],
        deadlocks: BitSet::new(last as usize + 1),
        labels: vec![],
        rewards: vec![],
        actions: vec![String::new()],
    };
    let initial = class_of[0] as usize;
    Quotient { space, rewards: earned, formulas, initial, merged, choice_of, class_of, free, endless }
}
