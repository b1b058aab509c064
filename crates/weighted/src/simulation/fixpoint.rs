//! The greatest fixpoint: pairs are removed until every step is answered.
//!
//! Each class `s` has a set R(s); equal sets are shared. In a round, every class asks for answers if its own
//! set or that of a successor has changed: paths from R(s) through R(s) to R(s'). Classes with the same R(s)
//! share the weights of their paths; those with the same questions share the result. (Partition-relation
//! pairs: R. Gentilini, C. Piazza, A. Policriti, *From bisimulation to simulation*, J. Autom. Reason. 31,
//! 2003; F. Ranzato, F. Tapparo, *An efficient simulation algorithm based on abstract interpretation*, Inf.
//! Comput. 208, 2010.)
//!
//! The first rounds run over all classes, since many of them are still alike. Then components are completed
//! one by one, in an order in which each comes after those that it reaches.

use super::answers::Answers;
use super::preorder::Preorder;
use super::quotient::Quotient;
use super::sets::{Set, Sets};
use crate::Failure;
use crate::game::stay::{Followed, Scratch, Stay};
use crate::window::Window;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::Arc;
use volvelle_control::{Control, ProgressEvent};
use volvelle_space::{WeightedStructure, components_by};

/// Number of rounds over all classes, before components are completed one by one.
const COMMON_ROUNDS: u64 = 6;

/// A step that must be answered: the number of the goal, and the window.
type Demand = (u64, u64, u64);

pub(super) struct Fixpoint<'a> {
    quotient: &'a Quotient,
    window: &'a Window,
    control: &'a Control<'a>,
    answers: Answers<'a>,
    sets: Sets,
    related: Vec<Arc<Set>>,
    dirty: Vec<bool>,
    /// Bounds by weight.
    bounds: FxHashMap<u64, (u64, u64)>,
    rounds: u64,
    /// Set if divergence counts.
    pub(super) stay: Option<Staying<'a>>,
}

/// The data of divergence, on the structure of classes.
pub(super) struct Staying<'a> {
    structure: &'a WeightedStructure,
    stay: Stay,
    scratch: Scratch,
}

impl<'a> Staying<'a> {
    pub(super) fn new(structure: &'a WeightedStructure, stay: Stay) -> Self {
        Staying { structure, stay, scratch: Scratch::default() }
    }
}

/// In a window: no upper bound.
const UNBOUNDED: u64 = u64::MAX;

impl<'a> Fixpoint<'a> {
    pub(super) fn new(
        quotient: &'a Quotient,
        window: &'a Window,
        within: Option<&Preorder>,
        control: &'a Control<'a>,
    ) -> Result<Self, Failure> {
        let mut bounds = FxHashMap::default();
        let mut sets = Sets::default();
        let mut related: Vec<Arc<Set>> = Vec::with_capacity(quotient.len());
        let mut members = Vec::new();
        for class in 0..quotient.len() as u32 {
            for step in quotient.steps.row(class) {
                if let Entry::Vacant(entry) = bounds.entry(step.weight) {
                    let (lo, hi) = window.bounds(step.weight)?;
                    entry.insert((lo, hi.unwrap_or(UNBOUNDED)));
                }
            }
            let range = quotient.range(class);
            let member = |class: u32| quotient.member[class as usize];
            let set = match within {
                None if class > range.start => related[range.start as usize].clone(),
                _ => {
                    members.clear();
                    let related =
                        |&other: &u32| within.is_none_or(|w| w.contains(member(class), member(other)));
                    members.extend(range.clone().filter(related));
                    sets.set(range, &members)
                }
            };
            related.push(set);
        }
        let dirty = vec![true; quotient.len()];
        let answers = Answers::new(quotient);
        Ok(Fixpoint {
            quotient,
            window,
            control,
            answers,
            sets,
            related,
            dirty,
            bounds,
            rounds: 0,
            stay: None,
        })
    }

    pub(super) fn run(mut self) -> Result<Vec<Arc<Set>>, Failure> {
        let all: Vec<u32> = (0..self.quotient.len() as u32).collect();
        while self.rounds < COMMON_ROUNDS {
            if !self.round(&all)? {
                return Ok(self.related);
            }
        }
        let steps = &self.quotient.steps;
        let successor = |class: usize, step: usize| steps.row(class as u32).get(step).map(|step| step.target);
        let components = components_by(all.len(), successor, |_| true);
        for component in components.iter() {
            while self.round(component)? {}
        }
        Ok(self.related)
    }

    /// Asks for answers of the dirty classes among some. Returns whether there were any.
    fn round(&mut self, among: &[u32]) -> Result<bool, Failure> {
        self.rounds += 1;
        let mut pending: Vec<(u64, Vec<Demand>, u32)> = Vec::new();
        let mut staying: Vec<u32> = Vec::new();
        for &class in among {
            if std::mem::replace(&mut self.dirty[class as usize], false) {
                if self.stay.as_ref().is_some_and(|staying| staying.stay.can(class)) {
                    staying.push(class);
                }
                pending.push((self.related[class as usize].number, self.demands(class), class));
            }
        }
        if pending.is_empty() {
            return Ok(false);
        }
        self.check(pending.len())?;
        pending.sort_unstable();
        let mut changed: Vec<(u32, Arc<Set>)> = Vec::new();
        for group in pending.chunk_by(|a, b| a.0 == b.0) {
            let region = self.related[group[0].2 as usize].clone();
            let asked = group.chunk_by(|a, b| a.1 == b.1).filter(|alike| !alike[0].1.is_empty());
            let asked: Vec<_> = asked.collect();
            if asked.is_empty() {
                continue;
            }
            let mut shared = Shared::new(&asked);
            self.answers.enter(&region);
            for alike in asked {
                let remaining = self.remaining(alike[0].2, &alike[0].1, &mut shared)?;
                if remaining.len() == region.len() {
                    continue;
                }
                let set = self.sets.set(self.quotient.range(alike[0].2), &remaining);
                changed.extend(alike.iter().map(|entry| (entry.2, set.clone())));
                if changed.len().is_multiple_of(64) {
                    self.check(0)?;
                }
            }
        }
        changed.into_iter().for_each(|(class, set)| self.change(class, set));
        for class in staying {
            self.check(0)?;
            self.keep_followed(class);
        }
        Ok(true)
    }

    fn change(&mut self, class: u32, set: Arc<Set>) {
        self.related[class as usize] = set;
        self.dirty[class as usize] = true;
        self.quotient.sources.row(class).iter().for_each(|s| self.dirty[s.target as usize] = true);
        let Some(staying) = &self.stay else { return };
        // Whether a class is followed depends on everything that it reaches by steps of weight 0.
        let mut seen = FxHashSet::from_iter([class]);
        let mut reached = vec![class];
        while let Some(at) = reached.pop() {
            for source in self.quotient.sources.row(at) {
                if source.weight == 0 && staying.stay.can(source.target) && seen.insert(source.target) {
                    self.dirty[source.target as usize] = true;
                    reached.push(source.target);
                }
            }
        }
    }

    /// If a class could stay forever, keeps only those members of its set that can follow it.
    fn keep_followed(&mut self, class: u32) {
        let Some(staying) = &mut self.stay else { return };
        let set = &self.related[class as usize];
        let related = |x: u32, y: u32| self.related[x as usize].contains(y);
        let kept: Vec<u32> = set
            .iter()
            .filter(|&other| {
                let pair = (class, other);
                let followed = staying.stay.follow(staying.structure, pair, related, &mut staying.scratch);
                matches!(followed, Followed::Moves(_))
            })
            .collect();
        if kept.len() < set.len() {
            let set = self.sets.set(self.quotient.range(class), &kept);
            self.change(class, set);
        }
    }

    fn check(&mut self, pending: usize) -> Result<(), Failure> {
        self.control.check()?;
        self.control.check_memory(self.sets.bytes() + self.quotient.bytes())?;
        if pending > 1000 {
            self.control.progress.report(ProgressEvent::Refining {
                rounds: self.rounds,
                classes: self.quotient.len() as u64,
                states: self.quotient.class_of.len() as u64,
            });
        }
        Ok(())
    }

    /// The hardest windows for each goal. Nothing, if staying answers everything.
    fn demands(&self, class: u32) -> Vec<Demand> {
        let region = self.related[class as usize].number;
        let demand = |step: &volvelle_space::WeightedStep| {
            let (lo, hi) = self.bounds[&step.weight];
            (self.related[step.target as usize].number, lo, hi)
        };
        let demands = self.quotient.steps.row(class).iter().map(demand);
        let mut demands: Vec<Demand> = demands.filter(|&(goal, lo, _)| goal != region || lo > 0).collect();
        demands.sort_unstable();
        match self.window {
            // Sorted by upper bounds: the first is the hardest.
            Window::AtMost | Window::AtMostWidened(_) => demands.dedup_by_key(|demand| demand.0),
            Window::AtLeast => demands.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    *kept = *later;
                }
                same
            }),
            Window::Around(_) => demands.dedup(),
        }
        demands
    }

    /// The members of the region with answers to all demands, which are those of `class`.
    fn remaining(
        &mut self,
        class: u32,
        demands: &[Demand],
        shared: &mut Shared,
    ) -> Result<Vec<u32>, Failure> {
        let mut left: Vec<u32> = (0..self.answers.members.len() as u32).collect();
        for &(goal, lo, hi) in demands {
            if left.is_empty() {
                break;
            }
            let targets =
                self.quotient.steps.row(class).iter().map(|step| &self.related[step.target as usize]);
            let goal = targets.clone().find(|set| set.number == goal).expect("demands have goals");
            if lo == 0 && hi != UNBOUNDED {
                let answers = &mut self.answers;
                let values = shared.least.of(goal.number, |values, bound| answers.least(goal, bound, values));
                left.retain(|&number| values[number as usize] <= hi);
            } else if hi == UNBOUNDED {
                let answers = &mut self.answers;
                let values = shared.largest.of(goal.number, |values, _| answers.largest(goal, values));
                left.retain(|&number| values[number as usize] > lo);
            } else {
                let known = match shared.between.get(&(goal.number, lo, hi)) {
                    Some(known) => known,
                    None => {
                        let found = self.answers.between(goal, (lo, hi), self.control)?;
                        shared.between.entry((goal.number, lo, hi)).or_insert(found)
                    }
                };
                left.retain(|&number| known[number as usize]);
            }
        }
        left.iter_mut().for_each(|number| *number = self.answers.members[*number as usize]);
        Ok(left)
    }
}

/// Data that classes with the same region share.
struct Shared {
    least: Values,
    largest: Values,
    between: FxHashMap<Demand, Vec<bool>>,
}

/// Values by goal.
#[derive(Default)]
struct Values {
    /// The number of users of this goal, the largest upper bound, and the values once they are known.
    by_goal: FxHashMap<u64, (u32, u64, Option<Vec<u64>>)>,
    scratch: Vec<u64>,
}

impl Shared {
    fn new(asked: &[&[(u64, Vec<Demand>, u32)]]) -> Self {
        let mut shared =
            Shared { least: Values::default(), largest: Values::default(), between: FxHashMap::default() };
        for &(goal, lo, hi) in asked.iter().flat_map(|alike| &alike[0].1) {
            let values = match (lo, hi) {
                (0, ..UNBOUNDED) => &mut shared.least,
                (_, UNBOUNDED) => &mut shared.largest,
                _ => continue,
            };
            let entry = values.by_goal.entry(goal).or_insert((0, 0, None));
            entry.0 += 1;
            entry.1 = entry.1.max(hi);
        }
        shared
    }
}

impl Values {
    /// The values of a goal. They are kept if there are further users.
    fn of(&mut self, goal: u64, compute: impl FnOnce(&mut Vec<u64>, u64)) -> &[u64] {
        let (users, bound, known) = self.by_goal.get_mut(&goal).expect("all goals have been counted");
        if *users <= 1 {
            compute(&mut self.scratch, *bound);
            return &self.scratch;
        }
        known.get_or_insert_with(|| {
            let mut values = Vec::new();
            compute(&mut values, *bound);
            values
        })
    }
}
