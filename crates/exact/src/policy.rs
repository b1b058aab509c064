//! Optimal values over rationals: policy iteration (Howard 1960), whose every policy is solved exactly.
//!
//! The first policy takes choices that look best in floating point and is *proper*: under it every state leaves the
//! unknown ones almost surely. Switching to choices that are strictly better keeps a policy proper: in a closed set
//! without a way out the values would have to be equal along all choices, so that none of them was switched. The
//! iteration ends where no choice is better; the values then fulfil the optimality equations and are attained.
//! Floating point only rules out choices that are far from an improvement; all others are compared
//! exactly.

use crate::linear::{Equations, add_product};
use crate::model::Model;
use dashu_ratio::RBig;
use std::cmp::Ordering;
use volvelle_logic::Optimum;
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

/// Relative difference beyond which doubles are certainly different.
const CLOSE: f64 = 1e-9;

/// The choice of a state that stops.
const STOP: u32 = u32::MAX;

/// A problem to be solved by policy iteration.
pub struct Task<'a> {
    /// The model.
    pub model: &'a Model<'a>,
    /// The states whose values are requested.
    pub unknown: &'a BitSet,
    /// The choices that may be taken (`None`: all).
    pub allowed: Option<&'a BitSet>,
    /// The states that may stop, with the value of stopping.
    pub may_stop: Option<(&'a BitSet, &'a dyn Fn(usize) -> RBig)>,
    /// Reward of each choice.
    pub reward: Option<&'a [RBig]>,
    /// Values of the other states.
    pub known: &'a dyn Fn(usize) -> RBig,
    /// Over the choices.
    pub optimum: Optimum,
    /// Values in floating point, to start from.
    pub guide: Option<Vec<f64>>,
}

impl Task<'_> {
    /// The value of every unknown state, and of the known ones; and the number of policies.
    pub fn solve(&self) -> Result<(Vec<RBig>, usize), CheckError> {
        let (values, _, rounds) = self.optimise()?;
        Ok((values, rounds))
    }

    /// The values of all states, the optimal policy (one choice for each unknown state), and the number of policies.
    pub fn optimise(&self) -> Result<(Vec<RBig>, Vec<u32>, usize), CheckError> {
        self.optimise_from(None)
    }

    /// The same, beginning with a policy under which every state leaves the unknown ones almost surely.
    pub fn optimise_from(
        &self,
        policy: Option<Vec<u32>>,
    ) -> Result<(Vec<RBig>, Vec<u32>, usize), CheckError> {
        let n = self.model.context.states();
        let mut policy = match policy {
            Some(policy) => policy,
            None => self.first()?,
        };
        let mut rounds = 0;
        loop {
            rounds += 1;
            let values = self.values(&policy)?;
            if self.model.context.is_chain() || !self.improve(&mut policy, &values)? {
                debug_assert_eq!(values.len(), n);
                return Ok((values, policy, rounds));
            }
        }
    }

    fn is_allowed(&self, choice: usize) -> bool {
        self.allowed.is_none_or(|allowed| allowed.contains(choice))
    }

    fn stops(&self, state: usize) -> bool {
        self.may_stop.is_some_and(|(may, _)| may.contains(state))
    }

    /// The value of stopping.
    fn stopped(&self, state: usize) -> RBig {
        self.may_stop.map_or(RBig::ZERO, |(_, value)| value(state))
    }

    /// A proper policy: one choice for each unknown state.
    fn first(&self) -> Result<Vec<u32>, CheckError> {
        let context = self.model.context;
        let space = context.space;
        let n = space.num_states();
        let mut policy = vec![STOP; n];
        if context.is_chain() {
            self.unknown.iter().for_each(|s| policy[s] = s as u32);
            return Ok(policy);
        }
        let good = self.guide.as_ref().map(|guide| self.near_best(guide));
        let mut settled = self.unknown.complement();
        let mut work: Vec<u32> = settled.iter().map(|s| s as u32).collect();
        for s in self.unknown.iter().filter(|&s| self.stops(s)) {
            settled.insert(s);
            work.push(s as u32);
        }
        let mut attract = |only: Option<&BitSet>, mut work: Vec<u32>| {
            while let Some(state) = work.pop() {
                for &choice in context.predecessors().of(state as usize) {
                    let source = context.predecessors().owner(choice);
                    if self.is_allowed(choice as usize)
                        && only.is_none_or(|only| only.contains(choice as usize))
                        && settled.insert(source)
                    {
                        policy[source] = choice;
                        work.push(source as u32);
                    }
                }
            }
            settled.iter().map(|s| s as u32).collect::<Vec<u32>>()
        };
        if good.is_some() {
            work = attract(good.as_ref(), work);
        }
        attract(None, work);
        Ok(policy)
    }

    /// The choices that are about the best by floating-point values.
    fn near_best(&self, guide: &[f64]) -> BitSet {
        let space = self.model.context.space;
        let mut good = BitSet::new(space.num_choices());
        for s in self.unknown.iter() {
            let allowed = || space.choices_of(s).filter(|&c| self.is_allowed(c));
            let values = allowed().map(|c| self.rough(c, guide));
            let best = values.reduce(|a, b| if self.optimum == Optimum::Max { a.max(b) } else { a.min(b) });
            let Some(best) = best else { continue };
            for choice in allowed() {
                if (self.rough(choice, guide) - best).abs() <= CLOSE * best.abs() {
                    good.insert(choice);
                }
            }
        }
        good
    }

    /// The value of a choice in floating point.
    fn rough(&self, choice: usize, values: &[f64]) -> f64 {
        let reward = self.reward.map_or(0.0, |reward| reward[choice].to_f64().value());
        self.model.context.space.transitions(choice).fold(reward, |sum, (t, p)| sum + p * values[t])
    }

    /// The values of a policy.
    pub fn values(&self, policy: &[u32]) -> Result<Vec<RBig>, CheckError> {
        let n = policy.len();
        let mut place = vec![u32::MAX; n];
        let unknown: Vec<usize> = self.unknown.iter().collect();
        for (i, &s) in unknown.iter().enumerate() {
            place[s] = i as u32;
        }
        let mut values: Vec<RBig> =
            (0..n).map(|s| if place[s] == u32::MAX { (self.known)(s) } else { RBig::ZERO }).collect();
        let mut equations = Equations::default();
        if self.model.context.is_chain() {
            equations.wanted = Some(unknown.iter().map(|&s| self.model.is_needed(s)).collect());
        }
        for &s in &unknown {
            let (mut row, mut constant) = (Vec::new(), RBig::ZERO);
            if policy[s] == STOP {
                constant = self.stopped(s);
            } else {
                let choice = policy[s] as usize;
                if let Some(reward) = self.reward {
                    constant += &reward[choice];
                }
                for (t, p) in self.model.transitions(choice) {
                    if place[t] == u32::MAX {
                        add_product(&mut constant, p, &values[t]);
                    } else {
                        row.push((place[t], p.clone()));
                    }
                }
            }
            equations.rows.push(row);
            equations.constants.push(constant);
        }
        let solved = equations.solve(self.model.context.control)?;
        for (s, value) in unknown.into_iter().zip(solved) {
            values[s] = value;
        }
        Ok(values)
    }

    /// Switches every state that has a better choice; returns whether there was one.
    fn improve(&self, policy: &mut [u32], values: &[RBig]) -> Result<bool, CheckError> {
        let context = self.model.context;
        let space = context.space;
        let rough: Vec<f64> = values.iter().map(|v| v.to_f64().value()).collect();
        let scale = rough.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let better = match self.optimum {
            Optimum::Max => Ordering::Greater,
            Optimum::Min => Ordering::Less,
        };
        let mut switched = false;
        for (looks, s) in self.unknown.iter().enumerate() {
            if looks.is_multiple_of(256) {
                context.control.check()?;
            }
            if space.choices_of(s).len() == 1 && !self.stops(s) {
                continue;
            }
            let mut best = values[s].clone();
            for choice in space.choices_of(s) {
                if choice as u32 == policy[s] || !self.is_allowed(choice) {
                    continue;
                }
                let estimate = self.rough(choice, &rough);
                let worse = match self.optimum {
                    Optimum::Max => estimate < rough[s] - CLOSE * scale.max(estimate.abs()),
                    Optimum::Min => estimate > rough[s] + CLOSE * scale.max(estimate.abs()),
                };
                if worse {
                    continue;
                }
                let mut value = self.reward.map_or(RBig::ZERO, |reward| reward[choice].clone());
                for (t, p) in self.model.transitions(choice) {
                    add_product(&mut value, p, &values[t]);
                }
                if value.cmp(&best) == better {
                    best = value;
                    policy[s] = choice as u32;
                    switched = true;
                }
            }
            if self.stops(s) && policy[s] != STOP && self.stopped(s).cmp(&best) == better {
                policy[s] = STOP;
                switched = true;
            }
        }
        Ok(switched)
    }
}
