//! Optimal long-run averages of MDPs over rationals: the counterpart of [`volvelle_solver::longrun`].
//!
//! A maximal end component has one optimal average, its gain; what remains is to reach components with good gains, where a
//! scheduler may stay or go on. The gain is found by policy iteration (Howard 1960; Puterman, *Markov Decision
//! Processes*, section 8.6): a policy with one recurrent class is solved by way of the returns to a state of that
//! class, and switched where a choice is strictly better by its bias. Where the new policy has several recurrent classes,
//! one of them is strictly better than before, and all other states are sent there. So gain and bias only improve, and
//! when no choice is better, the gain fulfils the optimality equation.

use crate::linear::{Equations, add_product};
use crate::model::Model;
use crate::policy::Task;
use crate::reach::ExactValues;
use dashu_ratio::RBig;
use std::cmp::Ordering;
use volvelle_logic::{Optimum, Ratio};
use volvelle_solver::CheckError;
use volvelle_solver::graph::{EndComponents, end_components};
use volvelle_space::{BitSet, components};

/// Not yet known.
const NONE: u32 = u32::MAX;

/// Optimal long-run average of `reward` (per choice and step) for every state.
pub fn optimal_average(
    model: &Model<'_>,
    reward: &[RBig],
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let space = model.context.space;
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    let found = end_components(space, &everywhere, |_| true);
    let mut gains = vec![RBig::ZERO; n];
    let mut stays = BitSet::new(n);
    let mut place = vec![NONE; n];
    for members in found.iter() {
        members.iter().enumerate().for_each(|(i, &s)| place[s as usize] = i as u32);
        let gain = Component { model, found: &found, members, place: &place, reward, optimum }.gain()?;
        for &s in members {
            gains[s as usize] = gain.clone();
            stays.insert(s as usize);
        }
    }
    let gain_of = |s: usize| gains[s].clone();
    let task = Task {
        model,
        unknown: &everywhere,
        allowed: None,
        may_stop: Some((&stays, &gain_of)),
        reward: None,
        known: &|_| RBig::ZERO,
        optimum,
        guide: None,
    };
    let (values, _) = task.solve()?;
    let method = "policy iteration in end components, rational arithmetic".to_string();
    Ok((values.into_iter().map(Ratio::from).collect(), method))
}

/// The least average of rewards of both signs in an end component, compared with zero.
pub struct LeastAverage {
    /// The comparison.
    pub sign: Ordering,
    /// Where it is zero, the choices that schedulers with this average take again and again.
    pub lasting: BitSet,
    /// Whether gains and losses on them differ by chance, so that a scheduler comes below every bound.
    pub by_chance: bool,
}

/// Compares the least average in an end component with zero.
pub fn least_average(
    model: &Model<'_>,
    found: &EndComponents,
    members: &[u32],
    reward: &[RBig],
) -> Result<LeastAverage, CheckError> {
    let space = model.context.space;
    let mut place = vec![NONE; space.num_states()];
    members.iter().enumerate().for_each(|(i, &s)| place[s as usize] = i as u32);
    let component = Component { model, found, members, place: &place, reward, optimum: Optimum::Min };
    let (gain, bias) = component.gain_and_bias()?;
    let sign = gain.cmp(&RBig::ZERO);
    if sign != Ordering::Equal {
        return Ok(LeastAverage { sign, lasting: BitSet::new(0), by_chance: false });
    }
    // The choices of schedulers with this average, and what is left of them again and again.
    let mut tight = BitSet::new(space.num_choices());
    for (i, bias_here) in bias.iter().enumerate() {
        for choice in component.choices(i) {
            let mut value = reward[choice].clone();
            component.targets(choice).for_each(|(t, p)| add_product(&mut value, p, &bias[t]));
            if value == *bias_here {
                tight.insert(choice);
            }
        }
    }
    let inside = BitSet::of(space.num_states(), members.iter().map(|&s| s as usize));
    let lasting = end_components(space, &inside, |choice| tight.contains(choice));
    let by_chance = |choice: usize| {
        let mut biases = component.targets(choice).map(|(t, _)| &bias[t]);
        let first = biases.next();
        biases.any(|bias| Some(bias) != first)
    };
    let by_chance = lasting.staying.iter().any(by_chance);
    Ok(LeastAverage { sign, lasting: lasting.staying, by_chance })
}

/// A maximal end component.
struct Component<'a> {
    model: &'a Model<'a>,
    found: &'a EndComponents,
    members: &'a [u32],
    /// The place of each state among the members.
    place: &'a [u32],
    reward: &'a [RBig],
    optimum: Optimum,
}

impl Component<'_> {
    fn better(&self, a: &RBig, b: &RBig) -> bool {
        a.cmp(b) == if self.optimum == Optimum::Max { Ordering::Greater } else { Ordering::Less }
    }

    /// The choices of a member on which a scheduler stays.
    fn choices(&self, member: usize) -> impl Iterator<Item = usize> + '_ {
        let choices = self.model.context.space.choices_of(self.members[member] as usize);
        choices.filter(|&choice| self.found.staying.contains(choice))
    }

    /// The members that a choice may lead to, with probabilities.
    fn targets(&self, choice: usize) -> impl Iterator<Item = (usize, &RBig)> {
        self.model.transitions(choice).map(|(t, p)| (self.place[t] as usize, p))
    }

    fn gain(&self) -> Result<RBig, CheckError> {
        Ok(self.gain_and_bias()?.0)
    }

    fn gain_and_bias(&self) -> Result<(RBig, Vec<RBig>), CheckError> {
        let count = self.members.len();
        let mut policy: Vec<usize> = (0..count).filter_map(|i| self.choices(i).next()).collect();
        if policy.len() < count {
            // Cannot be: states of an end component have a choice that stays.
            return Err(CheckError::EmptyFilter);
        }
        loop {
            self.model.context.control.check()?;
            let reference = self.one_class(&mut policy)?;
            let all: Vec<usize> = (0..count).collect();
            let (gain, bias) = self.evaluate(&policy, &all, reference)?;
            let mut switched = false;
            for (i, chosen) in policy.iter_mut().enumerate() {
                let mut best = &gain + &bias[i];
                for choice in self.choices(i).filter(|choice| choice != chosen).collect::<Vec<_>>() {
                    let mut value = self.reward[choice].clone();
                    self.targets(choice).for_each(|(t, p)| add_product(&mut value, p, &bias[t]));
                    if self.better(&value, &best) {
                        (best, *chosen, switched) = (value, choice, true);
                    }
                }
            }
            if !switched {
                return Ok((gain, bias));
            }
        }
    }

    /// Sends all members to the best recurrent class of a policy, if it has several; gives a state of it.
    fn one_class(&self, policy: &mut [usize]) -> Result<usize, CheckError> {
        let (mut start, mut columns) = (vec![0usize], Vec::new());
        for &choice in policy.iter() {
            columns.extend(self.targets(choice).map(|(t, _)| t as u32));
            start.push(columns.len());
        }
        let found = components(policy.len(), |i| &columns[start[i]..start[i + 1]], |_| true);
        let closed = |class: &&[u32]| {
            let inside = |t: &u32| class.contains(t);
            class.iter().all(|&i| columns[start[i as usize]..start[i as usize + 1]].iter().all(inside))
        };
        let classes: Vec<Vec<usize>> =
            found.iter().filter(closed).map(|class| class.iter().map(|&i| i as usize).collect()).collect();
        if let [class] = classes.as_slice() {
            return Ok(class[0]);
        }
        let mut best: Option<(RBig, &Vec<usize>)> = None;
        for class in &classes {
            let (gain, _) = self.evaluate(policy, class, class[0])?;
            if best.as_ref().is_none_or(|(known, _)| self.better(&gain, known)) {
                best = Some((gain, class));
            }
        }
        let Some((_, class)) = best else { return Err(CheckError::EmptyFilter) };
        let mut settled = vec![false; policy.len()];
        class.iter().for_each(|&i| settled[i] = true);
        let mut grows = true;
        while grows {
            grows = false;
            for i in 0..policy.len() {
                let towards = |choice: &usize| self.targets(*choice).any(|(t, _)| settled[t]);
                if let (false, Some(choice)) = (settled[i], self.choices(i).find(towards)) {
                    policy[i] = choice;
                    settled[i] = true;
                    grows = true;
                }
            }
        }
        Ok(class[0])
    }

    /// Average and bias of a policy on `states`, which it does not leave, and on which it returns to `reference` for ever.
    fn evaluate(
        &self,
        policy: &[usize],
        states: &[usize],
        reference: usize,
    ) -> Result<(RBig, Vec<RBig>), CheckError> {
        let mut row_of = vec![NONE; policy.len()];
        let others: Vec<usize> = states.iter().copied().filter(|&i| i != reference).collect();
        others.iter().enumerate().for_each(|(row, &i)| row_of[i] = row as u32);
        // The expected reward and number of steps until the reference state is reached.
        let until_reference = |of: &dyn Fn(usize) -> RBig| {
            let mut equations = Equations::default();
            for &i in &others {
                let within = self.targets(policy[i]).filter(|&(t, _)| t != reference);
                let mut row: Vec<(u32, RBig)> = within.map(|(t, p)| (row_of[t], p.clone())).collect();
                row.sort_unstable_by_key(|entry| entry.0);
                equations.rows.push(row);
                equations.constants.push(of(policy[i]));
            }
            equations.solve(self.model.context.control)
        };
        let earned = until_reference(&|choice| self.reward[choice].clone())?;
        let steps = until_reference(&|_| RBig::ONE)?;
        let around = |first: RBig, then: &[RBig]| {
            let mut sum = first;
            for (t, p) in self.targets(policy[reference]).filter(|&(t, _)| t != reference) {
                add_product(&mut sum, p, &then[row_of[t] as usize]);
            }
            sum
        };
        let gain = around(self.reward[policy[reference]].clone(), &earned) / around(RBig::ONE, &steps);
        let mut bias = vec![RBig::ZERO; policy.len()];
        for (row, &i) in others.iter().enumerate() {
            bias[i] = &earned[row] - &gain * &steps[row];
        }
        Ok((gain, bias))
    }
}
